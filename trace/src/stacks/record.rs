//! What a record says.

use std::path::PathBuf;

/// One sample of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// The thread, numbered as in the part.
    pub thread: u32,
    /// When, in ticks of the part's clock.
    pub time: u64,
    /// CPU time of the thread, in nanoseconds, since the sample before, or since its timer was started: none in which it slept.
    pub cpu_ns: u64,
    /// `ompt_state_t`, as `ompt_get_state` answered.
    pub state: u32,
    /// What the thread waits for, as `ompt_get_state` answered; 0: nothing.
    pub wait_id: u64,
    /// The innermost region, numbered as in the part; 0: none, or not known because the signal found the recorder at work.
    pub region: u64,
    /// The innermost loop, numbered as in the part; [`crate::NOBODY`]: none, or not known likewise.
    pub the_loop: u32,
    /// Leaf first: where the thread was, then return addresses.
    pub frames: &'a [u64],
    /// Why frames are missing at the end; `None`: it is the whole stack.
    pub cut: Option<Cut>,
}

/// Why a stack is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// No unwind information for an address, or none that led on.
    NotUnwound = 1,
    /// More frames than a record can have.
    TooDeep = 2,
    /// The thread was not on its own stack, as in a signal handler with a stack of its own or in a coroutine.
    OtherStack = 3,
    /// Too little of the thread's stack was left to unwind on it.
    LittleStack = 4,
    /// A cause that this reader does not know.
    Unknown = 255,
}

impl Cut {
    pub(crate) fn of(number: u8) -> Option<Cut> {
        Some(match number {
            0 => return None,
            1 => Cut::NotUnwound,
            2 => Cut::TooDeep,
            3 => Cut::OtherStack,
            4 => Cut::LittleStack,
            _ => Cut::Unknown,
        })
    }
}

/// What became of the timers' expirations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Samples in the file.
    pub samples: u64,
    /// Times that timers expired. More than samples where the kernel's tick is longer than the period, or a thread has blocked
    /// the signal: one sample then stands for several, and its `cpu_ns` says for how much.
    pub expired: u64,
    /// Signals without a sample: the thread was just writing a stack itself. The next sample stands for them, too.
    pub busy: u64,
    /// Signals without a sample: there was no room in the file.
    pub no_room: u64,
}

/// A program or library that was loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// Its path; of the program itself what `/proc/self/exe` led to.
    pub path: PathBuf,
    /// The build id of its notes; nothing if it has none.
    pub build_id: Vec<u8>,
    /// What was added to the addresses in the file.
    pub bias: u64,
    /// What was loaded of it and can be executed.
    pub segments: Vec<Segment>,
    /// When it was seen first, in ticks of the part's clock.
    pub from: u64,
    /// When it was seen to be gone; `None`: it stayed.
    pub to: Option<u64>,
}

/// A piece of a module in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Segment {
    /// Where it was in memory.
    pub address: u64,
    /// Its size there.
    pub size: u64,
    /// Where it is in the file.
    pub offset: u64,
}

impl Module {
    /// Whether an address was in it at a time.
    pub fn has(&self, address: u64, time: u64) -> bool {
        let is_loaded = self.to.is_none_or(|to| time < to);
        let has = |segment: &Segment| address.wrapping_sub(segment.address) < segment.size;
        is_loaded && self.segments.iter().any(has)
    }
}

/// The stack at which a region was forked: that of the thread that encountered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// Leaf first: return addresses, from the one into the function that has the region on.
    pub frames: Vec<u64>,
    /// Why frames are missing at the end.
    pub cut: Option<Cut>,
}
