//! What a loop may read so that the program is right by OpenMP's promises, and by nothing but them.
//!
//! A program is walked as a thread runs it. What a loop wrote without a barrier since is *loose*: only a loop that is promised the same mapping may
//! read it, and each iteration only what the same iteration wrote. What lies behind a barrier anybody may read. What a thread keeps in memory of its
//! own stays there across barriers, to be read under the same mapping. Each array is written by one loop alone, and sequential loops around others
//! end with a barrier, or all loops in them are mapped alike; so nothing is written while others read it.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::*;

/// What a loop may read where it stands.
#[derive(Debug, Default)]
pub struct Allowed {
    pub reads: BTreeSet<Read>,
    /// Whether its thread has memory of its own there, and a sum.
    pub own: bool,
    pub sum: bool,
}

/// Walks through a program; of each loop the function is told what is allowed, and may change what it reads and writes.
pub fn walk(program: &mut Program, change: &mut dyn FnMut(&mut Loop, &Allowed)) {
    let mut known = BTreeSet::new();
    for region in &mut program.regions {
        let mut walker = Walker { own: region.own, depth_of_calls: 0, known: &mut known, change };
        walker.steps(&mut region.steps, &mut State::default());
    }
}

/// Leaves what is allowed of what loops read and write.
pub fn keep_allowed(program: &mut Program) {
    walk(program, &mut |l, allowed| {
        l.reads.retain(|read| allowed.reads.contains(read));
        keep_allowed_writes(l, allowed);
    });
}

/// Leaves what is allowed of what one loop writes. A loop's mapping may have changed since it was drawn.
pub fn keep_allowed_writes(l: &mut Loop, allowed: &Allowed) {
    l.carries = (l.carries).filter(|carried| carried.fits(l.mapping.schedule));
    l.keeps &= allowed.own;
    l.adds &= allowed.sum;
}

#[derive(Debug, Default, Clone)]
struct State {
    /// What was written since the last barrier, and under which mapping.
    loose: BTreeMap<Id, Mapping>,
    /// What certainly is in the thread's own memory.
    kept: BTreeMap<Id, Mapping>,
}

struct Walker<'a> {
    own: Option<Own>,
    depth_of_calls: u32,
    /// Loops that come before, in all regions.
    known: &'a mut BTreeSet<Id>,
    change: &'a mut dyn FnMut(&mut Loop, &Allowed),
}

impl Walker<'_> {
    fn steps(&mut self, steps: &mut [Step], state: &mut State) {
        for step in steps.iter_mut() {
            match step {
                Step::Loop(l) => self.the_loop(l, state),
                Step::Repeat(_, steps) => {
                    match mapped_alike(steps) {
                        // What the loops behind wrote in the round before may be read, too.
                        Some(mapping) => {
                            let mut loops = Vec::new();
                            collect(steps, &mut loops);
                            let loose = loops.into_iter().map(|l| (l.id, mapping));
                            state.loose.extend(loose);
                        }
                        None if steps.last().is_some_and(Step::ends_with_barrier) => {}
                        None => steps.push(Step::Barrier),
                    }
                    self.steps(steps, state);
                }
                Step::Sometimes(_, steps) => {
                    let mut inside = state.clone();
                    self.steps(steps, &mut inside);
                    state.loose.extend(inside.loose);
                }
                Step::Call(_, _, steps) => {
                    self.depth_of_calls += 1;
                    self.steps(steps, state);
                    self.depth_of_calls -= 1;
                }
                Step::Barrier | Step::Single(false) => state.loose.clear(),
                _ => {}
            }
        }
    }

    fn the_loop(&mut self, l: &mut Loop, state: &mut State) {
        let is_called = self.depth_of_calls > 0;
        let own = match self.own {
            None => false,
            Some(Own::ThreadPrivate | Own::ThreadLocal | Own::Number) => true,
            Some(_) => !is_called,
        };
        let mut reads = self.allowed(l, state, is_called);
        reads.retain(|read| own || !matches!(read, Read::Own(_)));
        let allowed = Allowed { reads, own, sum: !is_called && !is_dealt(l) };
        (self.change)(l, &allowed);
        self.known.insert(l.id);
        if l.keeps {
            state.kept.insert(l.id, l.mapping);
        }
        if Step::Loop(l.clone()).ends_with_barrier() {
            state.loose.clear();
        } else {
            state.loose.insert(l.id, l.mapping);
        }
    }

    fn allowed(&self, l: &Loop, state: &State, is_called: bool) -> BTreeSet<Read> {
        let alike = |all: &BTreeMap<Id, Mapping>| {
            let alike = all.iter().filter(|(_, mapping)| mapping.is_promised_by(l.mapping));
            alike.map(|(id, _)| *id).collect::<Vec<_>>()
        };
        let mut reads = BTreeSet::new();
        // Its own array it reads anyway.
        let near = alike(&state.loose).into_iter().filter(|id| *id != l.id);
        reads.extend(near.map(Read::Near));
        let far = (self.known.iter()).filter(|id| **id != l.id && !state.loose.contains_key(id));
        reads.extend(far.copied().map(Read::Far));
        reads.extend(alike(&state.kept).into_iter().map(Read::Own));
        // Otherwise a thread's sum would depend on time.
        if !is_called && !is_dealt(l) {
            reads.insert(Read::Sum);
        }
        reads
    }
}

fn is_dealt(l: &Loop) -> bool {
    matches!(l.mapping.schedule, Schedule::Dealt(_))
}

/// All steps are loops with the same mapping and `nowait`.
fn mapped_alike(steps: &[Step]) -> Option<Mapping> {
    let mut loops = Vec::new();
    collect(steps, &mut loops);
    let first = loops.first()?.mapping;
    let is_like_it = |l: &&Loop| l.mapping.is_promised_by(first) && l.nowait;
    (loops.iter().all(is_like_it) && only_loops(steps)).then_some(first)
}

fn only_loops(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Loop(_) => true,
        Step::Sometimes(..) | Step::Repeat(..) | Step::Call(..) => only_loops(step.inner()),
        _ => false,
    })
}
