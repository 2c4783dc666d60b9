//! Sub-blocks are inside their chunk: every export is the same with and without them.

use std::collections::HashMap;
use std::path::Path;

use ompchunk_export::{Format, Options, Table};
use ompchunk_trace_format::{Event, Part, PartWriter, SubBlock};

use crate::common;

/// Copies a part; with `pieces` each chunk of at least two iterations is told in two, the second half way to the lane's next event.
fn copy(from: &Path, to: &Path, pieces: bool) -> u64 {
    let part = Part::open(from).unwrap();
    let mut times: HashMap<u32, Vec<u64>> = HashMap::new();
    part.for_each(|at, _| times.entry(at.lane).or_default().push(at.ticks)).unwrap();
    let mut copy = PartWriter::with_block_size(to, part.meta(), part.head().start.0, 4096).unwrap();
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let mut added = 0;
    part.for_each(|at, event| {
        let number = seen.entry(at.lane).or_default();
        *number += 1;
        let next = times[&at.lane].get(*number).copied().unwrap_or(at.ticks);
        copy.event(at.lane, at.ticks, event).unwrap();
        let Event::Chunk(chunk) = event else { return };
        if !pieces || chunk.iterations < 2 {
            return;
        }
        added += 2;
        for first in [true, false] {
            let piece = SubBlock {
                lower: chunk.lower + u64::from(!first),
                iterations: if first { 1 } else { chunk.iterations - 1 },
                first,
                last: !first,
            };
            let ticks = if first { at.ticks } else { at.ticks.midpoint(next) };
            copy.event(at.lane, ticks, &Event::SubBlock(piece)).unwrap();
        }
    })
    .unwrap();
    copy.finish(part.head().end.0).unwrap();
    assert_eq!(Part::open(to).unwrap().check().unwrap().violations, []);
    added
}

#[test]
fn exports_are_the_same_with_them() {
    let original = tempfile::tempdir().unwrap();
    let from = common::two_threads(original.path());
    let part = from.join("pid-42.trace");
    // The directory's name is in some of them.
    let all = [false, true].map(|pieces| {
        let directory = tempfile::tempdir().unwrap();
        let to = directory.path().join("app.ompchunk");
        std::fs::create_dir(&to).unwrap();
        let added = copy(&part, &to.join("pid-42.trace"), pieces);
        assert_eq!(added > 0, pieces);
        (directory, to)
    });
    for format in [
        Format::Perfetto,
        Format::Chrome,
        Format::GraphMl,
        Format::TaskStats,
        Format::Csv(Table::Chunks),
        Format::Json(Table::Chunks),
        Format::Csv(Table::Loops),
        Format::Json(Table::Loops),
    ] {
        let [(without, _), (with, _)] = [0, 1].map(|at| common::exported(&all[at].1, format, &Options::default()));
        assert!(without == with, "{format:?}");
    }
}
