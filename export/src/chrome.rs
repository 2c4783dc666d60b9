//! The Trace Event Format of chrome://tracing, as JSON: `B` and `E` per slice, `M` for names.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::error::Error;
use crate::name::{Argument, Value};
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::timeline::{self, Sink, Slice, Track};

/// Integers beyond this are not exact where JSON's numbers are doubles, as in browsers.
const EXACT: u64 = 1 << 53;

pub(crate) fn write(processes: &[Process<'_>], to: Output, notices: &mut Notices) -> Result<(), Error> {
    let mut chrome = Chrome { to, first: true };
    chrome.to.text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for process in processes {
        timeline::write(process, &mut chrome, notices)?;
        if chrome.to.has_failed() {
            break;
        }
    }
    chrome.to.text("\n]}\n");
    chrome.to.finish()
}

struct Chrome {
    to: Output,
    first: bool,
}

#[derive(Default, Serialize)]
struct Record<'a> {
    ph: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    /// An instant's scope: its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    #[serde(skip_serializing_if = "Arguments::is_empty")]
    args: Arguments<'a>,
}

#[derive(Default)]
struct Arguments<'a> {
    position: Option<&'a str>,
    list: &'a [Argument<'a>],
}

impl Arguments<'_> {
    fn is_empty(&self) -> bool {
        self.position.is_none() && self.list.is_empty()
    }
}

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (name, value) in self.list {
            match *value {
                Value::Unsigned(value) if value > EXACT => map.serialize_entry(name, &value.to_string())?,
                Value::Unsigned(value) => map.serialize_entry(name, &value)?,
                Value::Signed(value) if value.unsigned_abs() > EXACT => {
                    map.serialize_entry(name, &value.to_string())?
                }
                Value::Signed(value) => map.serialize_entry(name, &value)?,
                Value::Float(value) => map.serialize_entry(name, &value)?,
                Value::Text(value) => map.serialize_entry(name, value)?,
            }
        }
        if let Some(position) = self.position {
            map.serialize_entry("loop", position)?;
        }
        map.end()
    }
}

impl Chrome {
    fn record(&mut self, record: &Record<'_>) {
        self.to.text(if self.first { "\n" } else { ",\n" });
        self.first = false;
        self.to.json(record);
    }

    fn metadata(&mut self, name: &str, pid: u32, tid: u32, argument: Argument<'_>) {
        let args = Arguments { position: None, list: &[argument] };
        self.record(&Record { ph: "M", name, pid, tid, args, ..Record::default() });
    }
}

/// Whole nanoseconds, as a fraction of microseconds.
fn microseconds(ns: f64) -> f64 {
    ns.round() / 1000.0
}

impl Sink for Chrome {
    fn has_failed(&self) -> bool {
        self.to.has_failed()
    }

    fn process(&mut self, process: &Process<'_>) {
        let (pid, title) = (process.pid, process.title());
        let order = Value::Unsigned(process.index as u64);
        let part = Value::Text(&process.name);
        self.metadata("process_name", pid, 0, ("name", Value::Text(&title)));
        self.metadata("process_labels", pid, 0, ("labels", part));
        self.metadata("process_sort_index", pid, 0, ("sort_index", order));
    }

    fn track(&mut self, process: &Process<'_>, track: Track, name: &str) {
        let (pid, tid) = (process.pid, track.tid);
        let order = Value::Unsigned(track.thread.into());
        self.metadata("thread_name", pid, tid, ("name", Value::Text(name)));
        self.metadata("thread_sort_index", pid, tid, ("sort_index", order));
    }

    fn slice(&mut self, process: &Process<'_>, track: Track, ns: f64, lasts: bool, slice: &Slice<'_>) {
        self.record(&Record {
            ph: if lasts { "B" } else { "i" },
            cat: slice.category,
            name: slice.name,
            pid: process.pid,
            tid: track.tid,
            ts: Some(microseconds(ns)),
            s: (!lasts).then_some("t"),
            args: Arguments { position: slice.site.map(|(_, site)| site.label.as_str()), list: slice.arguments },
        });
    }

    fn end(&mut self, process: &Process<'_>, track: Track, ns: f64) {
        let ts = Some(microseconds(ns));
        self.record(&Record { ph: "E", pid: process.pid, tid: track.tid, ts, ..Record::default() });
    }
}
