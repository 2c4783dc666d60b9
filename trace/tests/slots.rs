//! Parts of programs that were killed: a lane's last block stands in its slot, before the lane's others, and
//! the end of the file may hold an unfinished copy of it.

mod common;

use std::path::Path;

use ompchunk_trace_format::{Ending, Event, Part, PartWriter, layout};

const BLOCK: usize = 4096;
const CHUNKS: u64 = 900;

/// The chunks' lower bounds, in the order of each way to read.
fn read(path: &Path) -> [Vec<u64>; 2] {
    let part = Part::open(path).unwrap();
    assert!(matches!(part.ending(), Ending::Cut { .. }));
    let (mut plain, mut merged) = (Vec::new(), Vec::new());
    let lower = |event: &Event<'_>| match event {
        Event::Chunk(chunk) => chunk.lower,
        other => panic!("{other:?}"),
    };
    part.for_each(|_, event| plain.push(lower(&event))).unwrap();
    part.merged(|_, event| merged.push(lower(&event))).unwrap();
    [plain, merged]
}

#[test]
fn last_block_first() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, BLOCK).unwrap();
    for number in 0..CHUNKS {
        part.event(1, 10 * number, &common::chunk(number, 1))
            .unwrap();
    }
    part.abandon().unwrap();
    let written = std::fs::read(&path).unwrap();
    let (mut head, blocks) = (written[..BLOCK].to_vec(), &written[BLOCK..]);
    head[layout::head::UNSETTLED] = 1;
    let blocks: Vec<&[u8]> = blocks.chunks(BLOCK).collect();
    let (last, others) = blocks.split_last().unwrap();
    assert!(others.len() > 2, "several blocks");
    let all: Vec<u64> = (0..CHUNKS).collect();
    let zeros = vec![0; BLOCK];
    let mut cleared = last.to_vec();
    cleared[..4].fill(0);
    let half = [&last[..100], &zeros[100..]].concat();
    let assemble = |slot: &[u8], rest: &[&[u8]]| {
        let file = [&head[..], slot, &others.concat(), &rest.concat()].concat();
        std::fs::write(&path, file).unwrap();
        read(&path)
    };
    // Killed while filling the slot; while copying it; before and after clearing it.
    assert_eq!(assemble(last, &[]), [&all[..]; 2]);
    assert_eq!(assemble(last, &[&half]), [&all[..]; 2]);
    assert_eq!(assemble(last, &[last]), [&all[..]; 2]);
    assert_eq!(assemble(&cleared, &[last]), [&all[..]; 2]);
    assert_eq!(assemble(&zeros, &[last]), [&all[..]; 2]);
}
