//! Where an execution of a loop keeps whether it reports, and to whom.

use inkwell::values::{BasicValue, FunctionValue, PointerValue};
use ompchunk_abi::{FRAME_ALIGN, FRAME_SIZE};

use super::code::built;
use super::{Emitter, Slot};
use crate::llvm::{Block, Value, blocks};

impl<'ctx> Emitter<'ctx> {
    /// Room for one execution, in the entry block: an `alloca` elsewhere would grow the stack each
    /// time the loop runs. For a loop whose code is in line, and for one whose code is shared; they share the frame,
    /// and each has its own word that says whether it reports.
    pub(super) fn new_slots(&self, function: FunctionValue<'ctx>, has_shared: bool) -> [Slot<'ctx>; 2] {
        let raw = Value::from(function);
        let first_code =
            blocks(raw).next().into_iter().flat_map(Block::instructions).find(|instruction| !instruction.is_alloca());
        let Some(first_code) = first_code else { panic!("a function without a terminator") };
        self.before(first_code);
        let bytes = |size: usize| self.context.i8_type().array_type(size as u32);
        let aligned = |memory: PointerValue<'ctx>| {
            if let Some(alloca) = memory.as_instruction_value() {
                let _ = alloca.set_alignment(FRAME_ALIGN as u32);
            }
            memory
        };
        let on = built(self.builder.build_alloca(self.i32, ""));
        let zero = self.i32.const_zero();
        if !has_shared {
            let frame = aligned(built(self.builder.build_alloca(bytes(FRAME_SIZE), "")));
            self.store_first(zero, on);
            let shared = false;
            return [Slot { on, frame, shared }; 2];
        }
        let size = FRAME_ALIGN + FRAME_SIZE;
        let memory = aligned(built(self.builder.build_alloca(bytes(size), "")));
        let shared = self.shared_slot(memory);
        self.store_first(zero, on);
        self.store_first(zero, shared.on);
        let in_line = Slot { on, frame: shared.frame, shared: false };
        [in_line, shared]
    }
}
