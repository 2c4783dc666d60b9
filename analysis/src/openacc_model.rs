//! What a report says of OpenACC and of OpenMP's `target`, as data.

use ompchunk_trace_format::{openacc, target};
use serde::Serialize;

/// An operation at a place, all times that it was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenAccReport {
    /// `acc_event_t`, of its start; of `target` a number above these (`trace/src/target.rs`).
    pub event: u32,
    /// `compute construct`, `enter data`, `upload`, ...; `target`, `transfer to device`, `submit`, ...
    pub operation: &'static str,
    /// The directive that it belongs to, as the runtime says: `parallel`, `data`, ...; `None`: not told.
    pub construct: Option<&'static str>,
    /// The device, of `target`; `None`: not told.
    pub device: Option<i32>,
    /// The source file; `None`, here and below: not told.
    pub file: Option<String>,
    /// First line.
    pub line: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// The function around it.
    pub function: Option<String>,
    /// The program or library of `target`'s return address, where its line is not known.
    pub object: Option<String>,
    /// Where in it the call returns to; without an object the address itself.
    pub offset: Option<u64>,
    /// The kernel of a launch, the variable of data.
    pub name: Option<String>,
    /// How often.
    pub count: u64,
    /// How often of that without a time: it has no length, or its end was not told.
    pub untimed: u64,
    /// How often of that without waiting for its end: its time is that of handing it over.
    pub asynchronous: u64,
    /// How often without a directive or call of the program's.
    pub implicit: u64,
    /// Thread time from begin to end, with what is inside; `None`: not measured.
    pub seconds: Option<f64>,
    /// The shortest.
    pub shortest_seconds: Option<f64>,
    /// The longest.
    pub longest_seconds: Option<f64>,
    /// Bytes, added up; `None`: not told.
    pub bytes: Option<u64>,
    /// Of the first launch that was seen: gangs, workers, vector length, as far as they were told.
    pub dimensions: Option<[Option<u64>; 3]>,
    /// Of the first kernel that was seen: how many teams `target` asked for.
    pub teams: Option<u64>,
    /// Who did it.
    pub threads: Vec<OpenAccThread>,
}

/// A thread of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OpenAccThread {
    /// In which part.
    pub part: usize,
    /// Its number there.
    pub thread: u32,
}

impl OpenAccReport {
    /// Of OpenMP's `target`, not of OpenACC.
    #[must_use]
    pub fn is_of_target(&self) -> bool {
        target::is_of_target(self.event)
    }

    /// Whether it has a begin and an end; else it is a point in time.
    #[must_use]
    pub fn lasts(&self) -> bool {
        openacc::is_start(self.event)
    }
}
