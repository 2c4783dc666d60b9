//! Where code asks whether somebody listens, and how a loop begins that somebody asked about, and ends.
//!
//! ```text
//!   before the init call:   if (*module.state & LOOPS && (start = begin(frame, loop, …))) {
//!                             start(frame)   or a copy of the init call
//!                   advance:  end = frame.advance(frame)
//!                             if (end == RUNS_MORE) goto where the loop begins
//!                             if (end == HAS_ENDED) goto behind the fini
//!                             goto fini
//!                           }
//!
//!   before each fini:       if (frame.on) goto advance           // at the one end of a loop that can be changed
//!                           if (frame.on && frame.leave(frame) == HAS_ENDED) goto behind the fini          // elsewhere
//! ```

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic as RELAXED;
use inkwell::llvm_sys::core::{
    LLVMBuildCast, LLVMBuildLoad2, LLVMInsertIntoBuilder, LLVMInstructionClone, LLVMSetOperand, LLVMTypeOf,
};
use inkwell::types::IntType;
use inkwell::values::{AsValueRef, BasicValueEnum, CallSiteValue, IntValue, PointerValue};
use ompchunk_abi::{ENDS, Frame, ModuleRecord, RUNS_MORE, START_ROOM};

use crate::emit::Emitter;
use crate::emit::code::{Taken, built, split_before};
use crate::emit::emitter::{OF_LOOPS, Piece};
use crate::find::{Expression, FoundLoop, UserValue};
use crate::instrumentation_plan::Plan;
use crate::llvm::Value;
use crate::llvm::typed::{argument, block, int, pointer, value};

#[derive(Clone, Copy)]
pub struct Begun<'ctx> {
    /// Where the runtime has initialised it; of a loop that can be changed, a block of its own. Still without a terminator.
    pub end: BasicBlock<'ctx>,
    /// Behind the call that starts the loop.
    pub behind: BasicBlock<'ctx>,
    /// The loop's variables, where they do not stand in the frame.
    pub apart: Apart<'ctx>,
}

/// Of which width they are, and which.
pub type Apart<'ctx> = Option<(IntType<'ctx>, [Value; 4])>;

/// Where [`crate::find::Call::variables`] stand in a frame.
pub const VARIABLES_AT: [usize; 4] =
    [offset_of!(Frame, lower), offset_of!(Frame, upper), offset_of!(Frame, stride), offset_of!(Frame, last)];

/// Where the program puts what the record may not know: the user's start and step, and the chunk size, each extended to 64 bits.
const PASSED_AT: [usize; 3] = [offset_of!(Frame, next), offset_of!(Frame, ident), offset_of!(Frame, size_then_last)];

impl<'ctx> Emitter<'ctx> {
    /// The shim must know of it before the runtime reports its first chunk. `None`: it begins where it always does.
    pub fn begin_if_wanted(
        &self,
        found: &FoundLoop,
        plan: Plan,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
    ) -> Option<Begun<'ctx>> {
        let (call, start) = (&found.call, found.call.start());
        let thread = int(argument(call.instruction, 1));
        let ident = pointer(argument(call.instruction, 0));
        if self.is_counted {
            self.before(start);
            let passed = |at| self.passed(found, at).unwrap_or(self.i64.const_zero()).into();
            let [start_of_users, step, size] = [0, 1, 2].map(passed);
            let arguments = [record.into(), ident.into(), thread.into(), start_of_users, step, size];
            self.aside(start, Piece::Ask, frame, &arguments);
            self.advance_where_it_is(found, frame);
            return None;
        }
        if self.claim_variables(found, frame) {
            return self.enter(found, plan, frame, record);
        }
        let go_on = self.open_before(start);
        self.clear(frame);
        let ask = self.cold_block();
        self.branch_if(often(plan), self.non_zero(self.asked(OF_LOOPS)), ask, go_on);

        self.at_end(ask);
        self.pass_values(found, frame);
        if call.entry.dealt && found.change.is_ok() {
            self.pass_distance(call.instruction, frame);
        }
        let apart = found.tells_bounds().then(|| (self.bound_type(call), call.variables()));
        self.copy_variables(apart, frame, true);
        let begun = self.begin_loop(frame, &[record.into(), ident.into(), thread.into()]);
        if call.earlier.is_some() {
            self.branch(go_on);
            self.advance_where_it_is(found, frame);
            return None;
        }
        let init = self.cold_block();
        self.branch_if(Taken::Perhaps, self.is_null(begun), go_on, init);

        let behind = split_before(call.instruction.next()?);
        self.at_end(init);
        if call.entry.dealt {
            // The first of the chunks is asked for like the others.
            self.deal(found, frame);
        } else if found.change.is_ok() {
            self.require_runtime(call);
            // The runtime is called by the shim's way.
            let mut arguments = [self.ptr.get_undef().into(); START_ROOM + 1];
            arguments[0] = frame.into();
            self.call(None, begun, &arguments);
            self.copy_variables(apart, frame, false);
            let end = self.cold_block();
            self.branch(end);
            return Some(Begun { end, behind, apart });
        } else {
            self.repeat_init(call.instruction);
        }
        Some(Begun { end: init, behind, apart })
    }

    fn advance_where_it_is(&self, found: &FoundLoop, frame: PointerValue<'ctx>) {
        if let (Some(after), false) = (found.call.instruction.next(), found.call.entry.dealt) {
            self.advance_before(after, frame);
        }
    }

    pub fn advance_before(&self, instruction: Value, frame: PointerValue<'ctx>) {
        if self.is_counted {
            return self.aside(instruction, Piece::Advance, frame, &[]);
        }
        self.if_before(
            instruction,
            Taken::Rarely,
            || self.is_on(frame, false),
            |_| {
                self.advance(frame, offset_of!(Frame, advance), None);
            },
        );
    }

    /// What is put at one of [`PASSED_AT`], if the record does not know it, and somebody does.
    fn passed(&self, found: &FoundLoop, at: usize) -> Option<IntValue<'ctx>> {
        match at {
            0 => self.user_value(&found.user.start),
            1 => self.user_value(&found.user.step),
            _ => found.chunk_size().map(|size| self.extended(int(size))),
        }
    }

    pub fn pass_values(&self, found: &FoundLoop, frame: PointerValue<'ctx>) {
        for (at, offset) in PASSED_AT.into_iter().enumerate() {
            if let Some(value) = self.passed(found, at) {
                self.store(value, self.field(frame, offset));
            }
        }
    }

    /// From the first iteration to the last one of a loop that is dealt in the source: no schedule that it gets may be too narrow for it.
    fn pass_distance(&self, init: Value, frame: PointerValue<'ctx>) {
        let [first, last] = [3, 4].map(|number| int(argument(init, number)));
        let distance = match first.get_zero_extended_constant() {
            Some(0) => last,
            _ => built(self.builder.build_int_sub(last, first, "")),
        };
        self.store(distance, self.field(frame, offset_of!(Frame, upper)));
    }

    /// The test of the aside that asks: `if (*module.state & LOOPS) { …; begin(frame, loop, ident, thread, no bounds) }`
    pub fn ask_aside(&self, end: Value, frame: PointerValue<'ctx>, arguments: &[BasicValueEnum<'ctx>]) {
        let (named, passed) = arguments.split_at(3);
        let wanted = || self.non_zero(self.asked(OF_LOOPS));
        self.if_before(end, Taken::Rarely, wanted, |_| {
            for (value, offset) in passed.iter().zip(PASSED_AT) {
                self.store(*value, self.field(frame, offset));
            }
            self.begin_loop(frame, named);
        });
    }

    fn begin_loop(&self, frame: PointerValue<'ctx>, named: &[BasicValueEnum<'ctx>]) -> PointerValue<'ctx> {
        self.call_for(self.ptr, self.begin_function(), &[&[frame.into()], named].concat()).into_pointer_value()
    }

    fn copy_variables(&self, apart: Apart<'ctx>, frame: PointerValue<'ctx>, into_frame: bool) {
        let Some((width, variables)) = apart else { return };
        let widths: [IntType<'ctx>; 4] = [width, width, width, self.i32];
        for ((variable, offset), of) in variables.into_iter().zip(VARIABLES_AT).zip(widths) {
            let (own, field) = (pointer(variable), self.field(frame, offset));
            if !own.is_null() {
                let (from, to) = if into_frame { (own, field) } else { (field, own) };
                self.store(self.load(of, from), to);
            }
        }
    }

    /// The loop's own init call once more, which the optimizer shall not merge with the first.
    fn repeat_init(&self, init: Value) -> Value {
        // SAFETY: a call of the module, positioned where all its operands are known.
        let copy = unsafe {
            let copy = LLVMInstructionClone(init.raw());
            LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), copy);
            CallSiteValue::new(copy).add_attribute(AttributeLoc::Function, self.attribute("nomerge"));
            value(copy)
        };
        self.relocate(copy);
        self.mark_done(copy);
        copy
    }

    /// The same of a loop that is dealt in the source, with the schedule and chunk size that the frame says.
    fn deal(&self, found: &FoundLoop, frame: PointerValue<'ctx>) {
        let init = self.repeat_init(found.call.instruction);
        if found.change.is_err() {
            return;
        }
        self.before(init);
        let schedule = self.load(self.i32, self.field(frame, offset_of!(Frame, schedule)));
        let size = self.load(self.bound_type(&found.call), self.field(frame, offset_of!(Frame, size_then_last)));
        for (number, value) in [(2, schedule), (6, size)] {
            // SAFETY: the call has these arguments, of these types.
            unsafe { LLVMSetOperand(init.raw(), number, value.as_value_ref()) }
        }
        if let Some(owner) = init.block() {
            self.at_end(block(owner.raw()));
        }
    }

    /// `*module.state & what`
    pub fn asked(&self, what: u32) -> IntValue<'ctx> {
        let state_at = self.field(self.record(), offset_of!(ModuleRecord, state));
        let state_at = self.load_atomic(self.ptr, state_at, RELAXED).into_pointer_value();
        let state = self.load_atomic(self.i32, state_at, RELAXED).into_int_value();
        built(self.builder.build_and(state, self.number(what), ""))
    }

    /// The user's start or step, computed before the loop; none if the record has it or nobody knows it.
    fn user_value(&self, value: &UserValue) -> Option<IntValue<'ctx>> {
        let UserValue::Computed { from, negative } = value else { return None };
        let wide = self.extended(int(self.computed(from)));
        Some(if *negative { built(self.builder.build_int_neg(wide, "")) } else { wide })
    }

    fn computed(&self, expression: &Expression) -> Value {
        let (builder, name) = (self.builder.as_mut_ptr(), c"".as_ptr());
        // SAFETY: types and operation are those of the loop's own instruction, and finding made sure
        // that the operands are available here.
        value(unsafe {
            match expression {
                Expression::Value(value) => return *value,
                Expression::Load { variable, like } => {
                    let loaded = LLVMBuildLoad2(builder, LLVMTypeOf(like.raw()), variable.raw(), name);
                    self.quiet(loaded);
                    loaded
                }
                Expression::Cast { of, like } => {
                    let opcode = like.opcode().expect("a conversion that is no instruction");
                    LLVMBuildCast(builder, opcode, self.computed(of).raw(), LLVMTypeOf(like.raw()), name)
                }
            }
        })
    }

    pub fn leave_before(&self, end: Value, frame: PointerValue<'ctx>, at_end: AtEnd<'ctx>, is_lent: bool) {
        if self.is_counted {
            return self.aside(end, Piece::Leave, frame, &[]);
        }
        let (before, taken, entry, leave, apart) = match at_end {
            AtEnd::Again { taken, joined, apart, .. } => {
                let (site, before) = joined.unwrap_or_else(|| (self.cold_block(), end));
                (before, taken, offset_of!(Frame, advance), site, apart)
            }
            AtEnd::Leave | AtEnd::Skip => (end, Taken::Rarely, offset_of!(Frame, leave), self.cold_block(), None),
        };
        let go_on = self.open_before(before);
        self.branch_if(taken, self.is_on(frame, is_lent), leave, go_on);

        self.at_end(leave);
        let answer = self.advance(frame, entry, apart);
        let (AtEnd::Skip | AtEnd::Again { .. }, Some(next)) = (at_end, end.next()) else { return self.branch(go_on) };
        let behind = split_before(next);
        if let AtEnd::Again { begin, .. } = at_end {
            const { assert!(RUNS_MORE < ENDS && ENDS == 0) };
            let is_over = self.cold_block();
            let runs_more = self.compare(IntPredicate::SLT, answer, answer.get_type().const_zero());
            self.branch_if(Taken::Perhaps, runs_more, begin, is_over);
            self.at_end(is_over);
        }
        self.branch_if(Taken::Perhaps, self.non_zero(answer), behind, go_on);
    }

    /// `frame.advance(frame)`, or what else stands at that offset.
    pub fn advance(&self, frame: PointerValue<'ctx>, entry: usize, apart: Apart<'ctx>) -> IntValue<'ctx> {
        self.copy_variables(apart, frame, true);
        let function = self.load(self.ptr, self.field(frame, entry)).into_pointer_value();
        let answer = self.call_for(self.i32, function, &[frame.into()]).into_int_value();
        self.copy_variables(apart, frame, false);
        answer
    }
}

pub fn often(plan: Plan) -> Taken {
    // What is measured in the copy must be what runs without it: so it is optimized alike.
    if plan == Plan::TwoCopies { Taken::Seldom } else { Taken::Rarely }
}

#[derive(Clone, Copy)]
pub enum AtEnd<'ctx> {
    Leave,
    /// It leaves, and perhaps skips the runtime's call, since it was changed.
    Skip,
    /// It may have more to run of the loop, which begins there. `joined`: the block that asks what to run first asks here, too, and may go on
    /// before that instruction.
    Again {
        begin: BasicBlock<'ctx>,
        taken: Taken,
        joined: Option<(BasicBlock<'ctx>, Value)>,
        apart: Apart<'ctx>,
    },
}
