//! Which threads a parallel region's team has, and where the region is: known only when all of its threads have come, which can be
//! far behind in the file. So a part is read once for this. What stays is a number per region, and each kind of region once.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use ompchunk_trace_format::{Error, Event, Part};

use super::numbers::Numbered;
use crate::site::Sites;

/// Regions of which not all has been seen; more than that only where their threads are not told of.
const OPEN: usize = 1 << 16;

/// Regions with the same team at the same place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    /// For people, where it is known.
    pub(super) place: Option<Rc<str>>,
    pub(super) function: Option<Rc<str>>,
    /// Threads by their number in the team.
    pub(super) members: BTreeMap<u32, u32>,
}

/// A region that is being put together.
#[derive(Debug, Default)]
struct Open {
    kind: Kind,
    size: Option<u32>,
    begun: bool,
}

/// The regions of a part.
#[derive(Debug, Default)]
pub(super) struct Teams {
    kinds: Numbered<Kind>,
    /// By the region's number, one more than that of its kind; 0: there is no such region.
    regions: Vec<u32>,
    /// Where numbers are far apart.
    others: HashMap<u64, u32>,
    /// The part's threads.
    pub(super) threads: usize,
}

impl Teams {
    /// Reads a part.
    pub(super) fn read(part: &Part) -> Result<Teams, Error> {
        let mut teams = Teams::default();
        let mut open: HashMap<u64, Open> = HashMap::new();
        let mut sites = Sites::new(None);
        let mut places: HashMap<u64, (Rc<str>, Rc<str>)> = HashMap::new();
        part.for_each(|at, event| {
            match &event {
                Event::Code(it) => {
                    places.remove(&it.address);
                    sites.see(&event);
                }
                Event::ThreadBegin { .. } => teams.threads += 1,
                Event::ParallelBegin { parallel, code, .. } => {
                    let region = open.entry(*parallel).or_default();
                    region.begun = true;
                    if let Some(code_is) = sites.code(*code) {
                        let texts = || {
                            (
                                code_is.label.as_str().into(),
                                code_is.function.as_str().into(),
                            )
                        };
                        let (place, function) = places.entry(*code).or_insert_with(texts);
                        region.kind.place = Some(Rc::clone(place));
                        region.kind.function = Some(Rc::clone(function));
                    }
                    teams.settle(&mut open, *parallel);
                }
                Event::ImplicitTaskBegin {
                    parallel,
                    index,
                    team_size,
                    ..
                } if *parallel != 0 => {
                    let region = open.entry(*parallel).or_default();
                    region.kind.members.insert(*index, at.thread);
                    region.size = Some(*team_size);
                    teams.settle(&mut open, *parallel);
                }
                _ => {}
            }
            if open.len() > OPEN {
                teams.settle_all(&mut open);
            }
        })?;
        teams.settle_all(&mut open);
        Ok(teams)
    }

    /// A region of which all is known is no longer open.
    fn settle(&mut self, open: &mut HashMap<u64, Open>, region: u64) {
        let whole = |it: &Open| {
            it.begun
                && it
                    .size
                    .is_some_and(|size| it.kind.members.len() >= size as usize)
        };
        if open.get(&region).is_some_and(whole) {
            if let Some(it) = open.remove(&region) {
                self.put(region, it.kind);
            }
        }
    }

    fn settle_all(&mut self, open: &mut HashMap<u64, Open>) {
        let mut all: Vec<(u64, Open)> = open.drain().collect();
        // Else kinds would be numbered by chance.
        all.sort_unstable_by_key(|it| it.0);
        all.into_iter()
            .for_each(|(region, it)| self.put(region, it.kind));
    }

    /// What was known of it before still holds.
    fn put(&mut self, region: u64, mut kind: Kind) {
        if let Some(before) = self.of(region) {
            kind.place = kind.place.or_else(|| before.place.clone());
            kind.function = kind.function.or_else(|| before.function.clone());
            for (index, thread) in &before.members {
                kind.members.entry(*index).or_insert(*thread);
            }
        }
        let number = self.kinds.number(&kind).0 + 1;
        // Recorders count regions; who does not shall not make us allocate.
        let dense = region < 2 * self.regions.len() as u64 + OPEN as u64;
        if !dense {
            self.others.insert(region, number);
            return;
        }
        let at = region as usize;
        if at >= self.regions.len() {
            self.regions.resize(at + 1, 0);
        }
        self.regions[at] = number;
    }

    /// What is known of a region.
    pub(super) fn of(&self, region: u64) -> Option<&Kind> {
        self.kinds.all().get(self.kind(region)? as usize)
    }

    /// The number of its kind.
    pub(super) fn kind(&self, region: u64) -> Option<u32> {
        let dense = usize::try_from(region)
            .ok()
            .and_then(|at| self.regions.get(at).copied());
        let number = dense
            .filter(|it| *it != 0)
            .or_else(|| self.others.get(&region).copied());
        number.map(|it| it - 1)
    }
}
