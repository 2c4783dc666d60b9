//! What a report makes of page faults: they are the cause where the numbers allow no other one.

use ompchunk_analysis::LoopReport;
use ompchunk_trace_format::sum::{FAULTS_FIRST, FAULTS_KERNEL, FAULTS_MINOR};
use ompchunk_trace_format::{Event, Sum, SumOf};

use crate::common::{Maker, definition, meta, report};

fn sum(thread: u32, of: u32, (count, amount): (u64, u64)) -> Event<'static> {
    Event::Sum(Sum {
        thread,
        what: SumOf::Faults,
        of,
        code: 0,
        the_loop: 0,
        count,
        sum: amount,
        min: 0,
        max: amount,
        from: 10,
        to: 20,
    })
}

/// Two threads, whose first of five runs takes 9 ms, the others 1 ms, with so many faults in the first.
fn faulting(first: u64) -> LoopReport {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let mut at = 10;
    for region in 1..=5 {
        let time = if region == 1 { 9000 } else { 1000 };
        at = maker.execute(at, region, 0, &[&[(time, 0)], &[(time, 0)]]);
    }
    for thread in 0..2 {
        let first_execution = sum(thread, FAULTS_MINOR | FAULTS_FIRST, (1, first));
        maker.put(thread, at, &first_execution);
        maker.put(thread, at, &sum(thread, FAULTS_MINOR, (4, 8)));
        let kernel = sum(thread, FAULTS_KERNEL | FAULTS_FIRST, (1, 8000));
        maker.put(thread, at, &kernel);
    }
    report(&maker.finish(at + 10)).loops[0].clone()
}

fn said(the_loop: &LoopReport) -> &str {
    let mut hints = the_loop.hints.iter();
    let hint = hints.find(|hint| hint.code == "first-run");
    &hint.unwrap_or_else(|| panic!("{:?}", the_loop.hints)).text
}

#[test]
fn a_first_run_that_faults() {
    let the_loop = faulting(4000);
    let faults = the_loop.page_faults.as_ref().unwrap();
    assert_eq!((faults.executions, faults.minor, faults.major), (5, 8016, 0));
    assert_eq!(faults.first, Some(8000));
    assert!((faults.kernel_seconds - 0.016).abs() < 1e-9, "{faults:?}");
    let text = said(&the_loop);
    for word in ["8000 page faults", "4 in each of the others", "2.00 µs"] {
        assert!(text.contains(word), "no {word}: {text}");
    }
}

/// 8 ms are not those of 20 faults.
#[test]
fn few_faults_explain_nothing() {
    let the_loop = faulting(10);
    assert_eq!(the_loop.page_faults.as_ref().unwrap().each(), None);
    assert!(the_loop.other_kernel_seconds().is_some());
    // The seconds of the recorder's own work are not the program's.
    assert_eq!(LoopReport { recorder_seconds: Some(0.016), ..the_loop.clone() }.other_kernel_seconds(), None);
    let text = said(&the_loop);
    assert!(!text.contains("page fault"), "{text}");
    assert!(text.contains("caches"), "{text}");
}

#[test]
fn what_was_not_measured_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    let at = maker.execute(10, 1, 0, &[&[(10, 0)]]);
    assert_eq!(report(&maker.finish(at + 10)).loops[0].page_faults, None);
}
