//! The definitions that all locations share, as libotf2 writes them: safe to call, and nothing is called any more after a failure.

use std::ffi::c_char;

use super::archive::{Archive, TICKS_PER_SECOND, text};
use super::symbols::{self as otf2, ErrorCode, SUCCESS, Symbols};
use crate::error::Error;

/// Writes definitions.
pub(super) struct Definitions<'a> {
    archive: &'a Archive,
    raw: *mut otf2::GlobalDefWriter,
    failed: Option<ErrorCode>,
}

impl<'a> Definitions<'a> {
    /// Of an archive.
    pub(super) fn of(archive: &'a Archive) -> Result<Definitions<'a>, Error> {
        // SAFETY: an archive that is open.
        let raw = unsafe { (archive.symbols.Archive_GetGlobalDefWriter)(archive.raw) };
        archive.check(SUCCESS)?;
        match raw.is_null() {
            true => Err(archive.failed(SUCCESS)),
            false => Ok(Definitions {
                archive,
                raw,
                failed: None,
            }),
        }
    }

    /// One more: its function, and its arguments.
    fn write(&mut self, it: impl FnOnce(&Symbols, *mut otf2::GlobalDefWriter) -> ErrorCode) {
        if self.failed.is_some() {
            return;
        }
        let code = it(&self.archive.symbols, self.raw);
        self.failed = (code > SUCCESS).then_some(code);
    }

    /// `real`: nanoseconds since the epoch at the timestamp 0.
    pub(super) fn clock(&mut self, length: u64, real: u64) {
        // SAFETY: here and below, the writer is the archive's, which is open; what is handed over is copied.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteClockProperties)(to, TICKS_PER_SECOND, 0, length, real)
        });
    }

    pub(super) fn paradigm(&mut self, paradigm: u8, name: u32, class: u8) {
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteParadigm)(to, paradigm, name, class)
        });
    }

    pub(super) fn string(&mut self, number: u32, string: &str) {
        let string = text(string.as_bytes());
        let string: *const c_char = string.as_ptr();
        // SAFETY: as above; the string is there until we return.
        self.write(|its, to| unsafe { (its.GlobalDefWriter_WriteString)(to, number, string) });
    }

    pub(super) fn attribute(&mut self, number: u32, name: u32, about: u32, kind: u8) {
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteAttribute)(to, number, name, about, kind)
        });
    }

    pub(super) fn parameter(&mut self, number: u32, name: u32, kind: u8) {
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteParameter)(to, number, name, kind)
        });
    }

    /// A machine (without `parent`), or a node of it.
    pub(super) fn tree_node(&mut self, number: u32, name: u32, class: u32, parent: Option<u32>) {
        let (parent, domain) = match parent {
            Some(parent) => (parent, otf2::SYSTEM_TREE_DOMAIN_SHARED_MEMORY),
            None => (otf2::UNDEFINED_UINT32, otf2::SYSTEM_TREE_DOMAIN_MACHINE),
        };
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteSystemTreeNode)(to, number, name, class, parent)
        });
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteSystemTreeNodeDomain)(to, number, domain)
        });
    }

    pub(super) fn location_group(&mut self, number: u32, name: u32, node: u32) {
        let (kind, creator) = (otf2::LOCATION_GROUP_TYPE_PROCESS, otf2::UNDEFINED_UINT32);
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteLocationGroup)(to, number, name, kind, node, creator)
        });
    }

    pub(super) fn location(&mut self, number: u64, name: u32, events: u64, group: u32) {
        let kind = otf2::LOCATION_TYPE_CPU_THREAD;
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteLocation)(to, number, name, kind, events, group)
        });
    }

    /// `file`: the string and the line, where they are known.
    pub(super) fn region(
        &mut self,
        number: u32,
        [name, canonical, about]: [u32; 3],
        (role, paradigm): (u8, u8),
        file: Option<(u32, u32)>,
    ) {
        let (file, line) = file.unwrap_or((otf2::UNDEFINED_UINT32, 0));
        let flags = otf2::REGION_FLAG_NONE;
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteRegion)(
                to, number, name, canonical, about, role, paradigm, flags, file, line, 0,
            )
        });
    }

    pub(super) fn group(&mut self, number: u32, name: u32, kind: u8, members: &[u64]) {
        let (paradigm, flags, count) = (
            otf2::PARADIGM_OPENMP,
            otf2::GROUP_FLAG_NONE,
            members.len() as u32,
        );
        // SAFETY: as above, and there are as many members.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteGroup)(
                to,
                number,
                name,
                kind,
                paradigm,
                flags,
                count,
                members.as_ptr(),
            )
        });
    }

    pub(super) fn communicator(&mut self, number: u32, name: u32, group: u32) {
        let (parent, flags) = (otf2::UNDEFINED_UINT32, otf2::COMM_FLAG_NONE);
        // SAFETY: as above.
        self.write(|its, to| unsafe {
            (its.GlobalDefWriter_WriteComm)(to, number, name, group, parent, flags)
        });
    }

    /// Writes what is left: before the anchor, without which nobody takes an archive for one.
    pub(super) fn finish(self) -> Result<(), Error> {
        let archive = self.archive;
        archive.check(self.failed.unwrap_or(SUCCESS))?;
        // SAFETY: as above, and the writer is used no more.
        let code = unsafe { (archive.symbols.Archive_CloseGlobalDefWriter)(archive.raw, self.raw) };
        archive.check(code)
    }
}
