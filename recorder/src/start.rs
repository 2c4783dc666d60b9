//! Beginning: the runtime asks for a tool, the tool asks for events.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::callbacks;
use crate::clock;
use crate::control;
use crate::entries::ENTRIES;
use crate::finish::finish;
use crate::fork;
use crate::grains;
use crate::mutex;
use crate::openacc;
use crate::recorder;
use crate::reference;
use crate::say::say;
use crate::settings::Settings;
use crate::setup::{SUB_BLOCK, Setup, Source, refuse_privileges};
use crate::stacks::control as stacks;
use crate::stacks::regions::parallel_end_with_stacks;
use crate::steer;
use crate::sub_blocks;
use crate::tasks::events as tasks;
use crate::work;
use ompt::raw::{
    self, AnyFn, ChunkFn, ControlToolFn, Data, DispatchFn, Endpoint, Event, ImplicitTaskFn,
    LookupFn, LoopFn, LoopSched, MutexAcquireFn, MutexFn, ParallelBeginFn, ParallelEndFn,
    SET_SOMETIMES, SetCallbackFn, StartToolResult, SubBlockFn, SyncRegionFn, TaskCreateFn,
    TaskCreationFn, TaskScheduleFn, ThreadBeginFn, ThreadEndFn, ToolTimeFn, WorkFn,
};

static SOURCE: Mutex<Option<Source>> = Mutex::new(None);
/// This copy of the library has recorded a runtime.
static BEGAN: AtomicBool = AtomicBool::new(false);

/// Called by the runtime, or the shim, to find its tool.
///
/// # Safety
///
/// `runtime_version` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut StartToolResult {
    catch_unwind(|| {
        let runtime = if runtime_version.is_null() {
            String::new()
        } else {
            // SAFETY: a string, says the caller.
            unsafe { CStr::from_ptr(runtime_version) }
                .to_string_lossy()
                .into_owned()
        };
        if let Ok(mut source) = SOURCE.lock() {
            *source = Some(Source {
                runtime,
                omp_version,
                ..Source::default()
            });
        }
        // Never freed: the runtime keeps the address.
        Box::into_raw(Box::new(StartToolResult {
            initialize: Some(initialize),
            finalize: Some(finalize),
            tool_data: Data { value: 0 },
        }))
    })
    .unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn initialize(lookup: Option<LookupFn>, _: c_int, _: *mut Data) -> c_int {
    let Some(lookup) = lookup else { return 0 };
    catch_unwind(|| match begin(lookup) {
        Ok(()) => 1,
        Err(message) => {
            say(format_args!("{message}"));
            0
        }
    })
    .unwrap_or(0)
}

unsafe extern "C" fn finalize(_: *mut Data) {
    let _ = catch_unwind(|| match openacc::is_in_use() {
        false => finish(),
        // That goes on; the runtime and the shim may be unloaded.
        true => {
            steer::forget_runtime();
            ENTRIES.forget();
        }
    });
}

/// `exit` in a program whose runtime does not finalize its tool, or is finalized by nobody.
extern "C" fn at_exit() {
    let _ = catch_unwind(finish);
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

fn begin(lookup: LookupFn) -> Result<(), String> {
    refuse_privileges()?;
    if BEGAN.swap(true, Ordering::Relaxed) {
        return Err(
            "an OpenMP runtime was loaded again, or a second one asks, and this recorder records one: attach it by \
             OMP_TOOL_LIBRARIES, behind libompchunk_rt.so, and it is loaded again with the runtime"
                .into(),
        );
    }
    let settings = Settings::read()?;
    let entry = |name: &CStr| {
        // SAFETY: the runtime's or the shim's own lookup, with a string.
        unsafe { lookup(name.as_ptr()) }
    };
    let set = entry(c"ompt_set_callback").ok_or("this OpenMP runtime has no ompt_set_callback")?;
    // SAFETY: that is the type of the function of that name.
    let set: SetCallbackFn = unsafe { transmute(set) };
    let shim = ENTRIES.set(
        entry(c"ompt_chunk_get_loop"),
        entry(c"ompt_chunk_get_variable"),
    );
    ENTRIES.set_schedule(entry(c"ompt_chunk_get_schedule"));
    ENTRIES.set_met(entry(c"ompt_chunk_get_met"));
    let mut source = SOURCE
        .lock()
        .ok()
        .and_then(|mut source| source.take())
        .unwrap_or_default();
    source.shim = shim;
    let clock = clock::start();
    clock::set_rate(clock.hertz);
    // Before the part begins, since its metadata says what will be there; events come only afterwards.
    let profile = settings.profile && !settings.executions && shim;
    let chunks = match settings.executions {
        true => Chunks::No,
        false if settings.bookkeeping && shim => Chunks::Timed,
        false => Chunks::Yes,
    };
    let events = if clock::is_counter() {
        wanted::<true>(chunks, profile, settings.stacks.is_some(), shim)
    } else {
        wanted::<false>(chunks, profile, settings.stacks.is_some(), shim)
    };
    let wants_chunks = chunks != Chunks::No;
    let mut of_shim = Vec::new();
    for (name, event, callback) in events {
        // SAFETY: each callback has the type of its event.
        let answer = unsafe { set(event, Some(callback)) };
        source.events.insert(name.into(), answer);
        if ["dispatch", "chunk", "loop", SUB_BLOCK].contains(&name) {
            of_shim.push((event, callback));
        }
    }
    if shim {
        steer::takes_away(set, of_shim);
    }
    if wants_chunks && source.events.get("dispatch").copied().unwrap_or(0) < SET_SOMETIMES {
        say(format_args!(
            "this OpenMP runtime reports no chunks, so the trace will have none"
        ));
    }
    if settings.profile && wants_chunks && !source.profiles() {
        say(format_args!(
            "no profile is recorded: {}",
            match shim {
                true =>
                    "this libompchunk_rt is older than the recorder and tells of no sub-blocks; take both from one version",
                false =>
                    "libompchunk_rt, which divides chunks into sub-blocks, is not attached; start the program with ompchunk record",
            }
        ));
    }
    if let Some(hertz) = settings.stacks {
        stacks::start(hertz, entry(c"ompt_get_state"));
    }
    recorder::start(Setup {
        settings,
        clock,
        source,
    })?;
    fork::watch();
    Ok(())
}

/// What is recorded of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunks {
    No,
    Yes,
    /// The bookkeeping before them, too.
    Timed,
}

/// Names, numbers and callbacks of the events that are recorded, the frequent ones for this clock.
fn wanted<const COUNTER: bool>(
    chunks: Chunks,
    profile: bool,
    samples: bool,
    shim: bool,
) -> Vec<(&'static str, Event, AnyFn)> {
    // SAFETY: a function of any type may travel as `AnyFn`; the runtime calls it by the type of its event,
    // which each binding states.
    unsafe {
        let any = |function: *const ()| transmute::<*const (), AnyFn>(function);
        let thread_begin: ThreadBeginFn = callbacks::thread_begin;
        let thread_end: ThreadEndFn = callbacks::thread_end;
        let parallel_begin: ParallelBeginFn = match profile {
            true => reference::parallel_begin_of_profile,
            false => callbacks::parallel_begin,
        };
        let parallel_end: ParallelEndFn = match samples {
            true => parallel_end_with_stacks,
            false => callbacks::parallel_end,
        };
        let implicit_task: ImplicitTaskFn = callbacks::implicit_task;
        let sync_region_wait: SyncRegionFn = callbacks::sync_region_wait;
        let work: WorkFn = work::work::<COUNTER>;
        let sync_region: SyncRegionFn = callbacks::sync_region;
        let dispatch: DispatchFn = if chunks == Chunks::Timed {
            callbacks::dispatch_beside_chunk::<COUNTER>
        } else {
            callbacks::dispatch::<COUNTER>
        };
        let control_tool: ControlToolFn = control::control_tool;
        let mutex_acquire: MutexAcquireFn = mutex::mutex_acquire::<COUNTER>;
        let mutex_acquired: MutexFn = mutex::mutex_acquired::<COUNTER>;
        let task_schedule: TaskScheduleFn = grains::task_schedule;
        let mut events = vec![
            (
                "thread_begin",
                raw::EVENT_THREAD_BEGIN,
                any(thread_begin as *const ()),
            ),
            (
                "thread_end",
                raw::EVENT_THREAD_END,
                any(thread_end as *const ()),
            ),
            (
                "parallel_begin",
                raw::EVENT_PARALLEL_BEGIN,
                any(parallel_begin as *const ()),
            ),
            (
                "parallel_end",
                raw::EVENT_PARALLEL_END,
                any(parallel_end as *const ()),
            ),
            (
                "implicit_task",
                raw::EVENT_IMPLICIT_TASK,
                any(implicit_task as *const ()),
            ),
            (
                "control_tool",
                raw::EVENT_CONTROL_TOOL,
                any(control_tool as *const ()),
            ),
            (
                "sync_region_wait",
                raw::EVENT_SYNC_REGION_WAIT,
                any(sync_region_wait as *const ()),
            ),
            ("work", raw::EVENT_WORK, any(work as *const ())),
            (
                "sync_region",
                raw::EVENT_SYNC_REGION,
                any(sync_region as *const ()),
            ),
            (
                "reduction",
                raw::EVENT_REDUCTION,
                any(sync_region as *const ()),
            ),
            (
                "mutex_acquire",
                raw::EVENT_MUTEX_ACQUIRE,
                any(mutex_acquire as *const ()),
            ),
            (
                "mutex_acquired",
                raw::EVENT_MUTEX_ACQUIRED,
                any(mutex_acquired as *const ()),
            ),
            (
                "task_schedule",
                raw::EVENT_TASK_SCHEDULE,
                any(task_schedule as *const ()),
            ),
        ];
        if chunks == Chunks::No {
            // Not for what it tells: while somebody listens to loops, the shim knows which loop a thread is in.
            let callback: LoopFn = unused_loop;
            events.push(("loop", raw::EVENT_LOOP, any(callback as *const ())));
        } else {
            events.push(("dispatch", raw::EVENT_DISPATCH, any(dispatch as *const ())));
            events.extend(of_tasks(shim));
        }
        if profile {
            let sub_block: SubBlockFn = sub_blocks::sub_block::<COUNTER>;
            let sub_block = any(sub_block as *const ());
            events.push((SUB_BLOCK, raw::EVENT_SUB_BLOCK, sub_block));
        }
        if chunks == Chunks::Timed {
            let chunk: ChunkFn = callbacks::chunk;
            events.push(("chunk", raw::EVENT_CHUNK, any(chunk as *const ())));
        }
        events
    }
}

/// Events of explicit tasks besides those that are always recorded; with the shim what creating them takes.
fn of_tasks(shim: bool) -> Vec<(&'static str, Event, AnyFn)> {
    let task_create: TaskCreateFn = tasks::task_create;
    let task_creation: TaskCreationFn = tasks::task_creation;
    let tool_time: ToolTimeFn = callbacks::tool_time;
    // SAFETY: as above.
    let any = |function: *const ()| unsafe { transmute::<*const (), AnyFn>(function) };
    let of_runtime = [(
        "task_create",
        raw::EVENT_TASK_CREATE,
        task_create as *const (),
    )];
    let of_shim = [
        (
            "task_creation",
            raw::EVENT_TASK_CREATION,
            task_creation as *const (),
        ),
        ("tool_time", raw::EVENT_TOOL_TIME, tool_time as *const ()),
    ];
    let all = of_runtime
        .into_iter()
        .chain(of_shim.into_iter().filter(|_| shim));
    all.map(|(name, event, function)| (name, event, any(function)))
        .collect()
}

/// `ompt_callback_loop`, asked for where no chunks are.
unsafe extern "C" fn unused_loop(
    _: LoopSched,
    _: Endpoint,
    _: *mut Data,
    _: *mut Data,
    _: c_int,
    _: i64,
    _: *const c_void,
) {
}
