//! Which functions serial code is in: the stacks of each process's first thread that were sampled outside of parallel regions. The
//! trace knows how long that thread was there and on a core; samples share that time, in proportion to CPU time.

use std::collections::HashMap;

use ompchunk_figures::{share_between, worth};
use ompchunk_trace_format::Part;
use ompchunk_trace_format::stacks::StackFile;

use crate::part::PartSums;
use crate::run_model::{SerialFunction, SerialFunctions};
use crate::sampled::{Entry, Frame, Sampled, State};

/// What begins a program, in C and in Fortran, and calls what the user calls the program.
const MAINS: [&str; 3] = ["main", "main program", "MAIN__"];

type Name = (Option<String>, Option<String>, Option<String>);

/// What is added up, part by part. Times are in seconds.
#[derive(Debug, Default)]
pub(crate) struct Serial {
    on_core: f64,
    off_core: f64,
    unsampled: f64,
    /// It is not known when threads of some part were on a core, ...
    is_blind: bool,
    /// ... or what was serial.
    is_unknown: bool,
    functions: Shares,
    outermost: Shares,
}

#[derive(Debug, Default)]
struct Shares {
    samples: u64,
    seconds: f64,
    squares: f64,
    by_name: HashMap<Name, (u64, f64)>,
}

struct Time {
    on_core: f64,
    off_core: f64,
}

impl Serial {
    pub(crate) fn add(&mut self, part: &Part, sums: &PartSums, stacks: Option<(&StackFile, &Sampled)>) {
        let Some(time) = time(part, sums) else {
            self.is_unknown = true;
            return;
        };
        self.is_blind |= !sums.knows_cores;
        self.on_core += time.on_core;
        self.off_core += time.off_core;
        let is_meant = |entry: &&Entry| {
            let is_first = Some(entry.thread) == sums.times.thread;
            is_first && entry.state == State::Serial && entry.region == 0 && entry.sampled()
        };
        let weight = |entry: &Entry| entry.cpu_ns.max(1) as f64;
        let of = |sampled: &Sampled| -> f64 { sampled.entries.iter().filter(is_meant).map(weight).sum() };
        let Some((file, sampled, all)) =
            stacks.map(|(file, sampled)| (file, sampled, of(sampled))).filter(|(_, _, all)| *all > 0.0)
        else {
            self.unsampled += time.on_core;
            return;
        };
        for entry in sampled.entries.iter().filter(is_meant) {
            let seconds = time.on_core * weight(entry) / all;
            self.functions.add(innermost(entry, sampled, file), seconds);
            if let Some(name) = outermost(entry, sampled, file) {
                self.outermost.add(name, seconds);
            }
        }
    }

    /// The mean of so many processes; `None`: what was serial is not told.
    pub(crate) fn finish(self, processes: usize) -> Option<SerialFunctions> {
        if self.is_unknown {
            return None;
        }
        let mean = |seconds: f64| seconds / processes.max(1) as f64;
        let known = |seconds: f64| (!self.is_blind).then_some(mean(seconds));
        let (samples, all) = (self.functions.samples, self.functions.seconds);
        Some(SerialFunctions {
            samples,
            seconds: known(self.on_core),
            unsampled_seconds: known(self.unsampled),
            off_core_seconds: known(self.off_core),
            functions: self.functions.finish((samples, all), &known),
            outermost: self.outermost.finish((samples, all), &known),
        })
    }
}

/// What the first thread of a part has outside of regions; `None`: that is not told, or regions are not told one by one.
fn time(part: &Part, sums: &PartSums) -> Option<Time> {
    let mode = &part.meta().mode;
    if mode.aggregate || mode.sample > 1 {
        return None;
    }
    let hertz = sums.clock.hertz;
    let seconds = |ticks: u64| ticks as f64 / hertz;
    let parallel = sums.times.parallel?;
    let recorded = sums.clock.since_start(sums.last) / 1e9;
    let serial = recorded - seconds(sums.times.paused) - seconds(parallel);
    let serial = serial.max(0.0);
    let off_core = seconds(sums.serial.off_core).min(serial);
    Some(Time { on_core: (serial - off_core - seconds(sums.serial.recorder)).max(0.0), off_core })
}

/// As lines of loops are.
fn innermost(entry: &Entry, sampled: &Sampled, file: &StackFile) -> Name {
    let frame = sampled.innermost(entry);
    frame.map_or_else(Name::default, |frame| name(frame, file))
}

/// What `main` calls, or `main` itself; `None`: that part of the stack is not known.
fn outermost(entry: &Entry, sampled: &Sampled, file: &StackFile) -> Option<Name> {
    let stack = sampled.stacks.get(entry.user);
    if stack.cut {
        return None;
    }
    let mut outer = stack.frames.iter().rev().map(|frame| sampled.frames.get(*frame)).peekable();
    let mut main = None;
    while let Some(frame) = outer.next_if(|frame| is_main(frame)) {
        main = Some(frame);
    }
    Some(name(outer.next().or(main)?, file))
}

fn is_main(frame: &Frame) -> bool {
    let function = frame.function.as_deref();
    function.is_some_and(|function| MAINS.contains(&function))
}

fn name(frame: &Frame, file: &StackFile) -> Name {
    let module = frame.module.and_then(|number| file.modules().get(number));
    (frame.function.clone(), frame.file.clone(), module.map(|module| module.path.display().to_string()))
}

impl Shares {
    fn add(&mut self, name: Name, seconds: f64) {
        self.samples += 1;
        self.seconds += seconds;
        self.squares += seconds * seconds;
        let (samples, all) = self.by_name.entry(name).or_default();
        *samples += 1;
        *all += seconds;
    }

    /// Shares of all samples and of their time, the largest first.
    fn finish(self, (samples, seconds): (u64, f64), known: &dyn Fn(f64) -> Option<f64>) -> Vec<SerialFunction> {
        let worth = worth(self.samples, self.seconds, self.squares);
        let function = |(name, (of_it, its_seconds)): (Name, (u64, f64))| {
            let share = if seconds > 0.0 { its_seconds / seconds } else { of_it as f64 / samples as f64 };
            let (function, file, object) = name;
            SerialFunction {
                function,
                file,
                object,
                samples: of_it,
                seconds: known(its_seconds),
                share,
                between: share_between(share, worth),
            }
        };
        let mut functions: Vec<SerialFunction> = self.by_name.into_iter().map(function).collect();
        functions.sort_by(|left, right| {
            let by_name = || names(left).cmp(&names(right));
            right.share.total_cmp(&left.share).then_with(by_name)
        });
        functions
    }
}

fn names(of: &SerialFunction) -> [Option<&str>; 3] {
    [&of.object, &of.file, &of.function].map(|name| name.as_deref())
}
