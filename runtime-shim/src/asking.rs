//! How a loop begins that comes by an entry of its image's record. (Where nobody has written it in the processor's code, what the plugin emits
//! asks `begin`.)

use core::mem::{offset_of, transmute};
use core::sync::atomic::Ordering;

use ompchunk_abi::{BeginFn, Bounds, Frame, LoopIdent, LoopRecord, ModuleRecord, StartFn};

use crate::begin::{begin, begin_changed, begin_learned, begin_loop, first, user_values};
use crate::hooks;
use crate::schedule_override::{enter_changed, enter_learned};

/// What [`ModuleRecord::asking`] leads to, with the registers of `__kmpc_for_static_init_*`: calls a function with the frame, the record, the
/// `ident_t` and the thread, and goes on in the runtime as that says, or as compiled. So an execution as compiled need not keep in its frame
/// what the program itself has said.
macro_rules! asking {
    ($name:ident, $begin:path) => {
        /// # Safety
        ///
        /// It is called as [`ModuleRecord::asking`] says.
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
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
                begin = sym $begin, distance = const offset_of!(LoopIdent, distance),
                at = const offset_of!(LoopIdent, static_init_at), schedule = const offset_of!(LoopRecord, schedule),
                lower = const offset_of!(Frame, lower), upper = const offset_of!(Frame, upper),
                last = const offset_of!(Frame, last), module = const offset_of!(Frame, module),
            )
        }
    };
}

asking!(usual, enter_usual);
asking!(changed, enter_changed_loop);
asking!(learned, enter_learned_loop);
asking!(other, enter_by_begin);

unsafe extern "C" fn enter_usual(
    frame: *mut Frame,
    the_loop: *const LoopRecord,
    ident: *const (),
    thread: i32,
) -> Option<StartFn> {
    // SAFETY: passed on.
    unsafe {
        if hooks::is_first(the_loop, || user_values(frame, &*the_loop)) {
            first(frame, the_loop, ident, thread, own_bounds(frame));
            return None;
        }
        enter_own_loop(frame, the_loop, ident, thread)
    }
}

macro_rules! enter_loop {
    ($name:ident, $enter:path) => {
        #[inline(never)]
        unsafe extern "C" fn $name(
            frame: *mut Frame,
            the_loop: *const LoopRecord,
            ident: *const (),
            thread: i32,
        ) -> Option<StartFn> {
            // SAFETY: passed on.
            unsafe { begin_loop::<true>(frame, the_loop, ident, thread, own_bounds(frame), $enter) }
        }
    };
}
enter_loop!(enter_own_loop, hooks::enter);
enter_loop!(enter_changed_loop, enter_changed);
enter_loop!(enter_learned_loop, enter_learned);

unsafe extern "C" fn enter_by_begin(
    frame: *mut Frame,
    the_loop: *const LoopRecord,
    ident: *const (),
    thread: i32,
) -> Option<StartFn> {
    // SAFETY: the entry is one of the ABI's version.
    unsafe {
        let module = &*(&raw const (*frame).module).cast::<*const ModuleRecord>().read();
        let begin = transmute::<*mut (), BeginFn>(module.begin.load(Ordering::Acquire));
        let Bounds { lower, upper, stride, last } = own_bounds(frame);
        begin(frame, the_loop, ident, thread, lower, upper, stride, last)
    }
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
