//! What is kept for a thread whose stack is sampled: all that its signal handler needs, made beforehand. Threads are found by a
//! number that their timer carries, since thread-local storage may allocate when it is touched.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use ompchunk_guest::memory::{self, Grow};
use ompchunk_trace_format::stacks::Cut;
use ompchunk_trace_format::stacks::encode::{self, SampleHead, Store};
use ompchunk_trace_format::stacks::layout::{BLOCK_HEAD, BLOCK_SIZE, MOST_FRAMES, block};

use crate::lock::Lock;
use crate::stacks::modules::Modules;
use crate::stacks::output::Output;
use crate::stacks::registers::Cache;
use crate::stacks::{hazard, rest};

/// Most threads at once whose stacks are sampled.
const MOST_THREADS: usize = 1 << 14;
const WORDS: usize = BLOCK_SIZE / 8;

pub(crate) struct Timer(pub(crate) libc::timer_t);

// SAFETY: a name for a timer of the process; any thread may delete it.
unsafe impl Send for Timer {}

/// What its own thread and its handler use. The handler comes between any two instructions of the thread, never the other way
/// around.
pub(crate) struct Samples {
    pub(crate) cache: Cache,
    pub(crate) frames: [u64; MOST_FRAMES],
    pub(crate) depth: usize,
    /// The recorder is among them, ...
    pub(crate) in_recorder: bool,
    /// ... and so many of the first ones are.
    pub(crate) own: usize,
    /// The stack before in the block.
    before: [u64; MOST_FRAMES],
    before_depth: usize,
    words: [u64; WORDS],
    used: usize,
    /// Samples of the block that are not written.
    unwritten: u64,
    /// Where the block goes.
    place: Option<u64>,
    sequence: u32,
    written: u64,
    /// What the thread's CPU clock said at the sample before.
    pub(crate) cpu: u64,
    /// Begin and end of the thread's stack.
    pub(crate) stack: (u64, u64),
    pub(crate) expired: u64,
    pub(crate) busy: u64,
    pub(crate) no_room: u64,
}

/// A thread whose stack is sampled.
pub(crate) struct Thread {
    pub(crate) index: usize,
    /// By the address of its control block.
    pub(crate) owner: usize,
    /// As in the part.
    pub(crate) number: u32,
    /// As the kernel has it.
    pub(crate) os_thread: libc::pid_t,
    /// A `Lane`: what the thread is in.
    pub(crate) lane: *mut (),
    pub(crate) timer: Lock<Option<Timer>>,
    /// The handler does nothing any more.
    pub(crate) is_off: AtomicBool,
    /// The handler is at work.
    pub(crate) in_handler: AtomicBool,
    /// The thread itself is: the handler leaves `samples` alone.
    pub(crate) is_busy: AtomicBool,
    /// What the handler or the thread unwinds with.
    pub(crate) using: AtomicPtr<Modules>,
    /// When it was looked at last, whether it blocks the signal.
    pub(crate) looked: AtomicU64,
    /// Signals that came while it was busy.
    pub(crate) missed: AtomicU64,
    pub(crate) samples: *mut Samples,
}

// SAFETY: `samples` is the thread's and its handler's, and that of whoever ends the recording when both are at rest (`rest`).
unsafe impl Send for Thread {}
// SAFETY: as above; the rest is atomic, or does not change.
unsafe impl Sync for Thread {}

static TABLE: [AtomicPtr<Thread>; MOST_THREADS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST_THREADS];
/// Indices below are or were in use.
static HIGHEST: AtomicU64 = AtomicU64::new(0);
/// The recording has ended: samples are used by who ended it.
static OVER: AtomicBool = AtomicBool::new(false);
/// Memory of threads that have ended.
static FREE: Lock<Vec<usize>> = Lock::new(Vec::new());

fn keep_for_others(samples: *mut Samples) {
    memory::push(&mut FREE.lock(), samples as usize);
}

/// The thread of that index, if it is this one.
pub(crate) fn find(index: usize, owner: usize) -> Option<&'static Thread> {
    let place = TABLE.get(index)?;
    // SAFETY: null, or leaked by `new`.
    let thread = unsafe { place.load(Ordering::Acquire).as_ref() }?;
    (thread.owner == owner).then_some(thread)
}

/// For [`rest`].
pub(crate) fn over() -> &'static AtomicBool {
    &OVER
}

/// The recording has ended. Threads that are not at work now stay so.
pub(crate) fn end_all() {
    rest::say_over(&OVER);
}

/// All threads that are sampled.
pub(crate) fn all() -> impl Iterator<Item = &'static Thread> {
    let highest = hazard::joined(&HIGHEST) as usize;
    // SAFETY: null, or leaked by `new`.
    let get = |thread: &AtomicPtr<Thread>| unsafe { thread.load(Ordering::Acquire).as_ref() };
    TABLE[..highest.min(MOST_THREADS)].iter().filter_map(get)
}

pub(crate) fn hold() {
    FREE.take();
}

pub(crate) fn let_go() {
    FREE.release();
}

/// In a forked process: the threads are the parent's.
pub(crate) fn forget_all() {
    for (index, place) in TABLE.iter().enumerate() {
        if index as u64 >= HIGHEST.load(Ordering::Relaxed) {
            break;
        }
        place.store(std::ptr::null_mut(), Ordering::Release);
    }
    HIGHEST.store(0, Ordering::Release);
    OVER.store(false, Ordering::Release);
    // What it named is the parent's, and leaks.
    FREE.lock().clear();
}

impl Thread {
    /// Makes what the calling thread needs. `None`: there are too many.
    pub(crate) fn new(
        owner: usize,
        number: u32,
        lane: *mut (),
        stack: (u64, u64),
        cpu: u64,
    ) -> Option<&'static Thread> {
        let samples = match FREE.lock().pop() {
            Some(free) => free as *mut Samples,
            None => Samples::new()?,
        };
        // SAFETY: just made, or left by a thread that has ended.
        let it = unsafe { &mut *samples };
        it.begin(stack, cpu);
        let mut thread = Box::new(Thread {
            index: 0,
            owner,
            number,
            // SAFETY: takes nothing and cannot fail.
            os_thread: unsafe { libc::gettid() },
            lane,
            timer: Lock::new(None),
            is_off: AtomicBool::new(false),
            in_handler: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            using: AtomicPtr::new(std::ptr::null_mut()),
            looked: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            samples,
        });
        for (index, place) in TABLE.iter().enumerate() {
            thread.index = index;
            let new = Box::into_raw(thread);
            let taken = place.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Relaxed);
            if taken.is_ok() {
                hazard::join(&HIGHEST, index as u64 + 1);
                // SAFETY: just leaked; freed by nobody.
                return Some(unsafe { &*new });
            }
            // SAFETY: nobody else has it.
            thread = unsafe { Box::from_raw(new) };
        }
        keep_for_others(samples);
        None
    }

    /// The thread ends, and what it has is written. Its memory is for another; the few words that name it leak, since a
    /// handler may look at them.
    pub(crate) fn leave(&self) {
        let place = &TABLE[self.index];
        if rest::is_over(&OVER) {
            // Whoever has ended the recording finds it and writes what it has.
            return;
        }
        place.store(std::ptr::null_mut(), Ordering::Release);
        // Who ended it just now may have found it before: then nobody gets the memory.
        if !rest::is_over(&OVER) {
            keep_for_others(self.samples);
        }
    }

    pub(crate) fn is_at_work(&self) -> bool {
        rest::is_at_work(&self.in_handler) || rest::is_at_work(&self.is_busy)
    }

    /// No handler comes any more.
    pub(crate) fn stop_timer(&self) {
        self.is_off.store(true, Ordering::Relaxed);
        if let Some(Timer(timer)) = self.timer.lock().take() {
            // SAFETY: made for this thread, and deleted once.
            unsafe { libc::timer_delete(timer) };
        }
    }

    /// Does something with the samples, in the thread itself, unless the recording has ended.
    pub(crate) fn busy(&self, work: impl FnOnce(&mut Samples)) {
        if rest::begin(&self.is_busy, &OVER) {
            // SAFETY: the calling thread's; a handler that comes now leaves them alone, none is there below this call, and whoever
            // ends the recording waits, or this thread has seen that it did.
            work(unsafe { &mut *self.samples });
        }
        rest::end(&self.is_busy);
    }
}

/// Records go into the block.
struct Into<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl Store for Into<'_> {
    fn put(&mut self, word: u64) {
        if let Some(to) = self.words.get_mut(self.at) {
            *to = word.to_le();
        }
        self.at += 1;
    }
}

impl Samples {
    /// `None`: there is no memory.
    fn new() -> Option<*mut Samples> {
        let mut one = Vec::new();
        if !one.grow(1) {
            return None;
        }
        one.push(Samples {
            cache: Cache::new_in(),
            frames: [0; MOST_FRAMES],
            depth: 0,
            in_recorder: false,
            own: 0,
            before: [0; MOST_FRAMES],
            before_depth: 0,
            words: [0; WORDS],
            used: 0,
            unwritten: 0,
            place: None,
            sequence: 0,
            written: 0,
            cpu: 0,
            stack: (0, 0),
            expired: 0,
            busy: 0,
            no_room: 0,
        });
        one.leak().first_mut().map(std::ptr::from_mut)
    }

    fn begin(&mut self, stack: (u64, u64), cpu: u64) {
        (self.used, self.unwritten, self.place, self.sequence) = (0, 0, None, 0);
        (self.stack, self.cpu) = (stack, cpu);
        (self.expired, self.busy, self.no_room) = (0, 0, 0);
        (self.depth, self.before_depth) = (0, 0);
    }

    /// Stores a sample of the stack in `frames`.
    pub(crate) fn sample(&mut self, thread: u32, head: &SampleHead, cut: Option<Cut>, output: &Output, often: u64) {
        let stored = self.stack(thread, head.time, output, |frames, to, same| {
            encode::sample(to, head, frames, same, cut);
        });
        if stored {
            self.unwritten += 1;
        } else {
            self.no_room += 1;
        }
        if head.time.wrapping_sub(self.written) > often {
            self.write(output);
            self.written = head.time;
        }
    }

    /// Forgets the first frames.
    pub(crate) fn skip(&mut self, frames: usize) {
        let depth = self.depth.min(MOST_FRAMES);
        let frames = frames.min(depth);
        self.frames.copy_within(frames..depth, 0);
        self.depth = depth - frames;
    }

    /// Stores the stack in `frames` as that at which a region was forked.
    pub(crate) fn fork(&mut self, thread: u32, time: u64, region: u64, cut: Option<Cut>, output: &Output) {
        self.stack(thread, time, output, |frames, to, same| {
            encode::fork(to, time, region, frames, same, cut);
        });
    }

    /// False: there is no room.
    fn stack(
        &mut self,
        thread: u32,
        time: u64,
        output: &Output,
        encode: impl Fn(&[u64], &mut Into<'_>, usize),
    ) -> bool {
        let frames = &self.frames[..self.depth.min(MOST_FRAMES)];
        let same = match self.used {
            0 => 0,
            _ => encode::common(frames, &self.before[..self.before_depth]),
        };
        let fresh = frames.len() - same;
        if self.used == 0 || self.used + fresh + encode::MOST_HEAD > WORDS {
            self.write(output);
            self.used = 0;
            self.place = output.place();
            if self.place.is_none() {
                return false;
            }
            let head = encode::block_head(thread, self.sequence, time);
            self.words[..BLOCK_HEAD].copy_from_slice(&head);
            self.words[BLOCK_HEAD..].fill(0);
            (self.used, self.before_depth) = (BLOCK_HEAD, 0);
            self.sequence += 1;
        }
        let frames = &self.frames[..self.depth.min(MOST_FRAMES)];
        let same = encode::common(frames, &self.before[..self.before_depth]);
        let mut into = Into { words: &mut self.words, at: self.used };
        encode(frames, &mut into, same);
        self.used = into.at.min(WORDS);
        self.before = self.frames;
        self.before_depth = self.depth.min(MOST_FRAMES);
        true
    }

    /// Writes the block as it stands.
    pub(crate) fn write(&mut self, output: &Output) {
        let Some(place) = self.place.filter(|_| self.used > BLOCK_HEAD) else {
            return;
        };
        let number = self.words[block::SEQUENCE] & u64::from(u32::MAX);
        self.words[block::SEQUENCE] = number | (self.used as u64 * 8) << 32;
        self.words[block::EXPIRED] = self.expired;
        self.words[block::BUSY] = self.busy;
        self.words[block::NO_ROOM] = self.no_room;
        if !output.write(&self.words, place) {
            self.no_room += self.unwritten;
        }
        self.unwritten = 0;
    }

    /// Another thread's block begins: what is in this one is written.
    pub(crate) fn end(&mut self, output: &Output) {
        self.write(output);
        (self.used, self.place) = (0, None);
    }
}
