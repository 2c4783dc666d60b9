//! The callbacks that the runtime calls, from C to the tool's methods. Nothing unwinds out of them.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ompchunk_abi::LoopRecord;

use crate::ompt::{self, Interface, Lookup, StartToolResult};
use crate::threads::{self, Thread};
use crate::{Chunk, Extension, Running, Source, Tool, nanoseconds};

/// The entry points of the runtime.
struct Runtime {
    get_task_info: Option<ompt::GetTaskInfo>,
    get_loop: Option<ompt::GetLoop>,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
static VERSION: OnceLock<Cow<'static, str>> = OnceLock::new();
static EXTENSION: AtomicBool = AtomicBool::new(false);

/// What `ompt_start_tool` answers. Never freed: the runtime keeps the address.
///
/// # Safety
///
/// `version` is what the runtime gave to `ompt_start_tool`: null, or a string that it keeps.
#[must_use]
pub unsafe fn start<T: Tool>(version: *const c_char) -> *mut StartToolResult {
    if !version.is_null() {
        // SAFETY: not null, so the caller's promise holds.
        let version = unsafe { CStr::from_ptr(version) };
        let _ = VERSION.set(version.to_string_lossy());
    }
    let tool = StartToolResult {
        initialize: initialize::<T>,
        finalize: finalize::<T>,
        tool_data: 0,
    };
    guard(|| Box::into_raw(Box::new(tool))).unwrap_or(null_mut())
}

fn guard<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

unsafe extern "C" fn initialize<T: Tool>(lookup: Lookup, _: c_int, _: *mut c_void) -> c_int {
    // SAFETY: the names are C strings, and an entry point that the runtime returns for a name has
    // the type that the specification (or `ompt-chunk.h`) gives to that name. An `Option` of a
    // function pointer is null for "not there".
    let (set, runtime) = unsafe {
        (
            transmute::<Option<Interface>, Option<ompt::SetCallback>>(lookup(
                c"ompt_set_callback".as_ptr(),
            )),
            Runtime {
                get_task_info: transmute::<Option<Interface>, Option<ompt::GetTaskInfo>>(lookup(
                    c"ompt_get_task_info".as_ptr(),
                )),
                get_loop: transmute::<Option<Interface>, Option<ompt::GetLoop>>(lookup(
                    c"ompt_chunk_get_loop".as_ptr(),
                )),
            },
        )
    };
    let Some(set) = set else { return 0 };
    guard(|| c_int::from(register::<T>(set, runtime))).unwrap_or(0)
}

fn register<T: Tool>(set: ompt::SetCallback, runtime: Runtime) -> bool {
    // Whoever was first stays: a runtime initializes a tool once.
    let _ = RUNTIME.set(runtime);
    let delivered = |event: c_int, callback: Interface| {
        // SAFETY: each callback below has the type that the specification gives to its event.
        let result = unsafe { set(event, callback) };
        (ompt::SET_SOMETIMES..=ompt::SET_ALWAYS).contains(&result)
    };
    // SAFETY: a callback of any signature travels as `Interface`; the runtime calls it by its event's.
    let (work, dispatch, chunk, clock) = unsafe {
        (
            transmute::<ompt::WorkCallback, Interface>(on_work::<T>),
            transmute::<ompt::DispatchCallback, Interface>(on_dispatch::<T>),
            transmute::<ompt::ChunkCallback, Interface>(on_chunk::<T>),
            transmute::<ompt::ToolTime, Interface>(clock),
        )
    };
    let extension = delivered(ompt::CALLBACK_CHUNK, chunk);
    if extension {
        delivered(ompt::CALLBACK_TOOL_TIME, clock);
    }
    EXTENSION.store(extension, Relaxed);
    let loops =
        delivered(ompt::CALLBACK_WORK, work) && delivered(ompt::CALLBACK_DISPATCH, dispatch);
    if !loops {
        eprintln!("{}: this OpenMP runtime reports no loops", T::NAME);
    }
    loops
}

unsafe extern "C" fn finalize<T: Tool>(_: *mut c_void) {
    guard(|| {
        let mut states = threads::all::<T>();
        let source = Source {
            extension: EXTENSION.load(Relaxed),
            runtime: VERSION.get().map_or("", |version| version),
        };
        let mut threads: Vec<&mut T> = states.iter_mut().map(|state| &mut state.own).collect();
        if let Err(error) = T::report(&mut threads, &source) {
            eprintln!("{}: cannot write the report: {error}", T::NAME);
        }
    });
}

unsafe extern "C" fn clock() -> f64 {
    nanoseconds()
}

fn is_loop(work: c_int) -> bool {
    matches!(
        work,
        ompt::WORK_LOOP
            | ompt::WORK_DISTRIBUTE
            | ompt::WORK_LOOP_STATIC
            | ompt::WORK_LOOP_DYNAMIC
            | ompt::WORK_LOOP_GUIDED
            | ompt::WORK_LOOP_OTHER
    )
}

/// The innermost instrumented loop that the calling thread is executing.
fn current_record() -> Option<&'static LoopRecord> {
    let get_loop = RUNTIME.get()?.get_loop?;
    // SAFETY: callable from a callback; the record stays as long as the image with the loop, which is
    // being executed. That images with loops are not unloaded before the report is this tool's limit.
    unsafe { get_loop().as_ref() }
}

fn thread_num() -> c_int {
    let mut number = 0;
    if let Some(get_task_info) = RUNTIME.get().and_then(|runtime| runtime.get_task_info) {
        // SAFETY: null where no answer is wanted; `number` outlives the call.
        unsafe {
            get_task_info(
                0,
                null_mut(),
                null_mut(),
                null_mut(),
                null_mut(),
                &mut number,
            )
        };
    }
    number
}

unsafe extern "C" fn on_work<T: Tool>(
    work: c_int,
    endpoint: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: u64,
    code: *const c_void,
) {
    let now = nanoseconds();
    if !is_loop(work) {
        return;
    }
    guard(|| {
        let mut state = threads::mine::<T>()?;
        let Thread { stack, own } = &mut *state;
        if endpoint == ompt::SCOPE_BEGIN {
            // A loop of an object compiled without the plugin, called from inside an instrumented
            // one: what `get_loop` names is the outer loop.
            let enclosing = stack.last().and_then(|outer| outer.record);
            let record = current_record()
                .filter(|record| !enclosing.is_some_and(|outer| std::ptr::eq(outer, *record)));
            let running = Running {
                code: code.addr(),
                record,
                work,
                thread_num: thread_num(),
            };
            own.begin(&running, stack.len(), now);
            stack.push(running);
        } else if endpoint == ompt::SCOPE_END {
            let running = stack.pop()?;
            own.end(&running, stack.len(), now);
        }
        Some(())
    });
}

fn on_event<T: Tool>(chunk: &Chunk, now: f64) {
    guard(|| {
        let mut state = threads::mine::<T>()?;
        let Thread { stack, own } = &mut *state;
        let depth = stack.len();
        match stack.last_mut() {
            Some(running) => own.chunk(running, depth - 1, chunk, now),
            None => own.outside(),
        }
        Some(())
    });
}

unsafe extern "C" fn on_dispatch<T: Tool>(
    _: *mut c_void,
    _: *mut c_void,
    kind: c_int,
    instance: *const ompt::DispatchChunk,
) {
    let now = nanoseconds();
    if !matches!(
        kind,
        ompt::DISPATCH_WS_LOOP_CHUNK | ompt::DISPATCH_DISTRIBUTE_CHUNK
    ) {
        return;
    }
    // SAFETY: for these two kinds the specification says that `instance` points to a chunk.
    let Some(chunk) = (unsafe { instance.as_ref() }) else {
        return;
    };
    let chunk = Chunk {
        first: chunk.start,
        iterations: chunk.iterations,
        extension: None,
    };
    on_event::<T>(&chunk, now);
}

unsafe extern "C" fn on_chunk<T: Tool>(
    _: *mut c_void,
    lower: i64,
    upper: i64,
    create_duration: f64,
    is_last_chunk: c_int,
) {
    let now = nanoseconds();
    let extension = Extension {
        bookkeeping: create_duration,
        last: is_last_chunk != 0,
    };
    let iterations = (upper as u64).wrapping_sub(lower as u64).wrapping_add(1);
    let chunk = Chunk {
        first: lower as u64,
        iterations,
        extension: Some(extension),
    };
    on_event::<T>(&chunk, now);
}

impl Running {
    /// After an extension event, which only an instrumented loop sends: true if that is news.
    pub fn is_instrumented(&mut self) -> bool {
        if self.record.is_some() {
            return false;
        }
        self.record = current_record();
        self.record.is_some()
    }
}
