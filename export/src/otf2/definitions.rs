//! What all locations of an archive share, written when all events are: processes in the order of the trace, with what they name.
//! Regions and strings are there once; a process's own numbers are mapped to these.

use std::collections::HashMap;

use indexmap::IndexSet;
use ompchunk_trace_format::NOBODY;

use super::archive::{Archive, TICKS_PER_SECOND, text};
use super::events::{ATTRIBUTES, Location, SCHEDULE};
use super::regions::{self, Numbers, Region};
use super::symbols as otf2;
use super::symbols::{ErrorCode, SUCCESS, Symbols};
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

/// Calls a function of the library with its writer and these arguments.
macro_rules! define {
    ($definitions:ident => $function:ident($($argument:expr),*)) => {
        // SAFETY: the writer is the archive's, which is open. What is handed over is copied, and lives until the call returns;
        // there are as many members of a group as its count says.
        $definitions.write(|symbols, writer| unsafe { (symbols.$function)(writer, $($argument),*) })
    };
}

pub(super) struct Definitions<'a> {
    archive: &'a Archive,
    raw: *mut otf2::GlobalDefWriter,
    failed: Option<ErrorCode>,
}

impl<'a> Definitions<'a> {
    pub(super) fn from_archive(archive: &'a Archive) -> Result<Definitions<'a>, Error> {
        // SAFETY: an archive that is open.
        let raw = unsafe { (archive.symbols.Archive_GetGlobalDefWriter)(archive.raw) };
        archive.check(SUCCESS)?;
        match raw.is_null() {
            true => Err(archive.failed(SUCCESS)),
            false => Ok(Definitions { archive, raw, failed: None }),
        }
    }

    /// One more: what the library is called with.
    fn write(&mut self, call: impl FnOnce(&Symbols, *mut otf2::GlobalDefWriter) -> ErrorCode) {
        if self.failed.is_none() {
            let code = call(&self.archive.symbols, self.raw);
            self.failed = (code > SUCCESS).then_some(code);
        }
    }

    /// `real`: nanoseconds since the epoch at the timestamp 0.
    pub(super) fn clock(&mut self, length: u64, real: u64) {
        let resolution = TICKS_PER_SECOND;
        define!(self => GlobalDefWriter_WriteClockProperties(resolution, 0, length, real));
    }

    pub(super) fn paradigm(&mut self, paradigm: u8, name: u32, class: u8) {
        define!(self => GlobalDefWriter_WriteParadigm(paradigm, name, class));
    }

    pub(super) fn string(&mut self, number: u32, string: &str) {
        let string = text(string.as_bytes());
        define!(self => GlobalDefWriter_WriteString(number, string.as_ptr()));
    }

    pub(super) fn attribute(&mut self, number: u32, name: u32, about: u32, kind: u8) {
        define!(self => GlobalDefWriter_WriteAttribute(number, name, about, kind));
    }

    pub(super) fn parameter(&mut self, number: u32, name: u32, kind: u8) {
        define!(self => GlobalDefWriter_WriteParameter(number, name, kind));
    }

    /// A machine (without `parent`), or one of its nodes.
    pub(super) fn tree_node(&mut self, number: u32, name: u32, class: u32, parent: Option<u32>) {
        let (parent, domain) = match parent {
            Some(parent) => (parent, otf2::SYSTEM_TREE_DOMAIN_SHARED_MEMORY),
            None => (otf2::UNDEFINED_UINT32, otf2::SYSTEM_TREE_DOMAIN_MACHINE),
        };
        define!(self => GlobalDefWriter_WriteSystemTreeNode(number, name, class, parent));
        define!(self => GlobalDefWriter_WriteSystemTreeNodeDomain(number, domain));
    }

    pub(super) fn location_group(&mut self, number: u32, name: u32, node: u32) {
        let (kind, creator) = (otf2::LOCATION_GROUP_TYPE_PROCESS, otf2::UNDEFINED_UINT32);
        define!(self => GlobalDefWriter_WriteLocationGroup(number, name, kind, node, creator));
    }

    pub(super) fn location(&mut self, number: u64, name: u32, events: u64, group: u32) {
        let kind = otf2::LOCATION_TYPE_CPU_THREAD;
        define!(self => GlobalDefWriter_WriteLocation(number, name, kind, events, group));
    }

    /// `file`: the string and the line, where they are known.
    pub(super) fn region(
        &mut self,
        number: u32,
        [name, canonical, about]: [u32; 3],
        (role, paradigm): (u8, u8),
        file: Option<(u32, u32)>,
    ) {
        let (file, line) = file.unwrap_or((otf2::UNDEFINED_UINT32, 0));
        let flags = otf2::REGION_FLAG_NONE;
        define!(self => GlobalDefWriter_WriteRegion(number, name, canonical, about, role, paradigm, flags, file, line, 0));
    }

    pub(super) fn group(&mut self, number: u32, name: u32, kind: u8, members: &[u64]) {
        let (paradigm, flags) = (otf2::PARADIGM_OPENMP, otf2::GROUP_FLAG_NONE);
        let (count, members) = (members.len() as u32, members.as_ptr());
        define!(self => GlobalDefWriter_WriteGroup(number, name, kind, paradigm, flags, count, members));
    }

    pub(super) fn communicator(&mut self, number: u32, name: u32, group: u32) {
        let (parent, flags) = (otf2::UNDEFINED_UINT32, otf2::COMM_FLAG_NONE);
        define!(self => GlobalDefWriter_WriteComm(number, name, group, parent, flags));
    }

    /// Writes what is left: before the anchor, without which nobody takes an archive for one.
    pub(super) fn finish(self) -> Result<(), Error> {
        let archive = self.archive;
        archive.check(self.failed.unwrap_or(SUCCESS))?;
        // SAFETY: the archive is open, and the writer is used no more.
        let code = unsafe { (archive.symbols.Archive_CloseGlobalDefWriter)(archive.raw, self.raw) };
        archive.check(code)
    }
}
