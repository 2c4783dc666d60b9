//! The creation of tasks: each task that the log sees created has one creation event, on the thread that
//! created it, after the create event, with the same arguments and a duration of its own.

use std::collections::BTreeMap;

use crate::log::{Create, Entry, Log};

/// What an entry of the log is worth on the oracle's clock; a creation contains none.
const TICKS_PER_ENTRY: f64 = 1000.0;

/// `ompt_work_taskloop`.
const TASKLOOP: u64 = 7;

/// Everything wrong with the creation events of a log; and how many tasks were created.
pub fn judge(log: &Log, clock: bool) -> (Vec<String>, usize) {
    let (mut wrong, _) = judge_durations(log, clock);
    let mut created = 0;
    for (thread, entries) in log.threads.iter().enumerate() {
        let mut pending: BTreeMap<u64, Create> = BTreeMap::new();
        for entry in entries {
            match *entry {
                Entry::Create(create) => {
                    created += 1;
                    pending.insert(create.task, create);
                }
                Entry::Creation(creation, _) => match pending.remove(&creation.task) {
                    Some(create) if create == creation => {}
                    other => wrong.push(format!("thread {thread}: {creation:?}, but {other:?} was created")),
                },
                _ => {}
            }
        }
        wrong.extend(pending.values().map(|create| format!("thread {thread}: no creation event of {create:?}")));
    }
    (wrong, created)
}

/// The same where the tool registers nothing else of tasks, so that only the durations can be wrong.
pub fn judge_durations(log: &Log, clock: bool) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut told = 0;
    for (thread, entries) in log.threads.iter().enumerate() {
        // The runtime begins and ends the work of a taskloop within a creation.
        let mut works = 0.0;
        for entry in entries {
            match *entry {
                Entry::Creation(creation, duration) => {
                    told += 1;
                    if !is_right(duration, std::mem::take(&mut works), clock) {
                        wrong.push(format!("thread {thread}: {creation:?} took {duration}"));
                    }
                }
                Entry::WorkBegin { kind: TASKLOOP, .. } | Entry::WorkEnd { kind: TASKLOOP } => {
                    works += 1.0;
                }
                _ => {}
            }
        }
    }
    (wrong, told)
}

/// Some time, in which nothing else happened.
fn is_right(duration: f64, works: f64, clock: bool) -> bool {
    match clock {
        true => duration > 0.0 && duration < TICKS_PER_ENTRY * (1.0 + works),
        false => duration == 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(task: u64) -> Create {
        Create { parent: 1, frame: 2, task, flags: 4, has_dependences: 0, codeptr: 9 }
    }

    fn wrong(threads: &[&[Entry]], clock: bool) -> usize {
        let log = Log { threads: threads.iter().map(|entries| entries.to_vec()).collect(), ..Log::default() };
        judge(&log, clock).0.len()
    }

    #[test]
    fn one_event_for_each_task() {
        let made = Entry::Create(create(5));
        let told = Entry::Creation(create(5), 3.0);
        assert_eq!(wrong(&[&[made, told]], true), 0);
        assert_eq!(wrong(&[&[made]], true), 1);
        assert_eq!(wrong(&[&[told, made]], true), 2);
        assert_eq!(wrong(&[&[made, told, told]], true), 1);
        assert_eq!(wrong(&[&[made], &[told]], true), 2);
        let second = Entry::Creation(Create { codeptr: 8, ..create(5) }, 3.0);
        assert_eq!(wrong(&[&[made, second]], true), 1);
    }

    #[test]
    fn a_duration_of_its_own() {
        let took = |duration| [Entry::Create(create(5)), Entry::Creation(create(5), duration)];
        assert_eq!(wrong(&[&took(0.0)], true), 1);
        assert_eq!(wrong(&[&took(1003.0)], true), 1);
        assert_eq!(wrong(&[&took(3.0)], false), 1);
        assert_eq!(wrong(&[&took(0.0)], false), 0);
    }

    #[test]
    fn durations_alone() {
        let log = |duration| Log { threads: vec![vec![Entry::Creation(create(5), duration)]; 2], ..Log::default() };
        let found = |duration, clock| {
            let (wrong, told) = judge_durations(&log(duration), clock);
            (wrong.len(), told)
        };
        assert_eq!(found(3.0, true), (0, 2));
        assert_eq!(found(0.0, true), (2, 2));
        assert_eq!(found(1003.0, true), (2, 2));
        assert_eq!(found(3.0, false), (2, 2));
    }
}
