//! The table of registered callbacks, and the word that tells programs whether anybody listens.
//!
//! Callbacks come and go at any time, from any thread, also from inside a callback or a signal
//! handler, and in a child after `fork`. So nothing here locks. Every writer first changes its slot
//! and then *settles*: it computes the listening word from all slots, swaps it in, and repeats until
//! the slots still say the same after the swap.
//!
//! The mark on the dispatch callback is settled in the same way.
//!
//! Why the word ends up right: swaps of one word are totally ordered and each sees what all earlier
//! writers did before theirs. The writer of the last swap therefore reads the final content of every
//! slot when it checks, and leaves only when the word agrees with it. `tests/loom.rs` explores this.

use ompchunk_abi::{LISTENING, LISTENING_LOOPS, LISTENING_SCHEDULES, LISTENING_TASKS, ON_LISTENING, ON_TIMED};

use crate::constant::const_unless_loom;
use crate::primitive::{AtomicU32, Ordering};
use crate::quiet_slot::Marked;
use crate::slot::{Function, Slot};
use ompt::raw::{ChunkFn, DispatchFn, LoopFn, SubBlockFn, TaskCreationFn, ToolTimeFn, WantedFn};

/// Whether hooks may take their short ways: they count nothing, and find thread-local storage in the quickest way.
#[cfg(not(loom))]
fn short_ways() -> bool {
    !crate::report::verbose() && crate::thread_storage::is_near()
}
#[cfg(loom)]
fn short_ways() -> bool {
    true
}

/// The tool is not initialised yet: what it registers counts once it is.
const WAITING: u32 = 0;
/// The tool is initialised.
const OPEN: u32 = 1;
/// The tool is finalised or switched itself off; nothing can be registered any more.
const CLOSED: u32 = 2;

/// Sub-blocks are wanted, or the tool is to be asked what it wants: a bit of the word that no program tests.
const SUB_BLOCKS: u32 = 1 << 31;
/// A callback wants loops or chunks: likewise. Loops that are only named make programs ask, and this says that nobody listens.
const HEARD: u32 = 1 << 30;
const _: () = assert!((SUB_BLOCKS | HEARD) & LISTENING == 0);

/// The callbacks that the shim itself serves.
pub struct Table {
    /// Marked unless dispatch events are all that is wanted of loops.
    dispatch: Marked<DispatchFn>,
    chunk: Slot<ChunkFn>,
    loops: Slot<LoopFn>,
    creations: Slot<TaskCreationFn>,
    clock: Slot<ToolTimeFn>,
    sub_blocks: Slot<SubBlockFn>,
    wanted: Slot<WantedFn>,
    /// Not 0: loops are named to who asks while the runtime tells of their begin.
    named: AtomicU32,
    phase: AtomicU32,
    /// Bits of the word that are set whatever is registered.
    always: AtomicU32,
    listening: AtomicU32,
}

/// The callbacks of this process's tool.
#[cfg(not(loom))]
pub(crate) static TABLE: Table = Table::empty();

impl Table {
    const_unless_loom! {
        /// An empty table, waiting for its tool.
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

    #[inline]
    pub fn dispatch(&self) -> Option<DispatchFn> {
        self.dispatch.get()
    }

    /// The dispatch callback if a tool is initialised and wants nothing else of loops.
    #[inline(always)]
    pub fn dispatch_alone(&self) -> Option<DispatchFn> {
        self.dispatch.unmarked()
    }

    #[inline]
    pub fn chunk(&self) -> Option<ChunkFn> {
        self.chunk.get()
    }

    #[inline]
    pub fn loops(&self) -> Option<LoopFn> {
        self.loops.get()
    }

    /// The callback for the creation of tasks.
    #[inline]
    pub fn creations(&self) -> Option<TaskCreationFn> {
        self.creations.get()
    }

    /// The callback for sub-blocks.
    #[inline]
    pub fn sub_blocks(&self) -> Option<SubBlockFn> {
        self.sub_blocks.get()
    }

    /// What says which executions are wanted.
    #[inline]
    pub fn wanted(&self) -> Option<WantedFn> {
        self.wanted.get()
    }

    #[inline]
    pub fn clock(&self) -> Option<ToolTimeFn> {
        self.clock.get()
    }

    /// Whether the bookkeeping for chunks is to be timed.
    #[inline]
    pub fn times_chunks(&self) -> bool {
        self.chunk.is_set() && self.clock.is_set()
    }

    /// The answer of `enter` for a loop, a combination of `ENTER_*`. A loop event, too, waits for the first
    /// call of `bookkeeping`: only then is it known what the runtime makes of the loop.
    #[inline]
    pub fn wants(&self) -> u32 {
        self.answer(self.listening.load(Ordering::Acquire) & HEARD != 0)
    }

    /// Nobody listens to loops, nor wants them named.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.listening.load(Ordering::Acquire) & LISTENING_LOOPS == 0
    }

    /// Whether loops are to be named.
    #[inline]
    pub fn names_loops(&self) -> bool {
        self.named.load(Ordering::Acquire) != 0
    }

    /// The same, but 0 also where sub-blocks are wanted, or the tool is to be asked.
    #[inline]
    pub fn usually_wants(&self) -> u32 {
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

    /// Registers or, with `None`, unregisters the chunk callback. False: the table is closed.
    pub fn set_chunk(&self, callback: Option<ChunkFn>) -> bool {
        self.register(&|callback| self.chunk.set(callback), callback)
    }

    /// Registers or unregisters the loop callback. False: the table is closed.
    pub fn set_loops(&self, callback: Option<LoopFn>) -> bool {
        self.register(&|callback| self.loops.set(callback), callback)
    }

    /// Registers or unregisters the callback for the creation of tasks. False: the table is closed.
    pub fn set_creations(&self, callback: Option<TaskCreationFn>) -> bool {
        self.register(&|callback| self.creations.set(callback), callback)
    }

    /// Registers or unregisters the callback for sub-blocks. False: the table is closed.
    pub fn set_sub_blocks(&self, callback: Option<SubBlockFn>) -> bool {
        self.register(&|callback| self.sub_blocks.set(callback), callback)
    }

    /// Registers or unregisters what says which executions are wanted. False: the table is closed.
    pub fn set_wanted(&self, wanted: Option<WantedFn>) -> bool {
        self.register(&|wanted| self.wanted.set(wanted), wanted)
    }

    /// Has loops named, or not any more. False: the table is closed.
    pub fn name_loops(&self, on: bool) -> bool {
        self.named.store(on.into(), Ordering::Release);
        let open = self.phase.load(Ordering::Acquire) != CLOSED;
        if !open {
            self.named.store(0, Ordering::Release);
        }
        self.settle();
        open
    }

    /// Registers or unregisters the clock. False: the table is closed.
    pub fn set_clock(&self, clock: Option<ToolTimeFn>) -> bool {
        self.store(&|clock| self.clock.set(clock), clock)
    }

    /// Registers or unregisters the dispatch callback. False: the table is closed.
    pub fn set_dispatch(&self, callback: Option<DispatchFn>) -> bool {
        self.register(&|callback| self.dispatch.set(callback), callback)
    }

    /// A registration that meets `close` is taken back: either `close` clears the slot after it, or
    /// it sees the phase.
    fn store<F: Function>(&self, set: &dyn Fn(Option<F>), function: Option<F>) -> bool {
        set(function);
        let open = self.phase.load(Ordering::Acquire) != CLOSED;
        if !open {
            set(None);
        }
        open
    }

    /// Registers a callback for which the word may change.
    fn register<F: Function>(&self, set: &dyn Fn(Option<F>), callback: Option<F>) -> bool {
        let stored = self.store(set, callback);
        self.settle();
        stored
    }

    fn anybody(&self) -> u32 {
        let open = self.phase.load(Ordering::Acquire) == OPEN;
        let when = |is_wanted: bool, bit| if open && is_wanted { bit } else { 0 };
        let loops = self.dispatch.is_set() || self.chunk.is_set() || self.loops.is_set() || self.sub_blocks.is_set();
        let tasks = self.creations.is_set();
        self.always.load(Ordering::Acquire)
            | when(loops, LISTENING_LOOPS | HEARD)
            | when(self.names_loops(), LISTENING_LOOPS)
            | when(self.sub_blocks.is_set() || self.wanted.is_set(), SUB_BLOCKS)
            | when(tasks, LISTENING_TASKS)
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
