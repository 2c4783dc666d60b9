//! What each thread did when: nested slices, as the viewers of timelines want them. Streams a part
//! through once; the state is what is open in each lane.

use std::collections::HashMap;

use ompchunk_trace_format::{
    AccOperation, At, Chunk, Error, Event, LoopBegin, NOBODY, OffCore, Sync, Values,
};

use crate::name;
use crate::notice::Notices;
use crate::openacc::{self, Told};
use crate::process::{BEYOND_PIDS, Process};
use crate::site::{Site, Sites};

/// The value of an argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
}

impl From<i128> for Value<'_> {
    /// A user's value is of 64 bits at most, signed or unsigned.
    fn from(value: i128) -> Self {
        i64::try_from(value).map_or(Value::Unsigned(value as u64), Value::Signed)
    }
}

/// An argument of a slice.
pub(crate) type Argument<'a> = (&'static str, Value<'a>);

/// A slice begins, or something happens at one moment.
#[derive(Debug)]
pub(crate) struct Slice<'a> {
    pub(crate) category: &'static str,
    pub(crate) name: &'a str,
    /// The loop that it belongs to.
    pub(crate) site: Option<(u32, &'a Site)>,
    pub(crate) arguments: &'a [Argument<'a>],
}

/// A thread, or what was recorded outside of all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Track {
    /// As OpenMP tools count them, from 0; [`NOBODY`]: outside.
    pub(crate) thread: u32,
    /// The system's number, as long as it is the only thread of the process with that number.
    pub(crate) tid: u32,
}

/// A format with timelines. Times are in nanoseconds from the trace's beginning and ascend per track.
pub(crate) trait Sink {
    fn process(&mut self, process: &Process<'_>);
    fn track(&mut self, process: &Process<'_>, track: Track, name: &str);
    fn begin(&mut self, process: &Process<'_>, track: Track, ns: f64, slice: &Slice<'_>);
    fn end(&mut self, process: &Process<'_>, track: Track, ns: f64);
    fn instant(&mut self, process: &Process<'_>, track: Track, ns: f64, slice: &Slice<'_>);
    /// There is no point in reading on.
    fn has_failed(&self) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Parallel(u64),
    ImplicitTask(u64),
    Work(u32),
    Sync(u32),
    Wait(u32),
    /// A loop, and whether it is shown.
    Loop(u32, bool),
    Chunk(bool),
    Acc(u32),
}

impl Scope {
    fn is_shown(self) -> bool {
        !matches!(self, Scope::Loop(_, false) | Scope::Chunk(false))
    }
}

#[derive(Debug)]
struct Lane {
    open: Vec<Scope>,
    /// The executions of the open loops.
    loops: Vec<(LoopBegin, Option<Values>, String)>,
    track: Track,
}

struct Timeline<'s, 'p, S> {
    process: &'p Process<'p>,
    sites: Sites<'p>,
    sink: &'s mut S,
    lanes: HashMap<u32, Lane>,
    /// Which thread has which of the system's numbers.
    tids: HashMap<u32, u32>,
    notices: &'s mut Notices,
    stray: u64,
}

/// Writes a part's slices.
pub(crate) fn write(
    process: &Process<'_>,
    sink: &mut impl Sink,
    notices: &mut Notices,
) -> Result<(), Error> {
    sink.process(process);
    let mut timeline = Timeline {
        process,
        sites: Sites::new(process.wanted.as_ref()),
        sink,
        lanes: HashMap::new(),
        tids: HashMap::new(),
        notices,
        stray: 0,
    };
    process.part.for_each_while(|at, event| {
        timeline.see(at, &event);
        !timeline.sink.has_failed()
    })?;
    // What is open where a trace is cut stays open: both formats know slices without an end.
    let Timeline { sites, stray, .. } = timeline;
    notices.part(process, &sites, stray);
    Ok(())
}

impl<S: Sink> Timeline<'_, '_, S> {
    fn see(&mut self, at: At, event: &Event<'_>) {
        self.sites.see(event);
        self.notices.see(event);
        let thread_begin = match event {
            Event::ThreadBegin {
                os_thread, kind, ..
            } => Some((*os_thread, *kind)),
            _ => None,
        };
        let known = self.lanes.get(&at.lane).map(|lane| lane.track.thread);
        if known != Some(at.thread) || thread_begin.is_some() {
            self.enter(at, thread_begin);
        }
        let ns = self.process.ns(at.ticks);
        match event {
            Event::Chunk(chunk) => self.chunk(at, ns, chunk),
            Event::LoopBegin(it) => self.loop_begin(at, ns, it),
            Event::LoopEnd { the_loop } => {
                let is = |it: Scope| matches!(it, Scope::Loop(of, _) if of == *the_loop);
                self.end(at, ns, is);
            }
            Event::ParallelBegin {
                parallel,
                requested,
                code,
                ..
            } => {
                let mut arguments = vec![
                    ("region", Value::Unsigned(*parallel)),
                    ("requested threads", Value::Unsigned((*requested).into())),
                ];
                let code = self.sites.code(*code).map(|it| it.label.clone());
                arguments.extend(code.as_deref().map(|it| ("at", Value::Text(it))));
                self.begin(
                    at,
                    ns,
                    Scope::Parallel(*parallel),
                    "parallel region",
                    &arguments,
                );
            }
            Event::ParallelEnd { parallel } => {
                self.end(at, ns, |it| it == Scope::Parallel(*parallel));
            }
            Event::ImplicitTaskBegin {
                parallel,
                index,
                team_size,
                flags,
            } => {
                let name = if flags & 1 != 0 {
                    "initial task"
                } else {
                    "implicit task"
                };
                let arguments = [
                    ("region", Value::Unsigned(*parallel)),
                    ("number in team", Value::Unsigned((*index).into())),
                    ("threads", Value::Unsigned((*team_size).into())),
                ];
                self.begin(at, ns, Scope::ImplicitTask(*parallel), name, &arguments);
            }
            Event::ImplicitTaskEnd { parallel } => {
                self.end(at, ns, |it| it == Scope::ImplicitTask(*parallel));
            }
            Event::WorkBegin { work, count, .. } => {
                let arguments = [("count", Value::Unsigned(*count))];
                self.begin(at, ns, Scope::Work(*work), name::work(*work), &arguments);
            }
            Event::WorkEnd { work } => self.end(at, ns, |it| it == Scope::Work(*work)),
            Event::SyncBegin(Sync { kind, .. }) => {
                self.begin(at, ns, Scope::Sync(*kind), name::sync(*kind), &[]);
            }
            Event::SyncEnd(Sync { kind, .. }) => self.end(at, ns, |it| it == Scope::Sync(*kind)),
            Event::WaitBegin(Sync { kind, .. }) => {
                self.begin(at, ns, Scope::Wait(*kind), "wait", &[]);
            }
            Event::WaitEnd(Sync { kind, .. }) => self.end(at, ns, |it| it == Scope::Wait(*kind)),
            Event::ThreadEnd { .. } => {
                while let Some(scope) = self.lane(at).open.pop() {
                    self.close(at, ns, scope);
                }
            }
            Event::TaskCreate { task, parent, .. } => {
                let arguments = [
                    ("task", Value::Unsigned(*task)),
                    ("parent", Value::Unsigned(*parent)),
                ];
                self.instant(at, ns, "task", "task create", &arguments);
            }
            Event::TaskSchedule { prior, next, .. } => {
                let arguments = [
                    ("prior", Value::Unsigned(*prior)),
                    ("next", Value::Unsigned(*next)),
                ];
                self.instant(at, ns, "task", "task schedule", &arguments);
            }
            Event::Recorder(it) => {
                let took = Value::Float(self.process.duration(it.ticks));
                self.instant(at, ns, "recorder", "recorder", &[("until_now_ns", took)]);
            }
            Event::OffCore(it) if it.ticks != OffCore::UNKNOWN => {
                let name = name::off_core(it.why());
                let mut arguments = vec![
                    ("ns", Value::Float(self.process.duration(it.ticks))),
                    ("within_ns", Value::Float(self.process.duration(it.since))),
                    ("voluntary switches", Value::Unsigned(it.voluntary.into())),
                    (
                        "involuntary switches",
                        Value::Unsigned(it.involuntary.into()),
                    ),
                ];
                arguments.extend(it.core.map(|it| ("core", Value::Unsigned(it.into()))));
                self.instant(at, ns, "core", name, &arguments);
            }
            Event::Lost(it) => {
                let arguments = [
                    ("chunks", Value::Unsigned(it.chunks)),
                    ("other events", Value::Unsigned(it.events)),
                ];
                self.instant(at, ns, "recorder", "not recorded", &arguments);
            }
            Event::AccBegin(it) => self.acc(at, ns, it, true),
            Event::AccPoint(it) => self.acc(at, ns, it, false),
            Event::AccEnd(it) => self.end(at, ns, |scope| scope == Scope::Acc(it.event)),
            Event::ThreadBegin { .. } | Event::Loop(_) | Event::Code(_) | Event::AccSite(_) => {}
            // Inside its chunk, which goes on.
            Event::SubBlock(_) => {}
            // What was open has its ends; in between there is nothing to draw.
            Event::Pause(_) | Event::Resume | Event::Barriers { .. } => {}
            Event::LeftOut(_) | Event::Omitted { .. } => {}
            Event::Aggregate(_) | Event::Sum(_) | Event::Times(_) | Event::OffCore(_) => {}
        }
    }

    fn lane(&mut self, at: At) -> &mut Lane {
        self.lanes.get_mut(&at.lane).expect("entered")
    }

    /// The lane now belongs to another thread.
    fn enter(&mut self, at: At, begin: Option<(u32, u32)>) {
        let tid = begin
            .filter(|(tid, _)| *self.tids.entry(*tid).or_insert(at.thread) == at.thread)
            .map_or_else(|| BEYOND_PIDS.saturating_add(at.thread), |(tid, _)| tid);
        let track = Track {
            thread: at.thread,
            tid,
        };
        let name = match begin {
            _ if at.thread == NOBODY => "outside of all threads".to_owned(),
            Some((_, kind)) => format!("{} {}", name::thread(kind), at.thread),
            None => format!("thread {}", at.thread),
        };
        self.sink.track(self.process, track, &name);
        let lane = Lane {
            open: Vec::new(),
            loops: Vec::new(),
            track,
        };
        self.lanes.insert(at.lane, lane);
    }

    fn begin(&mut self, at: At, ns: f64, scope: Scope, name: &str, arguments: &[Argument<'_>]) {
        let lane = self.lanes.get_mut(&at.lane).expect("entered");
        lane.open.push(scope);
        let slice = Slice {
            category: match scope {
                Scope::Parallel(_) => "parallel",
                Scope::ImplicitTask(_) => "task",
                Scope::Work(_) => "work",
                Scope::Sync(_) | Scope::Wait(_) => "sync",
                Scope::Loop(..) | Scope::Chunk(_) => "loop",
                Scope::Acc(_) => "openacc",
            },
            name,
            site: None,
            arguments,
        };
        self.sink.begin(self.process, lane.track, ns, &slice);
    }

    fn acc(&mut self, at: At, ns: f64, it: &AccOperation, lasts: bool) {
        let place = self.sites.places.get(it.site).cloned();
        let title = openacc::title(it.event, place.as_ref());
        let told = openacc::told(it, place.as_ref());
        let value = |it| match it {
            Told::Number(it) => Value::Unsigned(it),
            Told::Signed(it) => Value::Signed(it),
            Told::Text(it) => Value::Text(it),
        };
        let arguments: Vec<Argument<'_>> = told.iter().map(|it| (it.0, value(it.1))).collect();
        match lasts {
            true => self.begin(at, ns, Scope::Acc(it.event), &title, &arguments),
            false => self.instant(at, ns, "openacc", &title, &arguments),
        }
    }

    fn loop_begin(&mut self, at: At, ns: f64, it: &LoopBegin) {
        let shown = self.sites.selected(it.the_loop);
        let site = self.sites.get(it.the_loop);
        let variable = site.and_then(|site| site.variable(it));
        let label = site.map_or_else(|| format!("loop {}", it.the_loop), |it| it.short.clone());
        let lane = self.lanes.get_mut(&at.lane).expect("entered");
        lane.open.push(Scope::Loop(it.the_loop, shown));
        if shown {
            let clause = site.map_or_else(|| name::work(it.work), |site| site.clause(it.work));
            let mut arguments = vec![
                ("schedule", Value::Text(clause)),
                ("iterations of all threads", Value::Unsigned(it.count)),
            ];
            arguments.extend(it.start.map(|start| ("start", Value::Signed(start))));
            arguments.extend(it.step.map(|step| ("step", Value::Signed(step))));
            let slice = Slice {
                category: "loop",
                name: &format!("loop {label}"),
                site: site.map(|site| (it.the_loop, site)),
                arguments: &arguments,
            };
            self.sink.begin(self.process, lane.track, ns, &slice);
        }
        lane.loops
            .push((*it, variable, format!("chunk of {label}")));
    }

    fn chunk(&mut self, at: At, ns: f64, chunk: &Chunk) {
        let lane = self.lanes.get_mut(&at.lane).expect("entered");
        let is_loop = |scope: &Scope| matches!(scope, Scope::Loop(..));
        let Some(inside) = lane.open.iter().rposition(is_loop) else {
            self.stray += 1;
            return;
        };
        while lane.open.len() > inside + 1 {
            let scope = lane.open.pop();
            if scope.is_some_and(Scope::is_shown) {
                self.sink.end(self.process, lane.track, ns);
            }
        }
        let shown = lane.open[inside].is_shown();
        lane.open.push(Scope::Chunk(shown));
        let Some((begin, variable, name)) = lane.loops.last() else {
            return;
        };
        if !shown {
            return;
        }
        self.notices.chunks += 1;
        let mut arguments = [("", Value::Unsigned(0)); 5];
        arguments[0] = ("lower", Value::Unsigned(chunk.lower));
        arguments[1] = ("iterations", Value::Unsigned(chunk.iterations));
        let mut used = 2;
        if let Some(variable) = variable {
            let (first, last) = variable.range(chunk.lower, chunk.iterations);
            arguments[used] = ("first", first.into());
            arguments[used + 1] = ("last", last.into());
            used += 2;
        }
        if chunk.create_duration != 0 {
            let ns = self.process.duration(chunk.create_duration);
            arguments[used] = ("create_duration_ns", Value::Float(ns));
            used += 1;
        }
        let site = self.sites.get(begin.the_loop);
        let slice = Slice {
            category: "chunk",
            name,
            site: site.map(|site| (begin.the_loop, site)),
            arguments: &arguments[..used],
        };
        self.sink.begin(self.process, lane.track, ns, &slice);
    }

    /// Ends the innermost scope that fits, and what is open inside. Where its begin was lost, nothing.
    fn end(&mut self, at: At, ns: f64, is: impl Fn(Scope) -> bool) {
        let Some(from) = self.lane(at).open.iter().rposition(|it| is(*it)) else {
            return;
        };
        while self.lane(at).open.len() > from {
            if let Some(scope) = self.lane(at).open.pop() {
                self.close(at, ns, scope);
            }
        }
    }

    fn close(&mut self, at: At, ns: f64, scope: Scope) {
        let lane = self.lanes.get_mut(&at.lane).expect("entered");
        if let Scope::Loop(..) = scope {
            lane.loops.pop();
        }
        if scope.is_shown() {
            self.sink.end(self.process, lane.track, ns);
        }
    }

    fn instant(
        &mut self,
        at: At,
        ns: f64,
        category: &'static str,
        name: &str,
        arguments: &[Argument<'_>],
    ) {
        let track = self.lane(at).track;
        let slice = Slice {
            category,
            name,
            site: None,
            arguments,
        };
        self.sink.instant(self.process, track, ns, &slice);
    }
}
