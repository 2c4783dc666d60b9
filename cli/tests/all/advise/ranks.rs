//! Several processes with the same loop: advice is for the one source line that they share.

use std::path::Path;

use super::made::{Made, unchunked};
use super::{advise, interval, is_left, json, ratio};
use crate::common::{fail, must_say};

/// A rank whose iterations cost that, in each of its executions.
fn rank(directory: &Path, rank: u64, executions: u32, cost: impl Fn(u64) -> f64) {
    let mut made = Made::of_rank(directory, rank, 2, &[unchunked(0, "work")]);
    for _ in 0..executions {
        made.execute(0, 1000, 25, |i, _| cost(i));
    }
    made.finish();
}

fn triangle(i: u64) -> f64 {
    (1000 - i) as f64
}

#[test]
fn what_is_the_same_in_all_is_as_in_one() {
    let (one, four) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    rank(one.path(), 0, 8, triangle);
    for number in 0..4 {
        rank(four.path(), number, 8, triangle);
    }
    let [one, four] = [one, four].map(|directory| json(directory.path(), &[])["loops"][0].clone());
    assert_eq!(four["advice"], one["advice"], "{four:#}");
    assert_eq!(four["executions"], 32);
    for schedule in ["static,1", "dynamic,16", "guided,4"] {
        let (of_one, of_four) = (ratio(&one, schedule), ratio(&four, schedule));
        assert!((of_one[1] - of_four[1]).abs() < 0.01, "{of_one:?} {of_four:?}");
    }
    // Time that passed, and not that of all added up.
    let seconds = |ratio| interval(&ratio)[1];
    let (alone, together) = (seconds(one["seconds_now"].clone()), seconds(four["seconds_now"].clone()));
    assert!((together / alone - 1.0).abs() < 0.01, "{together} {alone}");
}

/// A schedule that helps one rank and not the other is no certain gain; of the one alone it is.
#[test]
fn ranks_that_differ_do_not_speak_for_each_other() {
    let directory = tempfile::tempdir().unwrap();
    rank(directory.path(), 0, 8, triangle);
    rank(directory.path(), 1, 8, |_| 500.0);
    let both = json(directory.path(), &[])["loops"][0].clone();
    is_left(&both);
    assert!(both["possible"]["schedule"].is_string(), "{both:#}");
    assert!(interval(&both["possible"]["predicted_ratio"])[2] > 0.97);
    let first = json(directory.path(), &["--rank", "0"])["loops"][0].clone();
    assert!(first["advice"].is_string() && first["possible"].is_null(), "{first:#}");
    is_left(&json(directory.path(), &["--rank", "1"])["loops"][0]);
    let (_, said) = fail(&mut advise(directory.path(), &["--rank", "2"]));
    must_say(&said, "no part of the trace is of rank 2");
}
