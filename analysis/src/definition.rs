//! What is known of a loop, in the words of the source.

use std::fmt;

use ompchunk_trace_format::{Code, LoopDefinition};
use serde::Serialize;

use crate::name::demangle;
use ompchunk_trace_format::schedule::{self, ChunkSize};

/// `ompt_chunk_loop_flags`
mod flag {
    pub(super) const SIGNED: u32 = 1 << 0;
    pub(super) const CHUNKED: u32 = 1 << 1;
    pub(super) const CHUNK_KNOWN: u32 = 1 << 2;
}

/// A loop's definition, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) the_loop: u32,
    pub(crate) instrumented: bool,
    pub(crate) code: u64,
    pub(crate) variable: Variable,
    construct: u8,
    schedule: u32,
    chunk: ChunkSize,
    line: u32,
    column: u32,
    function: String,
    file: String,
}

/// How logical iterations become values of the user's variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Variable {
    /// Width; 0: nothing is known.
    pub bits: u8,
    /// Values are signed.
    pub signed: bool,
}

impl Variable {
    /// The user's variable in a logical iteration.
    #[must_use]
    pub fn value(self, iteration: u64, start: Option<i64>, step: Option<i64>) -> Option<i128> {
        let bits = u32::from(self.bits);
        let (start, step) = (start?, step?);
        if !(1..=64).contains(&bits) {
            return None;
        }
        let value = (start as u64).wrapping_add(iteration.wrapping_mul(step as u64));
        let unused = 64 - bits;
        Some(if self.signed {
            (((value << unused) as i64) >> unused).into()
        } else {
            ((value << unused) >> unused).into()
        })
    }
}

/// A return address by name, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) address: u64,
    offset: u64,
    object: String,
    function: String,
}

/// Which loop: the same in every part of a run, and in another run of the same program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Identity {
    /// The source file; `None` without line information.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
    /// Source column.
    pub column: Option<u32>,
    /// The function as the source has it.
    pub function: Option<String>,
    /// The function as the linker knows it.
    pub symbol: Option<String>,
    /// Program or library, where there is no line information.
    pub object: Option<String>,
    /// Where the loop's runtime call returns to in `object`.
    pub offset: Option<u64>,
    /// `for`, `distribute` or `unknown`.
    pub construct: String,
    /// The clause as the user writes it, `c` for a chunk size that is not a constant; `None`: not known.
    pub schedule: Option<String>,
    /// Chunk size, if it is a constant.
    pub chunk_size: Option<i64>,
    /// Compiled with the plugin.
    pub instrumented: bool,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Definition {
    pub(crate) fn of(it: &LoopDefinition<'_>) -> Definition {
        Definition {
            the_loop: it.the_loop,
            instrumented: it.instrumented,
            code: it.code,
            variable: Variable {
                bits: it.variable_bits,
                signed: it.flags & flag::SIGNED != 0,
            },
            construct: it.construct,
            schedule: it.schedule,
            chunk: if it.flags & flag::CHUNK_KNOWN != 0 {
                ChunkSize::Known(it.chunk)
            } else if it.flags & flag::CHUNKED != 0 {
                ChunkSize::RunTime
            } else {
                ChunkSize::None
            },
            line: it.line,
            column: it.column,
            function: text(it.function),
            file: text(it.file),
        }
    }

    /// `work` is what the runtime said of a loop that the plugin did not see.
    pub(crate) fn identity(&self, place: Option<&Place>) -> Identity {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let symbol = some(&self.function).or_else(|| place.and_then(|it| some(&it.function)));
        let line = Some(self.line).filter(|line| *line != 0);
        let place = place.filter(|_| line.is_none());
        Identity {
            file: some(&self.file).filter(|_| line.is_some()),
            line,
            column: Some(self.column).filter(|column| *column != 0),
            function: symbol.as_ref().map(|it| demangle(it, &self.file)),
            symbol,
            object: place.and_then(|it| some(&it.object)),
            // Without a name for the address, the address: it tells loops of one run apart.
            offset: match place {
                Some(place) => Some(place.offset),
                None => line.is_none().then_some(self.code),
            },
            construct: match self.construct {
                1 => "for",
                2 => "distribute",
                _ => "unknown",
            }
            .to_owned(),
            schedule: (self.schedule != 0).then(|| schedule::clause(self.schedule, self.chunk)),
            chunk_size: match self.chunk {
                ChunkSize::Known(size) => Some(size),
                _ => None,
            },
            instrumented: self.instrumented,
        }
    }
}

impl Place {
    pub(crate) fn of(it: &Code<'_>) -> Place {
        Place {
            address: it.address,
            offset: it.offset,
            object: text(it.object),
            function: text(it.function),
        }
    }
}

impl fmt::Display for Identity {
    /// `file.c:12`, or `app+0x1234`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(to, "{}:{line}", base(file)),
            (None, Some(line)) => write!(to, "line {line}"),
            _ => {
                let object = self.object.as_deref().map_or_else(|| "?".to_owned(), base);
                write!(to, "{object}+{:#x}", self.offset.unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logical_iterations_become_the_users() {
        let int = Variable {
            bits: 32,
            signed: true,
        };
        let value = |of: Variable, k, start, step| of.value(k, Some(start), Some(step));
        assert_eq!(value(int, 3, 10, -4), Some(-2));
        assert_eq!(value(int, 1, i64::from(i32::MAX), 1), Some(i32::MIN.into()));
        let unsigned = Variable {
            bits: 32,
            signed: false,
        };
        assert_eq!(value(unsigned, 0, -1, 1), Some(u32::MAX.into()));
        let long = Variable {
            bits: 64,
            signed: false,
        };
        assert_eq!(value(long, u64::MAX, 0, 1), Some(u64::MAX.into()));
        assert_eq!(value(long, 5, -2, -1), Some(i128::from(u64::MAX - 6)));
        assert_eq!(value(Variable::default(), 5, 0, 1), None);
        assert_eq!(int.value(1, Some(1), None), None);
    }
}
