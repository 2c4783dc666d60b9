//! What the teams of a league share, under whatever name a runtime begins it.

use super::*;

const DISTRIBUTE: u64 = 6;
const LOOP: u64 = 10;
/// `ompt_dispatch_ws_loop_chunk`, `ompt_dispatch_distribute_chunk`.
const LOOP_CHUNK: u64 = 3;
const DISTRIBUTE_CHUNK: u64 = 5;

fn datum(value: u64) -> Datum {
    Datum { value, address: 0x100 * value }
}

/// One thread below the league with value 1: the tasks of its team and regions begin, then what is given, then they end.
fn below_league(tasks: &[u64], body: Vec<Entry>) -> Vec<Entry> {
    let begin = |value, parallel, initial| Entry::TaskBegin { task: datum(value), parallel: datum(parallel), initial };
    // The league is the region of its initial tasks.
    let mut entries = vec![begin(20 + tasks.first().copied().unwrap_or(0), 1, true)];
    entries.extend(tasks.iter().map(|&task| begin(task, task, false)));
    entries.extend(body);
    entries.extend(tasks.iter().rev().map(|&task| Entry::TaskEnd { task }));
    entries.push(Entry::TaskEnd { task: 20 + tasks.first().copied().unwrap_or(0) });
    entries
}

fn begins(kind: u64, task: u64) -> Entry {
    Entry::WorkBegin { kind, parallel: task, task, trip: TRIP, codeptr: 0 }
}

/// A chunk of that kind, the events' data being those of a task and its region of the same value.
fn runs(kind: u64, task: u64, lower: u64, upper: u64) -> Vec<Entry> {
    let task = datum(task);
    let mut entries = vec![
        Entry::Dispatch(Dispatch { kind, parallel: task, task, start: lower, iterations: upper - lower + 1 }),
        Entry::Chunk(Chunk { task, lower, upper, is_last: 1, duration: 1.0 }),
    ];
    entries.extend((lower..=upper).map(iteration));
    entries
}

fn judged(threads: Vec<Vec<Entry>>, expected: &Expected) -> Vec<String> {
    let log = Log { threads, ..Log::default() };
    // These logs are of a tool that asks for chunks alone.
    let expected = Expected { loops: false, ..expected.clone() };
    violations_for(&log, &expected)
}

/// A construct that one call deals to teams and threads, begun as `distribute` in the regions of two teams, as flang and libomp do.
fn fused(kind: u64, second: (u64, u64)) -> Vec<String> {
    let part = |team: u64, (lower, upper)| {
        let region = team + 10;
        let mut body = vec![begins(DISTRIBUTE, region)];
        body.extend(runs(kind, region, lower, upper));
        body.push(Entry::WorkEnd { kind: DISTRIBUTE });
        below_league(&[team, region], body)
    };
    judged(vec![part(2, (0, 1)), part(3, second)], &Expected::all_events())
}

#[test]
fn one_call_for_teams_and_threads_has_chunks_of_a_loop() {
    assert_eq!(fused(LOOP_CHUNK, (2, 4)), [""; 0]);
    assert_finds(&fused(DISTRIBUTE_CHUNK, (2, 4)), "dispatch event of kind 5");
}

#[test]
fn the_league_shares_what_one_call_deals_to_teams_and_threads() {
    assert_finds(&fused(LOOP_CHUNK, (3, 4)), "iteration 2 never ran");
    let twice = fused(LOOP_CHUNK, (1, 4));
    assert_finds(&twice, "iteration 1 ran more than once");
}

/// The same as libiomp5 tells of it: begun under two names, ended under one.
fn under_two_names(between: Vec<Entry>, kind: u64) -> Vec<String> {
    let mut body = vec![begins(DISTRIBUTE, 2)];
    body.extend(between);
    body.push(begins(LOOP, 2));
    body.extend(runs(kind, 2, 0, 4));
    body.push(Entry::WorkEnd { kind: LOOP });
    judged(vec![below_league(&[2], body)], &Expected::all_events())
}

#[test]
fn a_construct_may_begin_under_two_names() {
    assert_eq!(under_two_names(Vec::new(), LOOP_CHUNK), [""; 0]);
    let renamed = under_two_names(Vec::new(), DISTRIBUTE_CHUNK);
    assert_finds(&renamed, "dispatch event of kind 5");
}

#[test]
fn a_loop_in_a_distribute_that_runs_is_not_its_other_name() {
    let found = under_two_names(runs(DISTRIBUTE_CHUNK, 2, 0, 0), LOOP_CHUNK);
    assert_finds(&found, "a construct begins inside another");
}

/// `distribute` on two teams of a league, begun as a worksharing loop of each team's task.
fn misnamed(kind: u64, second: (u64, u64), expected: &Expected) -> Vec<String> {
    let part = |team, (lower, upper)| {
        let mut body = vec![begins(LOOP, team)];
        body.extend(runs(kind, team, lower, upper));
        body.push(Entry::WorkEnd { kind: LOOP });
        below_league(&[team], body)
    };
    judged(vec![part(2, (0, 1)), part(3, second)], expected)
}

#[test]
fn the_program_says_what_the_runtime_takes_for_a_loop() {
    let distribute = Expected { distribute: [0].into(), ..Expected::all_events() };
    assert_eq!(misnamed(DISTRIBUTE_CHUNK, (2, 4), &distribute), [""; 0]);
    let as_loop = misnamed(LOOP_CHUNK, (2, 4), &distribute);
    assert_finds(&as_loop, "dispatch event of kind 3");
    let gap = misnamed(DISTRIBUTE_CHUNK, (3, 4), &distribute);
    assert_finds(&gap, "iteration 2 never ran");
    let twice = misnamed(DISTRIBUTE_CHUNK, (1, 4), &distribute);
    assert_finds(&twice, "iteration 1 ran more than once");
}

#[test]
fn without_its_word_each_team_must_run_everything() {
    let other = Expected { distribute: [7].into(), ..Expected::all_events() };
    for expected in [Expected::all_events(), other] {
        let found = misnamed(DISTRIBUTE_CHUNK, (2, 4), &expected);
        assert_finds(&found, "dispatch event of kind 5");
        assert_finds(&found, "iteration 2 never ran");
        assert_finds(&found, "iteration 0 never ran");
    }
}
