//! Mutations of the calls that start and end loops, and calls that no compiler writes.

use std::sync::LazyLock;

use regex::Regex;

use super::line::{Done, constant, one_of, value};
use super::text::{At, Module, NAME, START};
use crate::fuzz::rng::Rng;

/// The runtime entries that the plugin knows, and one that it does not.
const ENTRIES: [&str; 10] = [
    "__kmpc_for_static_init_4", "__kmpc_for_static_init_4u", "__kmpc_for_static_init_8", "__kmpc_for_static_init_8u",
    "__kmpc_dist_for_static_init_4", "__kmpc_dist_for_static_init_4u", "__kmpc_dist_for_static_init_8",
    "__kmpc_dist_for_static_init_8u", "__kmpc_for_static_fini", "__kmpc_dispatch_init_4",
];

static CALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:%[-\w.$]+ = )?(?:tail |musttail |notail )?call .*@__kmpc_").expect("a regex"));
static CALLEE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"@(__kmpc_\w+)\(").expect("a regex"));

fn call(module: &Module, rng: &mut Rng) -> Option<At> {
    let starts = rng.chance(60);
    one_of(module, rng, |line| match starts {
        true => START.is_match(line),
        false => CALL.is_match(line),
    })
}

/// The text around a call's arguments, and these.
fn arguments(line: &str) -> Option<(String, Vec<String>, String)> {
    let open = CALLEE.find(line)?.end();
    let mut depth = 1;
    let close = line[open..].char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(open + at)
    })?;
    let inner = &line[open..close];
    let list = match inner.is_empty() {
        true => Vec::new(),
        false => inner.split(", ").map(str::to_owned).collect(),
    };
    Some((line[..open].to_owned(), list, line[close..].to_owned()))
}

/// Declares an entry that a mutation makes use of, unless the module has it.
fn declare(module: &mut Module, name: &str, parameters: &[String]) {
    let known = format!("@{name}(");
    let mut everything = module.head.iter().chain(module.functions.iter().map(|f| &f.define));
    if everything.any(|line| line.contains(&known)) {
        return;
    }
    let types: Vec<&str> = parameters.iter().map(|parameter| parameter.split(' ').next().unwrap_or("i32")).collect();
    module.head.push(format!("declare void @{name}({})", types.join(", ")));
}

/// One argument more, less, or of another type.
pub fn argument(module: &mut Module, rng: &mut Rng) -> Done {
    let at = call(module, rng)?;
    let line = module.line(at).clone();
    let (before, mut list, after) = arguments(&line)?;
    if list.is_empty() {
        return None;
    }
    let which = rng.below(list.len() as u64) as usize;
    match rng.below(4) {
        0 => drop(list.remove(which)),
        1 => {
            let copy = list[which].clone();
            list.insert(which, copy);
        }
        2 => {
            let second = rng.below(list.len() as u64) as usize;
            list.swap(which, second);
        }
        _ => {
            let of = *rng.pick(&["i8", "i32", "i64", "ptr", "i128", "double"]);
            list[which] = format!("{of} {}", value(&module.functions[at.0], of, rng));
        }
    }
    let new = format!("{before}{}{after}", list.join(", "));
    module.line(at).clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

pub fn callee(module: &mut Module, rng: &mut Rng) -> Done {
    let at = call(module, rng)?;
    let line = module.line(at).clone();
    let (_, mut list, _) = arguments(&line)?;
    let old = CALLEE.captures(&line)?.get(1)?.as_str();
    let name = *rng.pick(&ENTRIES);
    let new = line.replacen(old, name, 1);
    for argument in &mut list {
        if argument.starts_with("metadata") {
            return None;
        }
        argument.truncate(argument.find(' ').unwrap_or(argument.len()));
    }
    declare(module, name, &list);
    module.line(at).clone_from(&new);
    Some(format!("{old} becomes {name}"))
}

/// Through a pointer, by invoke, as a tail call, with attributes or operand bundles.
pub fn manner(module: &mut Module, rng: &mut Rng) -> Done {
    let at = call(module, rng)?;
    let line = module.line(at).clone();
    let name = CALLEE.captures(&line)?.get(1)?.as_str();
    let new = match rng.below(6) {
        0 => indirect(module, at, name),
        1 => return invoke(module, at),
        2 => {
            let manner = *rng.pick(&["tail call ", "notail call ", "musttail call "]);
            line.replacen("call ", manner, 1)
        }
        3 => {
            let (before, list, after) = arguments(&line)?;
            let bundle = *rng.pick(&["\"deopt\"(i32 1)", "\"unknown\"(ptr null)", "\"align\"(ptr null, i64 8)"]);
            format!("{before}{}){} [ {bundle} ]", list.join(", "), bare(&after))
        }
        4 => {
            let (before, list, after) = arguments(&line)?;
            let attribute = *rng.pick(&[
                "noreturn", "returns_twice", "noduplicate", "convergent", "nounwind", "nomerge", "\"ompchunk\"=\"1\"",
            ]);
            format!("{before}{}){} {attribute}", list.join(", "), bare(&after))
        }
        _ => {
            let convention = *rng.pick(&["fastcc", "coldcc", "preserve_mostcc", "swifttailcc"]);
            line.replacen("call ", &format!("call {convention} "), 1)
        }
    };
    module.line(at).clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

/// What follows an argument list, without attributes' groups and metadata.
fn bare(after: &str) -> String {
    after.trim_start_matches(')').split([',', '#']).next().unwrap_or_default().trim_end().to_owned()
}

/// The call of a pointer that was loaded from a variable with the entry's address.
fn indirect(module: &mut Module, at: At, name: &str) -> String {
    let (variable, pointer) = (module.fresh("@pointer"), module.fresh("%pointer"));
    module.head.push(format!("{variable} = internal global ptr @{name}"));
    let line = module.line(at).replacen(&format!("@{name}"), &pointer, 1);
    let (f, b, l) = at;
    let lines = &mut module.functions[f].blocks[b].lines;
    // In the call's place stands the load, and the caller's text is one line on.
    lines.insert(l + 1, line);
    format!("{pointer} = load ptr, ptr {variable}")
}

fn invoke(module: &mut Module, at: At) -> Done {
    let (f, b, l) = at;
    let line = module.line(at).clone();
    if !line.starts_with("call ") {
        return None;
    }
    let (normal, unwind) = (module.fresh("normal"), module.fresh("unwind"));
    let slot = module.fresh("%exception");
    let function = &mut module.functions[f];
    if !function.define.contains("personality") {
        let end = function.define.trim_end_matches('{').trim_end().to_owned();
        function.define = format!("{end} personality ptr @__gxx_personality_v0 {{");
        let declared = "declare i32 @__gxx_personality_v0(...)";
        let has = |line: &String| line.contains("@__gxx_personality_v0(");
        if !module.head.iter().any(has) {
            module.head.push(declared.to_owned());
        }
    }
    let function = &mut module.functions[f];
    let rest = function.blocks[b].lines.split_off(l + 1);
    let old = function.blocks[b].label.clone();
    let (head, tail) = match line.find("), ").map(|at| at + 1) {
        Some(at) => (line[..at].to_owned(), line[at..].to_owned()),
        None => (line.clone(), String::new()),
    };
    let new = format!("{} to label %{normal} unwind label %{unwind}{tail}", head.replacen("call ", "invoke ", 1));
    function.blocks[b].lines[l] = new;
    let block = |label: &str, lines: Vec<String>| super::text::Block { label: label.to_owned(), lines };
    function.blocks.insert(b + 1, block(&normal, rest));
    let landing = vec![format!("{slot} = landingpad {{ ptr, i32 }} cleanup"), format!("resume {{ ptr, i32 }} {slot}")];
    function.blocks.push(block(&unwind, landing));
    // PHIs knew the second half by the first one's name.
    let (from, to) = (format!(", %{old} ]"), format!(", %{normal} ]"));
    let targets = function.blocks[b + 1].targets();
    for block in &mut function.blocks {
        if targets.contains(&block.label) {
            for line in block.lines.iter_mut().filter(|line| line.contains(" = phi ")) {
                *line = line.replace(&from, &to);
            }
        }
    }
    Some(format!("`{line}` becomes an invoke"))
}

/// The entry is something else than the function that it should be.
pub fn entry(module: &mut Module, rng: &mut Rng) -> Done {
    let is_entry = |line: &&String| {
        line.starts_with("declare ") && CALLEE.captures(line).is_some_and(|c| ENTRIES.contains(&&c[1]))
    };
    let declared: Vec<String> = module.head.iter().filter(is_entry).cloned().collect();
    if declared.is_empty() {
        return None;
    }
    let line = rng.pick(&declared).clone();
    let (_, list, _) = arguments(&line)?;
    let name = CALLEE.captures(&line)?.get(1)?.as_str().to_owned();
    let new = match rng.below(6) {
        0 => format!("declare void @{name}()"),
        1 => format!("declare void @{name}(...)"),
        2 => format!("declare i32 @{name}(ptr, i32)"),
        3 => format!("@{name} = external global i32"),
        4 => {
            let target = module.fresh("@target");
            let types: Vec<&str> = list.iter().filter_map(|a| a.split(' ').next()).collect();
            module.head.push(format!("define internal void {target}({}) {{\n  ret void\n}}", types.join(", ")));
            format!("@{name} = alias void (), ptr {target}")
        }
        _ => {
            let types: Vec<&str> = list.iter().filter_map(|a| a.split(' ').next()).collect();
            format!("define internal void @{name}({}) {{\n  ret void\n}}", types.join(", "))
        }
    };
    for declared in &mut module.head {
        if *declared == line {
            declared.clone_from(&new);
        }
    }
    Some(format!("`{line}` becomes `{new}`"))
}

/// An instruction that gets in the way.
pub fn insert(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, l) = super::line::place(module, rng)?;
    let starts = module.places(|line| START.is_match(line));
    let bound = match starts.is_empty() {
        true => "null".to_owned(),
        false => {
            let (f, b, l) = *rng.pick(&starts);
            let line = &module.functions[f].blocks[b].lines[l];
            let names: Vec<&str> = NAME.find_iter(line).map(|name| name.as_str()).collect();
            names.get(rng.below(names.len() as u64) as usize)?.to_string()
        }
    };
    let fresh = module.fresh("%new");
    let (line, declared) = in_the_way(rng, &fresh, &bound);
    if let Some((start, _)) = declared.split_once('(') {
        let name = format!("{}(", start.rsplit(' ').next().unwrap_or_default());
        if !module.head.iter().any(|line| line.contains(&name)) {
            module.head.push(declared.to_owned());
        }
    }
    module.functions[f].blocks[b].lines.insert(l, line.clone());
    Some(format!("`{line}` in block {b}, before line {l}"))
}

/// An instruction that defines `fresh`, or nothing, and may use `bound`; and what it needs declared.
fn in_the_way(rng: &mut Rng, fresh: &str, bound: &str) -> (String, &'static str) {
    let number = constant("i32", rng);
    let of = *rng.pick(&["i32", "i64"]);
    let alone = |line: String| (line, "");
    match rng.below(16) {
        0 => alone("call void asm sideeffect \"\", \"\"()".to_owned()),
        1 => (format!("{fresh} = call i32 @setjmp(ptr null) returns_twice"), "declare i32 @setjmp(ptr) returns_twice"),
        2 => (
            format!("{fresh} = call token @llvm.experimental.convergence.anchor() convergent"),
            "declare token @llvm.experimental.convergence.anchor() convergent",
        ),
        3 => alone(format!("store {of} {number}, ptr {bound}")),
        4 => alone(format!("{fresh} = load {of}, ptr {bound}")),
        5 => alone(format!("{fresh} = ptrtoint ptr {bound} to i64")),
        6 => alone(format!("{fresh} = getelementptr i8, ptr {bound}, i64 0")),
        7 => (format!("call void @escape(ptr {bound})"), "declare void @escape(ptr)"),
        8 => alone(format!("{fresh} = atomicrmw add ptr {bound}, i32 1 monotonic")),
        9 => alone(format!("store ptr {bound}, ptr {bound}")),
        10 => alone(format!("{fresh} = cmpxchg ptr {bound}, i32 1, i32 2 acq_rel monotonic")),
        11 => (
            format!("call void @llvm.memset.p0.i64(ptr {bound}, i8 0, i64 4, i1 false)"),
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        ),
        12 => (format!("{fresh} = call ptr @llvm.stacksave.p0()"), "declare ptr @llvm.stacksave.p0()"),
        13 => ("call void @fence() noduplicate".to_owned(), "declare void @fence()"),
        14 => alone("fence seq_cst".to_owned()),
        _ => (
            "call void @__kmpc_for_static_fini(ptr null, i32 0)".to_owned(),
            "declare void @__kmpc_for_static_fini(ptr, i32)",
        ),
    }
}

/// A start stands once more, there or elsewhere.
pub fn again(module: &mut Module, rng: &mut Rng) -> Done {
    let (f, b, l) = call(module, rng)?;
    let line = module.line((f, b, l)).clone();
    if !line.starts_with("call ") {
        return None;
    }
    let to = match rng.chance(40) {
        true => b,
        false => rng.below(module.functions[f].blocks.len() as u64) as usize,
    };
    let lines = &mut module.functions[f].blocks[to].lines;
    let at = rng.below(lines.len() as u64) as usize;
    lines.insert(at, line.clone());
    Some(format!("`{line}` again in block {to}, line {at}"))
}
