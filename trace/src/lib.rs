//! The trace of a recorded run: its layout, an encoder, a streaming reader and a check of its order.
//! `docs/trace-format.md` describes the bytes; this crate knows no OMPT and runs nothing.
//!
//! # How to read a trace
//!
//! `app.ompchunk/` holds one *part* per process, `*.trace`. [`Trace::open`] opens them all; each [`Part`] has metadata ([`Part::meta`]:
//! command, host, rank, clock), an ending ([`Part::ending`]: clean or cut) and events.
//!
//! ```no_run
//! use ompchunk_trace_format::{Event, Trace};
//!
//! # fn main() -> Result<(), ompchunk_trace_format::Error> {
//! let trace = Trace::open("app.ompchunk".as_ref())?;
//! for part in &trace.parts {
//!     let clock = part.clock();
//!     let mut running = std::collections::HashMap::new();
//!     part.for_each(|at, event| match event {
//!         Event::LoopBegin(it) => {
//!             running.insert(at.lane, it.the_loop);
//!         }
//!         Event::Chunk(it) => println!(
//!             "{:.0} ns, thread {}: loop {}, iterations {} to {}",
//!             clock.since_start(at.ticks),
//!             at.thread,
//!             running[&at.lane],
//!             it.lower,
//!             it.lower + it.iterations - 1,
//!         ),
//!         _ => {}
//!     })?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - A *lane* is what one thread writes at a time. When a thread ends, a later one may go on in its lane, so there are as many lanes as
//!   there were threads at once. Within a lane events come in the order of time and begins and ends nest; [`At::thread`] says whose.
//! - [`Part::for_each`] is the fast way: in the order of the file, lanes interleaved, so keep state per lane (a `Vec` indexed by
//!   [`At::lane`] will do). [`Part::merged`] gives the order of time over all lanes. Memory does not grow.
//! - A chunk lasts from its event to the next event of its lane that is a chunk, [`Event::LoopEnd`] or the begin of something nested
//!   (a parallel region in the loop's body): that comes between, and the loop's next chunk or its end then ends the chunk.
//! - Where a profile was recorded, [`Event::SubBlock`]s divide chunks further: they are inside their chunk, which lasts on.
//! - Definitions ([`Event::Loop`], [`Event::Code`]) come in every lane before they are needed there; take the first of a loop, the others
//!   say the same, but for a `schedule` that is not 0. An address is what its lane said last: libraries may be unloaded.
//! - The user's variable in logical iteration k is `start + k * step`, modulo 2 to the power of [`LoopDefinition::variable_bits`], with
//!   `start` and `step` of the [`LoopBegin`].
//! - A loop with [`LoopDefinition::instrumented`] unset has no source position: its `code` is in an [`Event::Code`]. If it is static
//!   (`work` is `ompt_work_loop_static`, or `ompt_work_loop` with a runtime that does not tell), the runtime reports only a part of its
//!   chunks, not clamped: do not add them up. Where [`LoopDefinition::tells_blocks`], a thread's part has one chunk, which is all that it
//!   runs, or none, and then it runs nothing if there are fewer iterations than threads, else it is not known.
//! - Executions that `--sample` left out, and all with `--aggregate`, are in [`Event::Aggregate`] records, one or several of a thread:
//!   add them up. What was lost is in [`Event::Lost`] and, in sum and also if the program was killed, in [`Part::head`].
//! - Between [`Event::Pause`] and [`Event::Resume`] a lane is silent: what passes there is neither serial nor idle. A thread that pauses
//!   within a loop has not told all of it. Where a team counts barriers, add those of [`Event::Barriers`].
//! - Explicit tasks are in [`Event::Tasks`] and [`Event::TaskRegion`], as sums: add up those of one code. Where [`Mode::tasks`] says
//!   so, [`Event::TaskCreate`] and [`Event::TaskSchedule`] come, too; no chunk ends by these.
//! - [`Event::Recorder`] and [`Event::OffCore`] come where such time has ended, and say how much of the time before them it was. Time
//!   off a core is told where [`ClockMeta::cpu_read`] is set.
//! - Operations of OpenACC and of OpenMP's `target` nest with everything else in their lane, and are neither serial nor parallel of
//!   themselves: a construct on the host is the thread's own work, one on a device is not.
//! - In a part that is cut, begins at the end of a lane may have no end. Where an open implicit task's region has ended, so has the task.
//!
//! [`Part::check`] verifies the order. [`PartWriter`] makes parts for tests.

#![warn(missing_docs)]

/// Functions that give what the fields of their names have, by `&` or as a copy.
macro_rules! getters {
    ($( $(#[$about:meta])* $field:ident: $type:ty $(, $by:tt)?; )*) => { $(
        $(#[$about])*
        #[inline]
        pub fn $field(&self) -> $type {
            $($by)? self.$field
        }
    )* };
}

mod block;
mod check;
mod decode;
pub mod encode;
pub mod ended;
pub mod environment;
mod error;
mod event;
mod fields;
mod head;
mod iterations;
pub mod joint;
pub mod keep;
pub mod layout;
mod meta;
pub mod name;
mod numbered;
pub mod openacc;
mod part;
mod profile;
mod read;
mod record_kinds;
pub mod select;
pub mod settings;
pub mod stacks;
pub mod sum;
pub mod target;
pub mod tasks;
mod times;
mod walk;
mod write;

pub use block::{Block, BlockHead};
pub use check::{Checked, Violation};
pub use decode::{Damage, Records};
pub use environment::Command;
pub use error::{Error, shown, without_control};
pub use event::{
    Aggregate, At, Chunk, Code, DEALT_BY_RUNTIME, Event, LOOP_BLOCK_TOLD, LoopBegin, LoopDefinition, Lost, NOBODY,
    PARALLEL_INVOKER_PROGRAM, PARALLEL_INVOKER_RUNTIME, PARALLEL_LEAGUE, PARALLEL_TEAM, Reason, Sync, is_barrier,
};
pub use head::Head;
pub use iterations::{Group, Grouped, SubBlock, Values, Variable};
pub use meta::{Clock, ClockMeta, Meta};
/// OMPT's numbers of events and constructs, and libomp's of schedules: traces have them as they are.
pub use ompt::{raw, sched_type};
pub use openacc::{AccDetail, AccEnd, AccOperation, AccSite};
pub use part::{Ending, Lane, Part, Trace, parts_in};
pub use profile::NotProfiled;
pub use read::Batch;
pub use settings::{Mode, Settings};
pub use sum::{Histogram, Sum, SumOf};
pub use tasks::{TaskRegion, Tasks};
pub use times::{LeftOut, OffCore, Paused, Recorder, Times, Unwanted, Why};
pub use walk::{Scope, Step};
pub use write::PartWriter;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
