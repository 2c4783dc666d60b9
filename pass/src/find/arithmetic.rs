//! Sums, differences and products, whether or not they are checked for overflow.
//!
//! With `-ftrapv` and UBSan, the result is the first member of what `llvm.*.with.overflow` returns.

use inkwell::llvm_sys::LLVMOpcode;

use crate::llvm::Value;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Sub,
    Mul,
}

/// `left operation right`
#[derive(Clone, Copy)]
pub struct Arithmetic {
    pub operation: Operation,
    pub left: Value,
    pub right: Value,
    /// What the program uses of it.
    pub result: Value,
}

impl Arithmetic {
    /// What `result` is computed by.
    pub fn giving(result: Value) -> Option<Arithmetic> {
        // The pair's second member is the overflow bit, which is no number.
        let instruction = match result.is_extract_value() && result.integer_bits() != Some(1) {
            true => result.operand(0)?,
            false => result,
        };
        Some(Arithmetic {
            operation: operation(instruction)?,
            left: instruction.operand(0)?,
            right: instruction.operand(1)?,
            result,
        })
    }

    /// What `user`, which uses a number, does with it.
    pub fn read(user: Value) -> Option<Arithmetic> {
        if !user.is_intrinsic() {
            return Arithmetic::giving(user);
        }
        let mut members = user.users().into_iter();
        members.find_map(Arithmetic::giving)
    }
}

fn operation(instruction: Value) -> Option<Operation> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMAdd => Some(Operation::Add),
        LLVMOpcode::LLVMSub => Some(Operation::Sub),
        LLVMOpcode::LLVMMul => Some(Operation::Mul),
        LLVMOpcode::LLVMCall if instruction.argument_count() == 2 => instruction.callee()?.with_name(|name| {
            let name = name.strip_prefix(b"llvm.")?;
            let name = name.strip_prefix(b"s").or(name.strip_prefix(b"u"))?;
            let operations = [
                (&b"add.with.overflow."[..], Operation::Add),
                (b"sub.with.overflow.", Operation::Sub),
                (b"mul.with.overflow.", Operation::Mul),
            ];
            let mut named = operations.iter().filter(|(start, _)| name.starts_with(start));
            named.next().map(|(_, operation)| *operation)
        }),
        _ => None,
    }
}
