//! How a loop begins that comes by an entry of its image's record; on other processors what the plugin emits asks `begin`.

use core::mem::{offset_of, transmute};
use core::sync::atomic::Ordering;

use ompchunk_abi::{BeginFn, Bounds, Frame, LoopIdent, LoopRecord, ModuleRecord, StartFn};

use crate::hooks;
use crate::hooks::begin::{begin, begin_changed, begin_learned, begin_loop, begin_short, user_values};
use crate::schedules::schedule_override::{enter_changed, enter_learned};

/// What [`ModuleRecord::asking`] leads to, with the registers of `__kmpc_for_static_init_*`: calls what stands behind `=>` with the frame, the
/// record, the `ident_t` and the thread, and goes on in the runtime as that says, or as compiled. So an execution as compiled need not keep in
/// its frame what the program itself has said.
macro_rules! asking {
    ($name:ident => |$frame:ident, $the_loop:ident, $ident:ident, $thread:ident| $begin:expr) => {
        /// Safety: it is called as [`ModuleRecord::asking`] says.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            unsafe extern "C" fn begin(
                $frame: *mut Frame,
                $the_loop: *const LoopRecord,
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

asking!(usual => |frame, the_loop, ident, thread| {
    match hooks::is_first(the_loop, || user_values(frame, &*the_loop)) {
        true => {
            begin_short(frame, the_loop, ident, thread, own_bounds(frame));
            None
        }
        false => begin_own(frame, the_loop, ident, thread),
    }
});
asking!(changed => |frame, the_loop, ident, thread| {
    begin_loop::<true>(frame, the_loop, ident, thread, own_bounds(frame), enter_changed)
});
asking!(learned => |frame, the_loop, ident, thread| {
    begin_loop::<true>(frame, the_loop, ident, thread, own_bounds(frame), enter_learned)
});
asking!(other => |frame, the_loop, ident, thread| {
    let module = &*(&raw const (*frame).module).cast::<*const ModuleRecord>().read();
    // An entry of the ABI's version.
    let begin = transmute::<*mut (), BeginFn>(module.begin.load(Ordering::Acquire));
    let Bounds { lower, upper, stride, last } = own_bounds(frame);
    begin(frame, the_loop, ident, thread, lower, upper, stride, last)
});

/// Out of the short way. Safety: as for [`begin`]; there is a loop, whose bounds stand in the frame.
#[inline(never)]
unsafe fn begin_own(frame: *mut Frame, the_loop: *const LoopRecord, ident: *const (), thread: i32) -> Option<StartFn> {
    // SAFETY: passed on.
    unsafe { begin_loop::<true>(frame, the_loop, ident, thread, own_bounds(frame), hooks::enter) }
}

#[inline(always)]
unsafe fn own_bounds(frame: *mut Frame) -> Bounds {
    // SAFETY: the fields are the frame's.
    unsafe {
        Bounds {
            lower: (&raw mut (*frame).lower).cast(),
            upper: (&raw mut (*frame).upper).cast(),
            stride: (&raw mut (*frame).stride).cast(),
            last: &raw mut (*frame).last,
        }
    }
}

/// What goes with an entry that programs ask.
pub(crate) fn beside(entry: BeginFn) -> *mut () {
    let is = |other: BeginFn| entry as *const () == other as *const ();
    let beside: unsafe extern "C" fn() = match () {
        () if is(begin) => usual,
        () if is(begin_changed) => changed,
        () if is(begin_learned) => learned,
        () => other,
    };
    beside as *mut ()
}
