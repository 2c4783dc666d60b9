//! The way from a program into its runtime: functions that jump to the runtime's with other arguments, which so returns to the program.
//! The runtime tells tools the address to which it returns, and they look for the user's line there.

use core::mem::offset_of;

use ompchunk_abi::{Frame, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_SIGNED, LoopRecord, StartFn};

use crate::hooks::chunk::Execution;
use crate::runtime::RUNTIME;
use crate::static_override::stride::{Number, Whole};
use crate::{balance, overrides::source_schedule};

/// `__kmpc_dispatch_init_*(ident, thread, schedule, lower, upper, 1, size)`
pub(crate) fn dispatch_init<N: Number>() -> StartFn {
    if N::BITS == 64 { dispatch_init_8 } else { dispatch_init_4 }
}

/// Instructions that name what a frame holds: the function to jump to, and its arguments.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! with_frame {
    ($($instruction:expr),+ $(,)?) => {
        core::arch::naked_asm!(
            $($instruction),+,
            target = const TARGET_AT, size = const SIZE_AT, thread = const THREAD_NUMBER_AT,
            lower = const offset_of!(Frame, lower), upper = const offset_of!(Frame, upper),
            schedule = const offset_of!(Frame, schedule), ident = const offset_of!(Frame, ident),
        )
    };
}

// So `&last` needs no computing.
const _: () = assert!(offset_of!(Frame, last) == 0);

/// `__kmpc_for_static_init_*(ident, thread, schedule, &last, &lower, &upper, &stride, 1, size)`
/// Safety: what [`StartFn`] says.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn static_init(_: *mut Frame) {
    #[cfg(target_arch = "x86_64")]
    with_frame!(
        "mov r11, [rdi + {target}]", "lea rax, [rdi + {upper} + 8]", "mov [rsp + 8], rax",
        "mov qword ptr [rsp + 16], 1", "mov rax, [rdi + {size}]", "mov [rsp + 24], rax", "mov rcx, rdi",
        "lea r8, [rdi + {lower}]", "lea r9, [rdi + {upper}]", "mov edx, [rdi + {schedule}]",
        "mov esi, [rdi + {thread}]", "mov rdi, [rdi + {ident}]", "jmp r11",
    );
    #[cfg(target_arch = "aarch64")]
    with_frame!(
        "ldr x16, [x0, #{target}]", "ldr x8, [x0, #{size}]", "str x8, [sp]", "add x4, x0, #{lower}",
        "add x5, x0, #{upper}", "add x6, x0, #({upper} + 8)", "mov x3, x0", "mov x7, #1", "ldr w2, [x0, #{schedule}]",
        "ldr w1, [x0, #{thread}]", "ldr x0, [x0, #{ident}]", "br x16",
    )
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! dispatch_init {
    ($name:ident, $x86_lower:literal, $x86_upper:literal, $arm_lower:literal, $arm_upper:literal) => {
        /// Safety: what [`StartFn`] says.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut Frame) {
            #[cfg(target_arch = "x86_64")]
            with_frame!(
                "mov r11, [rdi + {target}]",
                "mov rax, [rdi + {size}]",
                "mov [rsp + 8], rax",
                concat!("mov ", $x86_lower, ", [rdi + {lower}]"),
                concat!("mov ", $x86_upper, ", [rdi + {upper}]"),
                "mov r9d, 1",
                "mov edx, [rdi + {schedule}]",
                "mov esi, [rdi + {thread}]",
                "mov rdi, [rdi + {ident}]",
                "jmp r11",
            );
            #[cfg(target_arch = "aarch64")]
            with_frame!(
                "ldr x16, [x0, #{target}]",
                "ldr x6, [x0, #{size}]",
                concat!("ldr ", $arm_lower, ", [x0, #{lower}]"),
                concat!("ldr ", $arm_upper, ", [x0, #{upper}]"),
                "mov x5, #1",
                "ldr w2, [x0, #{schedule}]",
                "ldr w1, [x0, #{thread}]",
                "ldr x0, [x0, #{ident}]",
                "br x16",
            )
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
dispatch_init!(dispatch_init_4, "ecx", "r8d", "w3", "w4");
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
dispatch_init!(dispatch_init_8, "rcx", "r8", "x3", "x4");

/// The same where nobody has written it in the processor's code: by calls, so that tools get addresses of the shim's.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod by_calls {
    use core::mem::transmute;

    use super::{Frame, Number, SIZE_AT, TARGET_AT, THREAD_NUMBER_AT, bounds};

    type StaticInitFn<N> =
        unsafe extern "C" fn(*const (), i32, u32, *mut i32, *mut N, *mut N, *mut N, incr: N, chunk: N);
    type DispatchInitFn<N> = unsafe extern "C" fn(*const (), i32, u32, lower: N, upper: N, incr: N, chunk: N);

    /// The runtime's function, the chunk size and the thread.
    unsafe fn told<N: Number>(frame: *mut Frame) -> (*const (), N, i32) {
        // SAFETY: `begin` has written all.
        unsafe {
            let size = frame.byte_add(SIZE_AT).cast::<u64>().read();
            let target = frame.byte_add(TARGET_AT).cast::<*const ()>().read();
            (target, N::from_wide(size), frame.byte_add(THREAD_NUMBER_AT).cast::<i32>().read())
        }
    }

    unsafe fn static_init_of<N: Number>(frame: *mut Frame) {
        // SAFETY: `begin` has filled in the frame; the function is of the runtime's type.
        unsafe {
            let (target, size, thread) = told::<N>(frame);
            let ([lower, upper, stride], last) = (bounds::<N>(frame), &raw mut (*frame).last);
            let init = transmute::<*const (), StaticInitFn<N>>(target);
            init((*frame).ident, thread, (*frame).schedule, last, lower, upper, stride, N::ONE, size);
        }
    }

    /// Safety: what [`StartFn`](super::StartFn) says.
    pub(crate) unsafe extern "C" fn static_init(frame: *mut Frame) {
        // SAFETY: passed on.
        unsafe {
            match (*(*frame).loop_record).bits {
                32 => static_init_of::<u32>(frame),
                _ => static_init_of::<u64>(frame),
            }
        }
    }

    /// Safety: what [`StartFn`](super::StartFn) says.
    unsafe extern "C" fn dispatch_init<N: Number>(frame: *mut Frame) {
        // SAFETY: `begin` has filled in the frame; the function is of the runtime's type.
        unsafe {
            let (target, size, thread) = told::<N>(frame);
            let [lower, upper, _] = bounds::<N>(frame);
            let init = transmute::<*const (), DispatchInitFn<N>>(target);
            init((*frame).ident, thread, (*frame).schedule, lower.read(), upper.read(), N::ONE, size);
        }
    }

    pub(crate) unsafe extern "C" fn dispatch_init_4(frame: *mut Frame) {
        // SAFETY: passed on.
        unsafe { dispatch_init::<u32>(frame) }
    }

    pub(crate) unsafe extern "C" fn dispatch_init_8(frame: *mut Frame) {
        // SAFETY: passed on.
        unsafe { dispatch_init::<u64>(frame) }
    }
}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use by_calls::static_init;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use by_calls::{dispatch_init_4, dispatch_init_8};

// What a frame holds beyond what its fields say, for all that begin, run and leave an execution.

/// Bit of `Frame::on`: the runtime deals the execution's chunks instead, ...
pub(crate) const DEALT: u32 = 1 << 3;
/// ... or it runs under `static` or `static,c`.
pub(crate) const STEPPED: u32 = 1 << 4;
const _: () = assert!(DEALT | STEPPED == ompchunk_abi::ON_CHANGED);

/// Called once the runtime has a thread's first bounds, of an execution that is stepped, and then where it has run what they say: returns
/// 1, with what it runs next in the frame's bounds, or 0 if that is nothing. The one for the first chunk stands in [`Frame::chunk`], where it leaves a
/// [`ompchunk_abi::ChunkFn`] if somebody listens, and one for the others in [`Frame::next`].
pub(crate) type StepsFn = unsafe extern "C" fn(frame: *mut Frame) -> i32;

/// In a frame until the runtime has initialised the loop: the chunk size that it is given, ...
pub(crate) const SIZE_AT: usize = offset_of!(Frame, schedule) + offset_of!(Execution, parallel_data);
/// ... and the thread's number: nobody has told yet whose the loop is.
pub(crate) const THREAD_NUMBER_AT: usize = offset_of!(Frame, schedule) + offset_of!(Execution, task_data);
/// Likewise the function of the runtime that initialises the loop.
pub(crate) const TARGET_AT: usize = offset_of!(Frame, module);

/// Lower bound, upper bound and stride. Safety: memory of a frame.
#[inline(always)]
pub(crate) unsafe fn bounds<N: Number>(frame: *mut Frame) -> [*mut N; 3] {
    // SAFETY: the caller's promise.
    unsafe { [&raw mut (*frame).lower, &raw mut (*frame).upper, &raw mut (*frame).stride].map(<*mut u64>::cast) }
}

/// Which of a module's functions of the runtime are for loops of that type.
#[inline(always)]
pub(crate) fn kind(bits: u8, flags: u32) -> usize {
    usize::from(bits == 64) * 2 + usize::from(flags & LOOP_SIGNED == 0)
}

/// The chunk size in the source: the record's, or what the program tells.
/// Safety: the frame is the calling thread's, which has entered nothing with it yet, and the record that of its loop, with a chunk size or dealt.
#[inline(always)]
pub(crate) unsafe fn chunk_size(frame: *mut Frame, record: &LoopRecord) -> u64 {
    match record.flags & LOOP_CHUNK_KNOWN {
        // SAFETY: the program has written what its record says.
        0 => unsafe { (&raw const (*frame).size_then_last).read() },
        _ => i64::from(record.chunk) as u64,
    }
}

/// Schedule and chunk size by which the runtime divides a loop, alike for all threads of a team.
///
/// - Runtimes dispatch in the width of the loop's variable, which is too narrow for so many iterations: one kind they get right.
/// - Chunks of the source of which no thread has several are not put together: threads that run them at once may wait for each other.
#[inline(always)]
pub(crate) fn fitted<N: Number>(
    whole: &Whole<N>,
    record: &LoopRecord,
    (schedule, chunk): (u32, u64),
    is_dispatched: bool,
    is_served: bool,
) -> (u32, u64) {
    let distance = whole.last.minus(whole.first).wide();
    let is_wide = N::BITS == 32 && distance.saturating_add(chunk) >= i32::MAX as u64;
    let most_of_own = if record.flags & LOOP_CHUNKED == 0 { 1 } else { chunk };
    if is_dispatched && is_wide || chunk > 1 && distance <= most_of_own.saturating_mul(LARGEST_TEAM) {
        refitted(whole, record, (schedule, chunk), is_dispatched && is_wide, is_served)
    } else {
        (schedule, chunk)
    }
}

#[inline(never)]
fn refitted<N: Number>(
    whole: &Whole<N>,
    record: &LoopRecord,
    (schedule, chunk): (u32, u64),
    is_wide: bool,
    is_served: bool,
) -> (u32, u64) {
    let Some(iterations) = whole.iterations() else { return (schedule, chunk) };
    let own = source_schedule::chunk(record).map(u64::from);
    let team = RUNTIME.team_size().filter(|_| is_served);
    match own.filter(|&own| chunk > own).zip(team) {
        Some((own, team)) if !balance::has_more_chunks(iterations, own, team) => (schedule, own),
        _ if is_wide => {
            let least = (iterations >> 16).next_multiple_of(own.unwrap_or(1));
            (MONOTONIC_DYNAMIC, chunk.max(least).min(i32::MAX as u64 / 2))
        }
        _ => (schedule, chunk),
    }
}

/// `enum sched_type`: chunks in order to whoever asks.
const MONOTONIC_DYNAMIC: u32 = 35 | 1 << 29;
/// With more chunks, it is not asked whether they are as many as threads.
const LARGEST_TEAM: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_dispatch_wide_loops_in_the_kind_that_they_get_right() {
        // SAFETY: a record of numbers, for which 0 is a value.
        let record: LoopRecord = unsafe { core::mem::zeroed() };
        let loop_of = |last: u32| Whole { first: 0, last, is_signed: false };
        const GUIDED: u32 = 36;
        let fit = |last, chunk| fitted(&loop_of(last), &record, (GUIDED, chunk), true, true);
        assert_eq!(fit(100_000, 1), (GUIDED, 1));
        assert_eq!(fit(i32::MAX as u32 - 2, 1), (GUIDED, 1));
        assert_eq!(fit(i32::MAX as u32 - 1, 1), (MONOTONIC_DYNAMIC, (1 << 15) - 1));
        assert_eq!(fit(u32::MAX - 1, 7), (MONOTONIC_DYNAMIC, u64::from(u32::MAX >> 16)));
        assert_eq!(fit(1 << 30, i32::MAX as u64), (MONOTONIC_DYNAMIC, i32::MAX as u64 / 2));
        // Blocks and chunks of one thread are not dispatched; numbers of 64 bits are wide enough.
        let wide = Whole { first: 0_u64, last: u32::MAX.into(), is_signed: false };
        assert_eq!(fitted(&wide, &record, (GUIDED, 7), true, true), (GUIDED, 7));
        assert_eq!(fitted(&loop_of(u32::MAX - 1), &record, (33, 7), false, true), (33, 7));
    }
}
