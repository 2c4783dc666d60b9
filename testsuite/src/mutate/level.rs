//! Undoes in text what the plugin does to a loop that begins by an entry of the module record, so that its plain path can be compared: the call
//! leads to the runtime again, and the variables that stand in the frame are called by their place in it, before as after.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{offset_of, size_of};

use ompchunk_abi::{FRAME_SIZE, Frame, ModuleRecord};

use super::text::{Function, Module, NAME, RESULT, patterns};

patterns! {
    INIT = r"call void @__kmpc_for_static_init_(?:4|8)u?\(ptr (?:noundef )?(@[-\w.$]+|\{[^{}]*\}), (.*)$";
    ENTRY = r"^(%[-\w.$]+) = load atomic ptr, ptr getelementptr .*@__ompchunk_module_v4, i64 (\d+)\) monotonic";
    FINI = r"@__kmpc_for_static_fini\(ptr (?:noundef )?(@[-\w.$]+)";
    FIELD = r"^(%[-\w.$]+) = getelementptr (?:inbounds )?(?:nuw )?i8, ptr (%[-\w.$]+), i64 (\d+)";
    DECLARED = r"(#dbg_declare\(|@llvm\.dbg\.declare\(metadata )ptr (%[-\w.$]+), (.*)!DIExpression\(DW_OP_plus_uconst, (\d+)\)";
    IDENT = r"^(@[-\w.$]+) = .*%struct\.ident[\w.]* (\{ i32[^{}]*\})";
    POINTER = r"ptr (?:noundef |nonnull )*(%[-\w.$]+)";
    PURE = r"^(?:load (?:i\d+|ptr),|[sz]ext |trunc |sub |add |getelementptr )";
}

/// Where the word stands that says whether somebody listens.
const ON: usize = offset_of!(Frame, on);

/// The `ident_t`s of a module.
pub type Idents = BTreeMap<String, String>;

pub fn idents(module: &Module) -> Idents {
    let found = module.head.iter().filter_map(|line| IDENT.captures(line));
    found.map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

/// The frames of a function: not any variable of the size.
pub fn frames(function: &Function) -> BTreeSet<String> {
    let allocated = format!(" = alloca [{FRAME_SIZE} x i8], align ");
    const CALLED: [usize; 2] = [offset_of!(Frame, advance), offset_of!(Frame, leave)];
    let is_called =
        |name: &str| lines(function).any(|line| field(line).is_some_and(|at| at.1 == name && CALLED.contains(&at.2)));
    let allocas = lines(function).filter_map(|line| line.split_once(&allocated)).map(|(name, _)| name);
    allocas.filter(|name| is_called(name)).map(str::to_owned).collect()
}

/// What leads to the word of a frame, or a variable that stands there.
pub fn words(lines: &[String], frames: &BTreeSet<String>) -> BTreeSet<String> {
    let fields = lines.iter().filter_map(|line| field(line));
    fields.filter(|at| frames.contains(at.1) && at.2 == ON).map(|at| at.0.to_owned()).collect()
}

/// Undoes it in the function as it is with the plugin, without what runs only where somebody listens.
pub fn undo(function: &mut Function, frames: &BTreeSet<String>, idents: &Idents) {
    let mut names: BTreeMap<String, String> =
        frames.iter().map(|frame| (frame.clone(), place(frames, frame, 0))).collect();
    let mut entries = BTreeMap::new();
    for line in lines(function) {
        if let Some((name, frame, offset)) = field(line).filter(|(_, frame, _)| frames.contains(*frame)) {
            names.insert(name.to_owned(), place(frames, frame, offset));
        }
        if let Some(found) = ENTRY.captures(line) {
            entries.insert(found[1].to_owned(), found[2].parse().unwrap_or(0));
        }
    }
    let is_own = |line: &str| {
        let computes =
            RESULT.captures(line).is_some_and(|found| names.contains_key(&found[1]) || entries.contains_key(&found[1]));
        let stored = line.strip_prefix("store ").and_then(|rest| POINTER.captures(rest));
        let passes = stored.and_then(|to| names.get(&to[1])).is_some_and(|place| !is_variable(place));
        computes || passes
    };
    for block in &mut function.blocks {
        block.lines.retain(|line| !is_own(line));
        for line in &mut block.lines {
            if let Some(found) = DECLARED.captures(line).filter(|found| frames.contains(&found[2])) {
                let place = place(frames, &found[2], found[4].parse().unwrap_or(0));
                *line = line.replace(&found[0], &format!("{}ptr {place}, {}!DIExpression()", &found[1], &found[3]));
            }
            *line = rename(line, &names);
            for (entry, at) in &entries {
                *line =
                    line.replace(&format!(" {entry}(ptr "), &format!(" @__kmpc_for_static_init_{}(ptr ", kind(*at)));
            }
        }
    }
    say_idents(function, idents);
    drop_unused(function);
}

/// Aligns the function as it was, whose calls of the runtime became those of entries where `after` has variables of frames.
pub fn align(function: &mut Function, after: &Function, idents: &Idents) {
    function.keep_reachable();
    let mut names = BTreeMap::new();
    let starts = |function: &Function| -> Vec<Vec<String>> {
        let calls = lines(function).filter_map(|line| INIT.captures(line));
        calls.map(|call| POINTER.captures_iter(&call[2]).map(|name| name[1].to_owned()).collect()).collect()
    };
    for (was, is) in starts(function).iter().zip(starts(after)) {
        names.extend(was.iter().cloned().zip(is).filter(|(_, is)| is_variable(is)));
    }
    let is_gone = |line: &str| {
        let allocates = RESULT.captures(line).is_some_and(|found| names.contains_key(&found[1]));
        allocates
            || line.contains("@llvm.lifetime.") && NAME.find_iter(line).any(|name| names.contains_key(name.as_str()))
    };
    for block in &mut function.blocks {
        block.lines.retain(|line| !is_gone(line));
        for line in &mut block.lines {
            *line = rename(line, &names);
        }
        // Cleared like the word, which is not compared.
        block.lines.retain(|line| line.strip_prefix("store i32 0, ptr ").is_none_or(|at| !is_word(at)));
    }
    say_idents(function, idents);
    drop_unused(function);
}

fn lines(function: &Function) -> impl Iterator<Item = &String> {
    function.blocks.iter().flat_map(|block| &block.lines)
}

fn field(line: &str) -> Option<(&str, &str, usize)> {
    let found = FIELD.captures(line)?;
    let text = |at: usize| found.get(at).map_or("", |part| part.as_str());
    Some((text(1), text(2), text(3).parse().ok()?))
}

fn place(frames: &BTreeSet<String>, frame: &str, offset: usize) -> String {
    let number = frames.iter().position(|each| each == frame).unwrap_or(0);
    format!("%frame.{number}.{offset}")
}

fn is_variable(place: &str) -> bool {
    let offsets =
        [offset_of!(Frame, last), ON, offset_of!(Frame, lower), offset_of!(Frame, upper), offset_of!(Frame, stride)];
    let offset = place.strip_prefix("%frame.").and_then(|rest| rest.rsplit('.').next()).and_then(|at| at.parse().ok());
    offset.is_some_and(|offset: usize| offsets.contains(&offset))
}

fn is_word(line: &str) -> bool {
    NAME.find(line)
        .is_some_and(|name| name.as_str().strip_prefix("%frame.").is_some_and(|at| at.ends_with(&format!(".{ON}"))))
}

/// The kind of the runtime's function.
fn kind(at: usize) -> &'static str {
    let number = at.saturating_sub(offset_of!(ModuleRecord, entries)) / size_of::<*const ()>();
    ["4", "4u", "8", "8u"].get(number).copied().unwrap_or("none")
}

fn rename(line: &str, names: &BTreeMap<String, String>) -> String {
    let new = |found: &regex::Captures| names.get(&found[0]).cloned().unwrap_or_else(|| found[0].to_owned());
    NAME.replace_all(line, new).into_owned()
}

/// Instead of their names, of which the plugin makes new ones.
fn say_idents(function: &mut Function, idents: &Idents) {
    for line in function.blocks.iter_mut().flat_map(|block| &mut block.lines) {
        let found = INIT.captures(line).or_else(|| FINI.captures(line));
        if let Some((name, said)) = found.and_then(|found| idents.get_key_value(&found[1])) {
            *line = line.replace(&format!(" {name},"), &format!(" {said},"));
        }
    }
}

/// What the plugin computes for the frame alone, and what nobody needs anyway.
fn drop_unused(function: &mut Function) {
    loop {
        let used: BTreeSet<String> = lines(function)
            .flat_map(|line| {
                let operands =
                    RESULT.captures(line).map_or(line.as_str(), |found| found.get(2).map_or("", |rest| rest.as_str()));
                NAME.find_iter(operands).map(|name| name.as_str().to_owned()).collect::<Vec<_>>()
            })
            .collect();
        let is_unused = |line: &String| {
            RESULT.captures(line).is_some_and(|found| PURE.is_match(&found[2]) && !used.contains(&found[1]))
        };
        if !lines(function).any(is_unused) {
            return;
        }
        for block in &mut function.blocks {
            block.lines.retain(|line| !is_unused(line));
        }
    }
}
