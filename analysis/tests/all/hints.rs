//! Hints against traces whose causes are known: the right one, with its numbers, or none.

use std::path::{Path, PathBuf};

use ompchunk_analysis::model::Hint;
use ompchunk_trace_format::sched_type::{DYNAMIC, STATIC, STATIC_CHUNKED};
use ompchunk_trace_format::{Event, LoopDefinition, Meta};

use crate::common::{Maker, definition, meta, report};

/// A loop, its chunk size, how long a region takes to begin, how much later its second thread does, and how long that one is in code before
/// the loop.
#[derive(Clone, Copy)]
struct Setting {
    schedule: u32,
    chunk: u64,
    start: u64,
    late: u64,
    code_before: u64,
}

const fn setting(schedule: u32, chunk: u64) -> Setting {
    Setting { schedule, chunk, start: 1, late: 0, code_before: 0 }
}

/// A run: each thread's chunks, dealt in turn, by their durations.
type Run = Vec<Vec<u64>>;

fn record(directory: &Path, name: &str, meta: &Meta, how: Setting, runs: &[Run]) -> PathBuf {
    let mut maker = Maker::new(directory, name, meta);
    let the_loop = LoopDefinition {
        schedule: how.schedule,
        chunk: how.chunk as i64,
        // The chunk size is there where the schedule has one.
        flags: if how.schedule == STATIC { 0b11001 } else { 0b11111 },
        ..definition(0, 12, "main")
    };
    let team = runs[0].len() as u32;
    maker.threads(team, &[the_loop]);
    let mut at = 1000;
    for (region, run) in (1..).zip(runs) {
        let count = run.iter().map(|it| it.len() as u64).sum::<u64>() * how.chunk;
        maker.region(0, at, region, 0);
        let begin = at + how.start;
        let mut ends = Vec::new();
        for (lane, chunks) in (0..).zip(run) {
            let begin = begin + if lane == 1 { how.late } else { 0 };
            maker.task(lane, begin, region, team);
            let begin = begin + if lane == 1 { how.code_before } else { 0 };
            maker.begin(lane, begin, 0, count);
            let mut now = begin;
            for (number, time) in (0..).zip(chunks) {
                let lower = (number * u64::from(team) + u64::from(lane)) * how.chunk;
                maker.chunk(lane, now, lower, how.chunk, 0);
                now += time;
            }
            maker.put(lane, now, &Event::LoopEnd { the_loop: 0 });
            ends.push(now);
        }
        at = *ends.iter().max().unwrap();
        for (lane, arrived) in (0..).zip(ends) {
            maker.leave(lane, (arrived, at), region);
        }
        maker.put(0, at, &Event::ParallelEnd { parallel: region });
        at += 1;
    }
    maker.finish(at + 10)
}

fn with_meta(meta: &Meta, how: Setting, runs: &[Run]) -> Vec<Hint> {
    let directory = tempfile::tempdir().unwrap();
    let path = record(directory.path(), "0", meta, how, runs);
    report(&path).loops[0].hints.clone()
}

fn hints(how: Setting, runs: &[Run]) -> Vec<Hint> {
    with_meta(&meta(None), how, runs)
}

/// The only hint, with all that it must name.
#[track_caller]
fn only(found: &[Hint], code: &str, words: &[&str]) {
    let [hint] = found else { panic!("{found:?}") };
    assert_eq!(hint.code, code, "{hint:?}");
    for word in words {
        assert!(hint.text.contains(word), "no {word}: {}", hint.text);
    }
}

#[track_caller]
fn none(found: &[Hint]) {
    assert!(found.is_empty(), "{found:?}");
}

/// Chunks of one duration for each thread.
fn uniform(team: usize, chunks: usize, time: u64) -> Run {
    vec![vec![time; chunks]; team]
}

#[test]
fn a_triangle() {
    let run: Run = vec![vec![70], vec![50], vec![30], vec![10]];
    let found = hints(setting(STATIC, 100), &[run.clone(), run.clone(), run.clone()]);
    only(&found, "uneven-cost", &["30.0 µs to 210 µs", "iterations differ", "core", "40.0 µs in a run are too little"]);
    let slow: Vec<Run> = [&run; 3].map(|run| run.iter().map(|chunks| vec![chunks[0] * 50]).collect()).into();
    only(
        &hints(setting(STATIC, 100), &slow),
        "uneven-cost",
        &["a smaller chunk helps against the first, schedule(dynamic) against"],
    );
    // A thread that lost its core in the only run looks the same, and is named.
    only(&hints(setting(STATIC, 100), &[run]), "uneven-cost", &["busy with something else"]);
}

#[test]
fn one_heavy_iteration() {
    let mut run = uniform(4, 4, 2);
    run[1][1] = 500;
    let one = setting(STATIC_CHUNKED, 1);
    // Iteration 5, in each run; a smaller chunk than one there is not.
    let found = hints(one, &[run.clone(), run.clone(), run.clone()]);
    only(
        &found,
        "long-chunk",
        &[
            "iteration 5 takes 500 µs",
            "132 µs",
            "4 threads",
            "no run is shorter than that iteration, and only dividing the work within it makes it shorter",
        ],
    );
    assert!(!found[0].text.contains("smaller chunk"), "{found:?}");
    // What goes by before it begins, another schedule may save.
    let mut late = uniform(4, 4, 100);
    late[1][3] = 1000;
    let found = hints(one, &[late.clone(), late.clone(), late]);
    only(
        &found,
        "long-chunk",
        &["a run takes 1.30 ms, and for the other 300 µs, a schedule that begins that iteration earlier"],
    );
    assert!(!found[0].text.contains("no schedule"), "{found:?}");
    // Dealt on demand it is no better.
    let found = hints(setting(DYNAMIC, 1), &[run.clone(), run.clone()]);
    only(&found, "long-chunk", &["iteration 5"]);
    // Once, it may have been the machine.
    let found = hints(one, &[run]);
    only(&found, "long-chunk", &["if it is the same in another run", "off its core"]);
}

/// Three for two threads, or nine for four: no chunk size makes their number even, and whether anything helps depends on what they cost.
#[test]
fn iterations_that_cannot_be_shared_evenly() {
    // Thread 0 has a block of two, which is one chunk.
    let of = |trips: u64, team: usize| {
        let directory = tempfile::tempdir().unwrap();
        let mut maker = Maker::new(directory.path(), "0", &meta(None));
        let the_loop = LoopDefinition { schedule: STATIC, chunk: 0, flags: 0b11001, ..definition(0, 12, "main") };
        maker.threads(team as u32, &[the_loop]);
        let (small, more) = (trips / team as u64, trips % team as u64);
        let mut at = 1000;
        for region in 1..4 {
            let mut lower = 0;
            for lane in 0..team as u32 {
                let block = small + u64::from(u64::from(lane) < more);
                maker.task(lane, at, region, team as u32);
                maker.begin(lane, at, 0, trips);
                maker.chunk(lane, at, lower, block, 0);
                lower += block;
                let end = at + 100 * block;
                maker.put(lane, end, &Event::LoopEnd { the_loop: 0 });
                maker.leave(lane, (end, at + 100 * (small + 1)), region);
            }
            at += 100 * (small + 1) + 10;
        }
        let path = maker.finish(at);
        report(&path).loops[0].hints.clone()
    };
    let words = ["3 iterations for 2 threads cannot be shared evenly", "if each costs the same, no schedule helps"];
    only(&of(3, 2), "few-iterations", &words);
    // Which thread has one more changes.
    let runs = [vec![vec![90, 90], vec![90]], vec![vec![90], vec![90, 90]]];
    only(&hints(setting(DYNAMIC, 1), &runs), "few-iterations", &words);
    let found = of(9, 4);
    let [hint] = &found[..] else { panic!("{found:?}") };
    assert!(!hint.text.contains("smaller chunk"), "{found:?}");
    assert!(hint.text.contains("cannot be shared more evenly"), "{found:?}");
}

/// A thread that is taken off its core now and then: other iterations each time, nothing that a schedule cures.
#[test]
fn a_preempted_thread() {
    let one = |run: usize| {
        let mut chunks = uniform(2, 10, 2);
        chunks[1][run] = 500;
        chunks
    };
    none(&hints(setting(STATIC_CHUNKED, 1), &[one(1), one(5), one(7)]));
    // Once in many runs of uniform cost.
    let mut runs = vec![uniform(2, 1, 100); 20];
    runs[7][1][0] = 100_000;
    none(&hints(setting(STATIC, 100), &runs));
    // ... or three times.
    runs[9][1][0] = 90_000;
    runs[13][1][0] = 110_000;
    only(&hints(setting(STATIC, 100), &runs), "some-runs", &["3 of 20 runs"]);
}

#[test]
fn a_heavy_first_run() {
    let mut runs = vec![uniform(2, 1, 100); 5];
    runs[0] = vec![vec![900], vec![100]];
    let found = hints(setting(STATIC, 100), &runs);
    only(&found, "first-run", &["900 µs", "100 µs"]);
    // Also where all threads are slow in it.
    runs[0] = uniform(2, 1, 900);
    only(&hints(setting(STATIC, 100), &runs), "first-run", &["memory"]);
    // Two runs are none to compare with.
    none(&hints(setting(STATIC, 100), &runs[..2]));
    // With more iterations it is longer by itself.
    runs[0] = uniform(2, 9, 100);
    none(&hints(setting(STATIC_CHUNKED, 100), &runs));
}

#[test]
fn a_slow_core() {
    let mut run = uniform(4, 20, 10);
    run[2] = vec![22; 20];
    let found = hints(setting(STATIC_CHUNKED, 2), &[run.clone(), run]);
    only(&found, "slow-thread", &["thread 2 takes 11.0 µs", "5.00 µs", "core", "cost repeats"]);
}

#[test]
fn large_chunks_on_demand() {
    // 8 to 16 ms each.
    let run: Run =
        vec![vec![8000, 12000, 16000, 9000], vec![12000, 10000, 16000], vec![15000, 16000, 8000], vec![16000, 14000]];
    let found = hints(setting(DYNAMIC, 8), std::slice::from_ref(&run));
    only(&found, "large-chunks", &["8 iterations on average", "smaller chunk"]);
    // One iteration each: there is no smaller chunk.
    none(&hints(setting(DYNAMIC, 1), &[run]));
    // Small ones, and a thread that lost its core.
    let mut run = uniform(2, 100, 10);
    run[1][99] = 800;
    none(&hints(setting(DYNAMIC, 8), &[run.clone(), run[..1].iter().cloned().chain([vec![10; 100]]).collect()]));
}

#[test]
fn too_many_tiny_regions() {
    let how = Setting { start: 50, ..setting(STATIC, 10) };
    let runs = vec![uniform(4, 1, 5); 30];
    only(
        &hints(how, &runs),
        "tiny-regions",
        &["30 regions", "takes 50.0 µs", "works for 5.00 µs", "if clause", "from about 140 iterations"],
    );
    // Who waits awake begins sooner.
    only(
        &hints(Setting { start: 150, ..how }, &runs),
        "tiny-regions",
        &["150 µs in each", "on an idle machine before"],
    );
    // Only the first, which creates the threads.
    only(&hints(how, &runs[..1]), "tiny-regions", &["creates its threads"]);
    let late = |schedule: u32, late: u64, run: Run| hints(Setting { late, ..setting(schedule, 10) }, &vec![run; 30]);
    let words = ["takes 8.00 µs in each of 30 regions, and", "works for 6.00 µs", "from about 27 iterations"];
    only(&late(STATIC, 7, uniform(2, 1, 6)), "tiny-regions", &words);
    // Where chunks are handed out, others run those of who comes late, which looks like imbalance.
    let words = ["threads: the last thread begins 60.0 µs after the first, and a run takes 60.0 µs"];
    only(&late(DYNAMIC, 60, vec![vec![20; 3], vec![]]), "late-threads", &words);
    let after_code = Setting { late: 2, code_before: 58, ..setting(DYNAMIC, 10) };
    let words = ["begins 60.0 µs after the first", "code of the region before the loop keeps it 58.0 µs longer; share"];
    only(&hints(after_code, &vec![vec![vec![20; 3], vec![]]; 30]), "late-threads", &words);
    none(&hints(setting(STATIC, 10), &runs));
}

#[test]
fn more_threads_than_cores() {
    let runs: Vec<Run> = vec![(1..=8).map(|it| vec![it * 10]).collect(); 3];
    let meta = |processors| Meta { processors, ..meta(None) };
    let found = with_meta(&meta(2), setting(STATIC, 10), &runs);
    only(&found, "crowded", &["8 threads on 2 processors", "OMP_THREAD_LIMIT=2"]);
    // Enough, and not known.
    for processors in [8, 0] {
        let found = with_meta(&meta(processors), setting(STATIC, 10), &runs);
        only(&found, "uneven-cost", &[]);
    }
    // What loses nothing needs no hint.
    none(&with_meta(&meta(2), setting(STATIC, 10), &[uniform(8, 1, 50)]));
}

#[test]
fn ranks_that_may_share_cores() {
    let found = |processors: u32, apart: u64, host: [&str; 2]| {
        let directory = tempfile::tempdir().unwrap();
        for rank in 0..2 {
            let meta =
                Meta { processors, started: 1 + rank * apart, host: host[rank as usize].into(), ..meta(Some(rank)) };
            let run: Run = vec![vec![900], vec![100]];
            record(directory.path(), &format!("rank-{rank}"), &meta, setting(STATIC, 10), &[run]);
        }
        report(directory.path()).loops[0].hints.clone()
    };
    let words = ["2 processes on node have 4 threads", "2 processors", "if these are the same"];
    only(&found(2, 1000, ["node"; 2]), "shared-cores", &words);
    // Enough cores; one after the other; on two machines.
    only(&found(4, 1000, ["node"; 2]), "uneven-cost", &[]);
    only(&found(2, 1_000_000_000, ["node"; 2]), "uneven-cost", &[]);
    only(&found(2, 1000, ["one", "two"]), "uneven-cost", &[]);
}

/// All threads are slow alike, as where they write to one cache line: nothing in the numbers tells.
#[test]
fn false_sharing() {
    none(&hints(setting(STATIC, 100), &vec![uniform(4, 1, 5000); 3]));
    none(&hints(setting(STATIC_CHUNKED, 1), &vec![uniform(4, 50, 90); 3]));
}
