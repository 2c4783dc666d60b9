//! What a tool is, and how a runtime finds it.

use crate::{End, Life, Start};

/// An OMPT tool. Threads call its functions at the same time, so it shares what it has among them by atomics and locks.
///
/// What is made in [`start`](Tool::start) lives until the process ends, since a thread may be in a callback at any time.
/// A callback that panics is given up, the program goes on, and [`End::panics`] counts it; the tool must be built with
/// `panic = "unwind"`, as it is unless its profile says otherwise.
pub trait Tool: Exported + Send + Sync {
    /// The tool's own of each thread; see [`Start::threads`].
    type Thread: Send + Sync + 'static;
    /// Of each parallel region; see [`Start::parallels`].
    type Parallel: Send + Sync + 'static;
    /// Of each task, implicit ones included; see [`Start::implicit_tasks`] and [`Start::tasks`].
    type Task: Send + Sync + 'static;

    /// A runtime is ready: registers what the tool wants to be told. `None` declines, and the program runs without the tool. Where a
    /// runtime was finalized and another begins, the tool is started anew.
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

/// Makes a [`Tool`] the one of this library or program: exports `ompt_start_tool`, by which runtimes find it. The crate type is
/// `cdylib`; there can be one tool in it.
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
