//! Can the loop run under another schedule, decided when it begins? Then its chunks come from the runtime, one after
//! the other, and each goes through the loop as a range of its own; where the loop ends, the next is asked for.
//!
//! This needs one place to which control comes after the last iteration alone. `cancel` has ends of its own.

use inkwell::llvm_sys::LLVMOpcode;
use ompchunk_abi::fixed;

use crate::find::end::is_fini;
use crate::find::forms::chunks::{goes_on, is_chunk_start, tests_chunk};
use crate::find::found::{Chunk, Form, FoundLoop, Surroundings};
use crate::find::ident;
use crate::find::init::{Call, Construct};
use crate::find::paths::{CleanupDestinations, Go, follow_with};
use crate::llvm::{Analysis, Block, Value, blocks, instructions, only};
use crate::sched_type;

pub use super::found::Change;

pub fn prove(analysis: &Analysis, found: &FoundLoop, others: &[FoundLoop]) -> Result<Change, u8> {
    let call = &found.call;
    match call.construct {
        Construct::For => {}
        Construct::Distribute => return Err(fixed::DISTRIBUTE),
        Construct::Sections => return Err(fixed::SECTIONS),
    }
    if call.entry.combined || call.earlier.is_some() {
        return Err(fixed::COMBINED);
    }
    if sched_type::is_ordered(call.schedule) {
        return Err(fixed::ORDERED);
    }
    if waits_for_iterations(call.instruction) {
        return Err(fixed::DOACROSS);
    }
    if !has_expected_arguments(found) {
        return Err(fixed::END);
    }
    match found.form.chunk() {
        Chunk::Variables { .. } | Chunk::Counted { .. } => {}
        Chunk::Iteration { .. } => return Err(fixed::STRIDED),
        Chunk::Section { .. } => return Err(fixed::SECTIONS),
        Chunk::Dealt { .. } => return Ok(Change { end: None, way_out: None, joins: None }),
    }
    let test = found.form.test().ok_or(fixed::END)?;
    let header = header_of(analysis, found, test).ok_or(fixed::END)?;
    let (end, way_out) = end_behind(analysis, found, header, test)
        .filter(|&(end, _)| analysis.dominates(call.instruction, end))
        .ok_or(fixed::END)?;
    let is_another_s = |other: &&FoundLoop| other.call.instruction != call.instruction;
    if others.iter().filter(is_another_s).any(|other| other.ends.calls.contains(&end)) {
        return Err(fixed::END);
    }
    if is_any(analysis, found, header) {
        return Err(fixed::CARRIED);
    }
    let joins = begin_of_end(analysis, call.instruction, header, end);
    Ok(Change { end: Some(end), way_out: Some(way_out), joins })
}

fn header_of(analysis: &Analysis, found: &FoundLoop, test: Value) -> Option<Block> {
    match &found.form {
        Form::Chunks(chunks) => Some(chunks.header),
        Form::Range { .. } => analysis.loop_header(test.block()?),
    }
}

/// Do the calls that start and end the loop have arguments of the types that are handed on? Not all modules are compilers'.
fn has_expected_arguments(found: &FoundLoop) -> bool {
    let is_number = |value: Option<Value>, bits| value.and_then(Value::integer_bits) == Some(bits);
    let names_thread = |call: Value| call.operand(0).is_some_and(Value::is_pointer) && is_number(call.operand(1), 32);
    let start = found.call.instruction;
    let starts = match found.call.entry.dealt {
        true => {
            let bits = found.call.entry.bits;
            is_number(start.operand(3), bits) && is_number(start.operand(4), bits)
        }
        false => start.operand(3).is_some_and(Value::is_alloca),
    };
    let mut ends = found.ends.calls.iter();
    names_thread(start) && starts && ends.all(|&end| end.argument_count() == 2 && names_thread(end))
}

pub fn surroundings(found: &FoundLoop, change: Option<Change>, destinations: &CleanupDestinations) -> Surroundings {
    let call = &found.call;
    let last = match found.form.chunk() {
        Chunk::Dealt { last, .. } => Some(last),
        Chunk::Variables { .. } | Chunk::Iteration { .. } | Chunk::Section { .. } | Chunk::Counted { .. } => {
            call.instruction.operand(3)
        }
    };
    let last_read = last.is_none_or(|last| last.users().into_iter().any(|user| user.loaded_from() == Some(last)));
    let leave = match change.and_then(|change| change.end) {
        Some(end) => vec![end],
        None if !found.ends.calls.is_empty() => found.ends.calls.clone(),
        // Where control leaves a loop without an end.
        None => match &found.form {
            Form::Chunks(chunks) => chunks.exits.iter().filter_map(|(_, to)| to.first()).collect(),
            Form::Range { .. } => Vec::new(),
        },
    };
    Surroundings {
        no_barrier: leave.is_empty() || leave.into_iter().any(|end| lacks_barrier(end, destinations)),
        last_read,
        lends_last: false,
        reassociated: None,
    }
}

/// A test that leaves the loop leads to this call of fini without a detour; with the block that is next on the way.
fn end_behind(analysis: &Analysis, found: &FoundLoop, header: Block, test: Value) -> Option<(Value, Block)> {
    let way_out = test.successors().into_iter().find(|&to| !analysis.loop_contains(header, to))?;
    let mut block = way_out;
    // clang has three blocks on the way.
    for _ in 0..8 {
        if block.predecessors().len() != 1 {
            return None;
        }
        for instruction in block.instructions() {
            if found.ends.calls.contains(&instruction) {
                return Some((instruction, way_out));
            }
            if !is_harmless(instruction) {
                return None;
            }
        }
        let &[next] = &block.successors()[..] else { return None };
        block = next;
    }
    None
}

/// Where the end begins to which control may come right from the call that starts the loop, as nothing that is computed in between is
/// used from there on, nor what is there before the call of fini behind it.
fn begin_of_end(analysis: &Analysis, start: Value, header: Block, end: Value) -> Option<Value> {
    let block = end.block()?;
    let first = block.first().filter(|first| !first.is_phi())?;
    let stays = |value: Value, user: Value| {
        let block = user.block();
        let comes_before = block == value.block() || analysis.dominates(user, first);
        block.is_some_and(|block| analysis.loop_contains(header, block)) || comes_before && !user.is_phi()
    };
    let is_on_the_way = |value: Value| analysis.dominates(start, value) && analysis.dominates(value, first);
    let blocks = blocks(start.block()?.function()?).filter(|block| block.terminator().is_some_and(is_on_the_way));
    let mut values = blocks.flat_map(|block| block.instructions()).filter(|value| analysis.dominates(start, *value));
    let is_for_end = |user: Value| user == end || user.block() == Some(block) && analysis.dominates(user, end);
    let mut before_end = block.instructions().take_while(|value| *value != end);
    let goes_along =
        |value: Value| (!value.is_load() || value.is_simple_access()) && value.users().into_iter().all(is_for_end);
    (before_end.all(goes_along) && values.all(|value| value.users().into_iter().all(|user| stays(value, user))))
        .then_some(first)
}

/// May it run once per chunk instead of once per loop? The end of a variable's life may not: the next chunk may use it.
fn is_harmless(instruction: Value) -> bool {
    instruction.is_branch() && instruction.branch_condition().is_none()
        || instruction.is_load()
        || instruction.calls(&[b"llvm.lifetime.start*"])
        || instruction.is_call() && instruction.calls(&[b"__kmpc_global_thread_num"])
}

fn waits_for_iterations(call: Value) -> bool {
    let function = call.block().and_then(Block::function);
    function.is_some_and(|function| instructions(function).any(|each| each.calls(&[b"__kmpc_doacross*"])))
}

/// `KMP_IDENT_BARRIER_IMPL` of libomp's `kmp.h`: the barrier at the end of a construct.
const IDENT_BARRIER_IMPLICIT: i64 = 0x40;

/// Does user code, or another construct, come before the loop's own barrier on a way on from its end?
fn lacks_barrier(end: Value, destinations: &CleanupDestinations) -> bool {
    let region = end.block().and_then(Block::function).is_some_and(|function| function.with_name(is_region));
    follow_with(end, destinations, |current| {
        if current.opcode() == Some(LLVMOpcode::LLVMRet) {
            // Where a region ends, its threads meet.
            return if region { Go::Back } else { Go::Home };
        }
        let flags = || current.operand(0).and_then(ident::flags).unwrap_or(0);
        match current.calls(&[b"__kmpc_barrier", b"__kmpc_cancel_barrier"]) {
            true if flags() & IDENT_BARRIER_IMPLICIT != 0 => Go::Back,
            false if !current.calls_out() || is_fini(current) || current.calls(&OF_A_LOOP_S_END) => Go::On,
            _ => Go::Home,
        }
    })
}

/// What compilers call between a loop's last iteration and its barrier.
const OF_A_LOOP_S_END: [&[u8]; 8] = [
    b"__kmpc_global_thread_num", b"__kmpc_dispatch_deinit", b"__kmpc_reduce", b"__kmpc_reduce_nowait",
    b"__kmpc_end_reduce", b"__kmpc_end_reduce_nowait", b"__kmpc_critical", b"__kmpc_end_critical",
];

fn is_region(name: &[u8]) -> bool {
    let markers: [&[u8]; 2] = [b"omp_outlined", b"..omp_par"];
    markers.iter().any(|marker| name.windows(marker.len()).any(|part| part == *marker))
}

pub fn test_of_range(analysis: &Analysis, call: &Call, induction: Value) -> Option<Value> {
    only(blocks(call.instruction.block()?.function()?).filter_map(|block| {
        let branch = block.terminator()?;
        let is_start = |value: Value| is_chunk_start(value, call, Some(induction));
        let (_, holds) = goes_on(analysis, branch, analysis.loop_header(block)?, is_start)?;
        (analysis.dominates(call.instruction, branch) && tests_chunk(holds, call)).then_some(branch)
    }))
}

// Does a loop keep something from one iteration to the next in a register?
//
// Frontends keep all variables in memory, but another pass may have run before this one. A loop under another schedule is
// entered anew for each chunk, and what it carries in a register would then begin anew, too.

const MOST_STEPS: usize = 32;

/// Is there a value of that kind in the loop with this header? Its own number is none: each chunk has numbers of its own.
pub fn is_any(analysis: &Analysis, found: &FoundLoop, header: Block) -> bool {
    let phis = header.instructions().take_while(|value| value.is_phi());
    phis.filter(|&phi| !is_number(found, phi)).any(|phi| {
        let mut first = phi.incoming().into_iter();
        first.any(|(value, from)| !analysis.loop_contains(header, from) && !is_read_anew(analysis, found, value))
    })
}

fn is_number(found: &FoundLoop, phi: Value) -> bool {
    let Chunk::Counted { lower, .. } = found.form.chunk() else { return false };
    let condition = found.form.test().and_then(Value::branch_condition);
    let is_tested = condition.is_some_and(|condition| condition.operand(0) == Some(phi));
    let counts = |user: Value| match (user.opcode(), only(user.operands().filter(|&operand| operand != phi))) {
        (Some(LLVMOpcode::LLVMICmp), _) => true,
        (Some(LLVMOpcode::LLVMAdd), Some(added)) => added == lower || added.const_int() == Some(1),
        (Some(LLVMOpcode::LLVMMul), Some(stride)) => stride.is_load(),
        _ => false,
    };
    is_tested && phi.users().into_iter().all(counts)
}

/// From those alone: a store to another variable, which an iteration should have left, may have been removed.
fn is_read_anew(analysis: &Analysis, found: &FoundLoop, value: Value) -> bool {
    let bounds = [found.call.lower, found.call.upper, found.call.stride];
    let mut is_read = false;
    let mut work = vec![value];
    for _ in 0..MOST_STEPS {
        let Some(next) = work.pop() else { return is_read };
        if next.const_int().is_some() {
            continue;
        }
        if !analysis.dominates(found.call.instruction, next) || next.calls_out() {
            return false;
        }
        match next.loaded_from() {
            Some(variable) if bounds.contains(&variable) => is_read = true,
            Some(_) => return false,
            None => work.extend(next.operands()),
        }
    }
    false
}
