//! The thread's `errno`, which a program may look at long after the call that set it.

use libc::c_int;

/// It is as it was once this is dropped.
pub struct Errno(c_int);

impl Errno {
    pub fn keep() -> Errno {
        // SAFETY: this thread's `errno`.
        Errno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}
