//! Making a failing case small: everything that can be left out or made simpler is, as long as the case fails in the same way.

use std::path::Path;
use std::time::{Duration, Instant};

use super::ast::*;
use super::config::Case;
use super::subject::{Depth, Failure, Kind, Subject};

/// Failures that depend on time need more than one attempt to show again.
const ATTEMPTS: usize = 2;

/// A case that hangs takes minutes per attempt; what is small enough by then is small enough.
const PATIENCE: Duration = Duration::from_secs(60);

/// The smallest case found that still fails like `failure`, and how it fails.
pub fn shrink<S: Subject>(mut case: S, mut failure: Failure, dir: &Path) -> (S, Failure) {
    let start = Instant::now();
    'again: loop {
        for simpler in case.simpler() {
            if start.elapsed() > PATIENCE {
                return (case, failure);
            }
            if let Some(same) = fails(&simpler, failure.kind, dir) {
                (case, failure) = (simpler, same);
                continue 'again;
            }
        }
        return (case, failure);
    }
}

fn fails(case: &impl Subject, kind: Kind, dir: &Path) -> Option<Failure> {
    let judge = || case.judge_as(Depth::Whole, dir).err();
    (0..ATTEMPTS).find_map(|_| judge().filter(|failure| failure.kind == kind))
}

pub fn simpler(case: &Case<Program>) -> Vec<Case<Program>> {
    let mut cases = Vec::new();
    for nodes in without(&case.program.nodes, simpler_node) {
        let mut program = case.program.clone();
        program.nodes = nodes;
        cases.push(Case { program, ..case.clone() });
    }
    let mut change = |change: &dyn Fn(&mut Case<Program>)| {
        let mut simpler = case.clone();
        change(&mut simpler);
        let same = simpler.program == case.program
            && simpler.config.level == case.config.level
            && simpler.config.events == case.config.events
            && simpler.config.flags == case.config.flags;
        if !same {
            cases.push(simpler);
        }
    };
    change(&|c| c.program.threads = c.program.threads.min(2));
    change(&|c| c.program.threads = 1);
    change(&|c| c.program.levels = 1);
    change(&|c| c.program.cancellation = false);
    change(&|c| c.program.unobserved = false);
    change(&|c| c.config.level = "-O0");
    change(&|c| {
        if c.config.level != "-O0" {
            c.config.level = "-O1";
        }
    });
    change(&|c| c.config.events = (true, true, true));
    for flag in &case.config.flags {
        change(&|c| c.config.flags.retain(|f| f != flag));
    }
    cases
}

/// The list without one, or with one replaced by something simpler.
pub fn without<T: Clone>(list: &[T], simpler: impl Fn(&T) -> Vec<Vec<T>>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    let replaced = |at: usize, by: &[T]| [&list[..at], by, &list[at + 1..]].concat();
    for at in 0..list.len() {
        lists.push(replaced(at, &[]));
    }
    for (at, one) in list.iter().enumerate() {
        lists.extend(simpler(one).iter().map(|by| replaced(at, by)));
    }
    lists
}

fn simpler_node(node: &Node) -> Vec<Vec<Node>> {
    let mut nodes = Vec::new();
    match node {
        Node::Combined(region, l) => {
            nodes.extend(simpler_region(region).map(|r| Node::Combined(r, l.clone())));
            nodes.extend(simpler_loop(l).into_iter().map(|l| Node::Combined(region.clone(), l)));
        }
        Node::Parallel(region, items) => {
            nodes.extend(simpler_region(region).map(|r| Node::Parallel(r, items.clone())));
            let items = without(items, simpler_item).into_iter();
            nodes.extend(items.map(|items| Node::Parallel(region.clone(), items)));
        }
        Node::Serial(l) => nodes.extend(simpler_loop(l).into_iter().map(Node::Serial)),
        Node::Teams(teams) => {
            let change = |change: &dyn Fn(&mut Teams)| {
                let mut simpler = teams.clone();
                change(&mut simpler);
                simpler
            };
            let teams = [
                change(&|t| t.teams = 1),
                change(&|t| t.split = false),
                change(&|t| t.parallel = t.parallel.map(|_| None)),
                change(&|t| t.parallel = None),
                change(&|t| t.schedule = None),
                change(&|t| t.schedule = t.schedule.map(|chunk| chunk.map(literal))),
            ]
            .into_iter()
            .filter(|simpler| simpler != teams)
            .chain(simpler_loop(&teams.body).into_iter().map(|body| Teams { body, ..teams.clone() }));
            nodes.extend(teams.map(Node::Teams));
        }
    }
    nodes.into_iter().map(|node| vec![node]).collect()
}

fn simpler_item(item: &Item) -> Vec<Vec<Item>> {
    match item {
        Item::Loop(l) => simpler_loop(l).into_iter().map(|l| vec![Item::Loop(l)]).collect(),
        Item::Repeat(times, items) => {
            let mut smaller = vec![items.clone()];
            if *times > 2 {
                smaller.push(vec![Item::Repeat(2, items.clone())]);
            }
            let items = without(items, simpler_item).into_iter();
            smaller.extend(items.map(|items| vec![Item::Repeat(*times, items)]));
            smaller
        }
        Item::Barrier | Item::Single | Item::Sections(_) => Vec::new(),
    }
}

fn simpler_region(region: &Region) -> impl Iterator<Item = Region> + use<> {
    let without_threads = Region { threads: None, ..region.clone() };
    let without_condition = Region { condition: None, ..region.clone() };
    let region = region.clone();
    [without_threads, without_condition].into_iter().filter(move |r| *r != region)
}

fn literal(number: Number) -> Number {
    Number { source: Source::Literal, ..number }
}

/// What a change makes of it, unless that is the same.
pub(super) fn changed<T: Clone + PartialEq>(from: &T, change: impl FnOnce(&mut T)) -> Option<T> {
    let mut simpler = from.clone();
    change(&mut simpler);
    (simpler != *from).then_some(simpler)
}

fn simpler_loop(l: &Loop) -> Vec<Loop> {
    let mut loops = Vec::new();
    let mut change = |change: &dyn Fn(&mut Loop)| loops.extend(changed(l, change));
    change(&|l| l.inner = None);
    change(&|l| l.cancel = None);
    change(&|l| l.simd = None);
    change(&|l| l.simd = l.simd.map(|_| None));
    change(&|l| l.modifier = None);
    change(&|l| l.nowait = false);
    change(&|l| l.reduction = None);
    change(&|l| l.private = false);
    change(&|l| l.firstprivate = false);
    change(&|l| l.lastprivate = false);
    change(&|l| l.orphaned = false);
    change(&|l| l.schedule = Schedule::Default);
    change(&|l| {
        if let Schedule::Chunked(chunk) = l.schedule {
            l.schedule = Schedule::Chunked(literal(chunk));
        }
    });
    change(&|l| {
        if let Schedule::Chunked(chunk) = l.schedule {
            l.schedule = Schedule::Chunked(Number { value: chunk.value.min(2), ..chunk });
        }
    });
    for at in 0..l.dims.len() {
        change(&|l| {
            if l.dims.len() > 1 {
                l.dims.remove(at);
            }
        });
        for dim in simpler_dims(&l.dims[at]) {
            change(&|l| l.dims[at] = dim.clone());
        }
    }
    if let Some(inner) = &l.inner {
        for region in simpler_region(&inner.0) {
            change(&|l| l.inner = Some(Box::new((region.clone(), inner.1.clone()))));
        }
        for simpler in simpler_loop(&inner.1) {
            change(&|l| l.inner = Some(Box::new((inner.0.clone(), simpler.clone()))));
        }
    }
    loops
}

/// Fewer iterations, numbers that stand there, and last a plain loop from 0.
fn simpler_dims(dim: &Dim) -> Vec<Dim> {
    let mut dims = Vec::new();
    for trip in [1, dim.trip / 2, dim.trip.saturating_sub(1)] {
        if trip < dim.trip && trip > 0 {
            let fewer = i128::from(dim.trip - trip) * dim.step.value;
            dims.push(Dim { trip, limit: Number { value: dim.limit.value - fewer, ..dim.limit }, ..dim.clone() });
        }
    }
    dims.push(Dim { start: literal(dim.start), ..dim.clone() });
    dims.push(Dim { limit: literal(dim.limit), ..dim.clone() });
    dims.push(Dim { step: literal(dim.step), ..dim.clone() });
    dims.push(Dim { wide_limit: false, ..dim.clone() });
    if dim.trip > 0 && dim.trip < 100 {
        let number = |number: Number, value: i128| Number { value, ..number };
        dims.push(Dim {
            start: number(dim.start, 0),
            limit: number(dim.limit, i128::from(dim.trip) - i128::from(dim.test.contains('='))),
            step: number(dim.step, 1),
            test: if dim.test.contains('=') { "<=" } else { "<" },
            ..dim.clone()
        });
    }
    dims.retain(|simpler| simpler != dim);
    dims
}
