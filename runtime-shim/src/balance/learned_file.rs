//! What was learned of loops, kept in a file for the next run (`OMPCHUNK_LEARNED`).
//!
//! ```text
//! ompchunk learned 1
//! BUILD-ID <tab> LOOP <tab> WAY <tab> what each of 256 pieces of the iteration space costs, as a share of all, with commas between
//! ```
//!
//! A loop is known by the build id of its binary and its place in the source, so another binary's, or a changed one, is not taken for it.
//! The file is read once, before any loop has asked, and written at the program's end, whole or not at all. What it holds of other
//! binaries stays in it. Whatever stands there is an estimate: it decides neither which iterations run nor whether all threads of a team
//! agree.

use core::fmt::Write as _;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io, process};

use ompchunk_abi::overrides::{Place, Schedule, file, shown};
use ompchunk_abi::{LEARNED_ENV, LoopRecord};
use ompchunk_guest::memory::Grow;
use ompchunk_guest::{door, memory};

use crate::balance::costs::{Costs, PIECES};
use crate::balance::plan::Mode;
use crate::{images, start::environment, start::report};

const HEAD: &str = "ompchunk learned 1";
/// Entries in the file: some thousand programs' loops.
const MOST: usize = 4096;

/// Few entries are longer.
const LONGEST: usize = 4 << 10;

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) mode: Mode,
    pub(super) costs: Costs,
}

static BEFORE: OnceLock<HashMap<String, Entry>> = OnceLock::new();

/// Before any loop has asked.
pub(crate) fn begin() {
    let Some(file) = environment::file(LEARNED_ENV) else { return };
    let entries = match read(&file) {
        Ok(entries) => entries,
        Err(unread) => {
            let (why, what) = match unread {
                Unread::Damaged(why) => (why, "Nothing of it is used, and it is written anew"),
                Unread::Foreign(why) => (why, "It is left as it is, and nothing is kept for the next run"),
            };
            report::complain(format_args!("{LEARNED_ENV}: {}: {why}. {what}", shown(&file.to_string_lossy())));
            Vec::new()
        }
    };
    let _ = BEFORE.set(entries.into_iter().collect());
}

pub(super) fn entry_for(key: Option<&str>) -> Option<Entry> {
    BEFORE.get()?.get(key?).cloned()
}

/// What a loop is known by, a group by one of its loops; `None`: nobody asked for that, or its binary has no build id.
pub(super) fn key(record: &'static LoopRecord, place: Place<'_>) -> Option<String> {
    BEFORE.get()?;
    let id = images::build_id(core::ptr::from_ref(record).cast())?;
    let mut key = String::new();
    for byte in id.bytes() {
        let _ = write!(key, "{byte:02x}");
    }
    let (file, function) = (place.file.escape_debug(), place.function.escape_debug());
    let _ = write!(key, "\t{file}:{}:{} {function}", place.line, place.column);
    Some(key)
}

/// The file as it will be: `learned` first, then what it holds of others.
pub(super) fn write(learned: Vec<(String, Entry)>) {
    let Some(file) = environment::file(LEARNED_ENV).filter(|_| !learned.is_empty()) else { return };
    // What cannot be read was complained of when the program began.
    let others = match read(&file) {
        Ok(others) => others,
        Err(Unread::Damaged(_)) => Vec::new(),
        Err(Unread::Foreign(_)) if !memory::is_short() => return,
        Err(Unread::Foreign(_)) => return has_no_memory(&file),
    };
    let is_new = |key: &String| learned.iter().all(|(known, _)| known != key);
    let mut text = format!("{HEAD}\n");
    let entries = learned.len() + others.len();
    if text.try_reserve(entries.min(MOST) * LONGEST).is_err() {
        return has_no_memory(&file);
    }
    let kept = others.iter().filter(|(key, _)| is_new(key));
    for (key, entry) in learned.iter().chain(kept).take(MOST) {
        write_entry(&mut text, key, entry);
    }
    if let Err(error) = replace(&file, &text) {
        report::complain(format_args!("{LEARNED_ENV}: cannot write {}: {error}", shown(&file.to_string_lossy())));
    }
}

fn has_no_memory(file: &OsStr) {
    report::complain(format_args!(
        "{LEARNED_ENV}: {} stays as it is: the program has left no memory to write it anew. Raise its limit (ulimit -v)",
        shown(&file.to_string_lossy())
    ));
}

fn write_entry(text: &mut String, key: &str, entry: &Entry) {
    let way = entry.mode.text("source");
    let costs: Vec<String> = entry.costs.pieces().map(|cost| cost.to_string()).collect();
    let _ = writeln!(text, "{key}\t{way}\t{}", costs.join(","));
}

#[derive(Debug)]
enum Unread {
    /// It was one once.
    Damaged(String),
    /// It is another's, whose file must not be written: its name may be a slip.
    Foreign(String),
}

/// A file that is not there yet is an empty one.
fn read(path: &OsStr) -> Result<Vec<(String, Entry)>, Unread> {
    let bytes = match file::bytes(Path::new(path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Unread::Foreign(error.to_string())),
    };
    match bytes.is_empty() {
        true => Ok(Vec::new()),
        // What is no text damages the line that it stands in.
        false => parse(&String::from_utf8_lossy(&bytes)),
    }
}

fn parse(text: &str) -> Result<Vec<(String, Entry)>, Unread> {
    let mut lines = (1..).zip(text.lines());
    if lines.next().is_none_or(|(_, head)| head != HEAD) {
        return Err(Unread::Foreign(format!("it does not begin with '{HEAD}'")));
    }
    let damaged = |number: i32| Unread::Damaged(format!("line {number} is damaged"));
    let mut entries = Vec::new();
    for (number, line) in lines {
        if !entries.grow(1) {
            return Err(Unread::Foreign("there is no memory to read it".to_owned()));
        }
        entries.push(entry(line).ok_or_else(|| damaged(number))?);
    }
    Ok(entries)
}

fn entry(line: &str) -> Option<(String, Entry)> {
    if line.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    let (key, rest) = line.match_indices('\t').nth(1).map(|(at, _)| line.split_at(at))?;
    let (way, costs) = rest[1..].split_once('\t')?;
    let mut pieces = [0; PIECES];
    let mut numbers = costs.split(',');
    for piece in &mut pieces {
        *piece = numbers.next()?.parse().ok()?;
    }
    let is_whole = numbers.next().is_none();
    let entry = Entry { mode: mode(way)?, costs: Costs::of_pieces(&pieces) };
    is_whole.then(|| (key.to_owned(), entry))
}

fn mode(way: &str) -> Option<Mode> {
    match way {
        "source" => Some(Mode::Source),
        "balanced" => Some(Mode::Balanced),
        _ => Mode::from_schedule(Schedule::parse(way).ok()?),
    }
}

/// Writes a file whole or not at all: of several processes that write it the last one wins. What is no regular file stays.
pub(super) fn replace(file: &OsStr, text: &str) -> io::Result<()> {
    // A link stays one.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut beside = target.clone().into_os_string();
    beside.push(format!(".{}", process::id()));
    let beside = Path::new(&beside);
    let mut new = OpenOptions::new().write(true).create_new(true).open(beside)?;
    let written = door::without_signals(|| new.write_all(text.as_bytes()))
        .and_then(|()| before.map_or(Ok(()), |before| new.set_permissions(before.permissions())))
        .and_then(|()| fs::rename(beside, &target));
    written.inspect_err(|_| drop(fs::remove_file(beside)))
}

#[cfg(test)]
mod tests {
    use ompchunk_abi::overrides::Dealt;

    use super::*;

    fn text(mode: Mode) -> String {
        let costs = Costs::even().after(&[1, 2, 3]).unwrap();
        let mut text = format!("{HEAD}\n");
        write_entry(&mut text, "abcd\ta.c:3:1 f", &Entry { mode, costs });
        text
    }

    #[test]
    fn what_is_written_is_read() {
        for mode in [Mode::Source, Mode::Balanced, Mode::Dealt(Dealt::Guided, 7), Mode::StaticChunked(65_536)] {
            let written = text(mode);
            let read = parse(&written).unwrap();
            assert_eq!(read.len(), 1);
            assert_eq!(read[0].0, "abcd\ta.c:3:1 f");
            assert_eq!(read[0].1.mode, mode);
            let mut again = format!("{HEAD}\n");
            write_entry(&mut again, &read[0].0, &read[0].1);
            // A second reading rounds no more.
            let twice = parse(&again).unwrap();
            assert!(twice[0].1.costs.share(1, 2).abs_diff(read[0].1.costs.share(1, 2)) < 1 << 12);
        }
    }

    #[test]
    fn what_is_damaged_is_said() {
        let whole = text(Mode::Balanced);
        assert!(matches!(parse("x").unwrap_err(), Unread::Foreign(_)));
        assert!(matches!(parse("ompchunk learned 2\n").unwrap_err(), Unread::Foreign(_)));
        for damaged in [
            whole[..whole.len() - 20].to_owned() + "x",
            whole.replacen("balanced", "balanced,3", 1),
            whole.replacen("balanced", "static", 1),
            whole.replacen("balanced", "static,65537", 1),
            whole.replacen('\t', " ", 1),
            whole.trim_end().to_owned() + ",1\n",
            whole.clone() + "\n",
        ] {
            let why = parse(&damaged).unwrap_err();
            assert!(matches!(why, Unread::Damaged(_)), "{damaged}");
        }
        // Any numbers are costs.
        let most = vec![u64::MAX.to_string(); PIECES].join(",");
        let least = vec!["0"; PIECES].join(",");
        for numbers in [most, least] {
            let entry = entry(&format!("a\tb\tbalanced\t{numbers}")).unwrap().1;
            assert_eq!(entry.costs.share(2, 2), 1 << 32);
            assert!(entry.costs.share(1, 2) <= 1 << 32);
        }
    }

    #[test]
    fn a_byte_that_is_no_text_is_damage() {
        let file = std::env::temp_dir().join(format!("ompchunk-damaged-{}", process::id()));
        let whole = text(Mode::Balanced).into_bytes();
        for at in HEAD.len() + 1..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] = 0xff;
            fs::write(&file, bytes).unwrap();
            let why = read(file.as_os_str()).unwrap_err();
            assert!(matches!(why, Unread::Damaged(_)), "{at}: {why:?}");
        }
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn what_is_no_regular_file_stays_and_a_link_stays_one() {
        let place = std::env::temp_dir().join(format!("ompchunk-learned-{}", process::id()));
        fs::create_dir(&place).unwrap();
        let (file, link) = (place.join("file"), place.join("link"));
        std::os::unix::fs::symlink("file", &link).unwrap();
        replace(link.as_os_str(), "first").unwrap();
        // It led nowhere.
        assert_eq!(fs::read_to_string(&link).unwrap(), "first");
        fs::remove_file(&link).unwrap();
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        replace(link.as_os_str(), "second").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "second");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let error = replace(OsStr::new("/dev/null"), "x").unwrap_err();
        assert!(error.to_string().contains("no regular file"), "{error}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        fs::remove_dir_all(&place).unwrap();
    }
}
