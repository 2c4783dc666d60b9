//! Static loops of programs and libraries that were compiled without the plugin: by their calls of `__kmpc_for_static_init_*`, which a
//! preloaded library can answer. Calls are found by the addresses that the linker has given them: of the table in which the dynamic
//! linker puts the function's address, and of the few instructions that jump there. No byte of other code has such a distance but by
//! a chance of one in billions, and the library looks again before it believes it.
//! What speaks against other blocks is looked for, too. That nothing is found proves nothing.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use object::elf::{PT_TLS, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSegment, ObjectSymbol, ObjectSymbolTable,
    ReadRef, RelocationFlags, RelocationTarget, SectionKind, SymbolKind,
};
use ompchunk_abi::{LOOPS_SECTION, MODULE_SYMBOL};

use crate::failure::Failure;

use super::image::Cause;

/// A call that begins a static loop, or sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockLoop {
    /// Where it returns to, as the file counts addresses.
    pub returns_to: u64,
    /// The same, counted from where the file begins in memory.
    pub offset: u64,
    /// Width of the logical iteration variable, 32 or 64.
    pub bits: u8,
    pub is_signed: bool,
    /// With chunks from this size on, it is known how its code steps from one to the next.
    pub least_chunk: u32,
    /// What was found that may rely on who runs which iteration.
    pub against: Option<&'static str>,
    /// It is alone in a function that is run by the team of one region, so no thread of a team comes to another copy of its code.
    pub is_alone: bool,
    /// It is the plugin's, or may be: another copy of its code may be none.
    pub is_plugins: bool,
}

const NUMBER: &str = "its file asks for threads' numbers";
const OWN_DATA: &str = "its file has threadprivate or thread-local data";
const PAIR: &str = "another loop of its function follows without a barrier in between";
const NO_SYMBOLS: &str = "its file has no symbols, so nothing shows where its function ends";

/// What linkers align segments to at least.
const PAGE: u64 = 4096;
/// Lengths of `call` with a distance, and through a table.
const SHORT: usize = 5;
const LONG: usize = 6;

type Elf<'f, R> = ElfFile64<'f, Endianness, R>;

/// The static loops of a file that the dynamic linker loads. None: it has none, or is of a processor for which nobody has written this.
pub fn stock(path: &Path) -> Result<Vec<StockLoop>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Cause::Io(error).of_file(path))?;
    let found = if bytes.starts_with(b"\x7fELF\x02\x01") { of_bytes(&bytes) } else { Err(Cause::NotElf) };
    found.map_err(|cause| cause.of_file(path))
}

fn of_bytes(bytes: &[u8]) -> Result<Vec<StockLoop>, Cause> {
    let file = ElfFile64::<Endianness>::parse(bytes)?;
    if file.architecture() != Architecture::X86_64 {
        return Ok(Vec::new());
    }
    let calls = Calls::find(&file, |name| kind(name).is_some())?;
    let mut inits = calls.to(|name| kind(name).is_some());
    inits.sort_unstable();
    let plugins = plugins(&file)?;
    let is_plugins = |at: u64| plugins.iter().any(|(begin, end)| (begin + 1..=*end).contains(&at));
    let barriers = calls.to(|name| name == "__kmpc_barrier" || name == "__kmpc_cancel_barrier");
    let barriers: Vec<u64> = barriers.into_iter().map(|(returns_to, _)| returns_to).collect();
    let symbols = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut functions: Vec<_> = symbols.map(|symbol| range(&symbol)).collect();
    functions.sort_unstable();
    let of_file = against(&file, &calls);
    let least_chunk = if inits.is_empty() { u32::MAX } else { least_chunk(&file)? };
    let begin = file.segments().map(|segment| segment.address()).min().unwrap_or(0) & !(PAGE - 1);
    let addresses: Vec<u64> = inits.iter().map(|(returns_to, _)| *returns_to).collect();
    let alone = alone(&file, &addresses);
    let found = inits.iter().filter_map(|(returns_to, name)| {
        let (bits, is_signed) = kind(name)?;
        let returns_to = *returns_to;
        let against = of_file.or_else(|| of_function(returns_to, &functions, &addresses, &barriers));
        let (is_alone, is_plugins) = (alone.contains(&returns_to), is_plugins(returns_to));
        let offset = returns_to - begin;
        Some(StockLoop { returns_to, offset, bits, is_signed, least_chunk, against, is_alone, is_plugins })
    });
    Ok(found.collect())
}

/// Width and sign of the loop that a function of the runtime begins.
fn kind(name: &str) -> Option<(u8, bool)> {
    match name.strip_prefix("__kmpc_for_static_init_")? {
        "4" => Some((32, true)),
        "4u" => Some((32, false)),
        "8" => Some((64, true)),
        "8u" => Some((64, false)),
        _ => None,
    }
}

#[derive(Default)]
struct Calls<'f> {
    found: Vec<(u64, &'f str)>,
    /// Of all functions that the file takes from others.
    names: Vec<&'f str>,
}

impl<'f> Calls<'f> {
    /// None at all if there is none of those that are wanted.
    fn find<R: ReadRef<'f>>(file: &Elf<'f, R>, is_wanted: impl Fn(&str) -> bool) -> Result<Calls<'f>, Cause> {
        let slots = slots(file);
        if !slots.iter().any(|(_, name)| is_wanted(name)) {
            return Ok(Calls::default());
        }
        let names = slots.iter().map(|(_, name)| *name).collect();
        let is_runtimes = |name: &str| name.starts_with("__kmpc_") || name.starts_with("GOMP_");
        let slots: HashMap<u64, &str> = slots.into_iter().filter(|(_, name)| is_runtimes(name)).collect();
        let mut targets: HashMap<u64, &str> = HashMap::new();
        for section in file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt"))) {
            let (begin, code) = (section.address(), section.data()?);
            // `jmp *slot(%rip)`, with what marks it as a target, or says that bounds are kept, before it.
            for at in (0..code.len().saturating_sub(LONG - 1)).filter(|at| code[*at..*at + 2] == [0xff, 0x25]) {
                let after = begin + (at + LONG) as u64;
                if let Some(name) = slots.get(&after.wrapping_add_signed(distance(code, at + 2))) {
                    targets.extend([0, 1, 4, 5].map(|before| (begin + at as u64 - before, *name)));
                }
            }
        }
        // Most calls go elsewhere, and a file may have millions.
        let reached = targets.keys().copied().min().unwrap_or(0)..=targets.keys().copied().max().unwrap_or(0);
        let mut found = Vec::new();
        for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
            let (begin, code) = (section.address(), section.data()?);
            let searched = &code[..code.len().saturating_sub(LONG)];
            let goes = |at: usize, length: usize| {
                let returns_to = begin + (at + length) as u64;
                (returns_to, returns_to.wrapping_add_signed(distance(code, at + length - 4)))
            };
            let short = memchr::memchr_iter(0xe8, searched).map(|at| goes(at, SHORT));
            let short = short.filter(|(_, to)| reached.contains(to)).map(|(from, to)| (from, targets.get(&to)));
            let long = memchr::memmem::find_iter(searched, &[0xff, 0x15]).map(|at| goes(at, LONG));
            let all = short.chain(long.map(|(from, to)| (from, slots.get(&to))));
            found.extend(all.filter_map(|(returns_to, name)| Some((returns_to, *name?))));
        }
        found.sort_unstable();
        Ok(Calls { found, names })
    }

    fn to(&self, is_one: impl Fn(&str) -> bool) -> Vec<(u64, &'f str)> {
        self.found.iter().filter(|(_, name)| is_one(name)).copied().collect()
    }
}

/// Is that GCC's entry for loops that libomp gets wrong where they count down?
pub fn is_right_upwards_alone(name: &str) -> bool {
    name.starts_with("GOMP_taskloop") || name.starts_with("GOMP_loop_ull_") && name.ends_with("_start")
}

/// May a file of GCC's have such a loop that counts down? Where one begins, the first argument is 1 for up, or for `taskloop` a bit of the sixth.
pub fn may_count_down(path: &Path) -> bool {
    let counts_up = || -> Result<bool, Cause> {
        // Most of it is code, and all of that is looked at.
        let bytes = std::fs::read(path)?;
        let file = ElfFile64::<Endianness>::parse(&*bytes)?;
        if file.architecture() != Architecture::X86_64 {
            return Ok(false);
        }
        let starts = Calls::find(&file, is_right_upwards_alone)?.to(is_right_upwards_alone);
        let all_up = starts.iter().all(|(returns_to, name)| {
            let says_up = if name.starts_with("GOMP_taskloop") { sixth_says_up } else { first_argument };
            let section = file
                .sections()
                .find(|section| (section.address()..section.address() + section.size()).contains(returns_to));
            let code =
                section.as_ref().and_then(|section| Some((section.data().ok()?, returns_to - section.address())));
            code.and_then(|(code, at)| says_up(code.get(..at as usize - SHORT)?)) == Some(true)
        });
        Ok(all_up && !starts.is_empty())
    };
    !counts_up().unwrap_or(false)
}

/// So many bytes before a call its arguments are looked for.
const NEAR: usize = 96;

/// Whether the last constant that code puts into the register of a sixth argument has the bit for up; `None`: none closely before its end.
fn sixth_says_up(code: &[u8]) -> Option<bool> {
    const TASK_FLAG_UP: u32 = 1 << 8;
    let least = code.len().saturating_sub(NEAR);
    (least..code.len()).rev().find_map(|at| match code[at..] {
        [0x41, 0xb9, a, b, c, d, ..] => Some(u32::from_le_bytes([a, b, c, d]) & TASK_FLAG_UP != 0),
        // The register from memory or another one, or by arithmetic.
        [0x44..=0x47, 0x8b, operands, ..] if operands >> 3 & 7 == 1 => Some(false),
        [
            0x41 | 0x45,
            0x89 | 0x31 | 0x09 | 0x21 | 0x81 | 0x83,
            0xc1 | 0xc9 | 0xd1 | 0xd9 | 0xe1 | 0xe9 | 0xf1 | 0xf9,
            ..,
        ] => Some(false),
        _ => None,
    })
}

/// Whether the last constant that code puts into the register of a first argument is 1 or 0; `None`: neither, not closely before its end.
fn first_argument(code: &[u8]) -> Option<bool> {
    let least = code.len().saturating_sub(NEAR).max(1);
    (least..code.len()).rev().find_map(|at| match code[at..] {
        // With a prefix it is another register.
        _ if code[at - 1] & 0xf1 == 0x41 => None,
        [0xbf, value @ (0 | 1), 0, 0, 0, ..] => Some(value == 1),
        [0x31 | 0x33, 0xff, ..] => Some(false),
        _ => None,
    })
}

fn distance(code: &[u8], at: usize) -> i64 {
    code[at..at + 4].try_into().map_or(0, i32::from_le_bytes).into()
}

/// Where the dynamic linker puts functions' addresses.
fn slots<'f, R: ReadRef<'f>>(file: &Elf<'f, R>) -> Vec<(u64, &'f str)> {
    let (Some(relocations), Some(symbols)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return Vec::new();
    };
    let name = |target| match target {
        RelocationTarget::Symbol(index) => symbols.symbol_by_index(index).ok()?.name().ok(),
        _ => None,
    };
    let is_slot = |flags| matches!(flags, RelocationFlags::Elf { r_type: R_X86_64_JUMP_SLOT | R_X86_64_GLOB_DAT });
    let found = relocations.filter(|(_, relocation)| is_slot(relocation.flags()));
    found.filter_map(|(slot, relocation)| Some((slot, name(relocation.target())?))).collect()
}

/// Where code is that the plugin compiled, or may have: functions that mention their image's module record, whatever part of them does;
/// of a file that names no such record, all if it has loop records.
fn plugins(file: &ElfFile64<'_>) -> Result<Vec<(u64, u64)>, Cause> {
    if file.section_by_name(LOOPS_SECTION).is_none() {
        return Ok(Vec::new());
    }
    let records: Vec<_> =
        file.symbols().filter(|symbol| symbol.name() == Ok(MODULE_SYMBOL)).map(|symbol| range(&symbol)).collect();
    if records.is_empty() {
        return Ok(vec![(0, u64::MAX)]);
    }
    let is_placed = file.kind() == ObjectKind::Executable;
    let mut functions = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let (start, code) = (section.address(), section.data()?);
        let of_section = file.symbols().filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.size() > 0 && symbol.section_index() == Some(section.index())
        });
        functions.extend(of_section.map(|symbol| {
            let (begin, end) = range(&symbol);
            let places = begin.wrapping_sub(start) as usize..end.wrapping_sub(start) as usize;
            let mentions = mentions(code.get(places).unwrap_or_default(), begin, is_placed, &records);
            (symbol.name().unwrap_or_default(), (begin, end), mentions)
        }));
    }
    let cold: HashSet<&str> =
        functions.iter().filter(|of| of.2).filter_map(|(name, ..)| Some(name.split_once(".cold")?.0)).collect();
    // Compilers put what several functions have in common into one that has no other name.
    let is_shared = |name: &str| name.starts_with("OUTLINED_FUNCTION_");
    let all = functions.iter().filter(|(name, _, mentions)| *mentions || cold.contains(name) || is_shared(name));
    Ok(all.map(|(_, range, _)| *range).collect())
}

/// Do four bytes of it, as a distance from the end of an instruction, lead there? Behind them may stand a number of one byte or of four.
/// In a program that has its place in memory they may be the address.
fn mentions(code: &[u8], begin: u64, is_placed: bool, places: &[(u64, u64)]) -> bool {
    let leads = |address: u64| places.iter().any(|(from, to)| (*from..*to).contains(&address));
    (0..code.len().saturating_sub(3)).any(|at| {
        let (value, after) = (distance(code, at), begin.wrapping_add(at as u64 + 4));
        [0, 1, 4].iter().any(|more| leads(after.wrapping_add_signed(value + more))) || is_placed && leads(value as u64)
    })
}

fn against(file: &ElfFile64<'_>, calls: &Calls<'_>) -> Option<&'static str> {
    let asks = |wanted: &str| calls.names.iter().any(|name| name.starts_with(wanted));
    let endian = file.endian();
    let mut headers = file.elf_program_headers().iter();
    let has_own = headers.any(|header| header.p_type(endian) == PT_TLS && header.p_memsz(endian) > 0);
    match () {
        () if asks("omp_get_thread_num") || asks("omp_get_ancestor_thread_num") => Some(NUMBER),
        () if asks("__kmpc_threadprivate") || has_own => Some(OWN_DATA),
        () => None,
    }
}

/// Compilers of LLVM have threads step by the stride that the runtime says. Where chunks have one iteration and `distribute` deals to
/// the teams, clang's code does so from iteration to iteration, which holds for no other size.
fn least_chunk(file: &ElfFile64<'_>) -> Result<u32, Cause> {
    let comment = file.section_by_name(".comment").map_or(Ok(&[][..]), |section| section.data())?;
    let is_of = |compiler: &[u8]| comment.windows(compiler.len()).any(|text| text == compiler);
    if !is_of(b"clang version ") && !is_of(b"flang version ") {
        return Ok(u32::MAX);
    }
    // A register gets what says to the runtime that `distribute` begins (`kmp_distribute_static_chunked`, `kmp_distribute_static`).
    let may_distribute = |code: &[u8]| matches!(code, [0xb8..=0xbf, 91 | 92, 0, 0, 0] | [0x6a, 91 | 92, ..]);
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        if section.data()?.windows(SHORT).any(may_distribute) {
            return Ok(2);
        }
    }
    Ok(1)
}

/// Loops of which each is the only one in a function that a compiler has made of a region's body.
fn alone(file: &ElfFile64<'_>, loops: &[u64]) -> HashSet<u64> {
    let is_region =
        |name: &str| (name.contains(".omp_outlined") || name.contains(".omp_par")) && !name.contains(".cold");
    let regions =
        file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.name().is_ok_and(is_region));
    let only = regions.filter_map(|region| {
        let (begin, end) = range(&region);
        let mut inside = loops.iter().filter(|at| (begin + 1..=end).contains(*at));
        inside.next().filter(|_| inside.next().is_none())
    });
    only.copied().collect()
}

fn range<'f>(symbol: &impl ObjectSymbol<'f>) -> (u64, u64) {
    (symbol.address(), symbol.address().saturating_add(symbol.size()))
}

/// What speaks against a loop in its function: all loops that are neighbours there have a barrier in between, or may be mapped alike.
fn of_function(at: u64, functions: &[(u64, u64)], loops: &[u64], barriers: &[u64]) -> Option<&'static str> {
    let before = functions.partition_point(|(begin, _)| *begin < at);
    let own = before.checked_sub(1).map(|own| functions[own]).filter(|(_, end)| at <= *end);
    let Some((begin, end)) = own else { return Some(NO_SYMBOLS) };
    let next = loops.iter().copied().find(|other| *other > at && *other <= end);
    let last = loops.iter().copied().rfind(|other| *other < at && *other >= begin);
    let has_none = |from, to| !barriers.iter().any(|barrier| (from..to).contains(barrier));
    let is_pair = next.is_some_and(|next| has_none(at, next)) || last.is_some_and(|last| has_none(last, at));
    is_pair.then_some(PAIR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_without_a_barrier() {
        let functions = [(100, 200), (200, 300)];
        let of = |at, loops: &[u64], barriers: &[u64]| of_function(at, &functions, loops, barriers);
        assert_eq!(of(150, &[150], &[]), None);
        assert_eq!(of(150, &[150, 250], &[]), None);
        assert_eq!((of(120, &[120, 150], &[]), of(150, &[120, 150], &[])), (Some(PAIR), Some(PAIR)));
        assert_eq!((of(120, &[120, 150], &[130]), of(150, &[120, 150], &[130])), (None, None));
        assert_eq!(of(150, &[120, 150, 180], &[130]), Some(PAIR));
        assert_eq!(of(350, &[350], &[]), Some(NO_SYMBOLS));
    }

    #[test]
    fn constants_of_first_arguments() {
        let (up, down, other) = (&[0xbf, 1, 0, 0, 0][..], &[0x31, 0xff][..], &[0x41, 0xbf, 1, 0, 0, 0][..]);
        let of = |code: &[&[u8]]| first_argument(&[&[0x90], &code.concat()[..]].concat());
        assert_eq!((of(&[up]), of(&[down]), of(&[other])), (Some(true), Some(false), None));
        assert_eq!((of(&[down, up, &[0x90; 50]]), of(&[up, down])), (Some(true), Some(false)));
        assert_eq!((of(&[down, other]), of(&[up, &[0x90; 100]]), of(&[])), (Some(false), None, None));
    }

    #[test]
    fn only_loops() {
        assert_eq!(kind("__kmpc_for_static_init_8u"), Some((64, false)));
        assert_eq!(kind("__kmpc_for_static_init_16"), None);
        assert_eq!(kind("__kmpc_dist_for_static_init_4"), None);
    }
}
