//! Names for people: OMPT's numbers by OMPT's names, loops by position and clause, the user's own values.

use ompchunk_analysis::sampled::{Frame, State};
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{LoopDefinition, Why, schedule};

pub(crate) const SECTIONS: &str = "sections";
/// `ompt_chunk_sections`
const CONSTRUCT_SECTIONS: u8 = 3;

/// `ompt_thread_t`
pub(crate) fn thread(kind: u32) -> &'static str {
    match kind {
        1 => "initial thread",
        2 => "worker",
        3 => "other thread",
        _ => "thread",
    }
}

/// `ompt_work_t`
pub(crate) fn work(work: u32) -> &'static str {
    match work {
        1 => "loop",
        2 => SECTIONS,
        3 => "single executor",
        4 => "single other",
        5 => "workshare",
        6 => "distribute",
        7 => "taskloop",
        8 => "scope",
        10 => "loop static",
        11 => "loop dynamic",
        12 => "loop guided",
        13 => "loop other",
        _ => "work",
    }
}

/// `ompt_sync_region_t`
pub(crate) fn sync(kind: u32) -> &'static str {
    match kind {
        1 => "barrier",
        2 => "implicit barrier",
        3 => "explicit barrier",
        4 => "barrier of the implementation",
        5 => "taskwait",
        6 => "taskgroup",
        7 => "reduction",
        8 => "implicit barrier of a worksharing construct",
        9 => "implicit barrier of a parallel region",
        10 => "barrier of a league",
        _ => "synchronization",
    }
}

/// A thread was not on a core.
pub(crate) fn off_core(why: Why) -> &'static str {
    match why {
        Why::Preempted => "off core: preempted",
        Why::Waiting => "off core: waiting",
        Why::Either => "off core: preempted or waiting",
    }
}

/// `ompt_sync_region_taskwait`, `ompt_sync_region_taskgroup`
pub(crate) const TASKWAIT: u32 = 5;
pub(crate) const TASKGROUP: u32 = 6;

pub(crate) fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The clause as in the source.
pub(crate) fn clause(definition: &LoopDefinition<'_>) -> String {
    if definition.construct == CONSTRUCT_SECTIONS {
        // The runtime is asked for a schedule of them, but nobody wrote it.
        return SECTIONS.to_owned();
    }
    schedule::clause(definition.schedule, definition.chunk_size())
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

/// Of entries that no sample has a stack for.
pub(crate) const NOT_SAMPLED: &str = "<not sampled>";

/// A frame's function, or the module that it is in.
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
