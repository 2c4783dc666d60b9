//! A program as Fortran, of the constructs that both languages have. All variables are those of the
//! one subroutine; functions of their own become internal procedures, which share them.

use std::fmt::Write;

use super::ast::*;

const PROLOGUE: &str = "\
! Run with the environment that the report names; support.c has main.
subroutine fuzz_main() bind(c, name='fuzz_main')
  implicit none
  interface
    function fuzz_value(value) bind(c, name='fuzz_value')
      integer(8), value :: value
      integer(8) :: fuzz_value
    end function
    subroutine fuzz_tell(number, at, trip, value) bind(c, name='fuzz_tell')
      integer(4), value :: number
      integer(8), value :: at, trip, value
    end subroutine
    subroutine fuzz_any(number, at, trip, value) bind(c, name='fuzz_any')
      integer(4), value :: number
      integer(8), value :: at, trip, value
    end subroutine
    subroutine fuzz_step(number, at, trip, value) bind(c, name='fuzz_step')
      integer(4), value :: number
      integer(8), value :: at, trip, value
    end subroutine
    subroutine fuzz_print(number, value) bind(c, name='fuzz_print')
      integer(4), value :: number
      integer(8), value :: value
    end subroutine
  end interface
  integer(8) :: ignored
";

pub fn print(program: &Program) -> String {
    let mut printer = Printer::default();
    let mut body = String::new();
    for node in &program.nodes {
        printer.node(node, &mut body);
        body += &std::mem::take(&mut printer.after);
    }
    let procedures = match printer.procedures.is_empty() {
        true => String::new(),
        false => format!("contains\n{}", printer.procedures),
    };
    format!(
        "{PROLOGUE}{}{}  ignored = 0\n{body}{procedures}end subroutine\n",
        printer.declarations, printer.assignments
    )
}

#[derive(Default)]
struct Printer {
    declarations: String,
    assignments: String,
    procedures: String,
    after: String,
}

impl Printer {
    fn node(&mut self, node: &Node, out: &mut String) {
        match node {
            Node::Combined(region, l) => self.the_loop("parallel do", &clauses(region), l, out),
            Node::Parallel(region, items) => {
                let _ = writeln!(out, "  !$omp parallel{}", clauses(region));
                self.items(items, "n", out);
                *out += "  !$omp end parallel\n";
            }
            Node::Teams(teams) => self.teams(teams, out),
            Node::Serial(l) => self.orphan(l, out),
        }
    }

    fn items(&mut self, items: &[Item], counter: &str, out: &mut String) {
        for item in items {
            match item {
                Item::Loop(l) if l.orphaned => self.orphan(l, out),
                Item::Loop(l) => self.the_loop("do", "", l, out),
                Item::Repeat(times, items) => {
                    // Counters of sequential loops in a region are private by themselves.
                    let name = format!("{counter}{}", self.declarations.len());
                    let _ = writeln!(self.declarations, "  integer(4) :: {name}");
                    let _ = writeln!(out, "  do {name} = 1, {times}");
                    self.items(items, &name, out);
                    *out += "  end do\n";
                }
                Item::Barrier => *out += "  !$omp barrier\n",
                Item::Single => *out += "  !$omp single\n  ignored = 1\n  !$omp end single\n",
                Item::Sections(count) => {
                    *out += "  !$omp sections\n";
                    for _ in 0..*count {
                        *out += "  !$omp section\n  call fuzz_empty()\n";
                    }
                    *out += "  !$omp end sections\n";
                    if !self.procedures.contains("fuzz_empty") {
                        self.procedures += "  subroutine fuzz_empty()\n  end subroutine\n";
                    }
                }
            }
        }
    }

    fn orphan(&mut self, l: &Loop, out: &mut String) {
        let mut body = String::new();
        self.the_loop("do", "", l, &mut body);
        let id = l.id;
        let _ = write!(self.procedures, "  subroutine orphan{id}()\n{}{body}  end subroutine\n", variables(l));
        let _ = writeln!(out, "  call orphan{id}()");
    }

    fn teams(&mut self, teams: &Teams, out: &mut String) {
        let mut clauses = String::new();
        match teams.schedule {
            None => {}
            Some(None) => clauses += " dist_schedule(static)",
            Some(Some(chunk)) => {
                let chunk = self.number(chunk, 4, &format!("d{}", teams.body.id));
                let _ = write!(clauses, " dist_schedule(static, {chunk})");
            }
        }
        let count = format!(" num_teams({})", teams.teams);
        if teams.split {
            let _ = writeln!(out, "  !$omp teams{count}");
            self.the_loop("distribute", &clauses, &teams.body, out);
            *out += "  !$omp end teams\n";
        } else {
            self.the_loop("teams distribute", &(clauses + &count), &teams.body, out);
        }
    }

    fn the_loop(&mut self, construct: &str, clauses: &str, l: &Loop, out: &mut String) {
        let construct = match l.simd {
            Some(_) => format!("{construct} simd"),
            None => construct.to_owned(),
        };
        let more = self.directive(l);
        let _ = writeln!(out, "  !$omp {construct}{clauses}{more}");
        if !l.orphaned {
            self.declarations += &variables(l);
        }
        for (number, dim) in l.dims.iter().enumerate() {
            let i = l.variable(number);
            let bytes = dim.kind.bits / 8;
            let start = self.number(dim.start, bytes, &format!("start_{i}"));
            let limit = self.number(dim.limit, bytes, &format!("limit_{i}"));
            let step = self.number(dim.step, bytes, &format!("step_{i}"));
            let _ = writeln!(out, "  do {i} = {start}, {limit}, {step}");
        }
        self.body(l, out);
        for _ in &l.dims {
            *out += "  end do\n";
        }
        let nowait = if l.nowait { " nowait" } else { "" };
        let _ = writeln!(out, "  !$omp end {construct}{nowait}");
        let id = l.id;
        if l.reduction.is_some() {
            let _ = writeln!(self.after, "  call fuzz_print({id}_4, r{id})");
        }
        if l.lastprivate && l.trip() > 0 {
            let _ = writeln!(self.after, "  call fuzz_print({id}_4, l{id})");
        }
    }

    fn directive(&mut self, l: &Loop) -> String {
        let id = l.id;
        let mut text = l.order(|chunk| self.number(chunk, 4, &format!("c{id}")));
        let mut variable = |on: bool, clause: &str, letter: char, value: i64| {
            if on {
                let _ = write!(text, " {clause}{letter}{id})");
                let _ = writeln!(self.declarations, "  integer(8) :: {letter}{id}");
                let _ = writeln!(self.assignments, "  {letter}{id} = {value}_8");
            }
        };
        let operator = operator(l.reduction.unwrap_or_default());
        variable(l.reduction.is_some(), &format!("reduction({operator}: "), 'r', 0);
        variable(l.private, "private(", 'p', 0);
        variable(l.firstprivate, "firstprivate(", 'f', 1234);
        variable(l.lastprivate, "lastprivate(", 'l', 0);
        text
    }

    fn body(&mut self, l: &Loop, out: &mut String) {
        let (id, trip) = (l.id, l.trip());
        let (mut index, mut value) = (String::new(), String::new());
        for (number, dim) in l.dims.iter().enumerate() {
            let i = format!("int({}, 8)", l.variable(number));
            let (start, step) = (literal(dim.start.value, 8), literal(dim.step.value, 8));
            let at = format!("({i} - {start}) / {step}");
            index = match number {
                0 => at,
                _ => format!("({index}) * {}_8 + {at}", dim.trip),
            };
            value = match number {
                0 => i,
                _ => format!("ieor({value}, {i})"),
            };
        }
        if l.private {
            let _ = writeln!(out, "  p{id} = {value}");
            value = format!("p{id}");
        }
        let exact = match l.firstprivate {
            true => format!("{value} + (f{id} - 1234_8)"),
            false => value.clone(),
        };
        let _ = writeln!(out, "  call {}({id}_4, &\n    {index}, &\n    {trip}_8, &\n    {exact})", l.call());
        match l.reduction {
            Some("+") => {
                let _ = writeln!(out, "  r{id} = r{id} + &\n    {value}");
            }
            Some(name) => {
                let _ = writeln!(out, "  r{id} = {}(r{id}, &\n    {value})", operator(name));
            }
            None => {}
        }
        if l.lastprivate {
            let _ = writeln!(out, "  l{id} = {value}");
        }
        if let Some(inner) = &l.inner {
            self.the_loop("parallel do", &clauses(&inner.0), &inner.1, out);
        }
        if let Some(at) = l.cancel {
            let _ = writeln!(out, "  if ({index} == {at}_8) then\n  !$omp cancel do\n  end if");
        }
    }

    fn number(&mut self, number: Number, bytes: u32, name: &str) -> String {
        let text = literal(number.value, bytes);
        if number.source == Source::Literal {
            return text;
        }
        let _ = writeln!(self.declarations, "  integer({bytes}) :: {name}");
        let value = literal(number.value, 8);
        let _ = writeln!(self.assignments, "  {name} = int(fuzz_value({value}), {bytes})");
        name.to_owned()
    }
}

fn variables(l: &Loop) -> String {
    let declare = |(number, dim): (usize, &Dim)| format!("  {} :: {}\n", dim.kind.name, l.variable(number));
    l.dims.iter().enumerate().map(declare).collect()
}

fn operator(name: &str) -> &str {
    if name == "^" { "ieor" } else { name }
}

fn clauses(region: &Region) -> String {
    let mut text = String::new();
    if let Some(threads) = region.threads {
        let _ = write!(text, " num_threads({threads})");
    }
    if let Some(condition) = region.condition {
        let _ = write!(text, " if(fuzz_value({}_8) == 1_8)", u8::from(condition));
    }
    text
}

fn literal(value: i128, bytes: u32) -> String {
    let least = -(1_i128 << (8 * bytes - 1));
    match value {
        // A literal has no sign of its own.
        _ if value == least => format!("(-{}_{bytes} - 1_{bytes})", -(least + 1)),
        _ if value < 0 => format!("(-{}_{bytes})", -value),
        _ => format!("{value}_{bytes}"),
    }
}
