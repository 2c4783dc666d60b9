//! The state of each thread, and the list of all of them.

use std::any::Any;
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Running, Tool};

/// What is kept of one thread.
#[derive(Default)]
pub(crate) struct Thread<T> {
    /// The loops that the thread is executing, innermost last.
    pub(crate) stack: Vec<Running>,
    /// The tool's part.
    pub(crate) own: T,
}

/// A thread's state. The lock is uncontended but for the report at the end.
type State = &'static (dyn Any + Send + Sync);

static ALL: Mutex<Vec<State>> = Mutex::new(Vec::new());

thread_local! {
    static MINE: Cell<Option<State>> = const { Cell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calling thread's state.
pub(crate) fn mine<T: Tool>() -> Option<MutexGuard<'static, Thread<T>>> {
    let state = MINE.get().unwrap_or_else(|| {
        // Never freed: the report reads it after the thread has ended.
        let state: State = Box::leak(Box::<Mutex<Thread<T>>>::default());
        lock(&ALL).push(state);
        MINE.set(Some(state));
        state
    });
    state.downcast_ref().map(lock)
}

/// All states, for the report.
pub(crate) fn all<T: Tool>() -> Vec<MutexGuard<'static, Thread<T>>> {
    lock(&ALL)
        .iter()
        .filter_map(|state| state.downcast_ref())
        .map(lock)
        .collect()
}
