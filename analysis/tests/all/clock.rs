//! The recorder's own time and time off a core: taken out of where they fell, told, and no hint's cause.

use ompchunk_analysis::LoopReport;
use ompchunk_trace_format::sum::TASK_IN_WAIT;
use ompchunk_trace_format::{ClockMeta, Event, Meta, NOBODY, OffCore, Sum, SumOf, Times};

use crate::common::{self, END, Maker, definition, meta, near, recorder, report};

const TEAM: u32 = 2;

/// Recorded with both clocks; a reading takes a tick of a microsecond.
fn with_clocks() -> Meta {
    let mut meta = meta(None);
    meta.clock = ClockMeta { step: None, cpu_read: Some(1.0), own_least: Some(1.0), ..meta.clock };
    meta
}

fn off_core(ticks: u64, switches: (u32, u32)) -> Event<'static> {
    common::off_core(ticks, ticks.saturating_add(50), switches)
}

const PREEMPTED: (u32, u32) = (0, 1);
const WAITING: (u32, u32) = (1, 0);
const BOTH: (u32, u32) = (2, 3);

/// Executions of a static loop, each with a chunk of 1000 ticks per thread; the second thread's is told to be so much
/// longer in `longer`, of which an event tells. Gives the loop.
fn one_long(meta: &Meta, longer: u64, told: &[Event<'_>], recorder_told: &[Event<'_>]) -> LoopReport {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "one", meta);
    let mut definition = definition(0, 5, "f");
    definition.chunk = 0;
    definition.flags &= !(1 << 2);
    maker.threads(TEAM, &[definition]);
    let mut at = 100;
    for region in 1..=10 {
        let most = 1000 + longer;
        for lane in 0..TEAM {
            let time = if lane == 1 { most } else { 1000 };
            maker.task(lane, at, region, TEAM);
            maker.begin(lane, at, 0, 20);
            maker.chunk(lane, at, u64::from(lane) * 10, 10, 0);
            if lane == 1 {
                // In the chunk, and right after its beginning, as a callback that does more than usual.
                for event in recorder_told {
                    maker.put(lane, at + longer, event);
                }
                for event in told {
                    maker.put(lane, at + time, event);
                }
            }
            maker.put(lane, at + time, &Event::LoopEnd { the_loop: 0 });
            maker.put(lane, at + most, &Event::ImplicitTaskEnd { parallel: region });
        }
        at += most + 10;
    }
    maker.finish(at);
    report(directory.path()).loops.remove(0)
}

fn codes(loop_report: &LoopReport) -> Vec<&'static str> {
    loop_report.hints.iter().map(|hint| hint.code).collect()
}

#[test]
fn the_recorders_time_is_not_the_chunks() {
    let one_long = one_long(&with_clocks(), 9000, &[], &[recorder(9000, 0)]);
    let all = one_long.chunk_seconds.as_ref().unwrap();
    near(all.max, 1e-3);
    near(one_long.worst_chunks[0].seconds, 1e-3);
    near(one_long.busy_seconds, 20e-3);
    near(one_long.recorder_seconds.unwrap(), 90e-3);
    near(one_long.metrics.load_balance.unwrap(), 1.0);
    near(one_long.metrics.seconds, 10e-3);
    // 20 chunks, a reading each, and 90 ms, of 20 ms and these.
    near(one_long.reading_seconds.unwrap(), 20e-6);
    near(one_long.recorder_share.unwrap(), 90.02 / 110.0);
    near(one_long.threads[1].recorder_seconds.unwrap(), 90e-3);
    assert_eq!(one_long.off_core.unwrap().seconds, 0.0);
    assert_eq!(codes(&one_long), [""; 0], "{:?}", one_long.hints);
}

/// A core that is taken while the recorder works is not what recording costs, nor the chunk's.
#[test]
fn preempted_while_it_records() {
    let one_long = one_long(&with_clocks(), 9000, &[], &[recorder(9000, 8000)]);
    near(one_long.busy_seconds, 20e-3);
    near(one_long.recorder_seconds.unwrap(), 10e-3);
    let off = one_long.off_core.unwrap();
    near(off.preempted_seconds, 80e-3);
    near(off.beside_seconds, 80e-3);
    near(off.taken(), 0.0);
    near(one_long.metrics.load_balance.unwrap(), 1.0);
}

#[test]
fn a_preempted_chunk_is_no_expensive_one() {
    for switches in [PREEMPTED, BOTH, (0, 0)] {
        let one_long = one_long(&with_clocks(), 9000, &[off_core(9000, switches)], &[]);
        // As long as it was, with a mark.
        near(one_long.worst_chunks[0].seconds, 10e-3);
        near(one_long.worst_chunks[0].off_core.unwrap().seconds, 9e-3);
        assert_eq!(one_long.worst_chunks[0].core, Some(3));
        near(one_long.busy_seconds, 110e-3);
        near(one_long.off_core.unwrap().taken(), 90e-3);
        near(one_long.metrics.load_balance.unwrap(), 1.0);
        near(one_long.metrics.imbalance_seconds, 0.0);
        near(one_long.threads[1].work_seconds(), 10e-3);
        assert_eq!(codes(&one_long), ["off-core"], "{:?}", one_long.hints);
        let text = &one_long.hints[0].text;
        assert!(text.contains("90.0 ms of their 110 ms in the loop"), "{text}");
        assert!(text.contains("45.0 ms behind the busiest, without it not at all"), "{text}");
        // A busy machine is no reason for another schedule.
        assert!(text.contains("rerun on an idle machine before you change the schedule"), "{text}");
        assert!(!text.contains("dynamic"), "{text}");
        let only = switches == PREEMPTED;
        assert_eq!(!text.contains("waiting"), only, "{text}");
    }
}

/// Who sleeps in an iteration does what the iteration does, so another schedule may help.
#[test]
fn waiting_is_work_of_the_iteration() {
    let one_long = one_long(&with_clocks(), 9000, &[off_core(9000, WAITING)], &[]);
    near(one_long.off_core.unwrap().waiting_seconds, 90e-3);
    near(one_long.off_core.unwrap().taken(), 0.0);
    assert!(one_long.metrics.load_balance.unwrap() < 0.6);
    assert_eq!(codes(&one_long), ["uneven-cost"]);
}

/// The thread is expensive, and it was preempted: first the hint that explains more, and each speaks of its own part.
#[test]
fn both_causes() {
    let parts_and_codes = |off: u64| {
        let one_long = one_long(&with_clocks(), 9000, &[off_core(off, PREEMPTED)], &[]);
        let parts = one_long.loss.unwrap();
        near(parts.off_core_seconds + parts.imbalance_seconds, one_long.lost_seconds.unwrap());
        let explained: Vec<f64> = one_long.hints.iter().filter_map(|hint| hint.explains_seconds).collect();
        assert!(explained.is_sorted_by(|one, another| one >= another), "{:?}", one_long.hints);
        assert!(one_long.hints.iter().all(|hint| !hint.text.contains("busy with something else")));
        (parts, codes(&one_long))
    };
    // It is off a core for 40 of 100 ms, and works 50 longer than the other one, which waits for both.
    let (parts, found) = parts_and_codes(4000);
    assert_eq!(found, ["off-core", "uneven-cost"]);
    near(parts.imbalance_seconds, 25e-3);
    near(parts.off_core_seconds, 40e-3);
    let (parts, found) = parts_and_codes(2000);
    assert_eq!(found, ["uneven-cost", "off-core"]);
    near(parts.imbalance_seconds, 35e-3);
    near(parts.off_core_seconds, 20e-3);
}

/// Nearly all of the time was taken from the threads: what a schedule saves is compared with what is left.
#[test]
fn a_cause_on_a_busy_machine() {
    let one_long = one_long(&with_clocks(), 99_000, &[off_core(98_000, PREEMPTED)], &[]);
    near(one_long.metrics.seconds, 1.0);
    near(one_long.metrics.imbalance_seconds, 5e-3);
    assert_eq!(codes(&one_long), ["off-core", "uneven-cost"], "{:?}", one_long.hints);
    let text = &one_long.hints[1].text;
    assert!(text.contains("work 10.0 ms to 20.0 ms"), "{text}");
}

#[test]
fn what_was_not_recorded_is_absent() {
    let the_loop = one_long(&meta(None), 9000, &[], &[]);
    assert_eq!((the_loop.off_core, the_loop.recorder_seconds, the_loop.recorder_share), (None, None, None));
    assert_eq!(the_loop.worst_chunks[0].off_core, None);
    assert_eq!(the_loop.threads[0].off_core, None);
    assert_eq!(codes(&the_loop), ["uneven-cost"]);
    assert!(the_loop.hints[0].text.contains("busy with something else"));
    let json = serde_json::to_value(&the_loop).unwrap();
    assert!(json["off_core"].is_null() && json["recorder_seconds"].is_null());
    // The clock could be read at first, and then not any more.
    let gone = off_core(OffCore::UNKNOWN, (0, 0));
    let one_long = one_long(&with_clocks(), 9000, &[gone], &[]);
    assert_eq!(one_long.off_core, None);
    assert!(one_long.recorder_seconds.is_some());
}

/// More than there is, as by clocks that differ or by a hostile trace: never less than nothing.
#[test]
fn more_than_there_is() {
    let most = u64::MAX - 1;
    for event in [off_core(most, PREEMPTED), off_core(most, BOTH), recorder(most, 7), recorder(7, most)] {
        let one_long = one_long(&with_clocks(), 100, &[event.clone(), event.clone()], &[event.clone(), event]);
        let off = one_long.off_core.unwrap();
        for seconds in [
            one_long.busy_seconds,
            off.seconds,
            off.taken(),
            one_long.metrics.imbalance_seconds,
            one_long.metrics.seconds,
        ] {
            assert!((0.0..=22e-3).contains(&seconds), "{one_long:#?}");
        }
        assert!(one_long.worst_chunks.iter().all(|worst_chunk| worst_chunk.work_seconds() >= 0.0));
        assert!(one_long.barrier_seconds.unwrap() >= 0.0);
    }
}

#[test]
fn sums_of_counted_executions() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "one", &with_clocks());
    maker.threads(TEAM, &[definition(0, 5, "f")]);
    for lane in 0..TEAM {
        let longer = u64::from(lane) * 40_000;
        maker.aggregate(lane, 90_000, (2, 10, 10_000 + longer), &[0, 0, 0, 10]);
        maker.put(
            lane,
            90_000,
            &Event::Times(Times { the_loop: 0, thread: lane, recorder: 500, preempted: longer, waiting: 5, either: 0 }),
        );
    }
    maker.finish(100_000);
    let found = report(directory.path());
    let the_loop = &found.loops[0];
    near(the_loop.busy_seconds, 60e-3);
    near(the_loop.off_core.unwrap().preempted_seconds, 40e-3);
    near(the_loop.off_core.unwrap().waiting_seconds, 10e-6);
    near(the_loop.recorder_seconds.unwrap(), 1e-3);
    near(the_loop.total_load_balance.unwrap(), 1.0);
    near(found.parts[0].recorder_seconds.unwrap(), 1e-3);
}

/// The wait at a barrier is told without the recorder's own time there.
#[test]
fn barriers_without_the_recorder() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "one", &with_clocks());
    maker.threads(TEAM, &[definition(0, 5, "f")]);
    for lane in 0..TEAM {
        maker.task(lane, 100, 1, TEAM);
        maker.begin(lane, 100, 0, 4);
        maker.chunk(lane, 100, u64::from(lane) * 2, 2, 0);
        let end = 200 + u64::from(lane) * 100;
        maker.put(lane, end, &Event::LoopEnd { the_loop: 0 });
        maker.put(lane, end, &Event::SyncBegin(END));
        if lane == 0 {
            maker.put(lane, end + 30, &recorder(30, 0));
        }
        maker.put(lane, 300, &Event::SyncEnd(END));
        maker.put(lane, 300, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    maker.finish(400);
    let found = report(directory.path());
    near(found.loops[0].barrier_seconds.unwrap(), 70e-6);
    near(found.parts[0].recorder_seconds.unwrap(), 30e-6);
    // Not in the loop.
    near(found.loops[0].recorder_seconds.unwrap(), 0.0);
}

/// Each thread tells what storing its events took; what is only added up has two readings of the clock.
#[test]
fn storing_events_is_told() {
    let sum = |thread, what, of, count, ticks| {
        Event::Sum(Sum {
            thread,
            what,
            of,
            code: 0,
            the_loop: NOBODY,
            count,
            sum: ticks,
            min: 1,
            max: ticks,
            from: 100,
            to: 400,
        })
    };
    let made = |storing: &[u64]| {
        let directory = tempfile::tempdir().unwrap();
        let mut maker = Maker::new(directory.path(), "pid-7", &with_clocks());
        maker.threads(TEAM, &[definition(0, 5, "f")]);
        let lock = sum(0, SumOf::Mutex, 1, 10, 50);
        maker.put(0, 400, &lock);
        maker.put(0, 400, &sum(0, SumOf::Task, TASK_IN_WAIT, 4, 50));
        for (lane, ticks) in (0..).zip(storing) {
            maker.put(lane, 400, &sum(lane, SumOf::Storing, 0, 3, *ticks));
        }
        maker.finish(500);
        report(directory.path()).parts.remove(0)
    };
    let told = made(&[70, 50]);
    near(told.storing_seconds.unwrap(), 120e-6);
    assert!(told.added_up.is_none(), "{:?}", told.added_up);
    let untold = made(&[]);
    assert_eq!(untold.storing_seconds, None);
    // The sums themselves are events of the lanes.
    near(told.reading_seconds.unwrap() - untold.reading_seconds.unwrap(), 2e-6);
    near(untold.reading_seconds.unwrap(), (4 + 2 + 2 * 14) as f64 * 1e-6);
}
