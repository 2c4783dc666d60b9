//! Parts of programs that were killed: a lane's last block stands in its slot, before the lane's others, and
//! the end of the file may hold an unfinished copy of it.

use std::path::Path;

use ompchunk_trace_format::{Batch, Ending, Event, Part, PartWriter, layout};

use crate::common;

const BLOCK: usize = 4096;
const CHUNKS: u64 = 1800;

/// The chunks' lower bounds, in the order of each way to read.
fn read(path: &Path) -> [Vec<u64>; 4] {
    let part = Part::open(path).unwrap();
    assert!(matches!(part.ending(), Ending::Cut { .. }));
    let (mut plain, mut merged) = (Vec::new(), Vec::new());
    let lower = |event: &Event<'_>| match event {
        Event::Chunk(chunk) => chunk.lower,
        event => panic!("{event:?}"),
    };
    part.for_each(|_, event| plain.push(lower(event))).unwrap();
    part.merged(|_, event| merged.push(lower(event))).unwrap();
    let batches = |blocks: u64| {
        let (mut found, mut batch) = (Vec::new(), Batch::default());
        // One more than there are: nothing comes after the end.
        for first in (0..=part.block_count() + blocks).step_by(blocks as usize) {
            part.read_batch(first, blocks, &mut batch).unwrap();
            for block in batch.blocks(&part) {
                part.events_of(&block.unwrap(), |_, event| found.push(lower(event))).unwrap();
            }
        }
        found
    };
    let (single, several) = (batches(1), batches(3));
    [plain, merged, single, several]
}

#[test]
fn last_block_first() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, BLOCK).unwrap();
    for number in 0..CHUNKS {
        part.event(1, 10 * number, &common::chunk(number, 1)).unwrap();
    }
    part.abandon().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (mut head, blocks) = (bytes[..BLOCK].to_vec(), &bytes[BLOCK..]);
    head[layout::head::UNSETTLED] = 1;
    let blocks: Vec<&[u8]> = blocks.chunks(BLOCK).collect();
    let (last, before) = blocks.split_last().unwrap();
    assert!(before.len() > 2, "several blocks");
    let written: Vec<u64> = (0..CHUNKS).collect();
    let zeros = vec![0; BLOCK];
    let mut cleared = last.to_vec();
    cleared[..4].fill(0);
    let half = [&last[..100], &zeros[100..]].concat();
    let assemble = |slot: &[u8], rest: &[&[u8]]| {
        let file = [&head[..], slot, &before.concat(), &rest.concat()].concat();
        std::fs::write(&path, file).unwrap();
        read(&path)
    };
    // Killed while filling the slot; while copying it; before and after clearing it.
    assert_eq!(assemble(last, &[]), [&written[..]; 4]);
    assert_eq!(assemble(last, &[&half]), [&written[..]; 4]);
    assert_eq!(assemble(last, &[last]), [&written[..]; 4]);
    assert_eq!(assemble(&cleared, &[last]), [&written[..]; 4]);
    assert_eq!(assemble(&zeros, &[last]), [&written[..]; 4]);
}
