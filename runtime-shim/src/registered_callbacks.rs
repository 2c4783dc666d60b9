//! The table of registered callbacks, and the word that tells programs whether anybody listens.
//!
//! Callbacks come and go at any time, from any thread, also from inside a callback or a signal handler, and in a child after
//! `fork`. So nothing here locks. Every writer first changes its slot and then *settles*: it computes the listening word from all
//! slots, swaps it in, and repeats until the slots still say the same. The dispatch callback's mark is settled likewise.
//!
//! Why the word ends up right: swaps of one word are totally ordered and each sees what all earlier
//! writers did before theirs. The writer of the last swap therefore reads the final content of every
//! slot when it checks, and leaves only when the word agrees with it. `tests/loom.rs` explores this.

use ompchunk_abi::{LISTENING, LISTENING_LOOPS, LISTENING_SCHEDULES, LISTENING_TASKS, ON_LISTENING, ON_TIMED};

use crate::constant::const_unless_loom;
use crate::primitive::{AtomicU32, Ordering};
use crate::slot::{Marked, Slot};
use ompt::raw::{ChunkFn, DispatchFn, LoopFn, SubBlockFn, TaskCreationFn, ToolTimeFn, WantedFn};

/// Whether hooks may take their short ways: they count nothing, and find thread-local storage in the quickest way.
#[cfg(not(loom))]
fn short_ways() -> bool {
    !crate::start::report::verbose() && crate::thread::thread_storage::is_near()
}
#[cfg(loom)]
fn short_ways() -> bool {
    true
}

/// The tool is not initialised yet: what it registers counts once it is.
const WAITING: u32 = 0;
const OPEN: u32 = 1;
/// The tool is finalised or switched itself off; nothing can be registered any more.
const CLOSED: u32 = 2;

/// Sub-blocks are wanted, or the tool is to be asked what it wants: a bit of the word that no program tests.
const SUB_BLOCKS: u32 = 1 << 31;
/// A callback wants loops or chunks: likewise. Loops that are only named make programs ask, and this says that nobody listens.
const HEARD: u32 = 1 << 30;
const _: () = assert!((SUB_BLOCKS | HEARD) & LISTENING == 0);

pub struct RegisteredCallbacks {
    /// Marked unless dispatch events are all that is wanted of loops.
    dispatch: Marked<DispatchFn>,
    chunk: Slot<ChunkFn>,
    loops: Slot<LoopFn>,
    creations: Slot<TaskCreationFn>,
    clock: Slot<ToolTimeFn>,
    sub_blocks: Slot<SubBlockFn>,
    /// What says which executions are wanted.
    wanted: Slot<WantedFn>,
    /// Not 0: loops are named to who asks while the runtime tells of their begin.
    named: AtomicU32,
    phase: AtomicU32,
    /// Bits of the word that are set whatever is registered.
    always: AtomicU32,
    listening: AtomicU32,
}

#[cfg(not(loom))]
pub(crate) static CALLBACKS: RegisteredCallbacks = RegisteredCallbacks::empty();

/// For each callback what stands in its slot, and what registers or, with `None`, unregisters it. False: the table is closed.
macro_rules! callbacks {
    ($($slot:ident: $function:ty, $set:ident by $store:ident;)*) => {$(
        #[inline]
        pub fn $slot(&self) -> Option<$function> {
            self.$slot.get()
        }

        pub fn $set(&self, callback: Option<$function>) -> bool {
            self.$store(&|callback| self.$slot.set(callback), callback)
        }
    )*};
}

impl RegisteredCallbacks {
    /// Where [`RegisteredCallbacks::dispatch_alone`] looks: the callback, if the word is above 0.
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    pub(crate) const DISPATCH_AT: usize = core::mem::offset_of!(RegisteredCallbacks, dispatch);

    const_unless_loom! {
        pub fn empty() -> Self {
            Self {
                dispatch: Marked::empty(),
                chunk: Slot::empty(),
                loops: Slot::empty(),
                creations: Slot::empty(),
                clock: Slot::empty(),
                sub_blocks: Slot::empty(),
                wanted: Slot::empty(),
                named: AtomicU32::new(0),
                phase: AtomicU32::new(WAITING),
                always: AtomicU32::new(0),
                listening: AtomicU32::new(0),
            }
        }
    }

    /// The word that programs test: while a tool is initialised, `LISTENING_LOOPS` if a callback is
    /// registered that wants loops or chunks, or if loops are to be named, `LISTENING_TASKS` if one wants the creation of tasks.
    pub fn listening(&self) -> &AtomicU32 {
        &self.listening
    }

    /// Some loops are to run under other schedules, from now on and for good.
    pub fn change_schedules(&self) {
        self.always.store(LISTENING_SCHEDULES, Ordering::Release);
        self.settle();
    }

    callbacks! {
        dispatch: DispatchFn, set_dispatch by register;
        chunk: ChunkFn, set_chunk by register;
        loops: LoopFn, set_loops by register;
        creations: TaskCreationFn, set_creations by register;
        sub_blocks: SubBlockFn, set_sub_blocks by register;
        wanted: WantedFn, set_wanted by register;
        clock: ToolTimeFn, set_clock by store;
    }

    /// The dispatch callback if a tool is initialised and wants nothing else of loops.
    #[inline(always)]
    pub fn dispatch_alone(&self) -> Option<DispatchFn> {
        self.dispatch.unmarked()
    }

    #[inline]
    pub fn times_chunks(&self) -> bool {
        self.chunk.is_set() && self.clock.is_set()
    }

    /// The answer of `enter`, of `ON_*`. Loop events, too, wait for `bookkeeping`: only then is it known what becomes of it.
    #[inline]
    pub fn wants(&self) -> u32 {
        self.answer(self.listening.load(Ordering::Acquire) & HEARD != 0)
    }

    /// Nobody listens to loops, nor wants them named.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.listening.load(Ordering::Acquire) & LISTENING_LOOPS == 0
    }

    #[inline]
    pub fn names_loops(&self) -> bool {
        self.named.load(Ordering::Acquire) != 0
    }

    /// The same, but 0 also where sub-blocks are wanted, or the tool is to be asked.
    #[inline]
    pub fn wants_short_way(&self) -> u32 {
        let word = self.listening.load(Ordering::Acquire);
        self.answer(word & (HEARD | SUB_BLOCKS) == HEARD)
    }

    #[inline(always)]
    fn answer(&self, loops: bool) -> u32 {
        if !loops {
            0
        } else if self.times_chunks() || self.loops.is_set() {
            ON_LISTENING | ON_TIMED
        } else {
            ON_LISTENING
        }
    }

    /// Another runtime, or the same one again, looks for a tool: what is registered counts once it is initialised.
    pub fn begin(&self) {
        self.close();
        self.phase.store(WAITING, Ordering::Release);
    }

    /// The tool is initialised: what it registered counts from now on.
    pub fn open(&self) {
        self.phase.store(OPEN, Ordering::Release);
        self.settle();
    }

    /// The tool is gone: nothing calls it any more, and nothing can be registered.
    pub fn close(&self) {
        self.phase.store(CLOSED, Ordering::Release);
        self.dispatch.set(None);
        self.chunk.set(None);
        self.loops.set(None);
        self.creations.set(None);
        self.clock.set(None);
        self.sub_blocks.set(None);
        self.wanted.set(None);
        self.named.store(0, Ordering::Release);
        self.settle();
    }

    /// Has loops named, or not any more. False: the table is closed.
    pub fn name_loops(&self, on: bool) -> bool {
        self.register(&|on| self.named.store(on.is_some().into(), Ordering::Release), on.then_some(()))
    }

    /// A registration that meets `close` is taken back: either `close` clears the slot after it, or it sees the phase.
    fn store<F>(&self, set: &dyn Fn(Option<F>), function: Option<F>) -> bool {
        set(function);
        let open = self.phase.load(Ordering::Acquire) != CLOSED;
        if !open {
            set(None);
        }
        open
    }

    /// Registers a callback for which the word may change.
    fn register<F>(&self, set: &dyn Fn(Option<F>), callback: Option<F>) -> bool {
        let stored = self.store(set, callback);
        self.settle();
        stored
    }

    fn anybody(&self) -> u32 {
        let open = self.phase.load(Ordering::Acquire) == OPEN;
        let when = |is_wanted: bool, bit| if open && is_wanted { bit } else { 0 };
        let loops = self.dispatch.is_set() || self.chunk.is_set() || self.loops.is_set() || self.sub_blocks.is_set();
        self.always.load(Ordering::Acquire)
            | when(loops, LISTENING_LOOPS | HEARD)
            | when(self.names_loops(), LISTENING_LOOPS)
            | when(self.sub_blocks.is_set() || self.wanted.is_set(), SUB_BLOCKS)
            | when(self.creations.is_set(), LISTENING_TASKS)
    }

    fn dispatch_is_alone(&self) -> bool {
        let open = self.phase.load(Ordering::Acquire) == OPEN;
        let chunks_alone = !self.chunk.is_set() && !self.loops.is_set() && !self.sub_blocks.is_set();
        open && chunks_alone && !self.wanted.is_set() && short_ways()
    }

    fn settle(&self) {
        loop {
            let (word, alone) = (self.anybody(), self.dispatch_is_alone());
            self.listening.swap(word, Ordering::AcqRel);
            self.dispatch.mark(!alone);
            if self.anybody() == word && self.dispatch_is_alone() == alone {
                return;
            }
        }
    }
}
