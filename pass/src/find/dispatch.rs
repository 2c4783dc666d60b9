//! The calls of a loop whose chunks the runtime deals: the one that starts it, and the one that asks for chunks.

use rustc_hash::FxHashSet;

use super::init::{self, Call, Construct, Entry};
use super::paths::{CleanupDestinations, Go, follow};
use crate::llvm::{Value, only};
use crate::reason::Reason;
use crate::sched_type;

pub fn read(instruction: Value, entry: Entry) -> Result<Call, Reason> {
    let argument = |index| instruction.operand(index).ok_or(Reason::MalformedCall);
    let schedule = argument(2)?.const_int().ok_or(Reason::ScheduleNotConstant)? as u32;
    if !sched_type::is_dealt(schedule) {
        return Err(Reason::UnknownSchedule);
    }
    if argument(5)?.const_int() != Some(1) {
        return Err(Reason::IncrementNotOne);
    }
    let next = next_of(instruction, entry)?;
    // ident, gtid, is last, lower, upper, stride
    let pointer = |index| next.operand(index).ok_or(Reason::MalformedCall);
    Ok(Call {
        instruction,
        earlier: None,
        construct: Construct::For,
        marked: true,
        // The other kinds' call has a number in the chunk size's place that means nothing.
        chunked: matches!(
            sched_type::kind_without_order(schedule),
            sched_type::STATIC_CHUNKED | sched_type::DYNAMIC | sched_type::GUIDED | sched_type::GUIDED_SIMD
        ),
        entry,
        schedule,
        lower: pointer(3)?,
        upper: pointer(4)?,
        stride: pointer(5)?,
        chunk: argument(6)?.const_int(),
    })
}

/// The only call of `__kmpc_dispatch_next_*` that the start leads to, without one in between.
pub fn next_of(from: Value, entry: Entry) -> Result<Value, Reason> {
    let mut found = FxHashSet::default();
    follow(from, &CleanupDestinations::ignored(), |current| {
        if asks_for(current).is_none() && !init::starts_loop(current) {
            return Go::On;
        }
        found.insert(current);
        Go::Back
    });
    let next = only(found).filter(|&next| asks_for(next) == Some((entry.bits, entry.signed)));
    match next.ok_or(Reason::UnknownDispatchLoop)? {
        next if !next.is_call() => Err(Reason::Invoked),
        next if !takes_pointers(next) => Err(Reason::MalformedCall),
        next => Ok(next),
    }
}

fn takes_pointers(next: Value) -> bool {
    let is_pointer = |index| next.operand(index).is_some_and(Value::is_pointer);
    next.argument_count() == 6 && (2..6).all(is_pointer)
}

fn asks_for(instruction: Value) -> Option<(u32, bool)> {
    instruction.callee()?.with_name(|name| init::type_named(name.strip_prefix(b"__kmpc_dispatch_next_")?))
}
