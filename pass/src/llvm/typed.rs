//! From LLVM's pointers to inkwell's typed values, for who knows the type.

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::values::{IntValue, PointerValue};

use super::{Block, Value};

pub fn block<'ctx>(raw: LLVMBasicBlockRef) -> BasicBlock<'ctx> {
    // SAFETY: callers pass blocks of the module.
    unsafe { BasicBlock::new(raw) }.expect("LLVM returned no block")
}

pub fn own_block(raw: LLVMBasicBlockRef) -> Block {
    Block::new(raw).expect("LLVM returned no block")
}

pub fn value(raw: LLVMValueRef) -> Value {
    // SAFETY: callers pass values of the module.
    unsafe { Value::from_raw(raw) }.expect("LLVM built nothing")
}

pub fn int<'ctx>(value: Value) -> IntValue<'ctx> {
    // SAFETY: callers pass integers of the module.
    unsafe { IntValue::new(value.raw()) }
}

pub fn pointer<'ctx>(value: Value) -> PointerValue<'ctx> {
    // SAFETY: callers pass pointers of the module.
    unsafe { PointerValue::new(value.raw()) }
}

pub fn argument(call: Value, number: u32) -> Value {
    call.operand(number).expect("a call without its arguments")
}
