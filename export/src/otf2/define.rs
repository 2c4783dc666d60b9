//! The definitions that all locations share, as libotf2 writes them: safe to call, and nothing is called any more after a failure.

use super::archive::{Archive, TICKS_PER_SECOND, text};
use super::symbols::{self as otf2, ErrorCode, SUCCESS, Symbols};
use crate::error::Error;

/// Calls a function of the library with its writer and these arguments.
macro_rules! define {
    ($definitions:ident => $function:ident($($argument:expr),*)) => {
        // SAFETY: the writer is the archive's, which is open. What is handed over is copied, and lives until the call returns;
        // there are as many members of a group as its count says.
        $definitions.write(|symbols, writer| unsafe { (symbols.$function)(writer, $($argument),*) })
    };
}

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
            false => Ok(Definitions { archive, raw, failed: None }),
        }
    }

    /// One more: what the library is called with.
    fn write(&mut self, call: impl FnOnce(&Symbols, *mut otf2::GlobalDefWriter) -> ErrorCode) {
        if self.failed.is_none() {
            let code = call(&self.archive.symbols, self.raw);
            self.failed = (code > SUCCESS).then_some(code);
        }
    }

    /// `real`: nanoseconds since the epoch at the timestamp 0.
    pub(super) fn clock(&mut self, length: u64, real: u64) {
        let resolution = TICKS_PER_SECOND;
        define!(self => GlobalDefWriter_WriteClockProperties(resolution, 0, length, real));
    }

    pub(super) fn paradigm(&mut self, paradigm: u8, name: u32, class: u8) {
        define!(self => GlobalDefWriter_WriteParadigm(paradigm, name, class));
    }

    pub(super) fn string(&mut self, number: u32, string: &str) {
        let string = text(string.as_bytes());
        define!(self => GlobalDefWriter_WriteString(number, string.as_ptr()));
    }

    pub(super) fn attribute(&mut self, number: u32, name: u32, about: u32, kind: u8) {
        define!(self => GlobalDefWriter_WriteAttribute(number, name, about, kind));
    }

    pub(super) fn parameter(&mut self, number: u32, name: u32, kind: u8) {
        define!(self => GlobalDefWriter_WriteParameter(number, name, kind));
    }

    /// A machine (without `parent`), or one of its nodes.
    pub(super) fn tree_node(&mut self, number: u32, name: u32, class: u32, parent: Option<u32>) {
        let (parent, domain) = match parent {
            Some(parent) => (parent, otf2::SYSTEM_TREE_DOMAIN_SHARED_MEMORY),
            None => (otf2::UNDEFINED_UINT32, otf2::SYSTEM_TREE_DOMAIN_MACHINE),
        };
        define!(self => GlobalDefWriter_WriteSystemTreeNode(number, name, class, parent));
        define!(self => GlobalDefWriter_WriteSystemTreeNodeDomain(number, domain));
    }

    pub(super) fn location_group(&mut self, number: u32, name: u32, node: u32) {
        let (kind, creator) = (otf2::LOCATION_GROUP_TYPE_PROCESS, otf2::UNDEFINED_UINT32);
        define!(self => GlobalDefWriter_WriteLocationGroup(number, name, kind, node, creator));
    }

    pub(super) fn location(&mut self, number: u64, name: u32, events: u64, group: u32) {
        let kind = otf2::LOCATION_TYPE_CPU_THREAD;
        define!(self => GlobalDefWriter_WriteLocation(number, name, kind, events, group));
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
        define!(self => GlobalDefWriter_WriteRegion(number, name, canonical, about, role, paradigm, flags, file, line, 0));
    }

    pub(super) fn group(&mut self, number: u32, name: u32, kind: u8, members: &[u64]) {
        let (paradigm, flags) = (otf2::PARADIGM_OPENMP, otf2::GROUP_FLAG_NONE);
        let (count, members) = (members.len() as u32, members.as_ptr());
        define!(self => GlobalDefWriter_WriteGroup(number, name, kind, paradigm, flags, count, members));
    }

    pub(super) fn communicator(&mut self, number: u32, name: u32, group: u32) {
        let (parent, flags) = (otf2::UNDEFINED_UINT32, otf2::COMM_FLAG_NONE);
        define!(self => GlobalDefWriter_WriteComm(number, name, group, parent, flags));
    }

    /// Writes what is left: before the anchor, without which nobody takes an archive for one.
    pub(super) fn finish(self) -> Result<(), Error> {
        let archive = self.archive;
        archive.check(self.failed.unwrap_or(SUCCESS))?;
        // SAFETY: the archive is open, and the writer is used no more.
        let code = unsafe { (archive.symbols.Archive_CloseGlobalDefWriter)(archive.raw, self.raw) };
        archive.check(code)
    }
}
