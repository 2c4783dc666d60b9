//! Whether a collector's memory may be touched, asked of the kernel.
//!
//! Nothing says where a list of records ends but its last one. A size that is wrong leads anywhere, and a list without an end
//! leads past its page. So before a page is touched for the first time in a call, the kernel is asked, by system calls
//! that fail where the page is not there, work in a signal handler, and have no effect but on words that will be
//! overwritten.

use core::ptr;

/// No system has smaller pages.
const PAGE: usize = 4096;
const NONE: usize = usize::MAX;

/// What is known of the pages that a call touches.
pub(crate) struct Memory {
    readable: usize,
    writable: usize,
}

impl Memory {
    pub(crate) const fn new() -> Self {
        Self { readable: NONE, writable: NONE }
    }

    /// Whether the 4 bytes there can be read; `address` is a multiple of 4.
    pub(crate) fn can_read(&mut self, address: usize) -> bool {
        self.writable == address / PAGE || asked(&mut self.readable, address, kernel_reads)
    }

    /// Whether these bytes, up to a page, can be written. Both ends are multiples of 4. What stands in them may be lost.
    pub(crate) fn can_write(&mut self, address: usize, length: usize) -> bool {
        [Some(address), address.checked_add(length - 4)]
            .into_iter()
            .all(|word| word.is_some_and(|word| asked(&mut self.writable, word, kernel_writes)))
    }
}

/// Whether the word there is in the page of which that is known, or may be touched as the kernel says.
fn asked(known: &mut usize, address: usize, kernel: fn(usize) -> bool) -> bool {
    let page = address / PAGE;
    // Null has a meaning of its own for the kernel, and nothing is in its page.
    let is_there = *known == page || page != 0 && kernel(address);
    if is_there {
        *known = page;
    }
    is_there
}

/// Asks for something impossible with a set of signals, the aligned 8 bytes there, which lie in one page: EINVAL if it could
/// be read.
fn kernel_reads(address: usize) -> bool {
    // SAFETY: the kernel checks the address, and changes no mask for a `how` that does not exist.
    let answer = unsafe {
        let no_set = ptr::null_mut::<u64>();
        libc::syscall(libc::SYS_rt_sigprocmask, -1, address & !7, no_set, 8)
    };
    answer == 0 || !was_a_fault()
}

fn kernel_writes(address: usize) -> bool {
    // SAFETY: the kernel checks the address; the word is the caller's to lose.
    let answer = unsafe {
        let (no_node, no_cache) = (ptr::null_mut::<u32>(), ptr::null_mut::<u8>());
        libc::syscall(libc::SYS_getcpu, address, no_node, no_cache)
    };
    answer == 0 || !was_a_fault()
}

/// A kernel that refuses the question has not said no.
fn was_a_fault() -> bool {
    // SAFETY: `__errno_location` gives this thread's `errno`.
    unsafe { *libc::__errno_location() == libc::EFAULT }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages, the second without any rights.
    fn pages(rights: i32) -> usize {
        // SAFETY: new memory, which stays.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), 2 * PAGE, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            let second = start.byte_add(PAGE);
            assert_eq!(libc::mprotect(second, PAGE, libc::PROT_NONE), 0);
            start.addr()
        }
    }

    #[test]
    fn the_kernel_knows_what_is_there() {
        let both = pages(libc::PROT_READ | libc::PROT_WRITE);
        for offset in [0, 4, PAGE - 8, PAGE - 4] {
            assert!(Memory::new().can_read(both + offset), "{offset}");
            assert!(Memory::new().can_write(both + offset, 4), "{offset}");
        }
        assert!(!Memory::new().can_read(both + PAGE));
        assert!(!Memory::new().can_write(both + PAGE - 8, 16));
        assert!(Memory::new().can_write(both + PAGE - 16, 16));
        for nowhere in [0, 8, usize::MAX - 3, (usize::MAX / 2) & !3] {
            assert!(!Memory::new().can_read(nowhere), "{nowhere:#x}");
            assert!(!Memory::new().can_write(nowhere, 8), "{nowhere:#x}");
        }
        let constant = pages(libc::PROT_READ);
        assert!(Memory::new().can_read(constant));
        assert!(!Memory::new().can_write(constant, 4));
    }

    #[test]
    fn a_page_is_asked_about_once() {
        let both = pages(libc::PROT_READ | libc::PROT_WRITE);
        let mut memory = Memory::new();
        assert!(memory.can_write(both, 8));
        assert!(memory.can_read(both + 64));
        assert_eq!((memory.readable, memory.writable), (NONE, both / PAGE));
    }
}
