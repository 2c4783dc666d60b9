//! Spans of graphs that are known, from made events: each thread has a clock of its own.

use super::*;
use crate::tasks::record::Part;

const WAIT_AT_END: SyncKind = 8;
const EXPLICIT: i32 = ompt::raw::TASK_EXPLICIT;

/// A thread of a made program.
struct Thread {
    paths: Paths,
    now: u64,
    worked: u64,
    next_word: usize,
}

#[derive(Clone, Copy)]
struct Made(usize, *mut Record);

impl Thread {
    fn new(number: usize) -> Thread {
        Thread { paths: Paths::default(), now: 1000 * number as u64, worked: 0, next_word: 1 + (number << 32) }
    }

    fn works(&mut self, ticks: u64) {
        self.now += ticks;
        self.worked += ticks;
    }

    fn creates(&mut self) -> Made {
        let task = Created { now: self.now, thread: 0, flags: EXPLICIT, has_dependences: false, code: 1 };
        self.creates_so(task)
    }

    fn creates_so(&mut self, task: Created) -> Made {
        let record = self.paths.creates(task);
        self.next_word += 1;
        Made(self.next_word, record)
    }

    fn runs(&mut self, task: Made, body: impl FnOnce(&mut Thread)) {
        let Made(word, record) = task;
        self.paths.begins(self.now, word, record);
        body(self);
        // SAFETY: a task that ends once.
        unsafe {
            self.paths.ends(self.now, word, record);
            self.paths.pool.leave(record);
        }
    }

    fn runs_for(&mut self, task: Made, ticks: u64) {
        self.runs(task, |thread| thread.works(ticks));
    }

    /// Runs some while it waits, and then waits for others' tasks.
    fn waits(&mut self, kind: SyncKind, meanwhile: impl FnOnce(&mut Thread)) {
        self.paths.wait_begins(self.now, kind);
        meanwhile(self);
        self.now += 77;
        self.paths.wait_ends(self.now, kind);
    }

    fn begins(&mut self, team: &'static Team) {
        self.paths.implicit_begins(self.now, Some(team));
    }

    fn ends(&mut self) {
        self.waits(WAIT_AT_END, |_| ());
        self.paths.implicit_ends(self.now);
    }
}

fn team() -> &'static Team {
    let team = Box::leak(Box::new(Team::default()));
    team.begin(1);
    team
}

/// A region of one thread that works like this: its span.
fn span_of(body: impl FnOnce(&mut Thread)) -> u64 {
    let team = team();
    let mut thread = Thread::new(0);
    thread.begins(team);
    body(&mut thread);
    thread.ends();
    assert!(thread.paths.strands.is_empty());
    team.span()
}

#[test]
fn a_chain_is_as_long_as_its_work() {
    let span = span_of(|thread| {
        for _ in 0..10 {
            let task = thread.creates();
            thread.waits(SYNC_TASKWAIT, |thread| thread.runs_for(task, 5));
        }
    });
    assert_eq!(span, 50);
}

#[test]
fn a_fan_is_as_long_as_its_longest_task() {
    let span = span_of(|thread| {
        thread.works(3);
        let tasks: Vec<Made> = (0..10).map(|_| thread.creates()).collect();
        thread.waits(SYNC_TASKWAIT, |thread| {
            for (number, task) in tasks.into_iter().enumerate() {
                thread.runs_for(task, 10 + number as u64);
            }
        });
        thread.works(4);
    });
    assert_eq!(span, 3 + 19 + 4);
}

#[test]
fn tasks_that_nobody_waits_for_end_before_the_barrier() {
    let span = span_of(|thread| {
        let task = thread.creates();
        thread.works(2);
        thread.waits(WAIT_AT_END, |thread| thread.runs_for(task, 30));
        thread.works(5);
    });
    assert_eq!(span, 35);
}

fn fib(thread: &mut Thread, of: u32) {
    thread.works(1);
    if of < 2 {
        return;
    }
    let tasks = [(thread.creates(), of - 1), (thread.creates(), of - 2)];
    thread.waits(SYNC_TASKWAIT, |thread| {
        for (task, of) in tasks {
            thread.runs(task, |thread| fib(thread, of));
        }
    });
    thread.works(2);
}

#[test]
fn fib_has_a_span_of_its_depth() {
    let span = span_of(|thread| fib(thread, 12));
    // 1 + 2 at each level, and 1 at the last.
    assert_eq!(span, 11 * 3 + 1);
}

#[test]
fn a_taskgroup_waits_for_descendants_and_a_taskwait_does_not() {
    let nest = |kind: SyncKind| {
        span_of(|thread| {
            if kind == SYNC_TASKGROUP {
                thread.paths.group_begins(thread.now, 7);
            }
            let child = thread.creates();
            let mut grandchild = None;
            thread.waits(kind, |thread| {
                thread.runs(child, |thread| {
                    thread.works(3);
                    grandchild = Some(thread.creates());
                });
                if kind == SYNC_TASKGROUP {
                    thread.runs_for(grandchild.take().unwrap(), 20);
                }
            });
            thread.works(7);
            if let Some(task) = grandchild {
                thread.waits(WAIT_AT_END, |thread| thread.runs_for(task, 20));
            }
        })
    };
    assert_eq!(nest(SYNC_TASKGROUP), 3 + 20 + 7);
    // The grandchild ends later than what the thread does meanwhile.
    assert_eq!(nest(SYNC_TASKWAIT), 3 + 20);
}

/// A taskloop is a taskgroup around its tasks; here one of them has a taskgroup of its own.
#[test]
fn a_taskgroup_in_a_taskloop() {
    let span = span_of(|thread| {
        thread.works(1);
        thread.paths.group_begins(thread.now, 7);
        let tasks: Vec<Made> = (0..4).map(|_| thread.creates()).collect();
        thread.waits(SYNC_TASKGROUP, |thread| {
            for (number, task) in tasks.into_iter().enumerate() {
                thread.runs(task, |thread| {
                    thread.works(10);
                    if number == 2 {
                        thread.paths.group_begins(thread.now, 7);
                        let inner = thread.creates();
                        thread.waits(SYNC_TASKGROUP, |thread| thread.runs_for(inner, 100));
                        thread.works(5);
                    }
                });
            }
        });
        thread.works(1);
    });
    assert_eq!(span, 1 + 10 + 100 + 5 + 1);
}

#[test]
fn what_another_thread_runs_counts_where_it_is_waited_for() {
    let team = team();
    let (mut first, mut second) = (Thread::new(0), Thread::new(5));
    first.begins(team);
    second.begins(team);
    first.works(10);
    let task = first.creates();
    second.works(4);
    second.paths.wait_begins(second.now, WAIT_AT_END);
    second.now += 1000;
    second.runs_for(task, 50);
    first.works(1);
    first.waits(SYNC_TASKWAIT, |_| ());
    first.works(2);
    first.ends();
    assert_eq!(team.span(), 10 + 50 + 2);
    assert_eq!(first.worked + second.worked, 67);
    assert!(second.paths.wait_ends(second.now, WAIT_AT_END) > Some(999));
}

#[test]
fn a_barrier_makes_all_chains_as_long_as_the_longest() {
    let team = team();
    let (mut first, mut second) = (Thread::new(0), Thread::new(5));
    first.begins(team);
    second.begins(team);
    for (mine, others) in [(3, 8), (9, 1), (2, 2)] {
        first.works(mine);
        second.works(others);
        first.paths.wait_begins(first.now, WAIT_AT_END);
        second.paths.wait_begins(second.now, WAIT_AT_END);
        first.paths.wait_ends(first.now, WAIT_AT_END);
        // This one is told late: the first has gone on.
        first.works(1);
        second.paths.wait_ends(second.now, WAIT_AT_END);
    }
    first.ends();
    second.ends();
    assert_eq!(team.span(), 8 + (1 + 9) + (1 + 2) + 1);
}

#[test]
fn a_region_inside_is_as_long_as_its_own_span() {
    let (outer, inner) = (team(), team());
    let mut thread = Thread::new(0);
    thread.begins(outer);
    thread.works(3);
    let mut ended = None;
    let task = thread.creates();
    thread.waits(SYNC_TASKWAIT, |thread| {
        thread.runs(task, |thread| {
            thread.works(1);
            thread.paths.region_begins(thread.now, inner);
            thread.begins(inner);
            let tasks: Vec<Made> = (0..8).map(|_| thread.creates()).collect();
            thread.waits(WAIT_AT_END, |thread| {
                tasks.into_iter().for_each(|task| thread.runs_for(task, 6));
            });
            thread.ends();
            ended = thread.paths.region_ends(thread.now);
            thread.works(1);
        });
    });
    thread.ends();
    assert!(!ended.unwrap().is_outermost);
    assert_eq!((inner.span(), outer.span()), (6, 3 + 1 + 6 + 1));
}

#[test]
fn parts_of_an_untied_task_add_up_across_threads() {
    let team = team();
    let (mut first, mut second) = (Thread::new(0), Thread::new(5));
    first.begins(team);
    second.begins(team);
    let Made(word, record) = first.creates();
    // SAFETY: just made.
    unsafe { (*record).flags.set(EXPLICIT | ompt::raw::TASK_UNTIED) };
    first.paths.begins(first.now, word, record);
    first.works(10);
    first.paths.leaves(first.now, word);
    second.runs_for(Made(word, record), 20);
    first.ends();
    second.ends();
    assert_eq!(team.span(), 30);
}

#[test]
fn who_learns_late_that_an_untied_task_is_over_uses_no_record_of_another() {
    let (mut first, mut second) = (Thread::new(0), Thread::new(5));
    let Made(word, record) = first.creates();
    // SAFETY: just made.
    unsafe { (*record).flags.set(EXPLICIT | ompt::raw::TASK_UNTIED) };
    first.paths.begins(first.now, word, record);
    second.runs_for(Made(word, record), 20);
    let Made(_, taken) = second.creates();
    assert_ne!(taken, record);
    first.paths.leaves(first.now + 1, word);
    let Made(_, taken) = first.creates();
    assert_eq!(taken, record);
}

#[test]
fn all_records_come_back() {
    let mut live = std::collections::HashSet::new();
    let mut thread = Thread::new(0);
    for _ in 0..1000 {
        thread.begins(team());
        thread.paths.group_begins(thread.now, 7);
        let task = thread.creates();
        live.insert(task.1);
        let mut inner = None;
        thread.runs(task, |thread| inner = Some(thread.creates()));
        // It has ended, and its child has not.
        thread.runs_for(inner.unwrap(), 1);
        thread.waits(SYNC_TASKGROUP, |_| ());
        thread.ends();
    }
    assert!(live.len() < 8, "{}", live.len());
}

#[test]
fn what_is_ordered_otherwise_has_no_span() {
    let team = team();
    let mut thread = Thread::new(0);
    thread.begins(team);
    assert!(team.is_known() && !team.has_tasks());
    thread.paths.begins(thread.now, 7, ptr::null_mut());
    assert!(!team.is_known());
}

#[test]
fn what_a_runtime_makes_for_a_taskloop_is_none_of_the_programs() {
    let mut thread = Thread::new(0);
    thread.begins(team());
    thread.paths.group_begins(thread.now, 7);
    thread.paths.taskloop(true, 9);
    let creator = thread.creates();
    assert_eq!(thread.paths.construct_of(1), 7);
    thread.paths.taskloop(false, 9);
    let mut made = Vec::new();
    thread.runs(creator, |thread| made.push(thread.creates()));
    let part = |task: &Made| {
        // SAFETY: records are never freed.
        let record = unsafe { &*task.1 };
        (record.part.get(), record.depth.get(), record.code.get())
    };
    assert_eq!(part(&made[0]), (Part::Task, 1, 7));
    let task = made.remove(0);
    thread.runs(task, |thread| {
        // The same construct again, in a task of its own.
        thread.paths.taskloop(true, 9);
        made.push(thread.creates());
        thread.paths.taskloop(false, 9);
        assert_eq!(part(&task), (Part::Task, 1, 7));
        assert_eq!(part(&made[0]), (Part::Task, 2, 9));
    });
}

mod ordered;
