//! What a run left behind, in a line. Of several ranks the first one says it, and each says what went wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap, btree_map};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ompchunk_analysis::symbols;
use ompchunk_figures::counted;
use ompchunk_toolchain::libgomp::Wish;
use ompchunk_trace_format::environment::{Rank, rank_of};
use ompchunk_trace_format::settings::VARIABLE;
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{At, Ending, Event, LoopDefinition, Part, Settings, parts_in, shown};

use super::cut::{Cut, Open};
use super::left_out::{self, LeftOut, PartLeftOut};
use super::partly::{AllPartly, Partly};
use super::profile::{PartProfile, Profile};
use super::stacks::Stacks;
use super::{nothing, owner};
use crate::args::Record;
use crate::child::Ended;
use crate::prose::first_names;
use crate::table::printable;

pub(super) struct Summary {
    pub(super) text: String,
    /// There is no part that can be read, and none will be.
    pub(super) is_empty: bool,
}

pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    pub(super) rank: Option<&'a Rank>,
    /// Parts that were begun and are not there any more.
    pub(super) gone: &'a BTreeSet<PathBuf>,
    pub(super) program: Ended,
    pub(super) record: &'a Record,
}

pub(super) fn summary(directory: &Path, run: &Run<'_>) -> Summary {
    let (rank, record) = (run.rank, run.record);
    let all = parts_in(directory).unwrap_or_default();
    let mut sum = Sum::default();
    // Before a part is opened: of thousands of ranks none opens all parts.
    let may_be_ours = |path: &&PathBuf| rank.is_none_or(|rank| rank_of(path).is_none_or(|part| part == rank.rank));
    for path in all.iter().filter(may_be_ours) {
        if let Err(error) = sum.add(path, run) {
            sum.remarks += &format!("ompchunk: {error}\nompchunk: next: {}\n", error.next());
        }
    }
    let name = rank.map_or_else(String::new, |rank| match rank.size {
        Some(size) => format!("rank {} of {size}: ", rank.rank),
        None => format!("rank {}: ", rank.rank),
    });
    let left = left_running(run.name, |pid| sum.processes.contains(&pid));
    if sum.parts == 0 && sum.remarks.is_empty() {
        return nothing(directory, &name, run, &left);
    }
    let is_recorded = sum.parts > 0;
    let mut lower = all.iter().filter_map(|path| rank_of(path));
    let is_first = !rank.is_some_and(|rank| lower.any(|lower| lower < rank.rank));
    let mut text =
        if is_first && is_recorded { sum.text(directory, &name, &record.loops) } else { sum.remarks + &sum.cut.text() };
    if !left.is_empty() {
        text += &format!("ompchunk: {name}{}", left_running_text(&left, directory));
    }
    Summary { text, is_empty: !is_recorded }
}

fn nothing(directory: &Path, name: &str, run: &Run<'_>, left: &[String]) -> Summary {
    if !left.is_empty() {
        // The directory stays: they know it by its name.
        let left = left_running_text(left, directory);
        return Summary { text: format!("ompchunk: {name}nothing is recorded yet: {left}"), is_empty: false };
    }
    let _ = std::fs::remove_dir(directory);
    let text = match run.gone.first() {
        Some(first) => format!(
            "ompchunk: {name}nothing is left of the recording: {} was removed or replaced while the program \
             ran\nompchunk: next: the same again, with -o and a directory that nothing else touches\n",
            shown(first)
        ),
        None => {
            let reason = nothing::reason(&run.record.program, run.record.runtime != Some(Wish::AsLinked));
            format!("ompchunk: {name}nothing was recorded: {}\nompchunk: next: {}\n", reason.why, reason.next)
        }
    };
    Summary { text, is_empty: true }
}

/// A loop as the source has it, the same in all parts; without line information the address in its object.
type Identity = (Vec<u8>, u32, u32, Vec<u8>, u64);

#[derive(Debug, Default)]
struct Sum {
    parts: u64,
    processes: BTreeSet<u32>,
    loops: BTreeSet<Identity>,
    partly: AllPartly,
    left_out: LeftOut,
    profile: Option<Profile>,
    stacks: Stacks,
    chunks: u64,
    added_up: u64,
    openacc: u64,
    target: u64,
    events: u64,
    bytes: u64,
    lost: u64,
    lost_more: bool,
    cut: Cut,
    remarks: String,
}

/// Where code is: the object and the offset in it, or no object and the address.
type CodePlace = (Vec<u8>, u64);

#[derive(Default)]
struct PartSum {
    loops: BTreeMap<u32, (CodePlace, Identity)>,
    names: HashMap<u32, String>,
    codes: BTreeMap<u64, CodePlace>,
    partly: Partly,
    left_out: PartLeftOut,
    profile: PartProfile,
    open: Open,
    last: u64,
}

impl PartSum {
    /// Where the loop is, if it was not known before.
    fn defines(&mut self, definition: &LoopDefinition<'_>) -> Option<CodePlace> {
        self.partly.defines(definition);
        self.profile.defines(definition);
        // As it is here: later another library may be at that address.
        let place = self.codes.get(&definition.code).cloned();
        let place = place.unwrap_or((Vec::new(), definition.code));
        let btree_map::Entry::Vacant(new) = self.loops.entry(definition.the_loop) else { return None };
        let LoopDefinition { file, line, column, function, schedule, chunk, .. } = *definition;
        let clause = u64::from(schedule) << 32 ^ chunk as u64;
        new.insert((place.clone(), (file.to_vec(), line, column, function.to_vec(), clause)));
        let name = left_out::name(definition, &String::from_utf8_lossy(&place.0), place.1);
        self.names.insert(definition.the_loop, name);
        Some(place)
    }

    fn follows(&mut self, at: At, event: &Event<'_>) {
        self.last = at.ticks.max(self.last);
        self.open.follow(at.lane, event);
        self.left_out.follow(at.lane, at.ticks, event);
        self.partly.follow(at.lane, event);
        self.profile.follow(at.lane, event);
    }
}

impl Sum {
    fn add(&mut self, path: &Path, run: &Run<'_>) -> Result<(), ompchunk_trace_format::Error> {
        let part = Part::open(path)?;
        if part.meta().run.as_deref() != Some(run.name) {
            return Ok(());
        }
        self.parts += 1;
        self.processes.insert(part.meta().pid);
        self.stacks.add(path);
        let mut found = PartSum::default();
        let patterns = &run.record.loops;
        self.events += part.for_each(|at, event| self.counts(&mut found, at, event, patterns))?;
        let open = self.takes(found, &part);
        self.bytes += part.size();
        self.add_losses(&part);
        self.add_ending(&part, &open, run.program);
        Ok(())
    }

    fn counts(&mut self, part: &mut PartSum, at: At, event: &Event<'_>, patterns: &[String]) {
        match event {
            Event::Chunk(_) => {
                self.chunks += 1;
                part.partly.chunk(at.lane);
            }
            Event::SubBlock(_) => part.profile.sub_block(at.lane),
            Event::Loop(definition) => {
                if let Some(place) = part.defines(definition) {
                    self.left_out.defines(definition, &place.0, place.1, patterns);
                }
            }
            Event::Code(code) => {
                part.codes.insert(code.address, (code.object.to_vec(), code.offset));
            }
            Event::Aggregate(sum) => {
                self.added_up += sum.chunks;
                part.follows(at, event);
            }
            Event::AccBegin(operation) | Event::AccPoint(operation) => {
                let operations = if is_of_target(operation.event) { &mut self.target } else { &mut self.openacc };
                *operations += 1;
                part.follows(at, event);
            }
            _ => part.follows(at, event),
        }
    }

    /// All of a part has been read. What is left open in it is still to be told.
    fn takes(&mut self, found: PartSum, part: &Part) -> Open {
        let loops = &found.loops;
        let line_of = |object: &[u8], offset| {
            let call = symbols::call(part, Path::new(OsStr::from_bytes(object)), offset)?;
            Some(format!("{}:{}", left_out::base(&call.file), call.line))
        };
        self.partly.add(&found.partly, |the_loop, code| match loops.get(&the_loop) {
            Some(((object, offset), _)) if !object.is_empty() => {
                let in_object = || left_out::in_object(&String::from_utf8_lossy(object), *offset);
                line_of(object, *offset).unwrap_or_else(in_object)
            }
            _ => format!("{code:#x}"),
        });
        let names = &found.names;
        let name = |the_loop: u32| names.get(&the_loop).cloned().unwrap_or_default();
        if part.meta().mode.profile {
            self.profile.get_or_insert_default().add(&found.profile, name);
        }
        let end = if part.head().ended { part.head().end.0 } else { found.last };
        let hertz = part.clock().hertz;
        self.left_out.add(found.left_out, name, end, hertz);
        let identities = found.loops.into_values().map(|(place, known)| match known.1 {
            0 => (place.0, 0, 0, known.3, place.1),
            _ => known,
        });
        self.loops.extend(identities);
        found.open
    }

    fn add_losses(&mut self, part: &Part) {
        let (chunks, events) = (part.head().lost_chunks, part.head().lost_events);
        self.lost += chunks;
        // What threads had not told yet at an abrupt end nobody knows.
        let is_least = part.head().lost_reason.is_some() && (!part.head().ended || part.head().unsettled);
        self.lost_more |= is_least;
        if chunks + events > 0 || is_least {
            self.remarks += &format!(
                "ompchunk: {}: {}{} and {} were not recorded for lack of room\n",
                shown(part.path()),
                if is_least { "at least " } else { "" },
                counted(chunks, "chunk"),
                counted(events, "other event")
            );
        }
    }

    /// A part without an end: whether its process goes on, and how it ended.
    fn add_ending(&mut self, part: &Part, open: &Open, program: Ended) {
        let pid = part.meta().pid;
        let how = if owner::is_growing(part) {
            format!("is still being written: process {pid} goes on")
        } else if let Some(next) = owner::successor(part) {
            let next = next.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("ends where its process became another program (exec): that is {next}")
        } else if !part.head().ended {
            return self.cut.add(part.path(), pid, open, Some(program));
        } else if let Ending::Cut { what, .. } = part.ending() {
            format!("is cut: {what}")
        } else {
            return;
        };
        self.remarks += &format!("ompchunk: {} {how}\n", shown(part.path()));
    }

    fn text(&self, directory: &Path, rank: &str, patterns: &[String]) -> String {
        let added_up = if self.added_up == 0 { String::new() } else { format!(" and {} summed up", self.added_up) };
        let operations = |count, what| if count == 0 { String::new() } else { format!(", {}", counted(count, what)) };
        let openacc = operations(self.openacc, "OpenACC operation");
        let target = operations(self.target, "target operation");
        let others = if rank.is_empty() { "" } else { "; other ranks only say what went wrong" };
        format!(
            "ompchunk: {}: {rank}{}, {}{added_up}{openacc}{target}, {} in {}, {:.1} MiB, {}{} lost{others}\n{}{}{}{}{}{}",
            shown(directory),
            counted(self.loops.len() as u64, "loop"),
            counted(self.chunks, "chunk"),
            counted(self.events, "event"),
            counted(self.parts, "part"),
            self.bytes as f64 / f64::from(1 << 20),
            if self.lost_more { "at least " } else { "" },
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

const NAMED: usize = 3;

/// Processes of a run, without those that are known: "process 7 (app)".
pub(super) fn left_running(run: &str, known: impl Fn(u32) -> bool) -> Vec<String> {
    let entry = format!("{VARIABLE}={}\n", Settings::line_of_run(run));
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    let mut ids: Vec<u32> = ids.filter(|id| !known(*id) && owner::has_variable(*id, &entry)).collect();
    ids.sort_unstable();
    ids.into_iter().map(process_name).collect()
}

fn process_name(id: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
    match name.trim_end() {
        "" => format!("process {id}"),
        name => format!("process {id} ({})", printable(name)),
    }
}

pub(super) fn left_running_text(processes: &[String], directory: &Path) -> String {
    let (verb, who) = if processes.len() == 1 { ("runs", "it has") } else { ("run", "they have") };
    let directory = shown(directory);
    format!(
        "{}, which the program left behind, still {verb} and may yet record into {directory}\nompchunk: next: ompchunk report \
         {directory} when {who} ended\n",
        first_names(processes.iter(), NAMED)
    )
}
