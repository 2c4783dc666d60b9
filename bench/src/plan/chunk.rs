//! What the chunk benchmark measures: what a chunk costs in every variant, over chunk sizes, bodies and threads.

use super::case::{Case, Unit, ascending, chosen};
use super::options::Options;
use crate::error::Error;

const BODIES: [&str; 4] = ["empty", "flops", "delay", "call"];

/// Every body, chunk size and number of threads, and for each number of threads a loop of one chunk per thread.
pub fn cases(options: &Options, cores: u32) -> Result<Vec<Case>, Error> {
    let quick = options.quick;
    let mut bodies = options.bodies_of(&BODIES)?;
    if quick && options.bodies.is_empty() {
        bodies = vec!["empty"];
    }
    let sizes = (0..=12).map(|of| 1 << of).collect();
    let chunks = chosen(&options.chunks, quick, sizes, &[1, 64]);
    let few = 2.min(cores);
    let threads = chosen(&options.threads, quick, vec![1, few, cores], &[few]);
    let mut cases = Vec::new();
    for threads in ascending(threads) {
        for body in &bodies {
            let of = |chunk: &u32| Case::new(body, *chunk, threads, Unit::Chunk);
            cases.extend(chunks.iter().map(of));
        }
        cases.push(Case::new("empty", 1, threads, Unit::Loop));
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::of;
    use super::*;

    #[test]
    fn every_body_size_and_number_of_threads() {
        let all = cases(&of(""), 2).unwrap();
        assert_eq!(all.len(), 2 * (4 * 13 + 1));
        let loops = all.iter().filter(|case| case.unit == Unit::Loop);
        assert_eq!(loops.map(|case| case.threads).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(cases(&of("--quick"), 1).unwrap().len(), 2 + 1);
        let few = cases(&of("--bodies call --chunks 3 --threads 4,4,2"), 2).unwrap();
        let few: Vec<_> = few.iter().map(|case| (&*case.body, case.threads)).collect();
        assert_eq!(few, [("call", 2), ("empty", 2), ("call", 4), ("empty", 4)]);
        let error = cases(&of("--bodies cal"), 2).unwrap_err();
        assert_eq!(error.to_string(), "there is no body cal");
    }
}
