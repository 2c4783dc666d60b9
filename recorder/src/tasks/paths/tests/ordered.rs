//! Spans of tasks with dependences, of graphs that are known.

use ompt::raw::{
    DEPENDENCE_IN, DEPENDENCE_INOUT, DEPENDENCE_INOUT_ALL_MEMORY, DEPENDENCE_INOUTSET, DEPENDENCE_MUTEXINOUTSET,
    DEPENDENCE_OUT, Data, Dependence, DependenceType,
};

use super::*;

/// A taskwait's word.
const WORD: usize = 3;

fn dependences(of: &[(DependenceType, u64)]) -> Vec<Dependence> {
    let dependence = |(kind, variable): &(DependenceType, u64)| Dependence {
        variable: Data { value: *variable },
        dependence_type: *kind,
    };
    of.iter().map(dependence).collect()
}

impl Thread {
    fn creates_after(&mut self, of: &[(DependenceType, u64)]) -> Made {
        let made =
            self.creates_so(Created { now: self.now, thread: 0, flags: EXPLICIT, has_dependences: true, code: 1 });
        self.paths.depends(made.0, made.1, &dependences(of));
        made
    }

    fn waits_for_some(&mut self, of: &[(DependenceType, u64)], meanwhile: impl FnOnce(&mut Thread)) {
        self.paths.wait_for_some_begins(self.now, WORD);
        self.paths.depends(WORD, ptr::null_mut(), &dependences(of));
        meanwhile(self);
        self.now += 77;
        self.paths.wait_for_some_ends(self.now, WORD);
    }
}

/// What a task works, and its dependences.
type Task<'t> = (u64, &'t [(DependenceType, u64)]);

/// All are created, and then run in this order.
fn span_of_all(tasks: &[Task]) -> u64 {
    span_of(|thread| {
        let made: Vec<Made> = tasks.iter().map(|(_, of)| thread.creates_after(of)).collect();
        thread.waits(WAIT_AT_END, |thread| {
            for (task, (ticks, _)) in made.into_iter().zip(tasks) {
                thread.runs_for(task, *ticks);
            }
        });
    })
}

#[test]
fn a_chain_by_one_variable() {
    let link: Task = (5, &[(DEPENDENCE_INOUT, 8)]);
    assert_eq!(span_of_all(&[link; 10]), 50);
}

#[test]
fn readers_run_at_the_same_time_and_a_writer_comes_behind_all() {
    let (reads, writes): (&[_], &[_]) = (&[(DEPENDENCE_IN, 8)], &[(DEPENDENCE_OUT, 8)]);
    let tasks = [(2, writes), (5, reads), (9, reads), (7, reads), (4, writes), (1, reads)];
    assert_eq!(span_of_all(&tasks), 2 + 9 + 4 + 1);
}

#[test]
fn of_a_set_none_waits_for_another() {
    let (set, reads): (&[_], &[_]) = (&[(DEPENDENCE_INOUTSET, 8)], &[(DEPENDENCE_IN, 8)]);
    assert_eq!(span_of_all(&[(3, reads), (5, set), (9, set), (2, reads)]), 3 + 9 + 2);
}

#[test]
fn one_variable_twice_is_not_itself_waited_for() {
    let both: &[_] = &[(DEPENDENCE_IN, 8), (DEPENDENCE_OUT, 8)];
    assert_eq!(span_of_all(&[(3, both), (5, both), (2, &[(DEPENDENCE_IN, 8)])]), 10);
}

#[test]
fn all_memory_comes_behind_and_before_all() {
    let of = |variable| [(DEPENDENCE_OUT, variable)];
    let (one, two, three) = (of(8), of(16), of(24));
    let all: &[_] = &[(DEPENDENCE_INOUT_ALL_MEMORY, 0)];
    let tasks: [Task; 5] = [(3, &one), (8, &two), (10, all), (2, &one), (4, &three)];
    assert_eq!(span_of_all(&tasks), 8 + 10 + 4);
}

/// Each cell needs its upper and its left neighbour: the way goes along two edges.
#[test]
fn a_wavefront() {
    const SIDE: u64 = 12;
    let cell = |row: u64, column: u64| row * SIDE + column;
    let span = span_of(|thread| {
        let mut made = Vec::new();
        for (row, column) in (0..SIDE * SIDE).map(|at| (at / SIDE, at % SIDE)) {
            let mut of = vec![(DEPENDENCE_OUT, cell(row, column))];
            if row > 0 {
                of.push((DEPENDENCE_IN, cell(row - 1, column)));
            }
            if column > 0 {
                of.push((DEPENDENCE_IN, cell(row, column - 1)));
            }
            made.push(thread.creates_after(&of));
        }
        thread.waits(WAIT_AT_END, |thread| {
            made.into_iter().for_each(|task| thread.runs_for(task, 10));
        });
    });
    assert_eq!(span, (2 * SIDE - 1) * 10);
}

/// What had ended before its successor was created leads to it, too.
#[test]
fn a_task_that_is_over_is_still_waited_for() {
    let span = span_of(|thread| {
        for _ in 0..100 {
            let task = thread.creates_after(&[(DEPENDENCE_INOUT, 8)]);
            // Others may take tasks while this thread creates them.
            thread.runs_for(task, 5);
        }
    });
    assert_eq!(span, 500);
}

#[test]
fn what_comes_behind_a_taskwait_comes_behind_all() {
    let span = span_of(|thread| {
        let first = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        thread.waits(SYNC_TASKWAIT, |thread| thread.runs_for(first, 30));
        let second = thread.creates_after(&[(DEPENDENCE_IN, 8)]);
        thread.waits(SYNC_TASKWAIT, |thread| thread.runs_for(second, 4));
    });
    assert_eq!(span, 34);
}

#[test]
fn a_taskwait_with_dependences_waits_for_those_alone() {
    let span = span_of(|thread| {
        let long = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        let short = thread.creates_after(&[(DEPENDENCE_OUT, 16)]);
        thread.waits_for_some(&[(DEPENDENCE_IN, 16)], |thread| {
            thread.runs_for(long, 50);
            thread.runs_for(short, 4);
        });
        thread.works(10);
    });
    assert_eq!(span, 50);
    let span = span_of(|thread| {
        let long = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        thread.waits_for_some(&[(DEPENDENCE_IN, 8)], |thread| thread.runs_for(long, 50));
        thread.works(10);
    });
    assert_eq!(span, 60);
}

#[test]
fn the_thread_of_a_task_that_is_not_deferred_goes_on_behind_it() {
    let team = team();
    team.has_size(2);
    let mut thread = Thread::new(0);
    thread.begins(team);
    for _ in 0..10 {
        let task = thread.creates();
        // SAFETY: just made.
        unsafe { (*task.1).flags.set(EXPLICIT | ompt::raw::TASK_UNDEFERRED) };
        thread.runs_for(task, 5);
    }
    thread.ends();
    assert_eq!(team.span(), 50);
}

/// A span, unless something orders tasks that is not known.
fn known_span_of(body: impl FnOnce(&mut Thread)) -> Option<u64> {
    let team = team();
    let mut thread = Thread::new(0);
    thread.begins(team);
    body(&mut thread);
    thread.ends();
    team.is_known().then(|| team.span())
}

#[test]
fn what_is_not_told_is_not_guessed() {
    let untold = known_span_of(|thread| {
        let task =
            thread.creates_so(Created { now: thread.now, thread: 0, flags: EXPLICIT, has_dependences: true, code: 1 });
        thread.runs_for(task, 5);
    });
    assert_eq!(untold, None);
    let in_some_order = known_span_of(|thread| {
        let task = thread.creates_after(&[(DEPENDENCE_MUTEXINOUTSET, 8)]);
        thread.runs_for(task, 5);
    });
    assert_eq!(in_some_order, None);
    let too_early = known_span_of(|thread| {
        let _ = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        let second = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        thread.runs_for(second, 5);
    });
    assert_eq!(too_early, None);
    let no_end = known_span_of(|thread| {
        thread.paths.wait_for_some_begins(thread.now, WORD);
        thread.paths.depends(WORD, ptr::null_mut(), &[]);
        thread.works(3);
    });
    assert_eq!(no_end, None);
    let known = known_span_of(|thread| {
        thread.waits_for_some(&[(DEPENDENCE_IN, 8)], |_| ());
        thread.works(3);
    });
    assert_eq!(known, Some(3));
}

#[test]
fn who_names_ever_more_variables_has_no_span_in_the_end() {
    let known = known_span_of(|thread| {
        for variable in 0..(1 << 10) + 2 {
            let task = thread.creates_after(&[(DEPENDENCE_OUT, variable)]);
            thread.runs_for(task, 1);
        }
    });
    assert_eq!(known, None);
}

/// A long list of readers keeps those alone that are not over.
#[test]
fn readers_without_end_need_no_memory_without_end() {
    let span = span_of(|thread| {
        for _ in 0..100_000 {
            let task = thread.creates_after(&[(DEPENDENCE_IN, 8)]);
            thread.runs_for(task, 3);
        }
        let last = thread.creates_after(&[(DEPENDENCE_OUT, 8)]);
        thread.runs_for(last, 4);
    });
    assert_eq!(span, 7);
}
