//! The registers from which a stack is unwound: all that differs between architectures. Elsewhere nothing is sampled.

use std::ffi::c_void;

use framehop::MustNotAllocateDuringUnwind as NoAllocation;

#[cfg(target_arch = "aarch64")]
use framehop::aarch64::{
    CacheAarch64 as CacheOf, PtrAuthMask, UnwindRegsAarch64 as Registers, UnwinderAarch64 as UnwinderOf,
};
#[cfg(not(target_arch = "aarch64"))]
use framehop::x86_64::{CacheX86_64 as CacheOf, UnwindRegsX86_64 as Registers, UnwinderX86_64 as UnwinderOf};

pub(crate) type Unwinder = UnwinderOf<Vec<u8>, NoAllocation>;
pub(crate) type Cache = CacheOf<NoAllocation>;

/// What a leaf function may use below the stack pointer.
pub(crate) const RED_ZONE: usize = 128;

#[derive(Clone, Copy)]
pub(crate) struct MachineState {
    pub(crate) pc: u64,
    pub(crate) sp: u64,
    pub(crate) registers: Registers,
}

impl MachineState {
    #[cfg(not(target_arch = "aarch64"))]
    fn new(pc: u64, sp: u64, fp: u64, _: u64) -> MachineState {
        MachineState { pc, sp, registers: Registers::new(pc, sp, fp) }
    }

    #[cfg(target_arch = "aarch64")]
    fn new(pc: u64, sp: u64, fp: u64, lr: u64) -> MachineState {
        // Addresses of user code have at most 48 bits; what is above them is a signature.
        let mask = PtrAuthMask(u64::MAX >> 16);
        MachineState { pc, sp, registers: Registers::new_with_ptr_auth_mask(mask, lr, sp, fp) }
    }

    /// Safety: `context` is what the kernel gave to the handler.
    pub(crate) unsafe fn of_signal(context: *const c_void) -> MachineState {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        // SAFETY: the caller's promise.
        let machine = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
        #[cfg(target_arch = "x86_64")]
        {
            let register = |it: i32| machine.gregs[it as usize] as u64;
            let [pc, sp, fp] = [libc::REG_RIP, libc::REG_RSP, libc::REG_RBP].map(register);
            MachineState::new(pc, sp, fp, 0)
        }
        #[cfg(target_arch = "aarch64")]
        {
            let (fp, lr) = (machine.regs[29], machine.regs[30]);
            MachineState::new(machine.pc, machine.sp, fp, lr)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = context;
            MachineState::new(0, 0, 0, 0)
        }
    }

    /// Here, in the function that this is inlined into.
    #[inline(always)]
    pub(crate) fn here() -> MachineState {
        let (pc, sp, fp, lr): (u64, u64, u64, u64);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads registers.
        unsafe {
            core::arch::asm!(
                "lea {pc}, [rip]",
                "mov {sp}, rsp",
                "mov {fp}, rbp",
                pc = out(reg) pc,
                sp = out(reg) sp,
                fp = out(reg) fp,
                options(nomem, nostack, preserves_flags)
            );
            lr = 0;
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads registers.
        unsafe {
            core::arch::asm!(
                "adr {pc}, .",
                "mov {sp}, sp",
                "mov {fp}, x29",
                "mov {lr}, x30",
                pc = out(reg) pc,
                sp = out(reg) sp,
                fp = out(reg) fp,
                lr = out(reg) lr,
                options(nomem, nostack, preserves_flags)
            );
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            (pc, sp, fp, lr) = (0, 0, 0, 0);
        }
        MachineState::new(pc, sp, fp, lr)
    }
}
