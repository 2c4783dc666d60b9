//! A recording with a profile, in which most executions are told without their chunks: one tick is one microsecond.

use ompchunk_analysis::{Analysis, Report};
use ompchunk_trace_format::{Event, Unwanted};

use crate::common::{Maker, definition, meta, near, with};

/// Executions of a loop on two threads. The first has four chunks of 100 us on each thread, those in `told` likewise; the others take 40 us
/// without any. In the last one, threads did not agree.
fn recorded<T>(told: &[u64], see: impl FnOnce(&Report, &Analysis<'_>) -> T) -> T {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "app", &meta(None));
    maker.threads(2, &[definition(0, 20, "work")]);
    let mut at = 1000;
    for region in 1..=10 {
        let tells = |lane: u32| region == 1 || told.contains(&region) || region == 10 && lane == 1;
        let end = at + if tells(1) { 400 } else { 40 };
        for lane in 0..2 {
            maker.task(lane, at, region, 2);
            maker.begin(lane, at, 0, 16);
            if !tells(lane) {
                maker.put(lane, at, &Event::Omitted { the_loop: 0, why: Unwanted::Costly });
            }
            for turn in (0..4).filter(|_| tells(lane)) {
                maker.chunk(lane, at + turn * 100, turn * 4 + u64::from(lane) * 2, 2, 0);
            }
            maker.put(lane, end, &Event::LoopEnd { the_loop: 0 });
            maker.leave(lane, (end, end), region);
        }
        at = end + 10;
    }
    maker.finish(at);
    with(directory.path(), |analysis| see(&analysis.report, analysis))
}

#[test]
fn what_is_not_told_is_neither_lost_nor_incomplete() {
    recorded(&[4], |report, analysis| {
        let the_loop = &report.loops[0];
        assert_eq!((the_loop.executions, the_loop.incomplete_executions, the_loop.counted_executions), (10, 0, 0));
        assert_eq!((the_loop.unprofiled_executions, the_loop.chunks_complete, the_loop.tells_all()), (8, true, false));
        // Two executions of 8 chunks, and 4 of the thread that told its own.
        assert_eq!(the_loop.chunks, 20);
        // All of it is the loop's time: two told, seven not, and the last.
        near(the_loop.metrics.seconds, (2 * 400 + 7 * 40 + 400) as f64 * 1e-6);
        let chunks = the_loop.chunk_seconds.as_ref().unwrap();
        near(chunks.mean, 100e-6);
        let note = report.notes.iter().find(|note| note.code == "profiled").expect("a note");
        assert!(note.text.contains("a.c:20: profiled 2 of 10 executions: chunks of "), "{}", note.text);
        assert!(note.text.ends_with(" cost more to record than to run"), "{}", note.text);
        assert!(report.notes.iter().all(|note| note.code != "untold" && note.code != "lost"), "{:?}", report.notes);
        let profile = &analysis.profiles(&[the_loop], &|_| {}).unwrap()[0];
        assert_eq!((profile.complete, profile.incomplete, profile.without_chunks, profile.unprofiled), (2, 0, 0, 8));
        assert_eq!(profile.executions.len(), 2);
    });
}

#[test]
fn where_all_are_told_nothing_is_said() {
    recorded(&[2, 3, 4, 5, 6, 7, 8, 9], |report, _| {
        // But for the last.
        assert_eq!(report.loops[0].unprofiled_executions, 1);
        assert!(report.loops[0].profiled().unwrap().starts_with("profiled 9 of 10 executions"));
    });
}
