//! Calls instead of branches, in functions whose lines are counted.
//!
//! `--coverage` counts how often each block runs and adds that up by source lines. A test of ours would split the
//! user's blocks, so that a line is counted twice, and be a branch that no test of the user's can cover. There each
//! piece of reporting is one call of a small local function, which has no debug information and so is not counted:
//! the blocks and branches stay the user's own.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::types::{AsTypeRef, BasicMetadataTypeEnum};
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue};

use super::code::built;
use super::dealing::AtEnd;
use super::terms::{Bookkeeping, Guard, Piece};
use super::{Emitter, Slot};
use crate::ffi;
use crate::llvm::Value;

impl<'ctx> Emitter<'ctx> {
    /// Does `piece` where the builder is, without a branch.
    pub(super) fn aside(&self, piece: Piece, slot: Slot<'ctx>, arguments: &[BasicMetadataValueEnum<'ctx>]) {
        let slot = [slot.on.into(), slot.frame.into()];
        self.call_aside(piece, &[&slot, arguments].concat());
    }

    /// What becomes of the creation of a task.
    pub(super) fn aside_tell(&self, record: PointerValue<'ctx>, what: usize, place: PointerValue<'ctx>) {
        let arguments = [record.into(), place.into()];
        self.call_aside(Piece::Tell(what), &arguments);
    }

    fn call_aside(&self, piece: Piece, arguments: &[BasicMetadataValueEnum<'ctx>]) {
        let known = self.asides.borrow().iter().find(|aside| aside.0 == piece).copied();
        let (_, function) = known.unwrap_or_else(|| {
            let new = (piece, self.new_aside(piece));
            self.asides.borrow_mut().push(new);
            new
        });
        let call = built(self.builder.build_call(function, arguments, ""));
        self.quiet(call.as_value_ref());
    }

    /// The chunk, if it is one.
    pub(super) fn aside_chunk(
        &self,
        slot: Slot<'ctx>,
        [lower, upper, is_last]: [IntValue<'ctx>; 3],
        is_one: IntValue<'ctx>,
    ) {
        let arguments = [lower.into(), upper.into(), is_last.into(), is_one.into()];
        self.aside(Piece::Chunk, slot, &arguments);
    }

    /// The function that does it, made of what is emitted in line elsewhere.
    fn new_aside(&self, piece: Piece) -> FunctionValue<'ctx> {
        let (ptr, i64, i32) = (self.ptr.into(), self.i64.into(), self.i32.into());
        let further: &[BasicMetadataTypeEnum<'ctx>] = match piece {
            Piece::Ask => &[ptr, ptr, i64, i64],
            Piece::Chunk => &[i64, i64, i32, self.context.bool_type().into()],
            Piece::Bookkeeping | Piece::Leave | Piece::Tell(_) => &[],
        };
        let function = self.local_function(piece.name(), &[&[ptr, ptr], further].concat());
        let (there, end) = self.inside(function);
        let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
        let pointer = |at: usize| parameters[at].into_pointer_value();
        let number = |at: usize| parameters[at].into_int_value();
        let slot = Slot { on: pointer(0), frame: pointer(1), shared: false };
        match piece {
            Piece::Ask => {
                let asked = || (pointer(3), number(4), number(5));
                there.ask_before(function, end, slot, pointer(2), None, asked);
            }
            Piece::Chunk => {
                let chunk = [number(2), number(3), number(4)];
                there.chunk_before(function, end, slot, number(5), &chunk);
            }
            Piece::Bookkeeping => there.bookkeeping_before(function, end, slot, Guard::Flag),
            Piece::Leave => {
                there.leave_before(function, end, slot, Bookkeeping::Here, AtEnd::Leave);
            }
            Piece::Tell(what) => {
                let place = || pointer(1);
                there.tell_if(function, end, pointer(0), what, place);
            }
        }
        function
    }
    /// A function of this module's own that returns nothing.
    pub(super) fn local_function(&self, name: &str, parameters: &[BasicMetadataTypeEnum<'ctx>]) -> FunctionValue<'ctx> {
        let signature = self.context.void_type().fn_type(parameters, false);
        let name = ffi::c_text(name);
        // SAFETY: the module is alive; the glue returns a new function, by another name if that is taken.
        let function = unsafe {
            FunctionValue::new(ffi::oc_function_new(self.module.as_mut_ptr(), name.as_ptr(), signature.as_type_ref()))
        };
        let Some(function) = function else { panic!("LLVM made no function") };
        function.set_linkage(Linkage::Internal);
        function.add_attribute(AttributeLoc::Function, self.nounwind());
        function
    }

    /// An emitter for the body of such a function, so that this one stays where it is, and the body's end.
    pub(super) fn inside(&self, function: FunctionValue<'ctx>) -> (Emitter<'ctx>, Value) {
        // SAFETY: the module is alive and nobody else's for as long as this emitter.
        let mut there = unsafe { Emitter::new(self.module.as_mut_ptr()) };
        there.record = self.record;
        there.at_end(there.cold_block(function));
        let end = built(there.builder.build_return(None));
        // SAFETY: an instruction just built.
        let Some(end) = (unsafe { Value::from_raw(end.as_value_ref()) }) else { panic!("LLVM built nothing") };
        (there, end)
    }
}
