//! A process that becomes another program: two parts, one after the other, from sums that are computed by hand.

use std::path::Path;

use ompchunk_trace_format::Meta;

use crate::common::{Maker, definition, meta, near, report};

/// Threads work 60 and 20 of a run of 60 microseconds, then 20 and 60; the first part has no end.
fn parts(directory: &Path, name: &str, meta: &Meta, begin: u64) {
    for (number, (works, ends)) in [([60, 20], false), ([20, 60], true)].into_iter().enumerate() {
        let (name, begin) = match number {
            0 => (name.to_owned(), begin),
            _ => (format!("{name}.1"), begin + 2_000_000),
        };
        let meta = Meta { started: begin, ..meta.clone() };
        let mut maker = Maker::new(directory, &name, &meta);
        maker.threads(2, &[definition(0, 12, "main")]);
        maker.execute(100, 1, 0, &[&[(works[0], 0)], &[(works[1], 0)]]);
        match ends {
            true => maker.finish(1000),
            false => maker.abandon(),
        };
    }
}

fn of(rank: Option<u64>, process: Option<u64>) -> Meta {
    Meta { process, ..meta(rank) }
}

#[test]
fn one_process_that_becomes_another_program() {
    let directory = tempfile::tempdir().unwrap();
    parts(directory.path(), "pid-7", &of(None, Some(5000)), 0);
    let report = report(directory.path());
    let names: Vec<&str> = report.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["pid 7", "pid 7.1"]);
    assert_eq!(report.parts[0].went_on_in, Some(1));
    assert_eq!(report.parts[1].went_on_in, None);
    let run = &report.run;
    assert_eq!((run.processes, run.threads), (1, 2));
    // 160 until the last thing that is told, and 1000.
    near(run.seconds, 1160e-6);
    near(run.longest_seconds, 1160e-6);
    let codes: Vec<&str> = report.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["exec"], "{:?}", report.notes);
    assert!(report.notes[0].text.contains("pid 7.1"));
    let [the_loop] = &report.loops[..] else { panic!("{:#?}", report.loops) };
    // The sum of the two, and no ranks that wait for each other.
    near(the_loop.metrics.seconds, 120e-6);
    near(the_loop.metrics.imbalance_seconds, 40e-6);
    assert_eq!(the_loop.slowest_rank_seconds, None);
    assert_eq!(the_loop.rank_load_balance, None);
    // Each thread works 80 in all.
    near(the_loop.total_load_balance.unwrap(), 1.0);
    assert_eq!(the_loop.ranks.len(), 2);
}

/// Ranks that do it are two, and not of two runs.
#[test]
fn ranks_that_become_other_programs() {
    let directory = tempfile::tempdir().unwrap();
    for rank in 0..2 {
        let meta = of(Some(rank), Some(5000 + rank));
        parts(directory.path(), &format!("rank-{rank}"), &meta, rank * 1000);
    }
    let report = report(directory.path());
    assert_eq!((report.run.processes, report.run.threads), (2, 4));
    near(report.run.seconds, 1160e-6);
    assert!(report.notes.iter().all(|note| note.code == "exec"), "{:?}", report.notes);
    let the_loop = &report.loops[0];
    near(the_loop.metrics.seconds, 120e-6);
    near(the_loop.slowest_rank_seconds.unwrap(), 120e-6);
    near(the_loop.rank_load_balance.unwrap(), 1.0);
    assert!(the_loop.hints.iter().all(|hint| hint.code != "shared-cores"));
}

/// The same number alone is another process: a later one, or on another machine.
#[test]
fn a_number_that_is_given_again() {
    let unknown = of(None, None);
    let other = Meta { host: "other".into(), ..of(None, Some(5000)) };
    for (first, second) in
        [(unknown.clone(), unknown), (of(None, Some(5000)), of(None, Some(6000))), (of(None, Some(5000)), other)]
    {
        let directory = tempfile::tempdir().unwrap();
        for (name, meta) in [("pid-7", first), ("pid-7.1", second)] {
            let mut maker = Maker::new(directory.path(), name, &meta);
            maker.threads(2, &[definition(0, 12, "main")]);
            maker.execute(100, 1, 0, &[&[(60, 0)], &[(20, 0)]]);
            maker.abandon();
        }
        let report = report(directory.path());
        assert_eq!((report.run.processes, report.run.threads), (2, 4));
        assert!(report.notes.iter().all(|note| note.code == "cut"), "{:?}", report.notes);
    }
}
