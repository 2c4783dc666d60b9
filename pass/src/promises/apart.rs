//! How threads come to be told apart without asking for their numbers: by what an atomic operation gave one of them, by being in a
//! critical section before others, by being the one that `single` chose, by the section or the dealt iterations that they ran. What a
//! thread keeps of that in a variable may lead it to what it wrote in a loop before, wherever that stands.

use std::collections::HashSet;

use crate::find::end::is_fini;
use crate::find::entry_of;
use crate::find::paths::{Go, follow, follow_with};
use crate::llvm::{Analysis, Value};

use super::behind::past_reduction;
use super::called::{Called, gives_each_its_own};
use super::region::Region;
use super::work::{Work, starts_fixed_mapping};

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
    let is_around =
        |value: &Value| !combining.contains(value) && !region.works.iter().any(|work| work.body.contains(value));
    let analysis = Analysis::new(region.function);
    let mut all = Vec::new();
    for instruction in region.instructions().filter(is_around) {
        if let Some(end) = end_of(instruction) {
            all.push(alone(instruction, end, region)?);
        } else if is_shared_anyhow(instruction) {
            let work = Work::from_start(instruction, &analysis, &region.reasons);
            all.push(Some(work).filter(|work| !work.ends.is_empty())?);
        } else if gives_each_its_own(instruction) || instruction.calls_out() && called.deeds(instruction).tells_apart {
            all.push(given(instruction)?);
        }
    }
    Some(all)
}

/// What compilers put there to combine the values of `reduction`, also by atomic operations.
fn combining(region: &Region) -> HashSet<Value> {
    let mut all = HashSet::new();
    for switch in region.instructions() {
        let Some(past) = past_reduction(switch) else {
            continue;
        };
        for case in switch.successors().into_iter().filter(|case| *case != past) {
            let Some(first) = case.first() else { continue };
            follow_with::<()>(first, &region.reasons, &[past], |current| {
                all.insert(current);
                Go::On
            });
        }
    }
    all
}

fn end_of(begin: Value) -> Option<&'static [u8]> {
    let callee = begin.calls_out().then(|| begin.callee()).flatten()?;
    callee.with_name(|name| {
        let pair = ALONE.iter().find(|(begins, _)| *begins == name);
        pair.map(|(_, ends)| *ends)
    })
}

/// The code between two calls.
fn alone(begin: Value, end: &[u8], region: &Region) -> Option<Work> {
    let ends_there =
        |value: Value| value.calls_out() && value.callee().is_some_and(|callee| callee.with_name(|name| name == end));
    let (mut ends, mut body) = (Vec::new(), HashSet::new());
    follow::<()>(begin, &region.reasons, &[], |current| {
        if ends_there(current) {
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
    (!ends.is_empty() && !is_left_unended).then_some(Work {
        start: begin,
        ends,
        last_flag: None,
        repeated: HashSet::new(),
        body,
    })
}

/// Where the thread goes on that `single` chose.
fn chosen(begin: Value, branch: Value) -> Option<crate::llvm::Block> {
    let condition = branch.branch_condition()?;
    let asks = condition.is_icmp() && condition.operand(0) == Some(begin);
    let is_not_equal = condition.predicate() == Some(inkwell::llvm_sys::LLVMIntPredicate::LLVMIntNE);
    let is_zero = condition.operand(1).and_then(Value::const_int) == Some(0);
    (asks && is_not_equal && is_zero).then(|| branch.successors().first().copied()).flatten()
}

/// Sections, and loops of which whoever comes first runs the next iterations.
fn is_shared_anyhow(instruction: Value) -> bool {
    entry_of(instruction).is_some() && !is_fini(instruction) && !starts_fixed_mapping(instruction)
}

/// What becomes of a value that each thread gets another one of; none if more is done with it than keeping it in a variable.
fn given(instruction: Value) -> Option<Work> {
    let users = instruction.users();
    let is_kept = |user: &Value| user.is_store() && user.operand(0) == Some(instruction);
    if !users.iter().all(is_kept) {
        return None;
    }
    let next = instruction.next()?;
    Some(Work {
        start: instruction,
        ends: vec![users.first().and_then(|store| store.next()).unwrap_or(next)],
        last_flag: None,
        repeated: HashSet::new(),
        body: users.into_iter().chain([instruction]).collect(),
    })
}
