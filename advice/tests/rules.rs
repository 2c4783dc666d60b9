//! The rules by which schedules are simulated are those of real runtimes: a program says who ran what.

use std::path::Path;
use std::process::Command;

use ompchunk_advice::rules::{Guided, Own, block, steal};
use ompchunk_testkit::runtimes::{self, Runtime};
use ompchunk_testkit::{clean, missing};

/// A chunk: thread, first and last iteration.
type Chunk = (u64, u64, u64);

/// The program, and how it is run on each runtime.
struct Real {
    directory: tempfile::TempDir,
    runtimes: Vec<Runtime>,
}

fn real() -> Option<Real> {
    let directory = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules.c");
    let compiled = ["clang-22", "clang-19", "clang-16", "clang"].iter().any(|clang| {
        let mut command = Command::new(clang);
        command.arg("-O1").arg("-fopenmp").arg(&source).arg("-o");
        let out = command.arg(directory.path().join("rules")).output();
        out.is_ok_and(|output| output.status.success())
    });
    if !compiled {
        missing("no clang with OpenMP");
        return None;
    }
    let runtimes = runtimes::three();
    Some(Real { directory, runtimes })
}

impl Real {
    fn run(&self, runtime: &Runtime, threads: u64, trips: u64, kind: &str, chunk: u64) -> Vec<Chunk> {
        let mut command = clean(self.directory.path().join("rules"));
        runtime.serve(&mut command);
        let words = [threads.to_string(), trips.to_string(), kind.to_owned(), chunk.to_string()];
        let out = command.args(words).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        let text = String::from_utf8(out.stdout).unwrap();
        let number = |word: &str| word.parse::<u64>().unwrap();
        text.lines()
            .map(|line| {
                let numbers: Vec<u64> = line.split(' ').map(number).collect();
                (numbers[0], numbers[1], numbers[2])
            })
            .collect()
    }
}

const CASES: [(u64, u64, u64); 8] =
    [(2, 100, 1), (2, 101, 7), (3, 1000, 16), (4, 3, 1), (4, 10_007, 32), (7, 5000, 3), (8, 64, 8), (2, 9, 4)];

fn sizes(chunks: &[Chunk]) -> Vec<u64> {
    let mut sizes: Vec<u64> = chunks.iter().map(|(_, lower, upper)| upper - lower + 1).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn as_the_runtimes_deal() {
    let Some(real) = real() else {
        return;
    };
    for runtime in &real.runtimes {
        let name = runtime.name;
        for (threads, trips, chunk) in CASES {
            let what = format!("{name}: {trips} iterations on {threads} threads in chunks of {chunk}");
            let run = |kind: &str| real.run(runtime, threads, trips, kind, chunk);
            assert_static(&run, (threads, trips, chunk), &what);
            assert_dealt(&run, (threads, trips, chunk), &what);
        }
    }
}

fn assert_static(run: &dyn Fn(&str) -> Vec<Chunk>, (threads, trips, chunk): (u64, u64, u64), what: &str) {
    let mut blocks = run("static");
    blocks.sort_unstable();
    let right: Vec<Chunk> = (0..threads)
        .map(|thread| (thread, block(trips, threads, thread)))
        .filter(|(_, block)| !block.is_empty())
        .map(|(thread, block)| (thread, block.start, block.end - 1))
        .collect();
    assert_eq!(blocks, right, "static, {what}");

    let mut cyclic = run("cyclic");
    cyclic.sort_unstable_by_key(|(_, lower, _)| *lower);
    let right: Vec<Chunk> = chunks_of(trips, chunk)
        .enumerate()
        .map(|(number, (lower, upper))| (number as u64 % threads, lower, upper))
        .collect();
    assert_eq!(cyclic, right, "static,c, {what}");
}

fn assert_dealt(run: &dyn Fn(&str) -> Vec<Chunk>, (threads, trips, chunk): (u64, u64, u64), what: &str) {
    let mut guided: Vec<u64> = Guided::new(trips, threads, chunk).collect();
    guided.sort_unstable();
    assert_eq!(sizes(&run("guided")), guided, "guided, {what}");

    let mut equal: Vec<u64> = chunks_of(trips, chunk).map(|(lower, upper)| upper - lower + 1).collect();
    equal.sort_unstable();
    assert_eq!(sizes(&run("monotonic")), equal, "monotonic:dynamic, {what}");
    assert_eq!(sizes(&run("dynamic")), equal, "dynamic, {what}");
    let Some(right) = taken_by_one(threads, trips.div_ceil(chunk)) else {
        return;
    };
    for width in ["alone_4", "alone_8"] {
        let dealt = run(width);
        let of_first = dealt.iter().filter(|(thread, ..)| *thread == 0);
        let numbers: Vec<u64> = of_first.map(|(_, lower, _)| lower / chunk).collect();
        assert_eq!(numbers, right, "{width}, {what}");
    }
}

/// The first and the last iteration of each chunk of one size.
fn chunks_of(trips: u64, chunk: u64) -> impl Iterator<Item = (u64, u64)> {
    let first = (0..trips).step_by(chunk as usize);
    first.map(move |first| (first, (first + chunk).min(trips) - 1))
}

/// The chunks that the first thread gets where all have begun and no other asks for one.
fn taken_by_one(threads: u64, chunks: u64) -> Option<Vec<u64>> {
    let mut own = Own::all(chunks, threads)?;
    own.iter_mut().for_each(Own::begin);
    let mut victim = 1;
    let mut taken = Vec::new();
    while let Some(chunk) = own[0].take().or_else(|| steal(&mut own, 0, &mut victim)) {
        taken.push(chunk);
    }
    Some(taken)
}
