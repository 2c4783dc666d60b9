//! Which loops may run under another schedule without breaking what OpenMP promises the program.
//!
//! OpenMP 5.2, section 11.5.3, promises that two `static` loops of a region with as many iterations and the same chunk size
//! give a thread the same iterations, and that `static,c` deals chunks to threads in the order of their numbers. A program may rely on
//! that: behind `nowait`, where a thread goes on with what it wrote itself, and in data of each thread's own, also behind a
//! barrier. So a loop is *free* only if nothing of that kind can be:
//!
//! - it is alone in its region, with nothing of the user's behind it (so is every `parallel for`), which does not ask for the thread's number; or
//! - barriers stand on all ways behind it, and between it and all loops that come before, and the region knows its threads by nothing: not by
//!   their number, not by data of their own;
//! - and in no case does its region use threadprivate data or settings of each thread's own, does one iteration leave something for
//!   the thread's next one in memory of its own, or does an `order` clause bind it.
//!
//! What cannot be looked into counts as relying on it. Loops without a barrier in between are *mapped* alike; where nothing
//! else relies on them, they may get another static schedule together: what is the same for all of them still maps iterations of loops
//! with as many iterations alike.
//!
//! All of it is read before anything is emitted.

use std::rc::Rc;

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use ompchunk_abi::bound;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::find::paths::CleanupDestinations;
use crate::find::{Promise, functions_with_loops};
use crate::llvm::{Analysis, Value, functions};
use crate::promises::after_loop::{Behind, Code, Until, begins_a_life, behind};
use crate::promises::called::{Called, asks_for_memory};
use crate::promises::effects::Effects;
use crate::promises::region::{MOST_LOOPS, Region, dispatched_starts, may_wait, starts};
use crate::promises::thread_identity::telling_apart;
use crate::promises::thread_memory::{Variables, locks_are_held};
use crate::promises::variable::goes_by_number;
use crate::promises::work::{Work, starts_fixed_mapping};

mod after_loop;
mod called;
mod captures;
mod decided;
mod effects;
mod library;
mod reduction;
mod region;
mod thread_identity;
mod thread_memory;
mod variable;
mod work;

pub struct Promises(FxHashMap<Value, Promise>);

impl Promises {
    pub fn in_module(module: LLVMModuleRef) -> Promises {
        let mut called = Called::in_module(module);
        let mut promises = FxHashMap::default();
        let with_loops = functions_with_loops(module);
        for function in functions(module).filter(|function| with_loops.contains(function)) {
            for start in dispatched_starts(function) {
                let work = Work::from_start(start, &Analysis::new(function), &CleanupDestinations::default());
                if may_wait(&work, &mut called) {
                    promises.insert(start, Promise::Bound(bound::WAITING));
                }
            }
            let starts = starts(function);
            if !(1..=MOST_LOOPS).contains(&starts.len()) {
                continue;
            }
            match Region::in_function(function, starts.clone()) {
                Some(region) => promises.extend(of_region(&region, &mut called)),
                None => promises.extend(starts.into_iter().map(|start| (start, orphaned(function)))),
            }
        }
        Promises(promises)
    }

    pub fn about(&self, start: Value) -> Promise {
        match self.0.get(&start) {
            Some(promise) => promise.clone(),
            // Whoever comes first runs the next iterations: there is nothing to rely on.
            None if !starts_fixed_mapping(start) => Promise::Free,
            None => Promise::default(),
        }
    }
}

fn orphaned(function: Value) -> Promise {
    Promise::Bound(if function.is_shared() { bound::INLINE } else { bound::ORPHANED })
}

fn of_region(region: &Region, called: &mut Called) -> Vec<(Value, Promise)> {
    let mut all = region.effects(called);
    all.uses_thread_local |= called.is_asked_behind(region.function);
    let waits = |work: &Work, called: &mut Called| (all.reads_others || all.takes_lock) && may_wait(work, called);
    let variables = Variables::in_function(region.function);
    let keeps_place = |work: &Work, called: &mut Called| {
        all.keeps_its_place && work.body.iter().any(|&instruction| called.effects(instruction).keeps_its_place)
    };
    let carries = |work: &Work, called: &mut Called| variables.carry(work, region) || keeps_place(work, called);
    if let [only] = &region.works[..]
        && let Some(before) = before_only_loop(region, only, called)
    {
        let bound = match only {
            _ if all.uses_thread_local => bound::THREADPRIVATE,
            // Which thread runs a chunk is promised to the number; of blocks, that a thread's iterations follow each other.
            work if all.learns_who() && (!work.is_in_blocks() || goes_by_number(region, work, called)) => {
                bound::THREAD_NUMBER
            }
            work if work.may_be_reproducible() => bound::ORDER,
            work if before.allocates || locks_are_held(region, called) || carries(work, called) => bound::OWN_MEMORY,
            _ if tells_threads_apart(region, &variables, called) => bound::OWN_MEMORY,
            work if waits(work, called) => bound::WAITING,
            _ => return vec![(only.start, Promise::Free)],
        };
        return vec![(only.start, Promise::Bound(bound))];
    }
    let following: Vec<Behind> =
        (region.works.iter()).map(|work| behind(work, &region.destinations, Until::Barrier)).collect();
    let whole = of_whole_region(region, all, &variables, called);
    let groups = groups(&region.works, &following);
    let of_one = |(number, work): (usize, &Work)| {
        let group = &groups[number];
        let promise = match whole {
            // Not one by one, not even by name: some of the group may be loops that cannot be changed.
            Some(_) if !group.is_empty() => Promise::Bound(bound::PAIR),
            Some(bound) => Promise::Bound(bound),
            None if group
                .iter()
                .map(|&number| &region.works[number])
                .any(|work| carries(work, called) || waits(work, called)) =>
            {
                Promise::Bound(bound::PAIR)
            }
            None if !group.is_empty() => of_group(region, &following, group),
            None if work.may_be_reproducible() => Promise::Bound(bound::ORDER),
            None if carries(work, called) => Promise::Bound(bound::OWN_MEMORY),
            None if following[number].code != Code::None => Promise::Bound(bound::NOWAIT),
            None if waits(work, called) => Promise::Bound(bound::WAITING),
            None => Promise::Free,
        };
        (work.start, promise)
    };
    region.works.iter().enumerate().map(of_one).collect()
}

/// None if it may repeat, or something of the user's comes behind. Memory that it asks for is known (`variable`).
fn before_only_loop(region: &Region, work: &Work, called: &mut Called) -> Option<Effects> {
    let rest = behind(work, &region.destinations, Until::RegionEnds);
    if !rest.loops.is_empty() || rest.code != Code::None {
        return None;
    }
    let mut before = Effects::default();
    for instruction in region.instructions() {
        if work.body.contains(&instruction) || instruction == work.start {
            continue;
        }
        let mut effects = called.effects(instruction);
        // The runtime's own calls for this loop.
        effects.shares_work &= !instruction.calls(&[b"__kmpc_*"]);
        if computes_bounds(instruction, work) || begins_a_life(instruction) || after_loop::ends_a_life(instruction) {
            effects.calls_unknown = false;
        }
        effects.allocates &= !asks_for_memory(instruction);
        before = before.and(effects);
    }
    (!before.calls_unknown && !before.shares_work).then_some(before)
}

fn tells_threads_apart(region: &Region, variables: &Variables, called: &mut Called) -> bool {
    let apart = telling_apart(region, called);
    apart.is_none_or(|apart| (apart.iter()).any(|work| variables.outlive(work, false, &region.destinations)))
}

fn of_whole_region(region: &Region, all: Effects, variables: &Variables, called: &mut Called) -> Option<u8> {
    if all.uses_thread_local {
        return Some(bound::THREADPRIVATE);
    }
    if all.learns_who() {
        return Some(bound::THREAD_NUMBER);
    }
    if all.calls_unknown || calls_loops(region, called) {
        return Some(bound::CALL);
    }
    let keeps = |work: &Work| {
        let is_repeated = behind(work, &region.destinations, Until::RegionEnds).loops.contains(&work.start);
        variables.outlive(work, is_repeated, &region.destinations)
    };
    let keeps_any = region.instructions().any(|each| called.effects(each).allocates && !region.is_in_a_loop(each))
        || variables.are_given_away(region)
        || tells_threads_apart(region, variables, called)
        || locks_are_held(region, called)
        || region.works.iter().any(keeps);
    keeps_any.then_some(bound::OWN_MEMORY)
}

fn calls_loops(region: &Region, called: &mut Called) -> bool {
    region.instructions().any(|instruction| {
        let is_programs = instruction.callee().is_some() && !instruction.calls(&[b"__kmpc_*"]);
        instruction.calls_out() && is_programs && called.effects(instruction).shares_work
    })
}

/// The loops that are mapped as each loop is, itself included, by number, in order; none where it is mapped alone.
fn groups(works: &[Work], following: &[Behind]) -> Vec<Vec<usize>> {
    let number_of = |start: &Value| works.iter().position(|work| work.start == *start);
    let mut leader: Vec<usize> = (0..works.len()).collect();
    let mut is_paired = vec![false; works.len()];
    for (number, behind) in following.iter().enumerate() {
        for next in behind.loops.iter().filter_map(number_of) {
            (is_paired[number], is_paired[next]) = (true, true);
            let (from, to) = (leader[number], leader[next]);
            leader.iter_mut().filter(|leads| **leads == from).for_each(|leads| *leads = to);
        }
    }
    let group_of = |number: usize| match is_paired[number] {
        true => (0..works.len()).filter(|&other| leader[other] == leader[number]).collect(),
        false => Vec::new(),
    };
    (0..works.len()).map(group_of).collect()
}

fn of_group(region: &Region, following: &[Behind], group: &[usize]) -> Promise {
    let may_change = group.iter().all(|&number| {
        let work = &region.works[number];
        work.is_in_blocks() && following[number].code <= Code::Reads && !work.may_be_reproducible()
    });
    if may_change {
        Promise::Mapped(group.iter().map(|&number| region.works[number].start).collect::<Rc<[Value]>>())
    } else {
        Promise::Bound(bound::PAIR)
    }
}

fn computes_bounds(call: Value, work: &Work) -> bool {
    let Some(upper) = work.start.operand(5).filter(|_| call.calls_out()) else { return false };
    let mut values = vec![call];
    let mut known: FxHashSet<Value> = values.iter().copied().collect();
    while let Some(value) = values.pop() {
        for user in value.users() {
            let variable = user.stored_to().filter(|_| user.stored() == Some(value));
            if user == work.start || variable == Some(upper) {
                return true;
            }
            let loads = variable.filter(|variable| variable.is_alloca()).map(Value::users);
            let on = loads.unwrap_or_default().into_iter().filter(|load| load.is_load());
            values.extend(
                on.chain([user]).filter(|value| !value.is_store() && !value.calls_out() && known.insert(*value)),
            );
        }
        if known.len() > 1000 {
            return false;
        }
    }
    false
}
