//! Names for people: OMPT's numbers by OMPT's names, loops by position and clause, the user's own values.

use ompchunk_analysis::sampled::{Frame, State};
use ompchunk_trace_format::raw;
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{LoopDefinition, Why};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
}

impl From<i128> for Value<'_> {
    /// A user's value is of 64 bits at most, signed or unsigned.
    fn from(value: i128) -> Self {
        i64::try_from(value).map_or(Value::Unsigned(value as u64), Value::Signed)
    }
}

pub(crate) type Argument<'a> = (&'static str, Value<'a>);

pub(crate) const SECTIONS: &str = "sections";
/// `ompt_chunk_sections`
const CONSTRUCT_SECTIONS: u8 = 3;

/// `ompt_thread_t`
pub(crate) fn thread(kind: u32) -> &'static str {
    match kind {
        raw::THREAD_INITIAL => "initial thread",
        raw::THREAD_WORKER => "worker",
        raw::THREAD_OTHER => "other thread",
        _ => "thread",
    }
}

/// `ompt_work_t`
pub(crate) fn work(work: u32) -> &'static str {
    match work {
        raw::WORK_LOOP => "loop",
        raw::WORK_SECTIONS => SECTIONS,
        raw::WORK_SINGLE_EXECUTOR => "single executor",
        raw::WORK_SINGLE_OTHER => "single other",
        raw::WORK_WORKSHARE => "workshare",
        raw::WORK_DISTRIBUTE => "distribute",
        raw::WORK_TASKLOOP => "taskloop",
        raw::WORK_SCOPE => "scope",
        raw::WORK_LOOP_STATIC => "loop static",
        raw::WORK_LOOP_DYNAMIC => "loop dynamic",
        raw::WORK_LOOP_GUIDED => "loop guided",
        raw::WORK_LOOP_OTHER => "loop other",
        _ => "work",
    }
}

/// `ompt_sync_region_t`
pub(crate) fn sync(kind: u32) -> &'static str {
    match kind {
        raw::SYNC_BARRIER => "barrier",
        raw::SYNC_BARRIER_IMPLICIT => "implicit barrier",
        raw::SYNC_BARRIER_EXPLICIT => "explicit barrier",
        raw::SYNC_BARRIER_IMPLEMENTATION => "barrier of the implementation",
        raw::SYNC_TASKWAIT => "taskwait",
        raw::SYNC_TASKGROUP => "taskgroup",
        raw::SYNC_REDUCTION => "reduction",
        raw::SYNC_BARRIER_IMPLICIT_WORKSHARE => "implicit barrier of a worksharing construct",
        raw::SYNC_BARRIER_IMPLICIT_PARALLEL => "implicit barrier of a parallel region",
        raw::SYNC_BARRIER_TEAMS => "barrier of a league",
        _ => "synchronization",
    }
}

pub(crate) fn off_core(why: Why) -> &'static str {
    match why {
        Why::Preempted => "off core: preempted",
        Why::Waiting => "off core: waiting",
        Why::Either => "off core: preempted or waiting",
    }
}

pub(crate) fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

pub(crate) fn clause(definition: &LoopDefinition<'_>) -> String {
    if definition.construct == CONSTRUCT_SECTIONS {
        // The runtime is asked for a schedule of them, but nobody wrote it.
        return SECTIONS.to_owned();
    }
    definition.clause().to_string()
}

/// What a thread waits for, by gprofng's names; `None`: it works.
pub(crate) fn wait(state: State) -> Option<&'static str> {
    Some(match state {
        State::Serial | State::Work | State::Reduction => return None,
        State::ImplicitBarrier => "<OMP-implicit_barrier>",
        State::ExplicitBarrier => "<OMP-explicit_barrier>",
        State::TaskWait => "<OMP-task_wait>",
        State::Lock => "<OMP-lock_wait>",
        State::Critical => "<OMP-critical_section_wait>",
        State::Ordered => "<OMP-ordered_section_wait>",
        State::Atomic => "<OMP-atomic_wait>",
        State::Idle => "<OMP-idle>",
    })
}

pub(crate) const NOT_SAMPLED: &str = "<not sampled>";

pub(crate) fn function(frame: &Frame, file: &StackFile) -> String {
    if let Some(function) = &frame.function {
        return function.clone();
    }
    let module = frame.module.and_then(|number| file.modules().get(number));
    match module.and_then(|module| module.path.file_name()) {
        Some(module) => format!("<unknown> ({})", module.to_string_lossy()),
        None => "<unknown>".to_owned(),
    }
}
