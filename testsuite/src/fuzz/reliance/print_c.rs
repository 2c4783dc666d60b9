//! A program as C. It includes nothing: headers would take most of the time of a compile.

use std::fmt::Write;

use super::ast::*;
use super::carry::KNOWN_C;

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
    let mut printer = Printer {
        program,
        region: 0,
        own: None,
        is_called: false,
        globals: String::new(),
        functions: String::new(),
        depth: 1,
    };
    let mut body = String::new();
    for (number, region) in program.regions.iter().enumerate() {
        printer.region = number;
        printer.region(region, &mut body);
    }
    for l in program.loops() {
        let (id, trip) = (l.id, l.mapping.trip);
        let _ = writeln!(body, "  fuzz_array({id}, a{id}, {trip});");
        if has_tasks(l) {
            let _ = writeln!(body, "  fuzz_array({id}, t{id}, {trip});");
        }
        for (is_there, name) in [(l.reduces, "red"), (l.last, "last")] {
            if is_there {
                let _ = writeln!(body, "  fuzz_print({id}, (long){name}{id});");
            }
        }
    }
    format!(
        "{PROLOGUE}{KNOWN_C}{}\n{}void fuzz_main(void) {{\n{body}  fuzz_print(98, side);\n  fuzz_print(99, total);\n}}\n",
        printer.globals, printer.functions
    )
}

struct Printer<'a> {
    program: &'a Program,
    region: usize,
    own: Option<Own>,
    /// Inside of a function that the region calls.
    is_called: bool,
    globals: String,
    functions: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&self, out: &mut String, text: impl AsRef<str>) {
        let _ = writeln!(out, "{:width$}{}", "", text.as_ref(), width = 2 * self.depth);
    }

    fn pragma(&self, out: &mut String, text: impl AsRef<str>) {
        let _ = writeln!(out, "#pragma omp {}", text.as_ref());
    }

    fn region(&mut self, region: &Region, out: &mut String) {
        self.own = region.own;
        let mut text = String::new();
        let counter = format!("for (executed = 0; executed < {}; executed++) {{", region.times);
        self.line(&mut text, counter);
        self.depth += 1;
        self.line(&mut text, "taken = 0;");
        self.pragma(&mut text, "parallel");
        self.line(&mut text, "{");
        self.depth += 1;
        let mut loops = Vec::new();
        collect(&region.steps, &mut loops);
        self.begin(&loops, &mut text);
        self.steps(&region.steps, &mut text);
        self.end(&loops, &mut text);
        self.depth -= 1;
        self.line(&mut text, "}");
        self.depth -= 1;
        self.line(&mut text, "}");
        if region.is_apart {
            let name = format!("region{}", self.region);
            let _ = write!(self.functions, "__attribute__((noinline)) static void {name}(void) {{\n{text}}}\n\n");
            text = format!("  {name}();\n");
        }
        *out += &text;
    }

    /// Memory of each thread's own.
    fn begin(&mut self, loops: &[&Loop], out: &mut String) {
        if loops.iter().any(|l| uses_sum(l)) {
            self.line(out, "unsigned long sum = 0;");
        }
        let keeping: Vec<_> = loops.iter().filter(|l| l.keeps).collect();
        if let (Some(Own::Row(ticket)), false) = (self.own, keeping.is_empty()) {
            self.ticket(ticket, out);
        }
        for l in keeping {
            let (id, trip, rows) = (l.id, l.mapping.trip, self.program.threads);
            match self.own {
                Some(Own::Local) => self.line(out, format!("unsigned long own{id}[{trip}];")),
                Some(Own::Heap) => {
                    let text = format!("unsigned long *own{id} = malloc({trip} * sizeof *own{id});");
                    self.line(out, text);
                }
                own => {
                    let text = match own {
                        Some(Own::ThreadPrivate) => {
                            format!("static unsigned long own{id}[{trip}];\n#pragma omp threadprivate(own{id})\n")
                        }
                        Some(Own::ThreadLocal) => {
                            format!("static _Thread_local unsigned long own{id}[{trip}];\n")
                        }
                        _ => format!("static unsigned long own{id}[{rows}][{trip}];\n"),
                    };
                    self.globals += &text;
                }
            }
        }
    }

    /// A number for the thread. Where several threads have one, they write different elements all the same.
    fn ticket(&mut self, ticket: Ticket, out: &mut String) {
        let first = match ticket {
            Ticket::Function => "take()",
            Ticket::Single | Ticket::Masked => "1 % omp_get_num_threads()",
            _ => "0",
        };
        self.line(out, format!("int me = {first};"));
        match ticket {
            Ticket::Function if self.functions.contains("int take(") => {}
            Ticket::Function => {
                self.functions += "static int take(void) {\n  int me;\n#pragma omp atomic capture\n  me = taken++;\n  return me;\n}\n\n";
            }
            Ticket::Atomic | Ticket::Critical => {
                let directive = match ticket {
                    Ticket::Atomic => "atomic capture",
                    _ => "critical",
                };
                self.pragma(out, directive);
                self.line(out, "me = taken++;");
            }
            Ticket::Single | Ticket::Masked => {
                let directive = match ticket {
                    Ticket::Single => "single nowait",
                    _ => "master",
                };
                self.pragma(out, directive);
                self.line(out, "me = 0;");
            }
            Ticket::Dealt => {
                self.pragma(out, "for schedule(dynamic, 1) nowait");
                self.line(out, "for (int i = 0; i < omp_get_num_threads(); i++) me = i;");
            }
            Ticket::Section => {
                self.pragma(out, "sections nowait");
                let text =
                    "{\n#pragma omp section\n  me = 0;\n#pragma omp section\n  me = omp_get_num_threads() - 1;\n}";
                self.line(out, text);
            }
        }
    }

    fn end(&mut self, loops: &[&Loop], out: &mut String) {
        if loops.iter().any(|l| l.adds) {
            self.pragma(out, "atomic");
            self.line(out, "total += sum;");
        }
        for l in loops {
            if l.keeps && self.own == Some(Own::Heap) {
                self.line(out, format!("free(own{});", l.id));
            }
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
                let counter = format!("turn{}", self.depth);
                let head = format!("for (int {counter} = 0; {counter} < {times}; {counter}++) {{");
                self.block(&head, steps, out);
            }
            Step::Sometimes(nth, steps) => {
                self.block(&format!("if (executed % {nth} == 0) {{"), steps, out);
            }
            Step::Call(linkage, number, steps) => self.call(*linkage, *number, steps, out),
            Step::Barrier => self.pragma(out, "barrier"),
            Step::Opaque => self.line(out, "fuzz_value(1);"),
            Step::Single(nowait) => {
                self.pragma(out, if *nowait { "single nowait" } else { "single" });
                self.line(out, "{");
                self.pragma(out, "atomic");
                self.line(out, "side++;");
                self.line(out, "}");
            }
            Step::Atomic => {
                self.pragma(out, "atomic");
                self.line(out, "visits++;");
            }
            // Nobody else may touch what they touch.
            Step::Masked | Step::Critical => {
                let (directive, name) = match step {
                    Step::Masked => ("master", "masked_side"),
                    _ => ("critical", "critical_side"),
                };
                if !self.globals.contains(name) {
                    let _ = writeln!(self.globals, "static long {name};");
                }
                self.pragma(out, directive);
                self.line(out, format!("{name}++;"));
            }
        }
    }

    fn block(&mut self, head: &str, steps: &[Step], out: &mut String) {
        self.line(out, head);
        self.depth += 1;
        self.steps(steps, out);
        self.depth -= 1;
        self.line(out, "}");
    }

    fn call(&mut self, linkage: Linkage, number: Id, steps: &[Step], out: &mut String) {
        let linkage = match linkage {
            Linkage::Static => "static",
            Linkage::Extern => "extern",
            Linkage::Inline => "static inline",
        };
        let (depth, is_called) = (self.depth, self.is_called);
        (self.depth, self.is_called) = (1, true);
        let mut body = String::new();
        self.steps(steps, &mut body);
        (self.depth, self.is_called) = (depth, is_called);
        let _ = write!(self.functions, "{linkage} void called{number}(void) {{\n{body}}}\n\n");
        self.line(out, format!("called{number}();"));
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
        let schedule = match l.mapping.schedule {
            Schedule::Static(None) if l.form == 1 => String::new(),
            Schedule::Static(None) => " schedule(static)".to_owned(),
            Schedule::Static(Some(chunk)) => format!(" schedule(static, {chunk})"),
            Schedule::Dealt(kind) => format!(" schedule({kind})"),
            Schedule::ByHand(chunk) => {
                let head = format!(
                    "for (int b = omp_get_thread_num() * {chunk}; b < {count}; b += omp_get_num_threads() * {chunk})"
                );
                self.line(out, head);
                let head = format!("for (int i = b; i < b + {chunk} && i < {count}; i++) {{");
                return self.body(&head, "", l, out);
            }
        };
        if let Some(text) = l.carries.and_then(|carried| carried.declaration_c(id)) {
            self.line(out, text);
        }
        let mut clauses = schedule;
        for (is_there, clause) in [(l.reduces, "reduction(+: red"), (l.last, "lastprivate(last")] {
            if is_there {
                let _ = write!(clauses, " {clause}{id})");
            }
        }
        self.pragma(out, format!("for{clauses}{}", if l.nowait { " nowait" } else { "" }));
        let (head, logical) = match l.form {
            0 | 1 => (format!("for (int i = 0; i < {count}; i++) {{"), String::new()),
            2 => (format!("for (long j = 5; j < 5 + {count}; j++) {{"), "int i = (int)j - 5;".to_owned()),
            _ => (
                format!("for (int j = 2 * ({count} - 1); j >= 0; j -= 2) {{"),
                format!("int i = ({count} - 1) - j / 2;"),
            ),
        };
        self.body(&head, &logical, l, out);
    }

    fn body(&mut self, head: &str, logical: &str, l: &Loop, out: &mut String) {
        let id = l.id;
        self.line(out, head);
        self.depth += 1;
        if !logical.is_empty() {
            self.line(out, logical);
        }
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
        self.line(out, format!("unsigned long v = ({sum}) % 1000003;"));
        if let Some(iteration) = l.slow {
            let text = format!("if (i == {iteration}) for (int k = 0; k < slow; k++) v = (v * 31 + 7) % 1000003;");
            self.line(out, text);
        }
        for text in l.carries.map_or(Vec::new(), |carried| carried.statements_c(id)) {
            self.line(out, text);
        }
        self.line(out, format!("a{id}[i] = v;"));
        let stores = [
            (l.keeps, format!("{} = v;", self.own_element(id))),
            (l.adds, "sum += v;".to_owned()),
            (l.reduces, format!("red{id} += v;")),
            (l.last, format!("last{id} = v;")),
        ];
        for (is_there, text) in stores {
            if is_there {
                self.line(out, text);
            }
        }
        self.depth -= 1;
        self.line(out, "}");
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

/// Iterations of a loop.
pub fn trip_of(program: &Program, id: Id) -> u32 {
    let loops = program.loops();
    loops.iter().find(|l| l.id == id).map_or(1, |l| l.mapping.trip)
}
