//! The runtime's functions that start a loop, `__kmpc_for_static_init_*` and `__kmpc_dispatch_init_*`, and who calls them.

use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::LLVMGetCallSiteStringAttribute;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use ompchunk_abi::sched_type::{ChunkSize, Clause};
use rustc_hash::FxHashSet;

use crate::ffi::c_text;
use crate::llvm::{Value, users_of};

/// Call-site attribute: a second run of the plugin over the same module leaves the loop alone.
pub const DONE: &str = "ompchunk";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `__kmpc_dist_for_static_init_*` deals to teams and threads at once. (flang's `distribute parallel do`)
    pub combined: bool,
    pub dealt: bool,
    pub bits: u32,
    pub signed: bool,
}

const FAMILIES: [(&str, bool, bool); 3] = [
    ("__kmpc_for_static_init_", false, false),
    ("__kmpc_dist_for_static_init_", true, false),
    ("__kmpc_dispatch_init_", false, true),
];

pub const TYPES: [&str; 4] = ["4", "4u", "8", "8u"];

/// Their bits, and whether they are signed.
const WIDTHS: [(u32, bool); 4] = [(32, true), (32, false), (64, true), (64, false)];

pub fn type_named(name: &[u8]) -> Option<(u32, bool)> {
    TYPES.iter().position(|each| each.as_bytes() == name).map(|at| WIDTHS[at])
}

/// Functions in which loops may start.
pub fn functions_with_loops(module: LLVMModuleRef) -> FxHashSet<Value> {
    let names = FAMILIES.iter().flat_map(|family| TYPES.map(|name| format!("{}{name}", family.0)));
    users_of(module, names.map(|name| c_text(&name)))
}

pub fn entry_of(instruction: Value) -> Option<Entry> {
    instruction.callee()?.with_name(|name| {
        FAMILIES.iter().find_map(|&(family, combined, dealt)| {
            let (bits, signed) = type_named(name.strip_prefix(family.as_bytes())?)?;
            Some(Entry { combined, dealt, bits, signed })
        })
    })
}

/// Are its arguments as many and of the types as the runtime takes them? A module may declare it otherwise.
pub fn is_well_formed(call: Value, entry: Entry) -> bool {
    // ident, gtid, schedule, then in static loops: last flag, lower, upper, [team's upper,] stride; in dealt ones: first, last;
    // and increment and chunk.
    let (count, pointers) = match (entry.dealt, u32::from(entry.combined)) {
        (true, _) => (7, 3..3),
        (false, shift) => (9 + shift, 3..7 + shift),
    };
    let is_typed = |at, operand: Value| match at {
        1 | 2 => operand.integer_bits() == Some(32),
        at if at == 0 || pointers.contains(&at) => operand.is_pointer(),
        _ => operand.integer_bits() == Some(entry.bits),
    };
    call.argument_count() == count && (0..count).all(|at| call.operand(at).is_some_and(|operand| is_typed(at, operand)))
}

/// Does a loop start there, as compiled or as an earlier run of the plugin left it?
pub fn starts_loop(instruction: Value) -> bool {
    let calls_entry_point = || (instruction.is_call() || instruction.is_invoke()) && instruction.callee().is_none();
    entry_of(instruction).is_some() || calls_entry_point() && is_done(instruction)
}

pub fn called(call: Value) -> String {
    let name = call.callee().map(Value::name).unwrap_or_default();
    String::from_utf8_lossy(&name).into_owned()
}

pub fn is_done(call: Value) -> bool {
    // SAFETY: callers pass calls or invokes; the key is `DONE.len()` bytes long.
    !unsafe {
        LLVMGetCallSiteStringAttribute(call.raw(), LLVMAttributeFunctionIndex, DONE.as_ptr().cast(), DONE.len() as u32)
    }
    .is_null()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `for`: its iterations are dealt to the threads of a team.
    For,
    /// `distribute`: to the teams of a league.
    Distribute,
    /// `sections`: each iteration is a section.
    Sections,
}

pub struct Call {
    pub instruction: Value,
    /// Right before it: flang deals `distribute parallel do dist_schedule(static,c)` to threads, then to teams.
    pub earlier: Option<Value>,
    pub construct: Construct,
    /// Does `ident_t` say so? clang's own code generation always does, OpenMPIRBuilder never.
    pub marked: bool,
    pub chunked: bool,
    pub entry: Entry,
    /// `enum sched_type` with modifier bits.
    pub schedule: u32,
    /// Variables that the runtime fills in: at this call, or for a dealt chunk at the call that asks for it.
    pub lower: Value,
    pub upper: Value,
    pub stride: Value,
    pub chunk: Option<i64>,
}

impl Call {
    pub fn start(&self) -> Value {
        self.earlier.unwrap_or(self.instruction)
    }

    pub fn clause(&self) -> Clause {
        let chunk = match self.chunk {
            _ if !self.chunked => ChunkSize::None,
            Some(chunk) => ChunkSize::Known(chunk),
            None => ChunkSize::RunTime,
        };
        Clause { schedule: self.schedule, chunk }
    }
}
