//! Which parts are of one process. One that becomes another program (`exec`), or whose runtime begins again, has several
//! parts, which follow each other: their times add up, and they share neither cores nor work as ranks do.

use std::collections::BTreeMap;
use std::path::Path;

use ompchunk_trace_format::Part;
use ompchunk_trace_format::name::demangle;

use crate::definition::base;
use crate::join::Executions;
use crate::model::{Site, ThreadReport};
use crate::part::{LoopSums, PartSums};
use crate::symbols::Lines;

#[derive(Debug, Default)]
pub(crate) struct Processes {
    pub(crate) of: Vec<usize>,
    pub(crate) next: Vec<Option<usize>>,
    pub(crate) count: usize,
}

impl Processes {
    pub(crate) fn from_parts(parts: &[&Part]) -> Processes {
        let mut known: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut found = Processes { of: vec![0; parts.len()], next: vec![None; parts.len()], count: 0 };
        for (at, part) in parts.iter().enumerate() {
            let meta = part.meta();
            // Without its start it is not known, and one of its own.
            let key = (&meta.host, meta.pid, meta.process, meta.rank, meta.process.is_none().then_some(at));
            let same = known.entry(key).or_default();
            found.of[at] = same.first().map_or(found.count, |first| found.of[*first]);
            found.count += usize::from(same.is_empty());
            same.push(at);
        }
        for mut same in known.into_values() {
            same.sort_by_key(|at| parts[*at].meta().started);
            for pair in same.windows(2) {
                found.next[pair[0]] = Some(pair[1]);
            }
        }
        found
    }

    pub(crate) fn is_first(&self, part: usize) -> bool {
        !self.next.contains(&Some(part))
    }

    /// Sums by process of what is known of some parts; of processes that have none there is nothing.
    pub(crate) fn sums(&self, all: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut sums = vec![None; self.count];
        for (part, value) in all {
            *sums[self.of[part]].get_or_insert(0.0) += value;
        }
        sums.into_iter().flatten().collect()
    }

    /// The largest count of a thread, added up over the parts of its process.
    pub(crate) fn most(&self, all: impl Iterator<Item = (usize, u32, u64)>) -> u64 {
        let mut sums: BTreeMap<(usize, u32), u64> = BTreeMap::new();
        for (part, thread, count) in all {
            *sums.entry((self.of[part], thread)).or_default() += count;
        }
        sums.into_values().max().unwrap_or(0)
    }
}

/// Sums by thread. Parts of one process have their threads by the same numbers.
pub(crate) fn by_thread(threads: &[ThreadReport], of: fn(&ThreadReport) -> f64) -> Vec<f64> {
    let mut all: BTreeMap<(usize, u32), f64> = BTreeMap::new();
    for thread in threads {
        *all.entry((thread.process, thread.thread)).or_default() += of(thread);
    }
    all.into_values().collect()
}

/// What a report is made from. Parts and sums stand in the same order.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) parts: Vec<&'a Part>,
    pub(crate) sums: Vec<PartSums>,
    pub(crate) processes: Processes,
}

impl Context<'_> {
    /// From the start of a part's process until it was recorded; `None`: not known, or an earlier part has it.
    pub(crate) fn before(&self, part: usize) -> Option<f64> {
        self.processes.is_first(part).then_some(self.parts[part].meta().before?)
    }

    pub(crate) fn seconds(&self, part: usize, ticks: f64) -> f64 {
        ticks / self.sums[part].clock.hertz
    }

    pub(crate) fn site(&self, at: usize, code: u64, lines: &mut Lines) -> Site {
        let Some(place) = self.sums[at].codes.get(&code) else {
            let name = if code == 0 { "the runtime".to_owned() } else { format!("{code:#x}") };
            return Site { name, ..Site::default() };
        };
        let meta = self.parts[at].meta();
        let path = Path::new(&meta.directory).join(&place.object);
        let by_linker = Some(place.function.clone()).filter(|symbol| !symbol.is_empty());
        let symbol = by_linker.or_else(|| lines.function(path.clone(), place.offset, meta.started));
        let function = |file: &str| symbol.map(|symbol| demangle(&symbol, file));
        match lines.before(path, place.offset, meta.started) {
            Some((file, line)) => Site {
                name: format!("{}:{line}", base(&file)),
                function: function(&file),
                line: Some(line),
                file: Some(file),
                ..Site::default()
            },
            None => Site {
                name: format!("{}+{:#x}", base(&place.object), place.offset),
                function: function(""),
                object: Some(place.object.clone()),
                offset: Some(place.offset),
                ..Site::default()
            },
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct InPart<'a> {
    pub(crate) part: usize,
    pub(crate) sums: &'a LoopSums,
}

impl<'a> InPart<'a> {
    pub(crate) fn executions(self) -> &'a Executions {
        &self.sums.executions
    }
}
