//! A program as Fortran. Functions become external subroutines; what they share stands in a module.

use std::fmt::Write;

use super::ast::*;
use super::carry::KNOWN_FORTRAN;
use super::print_c::{trip_of, uses_sum};

/// What each thread has for itself.
const PRIVATE: &str = "i, j, k, b, v, me, sum, n1, n2, n3";

const VARIABLES: &str = "\
  use fuzz_data
  implicit none
  integer(4) :: i, j, k, b, me, n1, n2, n3
  integer(8) :: v, sum, state, states(0:2)
  type(pair_t) :: pair
  integer(4), external :: omp_get_thread_num, omp_get_num_threads
";

const INTERFACE: &str = "\
  interface
    function fuzz_value(value) bind(c, name='fuzz_value')
      integer(8), value :: value
      integer(8) :: fuzz_value
    end function
    subroutine fuzz_print(number, value) bind(c, name='fuzz_print')
      integer(4), value :: number
      integer(8), value :: value
    end subroutine
    subroutine fuzz_array(number, array, n) bind(c, name='fuzz_array')
      integer(4), value :: number
      integer(8) :: array(*)
      integer(8), value :: n
    end subroutine
    subroutine fuzz_carry(state, goes_on, value) bind(c, name='fuzz_carry')
      integer(8) :: state
      integer(8), value :: goes_on, value
    end subroutine
  end interface
";

pub fn print(program: &Program) -> String {
    let mut printer = Printer {
        program,
        own: None,
        depth: 0,
        shared: String::new(),
        locals: String::new(),
        procedures: String::new(),
    };
    let (mut body, mut locals) = (String::new(), String::new());
    for (number, region) in program.regions.iter().enumerate() {
        let text = printer.region(region);
        let own = std::mem::take(&mut printer.locals);
        match region.is_apart {
            true => {
                let name = format!("region{number}");
                printer.procedure(&name, &own, &text);
                let _ = writeln!(body, "  call {name}()");
            }
            false => (locals, body) = (locals + &own, body + &text),
        }
    }
    for l in program.loops() {
        let (id, trip) = (l.id, l.mapping.trip);
        let _ = writeln!(body, "  call fuzz_array({id}, a{id}, {trip}_8)");
        for (is_there, name) in [(l.reduces, "red"), (l.last, "last")] {
            if is_there {
                let _ = writeln!(body, "  call fuzz_print({id}, {name}{id})");
            }
        }
    }
    format!(
        "! Run with the environment that the report names; support.c has main.\n\
         module fuzz_data\n  implicit none\n  integer(4) :: slow = 30000, taken, executed\n  \
         type :: pair_t\n    integer(8) :: first, second\n  end type\n  \
         integer(8) :: side = 0, visits = 0, critical_side = 0, masked_side = 0, total = 0\n{}{INTERFACE}end module\n\n{KNOWN_FORTRAN}{}\
         subroutine fuzz_main() bind(c, name='fuzz_main')\n{VARIABLES}{locals}{body}  call fuzz_print(98, side)\n  \
         call fuzz_print(99, total)\nend subroutine\n",
        printer.shared, printer.procedures
    )
}

struct Printer<'a> {
    program: &'a Program,
    own: Option<Own>,
    /// Depth of sequential loops in a procedure.
    depth: u32,
    shared: String,
    locals: String,
    procedures: String,
}

impl Printer<'_> {
    fn procedure(&mut self, name: &str, locals: &str, body: &str) {
        let _ = write!(self.procedures, "subroutine {name}()\n{VARIABLES}{locals}{body}end subroutine\n\n");
    }

    fn region(&mut self, region: &Region) -> String {
        self.own = region.own;
        let mut loops = Vec::new();
        collect(&region.steps, &mut loops);
        let (mut begin, mut end) = (String::new(), String::new());
        let mut private = self.own_memory(&loops, &mut begin, &mut end);
        let carried = loops.iter().filter_map(|l| l.carries);
        let names: std::collections::BTreeSet<_> = carried.map(|carried| carried.variable_fortran()).collect();
        for name in names {
            let _ = write!(private, ", &\n  !$omp& {name}");
        }
        let mut text = format!(
            "  do executed = 0, {} - 1\n  taken = 0\n  !$omp parallel private({PRIVATE}{private})\n",
            region.times
        );
        if loops.iter().any(|l| uses_sum(l)) {
            text += "  sum = 0\n";
        }
        text += &begin;
        self.steps(&region.steps, &mut text);
        if loops.iter().any(|l| l.adds) {
            text += "  !$omp atomic\n  total = total + sum\n";
        }
        text + &end + "  !$omp end parallel\n  end do\n"
    }

    /// Declares memory of each thread's own, and gives the names for `private`.
    fn own_memory(&mut self, loops: &[&Loop], begin: &mut String, end: &mut String) -> String {
        let mut private = String::new();
        let keeping: Vec<_> = loops.iter().filter(|l| l.keeps).collect();
        if let (Some(Own::Row(ticket)), false) = (self.own, keeping.is_empty()) {
            self.ticket(ticket, begin);
        }
        for l in keeping {
            let (id, last, rows) = (l.id, l.mapping.trip - 1, self.program.threads - 1);
            match self.own {
                Some(Own::Local) => {
                    let _ = writeln!(self.locals, "  integer(8) :: own{id}(0:{last})");
                    let _ = write!(private, ", &\n  !$omp& own{id}");
                }
                Some(Own::Heap) => {
                    let _ = writeln!(self.locals, "  integer(8), allocatable :: own{id}(:)");
                    let _ = write!(private, ", &\n  !$omp& own{id}");
                    let _ = writeln!(begin, "  allocate(own{id}(0:{last}))");
                    let _ = writeln!(end, "  deallocate(own{id})");
                }
                Some(Own::ThreadPrivate | Own::ThreadLocal) => {
                    let _ = writeln!(
                        self.shared,
                        "  integer(8), save :: own{id}(0:{last})\n  !$omp threadprivate(own{id})"
                    );
                }
                _ => {
                    let text = format!("  integer(8), save :: own{id}(0:{last}, 0:{rows})");
                    let _ = writeln!(self.shared, "{text}");
                }
            }
        }
        private
    }

    fn ticket(&mut self, ticket: Ticket, out: &mut String) {
        *out += match ticket {
            Ticket::Atomic | Ticket::Function => {
                "  !$omp atomic capture\n  me = taken\n  taken = taken + 1\n  !$omp end atomic\n"
            }
            Ticket::Critical => "  !$omp critical\n  me = taken\n  taken = taken + 1\n  !$omp end critical\n",
            Ticket::Single => {
                "  me = mod(1, omp_get_num_threads())\n  !$omp single\n  me = 0\n  !$omp end single nowait\n"
            }
            Ticket::Masked => "  me = mod(1, omp_get_num_threads())\n  !$omp master\n  me = 0\n  !$omp end master\n",
            Ticket::Dealt => {
                "  me = 0\n  !$omp do schedule(dynamic, 1)\n  do i = 0, omp_get_num_threads() - 1\n  me = i\n  end do\n  \
                 !$omp end do nowait\n"
            }
            Ticket::Section => {
                "  me = 0\n  !$omp sections\n  !$omp section\n  me = 0\n  !$omp section\n  me = omp_get_num_threads() - 1\n  \
                 !$omp end sections nowait\n"
            }
        };
    }

    fn steps(&mut self, steps: &[Step], out: &mut String) {
        for step in steps {
            self.step(step, out);
        }
    }

    fn step(&mut self, step: &Step, out: &mut String) {
        match step {
            Step::Loop(l) => self.the_loop(l, out),
            Step::Repeat(times, steps) => {
                self.depth += 1;
                let _ = writeln!(out, "  do n{} = 1, {times}", self.depth);
                self.steps(steps, out);
                *out += "  end do\n";
                self.depth -= 1;
            }
            Step::Sometimes(nth, steps) => {
                let _ = writeln!(out, "  if (mod(executed, {nth}) == 0) then");
                self.steps(steps, out);
                *out += "  end if\n";
            }
            Step::Call(_, number, steps) => {
                let depth = std::mem::replace(&mut self.depth, 0);
                let mut body = String::new();
                self.steps(steps, &mut body);
                self.depth = depth;
                self.procedure(&format!("called{number}"), "", &body);
                let _ = writeln!(out, "  call called{number}()");
            }
            Step::Barrier => *out += "  !$omp barrier\n",
            Step::Opaque => *out += "  v = fuzz_value(1_8)\n",
            Step::Single(nowait) => {
                *out += "  !$omp single\n  !$omp atomic\n  side = side + 1\n  !$omp end single";
                *out += if *nowait { " nowait\n" } else { "\n" };
            }
            Step::Masked => {
                *out += "  !$omp master\n  masked_side = masked_side + 1\n  !$omp end master\n";
            }
            Step::Critical => {
                *out += "  !$omp critical\n  critical_side = critical_side + 1\n  !$omp end critical\n";
            }
            Step::Atomic => *out += "  !$omp atomic\n  visits = visits + 1\n",
        }
    }

    fn the_loop(&mut self, l: &Loop, out: &mut String) {
        let (id, trip) = (l.id, l.mapping.trip);
        let _ = writeln!(self.shared, "  integer(8), save :: a{id}(0:{trip} - 1) = 0");
        for (is_there, name) in [(l.reduces, "red"), (l.last, "last")] {
            if is_there {
                let _ = writeln!(self.shared, "  integer(8), save :: {name}{id} = 0");
            }
        }
        let count = match l.is_variable {
            true => {
                let _ = writeln!(self.shared, "  integer(4) :: n{id}v = {trip}");
                format!("n{id}v")
            }
            false => trip.to_string(),
        };
        if let Schedule::ByHand(chunk) = l.mapping.schedule {
            let _ = writeln!(
                out,
                "  do b = omp_get_thread_num() * {chunk}, {count} - 1, omp_get_num_threads() * {chunk}\n  \
                 do i = b, min(b + {chunk}, {count}) - 1"
            );
            self.body(l, out);
            *out += "  end do\n  end do\n";
            return;
        }
        if let Some(carried) = l.carries {
            *out += &carried.beginning_fortran(id);
        }
        let _ = write!(out, "  !$omp do{}", l.clauses());
        let _ = match l.form {
            0 | 1 => writeln!(out, "\n  do i = 0, {count} - 1"),
            2 => writeln!(out, "\n  do j = 5, {count} + 4\n  i = j - 5"),
            _ => writeln!(out, "\n  do j = 2 * ({count} - 1), 0, -2\n  i = ({count} - 1) - j / 2"),
        };
        self.body(l, out);
        let _ = writeln!(out, "  end do\n  !$omp end do{}", if l.nowait { " nowait" } else { "" });
    }

    fn body(&self, l: &Loop, out: &mut String) {
        let id = l.id;
        let _ = write!(out, "  v = mod(a{id}(i) * 3 + {id} + i");
        for read in &l.reads {
            let term = match read {
                Read::Near(from) => format!("a{from}(i) * 5"),
                Read::Far(from) => {
                    format!("a{from}(mod(i * 7 + 3, {}))", trip_of(self.program, *from))
                }
                Read::Own(from) => format!("{} * 7", self.own_element(*from)),
                Read::Sum => "sum".to_owned(),
            };
            let _ = write!(out, " &\n    + {term}");
        }
        *out += ", 1000003_8)\n";
        if let Some(iteration) = l.slow {
            let _ = writeln!(
                out,
                "  if (i == {iteration}) then\n  do k = 1, slow\n  v = mod(v * 31 + 7, 1000003_8)\n  end do\n  end if"
            );
        }
        if let Some(carried) = l.carries {
            *out += &carried.statements_fortran(id);
        }
        let _ = writeln!(out, "  a{id}(i) = v");
        let stores = [
            (l.keeps, format!("{} = v", self.own_element(id))),
            (l.adds, "sum = sum + v".to_owned()),
            (l.reduces, format!("red{id} = red{id} + v")),
            (l.last, format!("last{id} = v")),
        ];
        for (_, text) in stores.iter().filter(|(is_there, _)| *is_there) {
            let _ = writeln!(out, "  {text}");
        }
    }

    fn own_element(&self, id: Id) -> String {
        match self.own {
            Some(Own::Number) => format!("own{id}(i, omp_get_thread_num())"),
            Some(Own::Row(_)) => format!("own{id}(i, me)"),
            _ => format!("own{id}(i)"),
        }
    }
}
