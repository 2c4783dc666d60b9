//! Reads a file of stacks, block by block.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::block::{u32_at, u64_at};
use crate::error::Error;
use crate::event::{NOBODY, Reason};
use crate::stacks::layout::{
    BLOCK_HEAD, BLOCK_MAGIC, BLOCK_SIZES, FORK_WORDS, HEAD_SIZE, MAGIC, MODULE_GONE_WORDS,
    MODULE_WORDS, MOST_FRAMES, SAMPLE_WORDS, VERSION, block, head, kind,
};
use crate::stacks::meta::StackMeta;
use crate::stacks::path_beside;
use crate::stacks::record::{Counts, Cut, Fork, Module, Sample, Segment};

/// The stacks of a part.
#[derive(Debug)]
pub struct StackFile {
    path: PathBuf,
    file: File,
    size: u64,
    blocks_from: u64,
    block_size: usize,
    ended: bool,
    lost_reason: Option<Reason>,
    meta: StackMeta,
    modules: Vec<Module>,
    forks: BTreeMap<u64, Fork>,
    counts: Counts,
    torn: u64,
}

impl StackFile {
    /// Those of a part, given the part's path. `None`: the part was recorded without.
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
        let io = |cause| Error::io(path, cause);
        let file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut bytes = [0; HEAD_SIZE];
        let there = size.min(HEAD_SIZE as u64) as usize;
        file.read_exact_at(&mut bytes[..there], 0).map_err(io)?;
        let not = |what: String| Error::NotATrace {
            path: path.to_owned(),
            what,
        };
        let begun = there.min(MAGIC.len());
        if bytes[..begun] != MAGIC[..begun] {
            return Err(not("it does not begin with OMPCHSTK".into()));
        }
        let cut = |what| Error::Cut {
            path: path.to_owned(),
            offset: size,
            what,
        };
        if there < HEAD_SIZE {
            return Err(cut("its head"));
        }
        let version = u32_at(&bytes, head::VERSION);
        if version != VERSION {
            return Err(not(format!(
                "its stacks are of version {version}, this program reads version {VERSION}"
            )));
        }
        let block_size = u32_at(&bytes, head::BLOCK_SIZE) as usize;
        let blocks_from = u32_at(&bytes, head::BLOCKS_FROM) as usize;
        let meta_size = u32_at(&bytes, head::META_SIZE) as usize;
        if !block_size.is_power_of_two() || !BLOCK_SIZES.contains(&block_size) {
            let what = format!("blocks cannot have {block_size} bytes");
            return Err(Error::broken(path, head::BLOCK_SIZE as u64, what));
        }
        if blocks_from % block_size != 0 || blocks_from.saturating_sub(HEAD_SIZE) < meta_size {
            let what = format!("the first block cannot be at {blocks_from}");
            return Err(Error::broken(path, head::BLOCKS_FROM as u64, what));
        }
        if size < (HEAD_SIZE + meta_size) as u64 {
            return Err(cut("its metadata"));
        }
        let mut json = vec![0; meta_size];
        file.read_exact_at(&mut json, HEAD_SIZE as u64)
            .map_err(io)?;
        let meta = serde_json::from_slice(&json).map_err(|error| {
            Error::broken(path, HEAD_SIZE as u64, format!("its metadata: {error}"))
        })?;
        let mut stacks = StackFile {
            path: path.to_owned(),
            file,
            size,
            blocks_from: blocks_from as u64,
            block_size,
            // The last block may be shorter than others.
            ended: match u64_at(&bytes, head::ENDED) {
                0 => false,
                until => size.saturating_add(block_size as u64) > until,
            },
            lost_reason: Reason::of(u64_at(&bytes, head::LOST_REASON) as u32),
            meta,
            modules: Vec::new(),
            forks: BTreeMap::new(),
            counts: Counts::default(),
            torn: 0,
        };
        stacks.survey()?;
        Ok(stacks)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the stacks were sampled.
    #[must_use]
    pub fn meta(&self) -> &StackMeta {
        &self.meta
    }

    /// Whether the recorder finished it. If not, samples of up to a quarter of a second before the end are missing, and of a
    /// thread that slept then those before it fell asleep.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Blocks at whose end records are missing or are none: what a crash of the machine or an incomplete copy leaves.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// What was loaded. Which one an address was in, [`Module::has`] tells.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Where an address belonged at a time.
    #[must_use]
    pub fn module_at(&self, address: u64, time: u64) -> Option<&Module> {
        // The later ones took the places of those that are gone.
        let of_then = |it: &&Module| it.has(address, time);
        self.modules.iter().rev().find(of_then)
    }

    /// The stacks at which regions were forked, by region: those in which a sample was taken and that ended.
    #[must_use]
    pub fn forks(&self) -> &BTreeMap<u64, Fork> {
        &self.forks
    }

    /// What became of the timers' expirations.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Why some have no sample for lack of room.
    #[must_use]
    pub fn lost_reason(&self) -> Option<Reason> {
        self.lost_reason
    }

    /// All samples, in the order of the file: those of a thread in the order of time, threads in turn.
    pub fn for_each(&self, mut see: impl FnMut(&Sample<'_>)) -> Result<(), Error> {
        self.each_record(|record| {
            if let Record::Sample(sample) = record {
                see(&sample);
            }
        })
        .map(|_| ())
    }

    fn survey(&mut self) -> Result<(), Error> {
        let mut modules: BTreeMap<u32, Module> = BTreeMap::new();
        let mut forks = BTreeMap::new();
        let mut counts = Counts::default();
        let mut of_threads: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        let torn = self.each_record(|record| match record {
            Record::Block(thread, sums) => {
                // They go on from block to block of a thread.
                let it = of_threads.entry(thread).or_default();
                *it = std::array::from_fn(|which| it[which].max(sums[which]));
            }
            Record::Sample(_) => counts.samples += 1,
            Record::Fork(region, fork) => {
                forks.entry(region).or_insert(fork);
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
        for [expired, busy, no_room] in of_threads.into_values() {
            counts.expired = counts.expired.saturating_add(expired);
            counts.busy = counts.busy.saturating_add(busy);
            counts.no_room = counts.no_room.saturating_add(no_room);
        }
        self.modules = modules.into_values().collect();
        (self.forks, self.counts, self.torn) = (forks, counts, torn);
        Ok(())
    }

    /// Gives the number of blocks that are not whole.
    fn each_record(&self, mut see: impl FnMut(Record<'_>)) -> Result<u64, Error> {
        let mut bytes = vec![0; self.block_size];
        let mut torn = 0;
        let mut at = self.blocks_from;
        while at < self.size {
            let there = (self.size - at).min(self.block_size as u64) as usize;
            let read = self.file.read_exact_at(&mut bytes[..there], at);
            read.map_err(|cause| Error::io(&self.path, cause))?;
            let here = &bytes[..there];
            // A place that was taken and never written is all zeros.
            if here.len() >= BLOCK_HEAD * 8 && u32_at(here, 0) == BLOCK_MAGIC {
                torn += u64::from(each_in(here, &mut see).is_none());
            } else if here.iter().any(|it| *it != 0) {
                torn += 1;
            }
            at += self.block_size as u64;
        }
        Ok(torn)
    }
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
fn each_in(bytes: &[u8], see: &mut impl FnMut(Record<'_>)) -> Option<()> {
    let word = |number: usize| u64_at(bytes, number * 8);
    let thread = (word(block::THREAD) >> 32) as u32;
    let used = (word(block::SEQUENCE) >> 32) as usize;
    if thread != NOBODY {
        let sums = [block::EXPIRED, block::BUSY, block::NO_ROOM].map(word);
        see(Record::Block(thread, sums));
    }
    let words: Vec<u64> = (BLOCK_HEAD..bytes.len().min(used) / 8).map(word).collect();
    let mut rest = &words[..];
    // Leaf last, so that what two stacks have in common is the beginning.
    let mut stack: Vec<u64> = Vec::new();
    let mut frames: Vec<u64> = Vec::new();
    while let Some(&first) = rest.first() {
        let length = (first >> 8) as usize & 0xffff;
        let record = rest.get(..length).filter(|it| !it.is_empty())?;
        let cut = Cut::of((first >> 24) as u8);
        let head = match first as u8 {
            kind::SAMPLE => SAMPLE_WORDS,
            kind::FORK => FORK_WORDS,
            kind::MODULE => MODULE_WORDS,
            kind::MODULE_GONE => MODULE_GONE_WORDS,
            // Of a later version.
            _ => 0,
        };
        if length < head {
            return None;
        }
        if matches!(first as u8, kind::SAMPLE | kind::FORK) {
            let counts = record[head - 1] >> 32;
            let (same, fresh) = ((counts & 0xffff) as usize, (counts >> 16) as usize);
            if same > stack.len() || fresh != length - head || same + fresh > MOST_FRAMES {
                return None;
            }
            stack.truncate(same);
            stack.extend(record[head..].iter().rev());
            frames.clear();
            frames.extend(stack.iter().rev());
        }
        match first as u8 {
            kind::SAMPLE => see(Record::Sample(Sample {
                thread,
                time: record[1],
                cpu_ns: record[2],
                state: (first >> 32) as u32,
                wait_id: record[3],
                region: record[4],
                the_loop: record[5] as u32,
                frames: &frames,
                cut,
            })),
            kind::FORK => {
                let frames = frames.clone();
                see(Record::Fork(record[2], Fork { frames, cut }));
            }
            kind::MODULE => {
                let (number, module) = module(record)?;
                see(Record::Module(number, module));
            }
            kind::MODULE_GONE => see(Record::Gone(record[2] as u32, record[1])),
            _ => {}
        }
        rest = &rest[length..];
    }
    (used <= bytes.len() && used % 8 == 0).then_some(())
}

fn module(record: &[u64]) -> Option<(u32, Module)> {
    let lengths = record[3];
    let (path, build_id) = ((lengths >> 32) as usize & 0xffff, (lengths >> 48) as usize);
    let segments = usize::try_from(record[4]).ok()?.checked_mul(3)?;
    let (segments, texts) = record.get(MODULE_WORDS..)?.split_at_checked(segments)?;
    let (path_words, id_words) = texts.split_at_checked(path.div_ceil(8))?;
    let module = Module {
        path: OsString::from_vec(text(path_words, path)?).into(),
        build_id: text(id_words, build_id)?,
        bias: record[2],
        segments: segments
            .chunks_exact(3)
            .map(|it| Segment {
                address: it[0],
                size: it[1],
                offset: it[2],
            })
            .collect(),
        from: record[1],
        to: None,
    };
    Some((lengths as u32, module))
}

fn text(words: &[u64], length: usize) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    (length <= bytes.len()).then(|| bytes.truncate(length))?;
    Some(bytes)
}
