//! The bounds of a chunk, computed where it is reported.

use inkwell::IntPredicate;
use inkwell::types::IntType;
use inkwell::values::IntValue;

use super::Emitter;
use super::code::{built, int, pointer};
use crate::find::{Call, Chunk};
use crate::llvm::Value;

/// First and last iteration of a chunk, in the width of the runtime's entry.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'ctx> {
    pub lower: IntValue<'ctx>,
    pub upper: IntValue<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    pub(super) fn bounds(&self, call: &Call, chunk: Chunk) -> Bounds<'ctx> {
        match chunk {
            Chunk::Variables { .. } => {
                let bound = self.bound_type(call);
                Bounds {
                    lower: self.load(bound, pointer(call.lower)).into_int_value(),
                    upper: self.load(bound, pointer(call.upper)).into_int_value(),
                }
            }
            Chunk::Iteration { variable, .. } | Chunk::Section { variable } => {
                let number = self.load(self.bound_type(call), pointer(variable));
                let number = number.into_int_value();
                Bounds { lower: number, upper: number }
            }
            Chunk::Dealt { first, .. } => {
                let bound = self.bound_type(call);
                let counted = |variable| {
                    let value = self.load(bound, pointer(variable)).into_int_value();
                    match first {
                        0 => value,
                        _ => {
                            let first = bound.const_int(first as u64, true);
                            built(self.builder.build_int_sub(value, first, ""))
                        }
                    }
                };
                Bounds { lower: counted(call.lower), upper: counted(call.upper) }
            }
            Chunk::Counted { lower, count, .. } => {
                let (lower, count) = (int(lower), int(count));
                let one = count.get_type().const_int(1, false);
                let beyond = built(self.builder.build_int_add(lower, count, ""));
                let upper = built(self.builder.build_int_sub(beyond, one, ""));
                Bounds { lower, upper }
            }
        }
    }

    /// Has a range any iteration? (A chunk of a loop over chunks always has.)
    pub(super) fn is_not_empty(&self, call: &Call, chunk: Chunk, bounds: Bounds<'ctx>) -> IntValue<'ctx> {
        match chunk {
            Chunk::Variables { .. } | Chunk::Iteration { .. } | Chunk::Section { .. } | Chunk::Dealt { .. } => {
                let not_after = if call.entry.signed { IntPredicate::SLE } else { IntPredicate::ULE };
                let (lower, upper) = (bounds.lower, bounds.upper);
                built(self.builder.build_int_compare(not_after, lower, upper, ""))
            }
            // In the loop's own width, where an empty range's bounds wrap around to it.
            Chunk::Counted { count, .. } => self.non_zero(int(count)),
        }
    }

    /// 1 if the thread runs no chunk after this one, else 0; of a chunk that the runtime dealt, 1 if it
    /// holds the loop's last iteration.
    pub(super) fn is_last(&self, call: &Call, chunk: Chunk, bounds: Bounds<'ctx>) -> IntValue<'ctx> {
        let is_last = match chunk {
            // The next chunk begins `stride` later, if the loop goes on that far. Compared as
            // distances, which cannot overflow near the ends of the type.
            Chunk::Variables { last } | Chunk::Iteration { last, .. } => {
                let [last, stride] = self.last_and_stride(call, last);
                let left = built(self.builder.build_int_sub(last, bounds.lower, ""));
                built(self.builder.build_int_compare(IntPredicate::ULT, left, stride, ""))
            }
            Chunk::Section { .. } => {
                let last = self.load(self.bound_type(call), pointer(call.upper));
                built(self.builder.build_int_compare(IntPredicate::EQ, bounds.lower, last.into_int_value(), ""))
            }
            Chunk::Counted { progress: Some((number, chunks)), .. } => {
                let (number, chunks) = (int(number), int(chunks));
                let one = number.get_type().const_int(1, false);
                let next = built(self.builder.build_int_add(number, one, ""));
                built(self.builder.build_int_compare(IntPredicate::EQ, next, chunks, ""))
            }
            Chunk::Dealt { last, .. } => self.non_zero(self.load(self.i32, pointer(last)).into_int_value()),
            Chunk::Counted { progress: None, .. } => return self.i32.const_int(1, false),
        };
        built(self.builder.build_int_z_extend(is_last, self.i32, ""))
    }

    /// The loop's last iteration and the distance of two chunks of a thread.
    pub(super) fn last_and_stride(&self, call: &Call, last: Value) -> [IntValue<'ctx>; 2] {
        let bound = self.bound_type(call);
        let stride = self.load(bound, pointer(call.stride)).into_int_value();
        // Handed over from the league, it may be wider.
        let last = self.builder.build_int_truncate_or_bit_cast(int(last), bound, "");
        [built(last), stride]
    }

    /// Extended to 64 bits by the loop's signedness.
    pub(super) fn wide(&self, call: &Call, value: IntValue<'ctx>) -> IntValue<'ctx> {
        if call.entry.bits == 64 {
            value
        } else if call.entry.signed {
            built(self.builder.build_int_s_extend(value, self.i64, ""))
        } else {
            built(self.builder.build_int_z_extend(value, self.i64, ""))
        }
    }

    pub(super) fn bound_type(&self, call: &Call) -> IntType<'ctx> {
        if call.entry.bits == 64 { self.i64 } else { self.i32 }
    }
}
