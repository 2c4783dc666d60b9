//! The file format of speedscope.app: a profile of samples for each thread, each with the thread's time that it stands for.
//! What threads did is `ompchunk_analysis::sampled`'s. Profiles are written as they come; the frames that they share follow them.

use std::path::Path;

use indexmap::IndexSet;
use ompchunk_analysis::sampled::{self, Entry, Sampled};
use ompchunk_trace_format::stacks::StackFile;
use serde::Serialize;

use crate::error::Error;
use crate::name::{NOT_SAMPLED, function, wait};
use crate::notice::Notice;
use crate::output::Output;
use crate::process::Process;

/// By which speedscope knows its own files.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// At the root of a stack whose outer frames are missing.
const CUT: &str = "...";

pub(crate) fn write(processes: &[Process<'_>], to: &Path) -> Result<Vec<Notice>, Error> {
    let mut notices = Vec::new();
    let mut with_stacks = Vec::new();
    for process in processes {
        match StackFile::beside(process.part.path())? {
            Some(file) => with_stacks.push((process, file)),
            None => notices.push(Notice::no_stacks(process)),
        }
    }
    // Only now: an older output shall not be lost for nothing.
    if with_stacks.is_empty() {
        return Err(Error::NoStacks);
    }
    let mut all = Profiles { to: Output::open(to, processes)?, frames: IndexSet::new(), written: 0 };
    let exporter = concat!("ompchunk ", env!("CARGO_PKG_VERSION"));
    all.to.text(&format!("{{\"$schema\":\"{SCHEMA}\",\"exporter\":\"{exporter}\",\"name\":"));
    all.to.json(&with_stacks[0].0.title());
    all.to.text(",\"profiles\":[");
    for (process, file) in &with_stacks {
        let sampled = sampled::sampled(process.part, file)?;
        notices.extend(Notice::of_part(process));
        notices.extend(Notice::of_stacks(process, file, &sampled));
        all.process(process, file, &sampled, with_stacks.len() > 1);
    }
    all.to.text("\n],\"shared\":{\"frames\":[");
    for (number, frame) in std::mem::take(&mut all.frames).iter().enumerate() {
        all.to.text(if number == 0 { "\n" } else { ",\n" });
        all.to.json(frame);
    }
    all.to.text("\n]}}\n");
    all.to.finish()?;
    Ok(notices)
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    /// Frames of each sample, the outermost first.
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

struct Profiles {
    to: Output,
    frames: IndexSet<Frame>,
    written: usize,
}

impl Profiles {
    /// A process's threads. Entries are in the order of threads, then of time.
    fn process(&mut self, process: &Process<'_>, file: &StackFile, sampled: &Sampled, several: bool) {
        for entries in sampled.entries.chunk_by(|one, next| one.thread == next.thread) {
            let thread = entries[0].thread;
            let name = if several { format!("{}, thread {thread}", process.name) } else { format!("thread {thread}") };
            let mut profile = Profile { kind: "sampled", name, unit: "nanoseconds", ..Profile::default() };
            let mut ticks = 0;
            for entry in entries.iter().filter(|entry| process.wants_entry(entry)) {
                // From sums, so that nothing is lost by rounding.
                ticks += entry.ticks;
                let until = process.duration(ticks).round() as u64;
                profile.samples.push(self.stack(entry, file, sampled));
                profile.weights.push(until - profile.end_value);
                profile.end_value = until;
            }
            if !profile.samples.is_empty() {
                self.to.text(if self.written == 0 { "\n" } else { ",\n" });
                self.to.json(&profile);
                self.written += 1;
            }
        }
    }

    /// An entry's frames, the outermost first; what the thread waits for is the innermost.
    fn stack(&mut self, entry: &Entry, file: &StackFile, sampled: &Sampled) -> Vec<usize> {
        let stack = sampled.stacks.get(entry.user);
        let mut numbers = Vec::with_capacity(stack.frames.len() + 2);
        if stack.cut {
            numbers.push(self.named(CUT));
        }
        for number in stack.frames.iter().rev() {
            let frame = sampled.frames.get(*number);
            let line = (frame.line > 0).then_some(frame.line);
            let found = Frame { name: function(frame, file), file: frame.file.clone(), line };
            numbers.push(self.frames.insert_full(found).0);
        }
        match wait(entry.state) {
            Some(wait) => numbers.push(self.named(wait)),
            None if !entry.sampled() || numbers.is_empty() => numbers.push(self.named(NOT_SAMPLED)),
            None => {}
        }
        numbers
    }

    fn named(&mut self, name: &str) -> usize {
        self.frames.insert_full(Frame { name: name.to_owned(), file: None, line: None }).0
    }
}
