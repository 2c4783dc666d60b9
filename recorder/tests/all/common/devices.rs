//! What a recording tells of devices: operations of OpenACC, and those of OpenMP's `target`, which are records of one kind.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use ompchunk_trace_format::{AccOperation, Ending, Event, NOBODY, Part, Trace};
use tempfile::TempDir;

use super::{in_order, text};

/// An operation's event, first line and name.
pub type Named = (u32, u32, String);

/// What a part tells, in its order.
#[derive(Debug, Default)]
pub struct Seen {
    pub begun: Vec<AccOperation>,
    pub begun_named: Vec<Named>,
    /// How deep each began.
    pub depths: Vec<usize>,
    pub points: Vec<AccOperation>,
    pub points_named: Vec<Named>,
    /// The start's event, and whether the end was told.
    pub ended: Vec<(u32, bool)>,
    pub threads: Vec<u32>,
    pub loops: u64,
    pub chunks: u64,
    pub sites: usize,
    /// Function names, by address.
    pub codes: BTreeMap<u64, String>,
}

impl Seen {
    pub fn in_part(part: &Part) -> Seen {
        in_order(part);
        let (mut seen, mut open, mut sites) = (Seen::default(), BTreeMap::<u32, usize>::new(), BTreeMap::new());
        part.for_each(|at, event| {
            let depth = open.entry(at.lane).or_default();
            let named = |operation: &AccOperation, sites: &BTreeMap<(u32, u32), (u32, String)>| {
                let (line, name) = match operation.site {
                    NOBODY => (0, String::new()),
                    // In the operation's own lane.
                    site => sites[&(at.lane, site)].clone(),
                };
                (operation.event, line, name)
            };
            match event {
                Event::AccSite(site) => {
                    assert_ne!(site.file.first(), Some(&b'#'));
                    let name = String::from_utf8_lossy(site.name).into_owned();
                    sites.insert((at.lane, site.site), (site.lines[0], name));
                }
                Event::AccBegin(begin) => {
                    seen.begun_named.push(named(begin, &sites));
                    seen.begun.push(*begin);
                    seen.depths.push(*depth);
                    *depth += 1;
                }
                Event::AccPoint(point) => {
                    seen.points_named.push(named(point, &sites));
                    seen.points.push(*point);
                }
                Event::AccEnd(end) => {
                    *depth -= 1;
                    seen.ended.push((end.event, end.told));
                }
                Event::Code(code) => {
                    seen.codes.insert(code.address, String::from_utf8_lossy(code.function).into_owned());
                }
                Event::ThreadBegin { thread, .. } => seen.threads.push(*thread),
                Event::LoopBegin(_) => seen.loops += 1,
                Event::Chunk(_) => seen.chunks += 1,
                _ => {}
            }
        })
        .unwrap();
        seen.sites = sites.len();
        seen
    }

    pub fn told(&self) -> usize {
        self.ended.iter().filter(|(_, told)| *told).count()
    }
}

pub fn finished(output: &Output) {
    assert!(output.status.success(), "{}", text(output));
    assert!(output.stderr.is_empty(), "{}", text(output));
}

/// A run that records into `trace` in a directory. Its recording has one part with an end.
pub fn run(command: impl FnOnce(&TempDir) -> Command) -> Seen {
    let directory = tempfile::tempdir().unwrap();
    finished(&command(&directory).output().unwrap());
    ended_well(&directory)
}

pub fn ended_well(directory: &TempDir) -> Seen {
    let part = part_of(&directory.path().join("trace"));
    assert_eq!(part.ending(), Ending::Clean);
    assert_eq!(part.head().lost_events, 0);
    Seen::in_part(&part)
}

pub fn part_of(directory: &Path) -> Part {
    let mut trace = Trace::open(directory).unwrap();
    assert_eq!(trace.parts.len(), 1);
    trace.parts.remove(0)
}

/// The parts of a run that forks once: its own, and its child's.
pub fn parent_and_child(mut command: Command, directory: &TempDir) -> [Seen; 2] {
    finished(&command.output().unwrap());
    let trace = Trace::open(&directory.path().join("trace")).unwrap();
    assert_eq!(trace.parts.len(), 2);
    [false, true].map(|forked| {
        let is = |part: &&Part| part.meta().forked_from.is_some() == forked;
        Seen::in_part(trace.parts.iter().find(is).unwrap())
    })
}
