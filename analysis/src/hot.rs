//! Where in a loop's body the time goes: source lines, from sampled stacks, with the error that sampling has.

use std::collections::{BTreeSet, HashMap};

use ompchunk_figures::{are, counted, share_between, worth};
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Error, Part, shown};
use serde::Serialize;

use crate::model::LoopReport;
use crate::process::Context;
use crate::run_model::SerialFunctions;
use crate::sampled::{self, Entry, Kind, Sampled};
use crate::serial::Serial;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hot {
    pub samples: u64,
    pub seconds: f64,
    pub unsampled_seconds: f64,
    pub lines: Vec<HotLine>,
    pub called: Option<Called>,
}

/// A library's function that the loop calls, with all that it calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Called {
    pub function: String,
    pub share: f64,
    pub between: [f64; 2],
    pub lock_share: f64,
    /// The innermost function of those that wait for a lock in it; `None`: no sample is in one.
    pub lock: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HotLine {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: u32,
    /// Samples in the line, or in what it calls and of which no line is known.
    pub samples: u64,
    pub seconds: f64,
    pub share: f64,
    /// What the share would be in 95 of 100 such recordings, if samples came at random.
    pub between: [f64; 2],
}

#[derive(Debug, Default)]
pub struct HotLines {
    /// By loop, in the order in which they were asked for. `None`: no stack was sampled in it.
    pub loops: Vec<Option<Hot>>,
    /// Functions of serial code; `None`: what was serial is not told.
    pub serial: Option<SerialFunctions>,
    pub notes: Vec<String>,
}

/// Hints of a loop whose threads are in the kernel for long, ...
pub const KERNEL: &str = "kernel";
/// ... as they wait for a lock inside a library's function.
pub const LIBRARY_LOCK: &str = "library-lock";
/// In names of functions that wait for a lock, of glibc, musl and others.
const LOCKS: [&str; 6] = ["lll_lock", "futex", "mutex_lock", "mutex_unlock", "spin_lock", "rwlock"];

type Line = (Option<String>, Option<String>, u32);

#[derive(Default)]
struct CalledSum {
    ns: f64,
    lock_ns: f64,
    lock: Option<String>,
}

#[derive(Default)]
struct Sum {
    samples: u64,
    ns: f64,
    unsampled: f64,
    lines: HashMap<Line, (u64, f64)>,
    called: HashMap<String, CalledSum>,
    squares: f64,
}

pub(crate) fn lines(context: &Context<'_>, loops: &[&LoopReport]) -> Result<HotLines, Error> {
    let mut sums: Vec<Sum> = loops.iter().map(|_| Sum::default()).collect();
    let mut serial = Serial::default();
    let mut notes = BTreeSet::new();
    for (part, part_sums) in context.parts.iter().zip(&context.sums) {
        let Some(file) = stacks_of(part, &mut notes) else {
            serial.add(part, part_sums, None);
            continue;
        };
        let sampled = sampled::sampled(part, &file)?;
        notes.extend(missing(&file, &sampled));
        serial.add(part, part_sums, Some((&file, &sampled)));
        let mut of_loop: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, the_loop) in loops.iter().enumerate() {
            for number in part_sums.numbers(&the_loop.identity) {
                of_loop.entry(*number).or_default().push(at);
            }
        }
        for entry in &sampled.entries {
            for at in of_loop.get(&entry.the_loop).into_iter().flatten() {
                sums[*at].add(entry, part.clock().duration(entry.ticks), &sampled);
            }
        }
    }
    Ok(HotLines {
        loops: sums.into_iter().map(Sum::finish).collect(),
        serial: serial.finish(context.processes.count),
        notes: notes.into_iter().collect(),
    })
}

fn stacks_of(part: &Part, notes: &mut BTreeSet<String>) -> Option<StackFile> {
    let note = match StackFile::beside(part.path()) {
        Ok(Some(file)) if file.meta().started == part.meta().started => return Some(file),
        Ok(None) => return None,
        Ok(Some(file)) => {
            let path = shown(file.path());
            format!("{path} is from a different recording than the part beside it: its stacks are left out")
        }
        Err(error) => format!("{error}: hot lines are without it"),
    };
    notes.insert(note);
    None
}

fn missing(file: &StackFile, sampled: &Sampled) -> Vec<String> {
    let unreadable = sampled.unreadable.iter();
    let mut notes: Vec<String> = unreadable.map(|(path, why)| format!("no lines of {}: {why}", shown(path))).collect();
    if file.torn() > 0 {
        let (path, torn) = (shown(file.path()), file.torn());
        notes.push(format!(
            "{path}: {} {} not whole, and the samples there are missing",
            counted(torn, "block"),
            are(torn)
        ));
    }
    notes
}

impl Sum {
    fn add(&mut self, entry: &Entry, ns: f64, sampled: &Sampled) {
        if entry.state.kind() != Kind::Work {
            return;
        }
        self.ns += ns;
        if !entry.sampled() {
            self.unsampled += ns;
            return;
        }
        self.samples += 1;
        self.squares += ns * ns;
        let line = sampled.innermost(entry).map(|frame| (frame.function.clone(), frame.file.clone(), frame.line));
        let line = self.lines.entry(line.unwrap_or_default()).or_default();
        *line = (line.0 + 1, line.1 + ns);
        let Some((function, leaf)) = sampled.called(entry) else { return };
        let called = self.called.entry(function.to_owned()).or_default();
        called.ns += ns;
        let is_lock = |name: &&str| LOCKS.iter().any(|lock| name.contains(lock));
        if let Some(lock) = [leaf, function].into_iter().find(is_lock) {
            called.lock_ns += ns;
            called.lock = Some(lock.to_owned());
        }
    }

    fn most_called(&self, of_samples: f64, worth: f64) -> Option<Called> {
        let by_time = |one: &(&String, &CalledSum), another: &(&String, &CalledSum)| {
            (one.1.ns.total_cmp(&another.1.ns)).then_with(|| another.0.cmp(one.0))
        };
        let (function, sum) = self.called.iter().max_by(by_time).filter(|_| of_samples > 0.0)?;
        let share = sum.ns / of_samples;
        Some(Called {
            function: function.clone(),
            share,
            between: share_between(share, worth),
            lock_share: sum.lock_ns / of_samples,
            lock: sum.lock.clone(),
        })
    }

    fn finish(self) -> Option<Hot> {
        if self.samples == 0 {
            return None;
        }
        let of_samples = self.ns - self.unsampled;
        let worth = worth(self.samples, of_samples, self.squares);
        let called = self.most_called(of_samples, worth);
        let mut lines: Vec<HotLine> = self
            .lines
            .into_iter()
            .map(|((function, file, line), (samples, ns))| {
                let share = if of_samples > 0.0 { ns / of_samples } else { samples as f64 / self.samples as f64 };
                HotLine {
                    function,
                    file,
                    line,
                    samples,
                    seconds: ns / 1e9,
                    share,
                    between: share_between(share, worth),
                }
            })
            .collect();
        lines.sort_by(|one, other| {
            let by_name = || (&one.file, one.line, &one.function).cmp(&(&other.file, other.line, &other.function));
            other.share.total_cmp(&one.share).then_with(by_name)
        });
        Some(Hot {
            samples: self.samples,
            seconds: self.ns / 1e9,
            unsampled_seconds: self.unsampled / 1e9,
            lines,
            called,
        })
    }
}
