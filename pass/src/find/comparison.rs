//! Comparisons, turned the way their reader wants them.

use inkwell::llvm_sys::LLVMIntPredicate as Predicate;
use inkwell::llvm_sys::LLVMOpcode;

use super::call::Entry;
use crate::llvm::Value;

/// `left predicate right`
#[derive(Clone, Copy)]
pub struct Comparison {
    pub left: Value,
    pub right: Value,
    predicate: Predicate,
}

impl Comparison {
    pub fn of(condition: Value) -> Option<Comparison> {
        Some(Comparison {
            left: condition.operand(0)?,
            right: condition.operand(1)?,
            predicate: condition.predicate()?,
        })
    }

    /// With an operand of that kind on the left.
    pub fn with_left(self, wanted: impl Fn(Value) -> bool) -> Option<Comparison> {
        if wanted(self.left) {
            Some(self)
        } else if wanted(self.right) {
            Some(Comparison {
                left: self.right,
                right: self.left,
                predicate: mirrored(self.predicate),
            })
        } else {
            None
        }
    }

    /// The comparison that holds where this one does not.
    pub fn negated(self) -> Comparison {
        Comparison {
            predicate: inverse(self.predicate),
            ..self
        }
    }

    /// `left > right`, perhaps `>=`, in the entry's signedness.
    pub fn is_greater(self, entry: Entry) -> bool {
        let (strict, loose) = if entry.signed {
            (Predicate::LLVMIntSGT, Predicate::LLVMIntSGE)
        } else {
            (Predicate::LLVMIntUGT, Predicate::LLVMIntUGE)
        };
        self.predicate == strict || self.predicate == loose
    }

    /// `left < right`, perhaps `<=`, in the entry's signedness.
    pub fn is_less(self, entry: Entry) -> bool {
        self.is_strictly_less(entry) || self.is_at_most(entry)
    }

    /// `left < right` in the entry's signedness.
    pub fn is_strictly_less(self, entry: Entry) -> bool {
        self.predicate
            == if entry.signed {
                Predicate::LLVMIntSLT
            } else {
                Predicate::LLVMIntULT
            }
    }

    /// `left <= right` in the entry's signedness.
    pub fn is_at_most(self, entry: Entry) -> bool {
        self.predicate
            == if entry.signed {
                Predicate::LLVMIntSLE
            } else {
                Predicate::LLVMIntULE
            }
    }
}

fn mirrored(predicate: Predicate) -> Predicate {
    use Predicate::*;
    match predicate {
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntEQ | LLVMIntNE => predicate,
    }
}

fn inverse(predicate: Predicate) -> Predicate {
    use Predicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
    }
}

/// The same value, or one computed alike: loads of one variable, the same conversion of such.
pub fn same_value(left: Value, right: Value) -> bool {
    if left == right {
        return true;
    }
    if let (Some(left), Some(right)) = (left.const_int(), right.const_int()) {
        return left == right;
    }
    if let (Some(left), Some(right)) = (left.loaded_from(), right.loaded_from()) {
        return left == right;
    }
    let is_cast = matches!(
        left.opcode(),
        Some(LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt)
    );
    is_cast
        && left.opcode() == right.opcode()
        && left.integer_bits() == right.integer_bits()
        && match (left.operand(0), right.operand(0)) {
            (Some(left), Some(right)) => same_value(left, right),
            _ => false,
        }
}
