//! What is known of a loop, in the words of the source.

use std::fmt;

use ompchunk_abi::CONSTRUCT_SECTIONS;
use ompchunk_trace_format::name::demangle;
use ompchunk_trace_format::raw::{
    WORK_DISTRIBUTE, WORK_LOOP, WORK_LOOP_DYNAMIC, WORK_LOOP_GUIDED, WORK_LOOP_OTHER, WORK_LOOP_STATIC,
};
use ompchunk_trace_format::sched_type::{ChunkSize, Clause};
use ompchunk_trace_format::{Code, LoopDefinition, Variable};
use serde::Serialize;

use crate::promise::Promise;
use crate::symbols::Call;

const SECTIONS: &str = "sections";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) the_loop: u32,
    pub(crate) instrumented: bool,
    pub(crate) code: u64,
    pub(crate) variable: Variable,
    pub(crate) promise: Promise,
    /// What is at `code`, where the loop is defined: later something else may be there.
    place: Option<CodePlace>,
    construct: u8,
    clause: Clause,
    line: u32,
    column: u32,
    function: String,
    file: String,
}

impl Definition {
    /// Replaces another definition of the same loop if it knows what is at the loop's address and the other does not, or its schedule, or
    /// that the chunk size varies. Lanes define a loop each, and one that lost records may know less.
    pub(crate) fn tells_more_than(&self, other: &Definition) -> bool {
        let told =
            |definition: &Definition| (definition.clause.schedule != 0, definition.clause.chunk == ChunkSize::RunTime);
        other.place.is_none() && self.place.is_some() || told(self) > told(other)
    }

    pub(crate) fn place<'a>(&'a self, place: Option<&'a CodePlace>) -> Option<&'a CodePlace> {
        self.place.as_ref().or(place)
    }

    pub(crate) fn from_event(loop_definition: &LoopDefinition<'_>, place: Option<&CodePlace>) -> Definition {
        Definition {
            place: place.cloned(),
            the_loop: loop_definition.the_loop,
            instrumented: loop_definition.instrumented,
            code: loop_definition.code,
            variable: loop_definition.variable(),
            promise: Promise::from_definition(loop_definition),
            construct: loop_definition.construct,
            clause: loop_definition.clause(),
            line: loop_definition.line,
            column: loop_definition.column,
            function: text(loop_definition.function),
            file: text(loop_definition.file),
        }
    }

    /// `place`: what is at its address, where it does not know itself.
    pub(crate) fn identity(&self, place: Option<&CodePlace>) -> Identity {
        let place = self.place(place);
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let symbol = some(&self.function).or_else(|| place.and_then(|place| some(&place.function)));
        let line = Some(self.line).filter(|line| *line != 0);
        let place = place.filter(|_| line.is_none());
        Identity {
            file: some(&self.file).filter(|_| line.is_some()),
            line,
            column: Some(self.column).filter(|column| *column != 0),
            function: symbol.as_ref().map(|symbol| demangle(symbol, &self.file)),
            symbol,
            object: place.and_then(|place| some(&place.object)),
            // Without a name for the address, the address: it tells loops of one run apart.
            offset: place.map(|place| place.offset).or_else(|| line.is_none().then_some(self.code)),
            construct: match self.construct {
                1 => "for",
                2 => "distribute",
                CONSTRUCT_SECTIONS => SECTIONS,
                _ => "unknown",
            }
            .to_owned(),
            schedule: match self.construct {
                // The runtime is asked for a schedule of them, but nobody wrote it.
                CONSTRUCT_SECTIONS => Some(SECTIONS.to_owned()),
                _ => (self.clause.schedule != 0).then(|| self.clause.to_string()),
            },
            chunk_size: self.clause.chunk.known(),
            instrumented: self.instrumented,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodePlace {
    pub(crate) offset: u64,
    pub(crate) object: String,
    pub(crate) function: String,
}

/// Which loop: the same in every part of a run, and in another run of the same program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Identity {
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub function: Option<String>,
    pub symbol: Option<String>,
    pub object: Option<String>,
    /// Where the loop's runtime call returns to in `object`.
    pub offset: Option<u64>,
    /// `for`, `distribute`, `sections` or `unknown`.
    pub construct: String,
    /// The clause as the user writes it, `c` for a chunk size that is not a constant; `sections` of these; `None`: not known.
    pub schedule: Option<String>,
    pub chunk_size: Option<i64>,
    pub instrumented: bool,
}

impl Identity {
    /// Names a loop without the plugin by its line, which debug information tells.
    pub(crate) fn is_at(&mut self, call: Call) {
        self.function = call.symbol.as_ref().map(|symbol| demangle(symbol, &call.file));
        (self.symbol, self.file, self.line) = (call.symbol, Some(call.file), Some(call.line));
        (self.object, self.offset) = (None, None);
    }

    /// Adds what the runtime's `ompt_work_t` says of a loop that the plugin did not see.
    pub(crate) fn runs_as(&mut self, work: u32) {
        let schedule = match work {
            WORK_LOOP_STATIC => Some("schedule(static)"),
            WORK_LOOP_DYNAMIC => Some("schedule(dynamic)"),
            WORK_LOOP_GUIDED => Some("schedule(guided)"),
            _ => None,
        };
        self.schedule = self.schedule.take().or_else(|| schedule.map(str::to_owned));
        match work {
            WORK_LOOP | WORK_LOOP_STATIC..=WORK_LOOP_OTHER => "for".clone_into(&mut self.construct),
            WORK_DISTRIBUTE => "distribute".clone_into(&mut self.construct),
            _ => {}
        }
    }

    /// Its chunks are sections: no schedule deals them, and none is to be thought of.
    pub fn is_sections(&self) -> bool {
        self.construct == SECTIONS
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl CodePlace {
    pub(crate) fn from_code(code: &Code<'_>) -> CodePlace {
        CodePlace { offset: code.offset, object: text(code.object), function: text(code.function) }
    }
}

pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl fmt::Display for Identity {
    /// `file.c:12`, or `app+0x1234`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(to, "{}:{line}", base(file)),
            (None, Some(line)) => write!(to, "line {line}"),
            _ => match (self.object.as_deref().map(base), self.offset) {
                // As where a trace was truncated.
                (None, None | Some(0)) => write!(to, "unknown loop"),
                (object, offset) => {
                    let object = object.unwrap_or("?");
                    write!(to, "{object}+{:#x}", offset.unwrap_or(0))
                }
            },
        }
    }
}
