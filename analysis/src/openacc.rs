//! OpenACC: what was done where, how often and how long, as its runtime told it. Operations are inside each other (a launch in its
//! construct), and each has its whole time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_trace_format::openacc::{COMPUTE_CONSTRUCT, construct_name, event_name};
use ompchunk_trace_format::{
    AccDetail, AccEnd, AccOperation, AccSite, At, Event, Sum, SumOf, openacc,
};

use crate::extremes::widest;
use crate::model::{OpenAccReport, OpenAccThread};

/// A place, as it is in all parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    file: String,
    lines: [u32; 2],
    function: String,
    name: String,
}

impl Place {
    fn of(site: &AccSite<'_>) -> Place {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Place {
            file: text(site.file),
            lines: site.lines,
            function: text(site.function),
            name: text(site.name),
        }
    }
}

/// What is added up together: the start's event, the construct, the place's number.
type Key = (u32, Option<u32>, u32);

/// Of one thread, in ticks.
#[derive(Debug, Clone, Default)]
struct Sums {
    threads: BTreeSet<u32>,
    /// Of which both the begin and the end were told.
    timed: u64,
    ticks: u64,
    extremes: Option<(u64, u64)>,
    /// Of which they were not.
    untimed: u64,
    asynchronous: u64,
    implicit: u64,
    bytes: Option<u64>,
    last: Option<Last>,
}

/// What the last launch was given.
type Last = [Option<u64>; 3];

impl Sums {
    fn lasted(&mut self, ticks: u64) {
        self.timed += 1;
        self.ticks = self.ticks.saturating_add(ticks);
        let (longest, shortest) = self.extremes.unwrap_or((0, u64::MAX));
        self.extremes = Some((longest.max(ticks), shortest.min(ticks)));
    }

    fn begins(&mut self, thread: u32, acc_operation: &AccOperation) {
        self.threads.insert(thread);
        self.asynchronous += u64::from(acc_operation.is_asynchronous());
        self.implicit += u64::from(acc_operation.implicit == Some(true));
        match acc_operation.detail {
            AccDetail::Data {
                bytes: Some(more), ..
            } => self.bytes = Some(self.bytes.unwrap_or(0).saturating_add(more)),
            AccDetail::Launch {
                gangs,
                workers,
                vector,
            } => self.last = Some([gangs, workers, vector]),
            _ => {}
        }
    }

    fn add(&mut self, other: &Sums) {
        self.threads.extend(&other.threads);
        self.timed += other.timed;
        self.ticks = self.ticks.saturating_add(other.ticks);
        self.extremes = widest(self.extremes, other.extremes);
        self.untimed += other.untimed;
        self.asynchronous += other.asynchronous;
        self.implicit += other.implicit;
        if let Some(more) = other.bytes {
            self.bytes = Some(self.bytes.unwrap_or(0).saturating_add(more));
        }
        self.last = self.last.or(other.last);
    }
}

/// A lane's operations, or all of a part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operations {
    places: HashMap<u32, Place>,
    open: Vec<(Key, u64)>,
    sums: BTreeMap<Key, Sums>,
    /// Ends without a begin.
    stray: u64,
    /// The thread in constructs that are in no other operation, for the run's account.
    threads: BTreeMap<u32, u64>,
}

impl Operations {
    pub(crate) fn is_empty(&self) -> bool {
        self.sums.is_empty() && self.stray == 0
    }

    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::AccSite(site) => {
                self.places
                    .entry(site.site)
                    .or_insert_with(|| Place::of(site));
            }
            Event::AccBegin(begin) => {
                let key = (begin.event, begin.construct, begin.site);
                let sums = self.sums.entry(key).or_default();
                sums.begins(at.thread, begin);
                self.open.push((key, at.ticks));
            }
            Event::AccEnd(end) => self.end(at, end),
            Event::AccPoint(point) if openacc::is_end(point.event) => self.stray += 1,
            Event::AccPoint(point) => {
                let key = (point.event, point.construct, point.site);
                let sums = self.sums.entry(key).or_default();
                sums.begins(at.thread, point);
                sums.untimed += 1;
            }
            Event::Sum(sum) if sum.what == SumOf::OpenAcc => self.add_sum(sum),
            _ => {}
        }
    }

    fn end(&mut self, at: At, end: &AccEnd) {
        let began = |(key, _): &(Key, u64)| key.0 == end.event;
        let Some(begin) = self.open.iter().rposition(began) else {
            self.stray += 1;
            return;
        };
        // What is open inside has no end: it was lost.
        for (key, _) in self.open.drain(begin + 1..) {
            self.sums.entry(key).or_default().untimed += 1;
        }
        let Some((key, begin)) = self.open.pop() else {
            return;
        };
        let sums = self.sums.entry(key).or_default();
        let lasted = at.ticks.saturating_sub(begin);
        match end.told {
            true => sums.lasted(lasted),
            false => sums.untimed += 1,
        }
        if end.told && self.open.is_empty() {
            *self.threads.entry(at.thread).or_default() += lasted;
        }
    }

    fn add_sum(&mut self, sum: &Sum) {
        if sum.count == 0 {
            return;
        }
        if openacc::is_end(sum.of) {
            self.stray += sum.count;
            return;
        }
        let to = self.sums.entry((sum.of, None, sum.code as u32));
        let to = to.or_default();
        to.threads.insert(sum.thread);
        if openacc::is_start(sum.of) {
            to.timed += sum.count;
            to.ticks = to.ticks.saturating_add(sum.sum);
            to.extremes = widest(to.extremes, Some((sum.max, sum.min)));
        } else {
            to.untimed += sum.count;
        }
    }

    /// Another lane of the same part, which has ended: what is open in it has no end that anybody knows.
    pub(crate) fn add(&mut self, other: &Operations) {
        for (key, _) in &other.open {
            self.sums.entry(*key).or_default().untimed += 1;
        }
        for (number, place) in &other.places {
            self.places.entry(*number).or_insert_with(|| place.clone());
        }
        for (key, sums) in &other.sums {
            self.sums.entry(*key).or_default().add(sums);
        }
        self.stray += other.stray;
        for (thread, ticks) in &other.threads {
            *self.threads.entry(*thread).or_default() += ticks;
        }
    }
}

/// What all parts tell, those that took longest first. Each comes with its ticks per second.
pub(crate) fn report(parts: &[(&Operations, f64)]) -> Vec<OpenAccReport> {
    let mut all: BTreeMap<(u32, Option<u32>, Place), OpenAccReport> = BTreeMap::new();
    for (part, (operations, hertz)) in parts.iter().enumerate() {
        let seconds = |ticks: u64| ticks as f64 / hertz;
        for ((event, construct, site), sums) in &operations.sums {
            let place = operations.places.get(site).cloned().unwrap_or_default();
            let to = all
                .entry((*event, *construct, place.clone()))
                .or_insert_with(|| OpenAccReport::of(*event, *construct, place));
            to.count += sums.timed + sums.untimed;
            to.untimed += sums.untimed;
            to.asynchronous += sums.asynchronous;
            to.implicit += sums.implicit;
            let threads = sums.threads.iter();
            to.threads.extend(threads.map(|thread| OpenAccThread {
                part,
                thread: *thread,
            }));
            if let Some((longest, shortest)) = sums.extremes {
                to.seconds = Some(to.seconds.unwrap_or(0.0) + seconds(sums.ticks));
                let shortest = seconds(shortest);
                to.shortest_seconds = Some(
                    to.shortest_seconds
                        .map_or(shortest, |shortest_so_far| shortest_so_far.min(shortest)),
                );
                to.longest_seconds = Some(to.longest_seconds.unwrap_or(0.0).max(seconds(longest)));
            }
            if let Some(bytes) = sums.bytes {
                to.bytes = Some(to.bytes.unwrap_or(0).saturating_add(bytes));
            }
            to.dimensions = to.dimensions.or(sums.last);
        }
    }
    let mut all: Vec<OpenAccReport> = all.into_values().collect();
    all.sort_by(|one, other| {
        let seconds = |openacc: &OpenAccReport| openacc.seconds.unwrap_or(0.0);
        let construct = |openacc: &OpenAccReport| openacc.event != COMPUTE_CONSTRUCT;
        seconds(other)
            .total_cmp(&seconds(one))
            .then(construct(one).cmp(&construct(other)))
    });
    all
}

/// Ends that no begin was told of, in all parts.
pub(crate) fn stray(parts: &[(&Operations, f64)]) -> u64 {
    parts.iter().map(|(operations, _)| operations.stray).sum()
}

/// Thread time in operations of OpenACC that are in no other one.
pub(crate) fn thread_seconds(parts: &[(&Operations, f64)]) -> f64 {
    let of = |(operations, hertz): &(&Operations, f64)| {
        operations.threads.values().sum::<u64>() as f64 / hertz
    };
    parts.iter().map(of).fold(0.0, |sum, text| sum + text)
}

impl OpenAccReport {
    fn of(event: u32, construct: Option<u32>, place: Place) -> OpenAccReport {
        let known = |text: String| Some(text).filter(|text| !text.is_empty());
        OpenAccReport {
            event,
            operation: event_name(event),
            construct: construct.map(construct_name),
            file: known(place.file),
            line: Some(place.lines[0]).filter(|line| *line != 0),
            end_line: Some(place.lines[1]).filter(|line| *line != 0),
            function: known(place.function),
            name: known(place.name),
            count: 0,
            untimed: 0,
            asynchronous: 0,
            implicit: 0,
            seconds: None,
            shortest_seconds: None,
            longest_seconds: None,
            bytes: None,
            dimensions: None,
            threads: Vec::new(),
        }
    }
}
