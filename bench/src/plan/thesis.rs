//! What the evaluation of the thesis that proposed chunk events measured (P. V. Langdal, Extending OMPT to Support Grain
//! Graph Visualization, NTNU 2017): its figures 5.1 to 5.3 and its table 3.1.

use super::case::{Case, Unit, ascending, chosen};
use super::options::Options;
use crate::error::Error;

const BODIES: [&str; 4] = ["static", "dynamic", "guided", TASK];
/// The body that creates tasks.
pub const TASK: &str = "task";

/// Each schedule with each chunk size, and tasks from ten to a million.
pub fn cases(options: &Options, cores: u32) -> Result<Vec<Case>, Error> {
    let bodies = options.bodies_of(&BODIES)?;
    let quick = options.quick;
    let doubled = std::iter::successors(Some(1), |threads| Some(threads * 2));
    let mut usual: Vec<u32> = doubled.take_while(|threads| *threads < cores).collect();
    usual.push(cores);
    let threads = chosen(&options.threads, quick, usual, &[2.min(cores)]);
    let powers_of_two = (0..=12).map(|of| 1 << of).collect();
    let chunks = chosen(&options.chunks, quick, powers_of_two, &[1, 64]);
    let powers_of_ten = (1..=6).map(|of| 10_u32.pow(of)).collect();
    let counts = chosen(&[], quick, powers_of_ten, &[10, 1000]);
    let mut cases = Vec::new();
    for threads in ascending(threads) {
        for body in &bodies {
            let (sizes, unit) = match *body {
                TASK => (&counts, Unit::Task),
                _ => (&chunks, Unit::Schedule),
            };
            let of = |size: &u32| Case::new(body, *size, threads, unit);
            cases.extend(sizes.iter().map(of));
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::of;
    use super::*;

    #[test]
    fn schedules_and_tasks() {
        assert_eq!(cases(&of(""), 2).unwrap().len(), 2 * (3 * 13 + 6));
        let tasks = cases(&of("--bodies task --threads 1 --chunks 7"), 2).unwrap();
        let counts: Vec<u32> = tasks.iter().map(|case| case.chunk).collect();
        assert_eq!(counts, [10, 100, 1000, 10_000, 100_000, 1_000_000]);
        let threads = cases(&of("--bodies guided --chunks 1"), 6).unwrap();
        let threads: Vec<u32> = threads.iter().map(|case| case.threads).collect();
        assert_eq!(threads, [1, 2, 4, 6], "doubled, and one per core");
    }
}
