//! Addresses as the source has them: function, file and line, with what the compiler put inline. Of modules that are still what was
//! loaded; of others nothing is said but that they are not. No thread and no time here: whose an address was, the caller knows.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use addr2line::Loader;
use object::read::ReadCache;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use ompchunk_trace_format::Part;
use ompchunk_trace_format::stacks::{Module, StackFile};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// The module, as a number in [`StackFile::modules`]; `None`: in none that is known.
    pub module: Option<usize>,
    /// Leaf first: what was put inline, at last the function that is called. At least one.
    pub places: Vec<SourceFrame>,
}

/// What the modules of a file of stacks are called, opened when they are asked for.
pub struct Symbols<'f> {
    file: &'f StackFile,
    opened: Vec<Option<Result<Opened, Unreadable>>>,
    known: HashMap<(usize, u64), Vec<SourceFrame>>,
}

impl<'f> Symbols<'f> {
    pub fn new(file: &'f StackFile) -> Symbols<'f> {
        Symbols { file, opened: file.modules().iter().map(|_| None).collect(), known: HashMap::new() }
    }

    /// Which module an address was in at a time.
    pub fn module(&self, address: u64, time: u64) -> Option<usize> {
        // The later ones took the places of those that are gone.
        let all = self.file.modules();
        (0..all.len()).rev().find(|index| all[*index].has(address, time))
    }

    pub fn module_of(&self, number: usize) -> Option<&'f Module> {
        self.file.modules().get(number)
    }

    /// What is at an address. `called`: it is a return address, so what called stands before it.
    pub fn look(&mut self, address: u64, called: bool, time: u64) -> Looked {
        let Some(module) = self.module(address, time) else {
            return Looked { module: None, places: vec![SourceFrame::unknown()] };
        };
        let at = address.wrapping_sub(self.file.modules()[module].bias).wrapping_sub(u64::from(called));
        if let Some(places) = self.known.get(&(module, at)) {
            return Looked { module: Some(module), places: places.clone() };
        }
        let started = self.file.meta().started;
        let opened = &mut self.opened[module];
        let opened = opened.get_or_insert_with(|| Opened::open(&self.file.modules()[module], started));
        let mut places = opened.as_ref().map_or_else(|_| Vec::new(), |opened| opened.places(at));
        if places.is_empty() {
            places.push(SourceFrame::unknown());
        }
        self.known.insert((module, at), places.clone());
        Looked { module: Some(module), places }
    }

    /// Modules in which something was looked up in vain, and why.
    pub fn unreadable(&self) -> impl Iterator<Item = (&PathBuf, &Unreadable)> {
        let all = self.file.modules().iter().zip(&self.opened);
        all.filter_map(|(module, opened)| match opened {
            // What the kernel puts into processes is no file.
            Some(Err(why)) if module.path.is_absolute() => Some((&module.path, why)),
            _ => None,
        })
    }
}

/// A function that a compiler has made of the body of a parallel region, a task, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlined<'n> {
    /// The function that has the construct, as the linker knows it, if the name tells.
    pub of: Option<&'n str>,
}

/// Where a compiler's name of its own begins: clang, flang (two forms), gcc, icx.
const MARKS: [&str; 6] = [".omp_outlined", ".omp_task_entry", "..omp_par", ".omp_par", "._omp_fn.", ".DIR.OMP."];

/// `None`: a function of the user's.
pub fn outlined(symbol: &str) -> Option<Outlined<'_>> {
    let at = MARKS.iter().filter_map(|mark| symbol.find(mark)).min()?;
    let of = &symbol[..at];
    Some(Outlined { of: (!of.is_empty()).then_some(of) })
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceFrame {
    pub symbol: Option<String>,
    pub file: Option<String>,
    /// The line; 0: not known.
    pub line: u32,
}

impl SourceFrame {
    fn unknown() -> SourceFrame {
        SourceFrame { symbol: None, file: None, line: 0 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("{0}")]
    Missing(String),
    #[error("it is no longer the file that was loaded")]
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub file: String,
    pub line: u32,
    /// The function of the user's that it is in, as the linker knows it; `None`: not known.
    pub symbol: Option<String>,
}

/// The call that returns to `offset` in an object, counted from where the object begins in the memory of the part's process. `None`: the
/// object has no lines, or was written since the recording began.
pub fn call(part: &Part, object: &Path, offset: u64) -> Option<Call> {
    let meta = part.meta();
    look_up(Path::new(&meta.directory).join(object), offset, meta.started)
}

/// The same in a file that is there, of no recording.
pub fn call_in(file: &Path, offset: u64) -> Option<Call> {
    look_up(file.to_owned(), offset, u64::MAX)
}

fn look_up(path: PathBuf, offset: u64, started: u64) -> Option<Call> {
    // Parts are many, and objects few.
    static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(Mutex::default);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, line) = lines.before(path.clone(), offset, started)?;
    let symbol = lines.function(path, offset, started);
    let of_user = |symbol: String| match outlined(&symbol) {
        Some(outlined) => outlined.of.map(str::to_owned),
        None => Some(symbol),
    };
    Some(Call { file, line, symbol: symbol.and_then(of_user) })
}

/// More inline functions in each other than compilers make.
const MOST_INLINE: usize = 64;

struct Opened {
    lines: Loader,
    functions: Vec<Function>,
}

struct Function {
    begin: u64,
    end: u64,
    name: String,
}

impl Opened {
    /// `started`: when the recording began, in nanoseconds since 1970.
    fn open(module: &Module, started: u64) -> Result<Opened, Unreadable> {
        let path = &module.path;
        let missing = |why: &dyn std::fmt::Display| Unreadable::Missing(why.to_string());
        let found = fs::metadata(path).map_err(|error| missing(&error))?;
        // Another file than a plain one could be read for ever.
        if !found.is_file() {
            return Err(missing(&"it is no file"));
        }
        let (id, mut functions) = about(path).map_err(|error| missing(&error))?;
        if id != module.build_id {
            return Err(Unreadable::Changed);
        }
        if id.is_empty() && is_newer(&found, started) {
            return Err(Unreadable::Changed);
        }
        let debug_file = debug_file(path);
        if let Some((_, more)) = debug_file.as_ref().and_then(|file| about(file).ok()).filter(|more| !more.1.is_empty())
        {
            functions = more;
        }
        let lines = Loader::new(debug_file.as_deref().unwrap_or(path)).map_err(|error| missing(&error))?;
        Ok(Opened { lines, functions })
    }

    /// Leaf first; none if nothing is known.
    fn places(&self, at: u64) -> Vec<SourceFrame> {
        let mut places = Vec::new();
        if let Ok(mut frames) = self.lines.find_frames(at) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref();
                let name = name.and_then(|name| name.raw_name().ok());
                let location = frame.location.as_ref();
                places.push(SourceFrame {
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
            None if symbol.is_some() => places.push(SourceFrame { symbol, ..SourceFrame::unknown() }),
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
    let written = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
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
    /// File and line of the call that returns to that offset in memory. `None`: no lines, or written since `started` (ns since 1970).
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

    fn call(&mut self, path: PathBuf, offset: u64, started: u64) -> Option<(&Opener, u64)> {
        let opened = self.0.entry(path).or_insert_with_key(|path| Opener::open(path)).as_ref()?;
        if is_newer(&opened.found, started) {
            return None;
        }
        Some((opened, opened.begin + offset.checked_sub(1)?))
    }
}

impl Opener {
    fn open(path: &Path) -> Option<Opener> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let lines = Loader::new(debug_file(path).as_deref().unwrap_or(path)).ok()?;
        Some(Opener { found, lines, begin: begin(path)? })
    }
}

/// Where what a file says of its source was moved to, as packages of debug symbols have it: by build id, or by the name that it gives, beside
/// it. `None`: it stands in the file itself, or is not found.
fn debug_file(path: &Path) -> Option<PathBuf> {
    const SYSTEM: &str = "/usr/lib/debug";
    /// Who calls the C library wants the line of the call.
    const C_LIBRARY: [&str; 7] = ["ld-linux", "libc.", "libdl.", "libm.", "libmvec.", "libpthread.", "librt."];
    let name = path.file_name()?.to_string_lossy();
    if C_LIBRARY.iter().any(|library| name.starts_with(library)) {
        return None;
    }
    let cache = ReadCache::new(File::open(path).ok()?);
    let object = object::File::<&ReadCache<File>>::parse(&cache).ok()?;
    if object.section_by_name(".debug_info").is_some() {
        return None;
    }
    let id = object.build_id().ok()?.filter(|id| id.len() > 1)?;
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut candidates = vec![Path::new(SYSTEM).join(".build-id").join(&hex[..2]).join(format!("{}.debug", &hex[2..]))];
    if let (Ok(Some((name, _))), Some(beside)) = (object.gnu_debuglink(), path.parent()) {
        let name = Path::new(OsStr::from_bytes(name));
        let in_system = Path::new(SYSTEM).join(beside.strip_prefix("/").unwrap_or(beside));
        candidates.extend([beside.join(name), beside.join(".debug").join(name), in_system.join(name)]);
    }
    let is_meant = |file: &PathBuf| file.is_file() && about(file).is_ok_and(|(other, _)| other == id);
    candidates.into_iter().find(is_meant)
}

/// The page in which what is loaded of it begins.
fn begin(path: &Path) -> Option<u64> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let object = object::File::<&ReadCache<File>>::parse(&cache).ok()?;
    Some(object.segments().map(|segment| segment.address()).min()? & !(PAGE - 1))
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
    // The shortest of several names is what the others are decorations of.
    functions.sort_by(|one, other| {
        let key = |function: &Function| (function.begin, function.name.len());
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    functions.dedup_by_key(|function| function.begin);
    Ok((id, functions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        let of = |symbol| outlined(symbol).map(|outlined| outlined.of);
        assert_eq!(of("region.omp_outlined"), Some(Some("region")));
        assert_eq!(of("region.omp_outlined_debug__"), Some(Some("region")));
        assert_eq!(of("region.omp_outlined.omp_outlined.3"), Some(Some("region")));
        assert_eq!(of("_Z6regionl.omp_outlined"), Some(Some("_Z6regionl")));
        // clang 15 and 16
        assert_eq!(of(".omp_outlined..1"), Some(None));
        assert_eq!(of(".omp_task_entry."), Some(None));
        assert_eq!(of("_QMmodPsub..omp_par"), Some(Some("_QMmodPsub")));
        assert_eq!(of("main._omp_fn.0"), Some(Some("main")));
        assert_eq!(of("omp_outlined"), None);
        assert_eq!(of("main"), None);
    }
}
