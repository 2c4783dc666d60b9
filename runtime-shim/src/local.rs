//! Where a thread keeps the creation of a task, found in a few instructions: each event of a task asks.
//!
//! A shared library that may be opened at run time usually finds thread-local storage by a call of
//! `__tls_get_addr`, which keeps no register. The ABI's other dialect, descriptors, keeps all of them, and takes two
//! instructions where libc has room for the storage beside the program's own. No stable flag asks rustc for it
//! on x86-64, so it is written here; on AArch64 it is what `thread_local!` does.

use crate::creation::Creation;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod place {
    use core::arch::{asm, global_asm};
    use core::mem::{align_of, size_of};

    use super::Creation;

    // All bits 0, which is a creation that is none.
    global_asm!(
        ".pushsection .tbss.__ompchunk_creation, \"awT\", @nobits",
        ".balign {align}",
        ".hidden __ompchunk_creation",
        ".globl __ompchunk_creation",
        ".type __ompchunk_creation, @object",
        "__ompchunk_creation:",
        ".skip {size}",
        ".size __ompchunk_creation, {size}",
        ".popsection",
        size = const size_of::<Creation>(),
        align = const align_of::<Creation>(),
    );

    #[inline(always)]
    pub(super) fn address() -> *const Creation {
        let address;
        // SAFETY: the sequence that linkers know and may replace. It changes `rax` alone; in some versions of
        // libc its rare slow way also changes vector registers.
        unsafe {
            asm!(
                "leaq __ompchunk_creation@tlsdesc(%rip), %rax",
                "call *__ompchunk_creation@tlscall(%rax)",
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
    use super::Creation;

    thread_local! {
        static HERE: Creation = const { Creation::NONE };
    }

    #[inline]
    pub(super) fn address() -> *const Creation {
        HERE.with(core::ptr::from_ref)
    }
}

/// The calling thread's.
#[inline(always)]
pub(crate) fn creation<'thread>() -> &'thread Creation {
    // SAFETY: memory of this thread's, which lives as long as it; a `Creation` is made of cells and is not `Sync`,
    // so the reference stays on the thread.
    unsafe { &*place::address() }
}
