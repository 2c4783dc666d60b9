//! The crate `mutant` of a tree with mutants: which one is on. `MUTANT` in the environment is its number. Where `MUTANTS_MET` names a file,
//! which has a byte for each, none is on, and those that code comes by are marked there.
//!
//! It is asked in signal handlers, in a compiler, and in programs without memory: it allocates nothing, takes no lock, and keeps `errno`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8};

const UNKNOWN: i32 = -1;
const MARKS: i32 = -2;

static ON: AtomicI32 = AtomicI32::new(UNKNOWN);
static MET: AtomicPtr<AtomicU8> = AtomicPtr::new(null_mut());

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn atoi(text: *const c_char) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn lseek(file: c_int, offset: i64, whence: c_int) -> i64;
    fn mmap(at: *mut c_void, length: usize, rights: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn close(file: c_int) -> c_int;
    fn __errno_location() -> *mut c_int;
}

#[inline]
pub fn on(mutant: i32) -> bool {
    let on = ON.load(Acquire);
    if on >= 0 { on == mutant } else { look(mutant, on) }
}

#[cold]
fn look(mutant: i32, mut on: i32) -> bool {
    if on == UNKNOWN {
        on = learn();
    }
    let met = MET.load(Relaxed);
    if on == MARKS && !met.is_null() {
        // SAFETY: the file, which stays mapped, has a byte for each mutant.
        unsafe { &*met.add(mutant as usize) }.store(1, Relaxed);
    }
    on == mutant
}

/// Several threads may do so at once: they find out the same.
fn learn() -> i32 {
    // SAFETY: the name ends with 0, and so does what getenv finds; errno's address is this thread's own.
    let on = unsafe {
        let errno = *__errno_location();
        let met = getenv(c"MUTANTS_MET".as_ptr());
        let on = if met.is_null() {
            let text = getenv(c"MUTANT".as_ptr());
            if text.is_null() { 0 } else { atoi(text) }
        } else {
            MET.store(map(CStr::from_ptr(met)).cast(), Relaxed);
            MARKS
        };
        *__errno_location() = errno;
        on
    };
    ON.store(on, Release);
    on
}

/// All of a file; null if that does not work.
fn map(path: &CStr) -> *mut c_void {
    const READ_WRITE_CLOSED_ON_EXEC: c_int = 0o2000002;
    // SAFETY: the path ends with 0; nothing is mapped over what is there.
    unsafe {
        let file = open(path.as_ptr(), READ_WRITE_CLOSED_ON_EXEC);
        let length = lseek(file, 0, 2);
        let at = if length > 0 { mmap(null_mut(), length as usize, 3, 1, file, 0) } else { null_mut() };
        close(file);
        if at as isize == -1 { null_mut() } else { at }
    }
}
