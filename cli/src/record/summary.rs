//! What a run left behind, in a line. Of several ranks the first one says it, and each says what went wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap, btree_map};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ompchunk_trace_format::environment::{Rank, rank_of};
use ompchunk_trace_format::words::counted;
use ompchunk_trace_format::{Ending, Event, LoopDefinition, Part, parts_in, shown};

use super::cut::{Cut, Open};
use super::left_out::{self, LeftOut, PartLeftOut};
use super::partly::{AllPartly, Partly};
use super::profile::{PartProfile, Profile};
use super::stacks::Stacks;
use super::{left_running, nothing, owner};
use crate::args::Record;
use crate::child::Ended;
use crate::table::printable;

/// What is known at the end of a run.
pub(super) struct Summary {
    /// To be said.
    pub(super) text: String,
    /// There is no part that can be read, and none will be.
    pub(super) is_empty: bool,
}

/// A run that has ended.
pub(super) struct Run<'a> {
    /// By which its parts are known.
    pub(super) name: &'a str,
    pub(super) rank: Option<&'a Rank>,
    /// Parts that were begun and are not there any more.
    pub(super) gone: &'a BTreeSet<PathBuf>,
    pub(super) program: Ended,
    /// What was asked for.
    pub(super) record: &'a Record,
}

/// What is said at the end of a run.
pub(super) fn of(directory: &Path, run: &Run<'_>) -> Summary {
    let (rank, record) = (run.rank, run.record);
    let all = parts_in(directory).unwrap_or_default();
    let mut sum = Sum::default();
    for path in all.iter().filter(|path| may_be_of(path, rank)) {
        if let Err(error) = sum.add(path, run) {
            // Writing to a string does not fail.
            let next = error.next();
            let _ = writeln!(sum.remarks, "ompchunk: {error}\nompchunk: next: {next}");
        }
    }
    let name = rank.map_or_else(String::new, |rank| match rank.size {
        Some(size) => format!("rank {} of {size}: ", rank.rank),
        None => format!("rank {}: ", rank.rank),
    });
    let left = left_running::of(run.name, |pid| sum.processes.contains(&pid));
    if sum.parts == 0 && sum.remarks.is_empty() {
        return nothing(directory, &name, run, &left);
    }
    let is_recorded = sum.parts > 0;
    let mut lower = all.iter().filter_map(|path| rank_of(path));
    let is_first = !rank.is_some_and(|rank| lower.any(|it| it < rank.rank));
    let mut text = match is_first && is_recorded {
        true => sum.text(directory, &name, &record.loops),
        false => sum.remarks + &sum.cut.text(),
    };
    if !left.is_empty() {
        text += &format!("ompchunk: {name}{}", left_running::text(&left, directory));
    }
    let is_empty = !is_recorded;
    Summary { text, is_empty }
}

/// Why there is no part.
fn nothing(directory: &Path, name: &str, run: &Run<'_>, left: &[String]) -> Summary {
    if !left.is_empty() {
        // The directory stays: they know it by its name.
        let left = left_running::text(left, directory);
        return Summary {
            text: format!("ompchunk: {name}nothing is recorded yet: {left}"),
            is_empty: false,
        };
    }
    let _ = std::fs::remove_dir(directory);
    let text = match run.gone.first() {
        Some(first) => format!(
            "ompchunk: {name}nothing is left of the recording: {} was removed or replaced while the program \
             ran\nompchunk: next: the same again, with -o and a directory that nothing else touches\n",
            shown(first)
        ),
        None => {
            let reason = nothing::reason(&run.record.program);
            format!(
                "ompchunk: {name}nothing was recorded: {}\nompchunk: next: {}\n",
                reason.why, reason.next
            )
        }
    };
    Summary {
        text,
        is_empty: true,
    }
}

/// Before a part is opened: of thousands of ranks none opens all parts.
fn may_be_of(path: &Path, rank: Option<&Rank>) -> bool {
    rank.is_none_or(|rank| rank_of(path).is_none_or(|part| part == rank.rank))
}

/// A loop as the source has it, the same in all parts; without line information the address in its object.
type Identity = (Vec<u8>, u32, u32, Vec<u8>, u64);

/// What the parts of one run hold together.
#[derive(Debug, Default)]
struct Sum {
    parts: u64,
    processes: BTreeSet<u32>,
    loops: BTreeSet<Identity>,
    partly: AllPartly,
    left_out: LeftOut,
    /// Where one was recorded.
    profile: Option<Profile>,
    stacks: Stacks,
    chunks: u64,
    added_up: u64,
    openacc: u64,
    events: u64,
    bytes: u64,
    lost: u64,
    cut: Cut,
    remarks: String,
}

impl Sum {
    fn add(&mut self, path: &Path, run: &Run<'_>) -> Result<(), ompchunk_trace_format::Error> {
        let part = Part::open(path)?;
        if part.meta().run.as_deref() != Some(run.name) {
            return Ok(());
        }
        let patterns = &run.record.loops;
        self.parts += 1;
        self.processes.insert(part.meta().pid);
        self.stacks.add(path);
        let mut loops = BTreeMap::new();
        let mut codes = BTreeMap::new();
        let mut partly = Partly::default();
        let mut left_out = PartLeftOut::default();
        let mut profile = PartProfile::default();
        let mut names = HashMap::new();
        let mut open = Open::default();
        let mut last = 0;
        self.events += part.for_each(|at, event| match event {
            Event::Chunk(_) => {
                self.chunks += 1;
                partly.chunk(at.lane);
            }
            Event::SubBlock(_) => profile.sub_block(at.lane),
            Event::Loop(it) => {
                partly.defines(&it);
                profile.defines(&it);
                // As it is here: later another library may be at that address.
                let place = codes.get(&it.code).cloned();
                let place = place.unwrap_or((Vec::new(), it.code));
                if let btree_map::Entry::Vacant(new) = loops.entry(it.the_loop) {
                    let object = String::from_utf8_lossy(&place.0);
                    names.insert(it.the_loop, left_out::name(&it, &object, place.1));
                    self.left_out.defines(&it, &place.0, place.1, patterns);
                    new.insert((place, identity(&it)));
                }
            }
            Event::Code(it) => {
                codes.insert(it.address, (it.object.to_vec(), it.offset));
            }
            other => {
                if let Event::Aggregate(it) = &other {
                    self.added_up += it.chunks;
                }
                if let Event::AccBegin(_) | Event::AccPoint(_) = &other {
                    self.openacc += 1;
                }
                last = at.ticks.max(last);
                open.see(at.lane, &other);
                left_out.see(at.lane, at.ticks, &other);
                partly.see(at.lane, &other);
                profile.see(at.lane, &other);
            }
        })?;
        self.partly
            .add(&partly, |the_loop, code| match loops.get(&the_loop) {
                Some(((object, offset), _)) if !object.is_empty() => place(object, *offset),
                _ => format!("{code:#x}"),
            });
        let end = match part.head().ended {
            true => part.head().end.0,
            false => last,
        };
        let name = |the_loop: u32| names.get(&the_loop).cloned().unwrap_or_default();
        if part.meta().mode.profile {
            let all = self.profile.get_or_insert_default();
            all.add(&profile, name);
        }
        self.left_out.add(left_out, name, end, part.clock().hertz);
        self.loops.extend(loops.into_values().map(|(place, known)| {
            if known.1 != 0 {
                return known;
            }
            let (object, offset) = place;
            (object, 0, 0, known.3, offset)
        }));
        self.bytes += part.size();
        let (chunks, events) = (part.head().lost_chunks, part.head().lost_events);
        self.lost += chunks;
        let name = shown(path);
        if chunks + events > 0 {
            let _ = writeln!(
                self.remarks,
                "ompchunk: {name}: {} and {} were not recorded for lack of room",
                counted(chunks, "chunk"),
                counted(events, "other event")
            );
        }
        self.add_ending(&part, &open, run.program);
        Ok(())
    }

    /// A part without an end: whether its process goes on, and how it ended.
    fn add_ending(&mut self, part: &Part, open: &Open, program: Ended) {
        let name = shown(part.path());
        if owner::is_growing(part) {
            let pid = part.meta().pid;
            let _ = writeln!(
                self.remarks,
                "ompchunk: {name} is still being written: process {pid} goes on"
            );
        } else if let Some(next) = owner::successor(part) {
            let next = next.path().file_name().unwrap_or_default();
            let _ = writeln!(
                self.remarks,
                "ompchunk: {name} ends where its process became another program (exec): that is {}",
                next.to_string_lossy()
            );
        } else if !part.head().ended {
            let pid = part.meta().pid;
            self.cut.add(part.path(), pid, open, Some(program));
        } else if let Ending::Cut { what, .. } = part.ending() {
            let _ = writeln!(self.remarks, "ompchunk: {name} is cut: {what}");
        }
    }

    fn text(&self, directory: &Path, rank: &str, patterns: &[String]) -> String {
        let added_up = match self.added_up {
            0 => String::new(),
            _ => format!(" and {} summed up", self.added_up),
        };
        let openacc = match self.openacc {
            0 => String::new(),
            some => format!(", {}", counted(some, "OpenACC operation")),
        };
        let others = match rank {
            "" => "",
            _ => "; other ranks only say what went wrong",
        };
        format!(
            "ompchunk: {}: {rank}{}, {}{added_up}{openacc}, {} in {}, {:.1} MiB, {} lost{others}\n{}{}{}{}{}{}",
            shown(directory),
            counted(self.loops.len() as u64, "loop"),
            counted(self.chunks, "chunk"),
            counted(self.events, "event"),
            counted(self.parts, "part"),
            self.bytes as f64 / f64::from(1 << 20),
            counted(self.lost, "chunk"),
            self.profile.as_ref().map(Profile::text).unwrap_or_default(),
            self.stacks.text(),
            self.left_out.text(patterns),
            self.partly.text(),
            self.remarks,
            self.cut.text(),
        )
    }
}

fn identity(it: &LoopDefinition<'_>) -> Identity {
    let clause = u64::from(it.schedule) << 32 ^ it.chunk as u64;
    (
        it.file.to_vec(),
        it.line,
        it.column,
        it.function.to_vec(),
        clause,
    )
}

/// `app+0x123`
fn place(object: &[u8], offset: u64) -> String {
    let base = object.rsplit(|byte| *byte == b'/').next();
    let base = printable(&String::from_utf8_lossy(base.unwrap_or_default()));
    format!("{base}+{offset:#x}")
}
