//! One call of `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`: its arguments, checked.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMTypeKind};

use super::dealt;
use crate::llvm::{Value, declares};
use crate::reason::Reason;
use crate::schedule;

/// Bits of `ident_t::flags`, libomp's `kmp.h`.
const IDENT_WORK_LOOP: i64 = 0x200;
const IDENT_WORK_SECTIONS: i64 = 0x400;
const IDENT_WORK_DISTRIBUTE: i64 = 0x800;

/// Call-site attribute on a call whose loop is instrumented: a second run of the plugin over the
/// same module leaves it alone.
pub const DONE: &str = "ompchunk";

/// One of the entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `__kmpc_dist_for_static_init_*`, which deals to teams and threads at once and takes the team's
    /// upper bound as one more argument. (flang's `distribute parallel do`)
    pub combined: bool,
    /// `__kmpc_dispatch_init_*`: the runtime deals the chunks.
    pub dealt: bool,
    /// Width of the logical iteration variable.
    pub bits: u32,
    /// Whether it is signed.
    pub signed: bool,
}

/// Which construct the loop belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `for`: its iterations are dealt to the threads of a team.
    For,
    /// `distribute`: to the teams of a league.
    Distribute,
}

/// A well-formed call for a loop.
pub struct Call {
    pub instruction: Value,
    /// Another call right before it, that deals the same loop. flang deals a `distribute parallel do` that has a
    /// chunk size in `dist_schedule` twice: to the threads of each team, and then what they got to the teams.
    pub earlier: Option<Value>,
    pub construct: Construct,
    /// Does `ident_t` say that this is such a loop? clang's own code generation says it always,
    /// OpenMPIRBuilder never.
    pub marked: bool,
    /// Is there a chunk size, and so a loop over chunks?
    pub chunked: bool,
    pub entry: Entry,
    /// `enum sched_type` with modifier bits.
    pub schedule: u32,
    /// The variables that the runtime fills in: at this call, or for a chunk that it deals at the call that
    /// asks for it.
    pub lower: Value,
    pub upper: Value,
    pub stride: Value,
    /// The chunk size, if constant.
    pub chunk: Option<i64>,
}

const fn entry(combined: bool, bits: u32, signed: bool) -> Entry {
    Entry {
        combined,
        dealt: false,
        bits,
        signed,
    }
}

const fn by_runtime(bits: u32, signed: bool) -> Entry {
    Entry {
        combined: false,
        dealt: true,
        bits,
        signed,
    }
}

const ENTRIES: [(&CStr, Entry); 12] = [
    (c"__kmpc_for_static_init_4", entry(false, 32, true)),
    (c"__kmpc_for_static_init_4u", entry(false, 32, false)),
    (c"__kmpc_for_static_init_8", entry(false, 64, true)),
    (c"__kmpc_for_static_init_8u", entry(false, 64, false)),
    (c"__kmpc_dist_for_static_init_4", entry(true, 32, true)),
    (c"__kmpc_dist_for_static_init_4u", entry(true, 32, false)),
    (c"__kmpc_dist_for_static_init_8", entry(true, 64, true)),
    (c"__kmpc_dist_for_static_init_8u", entry(true, 64, false)),
    (c"__kmpc_dispatch_init_4", by_runtime(32, true)),
    (c"__kmpc_dispatch_init_4u", by_runtime(32, false)),
    (c"__kmpc_dispatch_init_8", by_runtime(64, true)),
    (c"__kmpc_dispatch_init_8u", by_runtime(64, false)),
];

/// Can the module contain worksharing loops at all?
pub fn any_declared(module: LLVMModuleRef) -> bool {
    ENTRIES.iter().any(|(name, _)| declares(module, name))
}

/// The entry point an instruction calls or invokes, if it is one.
pub fn entry_of(instruction: Value) -> Option<Entry> {
    instruction.callee()?.with_name(|name| {
        let known = ENTRIES.iter().find(|(known, _)| known.to_bytes() == name);
        known.map(|&(_, entry)| entry)
    })
}

/// The entry point's name.
pub fn called(call: Value) -> String {
    let name = call.callee().map(Value::name).unwrap_or_default();
    String::from_utf8_lossy(&name).into_owned()
}

/// Was the loop of this call instrumented by an earlier run?
pub fn is_done(call: Value) -> bool {
    // SAFETY: callers pass calls or invokes; the key is `DONE.len()` bytes long.
    !unsafe {
        LLVMGetCallSiteStringAttribute(
            call.raw(),
            LLVMAttributeFunctionIndex,
            DONE.as_ptr().cast(),
            DONE.len() as u32,
        )
    }
    .is_null()
}

/// The call right before another, if both deal the same loop to threads and then to teams.
fn earlier(instruction: Value) -> Option<Value> {
    let before = instruction.previous()?;
    let entry = entry_of(before).filter(|entry| !entry.dealt && !entry.combined)?;
    let kind = |call: Value| Some(schedule::kind(call.operand(2)?.const_int()? as u32));
    let is_same = |at| {
        instruction
            .operand(at)
            .is_some_and(|it| before.operand(at) == Some(it))
    };
    let pairs = before.is_call()
        && entry_of(instruction) == Some(entry)
        && before.argument_count() == 9
        && instruction.argument_count() == 9
        && [0, 1, 3, 4, 5, 6, 7].into_iter().all(is_same)
        && matches!(kind(before)?, schedule::STATIC | schedule::STATIC_CHUNKED)
        && matches!(
            kind(instruction)?,
            schedule::DISTRIBUTE | schedule::DISTRIBUTE_CHUNKED
        );
    pairs.then_some(before)
}

/// Is it the first of two that deal the same loop?
pub fn is_dealt_again(instruction: Value) -> bool {
    instruction
        .next()
        .is_some_and(|next| earlier(next) == Some(instruction))
}

impl Call {
    /// Where the loop starts.
    pub fn start(&self) -> Value {
        self.earlier.unwrap_or(self.instruction)
    }

    pub fn read(instruction: Value) -> Result<Call, Reason> {
        let entry = entry_of(instruction).ok_or(Reason::MalformedCall)?;
        let Some(earlier) = earlier(instruction) else {
            return Call::read_one(instruction, entry);
        };
        let of_threads = Call::read_one(earlier, entry)?;
        let of_teams = Call::read_one(instruction, entry)?;
        // The second call deals again what the first one dealt, in chunks of its own size.
        Ok(Call {
            instruction,
            earlier: Some(earlier),
            marked: of_threads.marked || of_teams.marked,
            chunked: of_threads.chunked || of_teams.chunked,
            chunk: of_teams.chunk.filter(|_| of_teams.chunked),
            schedule: match of_teams.chunked {
                true => of_teams.schedule,
                false => of_threads.schedule,
            },
            ..of_threads
        })
    }

    fn read_one(instruction: Value, entry: Entry) -> Result<Call, Reason> {
        if !instruction.is_call() {
            return Err(Reason::Invoked);
        }
        if entry.dealt {
            return dealt::read(instruction, entry);
        }
        // ident, gtid, schedule, last flag, lower, upper, [team's upper,] stride, increment, chunk
        let shift = u32::from(entry.combined);
        if instruction.argument_count() != 9 + shift {
            return Err(Reason::MalformedCall);
        }
        let argument = |index| instruction.operand(index).ok_or(Reason::MalformedCall);

        let schedule = argument(2)?
            .const_int()
            .ok_or(Reason::ScheduleNotConstant)? as u32;
        let (construct, chunked) = match schedule::kind(schedule) {
            schedule::STATIC_CHUNKED => (Construct::For, true),
            schedule::STATIC => (Construct::For, false),
            schedule::DISTRIBUTE_CHUNKED => (Construct::Distribute, true),
            schedule::DISTRIBUTE => (Construct::Distribute, false),
            schedule::STATIC_BALANCED_CHUNKED => return Err(Reason::MiscompiledSimd),
            _ => return Err(Reason::UnknownSchedule),
        };

        let flags = ident_flags(argument(0)?).ok_or(Reason::UnknownIdent)?;
        if flags & IDENT_WORK_SECTIONS != 0 {
            return Err(Reason::Sections);
        }
        let expected = match construct {
            Construct::For => IDENT_WORK_LOOP,
            Construct::Distribute => IDENT_WORK_DISTRIBUTE,
        };
        let (lower, upper, stride) = (argument(4)?, argument(5)?, argument(6 + shift)?);
        if lower == upper || upper == stride || lower == stride {
            return Err(Reason::BoundsNotLocal);
        }
        for bound in [lower, upper, stride] {
            if !is_local_of_width(bound, entry.bits) {
                return Err(Reason::BoundsNotLocal);
            }
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

fn is_local_of_width(value: Value, bits: u32) -> bool {
    value.allocated_type().is_some_and(|allocated| {
        // SAFETY: a type of the module; the width is asked of integers only.
        unsafe {
            LLVMGetTypeKind(allocated) == LLVMTypeKind::LLVMIntegerTypeKind
                && LLVMGetIntTypeWidth(allocated) == bits
        }
    })
}

/// Second field of a constant `ident_t`.
pub fn ident_flags(ident: Value) -> Option<i64> {
    // SAFETY: asked to be a global variable with an initializer before it is read as one.
    let initializer = unsafe {
        if LLVMIsAGlobalVariable(ident.raw()).is_null() || LLVMIsGlobalConstant(ident.raw()) == 0 {
            return None;
        }
        Value::from_raw(LLVMGetInitializer(ident.raw()))?
    };
    initializer.operand(1)?.const_int()
}
