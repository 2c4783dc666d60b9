//! What the program calls in place of the runtime's functions. A call that is none of a loop that may be changed goes on to the
//! runtime with nothing moved or saved, so the runtime returns to the program and tells tools its address.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::mem::offset_of;

use ompchunk_abi::{Bounds, LoopRecord};

use crate::sites::{STATIC, TABLE, Table};
use crate::{module, open};

/// Of `enum sched_type`.
const MODIFIERS: u32 = 3 << 29;
/// Of `ident_t`: the call begins sections, or a loop of `distribute`.
const OTHER_WORK: u32 = 0x400 | 0x800;

/// The runtime's functions: `__kmpc_for_static_init_*` as in a module record, and `__kmpc_for_static_fini`.
#[repr(transparent)]
struct Target(UnsafeCell<usize>);
// SAFETY: written before the program begins.
unsafe impl Sync for Target {}

static TARGETS: [Target; 5] = [const { Target(UnsafeCell::new(0)) }; 5];
const NAMES: [&CStr; 5] = [
    c"__kmpc_for_static_init_4", c"__kmpc_for_static_init_4u", c"__kmpc_for_static_init_8",
    c"__kmpc_for_static_init_8u", c"__kmpc_for_static_fini",
];
const FINI: usize = 4;

/// Finds the runtime that the program starts with: of each function the one that it would call without this library. False: there is none,
/// or another library stands between, and no loop is changed.
pub(crate) fn find_runtime() -> bool {
    let mut found = [0; NAMES.len()];
    for (target, (name, found)) in TARGETS.iter().zip(NAMES.iter().zip(&mut found)) {
        // SAFETY: a string; the dynamic linker is not busy with constructors of another thread yet.
        *found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance();
        // SAFETY: the program has not begun.
        unsafe { *target.0.get() = *found };
    }
    if found.contains(&0) {
        return false;
    }
    let [signed_4, unsigned_4, signed_8, unsigned_8, _] = found;
    module::begin([signed_4, unsigned_4, signed_8, unsigned_8]);
    true
}

/// The runtime's function that a call is for whose program did not start with one: its own library's, which was loaded later. 0: none
/// is found, which cannot be, as something had to define it when that library was loaded.
extern "C" fn find_late(kind: usize, returns_to: *const c_void) -> usize {
    let mut about = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: memory for the answer; the library that calls stays loaded meanwhile.
    unsafe {
        if libc::dladdr(returns_to, about.as_mut_ptr()) == 0 {
            return 0;
        }
        let caller = libc::dlopen((*about.as_ptr()).dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if caller.is_null() {
            return 0;
        }
        let found = libc::dlsym(caller, NAMES[kind].as_ptr()).expose_provenance();
        libc::dlclose(caller);
        found
    }
}

/// Goes on in the runtime: `kind` in r10, the arguments where they came.
#[unsafe(naked)]
unsafe extern "C" fn go_on() {
    core::arch::naked_asm!(
        "lea rax, [rip + {targets}]",
        "mov rax, [rax + r10*8]",
        "test rax, rax",
        "je 2f",
        "jmp rax",
        // Whoever has no runtime before the program begins: seldom, and never fast.
        "2:",
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "sub rsp, 8",
        "mov rdi, r10",
        "mov rsi, [rsp + 56]",
        "call {find_late}",
        "add rsp, 8", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "jmp rax",
        targets = sym TARGETS, find_late = sym find_late,
    )
}

/// A loop may begin: looks up where the call returns to, and asks, or goes on.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    core::arch::naked_asm!(
        "mov r11, [rsp]",
        "mov rax, r11",
        "shr rax, 5",
        "xor rax, r11",
        "push rbx",
        "mov rbx, [rip + {table} + {entries}]",
        "2:",
        "and rax, [rip + {table} + {mask}]",
        "shl rax, 4",
        "add rax, rbx",
        "cmp [rax], r11",
        "je 3f",
        "cmp qword ptr [rax], 0",
        "je 4f",
        "sub rax, rbx",
        "shr rax, 4",
        "inc rax",
        "jmp 2b",
        // None of those that may be changed.
        "4:",
        "pop rbx",
        "jmp {go_on}",
        "3:",
        "pop rbx",
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push r10",
        "mov rdi, [rax + 8]",
        "lea rsi, [rsp + 8]",
        "call {ask}",
        "pop r10", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "test al, al",
        "je 5f",
        "ret",
        "5:",
        "jmp {go_on}",
        table = sym TABLE, entries = const offset_of!(Table, entries), mask = const offset_of!(Table, mask),
        go_on = sym go_on, ask = sym ask,
    )
}

macro_rules! entry_points {
    ($($name:ident $kind:literal),*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!("mov r10d, {kind}", "jmp {begin}", kind = const $kind, begin = sym begin)
        }
    )*};
}
entry_points!(
    __kmpc_for_static_init_4 0, __kmpc_for_static_init_4u 1, __kmpc_for_static_init_8 2, __kmpc_for_static_init_8u 3
);

/// A loop ends, perhaps one that is open here.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __kmpc_for_static_fini() {
    core::arch::naked_asm!(
        "mov r10d, {fini}",
        "cmp qword ptr [rip + {table} + {mask}], 0",
        "jne 2f",
        "jmp {go_on}",
        "2:",
        "push rdi", "push rsi", "push r10",
        "lea rdi, [rsp + 32]",
        "call {ends}",
        "pop r10", "pop rsi", "pop rdi",
        "jmp {go_on}",
        fini = const FINI, table = sym TABLE, mask = const offset_of!(Table, mask), go_on = sym go_on, ends = sym ends,
    )
}

extern "C" fn ends(stack: usize) {
    open::end(stack);
}

/// The arguments of a call of `__kmpc_for_static_init_*` where it has saved them, and what was on the stack then.
#[repr(C)]
struct Arguments {
    upper: *mut (),
    lower: *mut (),
    last: *mut i32,
    schedule: u64,
    thread: u64,
    ident: *const Ident,
    returns_to: usize,
    stride: *mut (),
    step: u64,
    size: u64,
}

/// The head of `ident_t`.
#[repr(C)]
struct Ident {
    reserved: i32,
    flags: u32,
}

/// Asks whether the execution is changed. True: it has its bounds.
unsafe extern "C" fn ask(record: *const LoopRecord, arguments: *const Arguments) -> bool {
    let Some(begin) = module::entry() else { return false };
    // SAFETY: the arguments of a call that a compiler wrote, and a record that stays.
    unsafe {
        let call = &*arguments;
        let step = if (*record).bits == 32 { i64::from(call.step as i32) } else { call.step as i64 };
        let other = !call.ident.is_null() && (*call.ident).flags & OTHER_WORK != 0;
        if call.schedule as u32 & !MODIFIERS != STATIC || step != 1 || other || call.last.is_null() {
            return false;
        }
        let bounds = Bounds { lower: call.lower, upper: call.upper, stride: call.stride, last: call.last };
        let stack = (&raw const (*arguments).stride).addr();
        open::begin(begin, record, (call.ident.cast(), call.thread as i32), bounds, stack)
    }
}
