//! Short code for functions with many loops.
//!
//! What is emitted in line for a loop is more than what clang emits for a small one, and LLVM optimizes all of it. In a
//! function with many loops, those beyond the first few get a test and a call at each place, and nothing else: the
//! rest is in local functions that the module has once. They keep the registers of their callers, so the code around
//! a call is compiled as if there were none.
//!
//! Whether an execution reports is known by a word in memory before the frame, not by a variable: one that the
//! optimizer takes apart becomes a value at each end of each loop.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, InstructionValue, IntValue, PointerValue,
};
use ompchunk_abi::{ENTER_TIMED, FRAME_ALIGN, Frame};

use super::code::built;
use super::terms::{Bookkeeping, OF_LOOPS, Part, Width};
use super::{Emitter, Slot};
use crate::find::{Call, Chunk};
use crate::llvm::{Block, Value};

/// LLVM's number of the calling convention that keeps all but a few registers.
const PRESERVE_MOST: u32 = 14;

const TIMED: u32 = ENTER_TIMED;
/// In the word that says whether an execution reports: its bookkeeping has begun once.
const BEGUN: u32 = 1 << 31;

const LEAVE: Part = Part::Leave(Bookkeeping::Here);

impl Bookkeeping {
    pub(super) fn of(call: &Call) -> Bookkeeping {
        match call.entry.dealt {
            true => Bookkeeping::Elsewhere,
            false => Bookkeeping::Here,
        }
    }
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Part::Enter => ".ompchunk.enter",
            Part::Only(_) => ".ompchunk.only",
            Part::OneOf(_) => ".ompchunk.one_of",
            Part::Given(_) => ".ompchunk.given",
            Part::Bookkeeping => ".ompchunk.begin_bookkeeping",
            Part::Leave(_) => ".ompchunk.leave",
            Part::End(_) => ".ompchunk.end",
        }
    }

    /// Is it called when an execution reports, and else not?
    const fn is_seldom(self) -> bool {
        !matches!(self, Part::Enter | Part::End(_))
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Of memory that has both: whether an execution reports, and behind that the frame.
    pub(super) fn shared_slot(&self, memory: PointerValue<'ctx>) -> Slot<'ctx> {
        Slot { on: memory, frame: self.field(memory, FRAME_ALIGN), shared: true }
    }

    /// `if (on) part(slot, arguments…)`, before an instruction.
    pub(super) fn shared_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        slot: Slot<'ctx>,
        arguments: impl FnOnce() -> (Part, Vec<IntValue<'ctx>>),
    ) {
        let go_on = self.open_before(instruction);
        let report = self.cold_block(function);
        let on = self.load(self.i32, slot.on).into_int_value();
        self.branch_rarely_if(self.non_zero(on), report, go_on);

        self.at_end(report);
        let (part, values) = arguments();
        let values: Vec<_> = values.into_iter().map(Into::into).collect();
        self.call_part(part, slot, &values);
        self.branch(go_on);
    }

    /// What the part for a loop's chunk is told; `only` if the thread has no other.
    pub(super) fn shared_chunk(&self, call: &Call, chunk: Chunk, only: bool) -> (Part, Vec<IntValue<'ctx>>) {
        let bounds = self.bounds(call, chunk);
        let (lower, upper) = (bounds.lower, bounds.upper);
        let width = Width { bits: lower.get_type().get_bit_width(), signed: call.entry.signed };
        match chunk {
            Chunk::Variables { .. } | Chunk::Iteration { .. } if only => (Part::Only(width), vec![lower, upper]),
            Chunk::Variables { last } | Chunk::Iteration { last, .. } => {
                let [last, stride] = self.last_and_stride(call, last);
                (Part::OneOf(width), vec![lower, upper, last, stride])
            }
            Chunk::Counted { .. } | Chunk::Section { .. } | Chunk::Dealt { .. } => {
                let yes = self.context.bool_type().const_int(1, false);
                let (is_last, is_one) = match only {
                    true => (self.i32.const_int(1, false), self.is_not_empty(call, chunk, bounds)),
                    false => (self.is_last(call, chunk, bounds), yes),
                };
                let (lower, upper) = (self.wide(call, lower), self.wide(call, upper));
                let part = Part::Given(Bookkeeping::of(call));
                (part, vec![lower, upper, is_last, is_one])
            }
        }
    }

    /// `part(slot, arguments…)`, where the builder is.
    pub(super) fn call_part(&self, part: Part, slot: Slot<'ctx>, arguments: &[BasicMetadataValueEnum<'ctx>]) {
        let function = self.part(part);
        let arguments = [&[slot.on.into()], arguments].concat();
        let call = built(self.builder.build_call(function, &arguments, ""));
        call.set_call_convention(function.get_call_conventions());
        self.quiet(call.as_value_ref());
    }

    /// Has the loop end by a function that asks whether this execution reports and jumps to the runtime's, which so
    /// returns to where it did.
    pub(super) fn end_by_part(&self, end: Value, slot: Slot<'ctx>) -> bool {
        let callee = end.callee().filter(|_| end.argument_count() == 2);
        let (Some(callee), Some(first), Some(second)) = (callee, end.operand(0), end.operand(1)) else {
            return false;
        };
        let function = self.part(Part::End(callee));
        self.before(end);
        // SAFETY: the arguments of a call of the runtime's.
        let [first, second] = [first, second].map(|value| unsafe { BasicValueEnum::new(value.raw()).into() });
        let call = built(self.builder.build_call(function, &[first, second, slot.on.into()], ""));
        self.quiet(call.as_value_ref());
        // SAFETY: both are calls of this function; nothing is returned, so nothing refers to the one that goes.
        unsafe {
            let position = LLVMInstructionGetDebugLoc(end.raw());
            LLVMInstructionSetDebugLoc(call.as_value_ref(), position);
            InstructionValue::new(end.raw()).erase_from_basic_block();
        }
        true
    }

    /// The function that does it.
    fn part(&self, part: Part) -> FunctionValue<'ctx> {
        let known = self.parts.borrow().iter().find(|it| it.0 == part).copied();
        let (_, function) = known.unwrap_or_else(|| {
            let new = (part, self.new_part(part));
            self.parts.borrow_mut().push(new);
            new
        });
        function
    }

    fn new_part(&self, part: Part) -> FunctionValue<'ctx> {
        let function = self.declare_part(part);
        let (there, end) = self.inside(function);
        let memory = match function.get_first_param() {
            Some(memory) => memory.into_pointer_value(),
            None => panic!("a part without a frame"),
        };
        if let Part::End(callee) = part {
            there.parts.replace(vec![(LEAVE, self.part(LEAVE))]);
            there.end_part(function, end, callee);
            return function;
        }
        there.before(end);
        let slot = there.shared_slot(memory);
        match part {
            Part::Enter => there.enter_part(function, end, slot),
            Part::End(_) => {}
            Part::Only(width) => there.only_part(function, end, slot, width),
            Part::OneOf(width) => there.one_of_part(function, end, slot, width),
            Part::Given(bookkeeping) => {
                let [lower, upper, is_last, is_one] = numbers(function);
                let chunk = [lower, upper, is_last];
                there.chunk_part(function, end, slot, chunk, is_one, bookkeeping);
            }
            Part::Bookkeeping => there.timed_before(function, end, slot, TIMED),
            Part::Leave(bookkeeping) => {
                if bookkeeping == Bookkeeping::Here {
                    there.timed_before(function, end, slot, TIMED | BEGUN);
                }
                there.before(end);
                there.leave(slot);
            }
        }
        function
    }

    fn declare_part(&self, part: Part) -> FunctionValue<'ctx> {
        let (ptr, i64, i32) = (self.ptr.into(), self.i64.into(), self.i32.into());
        let bound = |width: Width| match width.bits {
            64 => i64,
            _ => i32,
        };
        let further: Vec<BasicMetadataTypeEnum<'ctx>> = match part {
            Part::Enter => vec![ptr, i64, i64],
            Part::Only(width) => vec![bound(width); 2],
            Part::OneOf(width) => vec![bound(width); 4],
            Part::Given(_) => vec![i64, i64, i32, self.context.bool_type().into()],
            Part::Bookkeeping | Part::Leave(_) => vec![],
            Part::End(_) => vec![i32, ptr],
        };
        let function = self.local_function(part.name(), &[&[ptr], &further[..]].concat());
        let attribute = |name| {
            let kind = Attribute::get_named_enum_kind_id(name);
            let attribute = self.context.create_enum_attribute(kind, 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        };
        attribute("noinline");
        if part.is_seldom() {
            attribute("cold");
            if self.has_preserve_most() {
                function.set_call_conventions(PRESERVE_MOST);
            }
        }
        function
    }

    /// A thread's only chunk, or none.
    fn only_part(&self, function: FunctionValue<'ctx>, end: Value, slot: Slot<'ctx>, width: Width) {
        let [lower, upper] = numbers(function);
        let not_after = match width.signed {
            true => IntPredicate::SLE,
            false => IntPredicate::ULE,
        };
        let is_one = built(self.builder.build_int_compare(not_after, lower, upper, ""));
        let chunk = [self.widened(width, lower), self.widened(width, upper), self.i32.const_int(1, false)];
        self.chunk_part(function, end, slot, chunk, is_one, Bookkeeping::Here);
    }

    /// One of a thread's chunks: the last one if no further fits.
    fn one_of_part(&self, function: FunctionValue<'ctx>, end: Value, slot: Slot<'ctx>, width: Width) {
        let [lower, upper, last, stride] = numbers(function);
        let left = built(self.builder.build_int_sub(last, lower, ""));
        let less = IntPredicate::ULT;
        let is_last = built(self.builder.build_int_compare(less, left, stride, ""));
        let is_last = built(self.builder.build_int_z_extend(is_last, self.i32, ""));
        let chunk = [self.widened(width, lower), self.widened(width, upper), is_last];
        let yes = self.context.bool_type().const_int(1, false);
        self.chunk_part(function, end, slot, chunk, yes, Bookkeeping::Here);
    }

    /// `if (is_one) { if (on & TIMED) { on |= BEGUN; frame.bookkeeping(frame) } frame.chunk(frame, chunk…) }`
    fn chunk_part(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        slot: Slot<'ctx>,
        chunk: [IntValue<'ctx>; 3],
        is_one: IntValue<'ctx>,
        bookkeeping: Bookkeeping,
    ) {
        let go_on = self.open_before(end);
        let report = self.cold_block(function);
        self.branch_if(is_one, report, go_on);
        self.at_end(report);
        self.branch(go_on);
        let Some(last) = Block::new(report.as_mut_ptr()).and_then(Block::terminator) else {
            panic!("a block without an end")
        };
        if bookkeeping == Bookkeeping::Here {
            self.timed_before(function, last, slot, TIMED);
        }
        self.before(last);
        self.call_frame(slot, offset_of!(Frame, chunk), self.chunk_type(), &chunk);
    }

    /// `if ((on & mask) == TIMED) { on |= BEGUN; frame.bookkeeping(frame) }`
    fn timed_before(&self, function: FunctionValue<'ctx>, instruction: Value, slot: Slot<'ctx>, mask: u32) {
        let go_on = self.open_before(instruction);
        let call = self.cold_block(function);
        let constant = |bits: u32| self.i32.const_int(bits.into(), false);
        let on = self.load(self.i32, slot.on).into_int_value();
        let asked = built(self.builder.build_and(on, constant(mask), ""));
        let is_timed = self.builder.build_int_compare(IntPredicate::EQ, asked, constant(TIMED), "");
        self.branch_if(built(is_timed), call, go_on);

        self.at_end(call);
        let begun = built(self.builder.build_or(on, constant(BEGUN), ""));
        self.store(begun, slot.on);
        self.call_frame(slot, offset_of!(Frame, bookkeeping), self.frame_type(), &[]);
        self.branch(go_on);
    }

    /// `if (*module.state & LOOPS) on = enter(module, loop, frame, start, step)`
    fn enter_part(&self, function: FunctionValue<'ctx>, end: Value, slot: Slot<'ctx>) {
        let Some(module_record) = self.record else { panic!("no module record") };
        let go_on = self.open_before(end);
        let ask = self.cold_block(function);
        let wanted = self.asked(module_record, OF_LOOPS);
        self.branch_rarely_if(self.non_zero(wanted), ask, go_on);

        self.at_end(ask);
        let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
        let [record, start, step] = [1, 2, 3].map(|at: usize| parameters[at]);
        let arguments = (record.into_pointer_value(), start.into_int_value(), step.into_int_value());
        let answer = self.enter(slot, module_record, || arguments);
        self.store(answer, slot.on);
        self.branch(go_on);
    }

    /// `if (on) leave(slot); end(location, thread)`
    fn end_part(&self, function: FunctionValue<'ctx>, end: Value, callee: Value) {
        let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
        let on = parameters[2].into_pointer_value();
        // SAFETY: the runtime's function, which the module calls.
        let Some(runtime_s) = (unsafe { FunctionValue::new(callee.raw()) }) else { panic!("a call of no function") };
        self.before(end);
        let arguments = [parameters[0].into(), parameters[1].into()];
        let call = built(self.builder.build_call(runtime_s, &arguments, ""));
        call.set_call_convention(runtime_s.get_call_conventions());
        call.set_tail_call(true);
        call.add_attribute(AttributeLoc::Function, self.nounwind());
        // SAFETY: an instruction just built.
        let Some(jump) = (unsafe { Value::from_raw(call.as_value_ref()) }) else { panic!("LLVM built nothing") };
        let slot = Slot { on, frame: on, shared: true };
        self.shared_before(function, jump, slot, || (LEAVE, Vec::new()));
    }

    /// Does LLVM have that convention for the module's processor?
    fn has_preserve_most(&self) -> bool {
        let triple = self.module.get_triple();
        let triple = triple.as_str().to_bytes();
        [&b"x86_64"[..], b"aarch64"].iter().any(|name| triple.starts_with(name))
    }

    fn widened(&self, width: Width, value: IntValue<'ctx>) -> IntValue<'ctx> {
        let wide = match (width.bits, width.signed) {
            (64, _) => return value,
            (_, true) => self.builder.build_int_s_extend(value, self.i64, ""),
            (_, false) => self.builder.build_int_z_extend(value, self.i64, ""),
        };
        built(wide)
    }
}

/// What a part is told behind its frame.
fn numbers<const COUNT: usize>(function: FunctionValue<'_>) -> [IntValue<'_>; COUNT] {
    let told: Vec<IntValue<'_>> = function.get_param_iter().skip(1).map(BasicValueEnum::into_int_value).collect();
    match told.try_into() {
        Ok(numbers) => numbers,
        Err(_) => panic!("a part with other parameters"),
    }
}
