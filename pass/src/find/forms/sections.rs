//! clang's form of `sections`: a loop over the thread's sections, each of which is a chunk.
//!
//! ```text
//!          upper = min(upper, number of sections - 1); section = lower
//! header:  if (section <= upper) body else exit
//! body:    switch (section) { 0: ...; 1: ...; }       each section begins in a block of its own
//! advance: section += 1; goto header
//! ```

use super::chunks::{self, directly_in, each_time_round, is_chunk_start, loop_over_chunks, only_test, tests_chunk};
use super::strided::{counted_in, only_step};
use crate::find::bounds::{Stores, is_load_of};
use crate::find::comparison::{Arithmetic, Operation};
use crate::find::{Call, Chunk, Chunks, Form, UserLoop};
use crate::llvm::{Analysis, Block, Value};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call, stores: &Stores) -> Result<(Form, UserLoop), Reason> {
    let counted = call.instruction.block().and_then(Block::function);
    if counted.is_some_and(Value::counts_lines) {
        return Err(Reason::SectionsCounted);
    }
    let chunks = loop_over_sections(analysis, call, stores).ok_or(Reason::Sections)?;
    Ok((Form::Chunks(chunks), UserLoop::default()))
}

fn loop_over_sections(analysis: &Analysis, call: &Call, stores: &Stores) -> Option<Chunks> {
    let ([], [clamp_store]) = (&stores.lower[..], &stores.upper[..]) else { return None };
    let last = chunks::last_of(*clamp_store, call)?.const_int()?;
    let (variable, start) = counted_in(analysis, call)?;
    let step = only_step(variable, start)?;
    let advance = one_more(step.operand(0)?, variable)?;
    let header = loop_over_chunks(analysis, call, step)?;
    let first = header.first()?;
    let is_start = |value: Value| is_chunk_start(value, call, Some(variable));
    let (test, body, _) = only_test(analysis, header, is_start, |_, holds| tests_chunk(holds, call))?;
    let begins_clamped = analysis.dominates(call.instruction, *clamp_store)
        && analysis.dominates(*clamp_store, first)
        && analysis.dominates(start, first);
    let steps_after_each = directly_in(analysis, advance, header)
        && analysis.dominates(test, advance)
        && each_time_round(analysis, header, step);
    // A section that never ends, or ends the program, is no part of the loop that a copy is made of.
    let is_in_loop = |start: &Block| analysis.loop_contains(header, *start);
    if !begins_clamped || !steps_after_each {
        return None;
    }
    let mut chunks = Chunks::new(analysis, header, test, body, Chunk::Section { variable }, advance);
    chunks.starts = sections_in(body, variable, last).filter(|starts| starts.iter().all(is_in_loop))?;
    Some(chunks)
}

fn one_more(sum: Value, variable: Value) -> Option<Value> {
    let sum = Arithmetic::giving(sum).filter(|sum| sum.operation == Operation::Add)?;
    let loads = is_load_of(sum.left, variable) && sum.right.const_int() == Some(1);
    loads.then_some(sum.left)
}

/// The first blocks of sections 0 to `last`, each of which control comes to from the switch alone.
fn sections_in(body: Block, variable: Value, last: i64) -> Option<Vec<Block>> {
    let switch = body.terminator()?;
    if !is_load_of(switch.switch_condition()?, variable) {
        return None;
    }
    // The first of its ways is for what is no section.
    let ways = switch.successors();
    let (not_a_section, others) = ways.split_first()?;
    if i64::try_from(others.len()).ok()? != last.checked_add(1)? {
        return None;
    }
    let starts = (0..=last).map(|section| switch.case(section));
    let starts = starts.collect::<Option<Vec<Block>>>()?;
    let is_section = |start: &Block| start != not_a_section && start.predecessors() == [body];
    starts.iter().all(is_section).then_some(starts)
}
