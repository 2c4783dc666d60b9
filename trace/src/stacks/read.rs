//! Reads a file of stacks, block by block.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{FORM, StackMeta};
use crate::block::{bytes_of, u32_at, u64_at};
use crate::error::Error;
use crate::event::{NOBODY, Reason};
use crate::head::Beginning;
use crate::stacks::layout::{
    BLOCK_HEAD, BLOCK_MAGIC, FORK_WORDS, MODULE_GONE_WORDS, MODULE_WORDS, MOST_FRAMES, SAMPLE_WORDS, block, head, kind,
};
use crate::stacks::path_beside;
use crate::stacks::record::{Counts, Cut, Fork, Module, Sample, Segment};

/// The stacks of a part.
#[derive(Debug)]
pub struct StackFile {
    path: PathBuf,
    beginning: Beginning<StackMeta>,
    ended: bool,
    lost_reason: Option<Reason>,
    modules: Vec<Module>,
    forks: BTreeMap<u64, Fork>,
    counts: Counts,
    torn: u64,
}

impl StackFile {
    /// The stacks of a part, given its path. `None`: the part was recorded without.
    pub fn beside(part: &Path) -> Result<Option<StackFile>, Error> {
        let path = path_beside(part);
        match path.try_exists() {
            Ok(false) => Ok(None),
            Ok(true) => StackFile::open(&path).map(Some),
            Err(cause) => Err(Error::io(&path, cause)),
        }
    }

    /// Opens a file, and reads all of it but the samples.
    pub fn open(path: &Path) -> Result<StackFile, Error> {
        let beginning: Beginning<StackMeta> = FORM.open(path)?;
        let mut stacks = StackFile {
            path: path.to_owned(),
            // The last block may be shorter than others.
            ended: match u64_at(&beginning.head, head::ENDED) {
                0 => false,
                until => beginning.size.saturating_add(beginning.block_size as u64) > until,
            },
            lost_reason: Reason::from_number(u64_at(&beginning.head, head::LOST_REASON) as u32),
            beginning,
            modules: Vec::new(),
            forks: BTreeMap::new(),
            counts: Counts::default(),
            torn: 0,
        };
        stacks.survey()?;
        Ok(stacks)
    }

    getters! {
        /// Where it is.
        path: &Path, &;
        /// Whether the recorder finished it. Else samples of a quarter of a second are missing at the end, of a sleeper before it slept.
        ended: bool;
        /// Blocks at whose end records are missing or are none: what a crash of the machine or an incomplete copy leaves.
        torn: u64;
        /// What was loaded. Which one an address was in, [`Module::has`] tells.
        modules: &[Module], &;
        /// The stacks at which regions were forked, by region: those in which a sample was taken and that ended.
        forks: &BTreeMap<u64, Fork>, &;
        /// What became of the timers' expirations.
        counts: Counts;
        /// Why some have no sample for lack of room.
        lost_reason: Option<Reason>;
    }

    /// How the stacks were sampled.
    pub fn meta(&self) -> &StackMeta {
        &self.beginning.meta
    }

    /// Where an address belonged at a time.
    pub fn module_at(&self, address: u64, time: u64) -> Option<&Module> {
        // The later ones took the places of those that are gone.
        let mut latest_first = self.modules.iter().rev();
        latest_first.find(|module| module.has(address, time))
    }

    /// All samples, in the order of the file: those of a thread in the order of time, threads in turn.
    pub fn for_each(&self, mut visit: impl FnMut(&Sample<'_>)) -> Result<(), Error> {
        let torn = each_record(&self.path, &self.beginning, |record| {
            if let Record::Sample(sample) = record {
                visit(&sample);
            }
        });
        torn.map(|_| ())
    }

    fn survey(&mut self) -> Result<(), Error> {
        let mut modules: BTreeMap<u32, Module> = BTreeMap::new();
        let mut of_threads: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        self.torn = each_record(&self.path, &self.beginning, |record| match record {
            Record::Block(thread, sums) => {
                // They go on from block to block of a thread.
                let most = of_threads.entry(thread).or_default();
                *most = std::array::from_fn(|which| most[which].max(sums[which]));
            }
            Record::Sample(_) => self.counts.samples += 1,
            Record::Fork(region, fork) => {
                self.forks.entry(region).or_insert(fork);
            }
            Record::Module(number, module) => {
                modules.insert(number, module);
            }
            Record::Gone(number, time) => {
                if let Some(module) = modules.get_mut(&number) {
                    module.to = Some(time);
                }
            }
        })?;
        let Counts { expired, busy, no_room, .. } = &mut self.counts;
        for sums in of_threads.into_values() {
            for (count, sum) in [&mut *expired, &mut *busy, &mut *no_room].into_iter().zip(sums) {
                *count = count.saturating_add(sum);
            }
        }
        self.modules = modules.into_values().collect();
        Ok(())
    }
}

/// Gives the number of blocks that are not whole.
fn each_record(path: &Path, of: &Beginning<StackMeta>, mut visit: impl FnMut(Record<'_>)) -> Result<u64, Error> {
    let mut buffer = vec![0; of.block_size];
    let mut torn = 0;
    for offset in (of.blocks_from as u64..of.size).step_by(of.block_size) {
        let length = (of.size - offset).min(of.block_size as u64) as usize;
        let block = &mut buffer[..length];
        of.file.read_exact_at(block, offset).map_err(|cause| Error::io(path, cause))?;
        // A place that was taken and never written is all zeros.
        if length >= BLOCK_HEAD * 8 && u32_at(block, 0) == BLOCK_MAGIC {
            torn += u64::from(each_in(block, &mut visit).is_none());
        } else if block.iter().any(|byte| *byte != 0) {
            torn += 1;
        }
    }
    Ok(torn)
}

enum Record<'a> {
    /// The thread, and what its block sums up.
    Block(u32, [u64; 3]),
    Sample(Sample<'a>),
    Fork(u64, Fork),
    Module(u32, Module),
    Gone(u32, u64),
}

/// `None`: something in it is no record, and what comes behind it is left out.
fn each_in(bytes: &[u8], visit: &mut impl FnMut(Record<'_>)) -> Option<()> {
    let word = |number: usize| u64_at(bytes, number * 8);
    let thread = (word(block::THREAD) >> 32) as u32;
    let used = (word(block::SEQUENCE) >> 32) as usize;
    if thread != NOBODY {
        let sums = [block::EXPIRED, block::BUSY, block::NO_ROOM].map(word);
        visit(Record::Block(thread, sums));
    }
    let words: Vec<u64> = (BLOCK_HEAD..bytes.len().min(used) / 8).map(word).collect();
    let mut rest = &words[..];
    let mut stack = Stack::default();
    while let Some(&first) = rest.first() {
        let length = (first >> 8) as usize & 0xffff;
        let (record, after) = rest.split_at_checked(length)?;
        if length == 0 || length < words_before_frames(first as u8) {
            return None;
        }
        visit_record(thread, record, &mut stack, visit)?;
        rest = after;
    }
    (used <= bytes.len() && used % 8 == 0).then_some(())
}

fn words_before_frames(of: u8) -> usize {
    match of {
        kind::SAMPLE => SAMPLE_WORDS,
        kind::FORK => FORK_WORDS,
        kind::MODULE => MODULE_WORDS,
        kind::MODULE_GONE => MODULE_GONE_WORDS,
        // From a later version.
        _ => 0,
    }
}

/// The stack of the record before, of which the next one repeats a part.
#[derive(Default)]
struct Stack {
    /// Leaf last, so that what two stacks have in common is the beginning.
    root_first: Vec<u64>,
    leaf_first: Vec<u64>,
}

impl Stack {
    fn next(&mut self, record: &[u64]) -> Option<&[u64]> {
        let head = words_before_frames(record[0] as u8);
        let counts = record[head - 1] >> 32;
        let (same, fresh) = ((counts & 0xffff) as usize, (counts >> 16) as usize);
        let is_whole = same <= self.root_first.len() && fresh == record.len() - head;
        if !is_whole || same + fresh > MOST_FRAMES {
            return None;
        }
        self.root_first.truncate(same);
        self.root_first.extend(record[head..].iter().rev());
        self.leaf_first.clear();
        self.leaf_first.extend(self.root_first.iter().rev());
        Some(&self.leaf_first)
    }
}

/// `None`: it is no record.
fn visit_record(thread: u32, record: &[u64], stack: &mut Stack, visit: &mut impl FnMut(Record<'_>)) -> Option<()> {
    let first = record[0];
    let cut = Cut::from_number((first >> 24) as u8);
    visit(match first as u8 {
        kind::SAMPLE => Record::Sample(Sample {
            thread,
            time: record[1],
            cpu_ns: record[2],
            state: (first >> 32) as u32,
            wait_id: record[3],
            region: record[4],
            the_loop: record[5] as u32,
            frames: stack.next(record)?,
            cut,
        }),
        kind::FORK => {
            let frames = stack.next(record)?.to_vec();
            Record::Fork(record[2], Fork { frames, cut })
        }
        kind::MODULE => {
            let (number, module) = module(record)?;
            Record::Module(number, module)
        }
        kind::MODULE_GONE => Record::Gone(record[2] as u32, record[1]),
        _ => return Some(()),
    });
    Some(())
}

fn module(record: &[u64]) -> Option<(u32, Module)> {
    let lengths = record[3];
    let (path, build_id) = ((lengths >> 32) as usize & 0xffff, (lengths >> 48) as usize);
    let segments = usize::try_from(record[4]).ok()?.checked_mul(3)?;
    let (segments, texts) = record.get(MODULE_WORDS..)?.split_at_checked(segments)?;
    let (path_words, id_words) = texts.split_at_checked(path.div_ceil(8))?;
    let segment = |words: &[u64]| Segment { address: words[0], size: words[1], offset: words[2] };
    let module = Module {
        path: OsString::from_vec(text(path_words, path)?).into(),
        build_id: text(id_words, build_id)?,
        bias: record[2],
        segments: segments.chunks_exact(3).map(segment).collect(),
        from: record[1],
        to: None,
    };
    Some((lengths as u32, module))
}

fn text(words: &[u64], length: usize) -> Option<Vec<u8>> {
    let mut bytes = bytes_of(words);
    (length <= bytes.len()).then(|| bytes.truncate(length))?;
    Some(bytes)
}
