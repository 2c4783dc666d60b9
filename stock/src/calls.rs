//! What the program calls in place of the runtime's functions. A call that is none of a loop that may be changed goes on to the
//! runtime with nothing moved or saved, so the runtime returns to the program and tells tools its address.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, Ordering};

use ompchunk_abi::{Bounds, LoopRecord};

use crate::sites::{STATIC, TABLE, Table};
use crate::{module, open};

/// Of `enum sched_type`.
const MODIFIERS: u32 = 3 << 29;
/// Of `ident_t`: the call begins sections, or a loop of `distribute`.
const OTHER_WORK: u32 = 0x400 | 0x800;

/// The runtime's functions: `__kmpc_for_static_init_*` as in a module record, and `__kmpc_for_static_fini`.
#[repr(transparent)]
struct Targets(UnsafeCell<[usize; NAMES.len()]>);
// SAFETY: written before the program begins.
unsafe impl Sync for Targets {}

/// 0: to be found at each call.
static TARGETS: Targets = Targets(UnsafeCell::new([0; NAMES.len()]));
const NAMES: [&CStr; 5] = [
    c"__kmpc_for_static_init_4", c"__kmpc_for_static_init_4u", c"__kmpc_for_static_init_8",
    c"__kmpc_for_static_init_8u", c"__kmpc_for_static_fini",
];

const FINI: usize = 4;

/// A loop was changed, so one may be open.
static ANY_CHANGED: AtomicBool = AtomicBool::new(false);

/// Finds the runtime that the program starts with: of each function the one that it would call without this library. False: there is none,
/// and no loop is changed.
pub(crate) fn find_runtime() -> bool {
    // SAFETY: strings; the dynamic linker is not busy with constructors of another thread yet.
    let found = NAMES.map(|name| unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance());
    // SAFETY: the program has not begun.
    unsafe { *TARGETS.0.get() = found };
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

/// Goes on in the runtime, of a program that did not start with one: `kind` in r10, the arguments where they came.
#[unsafe(naked)]
unsafe extern "C" fn go_on_late() {
    core::arch::naked_asm!(
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "sub rsp, 8",
        "mov rdi, r10",
        "mov rsi, [rsp + 56]",
        "call {find_late}",
        "add rsp, 8", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "jmp rax",
        find_late = sym find_late,
    )
}

/// A loop that may be changed begins: its entry of the table in rax, where to go on if it is not in r10.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    core::arch::naked_asm!(
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push r10",
        "mov rdi, [rax + 8]",
        "lea rsi, [rsp + 8]",
        "call {ask}",
        "pop r10", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "test al, al",
        "je 2f",
        "ret",
        "2:",
        "jmp r10",
        ask = sym ask,
    )
}

/// A loop begins: looks up where the call returns to (`sites::place`).
macro_rules! entry_points {
    ($($name:ident $kind:literal),*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11, [rsp]",
                "mov r10, [rip + {table} + {entries}]",
                "mov rax, r11",
                "shr rax, 5",
                "xor rax, r11",
                "2:",
                "and rax, [rip + {table} + {mask}]",
                "shl rax, 4",
                "cmp [r10 + rax], r11",
                "je 3f",
                "cmp qword ptr [r10 + rax], 0",
                "je 4f",
                "shr rax, 4",
                "inc rax",
                "jmp 2b",
                "3:",
                "add rax, r10",
                "mov r10, [rip + {targets} + {kind} * 8]",
                "jmp {begin}",
                "4:",
                "mov rax, [rip + {targets} + {kind} * 8]",
                "test rax, rax",
                "je 5f",
                "jmp rax",
                "5:",
                "mov r10d, {kind}",
                "jmp {late}",
                table = sym TABLE, entries = const offset_of!(Table, entries), mask = const offset_of!(Table, mask),
                targets = sym TARGETS, kind = const $kind, begin = sym begin, late = sym go_on_late,
            )
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
        "cmp byte ptr [rip + {any}], 0",
        "je 2f",
        "push rdi", "push rsi", "sub rsp, 8",
        "lea rdi, [rsp + 32]",
        "call {end}",
        "add rsp, 8", "pop rsi", "pop rdi",
        "2:",
        "mov rax, [rip + {targets} + {fini} * 8]",
        "test rax, rax",
        "je 3f",
        "jmp rax",
        "3:",
        "mov r10d, {fini}",
        "jmp {late}",
        any = sym ANY_CHANGED, targets = sym TARGETS, fini = const FINI, late = sym go_on_late, end = sym open::end,
    )
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
        let is_changed = open::begin(begin, record, (call.ident.cast(), call.thread as i32), bounds, stack);
        if is_changed && !ANY_CHANGED.load(Ordering::Relaxed) {
            ANY_CHANGED.store(true, Ordering::Relaxed);
        }
        is_changed
    }
}
