//! What all locations of an archive share, written when all events are: processes in the order of the trace, with what they name.
//! Regions and strings are there once; a process's own numbers are mapped to these.

use std::collections::HashMap;

use indexmap::IndexSet;
use ompchunk_trace_format::NOBODY;

use super::archive::{Archive, TICKS_PER_SECOND, text};
use super::events::{ATTRIBUTES, Location, SCHEDULE};
use super::regions::{self, Numbers, Region};
use super::symbols as otf2;
use super::symbols::{ErrorCode, SUCCESS, Symbols, UNDEFINED_UINT32};
use crate::error::Error;
use crate::process::Process;

pub(super) struct Shared<'a> {
    archive: &'a Archive,
    raw: *mut otf2::GlobalDefWriter,
    /// The first failure, after which nothing is written.
    failed: Option<ErrorCode>,
    strings: IndexSet<String>,
    regions: IndexSet<Region>,
    has_openacc: bool,
    hosts: IndexSet<String>,
    processes: u32,
    locations: Vec<u64>,
    /// The name of each, and its threads by their places among all locations.
    teams: Vec<(u32, Vec<u64>)>,
}

macro_rules! define {
    ($shared:ident => $function:ident($($argument:expr),*)) => {
        // SAFETY: the writer is the archive's, which is open. What is handed over is copied, and lives until the call returns;
        // there are as many members of a group as its count says.
        $shared.write(|symbols, writer| unsafe { (symbols.$function)(writer, $($argument),*) })
    };
}

impl<'a> Shared<'a> {
    /// `end`: the last timestamp; `real`: nanoseconds since the epoch at the timestamp 0.
    pub(super) fn new(archive: &'a Archive, end: u64, real: u64) -> Result<Shared<'a>, Error> {
        // SAFETY: an archive that is open.
        let raw = unsafe { (archive.symbols.Archive_GetGlobalDefWriter)(archive.raw) };
        archive.check(SUCCESS)?;
        if raw.is_null() {
            return Err(archive.failed(SUCCESS));
        }
        let mut shared = Shared {
            archive,
            raw,
            failed: None,
            strings: IndexSet::new(),
            regions: IndexSet::new(),
            has_openacc: false,
            hosts: IndexSet::new(),
            processes: 0,
            locations: Vec::new(),
            teams: Vec::new(),
        };
        define!(shared => GlobalDefWriter_WriteClockProperties(TICKS_PER_SECOND, 0, end, real));
        shared.string("");
        let (openmp, class) = (shared.string("OpenMP"), otf2::PARADIGM_CLASS_THREAD_FORK_JOIN);
        define!(shared => GlobalDefWriter_WriteParadigm(otf2::PARADIGM_OPENMP, openmp, class));
        for (number, name, kind, about) in ATTRIBUTES {
            let (name, about) = (shared.string(name), shared.string(about));
            define!(shared => GlobalDefWriter_WriteAttribute(*number, name, about, *kind));
        }
        let (schedule, kind) = (shared.string("schedule"), otf2::PARAMETER_TYPE_STRING);
        define!(shared => GlobalDefWriter_WriteParameter(SCHEDULE, schedule, kind));
        shared.tree_node(0, "all nodes", "machine", (UNDEFINED_UINT32, otf2::SYSTEM_TREE_DOMAIN_MACHINE));
        Ok(shared)
    }

    fn write(&mut self, call: impl FnOnce(&Symbols, *mut otf2::GlobalDefWriter) -> ErrorCode) {
        if self.failed.is_none() {
            let code = call(&self.archive.symbols, self.raw);
            self.failed = (code > SUCCESS).then_some(code);
        }
    }

    /// Strings stand before what names them.
    fn string(&mut self, string: &str) -> u32 {
        let (number, is_new) = self.strings.insert_full(string.to_owned());
        if is_new {
            let string = text(string.as_bytes());
            define!(self => GlobalDefWriter_WriteString(number as u32, string.as_ptr()));
        }
        number as u32
    }

    fn tree_node(&mut self, number: u32, name: &str, class: &str, (parent, domain): (u32, u8)) {
        let (name, class) = (self.string(name), self.string(class));
        define!(self => GlobalDefWriter_WriteSystemTreeNode(number, name, class, parent));
        define!(self => GlobalDefWriter_WriteSystemTreeNodeDomain(number, domain));
    }

    /// The paradigm OpenACC, defined with its first region.
    fn openacc(&mut self) -> u8 {
        if !std::mem::replace(&mut self.has_openacc, true) {
            let (name, class) = (self.string("OpenACC"), otf2::PARADIGM_CLASS_ACCELERATOR);
            define!(self => GlobalDefWriter_WriteParadigm(otf2::PARADIGM_OPENACC, name, class));
        }
        otf2::PARADIGM_OPENACC
    }

    fn region(&mut self, region: &Region) -> u32 {
        let (number, is_new) = self.regions.insert_full(region.clone());
        let number = number as u32;
        if is_new {
            let names = [&*region.name, region.what, &*region.function];
            let [name, canonical, about] = names.map(|name| self.string(name));
            let source = region.source.as_ref().map(|(file, line)| (self.string(file), *line));
            let (file, line) = source.unwrap_or((UNDEFINED_UINT32, 0));
            let paradigm =
                if region.what.starts_with(regions::OPENACC) { self.openacc() } else { otf2::PARADIGM_OPENMP };
            let (role, flags) = (region.role, otf2::REGION_FLAG_NONE);
            define!(self => GlobalDefWriter_WriteRegion(number, name, canonical, about, role, paradigm, flags, file, line, 0));
        }
        number
    }

    fn node(&mut self, host: &str) -> u32 {
        let (index, is_new) = self.hosts.insert_full(host.to_owned());
        let number = index as u32 + 1;
        if is_new {
            self.tree_node(number, host, "node", (0, otf2::SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
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
        let (group, node) = (self.processes, self.node(&process.part.meta().host));
        let title = process.title();
        let (name, kind) = (self.string(&title), otf2::LOCATION_GROUP_TYPE_PROCESS);
        define!(self => GlobalDefWriter_WriteLocationGroup(group, name, kind, node, UNDEFINED_UINT32));
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
            let (number, events, group) = (location.number, location.count, self.processes);
            let kind = otf2::LOCATION_TYPE_CPU_THREAD;
            define!(self => GlobalDefWriter_WriteLocation(number, name, kind, events, group));
            places.insert(location.thread, self.locations.len() as u64);
            self.locations.push(number);
        }
        places
    }

    /// What needs to know all locations, and what is left: before the anchor, without which nobody takes an archive for one.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let empty = self.string("");
        let locations = std::mem::take(&mut self.locations);
        self.group(0, empty, otf2::GROUP_TYPE_COMM_LOCATIONS, &locations);
        for (number, (name, members)) in (0..).zip(std::mem::take(&mut self.teams)) {
            self.group(number + 1, empty, otf2::GROUP_TYPE_COMM_GROUP, &members);
            let (parent, flags) = (UNDEFINED_UINT32, otf2::COMM_FLAG_NONE);
            define!(self => GlobalDefWriter_WriteComm(number, name, number + 1, parent, flags));
        }
        let archive = self.archive;
        archive.check(self.failed.unwrap_or(SUCCESS))?;
        // SAFETY: the archive is open, and the writer is used no more.
        let code = unsafe { (archive.symbols.Archive_CloseGlobalDefWriter)(archive.raw, self.raw) };
        archive.check(code)
    }

    fn group(&mut self, number: u32, name: u32, kind: u8, members: &[u64]) {
        let (paradigm, flags) = (otf2::PARADIGM_OPENMP, otf2::GROUP_FLAG_NONE);
        let (count, members) = (members.len() as u32, members.as_ptr());
        define!(self => GlobalDefWriter_WriteGroup(number, name, kind, paradigm, flags, count, members));
    }
}
