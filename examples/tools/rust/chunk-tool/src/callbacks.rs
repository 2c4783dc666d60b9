//! From the events of the runtime and of ompchunk to the tool's methods, loop by loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ompt::{Context, End, Endpoint, Start};

use crate::{Chunk, Extension, Known, Running, Source, State, nanoseconds};

/// What is kept of one thread. The lock is uncontended but for the report at the end.
pub type Mine<S> = Arc<Mutex<Thread<S>>>;

/// The loops that a thread is executing, innermost last, and the tool's part.
#[derive(Debug, Default)]
pub struct Thread<S> {
    stack: Vec<Running>,
    own: S,
}

/// All threads: also those that have ended, for the report.
#[derive(Debug)]
pub struct All<S> {
    threads: Mutex<Vec<Mine<S>>>,
    extension: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: State> All<S> {
    /// Registers what a tool needs; `None` where the runtime reports no loops.
    pub fn start<T>(start: &mut Start<'_, T>) -> Option<Self>
    where
        T: ompt::Tool<Thread = Mine<S>> + AsRef<All<S>>,
    {
        let threads = start.threads(
            |cx, _| {
                let mine = Mine::default();
                lock(&cx.tool().as_ref().threads).push(Arc::clone(&mine));
                mine
            },
            |_| {},
        );
        let chunks = start.on_chunk(|cx, chunk| {
            let now = nanoseconds();
            on_event(cx, now, chunk.lower as u64, chunk.iterations(), |running| {
                Some(Extension {
                    bookkeeping: chunk.bookkeeping,
                    last: chunk.is_last,
                    news: running.record.is_none().then(|| Known::current(cx)).flatten(),
                })
            });
        });
        if chunks.is_told() {
            start.clock(nanoseconds);
        }
        let works = start.on_work(|cx, work| {
            let now = nanoseconds();
            if work.is_loop() {
                on_loop(cx, work, now);
            }
        });
        let dispatches = start.on_dispatch(|cx, dispatch| {
            let now = nanoseconds();
            if let (Some(chunk), true) = (dispatch.chunk, dispatch.is_of_loop()) {
                on_event(cx, now, chunk.start, chunk.iterations, |_| None);
            }
        });
        if ![threads, works, dispatches].iter().all(|it| it.is_told()) {
            eprintln!("{}: this OpenMP runtime reports no loops", S::NAME);
            return None;
        }
        Some(All { threads: Mutex::default(), extension: chunks.is_told() })
    }

    /// At the end.
    pub fn report(&self, end: &End<'_>) {
        let threads = lock(&self.threads);
        let mut states: Vec<_> = threads.iter().map(|mine| lock(mine)).collect();
        let mut own: Vec<&mut S> = states.iter_mut().map(|state| &mut state.own).collect();
        let source = Source { extension: self.extension, runtime: &end.runtime.version };
        if let Err(error) = S::report(&mut own, &source) {
            eprintln!("{}: cannot write the report: {error}", S::NAME);
        }
    }
}

fn on_loop<S: State, T: ompt::Tool<Thread = Mine<S>>>(cx: &Context<'_, T>, work: ompt::Work, now: f64) {
    let Some(mine) = cx.thread() else { return };
    let Thread { stack, own } = &mut *lock(&mine);
    if work.endpoint == Endpoint::Begin {
        // A loop of an object compiled without the plugin, called from inside an instrumented one: what ompchunk names is the
        // outer loop.
        let enclosing = stack.last().and_then(|outer| outer.record);
        let running = Running {
            code: work.code,
            record: Known::current(cx).filter(|record| !enclosing.is_some_and(|outer| std::ptr::eq(outer, *record))),
            work: work.kind,
            thread_num: cx.thread_number().unwrap_or(0),
        };
        own.begin(&running, stack.len(), now);
        stack.push(running);
    } else if let Some(running) = stack.pop() {
        own.end(&running, stack.len(), now);
    }
}

fn on_event<S: State, T: ompt::Tool<Thread = Mine<S>>>(
    cx: &Context<'_, T>,
    now: f64,
    first: u64,
    iterations: u64,
    extension: impl FnOnce(&Running) -> Option<Extension>,
) {
    let Some(mine) = cx.thread() else { return };
    let Thread { stack, own } = &mut *lock(&mine);
    let depth = stack.len();
    let Some(running) = stack.last_mut() else {
        return own.outside();
    };
    let chunk = Chunk { first, iterations, extension: extension(running) };
    own.chunk(running, depth - 1, &chunk, now);
}
