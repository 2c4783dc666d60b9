//! Comparisons, turned the way their reader wants them.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::ffi;
use crate::find::init::Entry;
use crate::llvm::Value;

#[derive(Clone, Copy)]
pub struct Comparison {
    pub left: Value,
    pub right: Value,
    predicate: LLVMIntPredicate,
}

impl Comparison {
    pub fn read(condition: Value) -> Option<Comparison> {
        Some(Comparison {
            left: condition.operand(0)?,
            right: condition.operand(1)?,
            predicate: condition.predicate()?,
        })
    }

    fn mirrored(self) -> Comparison {
        // SAFETY: a predicate of integers.
        Comparison { left: self.right, right: self.left, predicate: unsafe { ffi::oc_mirrored(self.predicate) } }
    }

    pub fn with_left(self, wanted: impl Fn(Value) -> bool) -> Option<Comparison> {
        [self, self.mirrored()].into_iter().find(|comparison| wanted(comparison.left))
    }

    /// What a branch on `condition` makes known where it holds, or does not; with a wanted operand on the left.
    pub fn holding(condition: Value, holds: bool, wanted: impl Fn(Value) -> bool) -> Option<Comparison> {
        let comparison = Comparison::read(condition)?.with_left(wanted)?;
        if holds {
            return Some(comparison);
        }
        // SAFETY: a predicate of integers.
        Some(Comparison { predicate: unsafe { ffi::oc_inverse(comparison.predicate) }, ..comparison })
    }

    /// `left > right`, perhaps `>=`, in the entry's signedness.
    pub fn is_greater(self, entry: Entry) -> bool {
        self.mirrored().is_less(entry)
    }

    /// `left < right`, perhaps `<=`, in the entry's signedness.
    pub fn is_less(self, entry: Entry) -> bool {
        self.is_strictly_less(entry) || self.is_at_most(entry)
    }

    pub fn is_strictly_less(self, entry: Entry) -> bool {
        self.predicate == if entry.signed { LLVMIntPredicate::LLVMIntSLT } else { LLVMIntPredicate::LLVMIntULT }
    }

    pub fn is_at_most(self, entry: Entry) -> bool {
        self.predicate == if entry.signed { LLVMIntPredicate::LLVMIntSLE } else { LLVMIntPredicate::LLVMIntULE }
    }
}

/// Or computed alike: clang repeats the computation of a last iteration that is no single variable.
pub fn same_value(left: Value, right: Value) -> bool {
    computed_alike(left, right, 16)
}

fn computed_alike(left: Value, right: Value, depth: u32) -> bool {
    use LLVMOpcode::*;
    if left == right {
        return true;
    }
    if let (Some(left), Some(right)) = (left.const_int(), right.const_int()) {
        return left == right;
    }
    if let (Some(left), Some(right)) = (left.loaded_from(), right.loaded_from()) {
        return left == right;
    }
    // A sum, difference or product that is checked for overflow is a member of what an intrinsic returns.
    let checked = |value: Value| value.is_extract_value().then(|| Arithmetic::giving(value)).flatten();
    if let (Some(left), Some(right)) = (checked(left), checked(right)) {
        return depth > 0
            && left.operation == right.operation
            && left.result.integer_bits() == right.result.integer_bits()
            && computed_alike(left.left, right.left, depth - 1)
            && computed_alike(left.right, right.right, depth - 1);
    }
    let operands = match left.opcode() {
        Some(LLVMTrunc | LLVMSExt | LLVMZExt) => 1,
        Some(
            LLVMAdd | LLVMSub | LLVMMul | LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem | LLVMShl | LLVMLShr | LLVMAShr
            | LLVMAnd | LLVMOr | LLVMXor,
        ) => 2,
        _ => return false,
    };
    depth > 0
        && left.opcode() == right.opcode()
        && left.integer_bits() == right.integer_bits()
        && (0..operands).all(|index| match (left.operand(index), right.operand(index)) {
            (Some(left), Some(right)) => computed_alike(left, right, depth - 1),
            _ => false,
        })
}

// Sums, differences and products, whether or not they are checked for overflow.
//
// With `-ftrapv` and UBSan, the result is the first member of what `llvm.*.with.overflow` returns.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Sub,
    Mul,
}

#[derive(Clone, Copy)]
pub struct Arithmetic {
    pub operation: Operation,
    pub left: Value,
    pub right: Value,
    pub result: Value,
}

impl Arithmetic {
    pub fn giving(result: Value) -> Option<Arithmetic> {
        // The pair's second member is the overflow bit, which is no number.
        let instruction =
            if result.is_extract_value() && result.integer_bits() != Some(1) { result.operand(0)? } else { result };
        Some(Arithmetic {
            operation: operation(instruction)?,
            left: instruction.operand(0)?,
            right: instruction.operand(1)?,
            result,
        })
    }

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
