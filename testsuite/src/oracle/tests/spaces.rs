//! What can be wrong with the parts of a team, and around loops.

use super::*;

#[test]
fn iteration_spaces() {
    let twice = log([run(0, 0, 2, true), run(1, 2, 4, true)]);
    assert_finds(&violations(&twice), "iteration 2 ran more than once");
    let gap = log([run(0, 0, 1, true), run(1, 3, 4, true)]);
    assert_finds(&violations(&gap), "iteration 2 never ran");
    let beyond = log([run(0, 0, 5, true)]);
    assert_finds(&violations(&beyond), "iteration 5 is none of the loop's");
}

#[test]
fn shared_task_data() {
    let mut log = good();
    log.threads[1] = on_thread(0, 10, run(0, 2, 3, true));
    assert_finds(&violations(&log), "two threads carry task data 10");
}

#[test]
fn outside_of_loops() {
    let stray = Log { threads: vec![vec![chunk(0, 0, 1, true)]], ..Log::default() };
    assert_finds(&violations(&stray), "outside of any loop");
    let mut log = good();
    log.threads[0].pop();
    log.threads[0].push(Entry::TaskEnd { task: 99 });
    assert_finds(&violations(&log), "task 99 ended out of turn");
}

#[test]
fn dealt_chunks_come_in_any_order_and_one_of_them_is_the_last() {
    let expected = Expected { dealt: [0].into(), ..Expected::all_events() };
    let dealt = |parts: [Vec<Entry>; 2]| violations_for(&log(parts), &expected);
    let backwards = || [run(0, 4, 4, true), run(0, 0, 1, false)].concat();
    assert_eq!(dealt([backwards(), run(1, 2, 3, false)]), [""; 0]);
    let monotonic = Expected { monotonic: [0].into(), ..expected.clone() };
    assert_finds(&violations_for(&log([backwards(), run(1, 2, 3, false)]), &monotonic), "after");
    let ascending = [run(0, 0, 1, false), run(0, 4, 4, true)].concat();
    assert_eq!(violations_for(&log([ascending, run(1, 2, 3, false)]), &monotonic), [""; 0]);
    assert_finds(&dealt([backwards(), run(1, 2, 3, true)]), "is_last_chunk");
    let unflagged = [run(0, 4, 4, false), run(0, 0, 1, false)].concat();
    assert_finds(&dealt([unflagged, run(1, 2, 3, false)]), "is_last_chunk");
    assert_finds(&dealt([backwards(), Vec::new()]), "never ran");
    let mut unannounced = backwards();
    unannounced.retain(|entry| !matches!(entry, Entry::Chunk(_)));
    assert_finds(&dealt([unannounced, run(1, 2, 3, false)]), "without a chunk event");
}

#[test]
fn sections_are_no_loops() {
    let sections = on_thread(0, 2, vec![dispatch(0, 0, 1)]);
    let log = Log { threads: vec![sections], ..Log::default() };
    assert_finds(&violations(&log), "dispatch event of kind 3");
}

#[test]
fn cancelled_loops_may_stop_anywhere_in_their_last_chunk() {
    let expected = Expected { cancelled: [0].into(), ..Expected::all_events() };
    let mut stopped = good_serial();
    stopped.threads[0].retain(|e| !matches!(e, Entry::Iteration(i) if i.index == 3));
    assert_finds(&violations_for(&stopped, &expected), "announced 2 to 3, but [2] ran");
    let stopped = log([[run(0, 0, 1, false), vec![dispatch(0, 2, 4), chunk(0, 2, 4, false), iteration(2)]].concat()]);
    assert_eq!(violations_for(&stopped, &expected), [""; 0]);
    assert_finds(&violations(&stopped), "announced 2 to 4, but [2] ran");
}

#[test]
fn a_nested_region_does_not_disturb_the_outer_loop() {
    let mut log = log([[run(0, 0, 1, false), run(0, 2, 4, true)].concat()]);
    let inner = Datum { value: 70, address: 0x7000 };
    let region = Datum { value: 71, address: 0x7100 };
    let nested = [
        Entry::TaskBegin { task: inner, parallel: region, initial: false },
        Entry::WorkBegin { kind: 10, parallel: 71, task: 70, trip: TRIP, codeptr: CODEPTR },
        Entry::WorkEnd { kind: 10 },
        Entry::TaskEnd { task: 70 },
    ];
    let at = log.threads[0].iter().position(|e| *e == iteration(1)).unwrap();
    log.threads[0].splice(at..at, nested);
    assert_eq!(violations(&log), [""; 0]);
}

/// One team's initial task with `distribute`, chunks 0-0 and 1-1, each of them run by a region inside.
fn composite(inner: [Vec<Entry>; 2]) -> Vec<String> {
    let (league, team) = (datum(1), datum(2));
    let mut entries = vec![begin_task(league, true), begin_task(team, false)];
    entries.push(begin_work(6, team, 2));
    for (chunk, body) in (0..).zip(inner) {
        entries.extend(chunk_events(5, team, chunk, chunk));
        let region = datum(10 + chunk);
        entries.push(begin_task(region, false));
        entries.push(begin_work(10, region, 1));
        entries.extend(body);
        let task = region.value;
        entries.extend([Entry::WorkEnd { kind: 10 }, Entry::TaskEnd { task }]);
    }
    entries.extend([Entry::WorkEnd { kind: 6 }, Entry::TaskEnd { task: 2 }, Entry::TaskEnd { task: 1 }]);
    let log = Log { threads: vec![entries], ..Log::default() };
    let expected = Expected { loops: false, ..Expected::all_events() };
    violations_for(&log, &expected)
}

/// The begin of a task and a region that have the same datum.
fn begin_task(both: Datum, initial: bool) -> Entry {
    Entry::TaskBegin { task: both, parallel: both, initial }
}

fn begin_work(kind: u64, both: Datum, trip: u64) -> Entry {
    Entry::WorkBegin { kind, parallel: both.value, task: both.value, trip, codeptr: CODEPTR }
}

fn chunk_events(kind: u64, both: Datum, iteration: u64, is_last: u64) -> [Entry; 2] {
    [
        Entry::Dispatch(Dispatch { kind, parallel: both, task: both, start: iteration, iterations: 1 }),
        Entry::Chunk(Chunk { task: both, lower: iteration, upper: iteration, is_last, duration: 1.0 }),
    ]
}

fn datum(value: u64) -> Datum {
    Datum { value, address: 0x100 * value }
}

fn inner(chunk: u64) -> Vec<Entry> {
    let mut entries = chunk_events(3, datum(10 + chunk), chunk, 1).to_vec();
    entries.push(iteration(chunk));
    entries
}

#[test]
fn a_combined_loop_runs_the_chunk_of_distribute() {
    assert_eq!(composite([inner(0), inner(1)]), [""; 0]);
    let mut wrong = inner(1);
    wrong[2] = iteration(0);
    assert_finds(&composite([inner(0), wrong]), "iteration 1 never ran");
    let worksharing = inner(0).into_iter().chain(inner(0)).collect();
    assert_finds(&composite([worksharing, inner(1)]), "iteration 0 ran more than once");
}

#[test]
fn distribute_has_events_of_its_own_kind() {
    let mut entries = on_thread(0, 6, run(0, 0, 4, true));
    if let Entry::TaskBegin { initial, .. } = &mut entries[0] {
        *initial = true;
    }
    let log = Log { threads: vec![entries], ..Log::default() };
    assert_finds(&violations(&log), "dispatch event of kind 3");
}

#[test]
fn a_loop_that_never_ends_is_one_that_is_cancelled_while_the_runtime_deals() {
    let mut log = log([run(0, 0, 1, false)]);
    log.threads[0].retain(|entry| !matches!(entry, Entry::WorkEnd { .. }));
    let loops = |dealt: bool, cancelled: bool| Expected {
        dealt: dealt.then_some(0).into_iter().collect(),
        cancelled: cancelled.then_some(0).into_iter().collect(),
        ..Expected::all_events()
    };
    assert_eq!(violations_for(&log, &loops(true, true)), [""; 0]);
    for (dealt, cancelled) in [(true, false), (false, true), (false, false)] {
        assert_finds(&violations_for(&log, &loops(dealt, cancelled)), "ended inside a construct");
    }
}
