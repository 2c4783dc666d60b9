//! What commands share that run a program often. Candidates take turns, so that none has another machine than the
//! others: one that gets slower over minutes changes no comparison.

mod executions;
mod runs;

use std::ffi::{OsStr, OsString};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ompchunk_figures::time;
use ompchunk_toolchain::Failure;

use crate::table::printable;

pub use self::executions::{Compared, DealtAs, Executions, LoopPlace};
pub use self::runs::{Attached, Ran, Runs, aside, end_of};

pub fn words(program: &[OsString]) -> String {
    program.join(OsStr::new(" ")).to_string_lossy().into_owned()
}

pub fn repeated(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(":\n{said}") }
}

/// Says that a run had no worksharing loop. `consequence`: what therefore cannot be done.
pub fn no_loop(took: Duration, command: &str, consequence: &str) -> String {
    let command = printable(command);
    format!(
        "{command} ran no OpenMP loop (omp for, omp do) in {}, so {consequence}\n\
         next: arguments with which its loops run; ompchunk loops PROGRAM lists those that were compiled with ompchunk cc\n",
        time(took.as_secs_f64())
    )
}

/// A line on standard error, if that is a terminal.
pub fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A run ended with an error that must not; `with`: what it ran with, and what follows.
pub fn failed(status: ExitStatus, with: &str, said: &str) -> Failure {
    Failure::new(
        format!("the program ended with {status}{with}{}", repeated(said)),
        "the program runs many times, with the same arguments; run it by itself first. What it reads from standard input must \
         come from a file",
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Stays,
    LeavesOut,
    /// Nothing more is learned from any.
    EndsAll,
}

/// Runs each candidate once in a round, until `is_known` says so after a round, or none is left.
pub fn take_turns<C: Copy + PartialEq>(
    candidates: &[C],
    mut run: impl FnMut(usize, C) -> Result<Turn>,
    mut is_known: impl FnMut(usize) -> bool,
) -> Result<()> {
    let mut left = candidates.to_vec();
    for round in 0.. {
        for candidate in order(&left, round) {
            match run(round, candidate)? {
                Turn::Stays => {}
                Turn::LeavesOut => left.retain(|other| *other != candidate),
                Turn::EndsAll => return Ok(()),
            }
        }
        if left.is_empty() || is_known(round + 1) {
            break;
        }
    }
    Ok(())
}

/// Up and down in turns, begun elsewhere each time, so that none is always first, or always after the same other one.
fn order<C: Copy>(candidates: &[C], round: usize) -> Vec<C> {
    let mut order = candidates.to_vec();
    if let Some(places) = (round / 2).checked_rem(order.len()) {
        order.rotate_left(places);
    }
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// How many turns there are before the order begins again.
const TURNS: usize = 16;
/// Executions of a loop in a turn. The first finds caches as the other schedule left them and is not compared
/// (`Executions::compared`); of the others, as many are of each kind where a program does something else every second time.
const EXECUTIONS: usize = 3;
/// Most schedules in a list: the lists of all loops are one variable, of at most 128 KiB.
const MOST: usize = 5_000;

/// The Thue-Morse sequence of a schedule and the source's, where so many `loops` take turns, each in an own region.
/// Each has half of all turns, of every second and every fourth: a program that becomes slower favours none. `first`
/// begins with another turn, so that executions which a process runs once are not always under the same.
pub fn in_turns(schedule: &str, loops: usize, first: usize) -> String {
    let loops = loops.max(1);
    let regions = (EXECUTIONS * loops).min(MOST / TURNS / loops).max(1);
    let turns = (first..first + TURNS).map(|turn| match (turn % TURNS).count_ones() % 2 {
        0 => "source",
        _ => schedule,
    });
    turns.flat_map(|turn| std::iter::repeat_n(turn, regions)).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_begin_elsewhere() {
        let orders: Vec<_> = (0..6).map(|round| order(&[1, 2, 4], round)).collect();
        let wanted = [[1, 2, 4], [4, 2, 1], [2, 4, 1], [1, 4, 2], [4, 1, 2], [2, 1, 4]];
        assert_eq!(orders, wanted);
        assert!(order(&[0; 0], 3).is_empty());
        // In pairs, as the Thue-Morse sequence begins.
        let pairs: Vec<_> = (0..4).flat_map(|round| order(&['a', 'b'], round)).collect();
        assert_eq!(pairs.iter().collect::<String>(), "abbabaab");
    }

    #[test]
    fn what_is_left_out_has_no_more_turns() {
        let mut turns = Vec::new();
        let run = |round, candidate| {
            turns.push((round, candidate));
            Ok(if candidate == 2 { Turn::LeavesOut } else { Turn::Stays })
        };
        take_turns(&[1, 2, 3], run, |rounds| rounds == 2).unwrap();
        assert_eq!(turns, [(0, 1), (0, 2), (0, 3), (1, 3), (1, 1)]);
    }

    #[test]
    fn half_of_the_turns_whatever_is_looked_at() {
        for first in 0..TURNS {
            let text = in_turns("dynamic,4", 1, first);
            let turns: Vec<&str> = text.split('|').step_by(EXECUTIONS).collect();
            assert_eq!(turns.len(), TURNS);
            for every in [1, 2, 4] {
                for from in 0..every {
                    let some = turns.iter().skip(from).step_by(every);
                    let source = some.clone().filter(|turns| **turns == "source").count();
                    assert_eq!(2 * source, some.count(), "{text}: {from} {every}");
                }
            }
        }
    }

    #[test]
    fn each_loop_stays_for_some_executions() {
        let text = in_turns("static", 2, 0);
        let schedules: Vec<&str> = text.split('|').collect();
        let turns = schedules.chunk_by(|one, next| one == next);
        assert!(turns.map(<[_]>::len).all(|regions| regions % 6 == 0));
    }

    #[test]
    fn lists_of_all_loops_are_one_variable() {
        for loops in [0, 1, 2, 13, 14, 100, 400] {
            let text = in_turns("nonmonotonic:dynamic,4", loops, 5);
            let entry = format!("app.c:3={text}");
            assert!(ompchunk_abi::overrides::Table::parse(&entry).is_ok(), "{loops}");
            assert!(loops > 100 || loops * entry.len() < 120_000, "{loops}");
        }
    }
}
