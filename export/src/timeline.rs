//! What each thread did when, as nested slices. Streams a part through once; the state is what is open in each lane.

use std::collections::HashMap;

use ompchunk_trace_format::tasks::is_end;
use ompchunk_trace_format::{
    AccOperation, At, Chunk, Error, Event, LoopBegin, NOBODY, OffCore, Scope, Step, Sync, Values,
};

use crate::name::{self, Argument, Value};
use crate::notice::Notices;
use crate::openacc::told;
use crate::process::{BEYOND_PIDS, Process};
use crate::site::{Site, Sites, category, title};
use crate::tasks::Constructs;

/// `ompt_task_initial`
const INITIAL: u32 = 1;

fn number(name: &'static str, value: impl Into<u64>) -> Argument<'static> {
    (name, Value::Unsigned(value.into()))
}

/// Where it begins, as far as that was recorded.
fn place(at: At) -> Option<Argument<'static>> {
    at.cpu.map(|cpu| number("cpu", cpu))
}

/// A slice begins, or something happens at one moment.
pub(crate) struct Slice<'a> {
    pub(crate) category: &'static str,
    pub(crate) name: &'a str,
    pub(crate) site: Option<(u32, &'a Site)>,
    pub(crate) arguments: &'a [Argument<'a>],
}

/// A thread, or what was recorded outside of all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Track {
    /// As OpenMP tools count them, from 0; [`NOBODY`]: outside.
    pub(crate) thread: u32,
    /// The system's number, as long as no other thread of the process has the same.
    pub(crate) tid: u32,
}

/// A format with timelines. Times are in nanoseconds from the trace's beginning and ascend per track.
pub(crate) trait Sink {
    fn process(&mut self, process: &Process<'_>);
    fn track(&mut self, process: &Process<'_>, track: Track, name: &str);
    /// `lasts`: it begins, and else is a moment.
    fn slice(&mut self, process: &Process<'_>, track: Track, ns: f64, lasts: bool, slice: &Slice<'_>);
    fn end(&mut self, process: &Process<'_>, track: Track, ns: f64);
    fn has_failed(&self) -> bool;
}

fn category_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Thread(_) | Scope::Parallel(_) => "parallel",
        Scope::ImplicitTask(_) => "task",
        Scope::Work(_) => "work",
        Scope::Sync(_) | Scope::Wait(_) => "sync",
        Scope::Loop(_) => "loop",
        Scope::Chunk => "chunk",
        Scope::Acc(event) => category(event),
        Scope::Task(_) => "explicit task",
    }
}

struct Open {
    scope: Scope,
    shown: bool,
    /// How the chunks of a loop are shown: how to compute the user's variable, and what they are called.
    chunks: Option<(Option<Values>, String)>,
}

struct LaneSlices {
    open: Vec<Open>,
    track: Track,
}

struct Timeline<'s, 'p, S> {
    process: &'p Process<'p>,
    sites: Sites<'p>,
    sink: &'s mut S,
    lanes: HashMap<u32, LaneSlices>,
    /// Which thread has which of the system's numbers.
    tids: HashMap<u32, u32>,
    notices: &'s mut Notices,
    constructs: Constructs,
    /// Those of a chunk, without a list for each, since nothing is more frequent.
    arguments: Vec<Argument<'static>>,
    stray: u64,
}

pub(crate) fn write(process: &Process<'_>, sink: &mut impl Sink, notices: &mut Notices) -> Result<(), Error> {
    sink.process(process);
    let mut timeline = Timeline {
        process,
        sites: Sites::for_process(process),
        sink,
        lanes: HashMap::new(),
        tids: HashMap::new(),
        notices,
        constructs: Constructs::from_process(process)?,
        arguments: Vec::new(),
        stray: 0,
    };
    process.part.for_each_while(|at, event| {
        timeline.follow(at, event);
        !timeline.sink.has_failed()
    })?;
    // What is open where a trace is cut stays open: both formats know slices without an end.
    timeline.notices.part(process, &timeline.sites, timeline.stray);
    Ok(())
}

impl<S: Sink> Timeline<'_, '_, S> {
    fn follow(&mut self, at: At, event: &Event<'_>) {
        self.sites.follow(event);
        self.notices.follow(event);
        self.enter(at, event);
        let (lane, ns) = (at.lane, self.process.ns(at.ticks));
        match event {
            Event::Chunk(chunk) => self.chunk(at, ns, chunk),
            Event::LoopBegin(begin) => self.loop_begin(lane, ns, begin),
            Event::ParallelBegin { parallel, requested, code, .. } => {
                let label = self.sites.code(*code).map(|code| code.label.clone());
                let mut arguments = vec![number("region", *parallel), number("requested threads", *requested)];
                arguments.extend(label.as_deref().map(|label| ("at", Value::Text(label))));
                self.begin(lane, ns, Scope::Parallel(*parallel), "parallel region", &arguments);
            }
            Event::ImplicitTaskBegin { parallel, index, team_size, flags } => {
                let name = ["implicit task", "initial task"][usize::from(flags & INITIAL != 0)];
                let arguments =
                    [number("region", *parallel), number("number in team", *index), number("threads", *team_size)];
                self.begin(lane, ns, Scope::ImplicitTask(*parallel), name, &arguments);
            }
            Event::WorkBegin { work, count, .. } => {
                self.begin(lane, ns, Scope::Work(*work), name::work(*work), &[number("count", *count)]);
            }
            Event::SyncBegin(Sync { kind, .. }) => self.begin(lane, ns, Scope::Sync(*kind), name::sync(*kind), &[]),
            Event::WaitBegin(Sync { kind, .. }) => self.begin(lane, ns, Scope::Wait(*kind), "wait", &[]),
            Event::ThreadEnd { .. } => self.end_from(lane, ns, 0),
            Event::AccBegin(operation) => self.acc(lane, ns, operation, true),
            Event::AccPoint(operation) => self.acc(lane, ns, operation, false),
            Event::TaskSchedule { prior, status, next } => self.task_switch(at, ns, (*prior, *status), *next),
            Event::TaskCreate { .. } | Event::Recorder(_) | Event::OffCore(_) | Event::Lost(_) => {
                self.moment(lane, ns, event)
            }
            // Else it ends something, or there is nothing to draw: a sub-block is inside its chunk, which goes on.
            _ => {
                if let Step::End(scope) = Step::by(event) {
                    self.end(lane, ns, scope);
                }
            }
        }
    }

    fn lane(&mut self, lane: u32) -> &mut LaneSlices {
        self.lanes.get_mut(&lane).expect("entered")
    }

    /// A lane that begins, or belongs to another thread from now on, is a new track.
    fn enter(&mut self, at: At, event: &Event<'_>) {
        let begin = match event {
            Event::ThreadBegin { os_thread, kind, .. } => Some((*os_thread, *kind)),
            _ => None,
        };
        let known = self.lanes.get(&at.lane).map(|lane| lane.track.thread);
        if known == Some(at.thread) && begin.is_none() {
            return;
        }
        let tid = begin
            .filter(|(tid, _)| *self.tids.entry(*tid).or_insert(at.thread) == at.thread)
            .map_or_else(|| BEYOND_PIDS.saturating_add(at.thread), |(tid, _)| tid);
        let track = Track { thread: at.thread, tid };
        let name = match begin {
            _ if at.thread == NOBODY => "outside of all threads".to_owned(),
            Some((_, kind)) => format!("{} {}", name::thread(kind), at.thread),
            None => format!("thread {}", at.thread),
        };
        self.sink.track(self.process, track, &name);
        self.lanes.insert(at.lane, LaneSlices { open: Vec::new(), track });
    }

    fn begin(&mut self, lane: u32, ns: f64, scope: Scope, name: &str, arguments: &[Argument<'_>]) {
        let lane = self.lane(lane);
        lane.open.push(Open { scope, shown: true, chunks: None });
        let track = lane.track;
        let slice = Slice { category: category_of(scope), name, site: None, arguments };
        self.sink.slice(self.process, track, ns, true, &slice);
    }

    fn acc(&mut self, lane: u32, ns: f64, operation: &AccOperation, lasts: bool) {
        let place = self.sites.places.get(&operation.site).cloned();
        let title = title(operation.event, place.as_ref());
        let at = self.sites.code(operation.detail.code()).map(|code| code.label.clone());
        let arguments = told(operation, place.as_ref(), at.as_deref());
        if lasts {
            self.begin(lane, ns, Scope::Acc(operation.event), &title, &arguments)
        } else {
            self.instant(lane, ns, category(operation.event), &title, &arguments)
        }
    }

    fn loop_begin(&mut self, lane: u32, ns: f64, begin: &LoopBegin) {
        let the_loop = begin.the_loop;
        let shown = self.sites.selected(the_loop);
        let site = self.sites.get(the_loop);
        let label = site.map_or_else(|| format!("loop {the_loop}"), |site| site.short.clone());
        let lane = self.lanes.get_mut(&lane).expect("entered");
        let scope = Scope::Loop(the_loop);
        let variable = site.and_then(|site| site.variable(begin));
        lane.open.push(Open { scope, shown, chunks: Some((variable, format!("chunk of {label}"))) });
        if shown {
            let clause = site.map_or_else(|| name::work(begin.work), |site| site.clause(begin.work));
            let mut arguments =
                vec![("schedule", Value::Text(clause)), number("iterations of all threads", begin.count)];
            arguments.extend(begin.start.map(|start| ("start", Value::Signed(start))));
            arguments.extend(begin.step.map(|step| ("step", Value::Signed(step))));
            let slice = Slice {
                category: category_of(scope),
                name: &format!("loop {label}"),
                site: site.map(|site| (the_loop, site)),
                arguments: &arguments,
            };
            self.sink.slice(self.process, lane.track, ns, true, &slice);
        }
    }

    /// Ends the innermost scope of that kind, and what is open inside. Where its begin was lost, nothing.
    fn end(&mut self, lane: u32, ns: f64, scope: Scope) {
        let is_scope = |open: &Open| open.scope == scope;
        if let Some(from) = self.lane(lane).open.iter().rposition(is_scope) {
            self.end_from(lane, ns, from);
        }
    }

    fn end_from(&mut self, lane: u32, ns: f64, from: usize) {
        let lane = self.lanes.get_mut(&lane).expect("entered");
        for _ in lane.open.drain(from..).rev().filter(|open| open.shown) {
            self.sink.end(self.process, lane.track, ns);
        }
    }

    fn instant(&mut self, lane: u32, ns: f64, category: &'static str, name: &str, arguments: &[Argument<'_>]) {
        let track = self.lane(lane).track;
        self.sink.slice(self.process, track, ns, false, &Slice { category, name, site: None, arguments });
    }

    fn chunk(&mut self, at: At, ns: f64, chunk: &Chunk) {
        let Some(inside) = self.lane(at.lane).open.iter().rposition(|open| open.chunks.is_some()) else {
            self.stray += 1;
            return;
        };
        self.end_from(at.lane, ns, inside + 1);
        let lane = self.lanes.get_mut(&at.lane).expect("entered");
        let Open { scope: Scope::Loop(the_loop), shown, chunks: Some((variable, name)) } = &lane.open[inside] else {
            return;
        };
        let (scope, shown) = (Scope::Chunk, *shown);
        if shown {
            self.notices.chunks += 1;
            let to = &mut self.arguments;
            to.clear();
            to.extend([number("lower", chunk.lower), number("iterations", chunk.iterations)]);
            if let Some(variable) = variable {
                let (first, last) = variable.range(chunk.lower, chunk.iterations);
                to.extend([("first", first.into()), ("last", last.into())]);
            }
            if chunk.create_duration != 0 {
                to.push(("create_duration_ns", Value::Float(self.process.duration(chunk.create_duration))));
            }
            to.extend(place(at));
            let site = self.sites.get(*the_loop).map(|site| (*the_loop, site));
            let slice = Slice { category: category_of(scope), name, site, arguments: &self.arguments };
            self.sink.slice(self.process, lane.track, ns, true, &slice);
        }
        lane.open.push(Open { scope, shown, chunks: None });
    }

    /// A thread leaves a task, with a status, and goes on with another one; 0: with none.
    fn task_switch(&mut self, at: At, ns: f64, prior: (u64, u32), next: u64) {
        let (lane, (prior, status)) = (at.lane, prior);
        if prior != 0 && is_end(status) {
            self.end(lane, ns, Scope::Task(prior));
        }
        let open = &self.lane(lane).open;
        if next == 0 {
            // What is around it goes on: all tasks that are inside end here.
            let is_around = |open: &Open| matches!(open.scope, Scope::ImplicitTask(_) | Scope::Parallel(_));
            let from = open.iter().rposition(is_around).map_or(0, |around| around + 1);
            return self.leave_inside(lane, ns, from);
        }
        if let Some(place) = open.iter().rposition(|open| open.scope == Scope::Task(next)) {
            return self.leave_inside(lane, ns, place + 1);
        }
        let label = self.constructs.label(next);
        let name = label.as_deref().map_or_else(|| "task".to_owned(), |label| format!("task of {label}"));
        let mut arguments = vec![number("task", next)];
        arguments.extend(label.as_deref().map(|label| ("at", Value::Text(label))));
        arguments.extend(place(at));
        self.begin(lane, ns, Scope::Task(next), &name, &arguments);
    }

    /// Ends the first task from there on with what is inside; what is waited in before it does not end.
    fn leave_inside(&mut self, lane: u32, ns: f64, from: usize) {
        let mut inside = self.lane(lane).open[from..].iter();
        if let Some(first) = inside.position(|open| matches!(open.scope, Scope::Task(_))) {
            self.end_from(lane, ns, from + first);
        }
    }

    fn moment(&mut self, lane: u32, ns: f64, event: &Event<'_>) {
        let took = |ticks: u64| Value::Float(self.process.duration(ticks));
        let (category, name, arguments) = match event {
            Event::TaskCreate { task, parent, .. } => {
                ("task", "task create", vec![number("task", *task), number("parent", *parent)])
            }
            Event::Recorder(own) => ("recorder", "recorder", vec![("until_now_ns", took(own.ticks))]),
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                let mut arguments = vec![
                    ("ns", took(off.ticks)),
                    ("within_ns", took(off.since)),
                    number("voluntary switches", off.voluntary),
                    number("involuntary switches", off.involuntary),
                ];
                arguments.extend(off.core.map(|core| number("core", core)));
                ("core", name::off_core(off.why()), arguments)
            }
            Event::Lost(lost) => {
                let arguments = vec![number("chunks", lost.chunks), number("other events", lost.events)];
                ("recorder", "not recorded", arguments)
            }
            _ => return,
        };
        self.instant(lane, ns, category, name, &arguments);
    }
}
