//! What functions without a body do, by their names: those of OpenMP, and of the libraries of C, C++ and Fortran.

use std::ffi::CStr;

use crate::find::entry_of;
use crate::llvm::{Value, is_one_of};

use super::effects::Effects;

/// Intrinsics by which a thread knows itself, or its stack.
pub(super) fn asks_processor(instruction: Value) -> bool {
    instruction.calls(&[
        b"llvm.thread.pointer*", b"llvm.frameaddress*", b"llvm.addressofreturnaddress*", b"llvm.read_register*",
        b"llvm.read_volatile_register*", b"llvm.x86.rdfsbase*", b"llvm.x86.rdgsbase*", b"llvm.x86.rdpid*",
        b"llvm.x86.rdtscp*",
    ])
}

/// Behind them each thread has something of its own: errno, floating-point environment, signals, scheduling.
const STATE_OF_THREADS: [&[u8]; 31] = [
    b"__errno_location", b"__h_errno_location", b"__emutls_get_address", b"dlerror", b"feclear*", b"fedisable*",
    b"feenable*", b"feget*", b"fehold*", b"feraise*", b"feset*", b"fetest*", b"feupdate*", b"getpriority", b"nice",
    b"pthread_getspecific", b"pthread_set*", b"pthread_sigmask", b"sched_get*", b"sched_set*", b"setpriority",
    b"sigaltstack", b"sigblock", b"sighold", b"siggetmask", b"sigpending", b"sigprocmask", b"sigrelse", b"sigsetmask",
    b"tss_*", b"uselocale",
];
pub(super) const ASKS_STATE: [&CStr; 6] =
    [c"fetestexcept", c"fegetexceptflag", c"__errno_location", c"perror", c"err", c"warn"];
/// So many of them ask for exceptions, the others for errno.
pub(super) const ASK_EXCEPTIONS: usize = 2;
const SETS_FLOATING_POINT: [&[u8]; 8] = [
    b"llvm.set.rounding*", b"llvm.set.fpenv*", b"llvm.reset.fpenv*", b"llvm.set.fpmode*", b"llvm.reset.fpmode*",
    b"llvm.x86.sse.ldmxcsr*", b"llvm.x86.sse.stmxcsr*", b"llvm.aarch64.set.fpcr*",
];

pub(super) fn uses_state_of_threads(call: Value) -> bool {
    call.calls(&STATE_OF_THREADS) || call.calls(&SETS_FLOATING_POINT)
}

/// What a function without a body has to do with the thread that calls it by its address. Whatever else it does is unknown.
pub(super) fn of_declared(name: &[u8]) -> Effects {
    let of_omp = name.strip_prefix(b"omp_").map(of_users_function).unwrap_or_default();
    Effects {
        uses_thread_local: is_one_of(name, &STATE_OF_THREADS) || of_omp.uses_thread_local,
        asks_number: of_omp.asks_number,
        asks_who: ASKS_SYSTEM.contains(&name) || of_omp.asks_who,
        ..Effects::default()
    }
}

pub(super) const ASKS_SYSTEM: [&[u8]; 11] = [
    b"pthread_self", b"gettid", b"thrd_current", b"sched_getcpu", b"getcpu", b"syscall", b"prctl",
    b"sched_getaffinity", b"pthread_getaffinity_np", b"pthread_getname_np", b"pthread_getattr_np",
];
/// Functions of other libraries that wait for other threads; what a stream gives may come from one.
const WAITS: [&[u8]; 68] = [
    b"accept", b"accept4", b"connect", b"cnd_timedwait", b"cnd_wait", b"epoll_pwait", b"epoll_wait", b"fcntl",
    b"fgetc", b"fgetc_unlocked", b"fgets", b"fgets_unlocked", b"flock", b"fread", b"fread_unlocked", b"fscanf",
    b"getc", b"getc_unlocked", b"getchar", b"getchar_unlocked", b"getdelim", b"getline", b"lockf", b"mq_*", b"msgrcv",
    b"msgsnd", b"pause", b"pclose", b"poll", b"ppoll", b"pselect", b"pthread_barrier_wait", b"pthread_clockjoin_np",
    b"pthread_cond_wait", b"pthread_cond_timedwait", b"pthread_cond_clockwait", b"pthread_join",
    b"pthread_timedjoin_np", b"read", b"readv", b"recv*", b"scanf", b"select", b"sem_clockwait", b"sem_timedwait",
    b"sem_wait", b"semop", b"semtimedop", b"send*", b"sigsuspend", b"sigtimedwait", b"sigwait*", b"system",
    b"thrd_join", b"wait", b"wait3", b"wait4", b"waitid", b"waitpid", b"write", b"writev", b"__isoc23_fscanf",
    b"__isoc23_scanf", b"__isoc99_fscanf", b"__isoc99_scanf", b"_ZNSi*", b"_ZSt7getline*",
    b"_ZNSt18condition_variable4wait*",
];
pub(super) const OF_LIBRARIES_ALONE: [&[u8]; 5] = [b"cnd_*", b"pthread_*", b"sem_*", b"thrd_*", b"_ZNSt*"];
/// Functions that take a lock: what other threads have written is seen then.
pub(super) const TAKES_LOCK: [&[u8]; 10] = [
    b"__kmpc_critical*", b"omp_set_lock*", b"omp_set_nest_lock*", b"omp_test_*", b"pthread_mutex_*",
    b"pthread_rwlock_*", b"pthread_spin_*", b"mtx_*", b"_ZNSt5mutex*", b"_ZNSt15recursive_mutex*",
];
/// Functions of `omp.h` that change settings of the thread's implicit task.
const SETS_OF_THREADS: [&[u8]; 6] =
    [b"set_num_threads*", b"set_schedule*", b"set_dynamic*", b"set_nested*", b"set_max_active*", b"set_default_*"];
const ASKS_WHO: [&[u8]; 5] =
    [b"capture_affinity*", b"get_ancestor_thread_num*", b"get_partition_*", b"get_place_num*", b"get_team_num*"];
const SETS_LOCKS: [&[u8]; 3] = [b"set_lock*", b"set_nest_lock*", b"test_*"];

/// Functions that compilers call, behind `__kmpc_`: those that deal work out, or wait for all, ...
const SHARES_WORK: [&[u8]; 5] = [b"barrier*", b"cancel_barrier*", b"doacross*", b"dispatch*", b"for_static*"];
/// ... and others that do nothing else of what is asked here.
const HARMLESS: [&[u8]; 31] = [
    b"global_thread_num*", b"bound_*", b"reduce*", b"end_*", b"critical*", b"single*", b"copyprivate*", b"atomic*",
    b"flush*", b"ordered*", b"push_*", b"fork_*", b"serialized*", b"omp_task*", b"omp_wait*", b"omp_reg*", b"omp_get*",
    b"task*", b"alloc*", b"free*", b"aligned_alloc*", b"error*", b"in_parallel*", b"init_*", b"destroy_*", b"set_*",
    b"unset_*", b"test_*", b"cancel*", b"dist_for_static*", b"proxy*",
];

pub(super) fn waits(name: &[u8]) -> bool {
    let input = name.strip_prefix(b"_FortranAioBegin").and_then(|which| which.strip_suffix(b"Input"));
    is_one_of(name, &WAITS) || input.is_some_and(|which| !which.starts_with(b"Internal"))
}

pub(super) fn of_runtime(name: &[u8], call: Value) -> Option<Effects> {
    match name.strip_prefix(b"omp_") {
        Some(rest) => Some(of_users_function(rest)),
        None => of_compilers_function(name.strip_prefix(b"__kmpc_")?, call),
    }
}

fn of_users_function(name: &[u8]) -> Effects {
    let sets_locks = is_one_of(name, &SETS_LOCKS);
    Effects {
        uses_thread_local: is_one_of(name, &SETS_OF_THREADS),
        asks_number: name.starts_with(b"get_thread_num"),
        asks_who: is_one_of(name, &ASKS_WHO),
        allocates: has(name, b"alloc"),
        tells_apart: sets_locks,
        sets_locks,
        ..Effects::default()
    }
}

fn of_compilers_function(name: &[u8], call: Value) -> Option<Effects> {
    let is = |names: &[&[u8]]| is_one_of(name, names);
    if is(&[b"threadprivate*"]) {
        return Some(Effects { uses_thread_local: true, ..Effects::default() });
    }
    let asks_who = is(&[b"global_thread_num*"]) && is_used_by_program(call);
    let asks_number = is(&[b"master*", b"masked*", b"bound_thread_num*"]);
    if asks_who || asks_number {
        return Some(Effects { asks_number, asks_who, ..Effects::default() });
    }
    let shares_work = entry_of(call).is_some() || is(&SHARES_WORK);
    let is_known = shares_work || is(&HARMLESS);
    is_known.then_some(Effects {
        shares_work,
        allocates: is(&[b"alloc*", b"aligned_alloc*"]),
        tells_apart: is(&[b"critical*", b"single*"]) || is(&[b"atomic*"]) && has(name, b"_cpt"),
        ..Effects::default()
    })
}

/// Is the number by which the runtime knows a thread used for more than calling the runtime, as compilers use it?
fn is_used_by_program(number: Value) -> bool {
    let is_only_kept =
        |variable: Value| variable.is_alloca() && variable.users().into_iter().all(|user| !user.is_load());
    let is_compilers_use = |user: Value| match user.stored_to() {
        // Where a region runs in one thread, its function gets the address.
        Some(variable) => is_only_kept(variable),
        None => user.calls_out(),
    };
    !number.users().into_iter().all(is_compilers_use)
}

/// What a function of the runtime libraries of C++ and Fortran does: none of them knows OpenMP.
pub(super) fn of_libraries(name: &[u8]) -> Option<Effects> {
    let known: [&[u8]; 11] = [
        b"_Fortran*", b"_ZSt*", b"_ZNSt*", b"_ZNKSt*", b"_ZNSo*", b"_ZNSi*", b"_ZNSs*", b"_ZNKSs*", b"__cxa_*",
        b"__gxx_*", b"_Unwind_*",
    ];
    // Fortran's types may have functions of their own to assign and to end a value, which stand in their descriptors.
    let of_types: [&[u8]; 4] = [b"_FortranAAssign*", b"_FortranADestroy*", b"_FortranAFinalize*", b"_FortranACopyOut*"];
    is_one_of(name, &known).then(|| Effects {
        uses_thread_local: has(name, b"UnderflowMode"),
        allocates: has(name, b"Allocate"),
        calls_by_address: is_one_of(name, &of_types),
        // Who reads next gets what nobody else got.
        tells_apart: name.starts_with(b"_ZNSi") || has(name, b"getline") || has(name, b"Input"),
        ..Effects::default()
    })
}

/// A function of the C library: one that returns an address may return new memory's, and who reads a file next gets what nobody else got.
pub(super) fn of_known_library_function(call: Value, name: &[u8]) -> Effects {
    Effects {
        allocates: call.is_pointer() || has(name, b"memalign"),
        tells_apart: has(name, b"get") || has(name, b"read") || has(name, b"scanf"),
        ..Effects::default()
    }
}

fn has(name: &[u8], word: &[u8]) -> bool {
    name.windows(word.len()).any(|part| part == word)
}
