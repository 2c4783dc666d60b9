//! Constructs of two runs, made by hand: which is which.

use ompchunk_analysis::model::{ConstructReport, Site, TasksReport};
use ompchunk_analysis::{Report, diff};

/// Constructs of one file: line, function and work.
fn run(constructs: &[(u32, &str, f64)]) -> Report {
    let construct = |(line, function, work_seconds): &(u32, &str, f64)| ConstructReport {
        site: Site {
            name: format!("a.c:{line}"),
            file: Some("src/a.c".into()),
            line: Some(*line),
            function: Some((*function).into()),
            ..Site::default()
        },
        work_seconds: *work_seconds,
        ..ConstructReport::default()
    };
    let tasks = TasksReport { constructs: constructs.iter().map(construct).collect(), ..TasksReport::default() };
    Report { tasks: (!constructs.is_empty()).then_some(tasks), ..Report::default() }
}

fn lines(before: &Report, after: &Report) -> Vec<[Option<u32>; 2]> {
    let pairs = diff(before, after).tasks;
    let line = |of: Option<&ConstructReport>| of.and_then(|of| of.site.line);
    let both = pairs.iter();
    both.map(|pair| [pair.before, pair.after].map(line)).collect()
}

#[test]
fn the_same_place_is_the_same_construct() {
    let before = run(&[(10, "fib", 2.0), (12, "fib", 1.0)]);
    let after = run(&[(12, "fib", 5.0), (10, "fib", 1.0)]);
    // The one with most work, in either run, comes first.
    let expected = [[Some(12); 2], [Some(10); 2]];
    assert_eq!(lines(&before, &after), expected);
}

#[test]
fn lines_may_move_within_a_function() {
    let before = run(&[(10, "fib", 3.0), (12, "fib", 2.0), (40, "walk", 1.0)]);
    let after = run(&[(15, "fib", 2.0), (13, "fib", 3.0), (40, "walk", 1.0)]);
    let expected = [[Some(10), Some(13)], [Some(12), Some(15)], [Some(40), Some(40)]];
    assert_eq!(lines(&before, &after), expected);
}

#[test]
fn of_different_numbers_nobody_knows_which_is_which() {
    let before = run(&[(10, "fib", 4.0)]);
    let after = run(&[(13, "fib", 3.0), (15, "fib", 2.0)]);
    let expected = [[Some(10), None], [None, Some(13)], [None, Some(15)]];
    assert_eq!(lines(&before, &after), expected);
    let other = run(&[(10, "walk", 3.0)]);
    let expected = [[Some(10), None], [None, Some(10)]];
    assert_eq!(lines(&before, &other), expected);
}

#[test]
fn runs_without_tasks_have_no_pairs() {
    assert_eq!(lines(&run(&[]), &run(&[])), [[None; 2]; 0]);
    let json = serde_json::to_value(diff(&run(&[]), &run(&[]))).unwrap();
    assert!(json.get("tasks").is_none(), "{json}");
    assert_eq!(lines(&run(&[]), &run(&[(10, "fib", 1.0)])), [[None, Some(10)]]);
}
