//! A program as C. It includes nothing: headers would take most of the time of a compile.

use std::fmt::Write;

use super::ast::*;
use super::carry::KNOWN_C;
use crate::fuzz::print_c::indented;

const PROLOGUE: &str = "\
/* Run with the environment that the report names; support.c has main. */
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void *malloc(unsigned long);
void free(void *);
long fuzz_value(long);
void fuzz_print(unsigned, long);
void fuzz_array(unsigned, const unsigned long *, unsigned long);
void fuzz_carry(unsigned long *, unsigned long, unsigned long);
/* What takes long: a thread that is this far behind shows who did not wait for it. */
int slow = 30000;
int taken, executed;
long side, visits, total;
";

pub fn print(program: &Program) -> String {
    let mut printer =
        Printer { program, region: 0, own: None, is_called: false, globals: String::new(), functions: String::new() };
    let mut body = String::new();
    for (number, region) in program.regions.iter().enumerate() {
        printer.region = number;
        printer.region(region, &mut body);
    }
    for l in program.loops() {
        let (id, trip) = (l.id, l.mapping.trip);
        let _ = writeln!(body, "fuzz_array({id}, a{id}, {trip});");
        if has_tasks(l) {
            let _ = writeln!(body, "fuzz_array({id}, t{id}, {trip});");
        }
        for (is_there, name) in [(l.reduces, "red"), (l.last, "last")] {
            if is_there {
                let _ = writeln!(body, "fuzz_print({id}, (long){name}{id});");
            }
        }
    }
    let Printer { globals, functions, .. } = printer;
    body += "fuzz_print(98, side);\nfuzz_print(99, total);\n";
    format!("{PROLOGUE}{KNOWN_C}") + &indented(&format!("{globals}\n{functions}void fuzz_main(void) {{\n{body}}}\n"))
}

struct Printer<'a> {
    program: &'a Program,
    region: usize,
    own: Option<Own>,
    /// Inside of a function that the region calls.
    is_called: bool,
    globals: String,
    functions: String,
}

impl Printer<'_> {
    fn region(&mut self, region: &Region, out: &mut String) {
        self.own = region.own;
        let (times, mut body, mut loops) = (region.times, String::new(), Vec::new());
        collect(&region.steps, &mut loops);
        self.begin(&loops, &mut body);
        self.steps(&region.steps, &mut body);
        self.end(&loops, &mut body);
        let mut text = format!(
            "for (executed = 0; executed < {times}; executed++) {{\ntaken = 0;\n#pragma omp parallel\n{{\n{body}}}\n}}\n"
        );
        if region.is_apart {
            let name = format!("region{}", self.region);
            let _ = write!(self.functions, "__attribute__((noinline)) static void {name}(void) {{\n{text}}}\n\n");
            text = format!("{name}();\n");
        }
        *out += &text;
    }

    /// Memory of each thread's own.
    fn begin(&mut self, loops: &[&Loop], out: &mut String) {
        if loops.iter().any(|l| uses_sum(l)) {
            *out += "unsigned long sum = 0;\n";
        }
        let keeping: Vec<_> = loops.iter().filter(|l| l.keeps).collect();
        if let (Some(Own::Row(ticket)), false) = (self.own, keeping.is_empty()) {
            self.ticket(ticket, out);
        }
        for l in keeping {
            let (id, trip, rows) = (l.id, l.mapping.trip, self.program.threads);
            let _ = match self.own {
                Some(Own::Local) => writeln!(out, "unsigned long own{id}[{trip}];"),
                Some(Own::Heap) => writeln!(out, "unsigned long *own{id} = malloc({trip} * sizeof *own{id});"),
                Some(Own::ThreadPrivate) => {
                    writeln!(self.globals, "static unsigned long own{id}[{trip}];\n#pragma omp threadprivate(own{id})")
                }
                Some(Own::ThreadLocal) => {
                    writeln!(self.globals, "static _Thread_local unsigned long own{id}[{trip}];")
                }
                _ => writeln!(self.globals, "static unsigned long own{id}[{rows}][{trip}];"),
            };
        }
    }

    /// A number for the thread. Where several threads have one, they write different elements all the same.
    fn ticket(&mut self, ticket: Ticket, out: &mut String) {
        if ticket == Ticket::Function && !self.functions.contains("int take(") {
            self.functions +=
                "static int take(void) {\nint me;\n#pragma omp atomic capture\nme = taken++;\nreturn me;\n}\n\n";
        }
        *out += match ticket {
            Ticket::Function => "int me = take();\n",
            Ticket::Atomic => "int me = 0;\n#pragma omp atomic capture\nme = taken++;\n",
            Ticket::Critical => "int me = 0;\n#pragma omp critical\nme = taken++;\n",
            Ticket::Single => "int me = 1 % omp_get_num_threads();\n#pragma omp single nowait\nme = 0;\n",
            Ticket::Masked => "int me = 1 % omp_get_num_threads();\n#pragma omp master\nme = 0;\n",
            Ticket::Dealt => {
                "int me = 0;\n#pragma omp for schedule(dynamic, 1) nowait\n\
                 for (int i = 0; i < omp_get_num_threads(); i++) me = i;\n"
            }
            Ticket::Section => {
                "int me = 0;\n#pragma omp sections nowait\n{\n#pragma omp section\nme = 0;\n#pragma omp section\n\
                 me = omp_get_num_threads() - 1;\n}\n"
            }
        };
    }

    fn end(&mut self, loops: &[&Loop], out: &mut String) {
        if loops.iter().any(|l| l.adds) {
            *out += "#pragma omp atomic\ntotal += sum;\n";
        }
        for l in loops.iter().filter(|l| l.keeps && self.own == Some(Own::Heap)) {
            let _ = writeln!(out, "free(own{});", l.id);
        }
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
                self.block(&format!("for (int turn = 0; turn < {times}; turn++)"), steps, out);
            }
            Step::Sometimes(nth, steps) => self.block(&format!("if (executed % {nth} == 0)"), steps, out),
            Step::Call(linkage, number, steps) => self.call(*linkage, *number, steps, out),
            Step::Barrier => *out += "#pragma omp barrier\n",
            Step::Opaque => *out += "fuzz_value(1);\n",
            Step::Single(nowait) => {
                let nowait = if *nowait { " nowait" } else { "" };
                let _ = writeln!(out, "#pragma omp single{nowait}\n{{\n#pragma omp atomic\nside++;\n}}");
            }
            Step::Atomic => *out += "#pragma omp atomic\nvisits++;\n",
            // Nobody else may touch what they touch.
            Step::Masked | Step::Critical => {
                let (directive, name) = match step {
                    Step::Masked => ("master", "masked_side"),
                    _ => ("critical", "critical_side"),
                };
                if !self.globals.contains(name) {
                    let _ = writeln!(self.globals, "static long {name};");
                }
                let _ = writeln!(out, "#pragma omp {directive}\n{name}++;");
            }
        }
    }

    fn block(&mut self, head: &str, steps: &[Step], out: &mut String) {
        let _ = writeln!(out, "{head} {{");
        self.steps(steps, out);
        *out += "}\n";
    }

    fn call(&mut self, linkage: Linkage, number: Id, steps: &[Step], out: &mut String) {
        let linkage = match linkage {
            Linkage::Static => "static",
            Linkage::Extern => "extern",
            Linkage::Inline => "static inline",
        };
        let is_called = std::mem::replace(&mut self.is_called, true);
        let mut body = String::new();
        self.steps(steps, &mut body);
        self.is_called = is_called;
        let _ = write!(self.functions, "{linkage} void called{number}(void) {{\n{body}}}\n\n");
        let _ = writeln!(out, "called{number}();");
    }

    fn the_loop(&mut self, l: &Loop, out: &mut String) {
        let (id, trip) = (l.id, l.mapping.trip);
        let _ = writeln!(self.globals, "static unsigned long a{id}[{trip}];");
        if has_tasks(l) {
            let _ = writeln!(self.globals, "static unsigned long t{id}[{trip}];");
        }
        for (is_there, name) in [(l.reduces, "red"), (l.last, "last")] {
            if is_there {
                let _ = writeln!(self.globals, "unsigned long {name}{id};");
            }
        }
        let count = match l.is_variable {
            true => {
                let _ = writeln!(self.globals, "int n{id} = {trip};");
                format!("n{id}")
            }
            false => trip.to_string(),
        };
        if let Schedule::ByHand(chunk) = l.mapping.schedule {
            let _ = writeln!(
                out,
                "for (int b = omp_get_thread_num() * {chunk}; b < {count}; b += omp_get_num_threads() * {chunk})\n\
                 for (int i = b; i < b + {chunk} && i < {count}; i++) {{"
            );
            return self.body(l, out);
        }
        if let Some(text) = l.carries.and_then(|carried| carried.declaration_c(id)) {
            let _ = writeln!(out, "{text}");
        }
        let nowait = if l.nowait { " nowait" } else { "" };
        let _ = writeln!(out, "#pragma omp for{}{nowait}", l.clauses());
        let _ = match l.form {
            0 | 1 => writeln!(out, "for (int i = 0; i < {count}; i++) {{"),
            2 => writeln!(out, "for (long j = 5; j < 5 + {count}; j++) {{\nint i = (int)j - 5;"),
            _ => writeln!(out, "for (int j = 2 * ({count} - 1); j >= 0; j -= 2) {{\nint i = ({count} - 1) - j / 2;"),
        };
        self.body(l, out);
    }

    /// What an iteration does, to the loop's last brace.
    fn body(&mut self, l: &Loop, out: &mut String) {
        let id = l.id;
        let mut sum = format!("a{id}[i] * 3 + {id} + i");
        for read in &l.reads {
            let term = match read {
                Read::Near(from) => format!("a{from}[i] * 5"),
                Read::Far(from) => {
                    let trip = trip_of(self.program, *from);
                    format!("a{from}[(i * 7 + 3) % {trip}]")
                }
                Read::Own(from) => format!("{} * 7", self.own_element(*from)),
                Read::Sum => "sum".to_owned(),
            };
            let _ = write!(sum, " + {term}");
        }
        let _ = writeln!(out, "unsigned long v = ({sum}) % 1000003;");
        if let Some(iteration) = l.slow {
            let _ = writeln!(out, "if (i == {iteration}) for (int k = 0; k < slow; k++) v = (v * 31 + 7) % 1000003;");
        }
        for text in l.carries.map_or(Vec::new(), |carried| carried.statements_c(id)) {
            let _ = writeln!(out, "{text}");
        }
        let _ = writeln!(out, "a{id}[i] = v;");
        let stores = [
            (l.keeps, format!("{} = v;", self.own_element(id))),
            (l.adds, "sum += v;".to_owned()),
            (l.reduces, format!("red{id} += v;")),
            (l.last, format!("last{id} = v;")),
        ];
        for (_, text) in stores.iter().filter(|(is_there, _)| *is_there) {
            let _ = writeln!(out, "{text}");
        }
        *out += "}\n";
    }

    fn own_element(&self, id: Id) -> String {
        match self.own {
            Some(Own::Number) => format!("own{id}[omp_get_thread_num()][i]"),
            Some(Own::Row(_)) => format!("own{id}[me][i]"),
            _ => format!("own{id}[i]"),
        }
    }
}

/// It adds to its thread's sum, or reads it.
pub fn uses_sum(l: &Loop) -> bool {
    l.adds || l.reads.contains(&Read::Sum)
}

fn has_tasks(l: &Loop) -> bool {
    l.carries.is_some_and(|carried| carried.by == Carry::Tasks)
}

pub fn trip_of(program: &Program, id: Id) -> u32 {
    let loops = program.loops();
    loops.iter().find(|l| l.id == id).map_or(1, |l| l.mapping.trip)
}
