//! Loop events, broken one by one.

use super::*;

/// Replaces the loop event of that endpoint in a good serial log by what `by` makes of it.
fn changed(endpoint: u64, by: impl Fn(LoopEvent) -> Vec<Entry>) -> Vec<String> {
    let Entry::Loop(event) = loop_event(0, endpoint) else { unreachable!("it is one") };
    broken(|entry| *entry == Entry::Loop(event), by(event))
}

#[test]
fn a_missing_one() {
    assert_finds(&changed(1, |_| Vec::new()), "not a begin and an end");
    assert_finds(&changed(2, |_| Vec::new()), "not a begin and an end");
    let mut log = good();
    log.threads[3].retain(|entry| !matches!(entry, Entry::Loop(_)));
    assert_finds(&violations(&log), "no loop event on this thread");
    log.threads[0].retain(|entry| !matches!(entry, Entry::Loop(_)));
    assert_finds(&violations(&log), "no loop event");
}

#[test]
fn one_too_many() {
    let twice = |event| vec![Entry::Loop(event); 2];
    assert_finds(&changed(1, twice), "not a begin and an end");
    let unasked = Expected { loops: false, ..Expected::all_events() };
    assert_finds(&violations_for(&good(), &unasked), "left alone");
}

#[test]
fn out_of_place() {
    let mut log = good_serial();
    let entries = &mut log.threads[0];
    let end = entries.iter().rposition(|entry| matches!(entry, Entry::Loop(_)));
    let end = entries.remove(end.expect("an end"));
    entries.insert(6, end);
    assert_finds(&violations(&log), "do not enclose the chunks");
    assert_finds(
        &changed(1, |event| vec![Entry::Loop(LoopEvent { endpoint: 2, ..event })]),
        "do not enclose the chunks",
    );
}

#[test]
fn with_other_data() {
    type Break = fn(&mut LoopEvent);
    let breaks: [(Break, &str); 4] = [
        (|event| event.task += 1, "does not name"),
        (|event| event.parallel += 1, "does not name"),
        (|event| event.codeptr += 1, "is not at"),
        (|event| event.schedule = 2, "of a loop that is work of kind 10"),
    ];
    for (change, what) in breaks {
        for endpoint in [1, 2] {
            let found = changed(endpoint, |mut event| {
                change(&mut event);
                vec![Entry::Loop(event)]
            });
            assert_finds(&found, what);
        }
    }
}
