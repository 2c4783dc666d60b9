//! What the command tells the preloaded library of loops that were compiled without the plugin: a line for each in [`crate::run::STOCK`].

use core::fmt::{self, Display, Formatter};

use crate::LOOP_SIGNED;

/// A loop, by its call of `__kmpc_for_static_init_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The file that is loaded, without links in its path.
    pub image: &'a str,
    /// Where the call returns to, as the file counts addresses.
    pub returns_to: u64,
    /// Width of the logical iteration variable, 32 or 64, ...
    pub bits: u8,
    /// ... and whether it is signed: both are in the function's name.
    pub is_signed: bool,
    /// The user says that nothing relies on who runs which iteration.
    pub is_free: bool,
    /// With chunks from this size on, it is known how the program steps from one to the next.
    pub least_chunk: u32,
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Source file; if unknown, the image's name and the call's place in it.
    pub file: &'a str,
    /// The function as the linker knows it; empty if unknown.
    pub function: &'a str,
}

const TAB: char = '\t';

impl<'a> Named<'a> {
    pub fn parse(line: &'a str) -> Option<Named<'a>> {
        let mut parts = line.split(TAB);
        let mut part = || parts.next();
        let image = part()?;
        let returns_to = u64::from_str_radix(part()?, 16).ok()?;
        let (bits, is_signed) = match part()? {
            "32s" => (32, true),
            "32u" => (32, false),
            "64s" => (64, true),
            "64u" => (64, false),
            _ => return None,
        };
        let is_free = match part()? {
            "free" => true,
            "" => false,
            _ => return None,
        };
        let (least_chunk, line) = (part()?.parse().ok()?, part()?.parse().ok()?);
        let (file, function) = (part()?, part()?);
        let named = Named { image, returns_to, bits, is_signed, is_free, least_chunk, line, file, function };
        part().is_none().then_some(named)
    }

    pub const fn signed(&self) -> u32 {
        if self.is_signed { LOOP_SIGNED } else { 0 }
    }

    /// Can it be a line? No text has what separates them.
    pub fn fits(&self) -> bool {
        [self.image, self.file, self.function]
            .iter()
            .all(|text| !text.contains([TAB, '\n', '\r', '\0', crate::run::SEPARATOR]))
    }
}

impl Display for Named<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.is_signed { 's' } else { 'u' };
        let free = if self.is_free { "free" } else { "" };
        let Named { image, returns_to, bits, least_chunk, line, file, function, .. } = self;
        write!(
            to,
            "{image}{TAB}{returns_to:x}{TAB}{bits}{sign}{TAB}{free}{TAB}{least_chunk}{TAB}{line}{TAB}{file}{TAB}{function}"
        )
    }
}
