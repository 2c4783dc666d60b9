//! What a record says.

use std::path::PathBuf;

use crate::numbered::event_fields;

event_fields! {
    /// One sample of one thread.
    Sample<'a> {
        thread: u32, "The thread, numbered as in the part.";
        time: u64, "When, in ticks of the part's clock.";
        cpu_ns: u64, "CPU time of the thread, in nanoseconds, since its sample before, or since its timer was started.";
        state: u32, "`ompt_state_t`, as `ompt_get_state` answered.";
        wait_id: u64, "What the thread waits for, as `ompt_get_state` answered; 0: nothing.";
        region: u64, "The innermost region, numbered as in the part; 0: none, or not known: the signal found the recorder at work.";
        the_loop: u32, "The innermost loop, numbered as in the part; [`crate::NOBODY`]: none, or not known likewise.";
        frames: &'a [u64], "Leaf first: where the thread was, then return addresses.";
        cut: Option<Cut>, "Why frames are missing at the end; `None`: it is the whole stack.";
    }
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
    pub(crate) fn from_number(number: u8) -> Option<Cut> {
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

event_fields! {
    /// What became of the timers' expirations.
    #[derive(Default)]
    Counts {
        samples: u64, "Samples in the file.";
        expired: u64, "Times that timers expired. Where the kernel's tick is longer, or the signal was blocked, one sample's `cpu_ns` \
            stands for several.";
        busy: u64, "Signals without a sample: the thread was just writing a stack itself. The next sample stands for them, too.";
        no_room: u64, "Signals without a sample: there was no room in the file.";
    }
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

event_fields! {
    /// A piece of a module in memory.
    #[derive(Default)]
    Segment {
        address: u64, "Where it was in memory.";
        size: u64, "Its size there.";
        offset: u64, "Where it is in the file.";
    }
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
