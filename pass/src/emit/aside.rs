//! Calls instead of branches, in functions whose lines are counted.
//!
//! `--coverage` adds up by source lines how often blocks run: a test of ours would have lines counted twice, and be a
//! branch that no test of the user's can cover. So each piece of reporting is one call of a small local function there,
//! which has no debug information and is not counted.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, PointerValue};

use crate::emit::Emitter;
use crate::emit::code::built;
use crate::emit::emitter::Piece;
use crate::emit::endpoints::AtEnd;
use crate::llvm::Value;
use crate::llvm::typed::value;

impl<'ctx> Emitter<'ctx> {
    /// Does `piece` before an instruction, without a branch; of the creation of a task, `frame` is the stack pointer.
    pub fn aside(
        &self,
        instruction: Value,
        piece: Piece,
        frame: PointerValue<'ctx>,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) {
        let known = self.asides.borrow().iter().find(|aside| aside.0 == piece).copied();
        let (_, function) = known.unwrap_or_else(|| {
            let new = (piece, self.new_aside(piece));
            self.asides.borrow_mut().push(new);
            new
        });
        self.before(instruction);
        let call = built(self.builder.build_call(function, &[&[frame.into()], arguments].concat(), ""));
        self.quiet(call.as_value_ref());
    }

    fn new_aside(&self, piece: Piece) -> FunctionValue<'ctx> {
        let (ptr, i64, i32) = (self.ptr.into(), self.i64.into(), self.i32.into());
        let (name, further): (&str, &[BasicMetadataTypeEnum<'ctx>]) = match piece {
            Piece::Ask => (".ompchunk.ask", &[ptr, ptr, i32, i64, i64, i64]),
            Piece::Advance => (".ompchunk.advance", &[]),
            Piece::Chunk => (".ompchunk.chunk", &[i64, i64, i32, self.context.bool_type().into()]),
            Piece::Bookkeeping => (".ompchunk.bookkeeping", &[]),
            Piece::Leave => (".ompchunk.leave", &[]),
            Piece::Tell(_) => (".ompchunk.tell", &[]),
        };
        let signature = self.context.void_type().fn_type(&[&[ptr], further].concat(), false);
        // By another name if that is taken.
        let function = self.new_function(name, signature, Linkage::Internal);
        function.add_attribute(AttributeLoc::Function, self.attribute("nounwind"));
        let there = self.within(function);
        let end = value(built(there.builder.build_return(None)).as_value_ref());
        let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
        let frame = parameters[0].into_pointer_value();
        match piece {
            Piece::Ask => there.ask_aside(end, frame, &parameters[1..]),
            Piece::Advance => there.advance_before(end, frame),
            Piece::Chunk => there.chunk_before(end, frame, &parameters[1..]),
            Piece::Bookkeeping => there.step_before(end, None, frame, None),
            Piece::Leave => there.leave_before(end, frame, AtEnd::Leave, false),
            Piece::Tell(what) => there.tell_if(end, what, || frame),
        }
        function
    }
}
