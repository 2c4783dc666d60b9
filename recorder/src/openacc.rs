//! A profiling library of OpenACC (`acc_prof.h`): a runtime loads it by `ACC_PROFLIB` and says by which function it is
//! asked for events. Until the first of them nothing is done: programs that never use OpenACC pay for the registration
//! alone. Where there is an OMPT runtime too, whichever comes first begins the part, and both write to it.

pub(crate) mod acc_lane;
pub(crate) mod target;

use std::ffi::{c_char, c_int, c_void};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

use ompchunk_guest::floats::Floats;
use ompchunk_trace_format::layout::MOST_TEXT;
use ompchunk_trace_format::{AccDetail, AccOperation, AccSite, NOBODY, Settings, openacc};

use crate::part::complain::print;
use crate::recorder::guard;
use crate::registration::setup::{Setup, Source};
use crate::registration::starter::NEW;
use crate::{clock, part::fork, recorder, registration::setup, registration::starter};

/// Runtimes that have asked, by their function: a library that is named twice would else be told all twice.
static RUNTIMES: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

const ON: u32 = 1;
/// It cannot, and that was said.
const REFUSED: u32 = 2;
static STATE: AtomicU32 = AtomicU32::new(NEW);
/// The process that is about to begin it; 0: none. Of a parent that forked meanwhile, nobody.
static STARTER: AtomicU32 = AtomicU32::new(0);

/// Called by an OpenACC runtime when it has loaded this library.
///
/// # Safety
///
/// The functions are the runtime's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_register_library(register: Option<Register>, _: Option<Register>, _: Option<Lookup>) {
    guard(|| {
        let Some(register) = register else { return };
        if !is_new(register as *const () as usize) {
            return;
        }
        for (event, callback) in (1..=openacc::LAST_EVENT).zip(CALLBACKS) {
            // SAFETY: the runtime's function, which may be called now; each callback stays as long as this library.
            unsafe { register(event as i32, callback, REGISTER) };
        }
    });
}

fn is_new(address: usize) -> bool {
    let look = |slot: &AtomicUsize| match slot.compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Some(true),
        Err(known) => (known == address).then_some(false),
    };
    RUNTIMES.iter().find_map(look).unwrap_or(false)
}

/// Some event has come: the part lasts until the process ends, not only until the OMPT runtime does.
pub(crate) fn is_in_use() -> bool {
    STATE.load(Ordering::Acquire) == ON
}

unsafe extern "C" fn happens<const EVENT: u32>(info: *mut c_void, event_info: *mut c_void, _api: *mut c_void) {
    guard(|| {
        if STATE.load(Ordering::Acquire) != ON && !begins() {
            return;
        }
        // SAFETY: what the runtime passes to a callback of this event.
        let (operation, site) = unsafe { read(EVENT, info, event_info) };
        recorder::with_lane_of_device(|lane, now| lane.acc_happens(now, operation, &site));
    });
}

/// The first event. False: nothing is recorded, and it was said why.
#[cold]
fn begins() -> bool {
    let known = starter::begin(&STATE, &STARTER, std::process::id(), thread::yield_now);
    if known != NEW {
        return known == ON;
    }
    let begun = catch_unwind(start).unwrap_or_else(|_| Err("the recorder failed".into()));
    let state = match begun {
        Ok(()) => ON,
        Err(message) => {
            print(format_args!("{message}"));
            REFUSED
        }
    };
    starter::begun(&STATE, &STARTER, state);
    state == ON
}

fn start() -> Result<(), String> {
    let _floats = Floats::keep();
    setup::refuse_privileges()?;
    fork::watch();
    let (directory, settings, clock) = (setup::directory(), Settings::read()?, clock::start());
    recorder::start(Setup { directory, settings, clock, source: Source::default() })
}

macro_rules! callbacks {
    ($($event:literal)*) => { [$(happens::<$event>),*] };
}

const CALLBACKS: [Callback; 25] = callbacks!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
const _: () = assert!(CALLBACKS.len() == openacc::LAST_EVENT as usize);

// What `acc_prof.h` declares, as far as it is used: OpenACC 2.6 and later, chapter 5. A structure says itself how much of it is valid
// (`valid_bytes`): a field beyond that is not read, and neither is anything behind a null pointer.

/// `acc_prof_callback`; all three may be null.
pub(crate) type Callback = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void);
/// `acc_prof_reg`: event, callback, `acc_register_t`.
pub(crate) type Register = unsafe extern "C" fn(c_int, Callback, c_int);
/// `acc_prof_lookup_func`
pub(crate) type Lookup = unsafe extern "C" fn(*const c_char) -> *mut c_void;

/// `acc_reg` of `acc_register_t`
const REGISTER: c_int = 0;

const VALID_BYTES: usize = 4;

/// `acc_prof_info`
mod info_field {
    pub(super) const DEVICE_TYPE: usize = 12;
    pub(super) const DEVICE_NUMBER: usize = 16;
    pub(super) const ASYNC: usize = 24;
    pub(super) const ASYNC_QUEUE: usize = 32;
    pub(super) const SRC_FILE: usize = 40;
    pub(super) const FUNC_NAME: usize = 48;
    pub(super) const LINE_NO: usize = 56;
    pub(super) const END_LINE_NO: usize = 60;
    pub(super) const FUNC_LINE_NO: usize = 64;
    pub(super) const FUNC_END_LINE_NO: usize = 68;
}

/// `acc_event_info`: what all of its forms begin with, and what those of data and of launches go on with.
mod event_field {
    pub(super) const PARENT_CONSTRUCT: usize = 8;
    pub(super) const IMPLICIT: usize = 12;
    /// `var_name` or `kernel_name`
    pub(super) const NAME: usize = 24;
    /// `bytes`, `host_ptr`, `device_ptr`; `num_gangs`, `num_workers`, `vector_length`
    pub(super) const NUMBERS: [usize; 3] = [32, 40, 48];
}

#[derive(Clone, Copy)]
struct Fields {
    at: *const u8,
    valid: usize,
}

impl Fields {
    /// Safety: null, or a structure that is as long as it says, and at least up to where it says so.
    unsafe fn at_address(at: *const c_void) -> Fields {
        let at = at.cast::<u8>();
        if at.is_null() {
            return Fields { at, valid: 0 };
        }
        // SAFETY: the caller's promise. Runtimes may build it anywhere, so no alignment is taken for granted.
        let valid = unsafe { at.add(VALID_BYTES).cast::<c_int>().read_unaligned() };
        Fields { at, valid: usize::try_from(valid).unwrap_or(0) }
    }

    fn read<T: Copy>(self, at: usize) -> Option<T> {
        if at + size_of::<T>() > self.valid {
            return None;
        }
        // SAFETY: within what is valid, and `T` is a number or a pointer, of which any bits are one.
        Some(unsafe { self.at.add(at).cast::<T>().read_unaligned() })
    }

    /// 0 and less: not known.
    fn line(self, at: usize) -> u32 {
        self.read::<c_int>(at).and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
    }

    /// Safety: what is there is null or a string, which stays as long as the callback runs.
    unsafe fn text<'a>(self, at: usize) -> &'a [u8] {
        let text = self.read::<*const u8>(at).unwrap_or(std::ptr::null());
        if text.is_null() {
            return &[];
        }
        // SAFETY: a string: nothing is read behind its terminating zero.
        unsafe {
            let size = (0..MOST_TEXT).take_while(|index| *text.add(*index) != 0).count();
            std::slice::from_raw_parts(text, size)
        }
    }
}

/// The operation, its site not numbered yet, and the site. Safety: the arguments of a callback of that event.
unsafe fn read<'a>(event: u32, info: *const c_void, event_info: *const c_void) -> (AccOperation, AccSite<'a>) {
    // SAFETY: the caller's promise.
    let (fields, what) = unsafe { (Fields::at_address(info), Fields::at_address(event_info)) };
    let has_name = !matches!(AccDetail::from_numbers(event, [None; 3]), AccDetail::None);
    let numbers = event_field::NUMBERS.map(|at| if has_name { what.read(at) } else { None });
    let operation = AccOperation {
        event,
        site: NOBODY,
        construct: what.read(event_field::PARENT_CONSTRUCT).and_then(|construct: c_int| construct.try_into().ok()),
        implicit: what.read::<c_int>(event_field::IMPLICIT).map(|implicit| implicit != 0),
        device_type: fields.read(info_field::DEVICE_TYPE),
        device: fields.read(info_field::DEVICE_NUMBER).filter(|number| *number >= 0),
        asynchronous: fields.read(info_field::ASYNC),
        queue: fields.read(info_field::ASYNC_QUEUE),
        detail: AccDetail::from_numbers(event, numbers),
    };
    // SAFETY: the caller's promise: null or strings.
    let site = unsafe {
        AccSite {
            site: NOBODY,
            lines: [fields.line(info_field::LINE_NO), fields.line(info_field::END_LINE_NO)],
            function_lines: [fields.line(info_field::FUNC_LINE_NO), fields.line(info_field::FUNC_END_LINE_NO)],
            file: fields.text(info_field::SRC_FILE),
            function: fields.text(info_field::FUNC_NAME),
            name: if has_name { what.text(event_field::NAME) } else { &[] },
        }
    };
    (operation, site)
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// As the header has it on 64-bit systems.
    #[repr(C)]
    struct Info {
        event: c_int,
        valid_bytes: c_int,
        version: c_int,
        device_type: c_int,
        device_number: c_int,
        thread_id: c_int,
        asynchronous: isize,
        queue: isize,
        file: *const c_char,
        function: *const c_char,
        lines: [c_int; 4],
    }

    #[repr(C)]
    struct Launch {
        event: c_int,
        valid_bytes: c_int,
        construct: c_int,
        implicit: c_int,
        tool_info: *mut c_void,
        name: *const c_char,
        numbers: [usize; 3],
    }

    fn info(valid_bytes: c_int) -> Info {
        Info {
            event: 18,
            valid_bytes,
            version: 201_711,
            device_type: 5,
            device_number: 1,
            thread_id: 0,
            asynchronous: 3,
            queue: 4,
            file: c"a.c".as_ptr(),
            function: c"f".as_ptr(),
            lines: [10, 20, 5, -1],
        }
    }

    fn read_of(info: &Info, launch: &Launch) -> (AccOperation, AccSite<'static>) {
        // SAFETY: both are structures of this kind, and their strings are constants.
        unsafe { read(18, std::ptr::from_ref(info).cast(), std::ptr::from_ref(launch).cast()) }
    }

    fn launch(valid_bytes: c_int) -> Launch {
        Launch {
            event: 18,
            valid_bytes,
            construct: 1,
            implicit: 0,
            tool_info: std::ptr::null_mut(),
            name: c"kernel".as_ptr(),
            numbers: [7, 8, 9],
        }
    }

    /// Whatever a structure says of its length, what it has is read and what it lacks is not.
    #[test]
    fn no_field_beyond_what_is_valid() {
        let whole = read_of(&info(72), &launch(56));
        assert_eq!(whole.1.lines, [10, 20]);
        assert_eq!(whole.1.function_lines, [5, 0]);
        assert_eq!((whole.1.file, whole.1.name), (&b"a.c"[..], &b"kernel"[..]));
        let numbers = [Some(7), Some(8), Some(9)];
        assert_eq!(whole.0.detail, AccDetail::from_numbers(18, numbers));
        assert_eq!(whole.0.asynchronous, Some(3));
        // A later version's is longer.
        assert_eq!(read_of(&info(1000), &launch(i32::MAX)), whole);
        for valid in -3..72 {
            let (operation, site) = read_of(&info(valid), &launch(24));
            assert_eq!(operation.device_type.is_some(), valid >= 16, "{valid}");
            assert_eq!(operation.device.is_some(), valid >= 20, "{valid}");
            assert_eq!(operation.asynchronous.is_some(), valid >= 32, "{valid}");
            assert_eq!(operation.queue.is_some(), valid >= 40, "{valid}");
            assert_eq!(!site.file.is_empty(), valid >= 48, "{valid}");
            assert_eq!(!site.function.is_empty(), valid >= 56, "{valid}");
            assert_eq!(site.lines[0] != 0, valid >= 60, "{valid}");
            assert_eq!(site.lines[1] != 0, valid >= 64, "{valid}");
            assert_eq!(site.name, b"");
            assert_eq!(operation.detail, AccDetail::from_numbers(18, [None; 3]));
        }
    }

    #[test]
    fn nothing_is_told_by_null() {
        // SAFETY: null may come.
        let (operation, site) = unsafe { read(16, std::ptr::null(), std::ptr::null()) };
        assert_eq!(operation, AccOperation::bare(16));
        assert_eq!(operation.site, NOBODY);
        assert_eq!(site.lines, [0, 0]);
        assert_eq!((site.file, site.function, site.name), (&b""[..], &b""[..], &b""[..]));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = [b'x'; 2 * MOST_TEXT];
        let long = [&long[..], &[0]].concat();
        let text = CStr::from_bytes_with_nul(&long).unwrap();
        let mut info = info(72);
        info.file = text.as_ptr();
        assert_eq!(read_of(&info, &launch(0)).1.file.len(), MOST_TEXT);
    }
}
