//! Beginning: the runtime asks for a tool, the tool asks for events.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ompchunk_guest::door;
use ompchunk_guest::floats::Floats;
use ompchunk_trace_format::Settings;
use ompt::raw;
use ompt::raw::{
    AnyFn, ChunkFn, ControlToolFn, Data, DependencesFn, DispatchFn, Endpoint, Event, ImplicitTaskFn, LookupFn, LoopFn,
    LoopSched, MutexAcquireFn, MutexFn, NameLoopsFn, ParallelBeginFn, ParallelEndFn, SET_SOMETIMES, SetCallbackFn,
    StartToolResult, SubBlockFn, SyncRegionFn, TargetDataOpEmiFn, TargetDataOpFn, TargetEmiFn, TargetFn,
    TargetSubmitEmiFn, TargetSubmitFn, TaskCreateFn, TaskCreationFn, TaskScheduleFn, ThreadBeginFn, ThreadEndFn,
    ToolTimeFn, WantedFn, WorkFn,
};

use crate::complain::say;
use crate::entries::ENTRIES;
use crate::finish::finish;
use crate::setup::{SUB_BLOCK, Setup, Source, WANTED, refuse_privileges};
use crate::stacks::control as stacks;
use crate::stacks::regions::parallel_end_with_stacks;
use crate::tasks::{events as tasks, tell};
use crate::{
    budget, callbacks, clock, control, fork, grains, mutex, openacc, profile_choice, recorder, sampling, setup, steer,
    sub_blocks, target, work,
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
pub unsafe extern "C" fn ompt_start_tool(omp_version: c_uint, runtime_version: *const c_char) -> *mut StartToolResult {
    catch_unwind(|| {
        let runtime = if runtime_version.is_null() {
            String::new()
        } else {
            // SAFETY: a string, says the caller.
            unsafe { CStr::from_ptr(runtime_version) }.to_string_lossy().into_owned()
        };
        if let Ok(mut source) = SOURCE.lock() {
            *source = Some(Source { runtime, omp_version, ..Source::default() });
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
    let _floats = Floats::keep();
    catch_unwind(|| match begin(lookup) {
        Ok(()) => {
            // SAFETY: a function without arguments, of this library.
            let is_told = unsafe { libc::atexit(exit_begins) } == 0;
            EXITS.store(!is_told, Ordering::Relaxed);
            1
        }
        Err(message) => {
            say(format_args!("{message}"));
            0
        }
    })
    .unwrap_or(0)
}

/// The program has begun to exit, or nobody would say so.
static EXITS: AtomicBool = AtomicBool::new(false);

/// Runs before libraries end, the runtime among them.
extern "C" fn exit_begins() {
    EXITS.store(true, Ordering::Relaxed);
}

unsafe extern "C" fn finalize(_: *mut Data) {
    let _ = catch_unwind(|| {
        // A runtime that begins anew starts no tool.
        if !EXITS.load(Ordering::Relaxed) && fork::is_writer() {
            say(format_args!(
                "the program ended its OpenMP runtime (omp_pause_resource_all, or a library was unloaded); what it runs with \
                 OpenMP from here on is not recorded"
            ));
        }
        finalize_part();
    });
}

fn finalize_part() {
    match openacc::is_in_use() {
        false => finish(),
        // OpenACC goes on; the runtime and the shim may be unloaded.
        true => {
            steer::forget_runtime();
            ENTRIES.forget();
        }
    }
}

/// `exit` in a program whose runtime does not finalize its tool, or is finalized by nobody.
extern "C" fn at_exit() {
    let _ = catch_unwind(finish);
}

extern "C" fn at_load() {
    let _ = catch_unwind(door::begin);
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

fn begin(lookup: LookupFn) -> Result<(), String> {
    refuse_privileges()?;
    claim_runtime()?;
    let settings = Settings::read()?;
    let entry = |name: &CStr| {
        // SAFETY: the runtime's or the shim's own lookup, with a string.
        unsafe { lookup(name.as_ptr()) }
    };
    let set = entry(c"ompt_set_callback").ok_or("this OpenMP runtime has no ompt_set_callback")?;
    // SAFETY: that is the type of the function of that name.
    let set: SetCallbackFn = unsafe { transmute(set) };
    let mut source = taken_source();
    source.shim = note_entries(entry);
    let clock = clock::start();
    clock::set_rate(clock.hertz);
    budget::start(clock.read);
    if settings.executions {
        sampling::start_times_alone();
        clock::forget_cpu();
    }
    // Before the part begins, since its metadata says what will be there; events come only afterwards.
    let names = || names_loops(entry(c"ompt_chunk_name_loops"));
    let wanted = Wanted::from_settings(&settings, source.shim, names);
    ask_for_events(set, wanted, &mut source);
    tell_what_is_missing(&settings, wanted.chunks, &source);
    if settings.sample_stacks > 0 {
        stacks::start(settings.sample_stacks as u32, entry(c"ompt_get_state"));
    }
    recorder::start(Setup { directory: setup::directory(), settings, clock, source })?;
    fork::watch();
    Ok(())
}

/// A second runtime is refused.
fn claim_runtime() -> Result<(), String> {
    if BEGAN.swap(true, Ordering::Relaxed) {
        return Err(
            "an OpenMP runtime was loaded again, or a second one asks, and this recorder records one: attach it by \
             OMP_TOOL_LIBRARIES, behind libompchunk_rt.so, and it is loaded again with the runtime"
                .into(),
        );
    }
    Ok(())
}

/// What the runtime said of itself when it asked for a tool.
fn taken_source() -> Source {
    SOURCE.lock().ok().and_then(|mut source| source.take()).unwrap_or_default()
}

/// Keeps the shim's own functions. Whether there is a shim.
fn note_entries(entry: impl Fn(&CStr) -> Option<AnyFn>) -> bool {
    let shim = ENTRIES.set(entry(c"ompt_chunk_get_loop"), entry(c"ompt_chunk_get_variable"));
    ENTRIES.set_schedule(entry(c"ompt_chunk_get_change"));
    ENTRIES.set_section(entry(c"ompt_chunk_get_section"));
    ENTRIES.set_met(entry(c"ompt_chunk_get_met"));
    shim
}

/// Has the shim name loops to who asks as they begin. False: it is not there, or older.
fn names_loops(entry: Option<AnyFn>) -> bool {
    let Some(entry) = entry else { return false };
    // SAFETY: what the shim has under that name, callable at any time.
    unsafe { transmute::<AnyFn, NameLoopsFn>(entry)(1) != 0 }
}

/// Sets the callbacks and notes what the runtime answered.
fn ask_for_events(set: SetCallbackFn, wanted: Wanted, source: &mut Source) {
    let events = if clock::is_counter() { wanted.events::<true>() } else { wanted.events::<false>() };
    let mut of_shim = Vec::new();
    for (name, event, callback) in events {
        // SAFETY: each callback has the type of its event.
        let answer = unsafe { set(event, Some(callback)) };
        source.events.insert(name.into(), answer);
        if ["dispatch", "chunk", "loop", SUB_BLOCK, WANTED].contains(&name) {
            of_shim.push((event, callback));
        }
    }
    for (whole, plain) in events_of_target() {
        for (name, event, callback) in [whole, plain] {
            // SAFETY: as above.
            let answer = unsafe { set(event, Some(callback)) };
            source.events.insert(name.into(), answer);
            if answer >= SET_SOMETIMES {
                break;
            }
        }
    }
    if source.shim {
        steer::takes_away(set, of_shim);
    }
}

/// Says aloud what was asked for and will not be in the trace.
fn tell_what_is_missing(settings: &Settings, chunks: Chunks, source: &Source) {
    if matches!(chunks, Chunks::Named | Chunks::No) {
        return;
    }
    if source.events.get("dispatch").copied().unwrap_or(0) < SET_SOMETIMES {
        say(format_args!("this OpenMP runtime reports no chunks, so the trace will have none"));
    }
    if settings.profile && !source.profiles() {
        let reason = match source.shim {
            true => {
                "this libompchunk_rt is older than the recorder and tells of no sub-blocks; take both from one version"
            }
            false => {
                "libompchunk_rt, which divides chunks into sub-blocks, is not attached; start the program with ompchunk record"
            }
        };
        say(format_args!("no profile is recorded: {reason}"));
    }
}

/// What is recorded of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunks {
    /// Nor any event of the shim: it names loops.
    Named,
    /// The same of a shim that names loops only while somebody listens to them.
    No,
    Yes,
    /// The bookkeeping before them, too.
    Timed,
}

/// What is to be recorded, as far as it decides which events are asked for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    chunks: Chunks,
    profile: bool,
    /// Executions whose chunks cost too much are not told.
    is_bounded: bool,
    stacks: bool,
    /// Explicit tasks one by one.
    tasks: bool,
    /// The processors that grains begin on.
    cpus: bool,
    shim: bool,
}

/// Name and number of an event, and the callback that is called for it.
type Asked = (&'static str, Event, AnyFn);

/// One event, with a callback that has the type of its event.
macro_rules! event {
    ($name:expr, $event:expr, $callback:expr => $type:ty) => {{
        let callback: $type = $callback;
        // SAFETY: a function of any type may travel as `AnyFn`; the runtime calls it by the type of its event.
        ($name, $event, unsafe { transmute::<$type, AnyFn>(callback) })
    }};
}

impl Wanted {
    fn from_settings(settings: &Settings, shim: bool, names_loops: impl Fn() -> bool) -> Wanted {
        let profile = settings.profile && !settings.executions && shim;
        Wanted {
            // Who has one of so many recorded has said how much it may cost.
            is_bounded: profile && settings.sample == 1 && names_loops(),
            chunks: match settings.executions {
                true if names_loops() => Chunks::Named,
                true => Chunks::No,
                false if settings.bookkeeping && shim => Chunks::Timed,
                false => Chunks::Yes,
            },
            profile,
            stacks: settings.sample_stacks > 0,
            tasks: settings.tasks,
            cpus: settings.cpus,
            shim,
        }
    }

    /// The events that are recorded, with callbacks that read this clock.
    fn events<const COUNTER: bool>(self) -> Vec<Asked> {
        let mut events = self.events_of_teams();
        events.extend(events_of_waits::<COUNTER>(self.is_bounded));
        events.push(self.event_of_switches());
        events.extend(self.events_of_chunks::<COUNTER>());
        events
    }

    fn events_of_teams(self) -> Vec<Asked> {
        let parallel_begin: ParallelBeginFn = match self.profile {
            true => sub_blocks::parallel_begin_of_profile,
            false => callbacks::parallel_begin,
        };
        let parallel_end: ParallelEndFn = match self.stacks {
            true => parallel_end_with_stacks,
            false => callbacks::parallel_end,
        };
        vec![
            event!("thread_begin", raw::EVENT_THREAD_BEGIN, callbacks::thread_begin => ThreadBeginFn),
            event!("thread_end", raw::EVENT_THREAD_END, callbacks::thread_end => ThreadEndFn),
            event!("parallel_begin", raw::EVENT_PARALLEL_BEGIN, parallel_begin => ParallelBeginFn),
            event!("parallel_end", raw::EVENT_PARALLEL_END, parallel_end => ParallelEndFn),
            event!("implicit_task", raw::EVENT_IMPLICIT_TASK, callbacks::implicit_task => ImplicitTaskFn),
            event!("control_tool", raw::EVENT_CONTROL_TOOL, control::control_tool => ControlToolFn),
        ]
    }

    /// Events of explicit tasks besides that they run, which is always recorded; with the shim what creating them takes.
    fn events_of_tasks<const EACH: bool>(self) -> Vec<Asked> {
        let mut events = vec![
            event!("task_create", raw::EVENT_TASK_CREATE, tasks::task_create::<EACH> => TaskCreateFn),
            event!("dependences", raw::EVENT_DEPENDENCES, tell::dependences::<EACH> => DependencesFn),
        ];
        if self.shim {
            let creation: TaskCreationFn = match EACH {
                true => tell::task_creation,
                false => tasks::task_creation,
            };
            events.push(event!("task_creation", raw::EVENT_TASK_CREATION, creation => TaskCreationFn));
            events.push(event!("tool_time", raw::EVENT_TOOL_TIME, callbacks::tool_time => ToolTimeFn));
        }
        events
    }

    /// The event that threads begin and leave tasks.
    fn event_of_switches(self) -> Asked {
        let task_schedule: TaskScheduleFn = match (self.tasks, self.cpus) {
            (true, true) => grains::task_schedule::<true, true>,
            (true, false) => grains::task_schedule::<true, false>,
            (false, _) => grains::task_schedule::<false, false>,
        };
        event!("task_schedule", raw::EVENT_TASK_SCHEDULE, task_schedule => TaskScheduleFn)
    }

    fn events_of_chunks<const COUNTER: bool>(self) -> Vec<Asked> {
        let dispatch: DispatchFn = match (self.chunks == Chunks::Timed, self.cpus) {
            (false, false) => callbacks::dispatch::<COUNTER, false>,
            (false, true) => callbacks::dispatch::<COUNTER, true>,
            (true, false) => callbacks::dispatch_beside_chunk::<COUNTER, false>,
            (true, true) => callbacks::dispatch_beside_chunk::<COUNTER, true>,
        };
        let mut events = match self.chunks {
            Chunks::Named => return Vec::new(),
            // Not for what it tells: while somebody listens to loops, the shim knows which loop a thread is in.
            Chunks::No => return vec![event!("loop", raw::EVENT_LOOP, unused_loop => LoopFn)],
            Chunks::Yes | Chunks::Timed => {
                vec![event!("dispatch", raw::EVENT_DISPATCH, dispatch => DispatchFn)]
            }
        };
        events.extend(match self.tasks {
            true => self.events_of_tasks::<true>(),
            false => self.events_of_tasks::<false>(),
        });
        if self.profile {
            events.push(event!(SUB_BLOCK, raw::EVENT_SUB_BLOCK, sub_blocks::sub_block::<COUNTER> => SubBlockFn));
        }
        if self.is_bounded {
            events.push(event!(WANTED, raw::EVENT_WANTED, profile_choice::wanted => WantedFn));
        }
        if self.chunks == Chunks::Timed {
            let chunk: ChunkFn = match self.cpus {
                true => callbacks::chunk::<true>,
                false => callbacks::chunk::<false>,
            };
            events.push(event!("chunk", raw::EVENT_CHUNK, chunk => ChunkFn));
        }
        events
    }
}

/// What they do for devices, with begin and end; beside it what is asked for of a runtime that has not that.
fn events_of_target() -> [(Asked, Asked); 3] {
    [
        (
            event!("target_emi", raw::EVENT_TARGET_EMI, target::target_emi => TargetEmiFn),
            event!("target", raw::EVENT_TARGET, target::target => TargetFn),
        ),
        (
            event!("target_data_op_emi", raw::EVENT_TARGET_DATA_OP_EMI, target::data_op_emi => TargetDataOpEmiFn),
            event!("target_data_op", raw::EVENT_TARGET_DATA_OP, target::data_op => TargetDataOpFn),
        ),
        (
            event!("target_submit_emi", raw::EVENT_TARGET_SUBMIT_EMI, target::submit_emi => TargetSubmitEmiFn),
            event!("target_submit", raw::EVENT_TARGET_SUBMIT, target::submit => TargetSubmitFn),
        ),
    ]
}

/// What threads wait for, and what they share work by.
fn events_of_waits<const COUNTER: bool>(is_bounded: bool) -> [Asked; 6] {
    let work: WorkFn = if is_bounded { profile_choice::work_of_profile::<COUNTER> } else { work::work::<COUNTER> };
    let sync_region: SyncRegionFn = callbacks::sync_region;
    [
        event!("sync_region_wait", raw::EVENT_SYNC_REGION_WAIT, callbacks::sync_region_wait => SyncRegionFn),
        event!("work", raw::EVENT_WORK, work => WorkFn),
        event!("sync_region", raw::EVENT_SYNC_REGION, sync_region => SyncRegionFn),
        event!("reduction", raw::EVENT_REDUCTION, sync_region => SyncRegionFn),
        event!("mutex_acquire", raw::EVENT_MUTEX_ACQUIRE, mutex::mutex_acquire::<COUNTER> => MutexAcquireFn),
        event!("mutex_acquired", raw::EVENT_MUTEX_ACQUIRED, mutex::mutex_acquired::<COUNTER> => MutexFn),
    ]
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
