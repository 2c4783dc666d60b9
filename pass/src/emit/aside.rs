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

use crate::emit::Emitter;
use crate::emit::asking::AtEnd;
use crate::emit::code::built;
use crate::emit::emitter::{Guard, Piece};
use crate::ffi;
use crate::llvm::Value;

impl<'ctx> Emitter<'ctx> {
    /// Does `piece` where the builder is, without a branch.
    pub(super) fn aside(&self, piece: Piece, frame: PointerValue<'ctx>, arguments: &[BasicMetadataValueEnum<'ctx>]) {
        self.call_aside(piece, &[&[frame.into()], arguments].concat());
    }

    /// What becomes of the creation of a task.
    pub(super) fn aside_tell(&self, what: usize, place: PointerValue<'ctx>) {
        self.call_aside(Piece::Tell(what), &[place.into()]);
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
        frame: PointerValue<'ctx>,
        [lower, upper, is_last]: [IntValue<'ctx>; 3],
        is_one: IntValue<'ctx>,
    ) {
        let arguments = [lower.into(), upper.into(), is_last.into(), is_one.into()];
        self.aside(Piece::Chunk, frame, &arguments);
    }

    /// The function that does it, made of what is emitted in line elsewhere.
    fn new_aside(&self, piece: Piece) -> FunctionValue<'ctx> {
        let (ptr, i64, i32) = (self.ptr.into(), self.i64.into(), self.i32.into());
        let further: &[BasicMetadataTypeEnum<'ctx>] = match piece {
            Piece::Ask => &[ptr, ptr, i32, i64, i64, i64],
            Piece::Chunk => &[i64, i64, i32, self.context.bool_type().into()],
            Piece::Ready | Piece::Bookkeeping | Piece::Leave | Piece::Tell(_) => &[],
        };
        let function = self.local_function(piece.name(), &[&[ptr], further].concat());
        let (there, end) = self.inside(function);
        let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
        let Some(&BasicValueEnum::PointerValue(frame)) = parameters.first() else { panic!("an aside without a frame") };
        let number = |at: usize| parameters[at].into_int_value();
        match piece {
            Piece::Ask => there.ask_aside(function, end, frame, &parameters[1..]),
            Piece::Ready => there.ready_before(function, end, frame),
            Piece::Chunk => {
                let chunk = [number(1), number(2), number(3)];
                there.chunk_before(function, end, frame, number(4), &chunk);
            }
            Piece::Bookkeeping => there.step_before(function, end, None, frame, Guard::Flag),
            Piece::Leave => there.leave_before(function, end, frame, AtEnd::Leave),
            Piece::Tell(what) => there.tell_if(function, end, what, || frame),
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
