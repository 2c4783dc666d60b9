//! Computes, before a loop, what its body will compute of the user's variable.

use inkwell::llvm_sys::core::{LLVMBuildCast, LLVMBuildLoad2, LLVMTypeOf};
use inkwell::values::IntValue;

use super::Emitter;
use super::code::{built, int};
use crate::find::{Expression, UserValue};
use crate::llvm::Value;

impl<'ctx> Emitter<'ctx> {
    /// The value as `enter` gets it: sign-extended, 0 if the record has it or nobody knows it.
    pub(super) fn user_value(&self, value: &UserValue) -> IntValue<'ctx> {
        let UserValue::Computed { from, negative } = value else {
            return self.i64.const_zero();
        };
        let value: IntValue<'ctx> = int(self.computed(from));
        let wide = if value.get_type().get_bit_width() < 64 {
            built(self.builder.build_int_s_extend(value, self.i64, ""))
        } else {
            value
        };
        if *negative { built(self.builder.build_int_neg(wide, "")) } else { wide }
    }

    fn computed(&self, expression: &Expression) -> Value {
        let (builder, name) = (self.builder.as_mut_ptr(), c"".as_ptr());
        // SAFETY: types and operation are those of the loop's own instruction, and finding made sure
        // that the operands are available here.
        let built = unsafe {
            match expression {
                Expression::Value(value) => return *value,
                Expression::Load { variable, like } => {
                    let loaded = LLVMBuildLoad2(builder, LLVMTypeOf(like.raw()), variable.raw(), name);
                    self.quiet(loaded);
                    loaded
                }
                Expression::Cast { of, like } => {
                    let Some(opcode) = like.opcode() else { panic!("a conversion that is no instruction") };
                    let of = self.computed(of);
                    LLVMBuildCast(builder, opcode, of.raw(), LLVMTypeOf(like.raw()), name)
                }
            }
        };
        // SAFETY: just built.
        match unsafe { Value::from_raw(built) } {
            Some(value) => value,
            None => panic!("LLVM built nothing"),
        }
    }
}
