//! What the program calls in place of the runtime's functions. A call that is none of a loop that may be changed goes on to the
//! runtime with nothing moved or saved, so the runtime returns to the program and tells tools its address.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::mem::{MaybeUninit, offset_of, transmute};
use core::sync::atomic::{AtomicBool, Ordering};

use ompchunk_abi::sched_type::{STATIC, STATIC_CHUNKED, kind};
use ompchunk_abi::{BeginFn, Frame, LOOP_SIGNED, LoopRecord};

use crate::open::Variables;
use crate::sites::{Records, TABLE, Table};
use crate::{module, open};

/// Flags of `ident_t`: the call begins sections, or a loop of `distribute`.
const OTHER_WORK: u32 = 0x400 | 0x800;

/// The runtime's functions: `__kmpc_for_static_init_*` as in a module record, its `_fini`, and what tells a team's size.
#[repr(transparent)]
struct Targets(UnsafeCell<[usize; NAMES.len()]>);
// SAFETY: written before the program begins.
unsafe impl Sync for Targets {}

/// 0: to be found at each call.
static TARGETS: Targets = Targets(UnsafeCell::new([0; NAMES.len()]));
const NAMES: [&CStr; 6] = [
    c"__kmpc_for_static_init_4", c"__kmpc_for_static_init_4u", c"__kmpc_for_static_init_8",
    c"__kmpc_for_static_init_8u", c"__kmpc_for_static_fini", c"__kmpc_bound_num_threads",
];

const FINI: usize = 4;
const TEAM: usize = 5;

/// A loop was changed, so one may be open.
static ANY_CHANGED: AtomicBool = AtomicBool::new(false);

/// Finds, of each function, the one that the program would call without this library. False: one is missing, and no loop is changed.
pub(crate) fn find_runtime() -> bool {
    // SAFETY: strings; the dynamic linker is not busy with constructors of another thread yet.
    let found = NAMES.map(|name| unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance());
    // SAFETY: the program has not begun.
    unsafe { *TARGETS.0.get() = found };
    if found.contains(&0) {
        return false;
    }
    let [signed_4, unsigned_4, signed_8, unsigned_8, ..] = found;
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
        ask = sym ask_shim,
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

/// Asks whether the execution is changed. True: it has its bounds. False: it goes on in the runtime, perhaps with other arguments.
unsafe extern "C" fn ask_shim(records: *const Records, arguments: *mut Arguments) -> bool {
    let Some(begin) = module::entry() else { return false };
    // SAFETY: the arguments of a call that a compiler wrote, and records that stay.
    unsafe {
        let (records, call) = (&*records, &mut *arguments);
        let is_narrow = (*records.blocks).bits == 32;
        let step = if is_narrow { i64::from(call.step as i32) } else { call.step as i64 };
        let other = !call.ident.is_null() && (*call.ident).flags & OTHER_WORK != 0;
        if step != 1 || other || call.last.is_null() {
            return false;
        }
        match kind(call.schedule as u32) {
            STATIC => {}
            STATIC_CHUNKED => {
                resize(begin, records, call);
                return false;
            }
            _ => return false,
        }
        let stack = (&raw const call.stride).addr();
        let thread = (call.ident.cast(), call.thread as i32);
        let is_changed = open::begin(begin, records.blocks, thread, call.variables(), stack);
        if is_changed && !ANY_CHANGED.load(Ordering::Relaxed) {
            ANY_CHANGED.store(true, Ordering::Relaxed);
        }
        is_changed
    }
}

impl Arguments {
    const fn variables(&self) -> Variables {
        Variables { bounds: [self.lower, self.upper, self.stride], last: self.last }
    }
}

/// A loop that steps from chunk to chunk by the stride that the runtime says: it goes on there with the chunk size that the shim says. A
/// function's arguments are its own, also those on the stack, so nothing else is written. Safety: as for [`ask_shim`].
unsafe fn resize(begin: BeginFn, records: &Records, call: &mut Arguments) {
    // SAFETY: the caller's promise; the shim answers such a record by what it leaves in the frame.
    unsafe {
        let is_narrow = (*records.chunks).bits == 32;
        let size = if is_narrow { i64::from(call.size as i32) } else { call.size as i64 };
        let is_known = size.max(1) >= records.least_chunk.into();
        let record = if is_known { records.chunks } else { records.fixed };
        let mut frame = MaybeUninit::<Frame>::uninit();
        let frame = frame.as_mut_ptr();
        (&raw mut (*frame).on).write(0);
        (&raw mut (*frame).module).write(module::record().cast_const().cast());
        (&raw mut (*frame).schedule).write(call.schedule as u32);
        (&raw mut (*frame).size_then_last).write(size as u64);
        begin(frame, record, call.ident.cast(), call.thread as i32);
        let (schedule, size) = ((*frame).schedule, (*frame).size_then_last);
        if (schedule != call.schedule as u32 || size != call.size) && has_room(call, &*records.chunks, schedule, size) {
            (call.schedule, call.size) = (schedule.into(), size);
        }
    }
}

/// No number on the way of any thread is beyond the width of the loop's variable, however the program computes it: the last step leads a
/// stride behind the last iteration. Safety: as for [`ask_shim`].
unsafe fn has_room(call: &Arguments, record: &LoopRecord, schedule: u32, size: u64) -> bool {
    let is_signed = record.flags & LOOP_SIGNED != 0;
    // SAFETY: the caller's promise; the bounds are of the loop's width.
    let number = |bound: *mut ()| unsafe {
        match (record.bits, is_signed) {
            (32, true) => i128::from(bound.cast::<i32>().read()),
            (32, false) => i128::from(bound.cast::<u32>().read()),
            (_, true) => i128::from(bound.cast::<i64>().read()),
            (_, false) => i128::from(bound.cast::<u64>().read()),
        }
    };
    let (lower, upper) = (number(call.lower), number(call.upper));
    let largest = (1_i128 << (if record.bits == 32 { 32 } else { 64 } - u32::from(is_signed))) - 1;
    // SAFETY: found before the program began, as all of them were.
    let team = unsafe {
        let threads = transmute::<usize, unsafe extern "C" fn(*const Ident) -> i32>((*TARGETS.0.get())[TEAM]);
        i128::from(threads(call.ident))
    };
    // Without a size, it is the number of iterations.
    let stride = if schedule == STATIC { upper - lower + 1 + team } else { i128::from(size) * team };
    lower <= upper && stride <= largest.min(largest - upper)
}
