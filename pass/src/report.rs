//! `OMPCHUNK_REPORT=file`: what was done with each loop and creation of a task, as in `docs/compile-report.md`.
//! All lines, one JSON object each, have the same keys; what does not apply or is not known is null.
//!
//! Compilers at the same time may share the file: each appends its module's lines in one write, under a lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Not;
use std::os::fd::AsRawFd;

use serde_json::{Value as Json, json};

use crate::find::task::{self, Creation};
use crate::find::{Call, Construct, FoundLoop, Location, UserValue, called, entry_of};
use crate::instrumentation_plan::Plan;
use crate::llvm::Value;
use crate::reason::Reason;

pub const VARIABLE: &str = "OMPCHUNK_REPORT";

/// Version of the lines' format: fields may be added within one, none changes its meaning.
const FORMAT: u32 = 1;

pub struct Report {
    path: Option<std::ffi::OsString>,
    lines: String,
}

impl Report {
    pub fn new() -> Report {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        Report { path, lines: String::new() }
    }

    pub fn instrumented(&mut self, found: &FoundLoop, plan: Plan) {
        if self.path.is_none() {
            return;
        }
        let mut line = place(found.call.instruction);
        // The runtime is asked for a schedule of sections, but the program is not.
        if found.call.construct != Construct::Sections {
            describe(&mut line, &found.call);
            line["free"] = json!(found.is_free());
            line["bound"] = json!(found.bound_sentence());
        }
        line["construct"] = json!(construct(&found.call));
        line["start"] = user_value(&found.user.start);
        line["step"] = user_value(&found.user.step);
        line["instrumented"] = json!(true);
        line["form"] = json!(plan.name());
        line["because"] = json!(plan.because());
        line["changeable"] = json!(found.change.is_ok());
        line["fixed"] = json!(found.change.err().and_then(ompchunk_abi::fixed::sentence));
        line["barrier"] = json!(!found.surroundings.no_barrier);
        let lines: Vec<u32> = found.group.iter().map(|member| member.line).collect();
        line["group"] = json!((!lines.is_empty()).then_some(lines));
        self.add(line);
    }

    pub fn timed(&mut self, creation: &Creation) {
        if self.path.is_none() {
            return;
        }
        let mut line = place(creation.alloc);
        line["construct"] = json!(creation.construct());
        line["instrumented"] = json!(true);
        line["form"] = json!(creation.form());
        line["because"] = json!(creation.because());
        self.add(line);
    }

    pub fn left_alone(&mut self, call: Value, reason: Reason) {
        if self.path.is_none() {
            return;
        }
        let mut line = place(call);
        match Call::read(call) {
            // Not for a loop, so there is no clause either, whatever schedule the call asks for.
            _ if matches!(reason, Reason::Sections | Reason::SectionsCounted) => line["construct"] = json!("sections"),
            Ok(call) => {
                describe(&mut line, &call);
                line["construct"] = json!(may_be_sections(&call).not().then(|| construct(&call)));
            }
            Err(_) if entry_of(call).is_none() => {
                line["construct"] = json!(task::construct_of(call));
            }
            Err(_) => {}
        }
        line["instrumented"] = json!(false);
        line["reason"] = json!(reason.name());
        line["because"] = json!(reason.sentence());
        self.add(line);
    }

    fn add(&mut self, line: Json) {
        self.lines.push_str(&line.to_string());
        self.lines.push('\n');
    }

    pub fn write(&self) -> io::Result<()> {
        let (Some(path), false) = (&self.path, self.lines.is_empty()) else { return Ok(()) };
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        lock(&file);
        // The lock goes with the file.
        file.write_all(self.lines.as_bytes())
    }
}

/// Where locks are not supported, one appending write is still whole on a local file system.
fn lock(file: &File) {
    // SAFETY: the descriptor is open as long as `file`.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) };
}

/// A line with all its keys, of which those are known that each has.
fn place(call: Value) -> Json {
    let location = Location::from_instruction(call);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    json!({
        "format": FORMAT,
        "file": text(&location.file),
        "line": location.line,
        "column": location.column,
        "function": text(&location.function),
        "entry": called(call),
        "construct": null,
        "schedule": null,
        "clause": null,
        "chunk": null,
        "start": null,
        "step": null,
        "instrumented": null,
        "form": null,
        "reason": null,
        "because": null,
        "changeable": null,
        "fixed": null,
        "barrier": null,
        "free": null,
        "bound": null,
        "group": null,
    })
}

fn construct(call: &Call) -> &'static str {
    match call.construct {
        Construct::For => "for",
        Construct::Distribute => "distribute",
        Construct::Sections => "sections",
    }
}

/// `sections` are compiled to a loop over their numbers, which OpenMPIRBuilder does not mark as anything.
fn may_be_sections(call: &Call) -> bool {
    let is_plain = !call.marked && !call.chunked && !call.entry.combined;
    is_plain && call.construct == Construct::For
}

fn describe(line: &mut Json, call: &Call) {
    line["schedule"] = json!(call.schedule);
    line["clause"] = json!(call.clause().to_string());
    line["chunk"] = json!(call.chunk.filter(|_| call.chunked));
}

fn user_value(value: &UserValue) -> Json {
    match value {
        UserValue::Unknown => Json::Null,
        UserValue::Constant(constant) => json!(constant),
        UserValue::Computed { .. } => json!("at run time"),
    }
}
