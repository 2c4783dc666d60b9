//! Thin handles over LLVM-C for reading IR: inkwell's typed values panic on metadata operands and tokens.
//!
//! SAFETY, for every block in this file: a [`Value`] or [`Block`] is only made from a pointer that
//! LLVM returned for the module being processed ([`Value::from_raw`] is where others enter), the
//! pass holds that module exclusively, and it deletes nothing but terminators it replaces on the
//! spot. LLVM-C does not check casts in release builds, so each accessor that casts first asks the
//! matching `LLVMIsA…`.

use std::ffi::{CStr, CString};
use std::hash::Hash;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};
use rustc_hash::FxHashSet;

use crate::ffi;

mod analysis;
pub mod typed;

pub use analysis::{Analysis, Argument, Fills};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(LLVMValueRef);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(LLVMBasicBlockRef);

macro_rules! is_a {
    ($($name:ident => $llvm:ident),* $(,)?) => {
        $(pub fn $name(self) -> bool {
            // SAFETY: see the module.
            !unsafe { $llvm(self.0) }.is_null()
        })*
    };
}

/// Questions about a kind of values that the glue answers; of others the answer is no.
macro_rules! asks {
    ($kind:ident: $($(#[$about:meta])* $name:ident => $glue:ident,)*) => {
        $($(#[$about])*
        pub fn $name(self) -> bool {
            // SAFETY: see the module; asked to be one of that kind first.
            self.$kind() && unsafe { ffi::$glue(self.0) } != 0
        })*
    };
}

impl Value {
    /// # Safety
    /// `raw` is null or a value of the module being processed.
    pub unsafe fn from_raw(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    pub fn raw(self) -> LLVMValueRef {
        self.0
    }

    is_a! {
        is_alloca => LLVMIsAAllocaInst,
        is_load => LLVMIsALoadInst,
        is_store => LLVMIsAStoreInst,
        is_call => LLVMIsACallInst,
        is_invoke => LLVMIsAInvokeInst,
        is_phi => LLVMIsAPHINode,
        is_select => LLVMIsASelectInst,
        is_icmp => LLVMIsAICmpInst,
        is_branch => LLVMIsABranchInst,
        is_switch => LLVMIsASwitchInst,
        is_instruction => LLVMIsAInstruction,
        is_function => LLVMIsAFunction,
        is_inline_assembly => LLVMIsAInlineAsm,
        is_intrinsic => LLVMIsAIntrinsicInst,
        is_extract_value => LLVMIsAExtractValueInst,
        is_variable => LLVMIsAGlobalVariable,
        is_user => LLVMIsAUser,
        is_constant_int => LLVMIsAConstantInt,
        is_terminator => LLVMIsATerminatorInst,
    }

    asks! { is_instruction:
        /// May control come back from it a second time, as from `setjmp`?
        returns_twice => oc_returns_twice,
        names_thread_local => oc_names_thread_local,
        accesses_are_parallel => oc_accesses_are_parallel,
        vectorize_wanted => oc_vectorize_wanted,
        /// Is it inline assembly that names a register of which each thread has its own value, beside those that it computes with?
        is_assembly_of_threads => oc_is_assembly_of_threads,
    }

    asks! { is_function:
        counts_lines => oc_lines_are_counted,
        body_is_what_runs => oc_body_is_what_runs,
        is_local => oc_is_local,
        /// May all its operations be reordered?
        is_unsafe => oc_is_unsafe,
        /// May its code fuse products and sums?
        fuses => oc_fuses,
    }

    pub fn has_body(self) -> bool {
        blocks(self).next().is_some()
    }

    pub fn opcode(self) -> Option<LLVMOpcode> {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction().then(|| unsafe { LLVMGetInstructionOpcode(self.0) })
    }

    pub fn is_extension(self) -> bool {
        matches!(self.opcode(), Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt))
    }

    pub fn operand(self, index: u32) -> Option<Value> {
        // SAFETY: see the module; asked to be a user, and the index below its count.
        unsafe {
            let is_one = self.is_user() && i64::from(index) < i64::from(LLVMGetNumOperands(self.0));
            is_one.then(|| Value::from_raw(LLVMGetOperand(self.0, index))).flatten()
        }
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..).map_while(move |index| self.operand(index))
    }

    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        // SAFETY: see the module; the use list is not changed while it is walked.
        unsafe {
            let mut the_use = LLVMGetFirstUse(self.0);
            while !the_use.is_null() {
                users.extend(Value::from_raw(LLVMGetUser(the_use)));
                the_use = LLVMGetNextUse(the_use);
            }
        }
        users
    }

    pub fn only_user(self) -> Option<Value> {
        only(self.users())
    }

    /// Sign-extended value of an integer constant of at most 64 bits.
    pub fn const_int(self) -> Option<i64> {
        let is_one = self.is_constant_int() && self.integer_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: see the module; asked to be a ConstantInt first.
        is_one.then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    pub fn integer_bits(self) -> Option<u32> {
        // SAFETY: see the module; the width is asked of integer types only.
        unsafe {
            let of_type = LLVMTypeOf(self.0);
            let integer = LLVMGetTypeKind(of_type) == LLVMTypeKind::LLVMIntegerTypeKind;
            integer.then(|| LLVMGetIntTypeWidth(of_type))
        }
    }

    pub fn is_pointer(self) -> bool {
        // SAFETY: see the module.
        unsafe { LLVMGetTypeKind(LLVMTypeOf(self.0)) == LLVMTypeKind::LLVMPointerTypeKind }
    }

    pub fn allocated_type(self) -> Option<LLVMTypeRef> {
        // SAFETY: see the module; asked to be an alloca first.
        self.is_alloca().then(|| unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn block(self) -> Option<Block> {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction().then(|| Block::new(unsafe { LLVMGetInstructionParent(self.0) })).flatten()
    }

    pub fn next(self) -> Option<Value> {
        // SAFETY: see the module; asked to be an instruction first.
        unsafe { self.is_instruction().then(|| Value::from_raw(LLVMGetNextInstruction(self.0))).flatten() }
    }

    pub fn and_next(self) -> impl Iterator<Item = Value> {
        std::iter::successors(Some(self), |value| value.next())
    }

    pub fn previous(self) -> Option<Value> {
        // SAFETY: see the module; asked to be an instruction first.
        unsafe { self.is_instruction().then(|| Value::from_raw(LLVMGetPreviousInstruction(self.0))).flatten() }
    }

    pub fn callee(self) -> Option<Value> {
        // SAFETY: see the module; the glue asks what it is.
        unsafe { Value::from_raw(ffi::oc_callee(self.0)) }
    }

    /// Does it call a function of one of these names? (See [`is_one_of`].)
    pub fn calls(self, names: &[&[u8]]) -> bool {
        self.callee().is_some_and(|callee| callee.with_name(|name| is_one_of(name, names)))
    }

    pub fn is_lifetime(self) -> bool {
        self.calls(&[b"llvm.lifetime.*"])
    }

    /// May it run code that stands elsewhere? Intrinsics do not.
    pub fn calls_out(self) -> bool {
        // SAFETY: see the module; the glue asks what it is.
        unsafe { ffi::oc_calls_out(self.0) != 0 }
    }

    pub fn parameter(self, index: u32) -> Option<Value> {
        // SAFETY: see the module; asked to be a function, and the index below its count.
        unsafe {
            if LLVMIsAFunction(self.0).is_null() || index >= LLVMCountParams(self.0) {
                return None;
            }
            Value::from_raw(LLVMGetParam(self.0, index))
        }
    }

    /// Bits of `ffi` that say how exact its result is.
    pub fn numerics(self) -> u32 {
        // SAFETY: see the module; only asked of instructions.
        unsafe { ffi::oc_numerics(self.0) }
    }

    pub fn argument_count(self) -> u32 {
        let is_call = self.is_call() || self.is_invoke();
        // SAFETY: see the module; asked to be a call first.
        if is_call { unsafe { LLVMGetNumArgOperands(self.0) } } else { 0 }
    }

    pub fn name(self) -> Vec<u8> {
        self.with_name(<[u8]>::to_vec)
    }

    /// Looks at the name without copying it: modules have many calls.
    pub fn with_name<T>(self, look: impl FnOnce(&[u8]) -> T) -> T {
        let mut length = 0;
        // SAFETY: see the module; LLVM returns `length` bytes that live as long as the value's name,
        // which nothing changes while `look` runs.
        look(unsafe {
            let bytes = LLVMGetValueName2(self.0, &mut length);
            std::slice::from_raw_parts(bytes.cast::<u8>(), length)
        })
    }

    pub fn is_simple_access(self) -> bool {
        use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        let is_access = self.is_load() || self.is_store();
        // SAFETY: see the module; asked to be a load or store first.
        is_access && unsafe { LLVMGetVolatile(self.0) == 0 && LLVMGetOrdering(self.0) == LLVMAtomicOrderingNotAtomic }
    }

    /// The address that a simple load reads.
    pub fn loaded_from(self) -> Option<Value> {
        if self.is_load() && self.is_simple_access() { self.operand(0) } else { None }
    }

    pub fn stored(self) -> Option<Value> {
        if self.is_store() { self.operand(0) } else { None }
    }

    pub fn stored_to(self) -> Option<Value> {
        if self.is_store() { self.operand(1) } else { None }
    }

    /// Is it a store to a variable, of something else than its address?
    pub fn writes_to(self, variable: Value) -> bool {
        self.stored_to() == Some(variable) && self.stored() != Some(variable)
    }

    /// Successors of a terminator, in the order LLVM numbers them.
    pub fn successors(self) -> Vec<Block> {
        if !self.is_terminator() {
            return Vec::new();
        }
        // SAFETY: see the module; asked to be a terminator, and indices below its count.
        let successor = |index| Block::new(unsafe { LLVMGetSuccessor(self.0, index) });
        // SAFETY: as above.
        (0..unsafe { LLVMGetNumSuccessors(self.0) }).filter_map(successor).collect()
    }

    pub fn predicate(self) -> Option<LLVMIntPredicate> {
        // SAFETY: see the module; asked to be a comparison first.
        self.is_icmp().then(|| unsafe { LLVMGetICmpPredicate(self.0) })
    }

    pub fn branch_condition(self) -> Option<Value> {
        // SAFETY: see the module; asked to be a conditional branch first.
        unsafe {
            if !self.is_branch() || LLVMIsConditional(self.0) == 0 {
                return None;
            }
            Value::from_raw(LLVMGetCondition(self.0))
        }
    }

    pub fn switch_condition(self) -> Option<Value> {
        if self.is_switch() { self.operand(0) } else { None }
    }

    /// Where a switch leads if its condition is this constant, sign-extended.
    pub fn case(self, constant: i64) -> Option<Block> {
        self.switch_condition()?.integer_bits().filter(|&bits| bits <= 64)?;
        // SAFETY: see the module; a switch on an integer of at most 64 bits.
        Block::new(unsafe { ffi::oc_switch_target(self.0, constant) })
    }

    pub fn incoming(self) -> Vec<(Value, Block)> {
        if !self.is_phi() {
            return Vec::new();
        }
        // SAFETY: see the module; asked to be a PHI first, indices below its count.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .filter_map(|index| {
                    Some((
                        Value::from_raw(LLVMGetIncomingValue(self.0, index))?,
                        Block::new(LLVMGetIncomingBlock(self.0, index))?,
                    ))
                })
                .collect()
        }
    }
}

impl Block {
    pub fn new(raw: LLVMBasicBlockRef) -> Option<Block> {
        (!raw.is_null()).then_some(Block(raw))
    }

    pub fn raw(self) -> LLVMBasicBlockRef {
        self.0
    }

    pub fn function(self) -> Option<Value> {
        // SAFETY: see the module.
        unsafe { Value::from_raw(LLVMGetBasicBlockParent(self.0)) }
    }

    pub fn first(self) -> Option<Value> {
        // SAFETY: see the module.
        unsafe { Value::from_raw(LLVMGetFirstInstruction(self.0)) }
    }

    pub fn terminator(self) -> Option<Value> {
        // SAFETY: see the module.
        unsafe { Value::from_raw(LLVMGetBasicBlockTerminator(self.0)) }
    }

    pub fn successors(self) -> Vec<Block> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    pub fn predecessors(self) -> Vec<Block> {
        // SAFETY: see the module; the glue writes at most what there is room for.
        collected(|out, capacity| unsafe { ffi::oc_predecessors(self.0, out, capacity) })
    }

    /// By blocks of nothing but a jump. clang has one such block before the end of a loop.
    pub fn leads_only_to(self, to: Block) -> bool {
        let next = |block: &Block| match (block.first() == block.terminator(), &block.successors()[..]) {
            (true, &[next]) => Some(next),
            _ => None,
        };
        std::iter::successors(Some(self), next).take(4).any(|block| block == to)
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        // SAFETY: see the module; all of them are instructions.
        std::iter::successors(self.first(), |value| unsafe { Value::from_raw(LLVMGetNextInstruction(value.0)) })
    }
}

fn collected(write: impl Fn(*mut LLVMBasicBlockRef, usize) -> usize) -> Vec<Block> {
    let mut blocks = vec![std::ptr::null_mut(); write(std::ptr::null_mut(), 0)];
    write(blocks.as_mut_ptr(), blocks.len());
    blocks.into_iter().filter_map(Block::new).collect()
}

pub fn only<T>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = all.into_iter();
    all.next().filter(|_| all.next().is_none())
}

/// Is a user of a value, or of what is followed from it, not followed? `next` says what else is; none: it is not.
pub fn leads_astray(first: Value, mut next: impl FnMut(Value, Value) -> Option<Vec<Value>>) -> bool {
    let mut open = vec![first];
    let mut known = FxHashSet::from_iter([first]);
    while let Some(value) = open.pop() {
        for user in value.users() {
            let Some(more) = next(value, user) else { return true };
            open.extend(more.into_iter().filter(|value| known.insert(*value)));
        }
    }
    false
}

pub fn reached<T: Copy + Eq + Hash>(first: impl IntoIterator<Item = T>, next: impl Fn(T) -> Vec<T>) -> FxHashSet<T> {
    let mut known: FxHashSet<T> = first.into_iter().collect();
    let mut open: Vec<T> = known.iter().copied().collect();
    while let Some(one) = open.pop() {
        open.extend(next(one).into_iter().filter(|next| known.insert(*next)));
    }
    known
}

/// Is a name one of these? In the place of a name its beginning may stand, with a `*`.
pub fn is_one_of(name: &[u8], names: &[&[u8]]) -> bool {
    let is = |one: &[u8]| match one.strip_suffix(b"*") {
        Some(beginning) => name.starts_with(beginning),
        None => one == name,
    };
    // Asked of each call in a module: most differ in the first byte.
    names.iter().any(|one| one.first() == name.first() && is(one))
}

pub fn blocks(function: Value) -> impl Iterator<Item = Block> {
    // SAFETY: see the module; only asked of functions.
    let first = Block::new(unsafe { LLVMGetFirstBasicBlock(function.raw()) });
    std::iter::successors(first, |block| {
        // SAFETY: see the module.
        Block::new(unsafe { LLVMGetNextBasicBlock(block.raw()) })
    })
}

pub fn instructions(function: Value) -> impl Iterator<Item = Value> {
    blocks(function).flat_map(Block::instructions)
}

/// Functions of a module, in order; those appended meanwhile come last.
pub fn functions(module: LLVMModuleRef) -> impl Iterator<Item = Value> {
    // SAFETY: the module is the one being processed.
    let first = unsafe { Value::from_raw(LLVMGetFirstFunction(module)) };
    // SAFETY: see the module.
    std::iter::successors(first, |function| unsafe { Value::from_raw(LLVMGetNextFunction(function.raw())) })
}

/// Functions that use functions of these names.
pub fn users_of(module: LLVMModuleRef, names: impl IntoIterator<Item = CString>) -> FxHashSet<Value> {
    // SAFETY: the module is the one being processed.
    let named = |name: CString| unsafe { Value::from_raw(LLVMGetNamedFunction(module, name.as_ptr())) };
    let uses = names.into_iter().filter_map(named).flat_map(Value::users);
    uses.filter_map(Value::block).filter_map(Block::function).collect()
}

pub fn declares(module: LLVMModuleRef, name: &CStr) -> bool {
    // SAFETY: the module is the one being processed.
    !unsafe { LLVMGetNamedFunction(module, name.as_ptr()) }.is_null()
}
