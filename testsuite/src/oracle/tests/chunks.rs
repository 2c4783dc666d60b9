//! What can be wrong with the events of one thread.

use super::*;

#[test]
fn good_logs_pass() {
    assert_eq!(violations(&good()), [""; 0]);
    assert_eq!(violations(&good_serial()), [""; 0]);
    assert_eq!(judge(&good(), &Expected::all_events()).chunks, 3);
    assert_eq!(judge(&good_serial(), &Expected::all_events()).iterations, [(0, TRIP)].into());
}

#[test]
fn missing_events() {
    assert_finds(&broken(is_chunk_at(2), vec![]), "from 2 on ran without a chunk event");
    assert_finds(&broken(is_dispatch_at(2), vec![]), "from 2 on ran without a dispatch event");
    let none = log([(0..TRIP).map(iteration).collect()]);
    assert_finds(&violations(&none), "from 0 on ran without a chunk event");
}

#[test]
fn a_missing_pair_shows_as_a_longer_chunk() {
    let mut log = good_serial();
    log.threads[0].retain(|e| !is_chunk_at(2)(e) && !is_dispatch_at(2)(e));
    assert_finds(&violations(&log), "announced 0 to 1, but [0, 1, 2, 3] ran");
}

#[test]
fn duplicate_events() {
    let twice = vec![chunk(0, 2, 3, false), chunk(0, 2, 3, false)];
    assert_finds(&broken(is_chunk_at(2), twice), "2 chunk events");
    let twice = vec![dispatch(0, 2, 3), dispatch(0, 2, 3)];
    assert_finds(&broken(is_dispatch_at(2), twice), "2 dispatch events");
}

#[test]
fn unclamped_last_chunk() {
    assert_finds(&broken(is_chunk_at(4), vec![chunk(0, 4, 5, true)]), "announced 4 to 5, but [4] ran");
    assert_finds(&broken(is_dispatch_at(4), vec![dispatch(0, 4, 5)]), "announced 4 to 5, but [4] ran");
}

#[test]
fn events_that_contradict_each_other() {
    assert_finds(&broken(is_dispatch_at(4), vec![dispatch(0, 3, 4)]), "contradicts");
}

#[test]
fn wrong_thread() {
    // Thread 1's events fire on thread 0, in whose log its task is not the current one.
    let events = [chunk(1, 2, 3, true), dispatch(1, 2, 3)];
    let parts = [[run(0, 0, 1, true), events.to_vec()].concat(), vec![iteration(2), iteration(3)], run(2, 4, 4, true)];
    let found = violations(&log(parts));
    assert_finds(&found, "thread 0, loop 0: no iteration followed");
    assert_finds(&found, "thread 1, loop 0: iterations from 2 on ran without a chunk event");
    assert_finds(&found, "task data are");
}

#[test]
fn wrong_order() {
    let late =
        log(
            [[vec![dispatch(0, 0, 1), iteration(0), chunk(0, 0, 1, false), iteration(1)], run(0, 2, 4, true)].concat()],
        );
    assert_finds(&violations(&late), "announced 0 to 1, but [0] ran");
    let shuffled = log([[run(0, 2, 4, false), run(0, 0, 1, true)].concat()]);
    assert_finds(&violations(&shuffled), "chunk from 0 on came after 4");
    let backwards = log([vec![dispatch(0, 0, 1), chunk(0, 0, 1, true), iteration(1), iteration(0)]]);
    assert_finds(&violations(&backwards), "announced 0 to 1, but [1, 0] ran");
}

#[test]
fn last_flags() {
    assert_finds(&broken(is_chunk_at(0), vec![chunk(0, 0, 1, true)]), "should be 0");
    assert_finds(&broken(is_chunk_at(4), vec![chunk(0, 4, 4, false)]), "should be 1");
}

#[test]
fn events_without_iterations() {
    let empty = log([run(0, 0, 4, true), vec![dispatch(1, 5, 4)]]);
    assert_finds(&violations(&empty), "thread 1: no iteration followed");
    let empty = log([run(0, 0, 4, true), vec![chunk(1, 0, u64::MAX, true)]]);
    assert_finds(&violations(&empty), "thread 1: no iteration followed");
}

#[test]
fn wrong_data() {
    let other = Chunk { task: task(7), lower: 2, upper: 3, is_last: 0, duration: 1.0 };
    assert_finds(&broken(is_chunk_at(2), vec![Entry::Chunk(other)]), "chunk event: task data");
    let null = Chunk { task: Datum { value: 0, address: 0 }, ..other };
    assert_finds(&broken(is_chunk_at(2), vec![Entry::Chunk(null)]), "chunk event: task data");
    let Entry::Dispatch(mut other) = dispatch(0, 2, 3) else { unreachable!() };
    other.parallel.value = 2;
    assert_finds(&broken(is_dispatch_at(2), vec![Entry::Dispatch(other)]), "dispatch event: parallel");
}

#[test]
fn wrong_kind() {
    let Entry::Dispatch(mut other) = dispatch(0, 2, 3) else { unreachable!() };
    other.kind = 5;
    assert_finds(&broken(is_dispatch_at(2), vec![Entry::Dispatch(other)]), "dispatch event of kind 5");
}

#[test]
fn durations() {
    let timed = |duration| Chunk { task: task(0), lower: 2, upper: 3, is_last: 0, duration };
    for wrong in [-1.0, 0.0, 1001.0, f64::NAN] {
        let found = broken(is_chunk_at(2), vec![Entry::Chunk(timed(wrong))]);
        assert_finds(&found, "is not the duration of bookkeeping");
    }
    let no_clock = Expected { clock: false, ..Expected::all_events() };
    assert_finds(&violations_for(&good(), &no_clock), "1 is not the duration");
}
