//! Mutations of functions and of the module as a whole.

use std::sync::LazyLock;

use regex::Regex;

use super::line::Done;
use super::text::{Module, NAME, START};
use crate::fuzz::rng::Rng;

static ALLOCA: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(%[-\w.$]+) = alloca (i\d+)(, align \d+)?").expect("a regex"));
static FLAGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"constant %struct.ident_t \{ i32 \d+, i32 (\d+)|constant \{[^}]*\} \{ i32 \d+, i32 (\d+)")
        .expect("a regex")
});

/// A function, most often one with a loop.
fn function(module: &Module, rng: &mut Rng) -> Option<usize> {
    let starts = module.places(|line| START.is_match(line));
    match starts.is_empty() || rng.chance(20) {
        true if module.functions.is_empty() => None,
        true => Some(rng.below(module.functions.len() as u64) as usize),
        false => Some(rng.pick(&starts).0),
    }
}

pub fn attribute(module: &mut Module, rng: &mut Rng) -> Done {
    let at = function(module, rng)?;
    let attribute = *rng.pick(&[
        "optnone noinline", "naked", "presplitcoroutine", "noreturn", "convergent", "returns_twice", "noduplicate",
        "sanitize_address", "sanitize_thread", "strictfp", "minsize optsize", "nounwind willreturn memory(none)",
        "noredzone naked", "section \"ompchunk_loops\"", "gc \"statepoint-example\"", "prefix i32 1", "prologue i8 1",
        "align 64",
    ]);
    let define = &mut module.functions[at].define;
    // Before metadata and personality.
    let end = define.find(") ").map_or(define.len() - 1, |_| attributes_end(define));
    define.insert_str(end, &format!("{attribute} "));
    Some(format!("{attribute}: `{define}`"))
}

fn attributes_end(define: &str) -> usize {
    let stops = [" personality ", " !", " {"];
    let found = stops.iter().filter_map(|stop| {
        let after = define.rfind(')').unwrap_or(0);
        define[after..].find(stop).map(|at| after + at + 1)
    });
    found.min().unwrap_or(define.len() - 1)
}

/// A linkage, visibility or calling convention of a function.
pub fn linkage(module: &mut Module, rng: &mut Rng) -> Done {
    let at = function(module, rng)?;
    let define = &mut module.functions[at].define;
    let bare =
        define.replacen("define ", "", 1).replace("dso_local ", "").replace("hidden ", "").replace("internal ", "");
    let new = *rng.pick(&[
        "available_externally", "internal", "private", "linkonce_odr", "weak", "weak_odr", "internal fastcc",
        "internal unnamed_addr", "dso_local preserve_mostcc",
    ]);
    *define = format!("define {new} {bare}");
    Some(format!("{new}: `{define}`"))
}

/// A function stands twice.
pub fn twin(module: &mut Module, rng: &mut Rng) -> Done {
    let at = function(module, rng)?;
    let mut copy = module.functions[at].clone();
    let old = copy.name().to_owned();
    if old.starts_with('"') || copy.define.contains(" comdat") || copy.define.contains("!dbg") {
        return None;
    }
    let new = module.fresh(&format!("{old}.twin"));
    copy.define = copy.define.replacen(&format!("@{old}("), &format!("@{new}("), 1);
    module.functions.push(copy);
    Some(format!("{old} again, as {new}"))
}

/// A variable of another type, of another size, or elsewhere.
pub fn variable(module: &mut Module, rng: &mut Rng) -> Done {
    let at = super::line::one_of(module, rng, |line| ALLOCA.is_match(line))?;
    let (f, b, l) = at;
    let line = module.line(at).clone();
    let found = ALLOCA.captures(&line)?;
    let (name, of) = (found[1].to_owned(), found[2].to_owned());
    let new = match rng.below(6) {
        0 => format!("{name} = alloca i64, align 8"),
        1 => format!("{name} = alloca i8, align 1"),
        2 => format!("{name} = alloca [2 x {of}], align 16"),
        3 => format!("{name} = alloca {of}, i32 2, align 4"),
        4 => format!("{name} = getelementptr i8, ptr null, i64 4"),
        _ => {
            // Later than at the entry.
            let line = module.functions[f].blocks[b].lines.remove(l);
            let to = rng.below(module.functions[f].blocks.len() as u64) as usize;
            let lines = &mut module.functions[f].blocks[to].lines;
            let at = rng.below(lines.len() as u64) as usize;
            lines.insert(at, line.clone());
            return Some(format!("`{line}` in block {to}, line {at}"));
        }
    };
    module.line(at).clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

pub fn merge_variables(module: &mut Module, rng: &mut Rng) -> Done {
    let starts = module.places(|line| START.is_match(line));
    if starts.is_empty() {
        return None;
    }
    let (f, b, l) = *rng.pick(&starts);
    let line = module.line((f, b, l)).clone();
    let names: Vec<&str> = NAME.find_iter(&line).map(|name| name.as_str()).collect();
    let function = &mut module.functions[f];
    let lines = function.blocks.iter().flat_map(|block| &block.lines);
    let variables: Vec<String> = lines.filter_map(|line| Some(ALLOCA.captures(line)?[1].to_owned())).collect();
    let bounds: Vec<&String> = variables.iter().filter(|v| names.contains(&v.as_str())).collect();
    if bounds.is_empty() {
        return None;
    }
    let (old, new) = ((*rng.pick(&bounds)).clone(), rng.pick(&variables).clone());
    for block in &mut function.blocks {
        for line in &mut block.lines {
            if !line.starts_with(&format!("{old} =")) {
                *line = super::text::NAME
                    .replace_all(line, |found: &regex::Captures| match found[0] == old {
                        true => new.clone(),
                        false => found[0].to_owned(),
                    })
                    .into_owned();
            }
        }
    }
    Some(format!("{old} is {new}"))
}

/// Flags of a source location, or what the location is.
pub fn ident(module: &mut Module, rng: &mut Rng) -> Done {
    let idents: Vec<usize> = (0..module.head.len()).filter(|&at| FLAGS.is_match(&module.head[at])).collect();
    if idents.is_empty() {
        return None;
    }
    let at = *rng.pick(&idents);
    let line = module.head[at].clone();
    let new = match rng.below(4) {
        0 => line.replacen(" constant ", " global ", 1),
        1 => format!("{} = external constant i32", line.split(" = ").next()?),
        2 => format!("{} = constant ptr null", line.split(" = ").next()?),
        _ => {
            let found = FLAGS.captures(&line)?;
            let flags = found.get(1).or(found.get(2))?;
            let mut new = line.clone();
            let other = *rng.pick(&["0", "2", "514", "1026", "2050", "3074", "-1", "undef"]);
            new.replace_range(flags.range(), other);
            new
        }
    };
    module.head[at].clone_from(&new);
    Some(format!("`{line}` becomes `{new}`"))
}

/// The module has names of the plugin's, is for another target, or is marked.
pub fn module(module: &mut Module, rng: &mut Rng) -> Done {
    let line = *rng.pick(&[
        "@__ompchunk_module_v4 = global i32 0",
        "@__ompchunk_module_v4 = external global ptr",
        "@__ompchunk_module_v4 = external hidden global { i64, i32, i32, ptr, ptr, i32, i32 }",
        "@__ompchunk_module_v4 = internal global i32 0",
        "@__ompchunk_module_v4 = external thread_local global i32",
        "@__ompchunk_module_v4 = external addrspace(1) global i32",
        "@__ompchunk_module_v4 = constant [3 x i8] zeroinitializer",
        "declare void @__ompchunk_module_v4()",
        "define void @__ompchunk_module_v4() {\n  ret void\n}",
        "@a = global i32 0\n@__ompchunk_module_v4 = alias i32, ptr @a",
        "@__ompchunk_resolve_v4 = global i32 0",
        "declare i32 @__ompchunk_resolve_v4(i32)",
        "define i32 @__ompchunk_resolve_v4(ptr %x) {\n  ret i32 0\n}",
        "@r = global i32 0\n@__ompchunk_resolve_v4 = alias i32, ptr @r",
        "@__ompchunk_connect = global i32 0",
        "define internal i32 @__ompchunk_connect(ptr %m) {\n  ret i32 0\n}",
        "declare void @__ompchunk_connect()",
        "@c = global i32 0\n@__ompchunk_connect = alias i32, ptr @c",
        "@secure_getenv = global i32 0",
        "define internal ptr @strstr(i32 %x) {\n  ret ptr null\n}",
        "declare i64 @__write()",
        "@d = global i32 0\n@secure_getenv = internal alias i32, ptr @d",
        "@ompchunk_loops = global i32 0, section \"ompchunk_loops\"",
        "@llvm.used = appending global [1 x ptr] [ptr @u], section \"llvm.metadata\"\n@u = global i32 0",
        "@llvm.compiler.used = appending global [1 x ptr] [ptr @v], section \"llvm.metadata\"\n@v = internal global i32 0",
        "@llvm.compiler.used = external global ptr",
        "$__ompchunk_module_v4 = comdat largest",
        "$__ompchunk_resolve_v4 = comdat nodeduplicate",
        "module asm \".globl __ompchunk_module_v4\"",
        "triple amdgcn-amd-amdhsa",
        "triple x86_64-apple-macosx",
        "triple i386-unknown-linux-gnu",
        "triple x86_64-pc-windows-msvc",
        "triple",
    ]);
    if let Some(triple) = line.strip_prefix("triple") {
        for declared in &mut module.head {
            if declared.starts_with("target triple") {
                *declared = format!("target triple = \"{}\"", triple.trim());
            }
        }
    } else {
        module.head.push(line.to_owned());
    }
    Some(line.to_owned())
}
