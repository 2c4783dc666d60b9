//! What is loaded, as the dynamic linker lists it.
//!
//! By `dl_iterate_phdr`, whose lock is held for a moment only. `dladdr` and `dlsym` wait for another one, which a thread holds while it
//! runs a library's constructors, and such a constructor may be waiting for us at a barrier.

use core::ffi::{CStr, c_int, c_void};

/// Calls `visit` with what is loaded, in the order of loading, until it returns true; nothing is unloaded meanwhile. It must not
/// call the dynamic linker, whose lock is held, nor allocate where other threads run: `malloc` may wait for one that waits for it.
pub fn walk<F: FnMut(&libc::dl_phdr_info) -> bool>(mut visit: F) {
    unsafe extern "C" fn each<F: FnMut(&libc::dl_phdr_info) -> bool>(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        visit: *mut c_void,
    ) -> c_int {
        // SAFETY: the dynamic linker passes a valid record for the duration of this call, and what `walk` gave it.
        unsafe { c_int::from((*visit.cast::<F>())(&*info)) }
    }
    // SAFETY: the callback fits, does not unwind short of an allocation failure, and gets a pointer that outlives the
    // call.
    unsafe { libc::dl_iterate_phdr(Some(each::<F>), (&raw mut visit).cast()) };
}

pub fn headers(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    match info.dlpi_phdr.is_null() {
        true => &[],
        // SAFETY: the dynamic linker states address and number of the program headers, which stay for the walk.
        false => unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) },
    }
}

/// Its path; nothing for the program itself.
pub fn name_of(info: &libc::dl_phdr_info) -> &[u8] {
    match info.dlpi_name.is_null() {
        true => &[],
        // SAFETY: the object's name, a string while it is loaded.
        false => unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes(),
    }
}
