//! What libotf2 calls: to complain, before writing, and for locks. None of these unwinds.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::catch_unwind;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use super::symbols::{
    CALLBACK_ERROR, CALLBACK_SUCCESS, CallbackCode, Data, ErrorCode, FILETYPE_EVENTS, FLUSH, FlushCallbacks,
    LockingCallbacks, MemoryCallbacks, SUCCESS,
};

thread_local! {
    /// The thread's first complaint: code and text. A full disk often shows here only, because closing says that all is well.
    static COMPLAINT: RefCell<Option<(ErrorCode, String)>> = const { RefCell::new(None) };
}

/// What the library complained of to this thread since the last call.
pub(super) fn complaint() -> Option<(ErrorCode, String)> {
    COMPLAINT.take()
}

/// `OTF2_ErrorCallback`, in place of printing.
///
/// # Safety
///
/// `format` and `arguments` belong together, as the library has them.
pub(super) unsafe extern "C" fn complain(
    _: Data,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: ErrorCode,
    format: *const c_char,
    arguments: *mut c_void,
) -> ErrorCode {
    // Below are warnings.
    if code > SUCCESS {
        let _ = catch_unwind(|| {
            // SAFETY: as our caller promises.
            let text = unsafe { formatted(format, arguments) };
            COMPLAINT.with_borrow_mut(|first| {
                first.get_or_insert((code, text));
            });
        });
    }
    code
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe extern "C" {
    /// `stdio.h`; `va_list` is an address there.
    fn vsnprintf(to: *mut c_char, size: usize, format: *const c_char, arguments: *mut c_void) -> i32;
}

/// # Safety
///
/// As [`complain`].
unsafe fn formatted(format: *const c_char, arguments: *mut c_void) -> String {
    if format.is_null() {
        return String::new();
    }
    let mut text = [0; 1024];
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the buffer has `text.len()` bytes; the rest our caller promises.
    let length = unsafe { vsnprintf(text.as_mut_ptr(), text.len(), format, arguments) };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let length = {
        let _ = arguments;
        -1
    };
    let text = match length {
        // SAFETY: `vsnprintf` has ended the text with a zero.
        0.. => unsafe { CStr::from_ptr(text.as_mut_ptr()) },
        // SAFETY: a format is a C string.
        _ => unsafe { CStr::from_ptr(format) },
    };
    text.to_string_lossy().into_owned()
}

/// A buffer that is full goes to its file.
pub(super) static FLUSHING: FlushCallbacks = FlushCallbacks {
    pre_flush,
    // Nobody ran meanwhile: there is no flush to be recorded.
    post_flush: None,
};

unsafe extern "C" fn pre_flush(_: Data, _: u8, _: u64, _: Data, _: bool) -> u8 {
    FLUSH
}

/// Memory. Left to itself, the library collects up to 128 MiB of each location before writing any.
pub(super) static MEMORY: MemoryCallbacks = MemoryCallbacks { allocate, free_all };

/// Memory of files that are done: for the next, as fresh memory takes many times as long as a location with a few events.
static SPARE: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

const MOST_SPARE: usize = 64;

/// A chunk of so many words; `None`: there is no memory.
fn chunk(words: usize) -> Option<Vec<u64>> {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = spare.iter().position(|chunk| chunk.capacity() == words) {
        return Some(spare.swap_remove(index));
    }
    drop(spare);
    let mut chunk = Vec::new();
    chunk.try_reserve_exact(words).ok()?;
    Some(chunk)
}

pub(super) fn free_spare() {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

#[derive(Default)]
struct Chunks {
    chunks: Vec<Vec<u64>>,
    used: usize,
}

/// No memory means: write what is there, and ask again.
unsafe extern "C" fn allocate(_: Data, file: u8, _: u64, of_file: *mut Data, size: u64) -> Data {
    let most = match file {
        FILETYPE_EVENTS => 1,
        // Definitions are few, and not read back from where they were written to.
        _ => usize::MAX,
    };
    // SAFETY: the library's place for what belongs to the file: null, or what is stored here.
    let memory = unsafe {
        if (*of_file).is_null() {
            *of_file = Box::into_raw(Box::<Chunks>::default()).cast();
        }
        &mut *(*of_file).cast::<Chunks>()
    };
    if memory.used == most {
        return null_mut();
    }
    if memory.used == memory.chunks.len() {
        let Some(chunk) = chunk((size as usize).div_ceil(8)) else { return null_mut() };
        memory.chunks.push(chunk);
    }
    memory.used += 1;
    memory.chunks[memory.used - 1].as_mut_ptr().cast()
}

unsafe extern "C" fn free_all(_: Data, _: u8, _: u64, of_file: *mut Data, last: bool) {
    // SAFETY: as above.
    let chunks = unsafe { (*of_file).cast::<Chunks>() };
    if chunks.is_null() {
        return;
    }
    // SAFETY: `allocate` made the memory; the library uses a file in one thread at a time.
    unsafe {
        (*chunks).used = 0;
        if last {
            *of_file = null_mut();
            let chunks = Box::from_raw(chunks);
            let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MOST_SPARE.saturating_sub(spare.len());
            spare.extend(chunks.chunks.into_iter().take(room));
        }
    }
}

/// Locks, since the locations of several processes are written at the same time.
pub(super) static LOCKING: LockingCallbacks = LockingCallbacks { release: None, create, destroy, lock, unlock };

fn done(result: i32) -> CallbackCode {
    if result == 0 { CALLBACK_SUCCESS } else { CALLBACK_ERROR }
}

unsafe extern "C" fn create(_: Data, to: *mut Data) -> CallbackCode {
    let lock = Box::into_raw(Box::new(libc::PTHREAD_MUTEX_INITIALIZER));
    // SAFETY: the library's place for the lock.
    unsafe { to.write(lock.cast()) };
    CALLBACK_SUCCESS
}

unsafe extern "C" fn destroy(_: Data, lock: Data) -> CallbackCode {
    if lock.is_null() {
        return CALLBACK_SUCCESS;
    }
    let lock = lock.cast::<libc::pthread_mutex_t>();
    // SAFETY: `create` made the lock, and the library destroys each once, when nobody holds the lock.
    let result = unsafe { libc::pthread_mutex_destroy(lock) };
    // SAFETY: the lock came from a box, and is used no more.
    drop(unsafe { Box::from_raw(lock) });
    done(result)
}

unsafe extern "C" fn lock(_: Data, lock: Data) -> CallbackCode {
    // SAFETY: `create` made the lock, which has not been moved since.
    done(unsafe { libc::pthread_mutex_lock(lock.cast()) })
}

unsafe extern "C" fn unlock(_: Data, lock: Data) -> CallbackCode {
    // SAFETY: as above, and this thread holds the lock.
    done(unsafe { libc::pthread_mutex_unlock(lock.cast()) })
}
