//! What the shim uses of the OpenMP runtime: the entry points its lookup gave us.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr;

use crate::images::object::{Object, symbol_in_program};
use crate::slot::{Function, Slot, from_word, to_word};
use ompt::raw::{
    AnyFn, Data, GetCallbackFn, GetParallelInfoFn, GetStateFn, GetTaskInfoFn, LookupFn, SCHED_MONOTONIC, SET_ERROR,
    SetCallbackFn, TASK_INFO_AVAILABLE,
};

type GetScheduleFn = unsafe extern "C" fn(kind: *mut c_uint, chunk: *mut c_int);
// SAFETY: a function pointer of the C ABI.
unsafe impl Function for GetScheduleFn {}

type GetNumThreadsFn = unsafe extern "C" fn() -> c_int;
// SAFETY: a function pointer of the C ABI.
unsafe impl Function for GetNumThreadsFn {}

pub(crate) static RUNTIME: Runtime = Runtime {
    lookup: Slot::empty(),
    set_callback: Slot::empty(),
    get_callback: Slot::empty(),
    get_task_info: Slot::empty(),
    get_parallel_info: Slot::empty(),
    get_schedule: Slot::empty(),
    get_num_threads: Slot::empty(),
    get_state: Slot::empty(),
};

/// Its entry points; empty before it initialises the shim.
pub(crate) struct Runtime {
    lookup: Slot<LookupFn>,
    set_callback: Slot<SetCallbackFn>,
    get_callback: Slot<GetCallbackFn>,
    get_task_info: Slot<GetTaskInfoFn>,
    get_parallel_info: Slot<GetParallelInfoFn>,
    get_schedule: Slot<GetScheduleFn>,
    get_num_threads: Slot<GetNumThreadsFn>,
    get_state: Slot<GetStateFn>,
}

impl Runtime {
    pub(crate) fn learn(&self, lookup: Option<LookupFn>) {
        self.lookup.set(lookup);
        self.set_callback.set(self.entry(c"ompt_set_callback"));
        self.get_callback.set(self.entry(c"ompt_get_callback"));
        self.get_task_info.set(self.entry(c"ompt_get_task_info"));
        self.get_parallel_info.set(self.entry(c"ompt_get_parallel_info"));
        self.get_state.set(self.entry(c"ompt_get_state"));
        // The runtime's own: there may be another in the process.
        let runtime = Object::at_address(to_word(lookup).cast::<c_void>().cast_const());
        let symbol = runtime
            .map(|runtime| runtime.symbol(c"omp_get_schedule"))
            .filter(|symbol| !symbol.is_null())
            .unwrap_or_else(|| symbol_in_program(c"omp_get_schedule"));
        // SAFETY: the OpenMP specification fixes the type of the function by this name.
        self.get_schedule.set(unsafe { from_word(symbol.cast()) });
    }

    /// The runtime's answer to a lookup. Safety: `name` is a string.
    pub(crate) unsafe fn look_up(&self, name: *const c_char) -> Option<AnyFn> {
        let lookup = self.lookup.get()?;
        // SAFETY: the runtime's own lookup, with the string the caller vouches for.
        unsafe { lookup(name) }
    }

    pub(crate) fn set_callback(&self, event: c_uint, callback: Option<AnyFn>) -> c_int {
        // SAFETY: the runtime's own; what `callback` must be for `event` is the tool's affair.
        self.set_callback.get().map_or(SET_ERROR, |set| unsafe { set(event, callback) })
    }

    /// `ompt_get_callback`. Safety: `callback` is what the runtime's own function expects.
    pub(crate) unsafe fn get_callback(&self, event: c_uint, callback: *mut Option<AnyFn>) -> c_int {
        // SAFETY: the runtime's own, with the pointer the caller vouches for.
        self.get_callback.get().map_or(0, |get| unsafe { get(event, callback) })
    }

    /// Task data and parallel data of the task that the calling thread runs. Costs about 24 ns.
    #[inline]
    pub(crate) fn current_task(&self) -> Option<(*mut Data, *mut Data)> {
        self.task(0).map(|task| (task.data, task.parallel_data))
    }

    /// May the calling thread's team have threads of its own that run the same at the same time as another such team,
    /// because several threads run a region around it? What the runtime does not say counts as yes.
    pub(crate) fn is_one_of_several_teams(&self) -> bool {
        let Some(get_parallel_info) = self.get_parallel_info.get() else { return true };
        // None: there is no region.
        let size_at = |level| match parallel_info(get_parallel_info, level) {
            (TASK_INFO_AVAILABLE, _, size) => Some(size),
            (0, ..) => None,
            _ => Some(c_int::MAX),
        };
        let alone = size_at(0).is_none_or(|size| size <= 1);
        let mut around = (1..).map_while(size_at);
        !alone && around.any(|size| size != 1)
    }

    /// The calling thread's place in its team; `None`: it has none of several threads, or that team may be one of several
    /// ([`Self::is_one_of_several_teams`]), or the runtime does not say. The same for all threads of a team.
    pub(crate) fn place_in_only_team(&self) -> Option<PlaceInTeam> {
        let get_parallel_info = self.get_parallel_info.get()?;
        // Each question is asked once, as this is so for each execution of a loop.
        let (answer, _, team_size) = parallel_info(get_parallel_info, 0);
        if answer != TASK_INFO_AVAILABLE || team_size <= 1 {
            return None;
        }
        let (answer, around, size_around) = parallel_info(get_parallel_info, 1);
        if answer != TASK_INFO_AVAILABLE || around.is_null() || size_around != 1 {
            return None;
        }
        let further = |level| match parallel_info(get_parallel_info, level) {
            (0, ..) => None,
            (answer, _, size) => Some(answer == TASK_INFO_AVAILABLE && size == 1),
        };
        if !(2..).map_while(further).all(|is_alone| is_alone) {
            return None;
        }
        Some(PlaceInTeam { around: around.addr(), thread: self.thread_number()? as u32, team_size: team_size as u32 })
    }

    /// Meets the runtime by a string of its own, before it hands its lookup over, if it ever does.
    pub(crate) fn meet(&self, version: *const c_void) {
        let symbol = Object::at_address(version).map(|runtime| runtime.symbol(c"omp_get_num_threads"));
        // SAFETY: null, or the function by this name, of which the OpenMP specification fixes the type.
        self.get_num_threads.set(unsafe { from_word(symbol.unwrap_or(ptr::null_mut()).cast()) });
    }

    pub(crate) fn team_size(&self) -> Option<u64> {
        // SAFETY: the runtime's own.
        u64::try_from(unsafe { self.get_num_threads.get()?() }).ok()
    }

    /// How the runtime deals `schedule(runtime)` on the calling thread, as `omp_sched_t` without its modifier.
    pub(crate) fn schedule(&self) -> Option<c_uint> {
        let get_schedule = self.get_schedule.get()?;
        let (mut kind, mut chunk) = (0, 0);
        // SAFETY: the runtime's own, with places for both results.
        unsafe { get_schedule(&mut kind, &mut chunk) };
        Some(kind & !SCHED_MONOTONIC)
    }

    /// The calling thread's state, one of `STATE_…` of `ompt::raw`, and what it waits for. For a signal handler, too.
    pub(crate) fn state(&self) -> Option<(c_int, u64)> {
        let get_state = self.get_state.get()?;
        let mut wait_id = 0;
        // SAFETY: the runtime's own, with a place for the result.
        let state = unsafe { get_state(&mut wait_id) };
        Some((state, wait_id))
    }

    /// The data of the region so many levels up. None: there is none. For a signal handler, too.
    pub(crate) fn region(&self, level: c_int) -> Option<*mut Data> {
        let (answer, data, _) = parallel_info(self.get_parallel_info.get()?, level);
        (answer == TASK_INFO_AVAILABLE).then_some(data)
    }

    pub(crate) fn task_around(&self) -> Option<*mut Data> {
        self.task(1).map(|task| task.data)
    }

    /// The calling thread's number in its team. None: it is none of OpenMP's.
    pub(crate) fn thread_number(&self) -> Option<c_int> {
        self.task(0).map(|task| task.thread_number)
    }

    /// The task so many levels up: level 0 exists on every OpenMP thread.
    #[inline(always)]
    fn task(&self, level: c_int) -> Option<Task> {
        let get_task_info = self.get_task_info.get()?;
        let (mut flags, mut thread_number) = (0, 0);
        let (mut data, mut frame, mut parallel_data) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the runtime's own, and all results have a place.
        let answer =
            unsafe { get_task_info(level, &mut flags, &mut data, &mut frame, &mut parallel_data, &mut thread_number) };
        (answer == TASK_INFO_AVAILABLE).then_some(Task { data, parallel_data, thread_number })
    }

    fn entry<F: Function>(&self, name: &CStr) -> Option<F> {
        // SAFETY: `name` is a string. OMPT fixes the type of the function behind each name; the callers in `learn` ask for that type.
        unsafe { from_word(to_word(self.look_up(name.as_ptr()))) }
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct PlaceInTeam {
    /// The address of the data of the region around the team's.
    pub(crate) around: usize,
    pub(crate) thread: u32,
    pub(crate) team_size: u32,
}

struct Task {
    data: *mut Data,
    parallel_data: *mut Data,
    thread_number: c_int,
}

/// The runtime's answer to a question about the region so many levels up, that region's data, and the size of its team.
fn parallel_info(get_parallel_info: GetParallelInfoFn, level: c_int) -> (c_int, *mut Data, c_int) {
    let (mut data, mut size) = (ptr::null_mut(), 0);
    // SAFETY: the runtime's own, with places for both results.
    let answer = unsafe { get_parallel_info(level, &mut data, &mut size) };
    (answer, data, size)
}
