//! What all locations of an archive share, written when all events are: processes in the order of the trace, with what they name.
//! Regions and strings are there once; a process's own numbers are mapped to these.

use std::collections::HashMap;

use super::define::Definitions;
use super::location::{Location, SCHEDULE, attribute};
use super::numbers::{Numbers, Region};
use super::regions;
use super::symbols as otf2;
use crate::process::Process;

/// Number, name, type and description of the attributes.
const ATTRIBUTES: [(u32, &str, u8, &str); 13] = [
    (
        attribute::LOWER,
        "lower",
        otf2::TYPE_UINT64,
        "first logical iteration",
    ),
    (
        attribute::ITERATIONS,
        "iterations",
        otf2::TYPE_UINT64,
        "number of iterations",
    ),
    (
        attribute::FIRST,
        "first",
        otf2::TYPE_INT64,
        "the loop variable in the first iteration",
    ),
    (
        attribute::LAST,
        "last",
        otf2::TYPE_INT64,
        "the loop variable in the last iteration",
    ),
    (
        attribute::CREATE_DURATION,
        "create_duration_ns",
        otf2::TYPE_DOUBLE,
        "bookkeeping that led to the chunk, in nanoseconds",
    ),
    (
        attribute::CUT,
        "cut",
        otf2::TYPE_UINT8,
        "1: the trace ends here, and when this was left is not known",
    ),
    (
        attribute::COUNT,
        "count",
        otf2::TYPE_UINT64,
        "iterations of the loop, all threads together",
    ),
    (
        attribute::START,
        "start",
        otf2::TYPE_INT64,
        "first value of the loop variable",
    ),
    (
        attribute::STEP,
        "step",
        otf2::TYPE_INT64,
        "step of the loop variable",
    ),
    (
        attribute::REGION,
        "region",
        otf2::TYPE_UINT64,
        "number of the parallel region in its process",
    ),
    (
        attribute::DURATION,
        "duration_ns",
        otf2::TYPE_DOUBLE,
        "how long it took without the recorder's own time, which its regions did not let be left out",
    ),
    (
        attribute::BYTES,
        "bytes",
        otf2::TYPE_UINT64,
        "OpenACC: how much",
    ),
    (
        attribute::ASYNC,
        "async",
        otf2::TYPE_INT64,
        "OpenACC: the clause's argument, -1 without a value, -2 without the clause",
    ),
];

/// Definitions, with everybody's numbers.
pub(super) struct Shared<'a> {
    to: Definitions<'a>,
    strings: HashMap<String, u32>,
    regions: HashMap<Region, u32>,
    has_openacc: bool,
    /// By host, and how many processes there are.
    nodes: HashMap<String, u32>,
    processes: u32,
    /// All locations, and the teams by their places among these.
    locations: Vec<u64>,
    teams: Vec<(u32, Vec<u64>)>,
}

impl<'a> Shared<'a> {
    /// `end`: the last timestamp; `real`: nanoseconds since the epoch at the first.
    pub(super) fn new(to: Definitions<'a>, end: u64, real: u64) -> Shared<'a> {
        let mut all = Shared {
            to,
            strings: HashMap::new(),
            regions: HashMap::new(),
            has_openacc: false,
            nodes: HashMap::new(),
            processes: 0,
            locations: Vec::new(),
            teams: Vec::new(),
        };
        all.to.clock(end, real);
        all.string("");
        let name = all.string("OpenMP");
        all.to.paradigm(
            otf2::PARADIGM_OPENMP,
            name,
            otf2::PARADIGM_CLASS_THREAD_FORK_JOIN,
        );
        for (number, name, kind, about) in ATTRIBUTES {
            let (name, about) = (all.string(name), all.string(about));
            all.to.attribute(number, name, about, kind);
        }
        let name = all.string("schedule");
        all.to
            .parameter(SCHEDULE, name, otf2::PARAMETER_TYPE_STRING);
        let (name, class) = (all.string("all nodes"), all.string("machine"));
        all.to.tree_node(0, name, class, None);
        all
    }

    /// Strings stand before what names them.
    fn string(&mut self, text: &str) -> u32 {
        if let Some(number) = self.strings.get(text) {
            return *number;
        }
        let number = self.strings.len() as u32;
        self.strings.insert(text.to_owned(), number);
        self.to.string(number, text);
        number
    }

    /// The paradigm, which is defined if something is of it.
    fn openacc(&mut self) -> u8 {
        if !std::mem::replace(&mut self.has_openacc, true) {
            let name = self.string("OpenACC");
            let class = otf2::PARADIGM_CLASS_ACCELERATOR;
            self.to.paradigm(otf2::PARADIGM_OPENACC, name, class);
        }
        otf2::PARADIGM_OPENACC
    }

    fn region(&mut self, it: &Region) -> u32 {
        if let Some(number) = self.regions.get(it) {
            return *number;
        }
        let number = self.regions.len() as u32;
        self.regions.insert(it.clone(), number);
        let names = [
            self.string(&it.name),
            self.string(it.what),
            self.string(&it.function),
        ];
        let source = it
            .source
            .as_ref()
            .map(|(file, line)| (self.string(file), *line));
        let paradigm = match it.what.starts_with(regions::OPENACC) {
            true => self.openacc(),
            false => otf2::PARADIGM_OPENMP,
        };
        self.to.region(number, names, (it.role, paradigm), source);
        number
    }

    /// The next process. Returns how its numbers become everybody's, by kind of definition.
    pub(super) fn process(
        &mut self,
        process: &Process<'_>,
        locations: &[Location],
        numbers: &Numbers,
    ) -> Vec<(u8, Vec<u32>)> {
        let host = &process.part.meta().host;
        let node = match self.nodes.get(host) {
            Some(node) => *node,
            None => {
                let node = self.nodes.len() as u32 + 1;
                self.nodes.insert(host.clone(), node);
                let (name, class) = (self.string(host), self.string("node"));
                self.to.tree_node(node, name, class, Some(0));
                node
            }
        };
        let group = self.processes;
        self.processes += 1;
        let title = process.title();
        let name = self.string(&title);
        self.to.location_group(group, name, node);
        let mut places = HashMap::new();
        for it in locations {
            let name = match it.thread {
                0 => self.string("Master thread"),
                ompchunk_trace_format::NOBODY => self.string("outside of all threads"),
                thread => self.string(&format!("OMP thread {thread}")),
            };
            self.to.location(it.number, name, it.count, group);
            places.insert(it.thread, self.locations.len() as u64);
            self.locations.push(it.number);
        }
        let strings = numbers
            .strings
            .all()
            .iter()
            .map(|it| self.string(it))
            .collect();
        let regions = numbers
            .regions
            .all()
            .iter()
            .map(|it| self.region(it))
            .collect();
        let mut teams = Vec::new();
        for threads in numbers.teams.all() {
            teams.push(self.teams.len() as u32);
            let name = self.string(&format!("{title}: team of {}", threads.len()));
            let members = threads
                .iter()
                .filter_map(|it| places.get(it).copied())
                .collect();
            self.teams.push((name, members));
        }
        vec![
            (otf2::MAPPING_STRING, strings),
            (otf2::MAPPING_REGION, regions),
            (otf2::MAPPING_COMM, teams),
        ]
    }

    /// What needs to know all locations.
    pub(super) fn finish(mut self) -> Result<(), crate::error::Error> {
        let empty = self.string("");
        self.to
            .group(0, empty, otf2::GROUP_TYPE_COMM_LOCATIONS, &self.locations);
        for (number, (name, members)) in (0..).zip(&self.teams) {
            self.to
                .group(number + 1, empty, otf2::GROUP_TYPE_COMM_GROUP, members);
            self.to.communicator(number, *name, number + 1);
        }
        self.to.finish()
    }
}
