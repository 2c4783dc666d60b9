//! Reads one call of `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`: its arguments, checked.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;

use super::init::{Call, Construct, Entry, entry_of, is_well_formed};
use super::{dispatch, ident};
use crate::llvm::Value;
use crate::reason::Reason;
use crate::sched_type;

/// The call right before another, if both deal the same loop to threads and then to teams.
fn earlier(instruction: Value) -> Option<Value> {
    let before = instruction.previous()?;
    let entry = entry_of(before).filter(|entry| !entry.dealt && !entry.combined)?;
    let kind = |call: Value| Some(sched_type::kind(call.operand(2)?.const_int()? as u32));
    let is_same = |at| instruction.operand(at).is_some_and(|operand| before.operand(at) == Some(operand));
    let pairs = before.is_call()
        && entry_of(instruction) == Some(entry)
        && before.argument_count() == 9
        && instruction.argument_count() == 9
        && [0, 1, 3, 4, 5, 6, 7].into_iter().all(is_same)
        && matches!(kind(before)?, sched_type::STATIC | sched_type::STATIC_CHUNKED)
        && matches!(kind(instruction)?, sched_type::DISTRIBUTE | sched_type::DISTRIBUTE_CHUNKED);
    pairs.then_some(before)
}

pub fn is_dealt_again(instruction: Value) -> bool {
    instruction.next().is_some_and(|next| earlier(next) == Some(instruction))
}

impl Call {
    pub fn read(instruction: Value) -> Result<Call, Reason> {
        let entry = entry_of(instruction).ok_or(Reason::MalformedCall)?;
        let Some(earlier) = earlier(instruction) else { return Call::read_one(instruction, entry) };
        let of_threads = Call::read_one(earlier, entry)?;
        let of_teams = Call::read_one(instruction, entry)?;
        // The second call deals again what the first one dealt, in chunks of its own size.
        Ok(Call {
            instruction,
            earlier: Some(earlier),
            marked: of_threads.marked || of_teams.marked,
            chunked: of_threads.chunked || of_teams.chunked,
            chunk: of_teams.chunk.filter(|_| of_teams.chunked),
            schedule: if of_teams.chunked { of_teams.schedule } else { of_threads.schedule },
            ..of_threads
        })
    }

    fn read_one(instruction: Value, entry: Entry) -> Result<Call, Reason> {
        if !instruction.is_call() {
            return Err(Reason::Invoked);
        }
        if !is_well_formed(instruction, entry) {
            return Err(Reason::MalformedCall);
        }
        if entry.dealt {
            return dispatch::read(instruction, entry);
        }
        let shift = u32::from(entry.combined);
        let argument = |index| instruction.operand(index).ok_or(Reason::MalformedCall);

        let schedule = argument(2)?.const_int().ok_or(Reason::ScheduleNotConstant)? as u32;
        let (construct, chunked) = construct_of(schedule)?;
        let flags = ident::flags(argument(0)?).ok_or(Reason::UnknownIdent)?;
        let construct = match flags & ident::WORK_SECTIONS {
            0 => construct,
            _ if flags & ident::WORK_LOOP == 0 && (construct, chunked) == (Construct::For, false) => {
                Construct::Sections
            }
            _ => return Err(Reason::Sections),
        };
        let expected = match construct {
            Construct::For => ident::WORK_LOOP,
            Construct::Distribute => ident::WORK_DISTRIBUTE,
            Construct::Sections => ident::WORK_SECTIONS,
        };
        let (lower, upper, stride) = (argument(4)?, argument(5)?, argument(6 + shift)?);
        if !are_own_variables([lower, upper, stride], entry.bits) {
            return Err(Reason::BoundsNotLocal);
        }
        if argument(7 + shift)?.const_int() != Some(1) {
            return Err(Reason::IncrementNotOne);
        }
        let chunk = argument(8 + shift)?.const_int();
        Ok(Call {
            instruction,
            earlier: None,
            construct,
            marked: flags & expected != 0,
            chunked,
            entry,
            schedule,
            lower,
            upper,
            stride,
            chunk,
        })
    }
}

fn construct_of(schedule: u32) -> Result<(Construct, bool), Reason> {
    match sched_type::kind(schedule) {
        sched_type::STATIC_CHUNKED => Ok((Construct::For, true)),
        sched_type::STATIC => Ok((Construct::For, false)),
        sched_type::DISTRIBUTE_CHUNKED => Ok((Construct::Distribute, true)),
        sched_type::DISTRIBUTE => Ok((Construct::Distribute, false)),
        sched_type::STATIC_SIMD => Err(Reason::MiscompiledSimd),
        _ => Err(Reason::UnknownSchedule),
    }
}

fn are_own_variables(bounds: [Value; 3], bits: u32) -> bool {
    let [lower, upper, stride] = bounds;
    let are_three = lower != upper && upper != stride && lower != stride;
    are_three && bounds.iter().all(|&bound| is_local_of_width(bound, bits))
}

pub fn is_local_of_width(value: Value, bits: u32) -> bool {
    value.allocated_type().is_some_and(|allocated| {
        // SAFETY: a type of the module; the width is asked of integers only.
        unsafe {
            LLVMGetTypeKind(allocated) == LLVMTypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(allocated) == bits
        }
    })
}
