//! From a runtime's `initialize` to its `finalize`: a life of the tool. Nothing unwinds out of here.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint};
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};
use std::boxed::Box;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;

use crate::arena::Arena;
use crate::entries::Entries;
use crate::raw::{Data, LookupFn, StartToolResult};
use crate::tool::{Active, Answer, End, Life, Runtime, Start, Tool};

impl<T: Tool> Life<T> {
    #[doc(hidden)]
    pub const fn new() -> Self {
        Life {
            active: AtomicPtr::new(ptr::null_mut()),
            count: AtomicU32::new(0),
            result: Answer(UnsafeCell::new(StartToolResult {
                initialize: Some(initialize::<T>),
                finalize: Some(finalize::<T>),
                tool_data: Data { value: 0 },
            })),
            runtime: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// `ompt_start_tool`.
    ///
    /// # Safety
    ///
    /// `runtime_version` is null or a string.
    #[doc(hidden)]
    pub unsafe fn start_tool(
        &'static self,
        omp_version: c_uint,
        runtime_version: *const c_char,
    ) -> *mut StartToolResult {
        let asks = caught(|| {
            let version = if runtime_version.is_null() {
                String::new()
            } else {
                // SAFETY: a string, says the caller.
                unsafe { CStr::from_ptr(runtime_version) }.to_string_lossy().into_owned()
            };
            let runtime = Runtime { version, omp_version };
            // Not freed: a life refers to it.
            self.runtime.store(Box::into_raw(Box::new(runtime)), Release);
        });
        match asks {
            Some(()) => self.result.0.get(),
            None => ptr::null_mut(),
        }
    }

    fn current(&self) -> Option<&'static Active<T>> {
        // SAFETY: null or a life, which is never freed.
        unsafe { self.active.load(Acquire).as_ref() }
    }

    fn begin(&self, lookup: Option<LookupFn>) -> bool {
        if self.current().is_some_and(|active| !active.ended.load(Acquire)) {
            let what = "a second OpenMP runtime asks while the first is in use: this tool sees the first only";
            // Whoever has no stderr does not want to know.
            let _ = writeln!(std::io::stderr(), "ompt: {what}");
            return false;
        }
        // SAFETY: null, or as `start_tool` left it.
        let runtime = unsafe { self.runtime.load(Acquire).as_ref() };
        let (Some(lookup), Some(runtime)) = (lookup, runtime) else { return false };
        // SAFETY: the runtime's own.
        let Some(entries) = (unsafe { Entries::look_up(lookup) }) else { return false };
        // What the life before left behind is not this tool's, whatever becomes of this one.
        self.active.store(ptr::null_mut(), Release);
        let Some(tool) = T::start(&mut Start { entries: &entries, runtime, tool: PhantomData }) else { return false };
        // Three arenas; a handle of a life before is none of this one's, nor is a task's a thread's.
        let salt = self.count.fetch_add(1, Relaxed) << 2;
        let active = Box::new(Active {
            tool,
            entries,
            runtime,
            ended: AtomicBool::new(false),
            panics: AtomicU64::new(0),
            threads: Arena::new(salt | 1),
            parallels: Arena::new(salt | 2),
            tasks: Arena::new(salt | 3),
        });
        self.active.store(Box::into_raw(active), Release);
        true
    }
}

unsafe extern "C" fn initialize<T: Tool>(lookup: Option<LookupFn>, _: c_int, _: *mut Data) -> c_int {
    caught(|| T::life().begin(lookup)).unwrap_or(false).into()
}

unsafe extern "C" fn finalize<T: Tool>(_: *mut Data) {
    let Some(active) = T::life().current() else { return };
    // From here on no event reaches the tool; those that are in it may still be.
    if !active.ended.swap(true, AcqRel) {
        caught(|| {
            active.tool.finish(&End { runtime: active.runtime, panics: active.panics.load(Relaxed) });
        });
    }
}

/// `work` is done unless there is no tool or it has ended.
pub(crate) fn told<T: Tool, R>(work: impl FnOnce(&'static Active<T>) -> R) -> Option<R> {
    let active = T::life().current()?;
    if active.ended.load(Acquire) {
        return None;
    }
    caught_in(active, || work(active))
}

/// Also after the end: for what ends then.
pub(crate) fn told_always<T: Tool>(work: impl FnOnce(&'static Active<T>)) {
    if let Some(active) = T::life().current() {
        caught_in(active, || work(active));
    }
}

fn caught_in<T: Tool, R>(active: &Active<T>, work: impl FnOnce() -> R) -> Option<R> {
    let result = caught(work);
    if result.is_none() {
        active.panics.fetch_add(1, Relaxed);
    }
    result
}

/// Panics end here. The panic hook has said what there is to say.
fn caught<R>(work: impl FnOnce() -> R) -> Option<R> {
    // Dropping what a panic was told may panic again.
    catch_unwind(AssertUnwindSafe(work)).map_err(core::mem::forget).ok()
}
