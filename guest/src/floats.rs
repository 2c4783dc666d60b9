//! Arithmetic with fractions in a thread of the program's: its flags, which it may look at, are as before, and no trap that it has set
//! is for us.

/// The thread's, as it was. It is so again once this is dropped.
pub struct Floats(u64);

impl Floats {
    /// From now on nothing traps, and rounding is to the nearest.
    pub fn keep() -> Floats {
        let before = Floats(state());
        set(PLAIN);
        before
    }
}

impl Drop for Floats {
    fn drop(&mut self) {
        set(self.0);
    }
}

/// As a process begins: all traps off, no flags.
#[cfg(target_arch = "x86_64")]
const PLAIN: u64 = 0x1f80;
#[cfg(not(target_arch = "x86_64"))]
const PLAIN: u64 = 0;

/// Control and flags.
#[cfg(target_arch = "x86_64")]
fn state() -> u64 {
    let mut state = 0_u32;
    // SAFETY: stores the register in memory of its size.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut state, options(nostack)) };
    state.into()
}

/// What stands around it stays there: the memory that it clobbers orders it.
#[cfg(target_arch = "x86_64")]
fn set(state: u64) {
    let state = state as u32;
    // SAFETY: what the register held at some time, or as a process begins.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const state, options(nostack)) };
}

/// Control in the upper half, flags in the lower.
#[cfg(target_arch = "aarch64")]
fn state() -> u64 {
    let (control, flags): (u64, u64);
    // SAFETY: reads two registers.
    unsafe {
        core::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) flags, options(nostack));
    }
    control << 32 | flags & u64::from(u32::MAX)
}

#[cfg(target_arch = "aarch64")]
fn set(state: u64) {
    // SAFETY: what the registers held at some time, or as a process begins.
    unsafe {
        core::arch::asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) state >> 32, in(reg) state & u64::from(u32::MAX), options(nostack));
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn state() -> u64 {
    PLAIN
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn set(_: u64) {}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn flags_are_as_before() {
        let before = state();
        {
            let _floats = Floats::keep();
            black_box(black_box(1.0_f64) / black_box(3.0));
            assert_ne!(state(), PLAIN, "it is inexact");
        }
        assert_eq!(state(), before);
    }
}
