//! One module's file: whether it is still what was loaded, and what its addresses are called.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use addr2line::Loader;
use object::read::ReadCache;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use ompchunk_trace_format::stacks::Module;

use super::place::{Place, Unreadable};

/// More inline functions in each other than compilers make.
const MOST_INLINE: usize = 64;

pub(super) struct Opened {
    lines: Loader,
    /// By address.
    functions: Vec<Function>,
}

/// A function as the linker knows it.
struct Function {
    begin: u64,
    end: u64,
    name: String,
}

impl Opened {
    /// `started`: when the recording began, in nanoseconds since 1970.
    pub(super) fn open(module: &Module, started: u64) -> Result<Opened, Unreadable> {
        let path = &module.path;
        let missing = |why: &dyn std::fmt::Display| Unreadable::Missing(why.to_string());
        let found = fs::metadata(path).map_err(|error| missing(&error))?;
        // Another file than a plain one could be read for ever.
        if !found.is_file() {
            return Err(missing(&"it is no file"));
        }
        let (id, functions) = about(path).map_err(|error| missing(&error))?;
        if id != module.build_id {
            return Err(Unreadable::Changed);
        }
        if id.is_empty() && is_newer(&found, started) {
            return Err(Unreadable::Changed);
        }
        let lines = Loader::new(path).map_err(|error| missing(&error))?;
        Ok(Opened { lines, functions })
    }

    /// Leaf first; none if nothing is known.
    pub(super) fn places(&self, at: u64) -> Vec<Place> {
        let mut places = Vec::new();
        if let Ok(mut frames) = self.lines.find_frames(at) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref();
                let name = name.and_then(|name| name.raw_name().ok());
                let location = frame.location.as_ref();
                places.push(Place {
                    symbol: name.map(|name| name.into_owned()),
                    file: location.and_then(|location| location.file).map(str::to_owned),
                    line: location.and_then(|location| location.line).unwrap_or(0),
                });
                if places.len() == MOST_INLINE {
                    break;
                }
            }
        }
        let symbol = self.function(at).map(str::to_owned);
        match places.last_mut() {
            // The linker's name tells more: DWARF gives outlined functions of C++ no mangled one.
            Some(last) => last.symbol = symbol.or(last.symbol.take()),
            None if symbol.is_some() => places.push(Place { symbol, ..Place::unknown() }),
            None => {}
        }
        places
    }

    /// No symbol's name is taken for what lies behind it: libraries are stripped of the names of their own functions.
    fn function(&self, at: u64) -> Option<&str> {
        let before = self.functions.partition_point(|function| function.begin <= at);
        let function = self.functions.get(before.checked_sub(1)?)?;
        (at < function.end).then_some(&*function.name)
    }
}

/// Written since then, as far as is known.
fn is_newer(found: &fs::Metadata, started: u64) -> bool {
    let written = found.modified().ok();
    let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    written.is_none_or(|age| age.as_nanos() > u128::from(started))
}

/// Lines of programs and libraries, each opened once, however many addresses and processes ask.
#[derive(Default)]
pub struct Lines(HashMap<PathBuf, Option<Opener>>);

struct Opener {
    found: fs::Metadata,
    lines: Loader,
    begin: u64,
}

impl Lines {
    /// File and line of the call that returns to an address, counted from where the object begins in memory. `None`: it has no lines,
    /// or it was written since the recording began (`started`, in nanoseconds since 1970).
    pub fn before(&mut self, path: PathBuf, offset: u64, started: u64) -> Option<(String, u32)> {
        let (opened, call) = self.call(path, offset, started)?;
        let location = opened.lines.find_location(call).ok()??;
        Some((location.file?.to_owned(), location.line?))
    }

    /// The function of the source that has that call, as the linker knows it; `None` likewise.
    pub fn function(&mut self, path: PathBuf, offset: u64, started: u64) -> Option<String> {
        let (opened, call) = self.call(path, offset, started)?;
        let frame = opened.lines.find_frames(call).ok()?.next().ok()??;
        Some(frame.function?.raw_name().ok()?.into_owned())
    }

    /// The object, and where the call is in it.
    fn call(&mut self, path: PathBuf, offset: u64, started: u64) -> Option<(&Opener, u64)> {
        let opened = self.0.entry(path);
        let opened = opened.or_insert_with_key(|path| Opener::open(path));
        let opened = opened.as_ref()?;
        if is_newer(&opened.found, started) {
            return None;
        }
        Some((opened, opened.begin + offset.checked_sub(1)?))
    }
}

impl Opener {
    fn open(path: &Path) -> Option<Opener> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Opener { found, lines: Loader::new(path).ok()?, begin: begin(path)? })
    }
}

/// The page in which what is loaded of it begins.
fn begin(path: &Path) -> Option<u64> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let object = object::File::<&ReadCache<File>>::parse(&cache).ok()?;
    let first = object.segments().map(|segment| segment.address()).min()?;
    Some(first & !(PAGE - 1))
}

/// What linkers align segments to at least.
const PAGE: u64 = 4096;

/// Build id and functions; of neither need there be any.
fn about(path: &Path) -> Result<(Vec<u8>, Vec<Function>), Box<dyn std::error::Error>> {
    let cache = ReadCache::new(File::open(path)?);
    let object = object::File::<&ReadCache<File>>::parse(&cache)?;
    let id = object.build_id()?.unwrap_or_default().to_vec();
    let mut functions: Vec<Function> = Vec::new();
    for symbol in object.symbols().chain(object.dynamic_symbols()) {
        if symbol.kind() != SymbolKind::Text || symbol.size() == 0 || !symbol.is_definition() {
            continue;
        }
        if let Ok(name) = symbol.name() {
            functions.push(Function {
                begin: symbol.address(),
                end: symbol.address().saturating_add(symbol.size()),
                name: name.to_owned(),
            });
        }
    }
    // Of several names, the shortest is what the others are decorations of.
    functions.sort_by(|one, other| {
        let key = |function: &Function| (function.begin, function.name.len());
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    functions.dedup_by_key(|function| function.begin);
    Ok((id, functions))
}
