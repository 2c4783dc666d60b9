//! Which executions pictures show, and what of them.

use std::path::Path;

use ompchunk_analysis::{Pictures, Timeline, Which};

use crate::common::{self, Maker, definition, meta, recorder, taken, with};

fn pictures(path: &std::path::Path) -> Pictures {
    with(path, |analysis| {
        let loops: Vec<_> = analysis.report.loops.iter().collect();
        analysis.pictures(&loops, &|_| {}).unwrap().remove(0)
    })
}

fn of(all: &Pictures, which: Which) -> &Timeline {
    let mut found = all.timelines.iter().filter(|timeline| timeline.which.contains(&which));
    let timeline = found.next().unwrap();
    assert!(found.next().is_none());
    timeline
}

#[test]
fn the_longest_the_median_and_the_least_even() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let mut at = 100;
    // Lengths 40, 200, 60, 50, 70: the longest is even, the last is not.
    for (region, (one, two)) in (1..).zip([(40, 40), (200, 190), (60, 55), (50, 50), (70, 7)]) {
        at = maker.execute(at, region, 0, &[&[(one, 0)], &[(two, 0)]]) + 10;
    }
    let all = pictures(&maker.finish(at));
    assert_eq!(all.timelines.len(), 3);
    let micros = |which| (of(&all, which).seconds * 1e6).round();
    assert_eq!(micros(Which::Longest), 200.0);
    assert_eq!(micros(Which::Median), 60.0);
    assert_eq!(micros(Which::Uneven), 70.0);
    // Thread 1 waits until thread 0 has come.
    let uneven = of(&all, Which::Uneven);
    assert_eq!(uneven.rows.len(), 2);
    let row = &uneven.rows[1];
    assert_eq!((row.thread, row.begin, row.end), (1, 0, 7_000));
    assert_eq!(row.barrier, Some([7_000, 70_000]));
    let span = uneven.spans.iter().find(|span| span.thread == 1).unwrap();
    assert_eq!((span.from, span.to, span.chunks), (0, 7_000, 1));
}

#[test]
fn one_execution_is_shown_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(40, 0)], &[(20, 0)]]);
    let all = pictures(&maker.finish(end));
    let which = [Which::Longest, Which::Median, Which::Uneven];
    assert_eq!(all.timelines.len(), 1);
    assert_eq!(all.timelines[0].which, which);
}

/// The median of all parts together, and the longest wherever it is.
#[test]
fn ranks_together() {
    let directory = tempfile::tempdir().unwrap();
    for rank in 0..3 {
        let mut maker = Maker::new(directory.path(), &format!("rank-{rank}"), &meta(Some(rank)));
        maker.threads(2, &[definition(0, 12, "main")]);
        let time = 100 * (rank + 1);
        let end = maker.execute(10, 1, 0, &[&[(time, 0)], &[(time - 10 * rank, 0)]]);
        maker.finish(end);
    }
    let all = pictures(directory.path());
    assert_eq!(of(&all, Which::Longest).part, 2);
    assert_eq!(of(&all, Which::Median).part, 1);
    // 270 of 300 against 190 of 200 in the mean.
    assert_eq!(of(&all, Which::Uneven).part, 2);
    assert_eq!(all.timelines.len(), 2);
}

#[test]
fn what_a_thread_does_beside_its_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    for (lane, begin) in [(0, 100), (1, 150)] {
        maker.task(lane, begin, 1, 2);
        maker.begin(lane, begin, 0, 4);
        // Ready 10 before its first chunk.
        maker.chunk(lane, begin + 10, u64::from(lane) * 2, 2, 0);
    }
    // The thread had no core for 50 of the 200 of its chunk, and the recorder took 20.
    maker.put(0, 305, &taken(50, 255));
    maker.put(0, 308, &recorder(20, 0));
    for (lane, end) in [(0, 310), (1, 200)] {
        maker.put(lane, end, &ompchunk_trace_format::Event::LoopEnd { the_loop: 0 });
        // No barrier right after it.
        let task = ompchunk_trace_format::Event::ImplicitTaskEnd { parallel: 1 };
        maker.put(lane, end, &task);
    }
    let all = pictures(&maker.finish(320));
    let timeline = of(&all, Which::Longest);
    let rows: Vec<_> = timeline.rows.iter().map(|row| (row.begin, row.end)).collect();
    assert_eq!(rows, [(0, 210_000), (50_000, 100_000)]);
    assert!(timeline.rows.iter().all(|row| row.barrier.is_none() && row.lost.is_empty()));
    let span = timeline.spans[0];
    assert_eq!((span.from, span.to), (10_000, 210_000));
    assert_eq!((span.busy, span.off_core), (180_000, 50_000));
}

/// Each of two threads runs a chunk of a loop with more, and ends then.
fn part_of_two(directory: &Path, end: u64) -> Maker {
    let mut maker = Maker::new(directory, "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    for lane in 0..2 {
        maker.task(lane, 90, 1, 2);
        maker.begin(lane, 90, 0, 100);
        maker.chunk(lane, 90, u64::from(lane) * 2, 2, 0);
        maker.put(lane, end, &ompchunk_trace_format::Event::LoopEnd { the_loop: 0 });
    }
    maker
}

/// Where no execution is complete, one that is not is shown, with where chunks were lost.
#[test]
fn incomplete_executions_say_what_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = part_of_two(directory.path(), 300);
    maker.lost(1, 300, 3);
    let path = maker.finish(320);
    common::set_lost(&path, 3);
    let all = pictures(&path);
    let timeline = of(&all, Which::Incomplete);
    assert_eq!(all.timelines.len(), 1);
    // Lost from 100 to 200, of an execution that began at 90.
    assert_eq!(timeline.rows[1].lost, [[10_000, 110_000]]);
    assert!(timeline.rows[0].lost.is_empty());
}

/// Short chunks are put together: the picture does not grow with the trace.
#[test]
fn many_chunks_are_few_spans() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    let chunks = vec![(1, 0); 50_000];
    let end = maker.execute(10, 1, 0, &[&chunks]);
    let all = pictures(&maker.finish(end));
    let spans = &all.timelines[0].spans;
    assert!(spans.len() <= 820, "{}", spans.len());
    assert_eq!(spans.iter().map(|span| span.chunks).sum::<u64>(), 50_000);
}

/// Nor does it with what was lost, however often that is told.
#[test]
fn many_losses_are_few_stretches() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = part_of_two(directory.path(), 1_000_000);
    for number in 0..50_000 {
        let lost = ompchunk_trace_format::Lost {
            reason: 2,
            the_loop: 0,
            thread: 1,
            chunks: 1,
            iterations: 2,
            events: 0,
            from: 100 + number * 20,
            to: 110 + number * 20,
        };
        maker.put(1, 1_000_000, &ompchunk_trace_format::Event::Lost(lost));
    }
    let path = maker.finish(1_000_100);
    common::set_lost(&path, 50_000);
    let all = pictures(&path);
    let timeline = of(&all, Which::Incomplete);
    // All of them lie closer than a bin.
    assert_eq!(timeline.rows[1].lost.len(), 1);
    assert!(timeline.rows[1].lost[0][1] > 999_000_000);
}
