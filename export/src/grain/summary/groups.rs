//! What the nodes of a summary stand for, and their sums.

use std::collections::{BTreeSet, HashMap};

use ompchunk_trace_format::At;

use crate::grain::metric::Processors;
use crate::grain::xml::Data;
use crate::process::Process;

/// A node's place in [`Groups::list`].
pub(super) type Number = u32;

pub(super) const INITIAL: Number = 0;

/// Explicit tasks with more than so many around them are one group for each region: recursion may be deeper than anybody reads.
const DEEPEST: u32 = 64;
/// Regions inside each other, likewise.
const INNERMOST: u32 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum What {
    #[default]
    Initial,
    /// Executions of a region, by the return address of the call that begins it.
    Region(u64),
    /// Explicit tasks, by the return address of the call that creates them, and how many are around them.
    Tasks {
        code: u64,
        depth: u32,
    },
    /// Explicit tasks further inside.
    Deeper,
    Loop(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    what: What,
    /// What executes it, if it is a loop; else the region.
    inside: Number,
    /// What creates them, if they are tasks.
    creator: Option<What>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) what: What,
    /// Its region; if it is a region, itself.
    pub(super) region: Number,
    /// What executes it, if it is a loop.
    pub(super) around: Number,
    level: u32,
    /// Tasks, chunks or executions.
    pub(super) count: u64,
    pub(super) threads: u32,
    /// Ticks of all of them; for a region those of its implicit tasks between loops and explicit tasks.
    pub(super) ticks: u64,
    shortest: u64,
    longest: u64,
    /// How many of them ended, and are in those three.
    pub(super) ended: u64,
    /// Ticks that creating them took, where that was timed.
    pub(super) creation: Option<u64>,
    /// Ticks that those who created them waited for them, each meeting shared out among its tasks.
    pub(super) waited_for: f64,
    /// Tasks that nobody but a barrier or the program's end waits for.
    pub(super) left_alone: u64,
    pub(super) meetings: u64,
    /// Ticks that it waited for tasks, with nothing else to run.
    pub(super) waited: u64,
    /// Where its chunks began, and its tasks that ended.
    processors: Processors,
}

impl Group {
    fn new(what: What, region: Number, around: Number, level: u32) -> Group {
        Group { what, region, around, level, shortest: u64::MAX, ..Group::default() }
    }

    pub(super) fn begin_chunk(&mut self, at: At) {
        self.count += 1;
        self.processors.add(at);
    }

    pub(super) fn end_chunk(&mut self, ticks: u64) {
        self.ended += 1;
        self.shortest = self.shortest.min(ticks);
        self.longest = self.longest.max(ticks);
    }

    pub(super) fn end_task(&mut self, begun: Option<At>, ticks: u64) {
        self.end_chunk(ticks);
        self.processors.add(begun.unwrap_or_default());
    }

    pub(super) fn create(&mut self, ticks: u64) {
        *self.creation.get_or_insert(0) += ticks;
    }

    pub(super) fn data(&self, process: &Process<'_>) -> Data {
        let mut data = Data::default();
        let ns = |ticks: u64| process.duration(ticks);
        data.put("exec_ns", ns(self.ticks));
        data.put("count", self.count);
        if self.count > self.ended {
            data.put("unfinished", self.count - self.ended);
        }
        if self.ended > 0 {
            data.put("min_ns", ns(self.shortest));
            data.put("max_ns", ns(self.longest));
        }
        if self.ended > 0 && self.ended == self.count {
            data.put("mean_ns", ns(self.ticks) / self.count as f64);
        }
        data.known("creation_ns", self.creation.map(ns));
        data.known("scatter", self.processors.scatter());
        data
    }

    pub(super) fn is_implicit(&self) -> bool {
        matches!(self.what, What::Initial | What::Region(_))
    }
}

pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    numbers: HashMap<Key, Number>,
    /// What begins the second: a task that creates it, a thread that executes it.
    pub(super) begun: BTreeSet<(Number, Number)>,
    /// The second waits for the first.
    pub(super) met: BTreeSet<(Number, Number)>,
}

impl Default for Groups {
    fn default() -> Groups {
        let list = vec![Group::new(What::Initial, INITIAL, INITIAL, 0)];
        Groups { list, numbers: HashMap::new(), begun: BTreeSet::new(), met: BTreeSet::new() }
    }
}

impl Groups {
    pub(super) fn group(&mut self, number: Number) -> &mut Group {
        &mut self.list[number as usize]
    }

    fn number(&mut self, key: Key, region: Option<Number>, level: u32) -> Number {
        let next = self.list.len() as Number;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let region = region.unwrap_or(number);
            self.list.push(Group::new(key.what, region, key.inside, level));
        }
        number
    }

    pub(super) fn region(&mut self, place: Number, code: u64) -> Number {
        let around = self.list[place as usize].region;
        let level = self.list[around as usize].level + 1;
        if level > INNERMOST {
            return around;
        }
        let key = Key { what: What::Region(code), inside: around, creator: None };
        let number = self.number(key, None, level);
        self.begun.insert((place, number));
        number
    }

    pub(super) fn tasks(&mut self, place: Number, code: u64, depth: u32) -> Number {
        let Group { what, region, level, .. } = self.list[place as usize];
        let key = if depth > DEEPEST {
            Key { what: What::Deeper, inside: region, creator: None }
        } else {
            Key { what: What::Tasks { code, depth }, inside: region, creator: Some(what) }
        };
        let number = self.number(key, Some(region), level);
        let around = self.list[place as usize].around;
        // A loop inside of the deepest ones comes behind them, not before.
        if place != number && around != number {
            self.begun.insert((place, number));
        }
        number
    }

    pub(super) fn the_loop(&mut self, strand: Number, the_loop: u32) -> Number {
        let Group { region, level, .. } = self.list[strand as usize];
        let key = Key { what: What::Loop(the_loop), inside: strand, creator: None };
        let number = self.number(key, Some(region), level);
        self.begun.insert((strand, number));
        number
    }
}
