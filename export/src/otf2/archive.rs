//! An archive as libotf2 writes one, safe to call: events, then definitions, then the anchor, without which no reader accepts an
//! archive. After a failed write the library frees memory twice when anything of the archive is closed. So nothing of the archive is
//! called any more then, and its memory stays until the process ends.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use super::callbacks::{FLUSHING, LOCKING, MEMORY, complain, complaint, free_spare};
use super::symbols::{self as otf2, ErrorCode, SUCCESS, Symbols};
use crate::error::Error;

/// Score-P's name for archives: `traces.otf2`, `traces.def`, `traces/`.
pub(super) const NAME: &CStr = c"traces";

/// Timestamps are tenths of a nanosecond, as in tables.
pub(super) const TICKS_PER_SECOND: u64 = 10_000_000_000;

/// Bytes that a location's events take in memory.
pub(super) const BUFFER: usize = otf2::CHUNK_SIZE_MIN as usize;

pub(super) struct Archive {
    pub(super) symbols: Symbols,
    pub(super) raw: *mut otf2::Archive,
    directory: PathBuf,
}

// SAFETY: the archive has locks (`LOCKING`), which the library takes for everything that its locations share.
unsafe impl Sync for Archive {}

/// Text as in C, up to the first zero: the library cannot write what is behind.
pub(super) fn text(text: &[u8]) -> CString {
    let before_zero = text.split(|byte| *byte == 0).next().unwrap_or_default();
    CString::new(before_zero).unwrap_or_default()
}

impl Archive {
    /// A new one in an empty directory; `definitions`: bytes of the longest.
    pub(super) fn create(symbols: Symbols, directory: &Path, about: &str, definitions: u64) -> Result<Archive, Error> {
        let path = text(directory.as_os_str().as_bytes());
        // An older call's complaint is nobody's any more.
        drop(complaint());
        // SAFETY: the callback is there as long as the process is.
        unsafe { (symbols.Error_RegisterCallback)(Some(complain), ptr::null_mut()) };
        // SAFETY: strings that end with a zero, which the library copies.
        let raw = unsafe {
            (symbols.Archive_Open)(
                path.as_ptr(),
                NAME.as_ptr(),
                otf2::FILEMODE_WRITE,
                otf2::CHUNK_SIZE_MIN,
                definitions.clamp(otf2::CHUNK_SIZE_MIN, otf2::CHUNK_SIZE_MAX),
                otf2::SUBSTRATE_POSIX,
                otf2::COMPRESSION_NONE,
            )
        };
        let archive = Archive { symbols, raw, directory: directory.to_owned() };
        if archive.raw.is_null() {
            return Err(archive.failed(SUCCESS));
        }
        let its = &archive.symbols;
        let (mut major, mut minor, mut fix) = (0, 0, 0);
        // SAFETY: an archive that is open, and three places for a byte.
        let code = unsafe { (its.Archive_GetVersion)(raw, &mut major, &mut minor, &mut fix) };
        archive.check(code)?;
        if major != 3 {
            let why = format!("the libotf2 that is there is version {major}.{minor}.{fix}, not 3");
            return Err(Error::NoOtf2 { why });
        }
        let creator = text(concat!("ompchunk ", env!("CARGO_PKG_VERSION")).as_bytes());
        let about = text(about.as_bytes());
        let null = ptr::null_mut();
        // SAFETY: an archive that is open; callbacks that are there as long as the process is; strings that the library copies.
        let codes = unsafe {
            [
                (its.Archive_SetLockingCallbacks)(raw, &LOCKING, null),
                (its.Archive_SetMemoryCallbacks)(raw, &MEMORY, null),
                (its.Archive_SetFlushCallbacks)(raw, &FLUSHING, null),
                (its.Archive_SetSerialCollectiveCallbacks)(raw),
                (its.Archive_SetCreator)(raw, creator.as_ptr()),
                (its.Archive_SetDescription)(raw, about.as_ptr()),
                (its.Archive_OpenEvtFiles)(raw),
            ]
        };
        let mut codes = codes.into_iter();
        codes.try_for_each(|code| archive.check(code))?;
        Ok(archive)
    }

    /// Has a call of this thread gone well? A write that failed may be complained of and no more.
    pub(super) fn check(&self, code: ErrorCode) -> Result<(), Error> {
        match complaint() {
            None if code <= SUCCESS => Ok(()),
            None => Err(self.failed(code)),
            Some((code, text)) => Err(self.error(code, &text)),
        }
    }

    pub(super) fn failed(&self, code: ErrorCode) -> Error {
        let (code, text) = complaint().unwrap_or((code, String::new()));
        self.error(code, &text)
    }

    fn error(&self, code: ErrorCode, text: &str) -> Error {
        // SAFETY: takes any number, and returns a string of the library's own.
        let why = unsafe { (self.symbols.Error_GetDescription)(code) };
        let why = match why.is_null() {
            true => format!("error {code}"),
            // SAFETY: as above.
            false => unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned(),
        };
        let cause = match text {
            "" => format!("{why} (libotf2)"),
            text => format!("{why} (libotf2: {text})"),
        };
        Error::write(&self.directory, io::Error::other(cause))
    }

    /// After all events.
    pub(super) fn begin_mappings(&self) -> Result<(), Error> {
        // SAFETY: an archive that is open, of which all writers of events are closed.
        self.check(unsafe { (self.symbols.Archive_CloseEvtFiles)(self.raw) })?;
        // SAFETY: as above.
        self.check(unsafe { (self.symbols.Archive_OpenDefFiles)(self.raw) })
    }

    /// How a location's numbers become everybody's, by kind of definition.
    pub(super) fn mapping(&self, location: u64, tables: &[(u8, Vec<u32>)]) -> Result<(), Error> {
        let its = &self.symbols;
        // SAFETY: files of definitions are open.
        let writer = unsafe { (its.Archive_GetDefWriter)(self.raw, location) };
        if writer.is_null() {
            return Err(self.failed(SUCCESS));
        }
        for (kind, table) in tables.iter().filter(|(_, table)| !table.is_empty()) {
            let (length, numbers) = (table.len() as u64, table.as_ptr());
            // SAFETY: `length` numbers, which the library copies.
            let map = unsafe { (its.IdMap_CreateFromUint32Array)(length, numbers, false) };
            if map.is_null() {
                return Err(self.failed(SUCCESS));
            }
            // SAFETY: a writer that is open, and a map that is there until the next line.
            let code = unsafe { (its.DefWriter_WriteMappingTable)(writer, *kind, map) };
            // SAFETY: the map was made above, and is used no more.
            unsafe { (its.IdMap_Free)(map) };
            self.check(code)?;
        }
        // SAFETY: the writer is used no more.
        self.check(unsafe { (its.Archive_CloseDefWriter)(self.raw, writer) })
    }

    pub(super) fn end_mappings(&self) -> Result<(), Error> {
        // SAFETY: all writers of definitions are closed.
        self.check(unsafe { (self.symbols.Archive_CloseDefFiles)(self.raw) })
    }

    /// Writes what is left, and the anchor.
    pub(super) fn close(self) -> Result<(), Error> {
        // SAFETY: no writer of events or definitions is left, and the archive is used no more.
        let code = unsafe { (self.symbols.Archive_Close)(self.raw) };
        free_spare();
        self.check(code)
    }
}
