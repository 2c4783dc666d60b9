//! One process's experiment: its files' contents.

use std::collections::HashMap;

use ompchunk_analysis::sampled::{Entry, Frame, Sampled, StackId, State};
use ompchunk_trace_format::stacks::StackFile;

use super::functions::{Functions, Place};
use super::packet::{self, Sample};
use super::text::{escaped, seconds};
use crate::process::Process;

/// Files of an experiment, and what is in them.
pub(super) type Files = Vec<(&'static str, Vec<u8>)>;

/// Of entries that no sample has a stack for.
const NOT_SAMPLED: &str = "<not sampled>";

/// Time stamps are nanoseconds from the trace's beginning, and this.
const BEGIN: u64 = 1_000_000_000;

/// A sample's duration is an `int` there.
const MOST_MICROSECONDS: u64 = 1 << 30;

/// What a sample refers to.
type Key = (StackId, Option<StackId>, State);

struct Making<'a> {
    process: &'a Process<'a>,
    file: &'a StackFile,
    sampled: &'a Sampled,
    entries: Vec<&'a Entry>,
    functions: &'a mut Functions,
    /// Of `Sampled::frames`.
    places: Vec<Option<Place>>,
    regions: HashMap<u64, Option<Place>>,
    not_sampled: Place,
}

/// An experiment without its functions, and its log. `started`: when the trace's earliest process began, in seconds since 1970.
/// `notes`: what is missing.
pub(super) fn files(
    process: &Process<'_>,
    file: &StackFile,
    sampled: &Sampled,
    functions: &mut Functions,
    started: u64,
    notes: &[String],
) -> (Files, Vec<u8>) {
    let not_sampled = functions.place(NOT_SAMPLED, "", 0, false);
    let wanted = |it: &&Entry| process.wants(it.the_loop);
    let mut making = Making {
        process,
        file,
        sampled,
        entries: sampled.entries.iter().filter(wanted).collect(),
        functions,
        places: vec![None; sampled.frames.iter().len()],
        regions: HashMap::new(),
        not_sampled,
    };
    making.declare();
    let (frames, samples, regions) = making.packets();
    let files = vec![
        ("data.frameinfo", frames),
        ("profile", samples),
        ("omptrace", regions),
        // Of the system's counters there are none.
        ("overview", Vec::new()),
    ];
    (files, making.log(started, notes).into_bytes())
}

impl Making<'_> {
    /// All functions that stacks have.
    fn declare(&mut self) {
        let sampled = self.sampled;
        for entry in self.entries.clone() {
            for stack in [Some(entry.user), entry.machine].into_iter().flatten() {
                for number in &sampled.stacks.of(stack).frames {
                    let place = &mut self.places[*number as usize];
                    if place.is_none() {
                        let it = sampled.frames.of(*number);
                        let name = name(it, self.file);
                        let file = it.file.as_deref().unwrap_or_default();
                        *place = Some(self.functions.place(&name, file, it.line, false));
                    }
                }
            }
            let regions = &mut self.regions;
            let functions = &mut *self.functions;
            let file = self.file;
            regions.entry(entry.fork).or_insert_with(|| {
                let it = sampled.frames.of(*sampled.forks.get(&entry.fork)?);
                let source = it.file.as_deref().unwrap_or_default();
                Some(functions.place(&name(it, file), source, it.line, true))
            });
        }
    }

    fn packets(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let (mut frames, mut samples, mut regions) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0_u64;
        // Readers look them up by their middle bits.
        let mut uid = || {
            next += 1;
            next << 4
        };
        let mut stacks: HashMap<(StackId, bool), u64> = HashMap::new();
        let mut keys: HashMap<Key, u64> = HashMap::new();
        let none = uid();
        frames.extend(packet::stack(
            none,
            &[Functions::address(self.not_sampled)],
            false,
        ));
        let mut written: HashMap<u64, u64> = HashMap::new();
        let mut rounding: HashMap<(u32, State, bool), (f64, u64)> = HashMap::new();
        let mut before: Option<(u32, u64, u64)> = None;
        for entry in &self.entries {
            let key = (entry.user, entry.machine, entry.state);
            let frame = *keys.entry(key).or_insert_with(|| {
                let mut stack = |it: StackId, user: bool| {
                    *stacks.entry((it, user)).or_insert_with(|| {
                        let stack = self.sampled.stacks.of(it);
                        let number = uid();
                        let of = |it: &u32| self.places[*it as usize].unwrap_or(self.not_sampled);
                        let all: Vec<u64> = stack
                            .frames
                            .iter()
                            .map(|it| Functions::address(of(it)))
                            .collect();
                        if all.is_empty() {
                            let empty = user && entry.state == State::Idle;
                            return if empty { 0 } else { none };
                        }
                        frames.extend(packet::stack(number, &all, stack.cut));
                        number
                    })
                };
                let user = stack(entry.user, true);
                let native = entry.machine.map_or(none, |it| stack(it, false));
                let number = uid();
                let state = number_of(entry.state);
                frames.extend(packet::frame(number, native, user, state));
                number
            });
            let thread = entry.thread.saturating_add(1);
            let since = self.process.ns(entry.time).max(0.0) as u64;
            let mut time = since.saturating_add(BEGIN);
            let mut region = u64::MAX;
            if let Some((of, last, last_region)) = before.filter(|it| it.0 == thread) {
                debug_assert_eq!(of, thread);
                // Which region it is in, the reader looks up by time.
                time = time.max(last.saturating_add(1));
                region = last_region;
            }
            let fork = match self.regions.get(&entry.fork) {
                Some(Some(place)) => {
                    let number = written.len() as u64 + 1;
                    *written.entry(entry.fork).or_insert_with(|| {
                        regions.extend(packet::region(number, Functions::address(*place)));
                        number
                    })
                }
                _ => 0,
            };
            if region != fork {
                regions.extend(packet::enters(thread, time, fork));
            }
            before = Some((thread, time, fork));
            for (asleep, ns) in self.durations(entry) {
                let key = (entry.thread, entry.state, asleep);
                let (sum, given) = rounding.entry(key).or_default();
                *sum += ns / 1000.0;
                let mut left = (sum.round() as u64).saturating_sub(*given);
                *given += left;
                while left > 0 {
                    let duration = left.min(MOST_MICROSECONDS);
                    left -= duration;
                    samples.extend(packet::sample(&Sample {
                        thread,
                        time,
                        frame,
                        asleep,
                        duration: duration as u32,
                    }));
                }
            }
        }
        if regions.is_empty() {
            // Else it would be no OpenMP program's.
            regions.extend(packet::enters(1, BEGIN, 0));
        }
        (frames, samples, regions)
    }

    /// Nanoseconds of an entry: those of a wait that the thread slept apart.
    fn durations(&self, entry: &Entry) -> [(bool, f64); 2] {
        let ns = self.process.duration(entry.ticks);
        let on_core = match entry.state {
            State::Serial | State::Work | State::Reduction => ns,
            _ => ns.min(entry.cpu_ns as f64),
        };
        [(false, on_core), (true, ns - on_core)]
    }

    fn log(&self, started: u64, notes: &[String]) -> String {
        let meta = self.process.part.meta();
        let about = self.file.meta();
        let mut words = meta.command.iter().map(|it| escaped(it));
        let (host, directory) = (escaped(&meta.host), escaped(&meta.directory));
        let architecture = escaped(&about.architecture);
        let program = words.next().unwrap_or_default();
        let command = words.fold(program, |all, it| all + " " + &it);
        let last = self.entries.iter().map(|it| self.process.ns(it.time));
        let end = last.fold(0.0, f64::max);
        let end = end.max(self.process.ns(self.process.part.clock().start) + self.length());
        let processors = (0..meta.processors).map(|it| format!("<cpu id=\"{it}\"/>"));
        let processors: String = processors.collect();
        let mut log = format!(
            "<experiment version=\"12.4\">\n<collector>ompchunk {}</collector>\n</experiment>\n\
             <system hostname=\"{host}\" arch=\"{architecture}\" os=\"Linux\">{processors}</system>\n\
             <process pid=\"{}\"></process>\n<process cwd=\"{directory}\"></process>\n\
             <process wsize=\"64\"></process>\n<process>{command}</process>\n\
             <event kind=\"run\" tstamp=\"{}\" time=\"{started}\" tm_zone=\"0\"/>\n\
             <event kind=\"sample\" tstamp=\"0.000000000\" id=\"0\" label=\"begin\"/>\n\
             <profile name=\"profile\" ptimer=\"1\" numstates=\"10\">\n  <profdata fname=\"profile\"/>\n",
            env!("CARGO_PKG_VERSION"),
            self.process.pid,
            seconds(BEGIN),
        );
        log += &declared(
            packet::kind::SAMPLE,
            "Clock profiling data",
            &packet::SAMPLE_FIELDS,
        );
        log += "</profile>\n<profile name=\"omptrace\">\n  <profdata fname=\"omptrace\"/>\n";
        log += &declared(
            packet::kind::ENTERS,
            "Threads in regions",
            &packet::ENTERS_FIELDS,
        );
        log += &declared(
            packet::kind::REGION,
            "Parallel regions",
            &packet::REGION_FIELDS,
        );
        log += "</profile>\n";
        for note in notes {
            log += &format!("<event kind=\"cwarn\" id=\"1\">{}</event>\n", escaped(note));
        }
        let end = seconds(end as u64);
        log += &format!("<event kind=\"sample\" tstamp=\"{end}\" id=\"1\" label=\"end\"/>\n");
        if self.process.part.head().ended {
            log += &format!("<event kind=\"exit\" tstamp=\"{end}\"/>\n");
        }
        log
    }

    fn length(&self) -> f64 {
        let head = self.process.part.head();
        self.process
            .duration(head.end.0.saturating_sub(head.start.0))
    }
}

/// A packet, field by field.
fn declared(kind: u16, title: &str, fields: &[(&str, &str, u32, bool)]) -> String {
    let mut text = format!("  <profpckt kind=\"{kind}\" uname=\"{title}\">\n");
    for (name, title, offset, long) in fields {
        let title = match title.is_empty() {
            true => String::new(),
            false => format!(" uname=\"{title}\""),
        };
        let long = if *long { "UINT64" } else { "UINT32" };
        text +=
            &format!("    <field name=\"{name}\"{title} offset=\"{offset}\" type=\"{long}\"/>\n");
    }
    text + "  </profpckt>\n"
}

/// What gprofng shows it as.
fn name(frame: &Frame, file: &StackFile) -> String {
    if let Some(function) = &frame.function {
        return function.clone();
    }
    let module = frame.module.and_then(|it| file.modules().get(it));
    match module.and_then(|it| it.path.file_name()) {
        Some(module) => format!("<unknown> ({})", module.to_string_lossy()),
        None => "<unknown>".to_owned(),
    }
}

/// The states of gprofng.
fn number_of(state: State) -> u32 {
    match state {
        State::Work => 2,
        State::ImplicitBarrier => 3,
        State::ExplicitBarrier => 4,
        State::Idle => 5,
        State::Serial => 6,
        State::Reduction => 7,
        State::Lock => 8,
        State::Critical => 9,
        State::Ordered => 10,
        State::Atomic => 11,
        State::TaskWait => 12,
    }
}
