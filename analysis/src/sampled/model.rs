//! What samples tell.

use std::collections::HashMap;
use std::hash::Hash;

/// What a thread is doing, in OpenMP's words. [`State::kind`] says whether that is work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Serial,
    Work,
    /// Combining what threads have reduced.
    Reduction,
    /// At the barrier at the end of a construct.
    ImplicitBarrier,
    ExplicitBarrier,
    /// For tasks: `taskwait`, `taskgroup`.
    TaskWait,
    Lock,
    Critical,
    Ordered,
    Atomic,
    /// A thread of the runtime, between two regions.
    Idle,
}

/// The two that all time is divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Work,
    Wait,
}

impl State {
    pub fn kind(self) -> Kind {
        let works = matches!(self, State::Serial | State::Work | State::Reduction);
        if works { Kind::Work } else { Kind::Wait }
    }
}

pub type StackId = u32;
pub type FrameId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub thread: u32,
    /// When, in ticks of the part's clock: that of the sample, else the first time that it stands for.
    pub time: u64,
    /// So much of the thread's time it stands for, in ticks.
    pub ticks: u64,
    /// CPU time of the thread since its sample before, in nanoseconds.
    pub cpu_ns: u64,
    pub state: State,
    pub region: u64,
    /// Return address of the call that forked it; 0: none, or not known.
    pub fork: u64,
    /// The innermost loop, numbered as in the part; [`ompchunk_trace_format::NOBODY`]: none.
    pub the_loop: u32,
    /// The chunk: its first iteration, and how many it has.
    pub chunk: Option<(u64, u64)>,
    /// As the source has it: no frames of the runtime, no functions that the compiler made.
    pub user: StackId,
    /// As it was; of time without a sample there is none.
    pub machine: Option<StackId>,
}

impl Entry {
    /// Whether a sample was taken. If not, it is time of a kind in which the thread was never met by one.
    pub fn sampled(&self) -> bool {
        self.machine.is_some()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Stack {
    /// Leaf first.
    pub frames: Vec<FrameId>,
    /// Frames towards `main` are missing.
    pub cut: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: u32,
    /// Numbered as in the file of stacks.
    pub module: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Sampled {
    /// By thread, then by time. Those of a thread add up to its time from its beginning to its end.
    pub entries: Vec<Entry>,
    pub stacks: Interned<Stack>,
    pub frames: Interned<Frame>,
    /// Where regions were forked: the frame that has the construct, by return address.
    pub forks: HashMap<u64, FrameId>,
    /// Samples that stand for no time: taken while the recording was paused.
    pub unused: u64,
    /// Modules of which nothing is known, and why.
    pub unreadable: Vec<(std::path::PathBuf, crate::symbols::Unreadable)>,
}

impl Sampled {
    /// The frame that an entry's own time belongs to, if one is known.
    pub fn leaf(&self, entry: &Entry) -> Option<&Frame> {
        let frames = &self.stacks.get(entry.user).frames;
        frames.first().map(|frame| self.frames.get(*frame))
    }

    /// The innermost frame of which a line is known, else the innermost: libraries without lines count to what calls them.
    pub(crate) fn innermost(&self, entry: &Entry) -> Option<&Frame> {
        let frames = &self.stacks.get(entry.user).frames;
        let mut frames = frames.iter().map(|frame| self.frames.get(*frame));
        frames.find(|frame| frame.file.is_some() && frame.line > 0).or_else(|| self.leaf(entry))
    }

    /// The library's function that the program's own code calls there, and the innermost; `None`: own code runs, or names are not known.
    pub(crate) fn called(&self, entry: &Entry) -> Option<(&str, &str)> {
        let frames = &self.stacks.get(entry.user).frames;
        let frame = |at: usize| frames.get(at).map(|frame| self.frames.get(*frame));
        let leaf = frame(0)?;
        let first = |is_own: &dyn Fn(&Frame) -> bool| (1..frames.len()).find(|at| frame(*at).is_some_and(is_own));
        // Where not even the program has lines, that is another module. Stacks within one module are the program itself.
        let is_other = |frame: &Frame| frame.module != leaf.module;
        let own = first(&|frame| frame.line > 0 && (leaf.line == 0 || is_other(frame))).or_else(|| first(&is_other))?;
        let outermost = frame(own - 1)?;
        Some((outermost.function.as_deref()?, leaf.function.as_deref().unwrap_or_default()))
    }
}

#[derive(Debug, Default)]
pub struct Interned<T> {
    all: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    pub(super) fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// Panics if the number is not from here.
    pub fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.all.iter()
    }
}
