//! Thin handles over LLVM-C for reading IR: inkwell's typed values panic on metadata operands and
//! tokens, which real modules contain.
//!
//! SAFETY, for every block in this file: a [`Value`] or [`Block`] is only made from a pointer that
//! LLVM returned for the module being processed ([`Value::from_raw`] is where others enter), the
//! pass holds that module exclusively, and it deletes nothing but terminators it replaces on the
//! spot. LLVM-C does not check casts in release builds, so each accessor that casts first asks the
//! matching `LLVMIsA…`.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use crate::ffi;

mod analysis;
mod linkage;

pub use analysis::Analysis;
pub use analysis::Argument;
pub use analysis::Fills;
pub use linkage::{body_is_what_runs, is_library_function, is_local, is_shared};

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
        is_phi => LLVMIsAPHINode,
        is_select => LLVMIsASelectInst,
        is_icmp => LLVMIsAICmpInst,
        is_branch => LLVMIsABranchInst,
        is_instruction => LLVMIsAInstruction,
        is_function => LLVMIsAFunction,
        is_inline_assembly => LLVMIsAInlineAsm,
        is_intrinsic => LLVMIsAIntrinsicInst,
        is_extract_value => LLVMIsAExtractValueInst,
    }

    pub fn opcode(self) -> Option<LLVMOpcode> {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction().then(|| unsafe { LLVMGetInstructionOpcode(self.0) })
    }

    /// Does it extend an integer?
    pub fn is_extension(self) -> bool {
        matches!(self.opcode(), Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt))
    }

    pub fn operand(self, index: u32) -> Option<Value> {
        // SAFETY: see the module; the index is checked.
        unsafe {
            if LLVMIsAUser(self.0).is_null() || i64::from(index) >= i64::from(LLVMGetNumOperands(self.0)) {
                return None;
            }
            Value::from_raw(LLVMGetOperand(self.0, index))
        }
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

    /// Sign-extended value of an integer constant of at most 64 bits.
    pub fn const_int(self) -> Option<i64> {
        // SAFETY: see the module; asked to be a ConstantInt first.
        unsafe {
            if LLVMIsAConstantInt(self.0).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) > 64 {
                return None;
            }
            Some(LLVMConstIntGetSExtValue(self.0))
        }
    }

    /// Width of an integer.
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

    /// The type that an `alloca` reserves.
    pub fn allocated_type(self) -> Option<LLVMTypeRef> {
        // SAFETY: see the module; asked to be an alloca first.
        self.is_alloca().then(|| unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn block(self) -> Option<Block> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: see the module; asked to be an instruction first.
        Block::new(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn next(self) -> Option<Value> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: see the module; asked to be an instruction first.
        unsafe { Value::from_raw(LLVMGetNextInstruction(self.0)) }
    }

    pub fn previous(self) -> Option<Value> {
        // SAFETY: see the module; asked to be an instruction first.
        unsafe { self.is_instruction().then(|| Value::from_raw(LLVMGetPreviousInstruction(self.0))).flatten() }
    }

    /// The function a call names, if it names one.
    pub fn callee(self) -> Option<Value> {
        // SAFETY: see the module; LLVMGetCalledValue takes calls, invokes and callbrs only.
        unsafe {
            if LLVMIsACallInst(self.0).is_null() && LLVMIsAInvokeInst(self.0).is_null() {
                return None;
            }
            let called = LLVMGetCalledValue(self.0);
            if LLVMIsAFunction(called).is_null() { None } else { Value::from_raw(called) }
        }
    }

    pub fn is_invoke(self) -> bool {
        // SAFETY: see the module.
        !unsafe { LLVMIsAInvokeInst(self.0) }.is_null()
    }

    /// May it run code that stands elsewhere? Intrinsics do not.
    pub fn calls_out(self) -> bool {
        // SAFETY: see the module.
        let other = unsafe { !LLVMIsACallBrInst(self.0).is_null() };
        (self.is_call() && !self.is_intrinsic()) || self.is_invoke() || other
    }

    /// May control come back from it a second time, as from `setjmp`?
    pub fn returns_twice(self) -> bool {
        // SAFETY: see the module.
        self.is_instruction() && unsafe { ffi::oc_returns_twice(self.0) } != 0
    }

    /// A parameter of a function.
    pub fn parameter(self, index: u32) -> Option<Value> {
        // SAFETY: see the module; asked to be a function, and the index below its count.
        unsafe {
            if LLVMIsAFunction(self.0).is_null() || index >= LLVMCountParams(self.0) {
                return None;
            }
            Value::from_raw(LLVMGetParam(self.0, index))
        }
    }

    /// Does an instruction use thread-local memory?
    pub fn names_thread_local(self) -> bool {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction() && unsafe { ffi::oc_names_thread_local(self.0) } != 0
    }

    /// Does the loop that a terminator closes say that its iterations may run at the same time?
    pub fn accesses_are_parallel(self) -> bool {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction() && unsafe { ffi::oc_accesses_are_parallel(self.0) } != 0
    }

    /// Does the user want the loop vectorized that a terminator closes?
    pub fn vectorize_wanted(self) -> bool {
        // SAFETY: see the module; asked to be an instruction first.
        self.is_instruction() && unsafe { ffi::oc_vectorize_wanted(self.0) } != 0
    }

    /// Bits of `ffi` that say how exact its result is.
    pub fn numerics(self) -> u32 {
        match self.is_instruction() {
            // SAFETY: see the module; asked to be an instruction first.
            true => unsafe { ffi::oc_numerics(self.0) },
            false => 0,
        }
    }

    pub fn argument_count(self) -> u32 {
        if !self.is_call() && !self.is_invoke() {
            return 0;
        }
        // SAFETY: see the module; asked to be a call first.
        unsafe { LLVMGetNumArgOperands(self.0) }
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

    /// Is the load or store neither volatile nor atomic?
    pub fn is_simple_access(self) -> bool {
        if !self.is_load() && !self.is_store() {
            return false;
        }
        // SAFETY: see the module; asked to be a load or store first.
        unsafe {
            LLVMGetVolatile(self.0) == 0
                && LLVMGetOrdering(self.0) == inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        }
    }

    /// The address that a simple load reads.
    pub fn loaded_from(self) -> Option<Value> {
        if self.is_load() && self.is_simple_access() { self.operand(0) } else { None }
    }

    /// Successors of a terminator, in the order LLVM numbers them.
    pub fn successors(self) -> Vec<Block> {
        // SAFETY: see the module; only asked of terminators.
        unsafe {
            if !self.is_instruction() || LLVMIsATerminatorInst(self.0).is_null() {
                return Vec::new();
            }
            (0..LLVMGetNumSuccessors(self.0)).filter_map(|index| Block::new(LLVMGetSuccessor(self.0, index))).collect()
        }
    }

    /// How a comparison of integers compares.
    pub fn predicate(self) -> Option<LLVMIntPredicate> {
        // SAFETY: see the module; asked to be a comparison first.
        self.is_icmp().then(|| unsafe { LLVMGetICmpPredicate(self.0) })
    }

    /// Condition of a conditional branch.
    pub fn branch_condition(self) -> Option<Value> {
        // SAFETY: see the module; asked to be a conditional branch first.
        unsafe {
            if !self.is_branch() || LLVMIsConditional(self.0) == 0 {
                return None;
            }
            Value::from_raw(LLVMGetCondition(self.0))
        }
    }

    /// What a switch switches on.
    pub fn switch_condition(self) -> Option<Value> {
        // SAFETY: see the module; asked to be a switch first.
        unsafe { !LLVMIsASwitchInst(self.0).is_null() }.then(|| self.operand(0)).flatten()
    }

    /// Where a switch leads if its condition is this constant, sign-extended.
    pub fn case(self, constant: i64) -> Option<Block> {
        self.switch_condition()?.integer_bits().filter(|&bits| bits <= 64)?;
        // SAFETY: see the module; a switch on an integer of at most 64 bits.
        Block::new(unsafe { ffi::oc_switch_target(self.0, constant) })
    }

    /// Incoming values and blocks of a PHI.
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

    /// The function it is part of.
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
        // SAFETY: see the module; the second call writes at most what the first one counted.
        unsafe {
            let count = ffi::oc_predecessors(self.0, std::ptr::null_mut(), 0);
            let mut blocks = vec![std::ptr::null_mut(); count];
            ffi::oc_predecessors(self.0, blocks.as_mut_ptr(), count);
            blocks.into_iter().filter_map(Block::new).collect()
        }
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        std::iter::successors(self.first(), |value| value.next())
    }
}

/// Blocks of a function, in order.
pub fn blocks(function: Value) -> impl Iterator<Item = Block> {
    // SAFETY: see the module; only asked of functions.
    let first = Block::new(unsafe { LLVMGetFirstBasicBlock(function.raw()) });
    std::iter::successors(first, |block| {
        // SAFETY: see the module.
        Block::new(unsafe { LLVMGetNextBasicBlock(block.raw()) })
    })
}

/// Functions of a module, in order; those appended meanwhile come last.
pub fn functions(module: LLVMModuleRef) -> impl Iterator<Item = Value> {
    // SAFETY: the module is the one being processed.
    let first = unsafe { Value::from_raw(LLVMGetFirstFunction(module)) };
    // SAFETY: see the module.
    std::iter::successors(first, |function| unsafe { Value::from_raw(LLVMGetNextFunction(function.raw())) })
}

/// Does the module declare a function of that name?
pub fn declares(module: LLVMModuleRef, name: &std::ffi::CStr) -> bool {
    // SAFETY: the module is the one being processed.
    !unsafe { LLVMGetNamedFunction(module, name.as_ptr()) }.is_null()
}

/// Are the lines of this function counted?
pub fn counts_lines(function: Value) -> bool {
    // SAFETY: a function of the module.
    unsafe { ffi::oc_lines_are_counted(function.raw()) != 0 }
}
