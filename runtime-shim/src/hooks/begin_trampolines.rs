//! How a loop begins that comes by an entry of its image's record; on other processors what the plugin emits asks `begin`.

use core::mem::{offset_of, transmute};
use core::sync::atomic::Ordering;

use ompchunk_abi::{
    AdvanceFn, BeginFn, Frame, LOOP_CHUNKED, LOOP_START_PASSED, LOOP_STEP_PASSED, LoopIdent, LoopRecord, ModuleRecord,
    ON_LISTENING, RuntimeFunctions, StartFn,
};

use crate::hooks;
use crate::hooks::begin::{begin, begin_changed, begin_learned, begin_loop, begin_short, user_values};
use crate::hooks::run::only_own;
use crate::overrides::override_entry::{enter_changed, enter_learned};
use crate::registered_callbacks::{CALLBACKS, RegisteredCallbacks};
use crate::thread::Thread;
use crate::thread::thread_storage::{DISTANCE, THREAD_AT};

/// What [`ModuleRecord::begin_trampoline`] leads to, with the registers of `__kmpc_for_static_init_*`: calls what stands behind `=>` with the frame, the
/// record, the `ident_t` and the thread, and goes on in the runtime as that says, or as compiled. So an execution as compiled need not keep in
/// its frame what the program itself has said.
macro_rules! begin_trampoline {
    ($name:ident => |$frame:ident, $record:ident, $ident:ident, $thread:ident| $begin:expr) => {
        /// Safety: it is called as [`ModuleRecord::begin_trampoline`] says.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            unsafe extern "C" fn begin(
                $frame: *mut Frame,
                $record: *const LoopRecord,
                $ident: *const (),
                $thread: i32,
            ) -> Option<StartFn> {
                // SAFETY: the program has called it with what is its own.
                unsafe { $begin }
            }
            core::arch::naked_asm!(
                "push rdi", "push rsi", "push r8",
                "mov rdx, rdi", "mov ecx, esi",
                "mov rsi, [rdi + {distance}]", "lea rsi, [rdi + rsi + {distance}]",
                "lea rdi, [r8 - {lower}]",
                "call {begin}",
                "pop r8", "pop rsi", "pop rdi",
                "test rax, rax", "jne 2f",
                "mov rax, [rdi + {distance}]", "mov edx, [rdi + rax + {distance} + {schedule}]",
                "lea rcx, [r8 - {lower} + {last}]", "lea r9, [r8 - {lower} + {upper}]",
                "mov rax, [rdi + {at}]", "add rax, [r8 - {lower} + {module}]", "jmp [rax]",
                "2:", "lea rdi, [r8 - {lower}]", "jmp rax",
                begin = sym begin, distance = const offset_of!(LoopIdent, distance),
                at = const offset_of!(LoopIdent, static_init_at), schedule = const offset_of!(LoopRecord, schedule),
                lower = const offset_of!(Frame, lower), upper = const offset_of!(Frame, upper),
                last = const offset_of!(Frame, last), module = const offset_of!(Frame, module),
            )
        }
    };
}

/// A loop without chunks whose start and step its record knows takes the short way, as [`hooks::is_first`] says, and goes on in the runtime
/// with all registers as they are.
///
/// Safety: it is called as [`ModuleRecord::begin_trampoline`] says.
#[unsafe(naked)]
unsafe extern "C" fn short_way() {
    core::arch::naked_asm!(
        "mov rax, [rip + {callbacks} + {dispatch}]", "test rax, rax", "jle 2f",
        "mov rax, fs:[0]", "add rax, [rip + {distance}]",
        "cmp byte ptr [rax + {inside}], 0", "jne 2f",
        "mov r10, [rdi + {record}]", "lea r10, [rdi + r10 + {record}]",
        "test dword ptr [r10 + {flags}], {others}", "jne 2f",
        // `Thread::enter_first`
        "mov qword ptr [rax + {task_data}], 0", "mov dword ptr [rax + {starting}], {first}",
        "mov [rax + {current}], r10",
        "mov r11, [r9]", "mov [r8 - {lower} + {last}], r11",
        "mov rax, [rdi + {at}]",
        "lea r11, [rip + {advances}]", "mov r11, [r11 + rax - {runtime}]", "mov [r8 - {lower} + {advance}], r11",
        "mov dword ptr [r8 - {lower} + {on}], {listening}",
        // Where it stands the program may have the runtime tell what it does not read.
        "lea rcx, [r8 - {lower} + {flag}]",
        "add rax, [r8 - {lower} + {module}]", "jmp [rax]",
        "2:", "jmp {long_way}",
        callbacks = sym CALLBACKS, dispatch = const RegisteredCallbacks::DISPATCH_AT, distance = sym DISTANCE,
        inside = const THREAD_AT + Thread::INSIDE_AT, task_data = const THREAD_AT + Thread::TASK_DATA_AT,
        starting = const THREAD_AT + Thread::STARTING_AT, first = const Thread::FIRST,
        current = const THREAD_AT + Thread::LOOP_AT,
        record = const offset_of!(LoopIdent, distance), at = const offset_of!(LoopIdent, static_init_at),
        flags = const offset_of!(LoopRecord, flags),
        others = const LOOP_CHUNKED | LOOP_START_PASSED | LOOP_STEP_PASSED,
        advances = sym ADVANCES, runtime = const offset_of!(ModuleRecord, runtime),
        lower = const offset_of!(Frame, lower), last = const offset_of!(Frame, size_then_last),
        flag = const offset_of!(Frame, last), advance = const offset_of!(Frame, advance), on = const offset_of!(Frame, on),
        module = const offset_of!(Frame, module), listening = const ON_LISTENING, long_way = sym long_way,
    )
}

/// What such a loop calls then, at the distances of [`ModuleRecord::runtime`]'s functions for its type.
static ADVANCES: [[AdvanceFn; 3]; 4] =
    [[only_own::<u32, true>; 3], [only_own::<u32, false>; 3], [only_own::<u64, true>; 3], [only_own::<u64, false>; 3]];
const _: () = assert!(size_of_val(&ADVANCES) == size_of::<[RuntimeFunctions; 4]>());

begin_trampoline!(long_way => |frame, record, ident, thread| {
    match hooks::is_first(record, || user_values(frame, &*record)) {
        true => {
            begin_short(frame, record, ident, thread);
            None
        }
        false => begin_own(frame, record, ident, thread),
    }
});
begin_trampoline!(changed => |frame, record, ident, thread| {
    begin_loop::<true>(frame, record, ident, thread, enter_changed)
});
begin_trampoline!(learned => |frame, record, ident, thread| {
    begin_loop::<true>(frame, record, ident, thread, enter_learned)
});
begin_trampoline!(other => |frame, record, ident, thread| {
    let module = &*(&raw const (*frame).module).cast::<*const ModuleRecord>().read();
    // An entry of the ABI's version.
    let begin = transmute::<*mut (), BeginFn>(module.begin.load(Ordering::Acquire));
    begin(frame, record, ident, thread)
});

/// Out of the short way. Safety: as for [`begin`]; there is a loop, whose bounds stand in the frame.
#[inline(never)]
unsafe fn begin_own(frame: *mut Frame, record: *const LoopRecord, ident: *const (), thread: i32) -> Option<StartFn> {
    // SAFETY: passed on.
    unsafe { begin_loop::<true>(frame, record, ident, thread, hooks::enter) }
}

/// What goes with an entry that programs ask.
pub(crate) fn trampoline_of(entry: BeginFn) -> *mut () {
    let is = |other: BeginFn| entry as *const () == other as *const ();
    let trampoline: unsafe extern "C" fn() = match () {
        () if is(begin) => short_way,
        () if is(begin_changed) => changed,
        () if is(begin_learned) => learned,
        () => other,
    };
    trampoline as *mut ()
}
