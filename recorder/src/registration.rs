//! Beginning: the runtime asks for a tool, the tool asks for events.

pub(crate) mod setup;
pub(crate) mod starter;

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

use crate::callbacks::inquiry::INQUIRY;
use crate::clock::core_time::{Also, Processor};
use crate::part::complain::print;
use crate::part::finish::finish;
use crate::registration::setup::{SUB_BLOCK, Setup, Source, WANTED, refuse_privileges};
use crate::stacks::control as stacks;
use crate::stacks::regions::parallel_end_with_stacks;
use crate::tasks::{each_record, events as tasks};
use crate::{
    callbacks, callbacks::work, clock, openacc, openacc::target, part::fork, profile_choice, profile_choice::budget,
    profile_choice::sub_blocks, recorder, steer, tasks::grains,
};

static SOURCE: Mutex<Option<Source>> = Mutex::new(None);
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
            print(format_args!("{message}"));
            0
        }
    })
    .unwrap_or(0)
}

/// The program has begun to exit, or nobody would say so.
static EXITS: AtomicBool = AtomicBool::new(false);

extern "C" fn exit_begins() {
    EXITS.store(true, Ordering::Relaxed);
}

unsafe extern "C" fn finalize(_: *mut Data) {
    let _ = catch_unwind(|| {
        // A runtime that begins anew starts no tool.
        if !EXITS.load(Ordering::Relaxed) && fork::is_writer() {
            print(format_args!(
                "the program ended its OpenMP runtime (omp_pause_resource_all, or a library was unloaded); what it runs with \
                 OpenMP from here on is not recorded"
            ));
        }
        if openacc::is_in_use() {
            // OpenACC goes on; the runtime and the shim may be unloaded.
            steer::forget_runtime();
            INQUIRY.forget();
        } else {
            finish();
        }
    });
}

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
    let mut source = SOURCE.lock().ok().and_then(|mut source| source.take()).unwrap_or_default();
    source.shim = INQUIRY.look_up(entry);
    let clock = clock::start();
    clock::set_rate(clock.hertz);
    budget::start(clock.read);
    if settings.mode.executions {
        setup::start_times_alone();
        clock::forget_cpu();
    }
    // Before the part begins, since its metadata says what will be there; events come only afterwards.
    // Has the shim name loops to who asks as they begin. False: it is not there, or older.
    let names_loops = || {
        // SAFETY: what the shim has under that name, callable at any time.
        entry(c"ompt_chunk_name_loops").is_some_and(|entry| unsafe { transmute::<AnyFn, NameLoopsFn>(entry)(1) != 0 })
    };
    let wanted = Wanted::new(&settings, source.shim, names_loops);
    ask_for_events(set, wanted, &mut source);
    if !matches!(wanted.chunks, Chunks::Named | Chunks::No) {
        tell_what_is_missing(&settings, &source);
    }
    if settings.sample_stacks > 0 {
        stacks::start(settings.sample_stacks as u32, entry(c"ompt_get_state"));
    }
    recorder::start(Setup { directory: setup::directory(), settings, clock, source })?;
    fork::watch();
    Ok(())
}

fn ask_for_events(set: SetCallbackFn, wanted: Wanted, source: &mut Source) {
    let events = match (clock::is_counter(), wanted.settings.mode.cpus) {
        (true, false) => wanted.events::<true, ()>(),
        (true, true) => wanted.events::<true, Processor>(),
        (false, false) => wanted.events::<false, ()>(),
        (false, true) => wanted.events::<false, Processor>(),
    };
    let mut ask = |(name, event, callback): Asked| {
        // SAFETY: each callback has the type of its event.
        let answer = unsafe { set(event, Some(callback)) };
        source.events.insert(name.into(), answer);
        answer
    };
    let mut of_shim = Vec::new();
    for asked in events {
        ask(asked);
        let (name, event, callback) = asked;
        if ["dispatch", "chunk", "loop", SUB_BLOCK, WANTED].contains(&name) {
            of_shim.push((event, callback));
        }
    }
    for (whole, plain) in events_of_target() {
        if ask(whole) < SET_SOMETIMES {
            ask(plain);
        }
    }
    if source.shim {
        steer::takes_away(set, of_shim);
    }
}

fn tell_what_is_missing(settings: &Settings, source: &Source) {
    if source.events.get("dispatch").copied().unwrap_or(0) < SET_SOMETIMES {
        print(format_args!("this OpenMP runtime reports no chunks, so the trace will have none"));
    }
    if settings.mode.profile && !source.profiles() {
        let reason = if source.shim {
            "this libompchunk_rt is older than the recorder and tells of no sub-blocks; take both from one version"
        } else {
            "libompchunk_rt, which divides chunks into sub-blocks, is not attached; start the program with ompchunk record"
        };
        print(format_args!("no profile is recorded: {reason}"));
    }
}

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

#[derive(Clone, Copy)]
struct Wanted<'a> {
    settings: &'a Settings,
    chunks: Chunks,
    profile: bool,
    /// Executions whose chunks cost too much are not told.
    is_bounded: bool,
    shim: bool,
}

type Asked = (&'static str, Event, AnyFn);

macro_rules! event {
    ($name:expr, $event:expr, $callback:expr => $type:ty) => {{
        let callback: $type = $callback;
        // SAFETY: a function of any type may travel as `AnyFn`; the runtime calls it by the type of its event.
        ($name, $event, unsafe { transmute::<$type, AnyFn>(callback) })
    }};
}

impl Wanted<'_> {
    fn new(settings: &Settings, shim: bool, names_loops: impl Fn() -> bool) -> Wanted<'_> {
        let profile = settings.mode.profile && !settings.mode.executions && shim;
        // Who has one of so many recorded has said how much it may cost.
        let is_bounded = profile && settings.mode.sample == 1 && names_loops();
        let chunks = match settings.mode.executions {
            true if names_loops() => Chunks::Named,
            true => Chunks::No,
            false if settings.mode.bookkeeping && shim => Chunks::Timed,
            false => Chunks::Yes,
        };
        Wanted { settings, chunks, profile, is_bounded, shim }
    }

    /// The events that are recorded, with callbacks that read this clock and also look at this. That tasks run is always recorded.
    fn events<const COUNTER: bool, A: Also>(self) -> Vec<Asked> {
        use callbacks::{implicit_task, parallel_begin, parallel_end, sync_region, sync_region_wait};
        let begin = if self.profile { sub_blocks::parallel_begin_of_profile } else { parallel_begin };
        let end = if self.settings.sample_stacks > 0 { parallel_end_with_stacks } else { parallel_end };
        let work = if self.is_bounded { profile_choice::work_of_profile::<COUNTER> } else { work::work::<COUNTER> };
        let task_schedule = if self.settings.mode.tasks {
            grains::task_schedule::<true, A>
        } else {
            grains::task_schedule::<false, ()>
        };
        let mut events = vec![
            event!("thread_begin", raw::EVENT_THREAD_BEGIN, callbacks::thread_begin => ThreadBeginFn),
            event!("thread_end", raw::EVENT_THREAD_END, callbacks::thread_end => ThreadEndFn),
            event!("parallel_begin", raw::EVENT_PARALLEL_BEGIN, begin => ParallelBeginFn),
            event!("parallel_end", raw::EVENT_PARALLEL_END, end => ParallelEndFn),
            event!("implicit_task", raw::EVENT_IMPLICIT_TASK, implicit_task => ImplicitTaskFn),
            event!("control_tool", raw::EVENT_CONTROL_TOOL, callbacks::control_tool => ControlToolFn),
            event!("sync_region_wait", raw::EVENT_SYNC_REGION_WAIT, sync_region_wait => SyncRegionFn),
            event!("work", raw::EVENT_WORK, work => WorkFn),
            event!("sync_region", raw::EVENT_SYNC_REGION, sync_region => SyncRegionFn),
            event!("reduction", raw::EVENT_REDUCTION, sync_region => SyncRegionFn),
            event!("mutex_acquire", raw::EVENT_MUTEX_ACQUIRE, grains::mutex_acquire::<COUNTER> => MutexAcquireFn),
            event!("mutex_acquired", raw::EVENT_MUTEX_ACQUIRED, grains::mutex_acquired::<COUNTER> => MutexFn),
            event!("task_schedule", raw::EVENT_TASK_SCHEDULE, task_schedule => TaskScheduleFn),
        ];
        events.extend(self.events_of_chunks::<COUNTER, A>());
        events
    }

    /// Events of explicit tasks besides that they run, which is always recorded; with the shim what creating them takes.
    fn events_of_tasks<const EACH: bool>(self) -> Vec<Asked> {
        let mut events = vec![
            event!("task_create", raw::EVENT_TASK_CREATE, tasks::task_create::<EACH> => TaskCreateFn),
            event!("dependences", raw::EVENT_DEPENDENCES, each_record::dependences::<EACH> => DependencesFn),
        ];
        if self.shim {
            events.push(
                event!("task_creation", raw::EVENT_TASK_CREATION, tasks::task_creation::<EACH> => TaskCreationFn),
            );
            events.push(event!("tool_time", raw::EVENT_TOOL_TIME, callbacks::tool_time => ToolTimeFn));
        }
        events
    }

    fn events_of_chunks<const COUNTER: bool, A: Also>(self) -> Vec<Asked> {
        let dispatch = match self.chunks {
            Chunks::Timed => callbacks::dispatch_beside_chunk::<COUNTER, A>,
            _ => callbacks::dispatch::<COUNTER, A>,
        };
        let mut events = match self.chunks {
            Chunks::Named => return Vec::new(),
            // Not for what it tells: while somebody listens to loops, the shim knows which loop a thread is in.
            Chunks::No => return vec![event!("loop", raw::EVENT_LOOP, unused => LoopFn)],
            Chunks::Yes | Chunks::Timed => vec![event!("dispatch", raw::EVENT_DISPATCH, dispatch => DispatchFn)],
        };
        events.extend(if self.settings.mode.tasks {
            self.events_of_tasks::<true>()
        } else {
            self.events_of_tasks::<false>()
        });
        if self.profile {
            events.push(event!(SUB_BLOCK, raw::EVENT_SUB_BLOCK, sub_blocks::sub_block::<COUNTER> => SubBlockFn));
        }
        if self.is_bounded {
            events.push(event!(WANTED, raw::EVENT_WANTED, profile_choice::wanted => WantedFn));
        }
        if self.chunks == Chunks::Timed {
            events.push(event!("chunk", raw::EVENT_CHUNK, callbacks::chunk::<A> => ChunkFn));
        }
        events
    }
}

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

/// `ompt_callback_loop`, asked for where no chunks are.
unsafe extern "C" fn unused(_: LoopSched, _: Endpoint, _: *mut Data, _: *mut Data, _: c_int, _: i64, _: *const c_void) {
}
