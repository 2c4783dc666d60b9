//! Programs that GCC compiled for libgomp: they run on libomp where somebody listens, with the same results, and what cannot is said by
//! its name.

mod attacked;
mod moved;

use std::path::Path;
use std::process::Command;

use crate::common::recorded::record;
use crate::common::{clean, finish, succeed};

const ATTACKS: &str = include_str!("attacks.c");

/// What is said of a program that runs on libomp, up to where that is.
pub const MOVED: &str = " was built for libgomp; it runs on ";

pub fn gcc(directory: &Path, source: &str, words: &str) {
    std::fs::write(directory.join("source.c"), source).unwrap();
    let mut command = clean("gcc");
    command.args(["-g", "-w", "-fopenmp", "source.c"]).args(words.split_whitespace());
    succeed(command.current_dir(directory));
}

fn plain(directory: &Path, words: &[&str]) -> Command {
    let mut command = clean(words[0]);
    command.args(&words[1..]).current_dir(directory);
    command
}

/// A run by itself and a recorded one end alike, and print the same, but for our lines, which it gives.
#[track_caller]
fn alike(directory: &Path, words: &[&str], variables: &[(&str, &str)]) -> String {
    let variables = variables.iter().copied();
    let (code, printed, errors) = finish(plain(directory, words).envs(variables.clone()));
    let mut recorded = record(directory, &["--force", "-o", "t"]);
    let (code_then, printed_then, errors_then) = finish(recorded.args(words).envs(variables));
    let (ours, its): (Vec<&str>, Vec<&str>) = errors_then.lines().partition(|line| line.starts_with("ompchunk: "));
    assert_eq!((code_then, printed_then), (code, printed), "{words:?}: {errors_then}");
    assert_eq!(its, errors.lines().collect::<Vec<_>>(), "{words:?}");
    ours.join("\n")
}
