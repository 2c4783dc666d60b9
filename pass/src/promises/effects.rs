//! What code may do, wherever it stands, that has to do with who runs it: asked of single instructions, and of functions with all
//! that they call.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::find::entry_of;
use crate::llvm::{Block, Value, blocks, body_is_what_runs, declares, functions, is_library_function};

use super::after_loop::is_own_variable;

/// Functions that are followed from one place.
const MOST_FUNCTIONS: usize = 400;

/// What some code does, or may do.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Effects {
    /// It uses threadprivate or thread-local data, or settings of each thread's own.
    pub uses_thread_local: bool,
    /// It asks for the thread's number in its team, or has the primary thread do something.
    pub asks_number: bool,
    /// It asks who the thread is in another way, which is known in regions within this one, too.
    pub asks_who: bool,
    /// It has worksharing loops, or waits at barriers.
    pub shares_work: bool,
    /// It asks for memory, which is then the thread's own.
    pub allocates: bool,
    /// It gives each thread something else: where a value comes from that others do not get.
    pub tells_apart: bool,
    /// It sets locks.
    pub sets_locks: bool,
    /// It calls what cannot be looked into.
    pub calls_unknown: bool,
    /// It calls by an address that is not known.
    pub calls_by_address: bool,
    /// It reads what other threads may write meanwhile ...
    pub reads_others: bool,
    /// ... and repeats something: both together may be a loop that waits.
    pub repeats: bool,
}

impl Effects {
    /// Both.
    pub fn and(self, more: Effects) -> Effects {
        Effects {
            uses_thread_local: self.uses_thread_local || more.uses_thread_local,
            asks_number: self.asks_number || more.asks_number,
            asks_who: self.asks_who || more.asks_who,
            shares_work: self.shares_work || more.shares_work,
            allocates: self.allocates || more.allocates,
            tells_apart: self.tells_apart || more.tells_apart,
            sets_locks: self.sets_locks || more.sets_locks,
            calls_unknown: self.calls_unknown || more.calls_unknown,
            calls_by_address: self.calls_by_address || more.calls_by_address,
            reads_others: self.reads_others || more.reads_others,
            repeats: self.repeats || more.repeats,
        }
    }

    /// Does it learn which thread runs it?
    pub fn learns_who(self) -> bool {
        self.asks_number || self.asks_who
    }

    /// Effects that still count for the thread that begins code which the runtime runs as a region or a task of its own.
    fn within(self) -> Effects {
        Effects { uses_thread_local: self.uses_thread_local, asks_who: self.asks_who, ..Effects::default() }
    }

    const UNKNOWN: Effects = Effects {
        uses_thread_local: false,
        asks_number: false,
        asks_who: false,
        shares_work: false,
        allocates: false,
        tells_apart: false,
        sets_locks: false,
        calls_unknown: true,
        calls_by_address: false,
        reads_others: false,
        repeats: false,
    };
}

/// A function that code may run, and whether as a region or a task of its own.
type Callee = (Value, bool);

/// What is known of a module's functions, each looked into once.
pub struct Called {
    module: LLVMModuleRef,
    known: HashMap<Value, (Effects, Vec<Callee>)>,
    /// Effects of a call by an address; none: not asked yet.
    by_address: Option<Effects>,
}

impl Called {
    pub fn in_module(module: LLVMModuleRef) -> Called {
        Called { module, known: HashMap::new(), by_address: None }
    }

    /// Effects of an instruction, with what it calls.
    pub fn effects(&mut self, instruction: Value) -> Effects {
        let (mut effects, mut open) = own_effects(instruction);
        let mut followed = HashSet::new();
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
                return effects.and(Effects::UNKNOWN);
            }
            let (more, callees) = self.of_function(function);
            effects = effects.and(if is_within { more.within() } else { *more });
            open.extend(callees.iter().map(|&(callee, is_own)| (callee, is_own || is_within)));
        }
        effects
    }

    /// Effects of a function, and which ones it calls.
    fn of_function(&mut self, function: Value) -> &(Effects, Vec<Callee>) {
        self.known.entry(function).or_insert_with(|| {
            let mut effects = Effects { repeats: has_loops(function), ..Effects::default() };
            let mut callees = Vec::new();
            for instruction in blocks(function).flat_map(Block::instructions) {
                let (more, called) = own_effects(instruction);
                effects = effects.and(more);
                callees.extend(called);
            }
            (effects, callees)
        })
    }

    /// Does a function that begins the region ask, as its primary thread, for the state that loops leave behind?
    pub fn is_asked_behind(&self, region: Value) -> bool {
        // Numbers leave exceptions behind; errno is set by functions alone.
        let is_runtimes = |name: &[u8]| name.starts_with(b"__kmpc_") || name.starts_with(b"omp_");
        let calls_others =
            |call: Value| call.calls_out() && call.callee().is_none_or(|callee| !callee.with_name(is_runtimes));
        let may_set_errno = || blocks(region).flat_map(Block::instructions).any(calls_others);
        let count = if may_set_errno() { ASKS_STATE.len() } else { ASK_EXCEPTIONS };
        let asked: Vec<&CStr> =
            ASKS_STATE[..count].iter().copied().filter(|name| declares(self.module, name)).collect();
        if asked.is_empty() {
            return false;
        }
        // With debug information the runtime calls a region's function by another one.
        let mut around: Vec<Value> = callers(region).collect();
        around.extend(around.clone().into_iter().flat_map(callers));
        let asks = |call: Value| {
            let callee = call.callee().filter(|_| call.calls_out());
            callee.is_some_and(|callee| callee.with_name(|name| asked.iter().any(|asks| asks.to_bytes() == name)))
        };
        around.into_iter().flat_map(blocks).flat_map(Block::instructions).any(asks)
    }

    /// What a call by an address may have to do with the thread. Whatever else it does is unknown.
    fn by_address(&mut self) -> Effects {
        if let Some(known) = self.by_address {
            return known;
        }
        let mut effects = Effects::default();
        let taken = functions(self.module).filter(|function| has_address_taken(*function));
        let mut open: Vec<Callee> = taken.map(|function| (function, false)).collect();
        let mut followed = HashSet::new();
        while let Some((function, is_within)) = open.pop() {
            if followed.insert((function, is_within)) {
                let (more, callees) = self.of_function(function);
                effects = effects.and(more.within());
                effects.asks_number |= more.asks_number && !is_within;
                open.extend(callees.iter().map(|&(callee, is_own)| (callee, is_own || is_within)));
            }
        }
        self.by_address = Some(effects);
        effects
    }
}

/// Is there a function's body whose address others than the runtime get?
fn has_address_taken(function: Value) -> bool {
    let calls_alone = |user: Value| user.callee() == Some(function) && !hands_over(user).contains(&function);
    let is_given = |user: Value| !user.calls_out() || !calls_alone(user) && !calls_compilers_function(user);
    blocks(function).next().is_some() && function.users().into_iter().any(is_given)
}

/// Functions that call one, or hand it to the runtime.
fn callers(function: Value) -> impl Iterator<Item = Value> {
    let calls = function.users().into_iter().filter(|user| user.calls_out());
    calls.filter_map(|call| call.block()?.function())
}

fn calls_compilers_function(call: Value) -> bool {
    call.callee().is_some_and(|callee| callee.with_name(|name| name.starts_with(b"__kmpc_")))
}

/// The functions with a body that a call hands over.
fn hands_over(call: Value) -> Vec<Value> {
    // The last operand is what is called.
    let operands = operands(call);
    let arguments = operands.split_last().map_or(&[][..], |(_, arguments)| arguments);
    arguments.iter().copied().filter(|argument| argument.is_function() && blocks(*argument).next().is_some()).collect()
}

fn operands(instruction: Value) -> Vec<Value> {
    (0..).map_while(|at| instruction.operand(at)).collect()
}

/// Effects of an instruction alone, and the functions that it may call, as far as they can be looked into.
fn own_effects(instruction: Value) -> (Effects, Vec<Callee>) {
    let mut effects = Effects {
        uses_thread_local: instruction.names_thread_local(),
        tells_apart: gives_each_its_own(instruction),
        asks_who: asks_processor(instruction),
        reads_others: reads_what_others_write(instruction),
        ..Effects::default()
    };
    effects.uses_thread_local |= uses_state_of_threads(instruction);
    if !instruction.calls_out() {
        return (effects, Vec::new());
    }
    // The runtime runs what it gets as a region or a task of its own.
    let is_own = calls_compilers_function(instruction);
    let mut may_call: Vec<Callee> = hands_over(instruction).into_iter().map(|function| (function, is_own)).collect();
    let Some(callee) = instruction.callee() else {
        effects.uses_thread_local |= instruction.is_assembly_of_threads();
        effects.calls_by_address = !operands(instruction).last().is_some_and(|called| called.is_inline_assembly());
        return (effects.and(Effects::UNKNOWN), may_call);
    };
    if blocks(callee).next().is_some() {
        may_call.push((callee, false));
    }
    if body_is_what_runs(callee) {
        return (effects, may_call);
    }
    let caller = instruction.block().and_then(Block::function);
    effects.asks_who |= callee.with_name(|name| ASKS_SYSTEM.contains(&name));
    let waits = callee.with_name(|name| begins_with_one_of(name, &WAITS));
    effects = effects.and(Effects { reads_others: waits, repeats: waits, ..Effects::default() });
    let more = callee.with_name(|name| of_runtime(name, instruction).or_else(|| of_libraries(name))).or_else(|| {
        let known = caller.is_some_and(|caller| is_library_function(callee, caller));
        known.then(|| callee.with_name(|name| of_known_library_function(instruction, name)))
    });
    let more = more.or((effects.asks_who || waits).then_some(effects));
    effects = effects.and(more.unwrap_or(Effects::UNKNOWN));
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

/// Is it a load of what other threads may write meanwhile, or has it the thread see that? (Guards of local static variables are read so, too.)
fn reads_what_others_write(instruction: Value) -> bool {
    let is_guard = |address: Value| address.with_name(|name| name.starts_with(b"_ZGV"));
    let is_others = |address: Value| !is_own_variable(address) && !is_guard(address);
    match instruction.is_load() {
        true => !instruction.is_simple_access() && instruction.operand(0).is_some_and(is_others),
        false => {
            instruction.calls_out()
                && instruction.callee().is_some_and(|callee| callee.with_name(|name| name == b"__kmpc_flush"))
        }
    }
}

/// May some of a function's code run several times in a call? Compilers put what runs again before what leads back to it.
fn has_loops(function: Value) -> bool {
    let mut before = HashSet::new();
    blocks(function).any(|block| {
        before.insert(block);
        block.successors().iter().any(|next| before.contains(next))
    })
}

/// Does a call that cannot be looked into return memory that nobody else has?
pub fn asks_for_memory(instruction: Value) -> bool {
    instruction.calls_out() && instruction.is_pointer() && own_effects(instruction).0.allocates
}

/// Intrinsics by which a thread knows itself, or its stack.
fn asks_processor(instruction: Value) -> bool {
    let asks: [&[u8]; 5] = [
        b"llvm.thread.pointer", b"llvm.frameaddress", b"llvm.addressofreturnaddress", b"llvm.read_register",
        b"llvm.read_volatile_register",
    ];
    instruction.is_intrinsic()
        && instruction
            .callee()
            .is_some_and(|callee| callee.with_name(|name| asks.iter().any(|asks| name.starts_with(asks))))
}

/// Functions of the C library that each thread has something of its own behind: errno, the floating-point environment, the locale, values
/// of its own.
const STATE_OF_THREADS: [&[u8]; 17] = [
    b"__errno_location", b"feclearexcept", b"fedisableexcept", b"feenableexcept", b"feholdexcept", b"feraiseexcept",
    b"fesetenv", b"fesetexcept", b"fesetexceptflag", b"fesetmode", b"fesetround", b"fetestexcept", b"feupdateenv",
    b"pthread_getspecific", b"pthread_setspecific", b"uselocale", b"__emutls_get_address",
];
/// Functions that ask for what computing leaves behind.
const ASKS_STATE: [&CStr; 6] = [c"fetestexcept", c"fegetexceptflag", c"__errno_location", c"perror", c"err", c"warn"];
/// So many of them ask for exceptions, the others for errno.
const ASK_EXCEPTIONS: usize = 2;
/// Intrinsics of the same kind.
const SETS_FLOATING_POINT: [&[u8]; 8] = [
    b"llvm.set.rounding", b"llvm.set.fpenv", b"llvm.reset.fpenv", b"llvm.set.fpmode", b"llvm.reset.fpmode",
    b"llvm.x86.sse.ldmxcsr", b"llvm.x86.sse.stmxcsr", b"llvm.aarch64.set.fpcr",
];

/// Does a call use what each thread has of its own?
fn uses_state_of_threads(call: Value) -> bool {
    let Some(callee) = call.callee() else {
        return false;
    };
    callee.with_name(|name| match call.calls_out() {
        true => STATE_OF_THREADS.contains(&name),
        false => begins_with_one_of(name, &SETS_FLOATING_POINT),
    })
}

/// Functions of other libraries by which a thread learns who it is.
const ASKS_SYSTEM: [&[u8]; 11] = [
    b"pthread_self", b"gettid", b"thrd_current", b"sched_getcpu", b"getcpu", b"syscall", b"prctl",
    b"sched_getaffinity", b"pthread_getaffinity_np", b"pthread_getname_np", b"pthread_getattr_np",
];
/// Functions of other libraries that wait for other threads.
const WAITS: [&[u8]; 9] = [
    b"pthread_cond_wait", b"pthread_cond_timedwait", b"pthread_barrier_wait", b"pthread_join", b"sem_wait",
    b"sem_timedwait", b"cnd_wait", b"cnd_timedwait", b"_ZNSt18condition_variable4wait",
];
/// Functions of `omp.h` that change settings of the thread's implicit task.
const SETS_OF_THREADS: [&[u8]; 6] =
    [b"set_num_threads", b"set_schedule", b"set_dynamic", b"set_nested", b"set_max_active", b"set_default_alloc"];
/// Functions of `omp.h` by which a thread learns who it is.
const ASKS_WHO: [&[u8]; 4] = [b"capture_affinity", b"get_ancestor_thread_num", b"get_place_num", b"get_team_num"];
const SETS_LOCKS: [&[u8]; 3] = [b"set_lock", b"set_nest_lock", b"test_"];

/// Functions that compilers call, behind `__kmpc_`: those that deal work out, or wait for all, ...
const SHARES_WORK: [&[u8]; 5] = [b"barrier", b"cancel_barrier", b"doacross", b"dispatch", b"for_static"];
/// ... and others that do nothing else of what is asked here.
const HARMLESS: [&[u8]; 31] = [
    b"global_thread_num", b"bound_", b"reduce", b"end_", b"critical", b"single", b"copyprivate", b"atomic", b"flush",
    b"ordered", b"push_", b"fork_", b"serialized", b"omp_task", b"omp_wait", b"omp_reg", b"omp_get", b"task", b"alloc",
    b"free", b"aligned_alloc", b"error", b"in_parallel", b"init_", b"destroy_", b"set_", b"unset_", b"test_",
    b"cancel", b"dist_for_static", b"proxy",
];

fn begins_with_one_of(name: &[u8], beginnings: &[&[u8]]) -> bool {
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// What a function of the OpenMP runtime does, if the name is one's.
fn of_runtime(name: &[u8], call: Value) -> Option<Effects> {
    match name.strip_prefix(b"omp_") {
        Some(rest) => Some(of_users_function(rest)),
        None => of_compilers_function(name.strip_prefix(b"__kmpc_")?, call),
    }
}

/// By its name behind `omp_`.
fn of_users_function(name: &[u8]) -> Effects {
    let sets_locks = begins_with_one_of(name, &SETS_LOCKS);
    Effects {
        uses_thread_local: begins_with_one_of(name, &SETS_OF_THREADS),
        asks_number: name.starts_with(b"get_thread_num"),
        asks_who: begins_with_one_of(name, &ASKS_WHO),
        allocates: name.windows(5).any(|part| part == b"alloc"),
        tells_apart: sets_locks,
        sets_locks,
        ..Effects::default()
    }
}

/// By its name behind `__kmpc_`.
fn of_compilers_function(name: &[u8], call: Value) -> Option<Effects> {
    let starts = |beginnings: &[&[u8]]| begins_with_one_of(name, beginnings);
    if starts(&[b"threadprivate"]) {
        return Some(Effects { uses_thread_local: true, ..Effects::default() });
    }
    let asks_who = starts(&[b"global_thread_num"]) && is_used_by_program(call);
    let asks_number = starts(&[b"master", b"masked", b"bound_thread_num"]);
    if asks_who || asks_number {
        return Some(Effects { asks_number, asks_who, ..Effects::default() });
    }
    let shares_work = entry_of(call).is_some() || starts(&SHARES_WORK);
    let is_known = shares_work || starts(&HARMLESS);
    is_known.then_some(Effects {
        shares_work,
        allocates: starts(&[b"alloc", b"aligned_alloc"]),
        tells_apart: starts(&[b"critical", b"single"])
            || name.starts_with(b"atomic") && name.windows(4).any(|part| part == b"_cpt"),
        ..Effects::default()
    })
}

/// Is the number by which the runtime knows a thread used for more than calling the runtime, as compilers use it?
fn is_used_by_program(number: Value) -> bool {
    let is_compilers_use = |user: Value| match user.is_store() {
        // Where a region runs in one thread, its function gets the address.
        true => user
            .operand(1)
            .is_some_and(|variable| variable.is_alloca() && variable.users().into_iter().all(|user| !user.is_load())),
        false => user.calls_out(),
    };
    !number.users().into_iter().all(is_compilers_use)
}

/// What a function of the runtime libraries of C++ and Fortran does: none of them knows OpenMP.
fn of_libraries(name: &[u8]) -> Option<Effects> {
    let known: [&[u8]; 11] = [
        b"_Fortran", b"_ZSt", b"_ZNSt", b"_ZNKSt", b"_ZNSo", b"_ZNSi", b"_ZNSs", b"_ZNKSs", b"__cxa_", b"__gxx_",
        b"_Unwind_",
    ];
    let is_known = known.iter().any(|known| name.starts_with(known));
    let has = |word: &[u8]| name.windows(word.len()).any(|part| part == word);
    is_known.then_some(Effects {
        allocates: has(b"Allocate"),
        // Who reads next gets what nobody else got.
        tells_apart: name.starts_with(b"_ZNSi") || has(b"getline") || has(b"Input"),
        ..Effects::default()
    })
}

/// A function of the C library: one that returns an address may return new memory's, and who reads a file next gets what nobody else got.
fn of_known_library_function(call: Value, name: &[u8]) -> Effects {
    let has = |word: &[u8]| name.windows(word.len()).any(|part| part == word);
    Effects {
        allocates: call.is_pointer() || has(b"memalign"),
        tells_apart: has(b"get") || has(b"read") || has(b"scanf"),
        ..Effects::default()
    }
}
