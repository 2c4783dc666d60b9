//! Where a task is created: from the call that allocates it to the one that hands it over.
//!
//! ```text
//! task = __kmpc_omp_task_alloc(…); fill it in
//! either  __kmpc_omp_task(…, task), __kmpc_omp_task_with_deps, __kmpc_taskloop
//! or      wait for its dependences; __kmpc_omp_task_begin_if0(…, task); run it
//! ```
//!
//! clang and OpenMPIRBuilder agree. The part of an untied task that hands the task over once more creates
//! none.

use std::ffi::CStr;

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use ompchunk_abi::{CREATED, CREATES_ANY, CREATES_ONE};
use rustc_hash::FxHashSet;

use super::init;
use super::paths::{CleanupDestinations, Go, follow};
use crate::llvm::{Block, Value, instructions, reached, users_of};
use crate::reason::Reason;

pub struct Creation {
    pub alloc: Value,
    pub waits: Vec<Value>,
    pub ends: Vec<Value>,
    pub is_taskloop: bool,
    /// Nothing on the way could create or run another, but for the waits.
    pub is_alone: bool,
}

impl Creation {
    /// From the allocation, in `first`, to the ends: since it dominates them, all that lead to one without passing it.
    pub fn way(&self, first: Block) -> Vec<Block> {
        let mut way = vec![first];
        let mut seen: FxHashSet<Block> = FxHashSet::from_iter([first]);
        let ends = self.ends.iter().filter_map(|end| end.block());
        let mut work: Vec<Block> = ends.collect();
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                way.push(block);
                work.extend(block.predecessors());
            }
        }
        way
    }

    /// Is memory of the stack allocated on the way? What comes before the task's allocation in `first` is not on it.
    pub fn allocates_on_way(&self, first: Block) -> bool {
        let on_the_way = |block: Block| {
            let before = block == first && self.alloc.block() == Some(first);
            block.instructions().skip_while(move |&each| before && each != self.alloc)
        };
        let is_end = |block: Block| self.ends.iter().any(|end| end.block() == Some(block));
        let taken = reached([first], |block| if is_end(block) { Vec::new() } else { block.successors() });
        let way = self.way(first).into_iter().filter(|block| taken.contains(block));
        way.flat_map(on_the_way).any(Value::is_alloca)
    }

    pub fn construct(&self) -> &'static str {
        match self.alloc.calls(&[TARGET_ALLOC.to_bytes()]) {
            _ if self.is_taskloop => "taskloop",
            true => "target",
            false => "task",
        }
    }

    /// What is told first of it.
    pub const fn begins(&self) -> usize {
        if self.is_alone { CREATES_ONE } else { CREATES_ANY }
    }

    pub const fn form(&self) -> &'static str {
        if self.is_alone { "one task" } else { "several tasks" }
    }

    pub const fn because(&self) -> Option<&'static str> {
        match (self.is_alone, self.is_taskloop) {
            (true, _) => None,
            (false, true) => Some("a taskloop creates many"),
            (false, false) => Some("other code runs before the task is handed over"),
        }
    }
}

pub fn construct_of(alloc: Value) -> Option<&'static str> {
    let handed_to = |names: &[&[u8]]| alloc.users().into_iter().any(|user| user.calls(names));
    match alloc.calls(&[TARGET_ALLOC.to_bytes()]) {
        true => Some("target"),
        false if handed_to(&TASKLOOPS) => Some("taskloop"),
        false => handed_to(&ENDS).then_some("task"),
    }
}

const TARGET_ALLOC: &CStr = c"__kmpc_omp_target_task_alloc";
const ALLOCS: [&CStr; 2] = [c"__kmpc_omp_task_alloc", TARGET_ALLOC];

const ENDS: [&[u8]; 3] = [b"__kmpc_omp_task", b"__kmpc_omp_task_with_deps", b"__kmpc_omp_task_begin_if0"];

const TASKLOOPS: [&[u8]; 2] = [b"__kmpc_taskloop", b"__kmpc_taskloop_5"];

const WAITS: [&[u8]; 2] = [b"__kmpc_omp_wait_deps", b"__kmpc_omp_taskwait_deps_51"];

/// What else the compilers call in between, and which neither creates nor runs a task.
const HARMLESS: [&[u8]; 3] =
    [b"__kmpc_global_thread_num", b"__kmpc_omp_reg_task_with_affinity", b"__kmpc_task_allow_completion_event"];

/// Functions in which tasks may be created.
pub fn functions_with_creations(module: LLVMModuleRef) -> FxHashSet<Value> {
    users_of(module, ALLOCS.map(CStr::to_owned))
}

pub fn allocs(function: Value) -> Vec<Value> {
    instructions(function).filter(|&instruction| allocates(instruction) && !init::is_done(instruction)).collect()
}

fn allocates(instruction: Value) -> bool {
    instruction.calls(&ALLOCS.map(CStr::to_bytes))
}

pub fn understand(alloc: Value) -> Result<Creation, Reason> {
    if !alloc.is_call() {
        return Err(Reason::Invoked);
    }
    let mut creation = Creation { alloc, waits: Vec::new(), ends: Vec::new(), is_taskloop: false, is_alone: true };
    let hands_over = |instruction: Value| {
        (instruction.calls(&ENDS) || instruction.calls(&TASKLOOPS))
            && (0..instruction.argument_count()).any(|at| instruction.operand(at) == Some(alloc))
    };
    let mut unfit = None;
    follow(alloc, &CleanupDestinations::ignored(), |current| {
        let (end, wait) = (hands_over(current), current.calls(&WAITS));
        if (end || wait) && !current.is_call() {
            unfit = Some(Reason::Invoked);
            return Go::Home;
        }
        // Not handed over on this way: what comes after does not belong to its creation.
        if allocates(current) || init::starts_loop(current) {
            unfit = Some(Reason::NotHandedOver);
            return Go::Home;
        }
        let found = if end { &mut creation.ends } else { &mut creation.waits };
        if (end || wait) && !found.contains(&current) {
            found.push(current);
        }
        creation.is_taskloop |= end && current.calls(&TASKLOOPS);
        let is_known = end || wait || current.calls(&HARMLESS);
        creation.is_alone &= !creation.is_taskloop && (is_known || !current.calls_out());
        if end { Go::Back } else { Go::On }
    });
    let unfit = unfit.or(creation.ends.is_empty().then_some(Reason::NotHandedOver));
    unfit.map_or(Ok(creation), Err)
}

/// Where what is told of the waits and ends of a creation: their call, the instruction before which, and what.
pub fn places(waits: &[Value], ends: &[Value]) -> impl Iterator<Item = (Value, Value, usize)> {
    let around = |&wait: &Value| {
        [Some((wait, wait, ompchunk_abi::WAITS)), wait.next().map(|behind| (wait, behind, ompchunk_abi::WAITS))]
    };
    let behind = |&end: &Value| Some((end, end.next()?, CREATED));
    waits.iter().flat_map(around).chain(ends.iter().map(behind)).flatten()
}
