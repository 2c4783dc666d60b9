//! What must be known of all runs before any number is believed.

use std::process::ExitStatus;

use ompchunk_figures::counted;

use super::curve::BUSY;
use super::found::{Found, listed};
use super::gather::{Gathered, Why};
use super::runs::Outputs;

pub fn notes(gathered: &Gathered, found: &Found, outputs: &Outputs, rounds: usize, processors: u32) -> Vec<String> {
    let mut notes: Vec<String> = gathered
        .left_out
        .iter()
        .map(|left_out| match &left_out.why {
            Why::Failed(failure) => failed(left_out.asked, failure.status, &failure.said),
            Why::Nothing => format!("OMP_NUM_THREADS={} is left out: nothing was recorded with it", left_out.asked),
        })
        .collect();
    notes.extend(printed(outputs));
    let asked = gathered.asked();
    let crowded: Vec<u32> = asked.iter().copied().filter(|asked| *asked > processors).collect();
    if !crowded.is_empty() {
        notes.push(format!(
            "{} (*) is more threads than the {} that the program may use: threads wait for each other's cores, so this is not compared",
            listed(&crowded),
            counted(processors.into(), "processor")
        ));
    }
    if !found.follows && asked.len() > 1 && !found.loops.is_empty() {
        notes.push(
            "no loop's team follows OMP_NUM_THREADS, so all runs are alike and nothing is compared: the program says how many threads it \
             wants (num_threads, omp_set_num_threads), or a limit does (OMP_THREAD_LIMIT)"
                .to_owned(),
        );
    }
    let curves = found.loops.iter().map(|the_loop| &the_loop.judged.curve);
    let taken = curves.filter_map(|curve| curve.losses.as_ref()?.taken);
    if taken.fold(0.0, f64::max) >= BUSY {
        notes.push(
            "other programs had the cores of threads for 5 % of their time or more. For such loops nothing is ruled out, because \
             threads that seldom run at the same time do not disturb each other. Only imbalance counts as waiting, from the times \
             that threads would have taken with cores, because a thread without a core makes others wait"
                .to_owned(),
        );
    }
    if rounds < 3 {
        notes.push(
            "fewer than 3 runs with each team size may agree by chance, so there is no conclusion (--runs)".to_owned(),
        );
    }
    notes
}

fn failed(asked: u32, status: ExitStatus, said: &str) -> String {
    let last = said.lines().last();
    let last = last.map_or_else(String::new, |line| format!(" ({line})"));
    format!("OMP_NUM_THREADS={asked} is left out: the program ended with {status}{last}")
}

fn printed(outputs: &Outputs) -> Vec<String> {
    match outputs {
        Outputs::Vary(found) => vec![format!(
            "the program's output does not show whether it does the same with each team size: two runs with the same size differ \
             ({found}), as they do if it prints times"
        )],
        Outputs::Differ(all) => {
            let words = all.iter().map(|(asked, found)| {
                format!(
                    "with OMP_NUM_THREADS={asked} the program prints something else: {found}; unless that is a number of threads, or \
                     the last digits of a sum, it may do other work, and its numbers mean little"
                )
            });
            words.collect()
        }
    }
}
