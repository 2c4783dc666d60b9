//! One call of `__kmpc_for_static_init_*`: its arguments, checked.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMTypeKind};

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

/// One of the four entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
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

/// A well-formed call for a static loop.
pub struct Call {
    pub instruction: Value,
    pub construct: Construct,
    /// Is there a chunk size, and so a loop over chunks?
    pub chunked: bool,
    pub entry: Entry,
    /// `enum sched_type` with modifier bits.
    pub schedule: u32,
    pub lower: Value,
    pub upper: Value,
    pub stride: Value,
    /// The chunk size, if constant.
    pub chunk: Option<i64>,
}

const ENTRIES: [(&std::ffi::CStr, Entry); 4] = [
    (
        c"__kmpc_for_static_init_4",
        Entry {
            bits: 32,
            signed: true,
        },
    ),
    (
        c"__kmpc_for_static_init_4u",
        Entry {
            bits: 32,
            signed: false,
        },
    ),
    (
        c"__kmpc_for_static_init_8",
        Entry {
            bits: 64,
            signed: true,
        },
    ),
    (
        c"__kmpc_for_static_init_8u",
        Entry {
            bits: 64,
            signed: false,
        },
    ),
];

/// Can the module contain static loops at all?
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

impl Call {
    pub fn read(instruction: Value) -> Result<Call, Reason> {
        let entry = entry_of(instruction).ok_or(Reason::MalformedCall)?;
        if !instruction.is_call() {
            return Err(Reason::Invoked);
        }
        // ident, gtid, schedule, last flag, lower, upper, stride, increment, chunk
        if instruction.argument_count() != 9 {
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
        if flags & expected == 0 {
            return Err(Reason::NotMarkedAsLoop);
        }

        let (lower, upper, stride) = (argument(4)?, argument(5)?, argument(6)?);
        if lower == upper || upper == stride || lower == stride {
            return Err(Reason::BoundsNotLocal);
        }
        for bound in [lower, upper, stride] {
            if !is_local_of_width(bound, entry.bits) {
                return Err(Reason::BoundsNotLocal);
            }
        }
        if argument(7)?.const_int() != Some(1) {
            return Err(Reason::IncrementNotOne);
        }
        let chunk = argument(8)?.const_int();
        Ok(Call {
            instruction,
            construct,
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
fn ident_flags(ident: Value) -> Option<i64> {
    // SAFETY: asked to be a global variable with an initializer before it is read as one.
    let initializer = unsafe {
        if LLVMIsAGlobalVariable(ident.raw()).is_null() || LLVMIsGlobalConstant(ident.raw()) == 0 {
            return None;
        }
        Value::from_raw(LLVMGetInitializer(ident.raw()))?
    };
    initializer.operand(1)?.const_int()
}
