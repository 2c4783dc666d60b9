//! What is kept for a thread whose stack is sampled: all that its signal handler needs, made beforehand. Threads are found by a
//! number that their timer carries, since thread-local storage may allocate when it is touched.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use ompchunk_guest::memory::{self, Grow};
use ompchunk_trace_format::stacks::encode::{self, Store};
use ompchunk_trace_format::stacks::layout::{BLOCK_HEAD, BLOCK_SIZE, MOST_FRAMES, block};
use ompchunk_trace_format::stacks::{Cut, Sample};

use crate::clock;
use crate::lock::Lock;
use crate::stacks::modules::Modules;
use crate::stacks::output::Output;
use crate::stacks::registers::Cache;
use crate::stacks::{hazard, rest};

const MOST_THREADS: usize = 1 << 14;
const WORDS: usize = BLOCK_SIZE / 8;

/// What its own thread and its handler use. The handler comes between any two instructions of the thread, never the reverse.
pub(crate) struct Samples {
    pub(crate) cache: Cache,
    pub(crate) frames: [u64; MOST_FRAMES],
    /// The stack before in the block.
    before: [u64; MOST_FRAMES],
    words: [u64; WORDS],
    written: u64,
    pub(crate) state: State,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) depth: usize,
    /// The recorder is among the frames, ...
    pub(crate) in_recorder: bool,
    /// ... and so many of the first ones are.
    pub(crate) own: usize,
    before_depth: usize,
    used: usize,
    /// Samples of the block that are not written.
    unwritten: u64,
    place: Option<u64>,
    sequence: u32,
    /// What the thread's CPU clock said at the sample before.
    pub(crate) cpu: u64,
    pub(crate) stack: (u64, u64),
    pub(crate) expired: u64,
    pub(crate) busy: u64,
    pub(crate) no_room: u64,
}

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
    /// A `timer_t`, by which any thread may delete it.
    pub(crate) timer: Lock<Option<usize>>,
    pub(crate) is_off: AtomicBool,
    pub(crate) in_handler: AtomicBool,
    /// The thread itself is: the handler leaves `samples` alone.
    pub(crate) is_busy: AtomicBool,
    pub(crate) using: AtomicPtr<Modules>,
    /// When it was looked at last, whether it blocks the signal.
    pub(crate) looked: AtomicU64,
    pub(crate) missed: AtomicU64,
    pub(crate) samples: *mut Samples,
}

// SAFETY: `samples` is the thread's and its handler's, and that of whoever ends the recording when both are at rest (`rest`).
unsafe impl Send for Thread {}
// SAFETY: as above; the rest is atomic, or does not change.
unsafe impl Sync for Thread {}

static TABLE: [AtomicPtr<Thread>; MOST_THREADS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST_THREADS];
static HIGHEST: AtomicU64 = AtomicU64::new(0);
pub(crate) static OVER: AtomicBool = AtomicBool::new(false);
pub(crate) static FREE: Lock<Vec<usize>> = Lock::new(Vec::new());

fn keep_for_others(samples: *mut Samples) {
    memory::push(&mut FREE.lock(), samples as usize);
}

pub(crate) fn find(index: usize, owner: usize) -> Option<&'static Thread> {
    let place = TABLE.get(index)?;
    // SAFETY: null, or leaked by `new`.
    let thread = unsafe { place.load(Ordering::Acquire).as_ref() }?;
    (thread.owner == owner).then_some(thread)
}

pub(crate) fn all() -> impl Iterator<Item = &'static Thread> {
    let highest = hazard::joined(&HIGHEST) as usize;
    // SAFETY: null, or leaked by `new`.
    let get = |thread: &AtomicPtr<Thread>| unsafe { thread.load(Ordering::Acquire).as_ref() };
    TABLE[..highest.min(MOST_THREADS)].iter().filter_map(get)
}

pub(crate) fn forget_all() {
    for place in TABLE.iter().take(HIGHEST.load(Ordering::Relaxed) as usize) {
        place.store(std::ptr::null_mut(), Ordering::Release);
    }
    HIGHEST.store(0, Ordering::Release);
    OVER.store(false, Ordering::Release);
    // What it named is the parent's, and leaks.
    FREE.lock().clear();
}

impl Thread {
    /// Makes what the calling thread needs. `None`: there are too many.
    pub(crate) fn new(owner: usize, number: u32, lane: *mut (), stack: (u64, u64)) -> Option<&'static Thread> {
        let samples = match FREE.lock().pop() {
            Some(free) => free as *mut Samples,
            None => Samples::new()?,
        };
        // SAFETY: just made, or left by a thread that has ended.
        let it = unsafe { &mut *samples };
        it.state = State { stack, cpu: clock::thread_cpu().unwrap_or(0), ..State::default() };
        let mut thread = Box::new(Thread {
            index: 0,
            owner,
            number,
            os_thread: clock::os_thread(),
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

    /// The thread ends, and all is written. Its memory is for another; the few words that name it leak: a handler may look at them.
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

    pub(crate) fn stop_timer(&self) {
        self.is_off.store(true, Ordering::Relaxed);
        if let Some(timer) = self.timer.lock().take() {
            // SAFETY: made for this thread, and deleted once.
            unsafe { libc::timer_delete(timer as libc::timer_t) };
        }
    }

    pub(crate) fn busy(&self, work: impl FnOnce(&mut Samples)) {
        if rest::begin(&self.is_busy, &OVER) {
            // SAFETY: the calling thread's, which a handler leaves alone now; who ends the recording waits or was seen.
            work(unsafe { &mut *self.samples });
        }
        rest::end(&self.is_busy);
    }
}

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
            before: [0; MOST_FRAMES],
            words: [0; WORDS],
            written: 0,
            state: State::default(),
        });
        one.leak().first_mut().map(std::ptr::from_mut)
    }

    pub(crate) fn sample(&mut self, sample: Sample<'_>, output: &Output, often: u64) {
        let stored = self.stack(sample.thread, sample.time, output, |frames, to, same| {
            encode::sample(to, &Sample { frames, ..sample }, same);
        });
        if stored {
            self.state.unwritten += 1;
        } else {
            self.state.no_room += 1;
        }
        if sample.time.wrapping_sub(self.written) > often {
            self.write(output);
            self.written = sample.time;
        }
    }

    pub(crate) fn skip(&mut self, frames: usize) {
        let depth = self.state.depth.min(MOST_FRAMES);
        let frames = frames.min(depth);
        self.frames.copy_within(frames..depth, 0);
        self.state.depth = depth - frames;
    }

    pub(crate) fn fork(&mut self, thread: u32, time: u64, region: u64, cut: Option<Cut>, output: &Output) {
        self.stack(thread, time, output, |frames, to, same| {
            encode::fork(to, time, region, frames, same, cut);
        });
    }

    /// False: there is no room.
    fn stack(&mut self, thread: u32, time: u64, output: &Output, put: impl Fn(&[u64], &mut Into<'_>, usize)) -> bool {
        let frames = &self.frames[..self.state.depth.min(MOST_FRAMES)];
        let same = match self.state.used {
            0 => 0,
            _ => encode::common(frames, &self.before[..self.state.before_depth]),
        };
        let fresh = frames.len() - same;
        if self.state.used == 0 || self.state.used + fresh + encode::MOST_HEAD > WORDS {
            self.write(output);
            self.state.used = 0;
            self.state.place = output.place();
            if self.state.place.is_none() {
                return false;
            }
            let head = encode::block_head(thread, self.state.sequence, time);
            self.words[..BLOCK_HEAD].copy_from_slice(&head);
            self.words[BLOCK_HEAD..].fill(0);
            (self.state.used, self.state.before_depth) = (BLOCK_HEAD, 0);
            self.state.sequence += 1;
        }
        let frames = &self.frames[..self.state.depth.min(MOST_FRAMES)];
        let same = encode::common(frames, &self.before[..self.state.before_depth]);
        let mut into = Into { words: &mut self.words, at: self.state.used };
        put(frames, &mut into, same);
        self.state.used = into.at.min(WORDS);
        self.before = self.frames;
        self.state.before_depth = self.state.depth.min(MOST_FRAMES);
        true
    }

    pub(crate) fn write(&mut self, output: &Output) {
        let Some(place) = self.state.place.filter(|_| self.state.used > BLOCK_HEAD) else { return };
        let number = self.words[block::SEQUENCE] & u64::from(u32::MAX);
        self.words[block::SEQUENCE] = number | (self.state.used as u64 * 8) << 32;
        self.words[block::EXPIRED] = self.state.expired;
        self.words[block::BUSY] = self.state.busy;
        self.words[block::NO_ROOM] = self.state.no_room;
        if !output.write(&self.words, place) {
            self.state.no_room += self.state.unwritten;
        }
        self.state.unwritten = 0;
    }

    pub(crate) fn end(&mut self, output: &Output) {
        self.write(output);
        (self.state.used, self.state.place) = (0, None);
    }
}
