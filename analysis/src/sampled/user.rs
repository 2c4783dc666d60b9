//! Stacks as the source has them. The runtime's frames are left out; a function that the compiler made of a construct becomes a line
//! of the function that has the construct; and below a worker's frames come those of the thread that forked the region.

use std::collections::HashMap;

use ompchunk_trace_format::name::demangle;
use ompchunk_trace_format::stacks::{Module, StackFile};

use super::model::{Frame, FrameId, Interned, Stack, StackId};
use super::walk::Region;
use crate::symbols::{Looked, SourceFrame, Symbols, outlined};

#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'r> {
    /// Leaf first.
    pub(super) frames: &'r [u64],
    pub(super) cut: bool,
    pub(super) thread: u32,
    /// The innermost region that the thread is in; 0: none.
    pub(super) region: u64,
    pub(super) time: u64,
}

pub(super) struct Stacks<'f> {
    file: &'f StackFile,
    pub(super) symbols: Symbols<'f>,
    regions: HashMap<u64, Region>,
    /// A region with a known fork, by return address of the fork.
    known: HashMap<u64, u64>,
    pub(super) stacks: Interned<Stack>,
    pub(super) frames: Interned<Frame>,
}

/// Regions in each other: more is a damaged file.
const MOST_REGIONS: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Runtime,
    System,
    Code,
}

#[derive(Default)]
struct Building {
    frames: Vec<Frame>,
    /// The last one is of a function that a compiler made, of that symbol's if known; its name is the next one's.
    open: Option<Option<String>>,
}

impl<'f> Stacks<'f> {
    pub(super) fn new(file: &'f StackFile, regions: HashMap<u64, Region>) -> Stacks<'f> {
        let forks = file.forks().keys();
        let code = |it: &u64| regions.get(it).map(|region| (region.code, *it));
        Stacks {
            known: forks.filter_map(code).collect(),
            file,
            symbols: Symbols::new(file),
            regions,
            stacks: Interned::default(),
            frames: Interned::default(),
        }
    }

    pub(super) fn user(&mut self, raw: Raw<'_>) -> StackId {
        let mut to = Building::default();
        self.add(raw.frames, false, raw.time, &mut to);
        let region = self.beyond(raw.region, raw.thread);
        let mut cut = raw.cut;
        if region != 0 && (!raw.cut || to.open.is_some()) {
            cut = !self.join(region, raw.time, &mut to);
        }
        self.finish(to, cut)
    }

    /// Where time belongs that was met by no sample: where its region was forked.
    pub(super) fn of_region(&mut self, region: u64, time: u64) -> StackId {
        let mut to = Building::default();
        let whole = region != 0 && self.join(region, time, &mut to);
        self.finish(to, !whole)
    }

    pub(super) fn nothing(&mut self) -> StackId {
        self.stacks.number(Stack::default())
    }

    pub(super) fn machine(&mut self, raw: Raw<'_>) -> StackId {
        let mut frames = Vec::new();
        for (number, address) in raw.frames.iter().enumerate() {
            let looked = self.symbols.look(*address, number > 0, raw.time);
            let (Some(leaf), Some(called)) = (looked.places.first(), looked.places.last()) else { continue };
            frames.push(self.frames.number(frame(called.symbol.as_deref(), leaf, looked.module)));
        }
        let cut = raw.cut;
        self.stacks.number(Stack { frames, cut })
    }

    /// The frame that forks a region: what has the construct.
    pub(super) fn fork(&mut self, region: u64, time: u64) -> Option<FrameId> {
        let fork = self.file.forks().get(&region)?;
        let mut to = Building::default();
        self.add(&fork.frames, true, time, &mut to);
        Some(self.frames.number(to.frames.into_iter().next()?))
    }

    /// The innermost region around this one, itself included, that another thread forked: those of the thread itself are on its own stack.
    fn beyond(&self, region: u64, thread: u32) -> u64 {
        let own =
            |region: &u64| self.regions.get(region).filter(|known| known.thread == thread).map(|known| known.parent);
        std::iter::successors(Some(region), own).take(MOST_REGIONS + 1).last().unwrap_or(region)
    }

    /// Adds what is below a region's frames, up to `main`. Gives whether it is all known.
    fn join(&mut self, mut region: u64, time: u64, to: &mut Building) -> bool {
        for _ in 0..MOST_REGIONS {
            if region == 0 {
                return true;
            }
            let known = self.regions.get(&region).copied();
            let file = self.file;
            let alike = || self.known.get(&known?.code);
            let fork = file.forks().get(&region);
            let Some(fork) = fork.or_else(|| file.forks().get(alike()?)) else { return false };
            self.add(&fork.frames, true, time, to);
            if fork.cut.is_some() && to.open.is_none() {
                return false;
            }
            let Some(known_region) = known else { return true };
            region = self.beyond(known_region.parent, known_region.thread);
        }
        false
    }

    fn finish(&mut self, mut to: Building, cut: bool) -> StackId {
        to.close(None);
        let frames = to.frames.into_iter();
        let frames = frames.map(|frames| self.frames.number(frames)).collect();
        self.stacks.number(Stack { frames, cut })
    }

    /// Adds the program's frames. `called`: the first one is a return address, too.
    fn add(&mut self, frames: &[u64], called: bool, time: u64, to: &mut Building) {
        let mut all = Vec::with_capacity(frames.len());
        for (number, address) in frames.iter().enumerate() {
            let looked = self.symbols.look(*address, called || number > 0, time);
            let what = what(&looked, looked.module.and_then(|module| self.symbols.module_of(module)));
            // What starts a program is not the program's.
            let is_main =
                what == What::Code && looked.places.last().and_then(|place| place.symbol.as_deref()) == Some("main");
            all.push((what, looked));
            if is_main {
                break;
            }
        }
        while all.last().is_some_and(|(what, _)| *what != What::Code) {
            all.pop();
        }
        // From the end: whether what the runtime called is the program's.
        let mut keep = vec![false; all.len()];
        let mut of_program = true;
        for number in (0..all.len()).rev() {
            let (what, looked) = &all[number];
            let by_runtime = all.get(number + 1).is_some_and(|caller| caller.0 == What::Runtime);
            if by_runtime {
                of_program = *what == What::Code;
            }
            keep[number] = *what != What::Runtime && (of_program || looked.places.iter().any(is_made));
        }
        for ((_, looked), _) in all.into_iter().zip(keep).filter(|(_, keep)| *keep) {
            for place in &looked.places {
                to.add(place, looked.module);
            }
        }
    }
}

impl Building {
    fn add(&mut self, place: &SourceFrame, module: Option<usize>) {
        let symbol = place.symbol.as_deref();
        if let Some(made) = symbol.and_then(outlined) {
            let of = made.of.map(str::to_owned);
            // clang makes two of a construct where it is to be debugged, and puts one into the other.
            match &mut self.open {
                Some(Some(before)) if of.as_ref().is_none_or(|owned| owned == before) => {}
                Some(before @ None) => *before = of,
                _ => {
                    self.close(None);
                    self.frames.push(frame(None, place, module));
                    self.open = Some(of);
                }
            }
            return;
        }
        if self.close(Some(symbol)) {
            return;
        }
        // Nor has the source the copies that optimizers and our plugin make.
        self.frames.push(frame(symbol.map(base), place, module));
    }

    /// The function that a compiler made gets its name; `next` is what comes below it. True: that is the same function.
    fn close(&mut self, next: Option<Option<&str>>) -> bool {
        let Some(of) = self.open.take() else { return false };
        let next = next.flatten();
        let same = match (&of, next) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(of), Some(next)) => base(of) == base(next),
        };
        let symbol = if same { next } else { of.as_deref() };
        if let Some(frame) = self.frames.last_mut() {
            let file = frame.file.as_deref().unwrap_or_default();
            frame.function = symbol.map(|symbol| demangle(base(symbol), file));
        }
        same
    }
}

fn frame(symbol: Option<&str>, place: &SourceFrame, module: Option<usize>) -> Frame {
    let file = place.file.as_deref().unwrap_or_default();
    Frame { function: symbol.map(|symbol| demangle(symbol, file)), file: place.file.clone(), line: place.line, module }
}

fn is_made(place: &SourceFrame) -> bool {
    place.symbol.as_deref().and_then(outlined).is_some()
}

/// Without what is appended to the names of copies: `solve.specialized.1`, `solve.ompchunk`.
fn base(symbol: &str) -> &str {
    symbol.find('.').filter(|at| *at > 0).map_or(symbol, |at| &symbol[..at])
}

fn what(looked: &Looked, module: Option<&Module>) -> What {
    let name = module.and_then(|module| module.path.file_name());
    let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
    let begins = |all: &[&str]| all.iter().any(|it| name.starts_with(it));
    if begins(&["libomp.so", "libiomp5.so", "libompchunk"]) {
        return What::Runtime;
    }
    if begins(&["libc.so", "libc-", "libpthread", "ld-linux", "linux-vdso", "[vdso]"]) {
        return What::System;
    }
    // Linked into the program.
    let symbol = looked.places.last().and_then(|place| place.symbol.as_deref());
    let runtime = ["__kmp", "__ompchunk", "__ompt_", "ompc_"];
    match symbol {
        Some(symbol) if runtime.iter().any(|runtime| symbol.starts_with(runtime)) => What::Runtime,
        Some("_start" | "__libc_start_main" | "start_thread" | "clone" | "clone3") => What::System,
        None if module.is_none() => What::System,
        _ => What::Code,
    }
}
