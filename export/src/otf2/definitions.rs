//! What all locations of an archive share, written when all events are: processes in the order of the trace, with what they name.
//! Regions and strings are there once; a process's own numbers are mapped to these.

use std::collections::HashMap;

use indexmap::IndexSet;
use ompchunk_trace_format::NOBODY;

use super::define::Definitions;
use super::location::{ATTRIBUTES, Location, SCHEDULE};
use super::numbers::{Numbers, Region};
use super::regions;
use super::symbols as otf2;
use crate::error::Error;
use crate::process::Process;

/// Definitions, with everybody's numbers.
pub(super) struct Shared<'a> {
    to: Definitions<'a>,
    strings: IndexSet<String>,
    regions: IndexSet<Region>,
    has_openacc: bool,
    hosts: IndexSet<String>,
    processes: u32,
    locations: Vec<u64>,
    /// The name of each, and its threads by their places among all locations.
    teams: Vec<(u32, Vec<u64>)>,
}

impl<'a> Shared<'a> {
    /// `end`: the last timestamp; `real`: nanoseconds since the epoch at the first.
    pub(super) fn new(to: Definitions<'a>, end: u64, real: u64) -> Shared<'a> {
        let mut shared = Shared {
            to,
            strings: IndexSet::new(),
            regions: IndexSet::new(),
            has_openacc: false,
            hosts: IndexSet::new(),
            processes: 0,
            locations: Vec::new(),
            teams: Vec::new(),
        };
        shared.to.clock(end, real);
        shared.string("");
        let (openmp, class) = (shared.string("OpenMP"), otf2::PARADIGM_CLASS_THREAD_FORK_JOIN);
        shared.to.paradigm(otf2::PARADIGM_OPENMP, openmp, class);
        for (number, name, kind, about) in ATTRIBUTES {
            let (name, about) = (shared.string(name), shared.string(about));
            shared.to.attribute(*number, name, about, *kind);
        }
        let (schedule, kind) = (shared.string("schedule"), otf2::PARAMETER_TYPE_STRING);
        shared.to.parameter(SCHEDULE, schedule, kind);
        let (root, machine) = (shared.string("all nodes"), shared.string("machine"));
        shared.to.tree_node(0, root, machine, None);
        shared
    }

    /// Strings stand before what names them.
    fn string(&mut self, text: &str) -> u32 {
        let (number, is_new) = self.strings.insert_full(text.to_owned());
        if is_new {
            self.to.string(number as u32, text);
        }
        number as u32
    }

    /// The paradigm OpenACC, defined with its first region.
    fn openacc(&mut self) -> u8 {
        if !std::mem::replace(&mut self.has_openacc, true) {
            let name = self.string("OpenACC");
            let class = otf2::PARADIGM_CLASS_ACCELERATOR;
            self.to.paradigm(otf2::PARADIGM_OPENACC, name, class);
        }
        otf2::PARADIGM_OPENACC
    }

    fn region(&mut self, region: &Region) -> u32 {
        let (number, is_new) = self.regions.insert_full(region.clone());
        if is_new {
            let names = [&*region.name, region.what, &*region.function];
            let names = names.map(|name| self.string(name));
            let source = region.source.as_ref();
            let source = source.map(|(file, line)| (self.string(file), *line));
            let paradigm = match region.what.starts_with(regions::OPENACC) {
                true => self.openacc(),
                false => otf2::PARADIGM_OPENMP,
            };
            let kind = (region.role, paradigm);
            self.to.region(number as u32, names, kind, source);
        }
        number as u32
    }

    fn node(&mut self, host: &str) -> u32 {
        let (index, is_new) = self.hosts.insert_full(host.to_owned());
        let number = index as u32 + 1;
        if is_new {
            let (name, class) = (self.string(host), self.string("node"));
            self.to.tree_node(number, name, class, Some(0));
        }
        number
    }

    /// The next process. Returns how its numbers become everybody's, by kind of definition.
    pub(super) fn process(
        &mut self,
        process: &Process<'_>,
        locations: &[Location],
        numbers: &Numbers,
    ) -> Vec<(u8, Vec<u32>)> {
        let node = self.node(&process.part.meta().host);
        let title = process.title();
        let name = self.string(&title);
        self.to.location_group(self.processes, name, node);
        let places = self.process_locations(locations);
        self.processes += 1;
        let strings = numbers.strings.iter().map(|text| self.string(text)).collect();
        let regions = numbers.regions.iter().map(|region| self.region(region)).collect();
        let mut teams = Vec::new();
        for threads in &numbers.teams {
            teams.push(self.teams.len() as u32);
            let name = self.string(&format!("{title}: team of {}", threads.len()));
            let members = threads.iter().filter_map(|thread| places.get(thread).copied());
            self.teams.push((name, members.collect()));
        }
        vec![(otf2::MAPPING_STRING, strings), (otf2::MAPPING_REGION, regions), (otf2::MAPPING_COMM, teams)]
    }

    /// Returns the places of its threads among all locations.
    fn process_locations(&mut self, locations: &[Location]) -> HashMap<u32, u64> {
        let mut places = HashMap::new();
        for location in locations {
            let name = match location.thread {
                0 => self.string("Master thread"),
                NOBODY => self.string("outside of all threads"),
                thread => self.string(&format!("OMP thread {thread}")),
            };
            let (number, events) = (location.number, location.count);
            self.to.location(number, name, events, self.processes);
            places.insert(location.thread, self.locations.len() as u64);
            self.locations.push(number);
        }
        places
    }

    /// What needs to know all locations.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let empty = self.string("");
        let (locations, group) = (otf2::GROUP_TYPE_COMM_LOCATIONS, otf2::GROUP_TYPE_COMM_GROUP);
        self.to.group(0, empty, locations, &self.locations);
        for (number, (name, members)) in (0..).zip(&self.teams) {
            self.to.group(number + 1, empty, group, members);
            self.to.communicator(number, *name, number + 1);
        }
        self.to.finish()
    }
}
