//! How threads come to be told apart without asking for their numbers: by what an atomic operation gave one of them, by being in a
//! critical section before others, by being the one that `single` chose, by the section or the dealt iterations that they ran. What a
//! thread keeps of that in a variable may lead it to what it wrote in a loop before, wherever that stands.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::find::end::is_fini;
use crate::find::entry_of;
use crate::find::paths::{Go, follow, follow_among, follow_with};
use crate::llvm::{Block, Value};
use crate::promises::after_loop::{is_asked_not_to_be_zero, past_reduction};
use crate::promises::called::{Called, gives_each_its_own};
use crate::promises::reduction::{is_own_store, is_used_elsewhere};
use crate::promises::region::Region;
use crate::promises::variable::{Access, Extent, Use, Variable};
use crate::promises::work::{Work, starts_fixed_mapping};

/// What begins code that one thread runs at a time, and what ends it.
const ALONE: [(&[u8], &[u8]); 5] = [
    (b"__kmpc_critical", b"__kmpc_end_critical"),
    (b"__kmpc_critical_with_hint", b"__kmpc_end_critical"),
    (b"__kmpc_single", b"__kmpc_end_single"),
    (b"omp_set_lock", b"omp_unset_lock"),
    (b"omp_set_nest_lock", b"omp_unset_nest_lock"),
];

/// All such code of a region around its loops, as if each were a loop; none if the end of one is not known.
pub fn telling_apart(region: &Region, called: &mut Called) -> Option<Vec<Work>> {
    let combining = combining(region);
    let is_around = |value: &Value| !combining.contains(value) && !region.is_in_a_loop(*value);
    let mut all = Vec::new();
    for instruction in region.instructions().filter(is_around) {
        if let Some(end) = end_of(instruction) {
            all.push(alone(instruction, end, region)?);
        } else if is_shared_anyhow(instruction) {
            let work = Work::from_start(instruction, &region.analysis, &region.destinations);
            all.push(Some(work).filter(|work| !work.ends.is_empty())?);
        } else if gives_each_its_own(instruction) || instruction.calls_out() && called.effects(instruction).tells_apart
        {
            all.push(given(instruction)?);
        }
    }
    Some(all)
}

fn combining(region: &Region) -> FxHashSet<Value> {
    let mut all = FxHashSet::default();
    for switch in region.instructions() {
        let Some(past) = past_reduction(switch) else { continue };
        for case in switch.successors().into_iter().filter(|case| *case != past) {
            let Some(first) = case.first() else { continue };
            follow_with(first, &region.destinations, |current| {
                if current.block() == Some(past) {
                    return Go::Back;
                }
                all.insert(current);
                Go::On
            });
        }
    }
    all
}

fn end_of(begin: Value) -> Option<&'static [u8]> {
    ALONE.iter().find(|(begins, _)| begin.calls(&[*begins])).map(|(_, ends)| *ends)
}

fn alone(begin: Value, end: &[u8], region: &Region) -> Option<Work> {
    let (mut ends, mut body) = (Vec::new(), FxHashSet::default());
    follow(begin, &region.destinations, |current| {
        if current.calls(&[end]) {
            ends.push(current);
            return Go::Back;
        }
        body.insert(current);
        match chosen(begin, current) {
            Some(block) => Go::To(block),
            None => Go::On,
        }
    });
    let is_left_unended = body.iter().any(|value| {
        value.block().and_then(|block| block.terminator()) == Some(*value) && value.successors().is_empty()
    });
    (!ends.is_empty() && !is_left_unended).then(|| Work::around(begin, ends, body))
}

fn chosen(begin: Value, branch: Value) -> Option<Block> {
    let asked = is_asked_not_to_be_zero(branch.branch_condition()?)?;
    branch.successors().first().copied().filter(|_| asked == begin)
}

/// Sections, and loops of which whoever comes first runs the next iterations.
fn is_shared_anyhow(instruction: Value) -> bool {
    entry_of(instruction).is_some() && !is_fini(instruction) && !starts_fixed_mapping(instruction)
}

/// What becomes of a value that each thread gets another one of; none if more is done with it than keeping it in a variable.
fn given(instruction: Value) -> Option<Work> {
    let users = instruction.users();
    let is_kept = |user: &Value| user.stored() == Some(instruction);
    if !users.iter().all(is_kept) {
        return None;
    }
    let next = instruction.next()?;
    let end = users.first().and_then(|store| store.next()).unwrap_or(next);
    Some(Work::around(instruction, vec![end], users.into_iter().chain([instruction]).collect()))
}

// Does an iteration leave something in its thread's own memory for the thread's next one? A `static` loop gives a thread iterations in
// an order that the program may rely on, so what the next one finds depends on the schedule.

/// Sets of bytes whose ways are followed, of one variable: more would take the compiler's time.
const MOST_EXTENTS: usize = 32;

/// Not if each iteration is proven to write what it reads first: here, bytes at constant places; `Fills` knows arrays.
pub fn carries(variable: &Variable, work: &Work, region: &Region) -> bool {
    if variable.uses.keys().any(|user| is_runtime_call(*user)) {
        return false;
    }
    if variable.is_combined {
        return is_used_elsewhere(variable, work);
    }
    let is_known_outside = |given: &Value| !work.body.contains(given) && variable.lives_until_a_loop(*given, region);
    // Its place tells the thread: it may be compared with those that others have left.
    let is_left_to_others = |given: &Value| work.body.contains(given) && given.is_store() && !is_own_store(*given);
    if variable.given.iter().any(|given| is_known_outside(given) || is_left_to_others(given)) {
        return true;
    }
    let inside = || (variable.uses.iter()).filter(|(user, _)| work.body.contains(user));
    let written: Vec<Option<Extent>> =
        inside().filter(|(user, access)| writes(**user, access)).map(|(_, access)| access.extent).collect();
    let may_be_written = |read: Option<Extent>| {
        (written.iter()).any(|written| match (written, read) {
            (Some(written), Some(read)) => written.overlaps(read),
            _ => true,
        })
    };
    let mut reads: FxHashMap<Option<Extent>, Vec<Value>> = FxHashMap::default();
    for (user, access) in inside() {
        if matches!(access.what, Use::Reads | Use::Anything) && may_be_written(access.extent) {
            reads.entry(access.extent).or_default().push(*user);
        }
    }
    reads.len() > MOST_EXTENTS
        || (reads.iter()).any(|(extent, users)| is_read_first(variable, *extent, users, work, region))
}

fn is_read_first(variable: &Variable, extent: Option<Extent>, users: &[Value], work: &Work, region: &Region) -> bool {
    let writes_over = |(user, access): &(&Value, &Access)| is_written_over(access, extent) && is_repeated(**user, work);
    let writes: FxHashSet<Value> = variable.uses.iter().filter(writes_over).map(|(user, _)| *user).collect();
    // All ways from the start to what such a write dominates lead past it, if the start dominates that: most need no walk.
    let precedes = |before: Value, after: Value| region.analysis.dominates(before, after);
    let is_behind = |&user: &Value| writes.iter().any(|&write| precedes(work.start, write) && precedes(write, user));
    let Some(first) = work.start.next().filter(|_| !users.iter().all(is_behind)) else { return false };
    let ends_in: Vec<Block> = work.ends.iter().filter_map(|end| end.block()).collect();
    let matters = |block: Block| variable.is_used_in(block) || ends_in.contains(&block);
    follow_among(first, &region.destinations, matters, |current| match () {
        () if work.ends.contains(&current) || writes.contains(&current) => Go::Back,
        () if users.contains(&current) => Go::Home,
        () => Go::On,
    })
}

fn is_written_over(access: &Access, extent: Option<Extent>) -> bool {
    match (access.what, access.extent, extent) {
        (Use::Forgets, ..) => true,
        (Use::Writes, Some(written), Some(read)) => written.covers(read),
        _ => false,
    }
}

/// Between the loop's start and its first iteration code runs once, but for compilers' own counter of iterations.
fn is_repeated(instruction: Value, work: &Work) -> bool {
    let counts = || {
        let lower = work.start.operand(4);
        lower.is_some() && instruction.stored().and_then(Value::loaded_from) == lower
    };
    instruction.block().is_some_and(|block| work.repeated.contains(&block)) || counts()
}

fn writes(user: Value, access: &Access) -> bool {
    match access.what {
        Use::Writes | Use::Anything => true,
        Use::Forgets => access.extent.is_some() || user.calls_out(),
        Use::Reads => false,
    }
}

fn is_runtime_call(user: Value) -> bool {
    entry_of(user).is_some() || user.calls(&RUNTIME_CALLS)
}

const RUNTIME_CALLS: [&[u8]; 7] = [
    b"__kmpc_dispatch_*", b"__kmpc_doacross_*", b"__kmpc_omp_task_with_deps*", b"__kmpc_omp_wait_deps*",
    b"__kmpc_omp_taskwait_deps*", b"__kmpc_taskred_*", b"__kmpc_task_reduction_*",
];
