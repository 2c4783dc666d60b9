//! The entry point: a list of records, each with a request and room for its answer.
//!
//! The list is the collector's and may hold anything. A record counts only if its size is right and its memory is there;
//! else the rest of the list is left alone.

use core::ffi::{c_int, c_void};
use core::mem::{align_of, size_of};
use std::panic::catch_unwind;

use ompchunk_guest::errno::Errno;

use super::codes::{
    Code, EVENTS, REQ_CURRENT_PRID, REQ_PARENT_PRID, REQ_PAUSE, REQ_REGISTER, REQ_RESUME, REQ_START, REQ_STATE,
    REQ_STOP, REQ_UNREGISTER,
};
use super::memory::Memory;
use super::session::{self, Callback};
use super::{answers, listen};
use crate::slot::from_word;

/// What stands before `mem`: four integers.
const HEADER: usize = 16;
/// An integer, and directly behind it, aligned to nothing, a pointer: what many collectors send.
const PACKED: usize = HEADER + 4 + 8;
/// The same as a C structure, which begins at a multiple of 8.
const PADDED: usize = HEADER + 16;

const _: () = assert!(size_of::<Callback>() == 8 && align_of::<u64>() == 8);

/// `__omp_collector_api`. `arg` is a list of records: four 32-bit integers, `sz`, `r`, `ec`, `rsz`, and then `mem`; `sz` is the
/// bytes from the record's begin to the next one's, and 0 ends the list. Returns 0 if all were processed, whatever their error
/// codes say, else -1. Safety: what a record gives as a callback is a function that takes an event. All else is checked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omp_collector_api(arg: *mut c_void) -> c_int {
    // A signal handler may ask.
    let _errno = Errno::keep();
    catch_unwind(|| process_all(arg.addr())).unwrap_or(false) as c_int - 1
}

/// Processes one record after the other. False: something is wrong with the list.
fn process_all(mut address: usize) -> bool {
    let mut memory = Memory::new();
    loop {
        if address == 0 || address % 4 != 0 || !memory.can_read(address) {
            return false;
        }
        // SAFETY: aligned, and can be read.
        let stated = unsafe { read::<c_int>(address) };
        if stated == 0 {
            return true;
        }
        let size = usize::try_from(stated).unwrap_or(0);
        let Some(next) = address.checked_add(size) else { return false };
        // The request stays what it is, the two words behind it are the answer's.
        let is_record =
            size >= HEADER && size % 4 == 0 && memory.can_read(address + 4) && memory.can_write(address + 8, 8);
        if !is_record {
            return false;
        }
        let record = Record { address, size };
        let answer = record.process(&mut memory);
        let (code, returned) = answer.unwrap_or((Code::Error, 0));
        // SAFETY: both can be written.
        unsafe {
            write(address + 8, code as c_int);
            write(address + 12, returned as c_int);
        }
        if answer.is_none() {
            return false;
        }
        address = next;
    }
}

/// Safety: as many bytes as `T` has can be read there; they need not be aligned.
unsafe fn read<T: Copy>(address: usize) -> T {
    // SAFETY: says the caller.
    unsafe { core::ptr::with_exposed_provenance::<T>(address).read_unaligned() }
}

/// Safety: as many bytes as `T` has can be written there; they need not be aligned.
unsafe fn write<T: Copy>(address: usize, value: T) {
    // SAFETY: says the caller.
    unsafe { core::ptr::with_exposed_provenance_mut::<T>(address).write_unaligned(value) };
}

/// A record whose header is there.
struct Record {
    address: usize,
    size: usize,
}

/// An error code, and how many bytes of `mem` the answer takes, or would.
type Answer = (Code, usize);

impl Record {
    /// Does what it asks. None: its memory is not there.
    fn process(&self, memory: &mut Memory) -> Option<Answer> {
        // SAFETY: the header can be read.
        let request = unsafe { read::<c_int>(self.address + 4) };
        if !(REQ_START..=REQ_RESUME).contains(&request) {
            return Some((Code::Unknown, 0));
        }
        if request == REQ_START {
            return Some((listen::start(), 0));
        }
        if session::number().is_none() {
            return Some((Code::Sequence, 0));
        }
        match request {
            REQ_STOP => Some((listen::stop(), 0)),
            REQ_PAUSE | REQ_RESUME => {
                session::pause(request == REQ_PAUSE);
                Some((Code::Ok, 0))
            }
            REQ_REGISTER | REQ_UNREGISTER => self.registration(request == REQ_REGISTER, memory).map(|code| (code, 0)),
            REQ_STATE => self.state(memory),
            REQ_CURRENT_PRID => self.region(memory, || Ok(answers::current())),
            REQ_PARENT_PRID => self.region(memory, answers::parent),
            _ => Some((Code::Unknown, 0)),
        }
    }

    fn mem(&self) -> usize {
        self.address + HEADER
    }

    /// Where a pointer behind an integer stands: as in a C structure if there is room for one, else directly behind. None: nowhere.
    fn behind(&self) -> Result<usize, Code> {
        match self.size {
            PADDED.. if self.address % 8 != 0 => Err(Code::Error),
            PADDED.. => Ok(self.mem() + 8),
            PACKED.. => Ok(self.mem() + 4),
            _ => Err(Code::Error),
        }
    }

    fn registration(&self, registers: bool, memory: &mut Memory) -> Option<Code> {
        if self.size < HEADER + 4 {
            return Some(Code::Error);
        }
        if !memory.can_read(self.mem()) {
            return None;
        }
        // SAFETY: can be read.
        let event = unsafe { read::<c_int>(self.mem()) };
        let Some(event) = usize::try_from(event).ok().filter(|event| (1..EVENTS).contains(event)) else {
            return Some(Code::Unknown);
        };
        if !registers {
            return Some(session::register(event, None));
        }
        let place = match self.behind() {
            Ok(place) => place,
            Err(code) => return Some(code),
        };
        if !memory.can_read(place) || !memory.can_read(place + 4) {
            return None;
        }
        // SAFETY: can be read, both halves.
        let function = unsafe { read::<*mut ()>(place) };
        // SAFETY: null, or such a function, says the caller of the entry point.
        let callback = unsafe { from_word::<Callback>(function) };
        Some(callback.map_or(Code::Error, |callback| listen::register(event, callback)))
    }

    /// The state, and behind it what the thread waits for, where there is room and such a thing.
    fn state(&self, memory: &mut Memory) -> Option<Answer> {
        let whole = PADDED - HEADER;
        if self.size < HEADER + 4 {
            return Some((Code::TooSmall, whole));
        }
        if self.size >= PADDED && self.address % 8 != 0 {
            return Some((Code::Error, 0));
        }
        if !memory.can_write(self.mem(), 4) {
            return None;
        }
        let (state, wait_id) = answers::state();
        // SAFETY: can be written.
        unsafe { write(self.mem(), state) };
        let (Some(id), Ok(place)) = (wait_id, self.behind()) else { return Some((Code::Ok, 4)) };
        if !memory.can_write(place, 8) {
            return None;
        }
        // SAFETY: can be written.
        unsafe { write(place, id) };
        Some((Code::Ok, place + 8 - self.mem()))
    }

    fn region(&self, memory: &mut Memory, id: impl FnOnce() -> Result<u64, Code>) -> Option<Answer> {
        if self.size < HEADER + 8 {
            return Some((Code::TooSmall, 8));
        }
        if self.address % 8 != 0 {
            return Some((Code::Error, 0));
        }
        let id = match id() {
            Ok(id) => id,
            Err(code) => return Some((code, 0)),
        };
        if !memory.can_write(self.mem(), 8) {
            return None;
        }
        // SAFETY: can be written.
        unsafe { write(self.mem(), id) };
        Some((Code::Ok, 8))
    }
}
