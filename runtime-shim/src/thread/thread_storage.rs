//! Where a thread keeps what it does, found in a few instructions: each hook and each event of a task asks.
//!
//! A shared library that may be opened at run time usually finds thread-local storage by a call of
//! `__tls_get_addr`, which keeps no register. The ABI's other dialect, descriptors, keeps all of them, and takes two
//! instructions where libc has room for the storage beside the program's own. No stable flag asks rustc for it
//! on x86-64, so it is written here; on AArch64 it is what `thread_local!` does.

use core::ffi::c_uint;

use ompt::raw::{Data, EVENT_THREAD_BEGIN, ThreadBeginFn};

use crate::chain::{Chain, pass_on};
use crate::collector::thread::Collected;
use crate::task::creation::Creation;
use crate::thread::Thread;
use crate::thread::region_cache::Standing;

/// What a thread keeps. All bits 0 is a thread that does nothing of interest.
#[repr(C)]
struct Local {
    // First, as its address goes through many hands.
    creation: Creation,
    thread: Thread,
    collected: Collected,
    standing: Standing,
}

/// glibc has room for 512 bytes beside the program's own (`glibc.rtld.optional_static_tls`), and Rust's library takes some of them. What is
/// larger is found by a call that takes thirty instructions more in each hook.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Local>() <= 360);

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod place {
    use core::arch::{asm, global_asm};
    use core::mem::{align_of, size_of};
    use core::sync::atomic::{AtomicIsize, Ordering};

    use super::Local;

    global_asm!(
        ".pushsection .tbss.__ompchunk_local, \"awT\", @nobits",
        ".balign {align}",
        ".hidden __ompchunk_local",
        ".globl __ompchunk_local",
        ".type __ompchunk_local, @object",
        "__ompchunk_local:",
        ".skip {size}",
        ".size __ompchunk_local, {size}",
        ".popsection",
        size = const size_of::<Local>(),
        align = const align_of::<Local>(),
    );

    /// Where a thread's is, seen from its control block, if that is the same on every thread; else 0.
    pub(crate) static DISTANCE: AtomicIsize = AtomicIsize::new(0);

    /// The same as [`address`], in two instructions. Only after [`is_near`] has said yes.
    #[inline(always)]
    pub(crate) fn near() -> *const Local {
        let address;
        // SAFETY: as in `control_block`, and a word of 64 bits. In one register, which the compiler else makes two of.
        unsafe {
            asm!(
                "movq %fs:0, {0}",
                "addq {distance}(%rip), {0}",
                out(reg) address,
                distance = sym DISTANCE,
                options(att_syntax, nostack, readonly),
            );
        }
        address
    }

    /// Whether libc had room for the storage beside the program's own.
    pub(crate) fn is_near() -> bool {
        // The first call may be what resolves the descriptor.
        let distance = address().addr().wrapping_sub(control_block().addr()) as isize;
        let descriptor: *const isize;
        // SAFETY: the first half of the sequence below. It gives the descriptor's address, or the distance itself where
        // the linker knew it.
        unsafe {
            asm!(
                "leaq __ompchunk_local@tlsdesc(%rip), {0}",
                out(reg) descriptor,
                options(att_syntax, nostack, preserves_flags),
            );
        }
        // Such storage lies below the control block. What another kind of descriptor holds is an address, which is
        // never below 0.
        let near = distance < 0
            && (descriptor.addr() as isize == distance
                // SAFETY: not the distance, so it is a descriptor: two words, the second an argument.
                || unsafe { descriptor.add(1).read_volatile() } == distance);
        DISTANCE.store(if near { distance } else { 0 }, Ordering::Relaxed);
        near
    }

    #[inline(always)]
    fn control_block() -> *const u8 {
        let address;
        // SAFETY: the first word of the control block is its own address (x86-64 ABI, variant II).
        unsafe {
            asm!("movq %fs:0, {0}", out(reg) address, options(att_syntax, nostack, readonly, preserves_flags));
        }
        address
    }

    #[inline(always)]
    pub(crate) fn address() -> *const Local {
        let address;
        // SAFETY: the sequence that linkers know and may replace. It changes `rax` alone; in some versions of
        // libc its rare slow way also changes vector registers.
        unsafe {
            asm!(
                "leaq __ompchunk_local@tlsdesc(%rip), %rax",
                "call *__ompchunk_local@tlscall(%rax)",
                "addq %fs:0, %rax",
                out("rax") address,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                options(att_syntax, readonly),
            );
        }
        address
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod place {
    use super::Local;

    thread_local! {
        // SAFETY: all bits 0 is a thread that does nothing of interest.
        static HERE: Local = const { unsafe { core::mem::zeroed() } };
    }

    #[inline]
    pub(crate) fn address() -> *const Local {
        HERE.with(core::ptr::from_ref)
    }

    pub(crate) fn is_near() -> bool {
        true
    }

    pub(crate) use self::address as near;
}

#[cfg(target_arch = "x86_64")]
pub(crate) use self::place::DISTANCE;
/// Where [`near_thread`] is behind the control block and [`DISTANCE`].
#[cfg(target_arch = "x86_64")]
pub(crate) const THREAD_AT: usize = core::mem::offset_of!(Local, thread);

/// What the calling thread keeps of something.
macro_rules! kept {
    ($($part:ident: $type:ty),+) => {$(
        #[inline(always)]
        pub(crate) fn $part<'thread>() -> &'thread $type {
            // SAFETY: memory of this thread's, which lives as long as it; each part is made of cells and is not `Sync`, so the reference
            // stays on the thread.
            unsafe { &(*place::address()).$part }
        }
    )+};
}
kept!(creation: Creation, thread: Thread, collected: Collected, standing: Standing);

/// Whether [`near_thread`] may be called.
pub(crate) fn is_near() -> bool {
    place::is_near()
}

/// Whether that has said yes.
#[inline(always)]
pub(crate) fn was_near() -> bool {
    #[cfg(target_arch = "x86_64")]
    return DISTANCE.load(core::sync::atomic::Ordering::Relaxed) != 0;
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// The same as [`thread`], in fewer instructions if it is `NEAR`. Safety: then [`is_near`] has said yes.
#[inline(always)]
pub(crate) unsafe fn thread_at<'thread, const NEAR: bool>() -> &'thread Thread {
    // SAFETY: passed on.
    if NEAR { unsafe { near_thread() } } else { thread() }
}

/// The same as [`thread`] in fewer instructions. Safety: [`is_near`] has said yes.
#[inline(always)]
pub(crate) unsafe fn near_thread<'thread>() -> &'thread Thread {
    // SAFETY: as above, says the caller.
    unsafe { &(*place::near()).thread }
}

// What is asked of the calling thread, and when it is heard of first.

pub(crate) static THREAD_BEGIN: Chain<ThreadBeginFn> = Chain::new(EVENT_THREAD_BEGIN, on_thread_begin);

/// The shim's own thread-begin callback: the first access to thread-local storage may allocate it, if the
/// shim was opened with `dlopen`. Here it may; in a signal handler of the tool's it must not.
/// Safety: the runtime's arguments.
pub(crate) unsafe extern "C" fn on_thread_begin(thread_type: c_uint, thread_data: *mut Data) {
    thread().starting.set(false);
    pass_on!(THREAD_BEGIN(thread_type, thread_data));
}
