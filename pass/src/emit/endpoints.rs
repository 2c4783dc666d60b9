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
use inkwell::values::{AsValueRef, BasicValueEnum, CallSiteValue, IntValue, PointerValue};
use ompchunk_abi::{ENDS, Frame, ModuleRecord, RUNS_MORE, START_ROOM};

use crate::emit::Emitter;
use crate::emit::code::{Taken, argument, block, built, int, pointer, split_before, value};
use crate::emit::emitter::{OF_LOOPS, Piece};
use crate::find::{Call, Chunk, Expression, Form, FoundLoop, UserValue};
use crate::instrumentation_plan::Plan;
use crate::llvm::Value;

#[derive(Clone, Copy)]
pub struct Begun<'ctx> {
    /// Where the runtime has initialised it; of a loop that can be changed, a block of its own. Still without a terminator.
    pub end: BasicBlock<'ctx>,
    /// Behind the call that starts the loop.
    pub behind: BasicBlock<'ctx>,
}

/// Where the program puts what the record may not know: the user's start and step, and the chunk size, each extended to 64 bits.
const PASSED_AT: [usize; 3] = [offset_of!(Frame, next), offset_of!(Frame, ident), offset_of!(Frame, size_then_last)];

/// Are the variables known that a loop is divided by, so that the shim reports its only chunk, and may change them?
pub fn tells_bounds(found: &FoundLoop) -> bool {
    let is_range = matches!(found.form, Form::Range { chunk: Chunk::Variables { .. } | Chunk::Counted { .. }, .. });
    !found.call.entry.dealt && found.call.earlier.is_none() && (found.change.is_ok() || is_range)
}

/// The variables that the runtime fills in at a call: lower and upper bound, stride, and whether the last iteration is the thread's.
pub fn variables(call: &Call) -> [Value; 4] {
    [call.lower, call.upper, call.stride, argument(call.instruction, 3)]
}

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
        // Whatever an execution left here that control left on no known way.
        self.store(self.number(0), frame);
        let ask = self.cold_block();
        self.branch_if(often(plan), self.non_zero(self.asked(OF_LOOPS)), ask, go_on);

        self.at_end(ask);
        self.pass_values(found, frame);
        if call.entry.dealt && found.change.is_ok() {
            self.pass_distance(call.instruction, frame);
        }
        let bounds = if tells_bounds(found) {
            variables(call).map(|variable| pointer(variable).into())
        } else {
            [self.ptr.const_null().into(); 4]
        };
        let begun = self.begin_loop(frame, &[record.into(), ident.into(), thread.into()], bounds);
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
            let end = self.cold_block();
            self.branch(end);
            return Some(Begun { end, behind });
        } else {
            self.repeat_init(call.instruction);
        }
        Some(Begun { end: init, behind })
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
        let is_on = || self.non_zero(self.on(frame));
        self.if_before(instruction, Taken::Rarely, is_on, |_| {
            self.advance(frame, offset_of!(Frame, advance));
        });
    }

    /// What is put at one of [`PASSED_AT`], if the record does not know it, and somebody does.
    fn passed(&self, found: &FoundLoop, at: usize) -> Option<IntValue<'ctx>> {
        match at {
            0 => self.user_value(&found.user.start),
            1 => self.user_value(&found.user.step),
            _ => chunk_size(found).map(|size| self.extended(int(size))),
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
            self.begin_loop(frame, named, [self.ptr.const_null().into(); 4]);
        });
    }

    fn begin_loop(
        &self,
        frame: PointerValue<'ctx>,
        named: &[BasicValueEnum<'ctx>],
        bounds: [BasicValueEnum<'ctx>; 4],
    ) -> PointerValue<'ctx> {
        let begun = self.call_for(self.ptr, self.begin_function(), &[&[frame.into()], named, &bounds].concat());
        begun.into_pointer_value()
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

    pub fn leave_before(&self, end: Value, frame: PointerValue<'ctx>, at_end: AtEnd<'ctx>) {
        if self.is_counted {
            return self.aside(end, Piece::Leave, frame, &[]);
        }
        let (before, taken, entry, leave) = match at_end {
            // A way back to the loop that never seems to be taken lets the optimizer lay out the loop's end before its begin.
            AtEnd::Again { joined, .. } => {
                let (site, before) = joined.unwrap_or_else(|| (self.cold_block(), end));
                (before, Taken::Seldom, offset_of!(Frame, advance), site)
            }
            AtEnd::Leave | AtEnd::Skip => (end, Taken::Rarely, offset_of!(Frame, leave), self.cold_block()),
        };
        let go_on = self.open_before(before);
        self.branch_if(taken, self.non_zero(self.on(frame)), leave, go_on);

        self.at_end(leave);
        let answer = self.advance(frame, entry);
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
    pub fn advance(&self, frame: PointerValue<'ctx>, entry: usize) -> IntValue<'ctx> {
        let function = self.load(self.ptr, self.field(frame, entry)).into_pointer_value();
        self.call_for(self.i32, function, &[frame.into()]).into_int_value()
    }
}

pub fn often(plan: Plan) -> Taken {
    match plan {
        // What is measured in the copy must be what runs without it: so it is optimized alike.
        Plan::TwoCopies => Taken::Seldom,
        _ => Taken::Rarely,
    }
}

fn chunk_size(found: &FoundLoop) -> Option<Value> {
    let call = &found.call;
    let number = match (call.entry.dealt, call.entry.combined) {
        (true, _) => 6,
        (false, false) => 8,
        (false, true) => 9,
    };
    let is_known = call.chunked && call.chunk.is_some();
    (!is_known && (call.entry.dealt || call.chunked)).then(|| argument(call.instruction, number))
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
        joined: Option<(BasicBlock<'ctx>, Value)>,
    },
}
