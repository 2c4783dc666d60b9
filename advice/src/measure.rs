//! What dealing a chunk costs, measured with the user's own runtime: the library is opened, and a team asks it for chunks
//! without doing anything with them. For a process that does nothing else: a runtime that is opened stays, and one that is
//! none may do anything.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ompchunk_analysis::sched_type::{DYNAMIC, GUIDED, MONOTONIC, NONMONOTONIC};
use ompchunk_figures::median;

use crate::costs::{Measured, PerChunk};

#[repr(C)]
struct Ident {
    reserved: i32,
    flags: i32,
    more: [i32; 2],
    place: *const c_char,
}

const KMPC: i32 = 2;
const CHUNKS: i64 = 20_000;
/// Loops in which beginning one is measured.
const LOOPS: u32 = 50;
const TIMES: usize = 7;

type Microtask = unsafe extern "C" fn(*const i32, *const i32);
type Fork = unsafe extern "C" fn(*const Ident, i32, Microtask, ...);
type PushNumThreads = unsafe extern "C" fn(*const Ident, i32, i32);
type ThreadNum = unsafe extern "C" fn(*const Ident) -> i32;
type Barrier = unsafe extern "C" fn(*const Ident, i32);
type Init<T> = unsafe extern "C" fn(*const Ident, i32, i32, T, T, T, T);
type Next<T> = unsafe extern "C" fn(*const Ident, i32, *mut i32, *mut T, *mut T, *mut T) -> i32;

#[derive(Clone, Copy)]
struct Runtime {
    fork: Fork,
    push_num_threads: PushNumThreads,
    thread_num: ThreadNum,
    barrier: Barrier,
    init_4: Init<i32>,
    next_4: Next<i32>,
    init_8: Init<i64>,
    next_8: Next<i64>,
}

#[derive(Clone, Copy)]
struct Ask {
    threads: u32,
    schedule: u32,
    wide: bool,
    trips: i64,
    loops: u32,
    /// One thread takes all, and the others begin when it is done: a team of one gets the whole loop at once.
    alone: bool,
}

struct Task {
    runtime: Runtime,
    ask: Ask,
    took: Vec<(f64, u64)>,
}

static DONE: AtomicBool = AtomicBool::new(false);

// The runtime passes the team nothing that it need not.
static TASK: Mutex<Option<Task>> = Mutex::new(None);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path} cannot be opened: {why}")]
    Open { path: String, why: String },
    #[error("{path} is not an OpenMP runtime of the kind that clang calls: it has no {symbol}")]
    Symbol { path: String, symbol: &'static str },
    #[error("{path} dealt chunks other than those requested")]
    Chunks { path: String },
}

pub fn measure(library: &Path, threads: u32) -> Result<Measured, Error> {
    let path = library.display().to_string();
    let name = CString::new(library.as_os_str().as_bytes())
        .map_err(|_| Error::Open { path: path.clone(), why: "a zero in its name".to_owned() })?;
    // SAFETY: the name ends with a zero. The library's constructors run, in a process that is there for it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        return Err(Error::Open { path, why: error() });
    }
    let runtime = functions_of(handle, &path)?;
    let threads = threads.max(2);
    let dealt = |schedule: u32, wide: bool, alone: bool| {
        let ask = Ask { threads, schedule, wide, trips: CHUNKS, loops: 1, alone };
        times(runtime, ask).ok_or_else(|| Error::Chunks { path: path.clone() })
    };
    let measured = |schedule: u32, wide: bool| -> Result<PerChunk, Error> {
        Ok(per_chunk(dealt(schedule, wide, true)?, dealt(schedule, wide, false)?))
    };
    let monotonic = measured(DYNAMIC | MONOTONIC, false)?;
    Ok(Measured {
        runtime: file_of(runtime.fork).unwrap_or(path.clone()),
        threads,
        dynamic: measured(DYNAMIC | NONMONOTONIC, false)?,
        dynamic_wide: measured(DYNAMIC | NONMONOTONIC, true)?,
        monotonic,
        guided: per_chunk(guided(runtime, threads, true), guided(runtime, threads, false)),
        begin: begin(runtime, threads, monotonic),
    })
}

fn begin(runtime: Runtime, threads: u32, per_chunk: PerChunk) -> f64 {
    let (schedule, trips) = (DYNAMIC | MONOTONIC, i64::from(threads));
    let ask = Ask { threads, schedule, wide: false, trips, loops: LOOPS, alone: false };
    let per_loop = |(time, _)| time / f64::from(LOOPS * threads);
    let usual = median(taken(runtime, ask).map(per_loop)).unwrap_or(0.0);
    // Each thread asks for a chunk, and once more in vain.
    (usual - 2.0 * per_chunk.alone).max(0.0)
}

/// Chunks of `guided` become smaller, so there are few in a loop: time per chunk, over many loops.
fn guided(runtime: Runtime, threads: u32, alone: bool) -> Vec<f64> {
    let (schedule, loops) = (GUIDED | NONMONOTONIC, if alone { 1 } else { LOOPS });
    let ask = Ask { threads, schedule, wide: true, trips: CHUNKS * CHUNKS, loops, alone };
    let per_chunk = |(time, chunks): (f64, u64)| time / chunks.max(1) as f64;
    taken(runtime, ask).map(per_chunk).collect()
}

fn times(runtime: Runtime, ask: Ask) -> Option<Vec<f64>> {
    let each = |(time, chunks)| (chunks == CHUNKS as u64).then_some(time / CHUNKS as f64);
    // All of them run, whatever one says.
    taken(runtime, ask).collect::<Vec<_>>().into_iter().map(each).collect()
}

/// The time and the chunks of a team's threads together, each time.
fn taken(runtime: Runtime, ask: Ask) -> impl Iterator<Item = (f64, u64)> {
    (0..TIMES)
        .map(move |_| team(runtime, ask).into_iter().fold((0.0, 0), |sum, thread| (sum.0 + thread.0, sum.1 + thread.1)))
}

fn per_chunk(alone: Vec<f64>, together: Vec<f64>) -> PerChunk {
    PerChunk { alone: alone.into_iter().fold(f64::MAX, f64::min), together: median(together).unwrap_or(0.0) }
}

const HERE: Ident = Ident { reserved: 0, flags: KMPC, more: [0; 2], place: c";ompchunk;measure;1;1;;".as_ptr() };

fn team(runtime: Runtime, ask: Ask) -> Vec<(f64, u64)> {
    let lock = || TASK.lock().unwrap_or_else(PoisonError::into_inner);
    *lock() = Some(Task { runtime, ask, took: Vec::new() });
    DONE.store(false, Ordering::Release);
    // SAFETY: the runtime's functions as its compiler calls them: the thread's number is its own, the team's function takes
    // no arguments but the two that the runtime passes.
    unsafe {
        let thread = (runtime.thread_num)(&HERE);
        (runtime.push_num_threads)(&HERE, thread, ask.threads as i32);
        (runtime.fork)(&HERE, 0, work);
    }
    lock().take().map_or_else(Vec::new, |task| task.took)
}

unsafe extern "C" fn work(thread: *const i32, in_team: *const i32) {
    // SAFETY: the runtime passes the thread's numbers, over all teams and in this one.
    let (thread, in_team) = unsafe { (*thread, *in_team) };
    let lock = || TASK.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((runtime, ask)) = lock().as_ref().map(|task| (task.runtime, task.ask)) else { return };
    // SAFETY: every thread of the team comes here, once.
    unsafe { (runtime.barrier)(&HERE, thread) };
    let waits = ask.alone && in_team != 0;
    while waits && !DONE.load(Ordering::Acquire) {
        // Where there are fewer cores than threads, the one that works needs one.
        std::thread::yield_now();
    }
    let begin = Instant::now();
    let mut chunks = 0;
    for _ in 0..ask.loops {
        chunks += if ask.wide {
            drain(runtime.init_8, runtime.next_8, thread, ask.schedule as i32, ask.trips)
        } else {
            drain(runtime.init_4, runtime.next_4, thread, ask.schedule as i32, ask.trips as i32)
        };
    }
    let took = begin.elapsed().as_nanos() as f64;
    if ask.alone && in_team == 0 {
        DONE.store(true, Ordering::Release);
    }
    if let Some(task) = lock().as_mut().filter(|_| !waits) {
        task.took.push((took, chunks));
    }
}

fn drain<T: Copy + From<i8>>(init: Init<T>, next: Next<T>, thread: i32, schedule: i32, trips: T) -> u64 {
    let first = T::from(1);
    let (mut last, mut lower, mut upper, mut stride) = (0, first, first, first);
    let mut chunks = 0;
    // SAFETY: the order of calls that compilers emit: all threads of the team begin the same loop, with the same bounds,
    // and ask for chunks until there are none. The pointers are to variables that live as long.
    unsafe {
        init(&HERE, thread, schedule, first, trips, first, first);
        while next(&HERE, thread, &mut last, &mut lower, &mut upper, &mut stride) != 0 {
            chunks += 1;
        }
    }
    chunks
}

fn functions_of(handle: *mut c_void, path: &str) -> Result<Runtime, Error> {
    let find = |symbol: &'static CStr| {
        // SAFETY: the handle is that of an open library, the name ends with a zero.
        let found = unsafe { libc::dlsym(handle, symbol.as_ptr()) };
        if found.is_null() {
            Err(Error::Symbol { path: path.to_owned(), symbol: symbol.to_str().unwrap_or_default() })
        } else {
            Ok(found)
        }
    };
    // SAFETY: functions of these names have these signatures, which compilers rely on, in every runtime that has them.
    unsafe {
        Ok(Runtime {
            fork: transmute::<*mut c_void, Fork>(find(c"__kmpc_fork_call")?),
            push_num_threads: transmute::<*mut c_void, PushNumThreads>(find(c"__kmpc_push_num_threads")?),
            thread_num: transmute::<*mut c_void, ThreadNum>(find(c"__kmpc_global_thread_num")?),
            barrier: transmute::<*mut c_void, Barrier>(find(c"__kmpc_barrier")?),
            init_4: transmute::<*mut c_void, Init<i32>>(find(c"__kmpc_dispatch_init_4")?),
            next_4: transmute::<*mut c_void, Next<i32>>(find(c"__kmpc_dispatch_next_4")?),
            init_8: transmute::<*mut c_void, Init<i64>>(find(c"__kmpc_dispatch_init_8")?),
            next_8: transmute::<*mut c_void, Next<i64>>(find(c"__kmpc_dispatch_next_8")?),
        })
    }
}

fn file_of(function: Fork) -> Option<String> {
    let mut info = libc::Dl_info { dli_fname: null(), dli_fbase: null_mut(), dli_sname: null(), dli_saddr: null_mut() };
    // SAFETY: the address is in a library that stays open.
    let found = unsafe { libc::dladdr(function as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's own text, which ends with a zero and stays.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    Some(path.canonicalize().as_deref().unwrap_or(path).display().to_string())
}

fn error() -> String {
    // SAFETY: a call without arguments; what it returns is read at once.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: the dynamic linker's own text, which ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
