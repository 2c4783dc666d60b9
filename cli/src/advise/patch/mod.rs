//! `ompchunk advise --patch`: what is advised as a unified diff of the sources. A file that was changed after the run began is
//! left alone, as is each directive that is not understood; a line on standard error says which, and why.

mod directive;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use ompchunk_advice::{Advice, LoopAdvice};
use similar::TextDiff;

use self::directive::{Form, with_clause};
use crate::output;

type Lines<'a> = BTreeMap<u32, &'a str>;

/// The diff, relative to the current directory. `started`: when the recorded process began.
pub fn patch(advice: &Advice, started: SystemTime) -> Vec<u8> {
    let mut diff = String::new();
    for (file, lines) in by_file(&advice.loops) {
        let name = relative(Path::new(file));
        match name.and_then(|name| Ok((read(Path::new(file), started)?, name))) {
            Ok((text, name)) => diff += &of_file(file, &text, &name, &lines),
            Err(why) => output::notice(&format!("{file} stays as it is: {why}")),
        }
    }
    if advice.loops.iter().all(|loop_advice| loop_advice.clause.is_none()) {
        output::notice(
            &"no schedule is advised, so there is nothing to change; without --patch the reasons are printed",
        );
    }
    // Back to bytes: `read` took each for a character.
    diff.chars().map(|character| character as u32 as u8).collect()
}

fn by_file(loops: &[LoopAdvice]) -> BTreeMap<&str, Lines<'_>> {
    let mut files: BTreeMap<&str, Lines<'_>> = BTreeMap::new();
    for loop_advice in loops {
        match (&loop_advice.clause, &loop_advice.file, loop_advice.line) {
            (None, ..) => {}
            (Some(clause), Some(file), Some(line)) => drop(files.entry(file).or_default().insert(line, clause)),
            (Some(_), ..) => {
                let why = "its place in the source is not known; compile with -g";
                output::notice(&format!("{} stays as it is: {why}", loop_advice.name));
            }
        }
    }
    files
}

fn of_file(file: &str, text: &str, name: &str, lines: &Lines<'_>) -> String {
    let mut changed = text.to_owned();
    // From the end, as lines may be added.
    for (line, clause) in lines.iter().rev() {
        match with_clause(&changed, *line, clause, Form::from_name(file)) {
            Ok(with_clause) => changed = with_clause,
            Err(why) => output::notice(&format!("{file}:{line} stays as it is: {why}; {clause} is advised")),
        }
    }
    if changed == text {
        return String::new();
    }
    let diff = TextDiff::from_lines(text, &changed);
    // A tab ends names with blanks, as git writes them.
    let tab = if name.contains(' ') { "\t" } else { "" };
    let mut unified = diff.unified_diff();
    unified.header(&format!("a/{name}{tab}"), &format!("b/{name}{tab}")).to_string()
}

/// The file's bytes, each as the character of its number, as sources have any encoding.
fn read(file: &Path, started: SystemTime) -> Result<String, String> {
    let changed = file.metadata().and_then(|metadata| metadata.modified());
    if changed.map_err(|error| error.to_string())? > started {
        let why = "it was changed after the run began, so its lines may be others; record the program once more";
        return Err(why.to_owned());
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let is_odd = text.replace("\r\n", "").contains('\r');
    if is_odd { Err("its lines end in carriage returns alone".to_owned()) } else { Ok(text) }
}

/// A file below the current directory as diffs name it, in bytes as `read` has them.
fn relative(file: &Path) -> Result<String, String> {
    let of = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let (file, directory) = (of(file)?, of(Path::new("."))?);
    let name = file
        .strip_prefix(&directory)
        .map_err(|_| format!("it is not below {}: run the command at the root of the sources", directory.display()))?;
    let name = name.as_os_str().as_bytes();
    let is_odd = name.iter().any(|byte| byte.is_ascii_control() || matches!(byte, b'"' | b'\\'));
    let text = || name.iter().map(|byte| char::from(*byte)).collect();
    if is_odd { Err("a diff cannot name it".to_owned()) } else { Ok(text()) }
}

#[cfg(test)]
mod tests;
