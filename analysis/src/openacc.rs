//! OpenACC and OpenMP's `target`: what was done where, how often and how long, as its runtime told it. Operations are inside each other (a launch
//! in its construct), and each has its whole time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, At, Event, NOBODY, Sum, SumOf, openacc};

use crate::merge::Merge;

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OperationSite {
    pub(crate) file: String,
    pub(crate) lines: [u32; 2],
    pub(crate) function: String,
    pub(crate) name: String,
    /// The program or library and the offset in it, of a return address whose line is not known.
    pub(crate) object: String,
    pub(crate) offset: u64,
}

impl OperationSite {
    fn from_site(site: &AccSite<'_>) -> OperationSite {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        OperationSite {
            file: text(site.file),
            lines: site.lines,
            function: text(site.function),
            name: text(site.name),
            ..OperationSite::default()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) event: u32,
    pub(crate) construct: Option<u32>,
    pub(crate) site: u32,
    /// The return address, of `target`; 0 else.
    pub(crate) code: u64,
    pub(crate) device: Option<i32>,
}

impl Key {
    /// `around`: what it is in. A kernel is on its construct's device.
    fn from_operation(what: &AccOperation, around: Option<&Key>) -> Key {
        let around = around.and_then(|key| key.device);
        Key {
            event: what.event,
            construct: what.construct,
            site: what.site,
            code: what.detail.code(),
            device: if is_of_target(what.event) { what.device.or(around) } else { None },
        }
    }
}

/// OpenACC, and `target`.
pub(crate) type Both<T> = [T; 2];

fn which(event: u32) -> usize {
    usize::from(is_of_target(event))
}

/// One operation's sums in a thread, in ticks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub(crate) threads: BTreeSet<u32>,
    /// Operations whose begin and end were both told.
    pub(crate) timed: u64,
    pub(crate) ticks: u64,
    pub(crate) extremes: Option<[u64; 2]>,
    pub(crate) untimed: u64,
    pub(crate) asynchronous: u64,
    pub(crate) implicit: u64,
    pub(crate) bytes: Option<u64>,
    /// What the last launch was given.
    pub(crate) last: Option<[Option<u64>; 3]>,
    /// What the first kernel that was seen asked for.
    pub(crate) teams: Option<u64>,
}

impl Sums {
    fn lasted(&mut self, ticks: u64) {
        self.timed += 1;
        self.ticks.take_in(&ticks);
        self.extremes.take_in(&Some([ticks; 2]));
    }

    fn begins(&mut self, thread: u32, acc_operation: &AccOperation) {
        self.threads.insert(thread);
        self.asynchronous += u64::from(acc_operation.is_asynchronous());
        self.implicit += u64::from(acc_operation.implicit == Some(true));
        match acc_operation.detail {
            AccDetail::Data { bytes, .. } => self.bytes.take_in(&bytes),
            AccDetail::Target { bytes, teams, .. } => {
                self.bytes.take_in(&bytes);
                self.teams = self.teams.or(teams);
            }
            AccDetail::Launch { gangs, workers, vector } => self.last = Some([gangs, workers, vector]),
            AccDetail::None => {}
        }
    }
}

impl Merge for Sums {
    fn take_in(&mut self, other: &Sums) {
        merge_fields!(self, other: threads, timed, ticks, extremes, untimed, asynchronous, implicit, bytes);
        self.last = self.last.or(other.last);
        self.teams = self.teams.or(other.teams);
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Operations {
    pub(crate) places: HashMap<u32, OperationSite>,
    open: Vec<(Key, u64)>,
    pub(crate) sums: BTreeMap<Key, Sums>,
    pub(crate) stray: Both<u64>,
    /// Ticks in operations that are in no other one.
    pub(crate) outermost: Both<u64>,
    /// Ticks of these in operations of `target` that are in chunks.
    pub(crate) in_chunks: u64,
}

impl Operations {
    pub(crate) fn is_empty(&self) -> bool {
        self.sums.is_empty() && self.stray == [0; 2]
    }

    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>, in_loop: bool) {
        match event {
            Event::AccSite(site) => {
                self.places.entry(site.site).or_insert_with(|| OperationSite::from_site(site));
            }
            Event::AccBegin(begin) => {
                let key = Key::from_operation(begin, self.open.last().map(|(key, _)| key));
                self.sums.entry(key).or_default().begins(at.thread, begin);
                self.open.push((key, at.ticks));
            }
            Event::AccEnd(end) => self.end(at, end, in_loop),
            Event::AccPoint(point) if openacc::is_end(point.event) => {
                self.stray[which(point.event)] += 1;
            }
            Event::AccPoint(point) => {
                let key = Key::from_operation(point, self.open.last().map(|(key, _)| key));
                let sums = self.sums.entry(key).or_default();
                sums.begins(at.thread, point);
                sums.untimed += 1;
            }
            Event::Sum(sum) if matches!(sum.what, SumOf::OpenAcc | SumOf::Target) => self.add_sum(sum),
            _ => {}
        }
    }

    fn end(&mut self, at: At, end: &AccEnd, in_loop: bool) {
        let began = |(key, _): &(Key, u64)| key.event == end.event;
        let Some(begin) = self.open.iter().rposition(began) else {
            self.stray[which(end.event)] += 1;
            return;
        };
        // What is open inside has no end: it was lost.
        for (key, _) in self.open.drain(begin + 1..) {
            self.sums.entry(key).or_default().untimed += 1;
        }
        let Some((key, begin)) = self.open.pop() else { return };
        let sums = self.sums.entry(key).or_default();
        let lasted = at.ticks.saturating_sub(begin);
        if end.told {
            sums.lasted(lasted)
        } else {
            sums.untimed += 1
        }
        if end.told && self.open.is_empty() {
            self.outermost[which(end.event)] += lasted;
            if in_loop && is_of_target(end.event) {
                self.in_chunks += lasted;
            }
        }
    }

    fn add_sum(&mut self, sum: &Sum) {
        if sum.count == 0 {
            return;
        }
        if openacc::is_end(sum.of) {
            self.stray[which(sum.of)] += sum.count;
            return;
        }
        let (site, code) = if sum.what == SumOf::Target { (NOBODY, sum.code) } else { (sum.code as u32, 0) };
        let key = Key { event: sum.of, construct: None, site, code, device: None };
        let to = self.sums.entry(key).or_default();
        to.threads.insert(sum.thread);
        if openacc::is_start(sum.of) {
            to.timed += sum.count;
            to.ticks.take_in(&sum.sum);
            to.extremes.take_in(&Some([sum.min, sum.max]));
        } else {
            to.untimed += sum.count;
        }
    }

    pub(crate) fn codes(&self) -> impl Iterator<Item = u64> {
        self.sums.keys().map(|key| key.code).filter(|code| *code != 0)
    }
}

/// Another lane of the same part, which has ended: what is open in it has no end that anybody knows.
impl Merge for Operations {
    fn take_in(&mut self, other: &Operations) {
        for (key, _) in &other.open {
            self.sums.entry(*key).or_default().untimed += 1;
        }
        for (number, place) in &other.places {
            self.places.entry(*number).or_insert_with(|| place.clone());
        }
        merge_fields!(self, other: sums, stray, outermost, in_chunks);
    }
}
