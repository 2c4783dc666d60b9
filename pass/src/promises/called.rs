//! Effects of single instructions, and of functions with all that they call.

use std::ffi::CStr;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Block, Value, blocks, declares, functions, instructions, reached};

use super::after_loop::is_own_variable;
use super::decided::exchanges_until;
use super::effects::Effects;
use super::library::{
    ASK_EXCEPTIONS, ASKS_STATE, ASKS_SYSTEM, OF_LIBRARIES_ALONE, TAKES_LOCK, asks_processor, of_declared,
    of_known_library_function, of_libraries, of_runtime, uses_state_of_threads, waits,
};

const MOST_FUNCTIONS: usize = 400;

/// A function that code may run, and whether as a region or a task of its own.
type Callee = (Value, bool);

pub struct Called {
    module: LLVMModuleRef,
    instructions: FxHashMap<Value, Effects>,
    functions: FxHashMap<Value, (Effects, Vec<Callee>)>,
    /// Effects of a call by an address; none: not asked yet.
    by_address: Option<Effects>,
}

impl Called {
    pub fn in_module(module: LLVMModuleRef) -> Called {
        Called { module, instructions: FxHashMap::default(), functions: FxHashMap::default(), by_address: None }
    }

    pub fn effects(&mut self, instruction: Value) -> Effects {
        if let Some(&known) = self.instructions.get(&instruction) {
            return known;
        }
        let effects = self.with_callees(instruction);
        self.instructions.insert(instruction, effects);
        effects
    }

    fn with_callees(&mut self, instruction: Value) -> Effects {
        let (mut effects, mut open) = own_effects(instruction);
        let mut followed = FxHashSet::default();
        let mut is_any_asked = false;
        loop {
            // What is not known may call back whatever it was given before.
            if (effects.calls_by_address || effects.calls_unknown) && !is_any_asked {
                is_any_asked = true;
                effects = effects.and(self.by_address());
            }
            let Some((function, is_within)) = open.pop() else { break };
            if !followed.insert((function, is_within)) {
                continue;
            }
            if followed.len() > MOST_FUNCTIONS {
                return effects.and(Effects::unknown());
            }
            let (more, callees) = self.of_function(function);
            effects = effects.and(if is_within { more.within() } else { *more });
            open.extend(callees.iter().map(|&(callee, is_own)| (callee, is_own || is_within)));
        }
        effects
    }

    fn of_function(&mut self, function: Value) -> &(Effects, Vec<Callee>) {
        self.functions.entry(function).or_insert_with(|| {
            let repeated = repeated_blocks(function);
            let mut effects = Effects { repeats: !repeated.is_empty(), ..Effects::default() };
            let mut callees = Vec::new();
            for instruction in instructions(function) {
                let (more, called) = own_effects(instruction);
                effects = effects.and(more);
                effects.reads_others |=
                    more.takes_lock && instruction.block().is_some_and(|own| repeated.contains(&own));
                // A function that calls itself repeats something, too.
                effects.repeats |= called.contains(&(function, false));
                callees.extend(called);
            }
            (effects, callees)
        })
    }

    /// Does a function that begins the region ask, as its primary thread, for the state that loops leave behind?
    pub fn is_asked_behind(&mut self, region: Value) -> bool {
        // Numbers leave exceptions behind; errno is set by functions alone.
        let calls_others = |call: Value| call.calls_out() && !call.calls(&[b"__kmpc_*", b"omp_*"]);
        let may_set_errno = || instructions(region).any(calls_others);
        let count = if may_set_errno() { ASKS_STATE.len() } else { ASK_EXCEPTIONS };
        let asked: Vec<&CStr> =
            ASKS_STATE[..count].iter().copied().filter(|name| declares(self.module, name)).collect();
        if asked.is_empty() {
            return false;
        }
        // With debug information the runtime calls a region's function by another one.
        let mut calls: Vec<Value> = calls(region).collect();
        calls.extend(calls.clone().into_iter().filter_map(|call| call.block()?.function()).flat_map(self::calls));
        let asks = |callee: Value| callee.with_name(|name| asked.iter().any(|asks| asks.to_bytes() == name));
        let mut known = FxHashSet::default();
        let mut called = calls.into_iter().flat_map(behind).filter_map(called_by);
        called.any(|callee| asks(callee) || self.calls_in_turn(callee, &mut known, asks))
    }

    /// Does a function call such a one, itself or by those that it calls, but for what the runtime runs as a region or a task?
    fn calls_in_turn(&mut self, function: Value, known: &mut FxHashSet<Value>, is_one: impl Fn(Value) -> bool) -> bool {
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            if !known.insert(function) {
                continue;
            }
            // What is not looked into may have one.
            if known.len() > MOST_FUNCTIONS || instructions(function).filter_map(called_by).any(&is_one) {
                return true;
            }
            let (_, callees) = self.of_function(function);
            open.extend(callees.iter().filter(|(_, is_own)| !is_own).map(|&(callee, _)| callee));
        }
        false
    }

    /// What a call by an address may have to do with the thread. Whatever else it does is unknown.
    fn by_address(&mut self) -> Effects {
        if let Some(known) = self.by_address {
            return known;
        }
        let mut effects = Effects::default();
        let mut open: Vec<Callee> = Vec::new();
        for function in functions(self.module).filter(|function| has_address_taken(*function)) {
            effects = effects.and(function.with_name(of_declared));
            open.push((function, false));
        }
        let mut followed = FxHashSet::default();
        while let Some((function, is_within)) = open.pop() {
            if followed.insert((function, is_within)) {
                let (more, callees) = self.of_function(function);
                effects = effects.and(more.within());
                effects.asks_number |= more.asks_number && !is_within;
                effects.takes_lock |= more.takes_lock;
                open.extend(callees.iter().map(|&(callee, is_own)| (callee, is_own || is_within)));
            }
        }
        self.by_address = Some(effects);
        effects
    }
}

fn has_address_taken(function: Value) -> bool {
    let calls_alone = |user: Value| user.callee() == Some(function) && !hands_over(user).contains(&function);
    let is_given = |user: Value| !user.calls_out() || !calls_alone(user) && !calls_compilers_function(user);
    function.users().into_iter().any(is_given)
}

fn calls(function: Value) -> impl Iterator<Item = Value> {
    function.users().into_iter().filter(|user| user.calls_out())
}

fn called_by(instruction: Value) -> Option<Value> {
    instruction.callee().filter(|_| instruction.calls_out())
}

fn behind(call: Value) -> Vec<Value> {
    let others = call.block().map(Block::successors).unwrap_or_default();
    let others = reached(others, Block::successors).into_iter().flat_map(Block::instructions);
    call.and_next().skip(1).chain(others).collect()
}

fn calls_compilers_function(call: Value) -> bool {
    call.calls(&[b"__kmpc_*"])
}

/// Is it the call of a `taskloop` with an `if` clause, whose tasks the thread itself may run before it goes on?
fn may_run_at_once(call: Value) -> bool {
    call.calls(&[b"__kmpc_taskloop*"]) && call.operand(3).and_then(Value::const_int) != Some(1)
}

fn hands_over(call: Value) -> Vec<Value> {
    // The last operand is what is called.
    let operands: Vec<Value> = call.operands().collect();
    let arguments = operands.split_last().map_or(&[][..], |(_, arguments)| arguments);
    arguments.iter().copied().filter(|argument| argument.is_function() && argument.has_body()).collect()
}

/// Effects of an instruction alone, and the functions that it may call, as far as they can be looked into.
fn own_effects(instruction: Value) -> (Effects, Vec<Callee>) {
    let mut effects = Effects {
        uses_thread_local: instruction.names_thread_local(),
        tells_apart: gives_each_its_own(instruction),
        reads_others: reads_what_others_write(instruction),
        keeps_its_place: keeps_its_place(instruction),
        takes_lock: exchanges_until(instruction),
        ..Effects::default()
    };
    let calls_out = instruction.calls_out();
    if calls_out || instruction.is_intrinsic() {
        effects.asks_who = asks_processor(instruction);
        effects.uses_thread_local |= uses_state_of_threads(instruction);
    }
    if !calls_out {
        return (effects, Vec::new());
    }
    // The runtime runs what it gets as a region or a task of its own.
    let is_own = calls_compilers_function(instruction) && !instruction.users().into_iter().any(may_run_at_once);
    let mut may_call: Vec<Callee> = hands_over(instruction).into_iter().map(|function| (function, is_own)).collect();
    let Some(callee) = instruction.callee() else {
        effects.uses_thread_local |= instruction.is_assembly_of_threads();
        effects.calls_by_address = !instruction.operands().last().is_some_and(|called| called.is_inline_assembly());
        return (effects.and(Effects::unknown()), may_call);
    };
    if callee.has_body() {
        may_call.push((callee, false));
    }
    if callee.body_is_what_runs() {
        return (effects, may_call);
    }
    effects.asks_who |= instruction.calls(&ASKS_SYSTEM);
    effects.takes_lock |= instruction.calls(&TAKES_LOCK);
    let waits = callee.with_name(waits);
    effects = effects.and(Effects { reads_others: waits, repeats: waits, ..Effects::default() });
    let more = callee.with_name(|name| {
        let known = of_runtime(name, instruction).or_else(|| of_libraries(name));
        known.or_else(|| instruction.calls_library_function().then(|| of_known_library_function(instruction, name)))
    });
    // Others of these names are programs' own functions, too.
    let is_librarys = waits && instruction.calls(&OF_LIBRARIES_ALONE);
    let more = more.or((effects.asks_who || is_librarys).then_some(effects));
    effects = effects.and(more.unwrap_or_else(Effects::unknown));
    (effects, may_call)
}

/// Does each thread get another value there: of an atomic operation, or the address of a variable of its own as a number?
pub fn gives_each_its_own(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMAtomicRMW) => !instruction.users().is_empty(),
        Some(LLVMOpcode::LLVMAtomicCmpXchg) => true,
        Some(LLVMOpcode::LLVMPtrToInt) => instruction.operand(0).is_some_and(is_own_variable),
        _ => false,
    }
}

fn reads_what_others_write(instruction: Value) -> bool {
    // Guards of local static variables are read so, too.
    let is_guard = |address: Value| address.with_name(|name| name.starts_with(b"_ZGV"));
    let is_others = |address: Value| !is_own_variable(address) && !is_guard(address);
    if instruction.is_load() {
        !instruction.is_simple_access() && instruction.operand(0).is_some_and(is_others)
    } else {
        instruction.calls(&[b"__kmpc_flush"])
    }
}

/// Code of a function that may run several times in a call. Compilers put what runs again before what leads back to it.
fn repeated_blocks(function: Value) -> FxHashSet<Block> {
    let all: Vec<Block> = blocks(function).collect();
    let places: FxHashMap<Block, usize> = all.iter().enumerate().map(|(place, &block)| (block, place)).collect();
    let mut repeated = FxHashSet::default();
    for (place, block) in all.iter().enumerate() {
        let first = block.successors().iter().filter_map(|next| places.get(next).copied()).min();
        if let Some(first) = first.filter(|&first| first <= place) {
            repeated.extend(&all[first..=place]);
        }
    }
    repeated
}

/// Is it the place of a thread's own variable as a number, and more than computing distances by it?
fn keeps_its_place(instruction: Value) -> bool {
    use LLVMOpcode::{LLVMAnd, LLVMICmp, LLVMPtrToInt, LLVMSub};
    /// Bits within a page are those of how a variable is aligned.
    const PAGE: i64 = 4096;
    let is_place = |value: Value| value.opcode() == Some(LLVMPtrToInt);
    let is_own_place = is_place(instruction) && instruction.operand(0).is_some_and(is_own_variable);
    let is_distance = |user: Value| match user.opcode() {
        Some(LLVMICmp) => true,
        Some(LLVMSub) => [0, 1].iter().all(|&at| user.operand(at).is_some_and(is_place)),
        Some(LLVMAnd) => user.operand(1).and_then(Value::const_int).is_some_and(|mask| (0..PAGE).contains(&mask)),
        _ => false,
    };
    is_own_place && !instruction.users().into_iter().all(is_distance)
}

pub fn asks_for_memory(instruction: Value) -> bool {
    instruction.calls_out() && instruction.is_pointer() && own_effects(instruction).0.allocates
}
