//! `ompt_start_tool`: the runtime asks for a tool, and gets the real one wrapped. A life lasts from there to `finalize`; when a
//! runtime is loaded again, or another comes after it, the next begins like the first.

pub(crate) mod attach;
pub(crate) mod environment;
pub(crate) mod lookup;
pub(crate) mod report;
pub(crate) mod search;

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ompchunk_guest::floats::Floats;
use ompt::raw::{Data, EVENT_ERROR, EVENT_THREAD_BEGIN, FinalizeFn, InitializeFn, LookupFn, StartToolResult};

use crate::collector::events::IMPLICIT_TASK;
use crate::collector::listen;
use crate::images::connect::{adopt, promise};
use crate::images::object::{Object, symbol_in_program};
use crate::images::runtime_choice::{FREE, SEARCHING, SERVING, STATE};
use crate::registered_callbacks::CALLBACKS;
use crate::runtime::RUNTIME;
use crate::slot::to_word;
use crate::start::attach::{Attachment, make_visible};
use crate::start::lookup::look_up;
use crate::start::search::{Candidate, Outcome, Search};
use crate::{images::runtime_choice, overrides, overrides::alternation, thread::region_cache};

static TOOL: AtomicPtr<StartToolResult> = AtomicPtr::new(ptr::null_mut());

/// What we answer. The runtime owns it from then on.
struct Answer(UnsafeCell<StartToolResult>);
// SAFETY: we only take its address; the runtime reads it as OMPT lets it.
unsafe impl Sync for Answer {}

impl Answer {
    const fn new(initialize: InitializeFn, finalize: FinalizeFn) -> Self {
        Self(UnsafeCell::new(StartToolResult {
            initialize: Some(initialize),
            finalize: Some(finalize),
            tool_data: Data { value: 0 },
        }))
    }
}

static ANSWER: Answer = Answer::new(initialize, finalize);

/// For tools that have declined: a tool that switches OMPT off. After no answer, the runtime would ask each of them again.
static NOBODY: Answer = Answer::new(initialize_nobody, finalize_nobody);

/// Where there is no tool, but something else to do: schedules take turns from region to region, or there is a collector.
static ALONE: Answer = Answer::new(initialize_alone, finalize);

/// The entry point that OpenMP runtimes look for. Safety: `runtime_version` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(omp_version: c_uint, runtime_version: *const c_char) -> *mut StartToolResult {
    // SAFETY: passed on.
    catch_unwind(|| unsafe { start_tool(omp_version, runtime_version) }).unwrap_or(ptr::null_mut())
}

/// Safety: as for [`ompt_start_tool`].
unsafe fn start_tool(omp_version: c_uint, runtime_version: *const c_char) -> *mut StartToolResult {
    // The version is a string of the runtime's own, whoever passes it on to us.
    let runtime = runtime_choice::runtime_of(runtime_version.cast());
    if let Err(refusal) = begin_search(runtime) {
        return refusal;
    }
    let is_first = runtime_choice::begin(runtime);
    // Nothing of an earlier life is left.
    region_cache::end();
    CALLBACKS.begin();
    lookup::begin_links();
    lookup::begin();
    report::begin_counts();
    search::close_tool();
    // The runtime has no team yet.
    overrides::begin();
    if overrides::any() {
        RUNTIME.meet(runtime_version.cast());
        promise();
    }
    // SAFETY: passed on.
    let found = unsafe { find_tool(omp_version, runtime_version, is_first) };
    TOOL.store(found.answer.unwrap_or(ptr::null_mut()), Ordering::Release);
    runtime_choice::set_active(found.answer.is_some());
    adopt();
    if found.answer.is_some() {
        return serve(&ANSWER);
    }
    // Both are asked: what stays for one may serve the other.
    let (for_collector, for_regions) = (listen::wants_to_stay(), overrides::count_regions());
    if for_collector || for_regions {
        return serve(&ALONE);
    }
    STATE.store(FREE, Ordering::Release);
    // A set-user-ID program shall not load what whoever starts it names, and some runtimes would.
    nobody(found.declined || environment::is_ignored())
}

/// This thread begins to search a tool for the runtime. Else what the runtime is told.
fn begin_search(runtime: usize) -> Result<(), *mut StartToolResult> {
    while let Err(state) = STATE.compare_exchange(FREE, SEARCHING, Ordering::AcqRel, Ordering::Acquire) {
        if state == SEARCHING {
            // A tool that itself looks for the next one, or the runtime's weak function.
            report::explain(format_args!("asked for a tool again while searching for one: declined"));
            return Err(ptr::null_mut());
        }
        if runtime_choice::is_gone() {
            // It went without a word.
            end_life();
        } else if runtime_choice::is_another(runtime) {
            // A tool keeps what a runtime's lookup gave it in one place: asked by a second one, it would mix up the two.
            runtime_choice::note_second();
            runtime_choice::say_second(runtime);
            return Err(nobody(true));
        } else {
            // It may be another.
            if runtime == 0 {
                runtime_choice::note_second();
            }
            report::explain(format_args!("asked for a tool again while the search is over: declined"));
            return Err(ptr::null_mut());
        }
    }
    Ok(())
}

fn serve(answer: &Answer) -> *mut StartToolResult {
    listen::stays();
    STATE.store(SERVING, Ordering::Release);
    answer.0.get()
}

/// No tool. `is_final`: the runtime shall not look for Archer itself either, which programs with ThreadSanitizer need.
fn nobody(is_final: bool) -> *mut StartToolResult {
    if is_final && symbol_in_program(c"__tsan_init").is_null() { NOBODY.0.get() } else { ptr::null_mut() }
}

fn end_life() {
    region_cache::end();
    CALLBACKS.close();
    lookup::close_links();
    listen::detach();
    runtime_choice::set_active(false);
    STATE.store(FREE, Ordering::Release);
}

/// Safety: as for [`ompt_start_tool`].
unsafe fn find_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
    is_first: bool,
) -> Outcome<*mut StartToolResult> {
    let Some(shim) = Object::of_shim() else {
        return Outcome { answer: None, declined: false };
    };
    let way = Attachment::find(&shim, is_first);
    let asks = match runtime_version.is_null() {
        true => "an unnamed runtime".into(),
        // SAFETY: a string, says the caller.
        false => unsafe { CStr::from_ptr(runtime_version) }.to_string_lossy(),
    };
    report::explain(format_args!(
        "libompchunk_rt {} in {}, {way}; asked by {asks}",
        env!("CARGO_PKG_VERSION"),
        shim.path()
    ));
    // Also if no tool accepts: code that finds the shim learns that nobody listens, and does not say that it is missing.
    make_visible(&shim, way);
    let mut declined = false;
    let outcome = Search::new(&shim, way).run(|candidate| {
        // SAFETY: passed on.
        let answer = unsafe { start_candidate(candidate, omp_version, runtime_version) };
        declined |= answer.is_none();
        answer
    });
    if outcome.answer.is_some() {
        return outcome;
    }
    let had_one = !TOOL.load(Ordering::Acquire).is_null();
    if had_one && declined {
        report::complain(format_args!(
            "no events: an OpenMP runtime was loaded again, and the tool that served it before declines. Nothing \
             can be done about that but to ask the tool's authors"
        ));
    } else {
        report::explain(format_args!(
            "no events: no tool accepts. Name one after this library, \
             OMP_TOOL_LIBRARIES=libompchunk_rt.so:libtool.so"
        ));
    }
    outcome
}

/// Safety: as for [`ompt_start_tool`].
unsafe fn start_candidate(
    candidate: &Candidate,
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> Option<*mut StartToolResult> {
    let Candidate { start, path, place } = candidate;
    // SAFETY: the tool's own entry point, with the runtime's own arguments.
    let answer = unsafe { start(omp_version, runtime_version) };
    if answer.is_null() {
        report::explain(format_args!("tool {path}, found {place}: declines"));
        return None;
    }
    // SAFETY: not null; a tool returns a record that lives as long as the tool.
    if unsafe { (*answer).initialize }.is_none() {
        report::complain(format_args!(
            "tool {path}, found {place}, offers no initialize function and is skipped. Repair the \
             tool; the search goes on with the next"
        ));
        return None;
    }
    report::explain(format_args!("tool {path}, found {place}: accepts"));
    Some(answer)
}

/// Our `ompt_initialize_t`.
unsafe extern "C" fn initialize(lookup: Option<LookupFn>, initial_device_num: c_int, _tool_data: *mut Data) -> c_int {
    let initialized = AssertUnwindSafe(|| {
        let _floats = Floats::keep();
        meet_runtime(lookup);
        initialize_tool(initial_device_num)
    });
    catch_unwind(initialized).unwrap_or(0)
}

fn meet_runtime(lookup: Option<LookupFn>) {
    RUNTIME.learn(lookup);
    if runtime_choice::learn(to_word(lookup).cast::<c_void>()) {
        adopt();
    }
    count_regions();
}

/// What the tool answers, or 1 if the shim stays without it.
fn initialize_tool(initial_device_num: c_int) -> c_int {
    let tool = TOOL.load(Ordering::Acquire);
    if tool.is_null() {
        return 0;
    }
    // SAFETY: the record the tool gave us, which lives as long as the tool.
    let Some(initialize) = (unsafe { (*tool).initialize }) else { return 0 };
    // SAFETY: the tool's own function; `tool_data` is the one in the tool's own record.
    let accepted = unsafe { initialize(Some(look_up), initial_device_num, &raw mut (*tool).tool_data) };
    if accepted != 0 {
        CALLBACKS.open();
        listen::attach();
        return accepted;
    }
    report::explain(format_args!("no events: the tool's initialize switched OMPT off"));
    if listen::wants_to_stay() {
        // The tool does not want to be one, but the shim stays: nothing of what the tool registered is left.
        CALLBACKS.close();
        lookup::close_links();
        runtime_choice::set_active(false);
        TOOL.store(ptr::null_mut(), Ordering::Release);
        for event in EVENT_THREAD_BEGIN..=EVENT_ERROR {
            RUNTIME.set_callback(event, None);
        }
        lookup::begin_links();
        lookup::begin();
        count_regions();
        listen::attach();
        return 1;
    }
    end_life();
    listen::declined();
    0
}

/// Our `ompt_finalize_t`.
unsafe extern "C" fn finalize(_tool_data: *mut Data) {
    let _ = catch_unwind(finalize_tool);
    // From now on the runtime may be unloaded, and loaded again.
    end_life();
}

/// First nobody listens any more, then the tool hears of the end.
fn finalize_tool() {
    // Tools have averages to print.
    let _floats = Floats::keep();
    CALLBACKS.close();
    lookup::close_links();
    report::summarise();
    let tool = TOOL.load(Ordering::Acquire);
    if tool.is_null() {
        return;
    }
    // SAFETY: as in `initialize_tool`.
    if let Some(finalize) = unsafe { (*tool).finalize } {
        // SAFETY: as in `initialize_tool`.
        unsafe { finalize(&raw mut (*tool).tool_data) };
    }
}

/// Where schedules take turns, or blocks are balanced.
fn count_regions() {
    if !overrides::count_regions() {
        return;
    }
    if alternation::PARALLEL_END.hook() {
        let always = || IMPLICIT_TASK.is_always() && alternation::PARALLEL_END.is_always();
        if overrides::learns() && IMPLICIT_TASK.hook() && always() {
            region_cache::begin();
        }
    } else {
        report::complain(format_args!(
            "{}: the runtime does not say when regions end, so of schedules in turn the first is taken, and balanced is static",
            ompchunk_abi::overrides::VARIABLE
        ));
    }
}

/// `ompt_initialize_t` where there is no tool, but something else to do.
unsafe extern "C" fn initialize_alone(lookup: Option<LookupFn>, _: c_int, _: *mut Data) -> c_int {
    let attached = catch_unwind(|| {
        meet_runtime(lookup);
        listen::attach();
    });
    attached.is_ok().into()
}

/// `ompt_initialize_t` where nobody accepted.
unsafe extern "C" fn initialize_nobody(_: Option<LookupFn>, _: c_int, _: *mut Data) -> c_int {
    0
}

/// `ompt_finalize_t` where nobody accepted.
unsafe extern "C" fn finalize_nobody(_: *mut Data) {}
