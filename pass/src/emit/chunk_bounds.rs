//! The bounds of a chunk, computed where it is reported.

use inkwell::IntPredicate;
use inkwell::types::IntType;
use inkwell::values::IntValue;

use super::Emitter;
use super::code::built;
use crate::find::{Call, Chunk};
use crate::llvm::typed::{int, pointer};

/// First and last iteration of a chunk, in the width of the runtime's entry.
#[derive(Clone, Copy)]
pub struct Bounds<'ctx> {
    pub lower: IntValue<'ctx>,
    pub upper: IntValue<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    pub fn bounds(&self, call: &Call, chunk: Chunk) -> Bounds<'ctx> {
        let bound = self.bound_type(call);
        match chunk {
            Chunk::Variables { .. } | Chunk::Dealt { first: 0, .. } => Bounds {
                lower: self.load_int(bound, pointer(call.lower)),
                upper: self.load_int(bound, pointer(call.upper)),
            },
            Chunk::Iteration { variable, .. } | Chunk::Section { variable } => {
                let number = self.load_int(bound, pointer(variable));
                Bounds { lower: number, upper: number }
            }
            Chunk::Dealt { first, .. } => {
                let first = bound.const_int(first as u64, true);
                let counted = |variable| {
                    let value = self.load_int(bound, pointer(variable));
                    built(self.builder.build_int_sub(value, first, ""))
                };
                Bounds { lower: counted(call.lower), upper: counted(call.upper) }
            }
            Chunk::Counted { lower, count, .. } => {
                let (lower, count) = (int(lower), int(count));
                let one = count.get_type().const_int(1, false);
                let beyond = built(self.builder.build_int_add(lower, count, ""));
                Bounds { lower, upper: built(self.builder.build_int_sub(beyond, one, "")) }
            }
        }
    }

    /// Has a range any iteration? (A chunk of a loop over chunks always has.)
    pub fn is_not_empty(&self, call: &Call, chunk: Chunk, bounds: Bounds<'ctx>) -> IntValue<'ctx> {
        let not_after = if call.entry.signed { IntPredicate::SLE } else { IntPredicate::ULE };
        match chunk {
            // In the loop's own width, where an empty range's bounds wrap around to it.
            Chunk::Counted { count, .. } => self.non_zero(int(count)),
            _ => self.compare(not_after, bounds.lower, bounds.upper),
        }
    }

    /// 1 if the thread runs no chunk after this one, else 0; of a dealt chunk, 1 if it holds the loop's last iteration.
    pub fn is_last(&self, call: &Call, chunk: Chunk, bounds: Bounds<'ctx>) -> IntValue<'ctx> {
        let bound = self.bound_type(call);
        let is_last = match chunk {
            // The next chunk begins `stride` later. Distances cannot overflow near the ends of the type.
            Chunk::Variables { last } | Chunk::Iteration { last, .. } => {
                let stride = self.load_int(bound, pointer(call.stride));
                // Handed over from the league, it may be wider.
                let last = built(self.builder.build_int_truncate_or_bit_cast(int(last), bound, ""));
                let left = built(self.builder.build_int_sub(last, bounds.lower, ""));
                self.compare(IntPredicate::ULT, left, stride)
            }
            Chunk::Section { .. } => {
                self.compare(IntPredicate::EQ, bounds.lower, self.load_int(bound, pointer(call.upper)))
            }
            Chunk::Counted { progress: Some((number, chunks)), .. } => {
                let one = int(number).get_type().const_int(1, false);
                let next = built(self.builder.build_int_add(int(number), one, ""));
                self.compare(IntPredicate::EQ, next, int(chunks))
            }
            Chunk::Dealt { last, .. } => self.non_zero(self.load_int(self.i32, pointer(last))),
            Chunk::Counted { progress: None, .. } => return self.number(1),
        };
        built(self.builder.build_int_z_extend(is_last, self.i32, ""))
    }

    /// Extended to 64 bits by the loop's signedness.
    pub fn wide(&self, call: &Call, value: IntValue<'ctx>) -> IntValue<'ctx> {
        match call.entry.signed {
            _ if call.entry.bits == 64 => value,
            true => self.extended(value),
            false => built(self.builder.build_int_z_extend(value, self.i64, "")),
        }
    }

    pub fn bound_type(&self, call: &Call) -> IntType<'ctx> {
        if call.entry.bits == 64 { self.i64 } else { self.i32 }
    }
}
