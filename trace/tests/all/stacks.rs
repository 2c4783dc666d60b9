//! Files of stacks: written and read back, damaged in every place, and as documented.

use std::path::{Path, PathBuf};

use ompchunk_trace_format::stacks::layout::{self, BLOCK_SIZE};
use ompchunk_trace_format::stacks::{Cut, Module, Sample, Segment, StackFile, StackMeta, StackWriter, path_beside};
use ompchunk_trace_format::{Error, NOBODY};

type Owned = (u32, u64, Vec<u64>, Option<Cut>);

fn module(number: u64) -> Module {
    Module {
        path: format!("/lib/lib{number}.so").into(),
        build_id: (0..number as u8).collect(),
        bias: number << 32,
        segments: (1..=number % 3 + 1)
            .map(|index| Segment { address: (number << 32) + (index << 16), size: 4096, offset: index << 12 })
            .collect(),
        from: number,
        to: (number % 2 == 1).then_some(1000 + number),
    }
}

/// Stacks of several depths that share their ends or do not.
fn frames(thread: u64, number: u64) -> Vec<u64> {
    let depth = number * 7 % 23 * (thread + 1) % layout::MOST_FRAMES as u64;
    (0..=depth).map(|index| (index << 8) | (number / 3 % 5)).collect()
}

fn write(path: &Path, samples: u64) -> Vec<Owned> {
    let meta = StackMeta { hertz: 1000, clock: "thread-cpu".into(), ..StackMeta::default() };
    let mut writer = StackWriter::create(path, &meta).unwrap();
    for number in 0..5 {
        writer.module(&module(number)).unwrap();
    }
    let mut all = Vec::new();
    for number in 0..samples {
        for thread in [0, 7] {
            let frames = frames(thread, number);
            let cut = (number % 4 == 0).then_some(Cut::TooDeep);
            let sample = Sample {
                thread: thread as u32,
                time: 100 + number,
                cpu_ns: number * 11,
                state: 0x102,
                wait_id: number << 40,
                region: number % 3,
                the_loop: if number % 2 == 0 { NOBODY } else { 3 },
                frames: &frames,
                cut,
            };
            writer.sample(&sample).unwrap();
            all.push((thread as u32, sample.time, frames.clone(), cut));
            if number % 10 == 0 {
                let frames = &frames[1.min(frames.len() - 1)..];
                writer.fork(thread as u32, sample.time, thread * 10_000 + number, frames).unwrap();
            }
        }
    }
    writer.finish().unwrap();
    all
}

fn read(path: &Path) -> Result<(StackFile, Vec<Owned>), Error> {
    let file = StackFile::open(path)?;
    let mut all = Vec::new();
    file.for_each(|file| all.push((file.thread, file.time, file.frames.to_vec(), file.cut)))?;
    Ok((file, all))
}

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pid-1.stacks");
    (directory, path)
}

#[test]
fn what_is_written_is_read() {
    let (_keep, path) = temporary();
    let mut expected = write(&path, 3000);
    let (file, mut found) = read(&path).unwrap();
    // Threads in turn, each in the order of time.
    for thread in [0, 7] {
        let times = |all: &[Owned]| -> Vec<u64> {
            let of = all.iter().filter(|it| it.0 == thread);
            of.map(|it| it.1).collect()
        };
        assert_eq!(times(&expected), times(&found));
    }
    expected.sort();
    found.sort();
    assert!(expected == found, "stacks differ");
    assert!(file.ended() && file.torn() == 0 && file.meta().hertz == 1000);
    assert_eq!(file.modules(), (0..5).map(module).collect::<Vec<_>>());
    assert_eq!((file.counts().samples, file.counts().expired), (6000, 6000));
    assert_eq!(file.forks().len(), 600);
    assert_eq!(file.forks()[&10].frames, frames(0, 10)[1..]);
    let at = (3 << 32) + (1 << 16) + 5;
    assert_eq!(file.module_at(at, 1002), Some(&module(3)));
    assert_eq!(file.module_at(at, 1003), None, "it is gone by then");
    let beside = StackFile::beside(&path.with_extension("trace")).unwrap();
    assert!(beside.is_some());
    assert!(StackFile::beside(Path::new("/nowhere/x.trace")).unwrap().is_none());
    assert_eq!(path_beside(Path::new("a/rank-3.1.trace")), Path::new("a/rank-3.1.stacks"));
}

#[test]
fn the_end_may_be_missing_anywhere() {
    let (_keep, path) = temporary();
    let all = write(&path, 150);
    let bytes = std::fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(197) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        match read(&path) {
            Ok((_, found)) => {
                assert!(length >= BLOCK_SIZE / 2 || found.is_empty());
                assert!(found.iter().all(|it| all.contains(it)), "at {length}");
            }
            Err(Error::Cut { .. } | Error::NotATrace { .. }) => assert!(length < 1000),
            Err(other) => panic!("at {length}: {other}"),
        }
    }
}

#[test]
fn damage_is_told_and_hurts_nobody() {
    let (_keep, path) = temporary();
    write(&path, 150);
    let bytes = std::fs::read(&path).unwrap();
    let mut torn = 0;
    for at in (0..bytes.len()).step_by(101) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        std::fs::write(&path, &damaged).unwrap();
        if let Ok((file, _)) = read(&path) {
            torn += u64::from(file.torn() > 0);
        }
    }
    assert!(torn > 3, "records that are none were found: {torn}");
    // A file of zeros, and one of something else.
    std::fs::write(&path, vec![0; 1 << 16]).unwrap();
    assert!(matches!(read(&path), Err(Error::NotATrace { .. })));
}

#[test]
fn numbers_are_as_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/stack-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    for (name, number, words) in [
        ("SAMPLE", layout::kind::SAMPLE, layout::SAMPLE_WORDS),
        ("FORK", layout::kind::FORK, layout::FORK_WORDS),
        ("MODULE", layout::kind::MODULE, layout::MODULE_WORDS),
        ("MODULE_GONE", layout::kind::MODULE_GONE, layout::MODULE_GONE_WORDS),
    ] {
        let row = format!("| `{name}` | {number} | {words} |");
        assert!(text.contains(&row), "no row {row}");
    }
    for (at, size, what) in [
        (layout::head::VERSION, 4, "version"),
        (layout::head::BLOCKS_FROM, 4, "where the first block is"),
        (layout::head::BLOCK_SIZE, 4, "block size"),
        (layout::head::META_SIZE, 4, "bytes of metadata"),
        (layout::head::ENDED, 8, "once the recorder has finished, where the last block ends"),
        (layout::head::LOST_REASON, 8, "why"),
        (layout::block::THREAD * 8, 4, "`STK1`"),
        (layout::block::SEQUENCE * 8, 4, "number of the block in its thread"),
        (layout::block::BEGUN * 8, 8, "the clock"),
        (layout::block::EXPIRED * 8, 8, "expirations"),
        (layout::block::BUSY * 8, 8, "signals"),
        (layout::block::NO_ROOM * 8, 8, "signals"),
    ] {
        let row = format!("| {at} | {size} | {what}");
        assert!(text.contains(&row), "no row {row}");
    }
}
