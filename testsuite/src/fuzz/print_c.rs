//! A program as C. It includes nothing: headers would take most of the time of a compile.

use std::fmt::Write;

use super::ast::*;

/// What firstprivate variables hold, so that what bodies compute from them is known.
const FIRST: i64 = 1234;

const PROLOGUE: &str = "\
/* Run with the environment that the report names; support.c has main. */
long fuzz_value(long);
void fuzz_tell(unsigned, unsigned long, unsigned long, unsigned long);
void fuzz_any(unsigned, unsigned long, unsigned long, unsigned long);
void fuzz_step(unsigned, unsigned long, unsigned long, unsigned long);
void fuzz_print(unsigned, long);
void fuzz_array(unsigned, const unsigned long *, unsigned long);
#define UP(i, start, step) (((unsigned long)(i) - (unsigned long)(start)) / (step))
#define DOWN(i, start, step) (((unsigned long)(start) - (unsigned long)(i)) / (step))

";

pub fn print(program: &Program) -> String {
    let mut printer = Printer {
        program,
        globals: String::new(),
        locals: String::new(),
        functions: String::new(),
        after: String::new(),
    };
    let mut body = String::new();
    for node in &program.nodes {
        printer.node(node, &mut body);
        body += &std::mem::take(&mut printer.after);
    }
    let Printer { globals, functions, locals, .. } = printer;
    indented(&format!("{PROLOGUE}{globals}\n{functions}void fuzz_main(void) {{\n{locals}{body}}}\n"))
}

/// Each line as far in as the braces around it say, and directives at the beginning.
pub fn indented(text: &str) -> String {
    let (mut depth, mut indented) = (0, String::new());
    for line in text.lines() {
        let ends = usize::from(line.starts_with('}'));
        depth -= ends;
        let width = if line.starts_with('#') { 0 } else { 2 * depth };
        let _ = writeln!(indented, "{:width$}{line}", "");
        depth = depth + line.matches('{').count() + ends - line.matches('}').count();
    }
    indented
}

struct Printer<'a> {
    program: &'a Program,
    globals: String,
    locals: String,
    functions: String,
    /// What follows the current statement: reports of results.
    after: String,
}

impl Printer<'_> {
    fn node(&mut self, node: &Node, out: &mut String) {
        match node {
            Node::Combined(region, l) => {
                let construct = format!("parallel for{}", clauses(region));
                self.the_loop(&construct, l, false, out);
            }
            Node::Parallel(region, items) => {
                let _ = writeln!(out, "#pragma omp parallel{}\n{{", clauses(region));
                self.items(items, out);
                *out += "}\n";
            }
            Node::Teams(teams) => self.teams(teams, out),
            Node::Serial(l) => self.the_loop("for", l, true, out),
        }
    }

    fn items(&mut self, items: &[Item], out: &mut String) {
        for item in items {
            match item {
                Item::Loop(l) => self.the_loop("for", l, l.orphaned, out),
                Item::Repeat(times, items) => {
                    let _ = writeln!(out, "for (int n = 0; n < {times}; n++) {{");
                    self.items(items, out);
                    *out += "}\n";
                }
                Item::Barrier => *out += "#pragma omp barrier\n",
                Item::Single => *out += "#pragma omp single\nfuzz_value(1);\n",
                Item::Sections(count) => {
                    let sections = "#pragma omp section\nfuzz_value(1);\n".repeat(*count as usize);
                    let _ = writeln!(out, "#pragma omp sections\n{{\n{sections}}}");
                }
            }
        }
    }

    fn teams(&mut self, teams: &Teams, out: &mut String) {
        let mut distribute = String::from("distribute");
        if let Some(threads) = &teams.parallel {
            distribute += " parallel for";
            if let Some(threads) = threads {
                let _ = write!(distribute, " num_threads({threads})");
            }
        }
        match teams.schedule {
            None => {}
            Some(None) => distribute += " dist_schedule(static)",
            Some(Some(chunk)) => {
                let name = format!("d{}", teams.body.id);
                let chunk = self.number(chunk, INT, &name, false);
                let _ = write!(distribute, " dist_schedule(static, {chunk})");
            }
        }
        let count = format!("num_teams({})", teams.teams);
        if teams.split {
            let _ = writeln!(out, "#pragma omp teams {count}");
            self.the_loop(&distribute, &teams.body, false, out);
        } else {
            self.the_loop(&format!("teams {distribute} {count}"), &teams.body, false, out);
        }
    }

    /// The loop, or a call of the function that has it.
    fn the_loop(&mut self, construct: &str, l: &Loop, orphaned: bool, out: &mut String) {
        if !orphaned {
            return self.place(construct, l, false, out);
        }
        let id = l.id;
        let mut function = String::new();
        self.place(construct, l, true, &mut function);
        let head = format!("__attribute__((noinline)) static void orphan{id}(void)");
        let _ = writeln!(self.functions, "{head} {{\n{function}}}\n");
        let _ = writeln!(out, "orphan{id}();");
    }

    fn place(&mut self, construct: &str, l: &Loop, orphaned: bool, out: &mut String) {
        let _ = writeln!(out, "#pragma omp {}", self.directive(construct, l, orphaned));
        for (number, dim) in l.dims.iter().enumerate() {
            let end = if number + 1 == l.dims.len() { " {" } else { "" };
            let _ = writeln!(out, "{}{end}", self.head(l, number, dim, orphaned));
        }
        self.body(l, orphaned, out);
        *out += "}\n";
        self.results(l);
    }

    fn directive(&mut self, construct: &str, l: &Loop, orphaned: bool) -> String {
        let id = l.id;
        let mut text = construct.to_owned();
        if l.simd.is_some() {
            text = text.replacen("for", "for simd", 1);
        }
        if let Some(Some(condition)) = l.simd {
            let _ = write!(text, " if(simd: fuzz_value({}))", u8::from(condition));
        }
        text += &l.order(|chunk| self.number(chunk, INT, &format!("c{id}"), orphaned));
        let mut variable = |on: bool, clause: &str, letter: char, value: i64| {
            if on {
                let _ = write!(text, " {clause}{letter}{id})");
                let _ = writeln!(self.globals, "unsigned long {letter}{id} = {value};");
            }
        };
        let reduction = format!("reduction({}: ", l.reduction.unwrap_or_default());
        variable(l.reduction.is_some(), &reduction, 'r', 0);
        variable(l.private, "private(", 'p', 0);
        variable(l.firstprivate, "firstprivate(", 'f', FIRST);
        variable(l.lastprivate, "lastprivate(", 'l', 0);
        if l.nowait {
            text += " nowait";
        }
        text
    }

    fn head(&mut self, l: &Loop, number: usize, dim: &Dim, orphaned: bool) -> String {
        let i = l.variable(number);
        let limit_type = match (dim.wide_limit, dim.kind.signed) {
            (false, _) => dim.kind,
            (true, true) => LONG,
            (true, false) => UNSIGNED_LONG,
        };
        let size = Number { value: dim.step.value.abs(), ..dim.step };
        let start = self.number(dim.start, dim.kind, &format!("start_{i}"), orphaned);
        let limit = self.number(dim.limit, limit_type, &format!("limit_{i}"), orphaned);
        let step = self.number(size, dim.kind, &format!("step_{i}"), orphaned);
        let sign = if dim.step.value > 0 { '+' } else { '-' };
        let advance = match (&*step, l.id % 3) {
            ("1", _) => format!("{i}{sign}{sign}"),
            (_, 0) => format!("{i} = {i} {sign} {step}"),
            _ => format!("{i} {sign}= {step}"),
        };
        format!("for ({} {i} = {start}; {i} {} {limit}; {advance})", dim.kind.name, dim.test)
    }

    fn body(&mut self, l: &Loop, orphaned: bool, out: &mut String) {
        let (id, trip) = (l.id, l.trip());
        let (mut index, mut value) = (String::new(), String::new());
        for (number, dim) in l.dims.iter().enumerate() {
            let i = l.variable(number);
            let way = if dim.step.value > 0 { "UP" } else { "DOWN" };
            let start = literal(dim.start.value, dim.kind);
            let at = format!("{way}({i}, {start}, {}ul)", dim.step.value.abs());
            index = match number {
                0 => at,
                _ => format!("({index}) * {} + {at}", dim.trip),
            };
            value = match number {
                0 => format!("(unsigned long){i}"),
                _ => format!("{value} ^ (unsigned long){i}"),
            };
        }
        if l.private {
            let _ = writeln!(out, "p{id} = {value};");
            value = format!("p{id}");
        }
        let exact = match l.firstprivate {
            true => format!("({value}) + (f{id} - {FIRST})"),
            false => value.clone(),
        };
        if self.program.unobserved {
            let _ = writeln!(self.globals, "unsigned long a{id}[{MOST_ITERATIONS}];");
            let _ = writeln!(out, "a{id}[{index}] += ({exact}) * 3;");
        } else {
            let _ = writeln!(out, "{}({id}, {index}, {trip}, {exact});", l.call());
        }
        let _ = match l.reduction {
            Some("max") => writeln!(out, "if (({value}) > r{id}) r{id} = {value};"),
            Some(operator) => writeln!(out, "r{id} = r{id} {operator} ({value});"),
            None => Ok(()),
        };
        if l.lastprivate {
            let _ = writeln!(out, "l{id} = {value};");
        }
        if let Some(inner) = &l.inner {
            let construct = format!("parallel for{}", clauses(&inner.0));
            self.place(&construct, &inner.1, orphaned, out);
        }
        if let Some(at) = l.cancel {
            let _ = writeln!(out, "if ({index} == {at}) {{\n#pragma omp cancel for\n}}");
        }
    }

    /// What the loop left in variables, printed after the statement.
    fn results(&mut self, l: &Loop) {
        let id = l.id;
        let mut report = |on: bool, text: String| {
            if on {
                let _ = writeln!(self.after, "{text}");
            }
        };
        report(l.reduction.is_some(), format!("fuzz_print({id}, (long)r{id});"));
        // Without an iteration, what lastprivate leaves is anybody's guess.
        report(l.lastprivate && l.trip() > 0, format!("fuzz_print({id}, (long)l{id});"));
        let text = format!("fuzz_array({id}, a{id}, {MOST_ITERATIONS});");
        report(self.program.unobserved, text);
    }

    /// A number where it is used; declared where it comes from.
    fn number(&mut self, number: Number, kind: IntType, name: &str, orphaned: bool) -> String {
        let text = literal(number.value, kind);
        match number.source {
            Source::Literal => return text,
            Source::Local if !orphaned => {
                let _ = writeln!(self.locals, "{} {name} = fuzz_value((long){text});", kind.name);
            }
            _ => {
                let _ = writeln!(self.globals, "{} {name} = {text};", kind.name);
            }
        }
        name.to_owned()
    }
}

const INT: IntType = super::dims::C_TYPES[0];
const LONG: IntType = super::dims::C_TYPES[2];
const UNSIGNED_LONG: IntType = super::dims::C_TYPES[3];

fn clauses(region: &Region) -> String {
    let mut text = String::new();
    if let Some(threads) = region.threads {
        let _ = write!(text, " num_threads({threads})");
    }
    if let Some(condition) = region.condition {
        let _ = write!(text, " if(parallel: fuzz_value({}))", u8::from(condition));
    }
    text
}

fn literal(value: i128, kind: IntType) -> String {
    match (kind.signed, kind.bits) {
        (true, 64) if value == kind.min() => format!("({}l - 1)", value + 1),
        (true, 32) if value == kind.min() => format!("({} - 1)", value + 1),
        (true, 64) => format!("{value}l"),
        (false, 64) => format!("{value}ul"),
        (false, 32) => format!("{value}u"),
        _ => value.to_string(),
    }
}
