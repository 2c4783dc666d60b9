//! What formats of sampled stacks call things: waits, and functions that nobody knows.

use ompchunk_analysis::sampled::{Frame, State};
use ompchunk_trace_format::stacks::StackFile;

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
