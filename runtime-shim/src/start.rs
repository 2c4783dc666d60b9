//! `ompt_start_tool`: the runtime asks for a tool, and gets the real one wrapped.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::attach::{Way, make_visible};
use crate::hooks::TABLE;
use crate::lookup::look_up;
use crate::object::Object;
use crate::ompt::{Data, LookupFn, StartToolResult};
use crate::runtime::RUNTIME;
use crate::search::{Candidate, Search};
use crate::{chain, report, tally};

/// Nobody asked yet.
const UNASKED: u32 = 0;
/// The search is on.
const SEARCHING: u32 = 1;
/// The search is over.
const ANSWERED: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(UNASKED);
/// What the real tool answered.
static TOOL: AtomicPtr<StartToolResult> = AtomicPtr::new(ptr::null_mut());

/// What we answer. The runtime owns it from then on.
struct Answer(UnsafeCell<StartToolResult>);
// SAFETY: we only take its address; the runtime reads it as OMPT lets it.
unsafe impl Sync for Answer {}

static ANSWER: Answer = Answer(UnsafeCell::new(StartToolResult {
    initialize: Some(initialize),
    finalize: Some(finalize),
    tool_data: Data { value: 0 },
}));

/// Whether a runtime has asked for a tool.
pub(crate) fn was_asked() -> bool {
    STATE.load(Ordering::Relaxed) != UNASKED
}

/// The entry point that OpenMP runtimes look for.
///
/// # Safety
///
/// `runtime_version` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut StartToolResult {
    // SAFETY: passed on.
    catch_unwind(|| unsafe { start_tool(omp_version, runtime_version) }).unwrap_or(ptr::null_mut())
}

/// # Safety
///
/// As for [`ompt_start_tool`].
unsafe fn start_tool(omp_version: c_uint, runtime_version: *const c_char) -> *mut StartToolResult {
    if let Err(state) =
        STATE.compare_exchange(UNASKED, SEARCHING, Ordering::AcqRel, Ordering::Acquire)
    {
        // A tool that itself looks for the next one, the runtime's weak function, or a second
        // runtime: one tool serves one runtime.
        report::explain(format_args!(
            "asked for a tool again while {}: declined",
            if state == SEARCHING {
                "searching for one"
            } else {
                "the search is over"
            }
        ));
        return ptr::null_mut();
    }
    // SAFETY: passed on.
    let tool = unsafe { find_tool(omp_version, runtime_version) };
    TOOL.store(tool.unwrap_or(ptr::null_mut()), Ordering::Release);
    STATE.store(ANSWERED, Ordering::Release);
    match tool {
        Some(_) => ANSWER.0.get(),
        None => ptr::null_mut(),
    }
}

/// # Safety
///
/// As for [`ompt_start_tool`].
unsafe fn find_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> Option<*mut StartToolResult> {
    let shim = Object::of_shim()?;
    let way = Way::find(&shim);
    report::explain(format_args!(
        "libompchunk_rt {} in {}, {way}; asked by {}",
        env!("CARGO_PKG_VERSION"),
        shim.path(),
        // SAFETY: null or a string, says the caller.
        unsafe { text(runtime_version) }
    ));
    // Also for the case that no tool accepts: code that finds the shim then learns that nobody
    // listens, instead of telling its user that the shim is missing.
    make_visible(&shim, way);
    let tool = Search::new(&shim, way).run(|candidate| {
        // SAFETY: passed on.
        unsafe { ask(candidate, omp_version, runtime_version) }
    });
    if tool.is_none() {
        report::explain(format_args!(
            "no events: no tool accepts. Name one after this library, \
             OMP_TOOL_LIBRARIES=libompchunk_rt.so:libtool.so"
        ));
    }
    tool
}

/// # Safety
///
/// As for [`ompt_start_tool`].
unsafe fn ask(
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
unsafe extern "C" fn initialize(
    lookup: Option<LookupFn>,
    initial_device_num: c_int,
    _tool_data: *mut Data,
) -> c_int {
    catch_unwind(AssertUnwindSafe(|| {
        RUNTIME.learn(lookup);
        let tool = TOOL.load(Ordering::Acquire);
        if tool.is_null() {
            return 0;
        }
        // SAFETY: the record the tool gave us, which lives as long as the tool.
        let Some(initialize) = (unsafe { (*tool).initialize }) else {
            return 0;
        };
        // SAFETY: the tool's own function; `tool_data` is the one in the tool's own record.
        let accepted = unsafe {
            initialize(
                Some(look_up),
                initial_device_num,
                &raw mut (*tool).tool_data,
            )
        };
        if accepted == 0 {
            TABLE.close();
            report::explain(format_args!(
                "no events: the tool's initialize switched OMPT off"
            ));
        } else {
            TABLE.open();
        }
        accepted
    }))
    .unwrap_or(0)
}

/// Our `ompt_finalize_t`: first nobody listens any more, then the tool hears of the end.
unsafe extern "C" fn finalize(_tool_data: *mut Data) {
    let _ = catch_unwind(|| {
        TABLE.close();
        chain::close_all();
        tally::summarise();
        let tool = TOOL.load(Ordering::Acquire);
        if tool.is_null() {
            return;
        }
        // SAFETY: as in `initialize`.
        if let Some(finalize) = unsafe { (*tool).finalize } {
            // SAFETY: as in `initialize`.
            unsafe { finalize(&raw mut (*tool).tool_data) };
        }
    });
}

/// # Safety
///
/// `string` is null or a string.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return "an unnamed runtime".to_owned();
    }
    // SAFETY: a string, says the caller.
    unsafe { CStr::from_ptr(string) }
        .to_string_lossy()
        .into_owned()
}
