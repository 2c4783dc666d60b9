//! What a tool is, what it registers with, and what is kept of it.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use std::string::String;

use crate::arena::Arena;
use crate::entries::Entries;
use crate::raw::StartToolResult;

/// An OMPT tool. Threads call its functions at the same time, and what [`start`](Tool::start) makes lives until the process ends.
/// A callback that panics is given up, the program goes on, and [`End::panics`] counts it, unless built with `panic = "abort"`.
pub trait Tool: Exported + Send + Sync {
    /// The tool's own data of each thread; see [`Start::threads`].
    type Thread: Send + Sync + 'static;
    /// Its data of each parallel region; see [`Start::parallels`].
    type Parallel: Send + Sync + 'static;
    /// Its data of each task, implicit ones included; see [`Start::implicit_tasks`] and [`Start::tasks`].
    type Task: Send + Sync + 'static;

    /// A runtime is ready: registers what the tool wants. `None`: the program runs without it. A runtime that begins after another
    /// has ended starts it anew.
    fn start(start: &mut Start<'_, Self>) -> Option<Self>;

    /// The runtime ends. Nothing new is told from here on; callbacks of other threads may still be running.
    fn finish(&self, end: &End<'_>) {
        let _ = end;
    }
}

/// Made by [`tool!`](crate::tool), which a tool is passed to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not exported as a tool",
    note = "write `ompt::tool!({Self});` beside it"
)]
pub trait Exported: Sized + 'static {
    /// Its lives.
    #[doc(hidden)]
    fn life() -> &'static Life<Self>
    where
        Self: Tool;
}

/// A function, or a closure that captures nothing: an event carries only its address. One that captures does not compile:
/// ```compile_fail,E0080
/// # struct Tool; impl ompt::Tool for Tool { type Thread = (); type Parallel = (); type Task = ();
/// # fn start(start: &mut ompt::Start<Self>) -> Option<Self> {
/// let own = 1;
/// start.on_work(move |_, work| println!("{own} {work:?}"));
/// # None } } ompt::tool!(Tool);
/// ```
pub trait Callback: Copy + Send + Sync + 'static {}
impl<F: Copy + Send + Sync + 'static> Callback for F {}

/// Registers the tool's functions. Each event has one: the next one replaces it. Events come when [`Tool::start`] has returned.
pub struct Start<'a, T: Tool> {
    pub(crate) entries: &'a Entries,
    pub(crate) runtime: &'a Runtime,
    pub(crate) tool: PhantomData<fn() -> T>,
}

/// The tool's lives in this process; made by [`tool!`](crate::tool).
pub struct Life<T: Tool> {
    pub(crate) active: AtomicPtr<Active<T>>,
    pub(crate) count: AtomicU32,
    pub(crate) result: Answer,
    pub(crate) runtime: AtomicPtr<Runtime>,
}

/// What `ompt_start_tool` answers. The runtime writes to its data.
pub(crate) struct Answer(pub(crate) UnsafeCell<StartToolResult>);

// SAFETY: this side only gives its address away.
unsafe impl Sync for Answer {}

/// The runtime that a tool was started by.
#[derive(Debug)]
pub struct Runtime {
    /// Its name and version, as it says.
    pub version: String,
    /// The version of OpenMP that it implements, `_OPENMP`.
    pub omp_version: u32,
}

/// Never freed: a thread may be in a callback at any time, also after the end.
pub(crate) struct Active<T: Tool> {
    pub(crate) tool: T,
    pub(crate) entries: Entries,
    pub(crate) runtime: &'static Runtime,
    pub(crate) ended: AtomicBool,
    pub(crate) panics: AtomicU64,
    pub(crate) threads: Arena<T::Thread>,
    pub(crate) parallels: Arena<T::Parallel>,
    pub(crate) tasks: Arena<T::Task>,
}

/// What [`Tool::finish`] may know.
#[derive(Debug)]
pub struct End<'a> {
    /// The runtime that ends.
    pub runtime: &'a Runtime,
    /// How many callbacks panicked: what they were told of is not in the tool's results.
    pub panics: u64,
}

/// Makes a [`Tool`] the one of this `cdylib`: exports `ompt_start_tool`, by which runtimes find it.
#[macro_export]
macro_rules! tool {
    ($tool:ty) => {
        impl $crate::Exported for $tool {
            fn life() -> &'static $crate::Life<Self> {
                static LIFE: $crate::Life<$tool> = $crate::Life::new();
                &LIFE
            }
        }

        /// Called by an OpenMP runtime, to find its tool.
        ///
        /// # Safety
        ///
        /// `runtime_version` is null or a string.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn ompt_start_tool(
            omp_version: ::core::ffi::c_uint,
            runtime_version: *const ::core::ffi::c_char,
        ) -> *mut $crate::raw::StartToolResult {
            let life = <$tool as $crate::Exported>::life();
            // SAFETY: says the caller.
            unsafe { life.start_tool(omp_version, runtime_version) }
        }
    };
}
