//! One process's experiment: its files' contents.

use std::collections::HashMap;
use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};
use ompchunk_analysis::sampled::{Entry, Sampled, StackId, State};
use ompchunk_trace_format::stacks::StackFile;

use super::packet::{self, ENTERS_FIELDS, REGION_FIELDS, SAMPLE_FIELDS, Sample, kind};
use crate::name::{NOT_SAMPLED, function};
use crate::process::Process;

pub(super) type Files = Vec<(&'static str, Vec<u8>)>;

/// Time stamps are nanoseconds from the trace's beginning, and this.
const BEGIN: u64 = 1_000_000_000;

/// A sample's duration is an `int` there.
const MOST_MICROSECONDS: u64 = 1 << 30;

type Key = (StackId, Option<StackId>, State);

struct Experiment<'a> {
    process: &'a Process<'a>,
    file: &'a StackFile,
    sampled: &'a Sampled,
    functions: &'a mut Functions,
    /// Of each frame that a stack has so far.
    addresses: HashMap<u32, u64>,
    // Packets, by their file.
    frames: Vec<u8>,
    samples: Vec<u8>,
    regions: Vec<u8>,
    uids: u64,
    not_sampled: u64,
    /// By stack, and whether the stack is the user's.
    stacks: HashMap<(StackId, bool), u64>,
    keys: HashMap<Key, u64>,
    /// Numbers of regions, by their forks; 0: there is none.
    forks: HashMap<u64, u64>,
    numbered: u64,
    /// Microseconds that there are, and those that samples have.
    rounding: HashMap<(u32, State, bool), (f64, u64)>,
    /// Thread, time and region of the last entry.
    last: Option<(u32, u64, u64)>,
}

/// An experiment without its functions, and its log. `started`: when the trace's earliest process began, in seconds since 1970.
/// `notes`: what is missing.
pub(super) fn files<'a>(
    process: &'a Process<'a>,
    file: &'a StackFile,
    sampled: &'a Sampled,
    functions: &'a mut Functions,
    started: u64,
    notes: &[String],
) -> (Files, Vec<u8>) {
    let mut experiment = Experiment {
        process,
        file,
        sampled,
        functions,
        addresses: HashMap::new(),
        frames: Vec::new(),
        samples: Vec::new(),
        regions: Vec::new(),
        uids: 0,
        not_sampled: 0,
        stacks: HashMap::new(),
        keys: HashMap::new(),
        forks: HashMap::new(),
        numbered: 0,
        rounding: HashMap::new(),
        last: None,
    };
    let not_sampled = experiment.functions.address(NOT_SAMPLED, "", 0, false);
    experiment.not_sampled = experiment.uid();
    experiment.frames.extend(packet::stack(experiment.not_sampled, &[not_sampled], false));
    let wanted = || sampled.entries.iter().filter(|entry| process.wants(entry.the_loop));
    wanted().for_each(|entry| experiment.entry(entry));
    if experiment.regions.is_empty() {
        // Else gprofng would see no OpenMP program.
        experiment.regions.extend(packet::enters(1, BEGIN, 0));
    }
    let last = wanted().map(|entry| process.ns(entry.time)).fold(0.0, f64::max);
    let log = experiment.log(last, started, notes).into_bytes();
    let files = vec![
        ("data.frameinfo", experiment.frames),
        ("profile", experiment.samples),
        ("omptrace", experiment.regions),
        // There are none of the system's counters.
        ("overview", Vec::new()),
    ];
    (files, log)
}

impl Experiment<'_> {
    fn address(&mut self, number: u32, construct: bool) -> u64 {
        let frame = self.sampled.frames.get(number);
        let source = frame.file.as_deref().unwrap_or_default();
        let name = function(frame, self.file);
        self.functions.address(&name, source, frame.line, construct)
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

    /// `last`: when the last entry began.
    fn log(&self, last: f64, started: u64, notes: &[String]) -> String {
        let meta = self.process.part.meta();
        let about = self.file.meta();
        let (host, directory) = (escaped(&meta.host), escaped(&meta.directory));
        let architecture = escaped(&about.architecture);
        let words: Vec<String> = meta.command.iter().map(|word| escaped(word)).collect();
        let command = words.join(" ");
        let head = self.process.part.head();
        let begin = self.process.ns(self.process.part.clock().start);
        let end = last.max(begin + self.process.duration(head.end.0.saturating_sub(head.start.0)));
        let processors: String = (0..meta.processors).map(|number| format!("<cpu id=\"{number}\"/>")).collect();
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
        log += &declared(kind::SAMPLE, "Clock profiling data", &SAMPLE_FIELDS);
        log += "</profile>\n<profile name=\"omptrace\">\n  <profdata fname=\"omptrace\"/>\n";
        log += &declared(kind::ENTERS, "Threads in regions", &ENTERS_FIELDS);
        log += &declared(kind::REGION, "Parallel regions", &REGION_FIELDS);
        log += "</profile>\n";
        for note in notes {
            log += &format!("<event kind=\"cwarn\" id=\"1\">{}</event>\n", escaped(note));
        }
        let end = seconds(end as u64);
        log += &format!("<event kind=\"sample\" tstamp=\"{end}\" id=\"1\" label=\"end\"/>\n");
        if head.ended {
            log += &format!("<event kind=\"exit\" tstamp=\"{end}\"/>\n");
        }
        log
    }

    /// Readers look them up by their middle bits.
    fn uid(&mut self) -> u64 {
        self.uids += 1;
        self.uids << 4
    }

    fn entry(&mut self, entry: &Entry) {
        let frame = self.frame(entry);
        let thread = entry.thread.saturating_add(1);
        let time = self.enter(thread, entry);
        for (asleep, ns) in self.durations(entry) {
            let mut left = self.microseconds(entry, asleep, ns);
            while left > 0 {
                let duration = left.min(MOST_MICROSECONDS);
                left -= duration;
                self.samples.extend(packet::sample(&Sample { thread, time, frame, asleep, duration: duration as u32 }));
            }
        }
    }

    fn frame(&mut self, entry: &Entry) -> u64 {
        let key = (entry.user, entry.machine, entry.state);
        if let Some(number) = self.keys.get(&key) {
            return *number;
        }
        let user = self.stack(entry.user, true, entry.state);
        let machine = entry.machine.map(|stack| self.stack(stack, false, entry.state));
        let native = machine.unwrap_or(self.not_sampled);
        let number = self.uid();
        self.frames.extend(packet::frame(number, native, user, number_of(entry.state)));
        self.keys.insert(key, number);
        number
    }

    fn stack(&mut self, id: StackId, user: bool, state: State) -> u64 {
        if let Some(number) = self.stacks.get(&(id, user)) {
            return *number;
        }
        let uid = self.uid();
        let stack = self.sampled.stacks.get(id);
        let mut frames = Vec::with_capacity(stack.frames.len());
        for number in &stack.frames {
            let address = self.addresses.get(number).copied().unwrap_or_else(|| self.address(*number, false));
            self.addresses.insert(*number, address);
            frames.push(address);
        }
        let number = match frames.is_empty() {
            true if user && state == State::Idle => 0,
            true => self.not_sampled,
            false => {
                self.frames.extend(packet::stack(uid, &frames, stack.cut));
                uid
            }
        };
        self.stacks.insert((id, user), number);
        number
    }

    /// When an entry is, whose region its thread is in from then on.
    fn enter(&mut self, thread: u32, entry: &Entry) -> u64 {
        let since = self.process.ns(entry.time).max(0.0) as u64;
        let time = since.saturating_add(BEGIN);
        let (time, before) = match self.last {
            // The reader looks up a sample's region by time.
            Some((same, last, region)) if same == thread => (time.max(last.saturating_add(1)), Some(region)),
            _ => (time, None),
        };
        let region = self.region(entry.fork);
        if before != Some(region) {
            self.regions.extend(packet::enters(thread, time, region));
        }
        self.last = Some((thread, time, region));
        time
    }

    /// A region's number; 0: there is none.
    fn region(&mut self, fork: u64) -> u64 {
        if let Some(number) = self.forks.get(&fork) {
            return *number;
        }
        let number = self.sampled.forks.get(&fork).map_or(0, |frame| {
            let address = self.address(*frame, true);
            self.numbered += 1;
            self.regions.extend(packet::region(self.numbered, address));
            self.numbered
        });
        self.forks.insert(fork, number);
        number
    }

    /// Whole microseconds, which add up to what all entries of their kind took.
    fn microseconds(&mut self, entry: &Entry, asleep: bool, ns: f64) -> u64 {
        let key = (entry.thread, entry.state, asleep);
        let (sum, given) = self.rounding.entry(key).or_default();
        *sum += ns / 1000.0;
        let left = (sum.round() as u64).saturating_sub(*given);
        *given += left;
        left
    }
}

fn declared(kind: u16, title: &str, fields: &[(&str, &str, u32, bool)]) -> String {
    let mut text = format!("  <profpckt kind=\"{kind}\" uname=\"{title}\">\n");
    for (name, title, offset, long) in fields {
        let title = if title.is_empty() { String::new() } else { format!(" uname=\"{title}\"") };
        let long = if *long { "UINT64" } else { "UINT32" };
        text += &format!("    <field name=\"{name}\"{title} offset=\"{offset}\" type=\"{long}\"/>\n");
    }
    text + "  </profpckt>\n"
}

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

/// An attribute's value or an element's content. What is special, or no letter that can be printed, becomes `%XX%`.
pub(super) fn escaped(text: &str) -> String {
    let mut to = String::new();
    for byte in text.bytes() {
        match byte {
            // It would be the text's end.
            0 => to.push('?'),
            b'"' | b'\'' | b'&' | b'<' | b'>' | b'%' | ..=0x1f | 0x7f.. => {
                write!(to, "%{byte:02x}%").expect("memory does not fail");
            }
            _ => to.push(char::from(byte)),
        }
    }
    to
}

pub(super) fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// Bytes that a line takes of a function.
const LINE: u64 = 8;
/// Where functions begin, and how far they are from each other.
const FIRST: u64 = 0x10_0000;
const ROOM: u64 = 1 << 24;
const UNKNOWN: &str = "(unknown)";
const MOST_LINES: usize = (ROOM / LINE) as usize;

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FunctionKey {
    name: String,
    file: String,
    /// The region's own: a line with work that is also a construct's would be counted as overhead.
    construct: bool,
}

/// Functions, files and lines. gprofng 2.40 reads no DWARF 5 and knows no inlined functions, so all are declared as made at run time, which
/// have their lines with them; their addresses are ours, and the same in all processes, as gprofng adds up what is alike.
#[derive(Default)]
pub(super) struct Functions(IndexMap<FunctionKey, IndexSet<u32>>);

impl Functions {
    /// A line's address, which never changes.
    fn address(&mut self, name: &str, file: &str, line: u32, construct: bool) -> u64 {
        let key = FunctionKey { name: name.to_owned(), file: file.to_owned(), construct };
        let function = self.0.entry(key);
        let number = function.index();
        let lines = function.or_default();
        let index = match lines.get_index_of(&line) {
            Some(index) => index,
            None if lines.len() < MOST_LINES => lines.insert_full(line).0,
            None => lines.len() - 1,
        };
        FIRST + number as u64 * ROOM + index as u64 * LINE
    }

    /// What is loaded, and its lines: the contents of two files of each of so many experiments.
    pub(super) fn write(&self, processes: usize) -> (String, Vec<u8>) {
        let (mut map, mut lines) = (String::new(), Vec::new());
        let mut functions: Vec<_> = (0..).zip(&self.0).collect();
        functions.sort_by_key(|(_, (key, _))| *key);
        for (number, (key, of)) in functions {
            let begin = FIRST + number * ROOM;
            let size = (of.len() as u64 * LINE).max(LINE);
            let name = escaped(&key.name);
            map += &format!(
                "<event kind=\"map\" object=\"function\" tstamp=\"0.000000000\" vaddr=\"0x{begin:x}\" size=\"{size}\" name=\"{name}\"/>\n"
            );
            // Functions of several processes are added up by their lines.
            let (file, most) = match key.file.is_empty() {
                true if processes < 2 => continue,
                true => (UNKNOWN, &1),
                false => (&*key.file, &0),
            };
            let known = of.iter().map(|line| most.max(line)).enumerate();
            let known = known.map(|(index, line)| ((index as u64 * LINE) as u32, *line));
            let known: Vec<(u32, u32)> = known.collect();
            lines.extend(packet::function(begin, file, &known));
        }
        (map, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_special_is_left() {
        assert_eq!(escaped("a<b>::c(\"%41%\")"), "a%3c%b%3e%::c(%22%%25%41%25%%22%)");
        assert_eq!(escaped("\n\0\u{e9}"), "%0a%?%c3%%a9%");
        assert_eq!(seconds(1_000_000_007), "1.000000007");
    }
}
