//! The loop events of one thread's part of one execution: a begin before everything, an end after
//! everything, on every thread, within the runtime's own work events and with the same data.

use super::execution::Execution;
use super::expected::Expected;
use super::violation::What;
use crate::log::{Entry, LoopEvent};

/// `ompt_scope_begin` and `ompt_scope_end`.
const ENDPOINTS: [u64; 2] = [1, 2];
/// `ompt_work_loop_static`, whose successors are those of `ompt_loop_sched_static`, 1.
const WORK_STATIC: u64 = 10;
/// `ompt_work_loop`: any schedule.
const WORK_LOOP: u64 = 1;
/// `ompt_loop_sched_monotonic`.
const MONOTONIC: u64 = 0x8000_0000;

/// Judges one execution. Whether one without iterations is of an instrumented loop, the other threads of its team tell.
pub fn judge(execution: &Execution, expected: &Expected, wrong: &mut impl FnMut(What)) {
    let the_loop = execution.the_loop();
    let events = &execution.loop_events;
    if events.is_empty() {
        if expected.loops && execution.is_loop && the_loop.is_some() {
            wrong(What::LoopEvent("no loop event".into()));
        }
        return;
    }
    if !expected.loops || !execution.is_loop {
        wrong(What::Uninvited(format!("{events:?}")));
        return;
    }
    let [(first, begin), (last, end)] = events[..] else {
        wrong(What::LoopEvent(format!("not a begin and an end: {events:?}")));
        return;
    };
    if (first, last) != (0, execution.happened) || [begin.endpoint, end.endpoint] != ENDPOINTS {
        let what = format!("{begin:?} and {end:?} do not enclose the chunks");
        wrong(What::LoopEvent(what));
    }
    for event in [begin, end] {
        judge_event(execution, &event, the_loop, expected, wrong);
    }
}

fn judge_event(
    execution: &Execution,
    event: &LoopEvent,
    the_loop: Option<u64>,
    expected: &Expected,
    wrong: &mut impl FnMut(What),
) {
    let right = (execution.parallel.value, execution.task.value);
    if (event.parallel, event.task) != right {
        wrong(What::Data(format!("{event:?} does not name {right:?}")));
    }
    if event.codeptr != execution.codeptr {
        let what = format!("{event:?} is not at {:#x}", execution.codeptr);
        wrong(What::LoopEvent(what));
    }
    let dealt = expected.is_dealt(the_loop);
    let said = event.schedule & !MONOTONIC;
    // A thread without iterations does not tell which loop it is in.
    let right = match execution.kind {
        WORK_LOOP => 1..=4,
        WORK_STATIC.. => execution.kind + 1 - WORK_STATIC..=execution.kind + 1 - WORK_STATIC,
        _ => 1..=1,
    };
    if !right.contains(&said) || (!dealt && the_loop.is_some() && said != 1) {
        let what = format!("{event:?} of a loop that is work of kind {}", execution.kind);
        wrong(What::LoopEvent(what));
    }
    let steps = execution.entries.iter().filter_map(|entry| match entry {
        Entry::Variable(variable) => Some(variable.step),
        _ => None,
    });
    let known = the_loop.is_some_and(|l| expected.user_known.contains(&l));
    if let Some(step) = steps.into_iter().find(|step| *step != event.step && known) {
        wrong(What::LoopEvent(format!("{event:?}, but the step is {step}")));
    }
}
