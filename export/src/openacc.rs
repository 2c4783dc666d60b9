//! OpenACC's places by number, and what viewers are told of an operation: what was not told is not there.

use std::collections::HashMap;

use ompchunk_trace_format::openacc::{construct_name, event_name};
use ompchunk_trace_format::{AccDetail, AccOperation, AccSite};

/// A place of the program, and what of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccPlace {
    pub(crate) file: String,
    /// 0: not told.
    pub(crate) line: u32,
    pub(crate) function: String,
    /// The kernel or the variable.
    pub(crate) name: String,
    /// `app.c:17`, without its directory; empty: not told.
    pub(crate) short: String,
}

impl AccPlace {
    fn of(it: &AccSite<'_>) -> AccPlace {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let file = text(it.file);
        let name = file.rsplit('/').next().unwrap_or_default();
        let short = match (name, it.lines[0]) {
            ("", 0) => String::new(),
            ("", line) => format!("line {line}"),
            (name, 0) => name.to_owned(),
            (name, line) => format!("{name}:{line}"),
        };
        AccPlace {
            line: it.lines[0],
            function: text(it.function),
            name: text(it.name),
            short,
            file,
        }
    }
}

/// Those of a part.
#[derive(Debug, Default)]
pub(crate) struct AccPlaces(HashMap<u32, AccPlace>);

impl AccPlaces {
    pub(crate) fn see(&mut self, it: &AccSite<'_>) {
        self.0.entry(it.site).or_insert_with(|| AccPlace::of(it));
    }

    pub(crate) fn get(&self, site: u32) -> Option<&AccPlace> {
        self.0.get(&site)
    }
}

/// A number or a text of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Told<'a> {
    Number(u64),
    Signed(i64),
    Text(&'a str),
}

/// All that is told of an operation, by the names of `acc_prof.h` where it has some.
pub(crate) fn told<'a>(
    it: &AccOperation,
    place: Option<&'a AccPlace>,
) -> Vec<(&'static str, Told<'a>)> {
    let mut all: Vec<(&'static str, Option<Told<'a>>)> = vec![
        (
            "construct",
            it.construct.map(|it| Told::Text(construct_name(it))),
        ),
        ("implicit", it.implicit.map(|it| Told::Number(it.into()))),
        (
            "device_type",
            it.device_type.map(|it| Told::Signed(it.into())),
        ),
        ("device_number", it.device.map(|it| Told::Signed(it.into()))),
        ("async", it.asynchronous.map(Told::Signed)),
        ("async_queue", it.queue.map(Told::Signed)),
    ];
    let numbers = match it.detail {
        AccDetail::None => [("", None); 3],
        AccDetail::Data {
            bytes,
            host,
            device,
        } => [("bytes", bytes), ("host_ptr", host), ("device_ptr", device)],
        AccDetail::Launch {
            gangs,
            workers,
            vector,
        } => [
            ("num_gangs", gangs),
            ("num_workers", workers),
            ("vector_length", vector),
        ],
    };
    all.extend(numbers.map(|(name, number)| (name, number.map(Told::Number))));
    if let Some(place) = place {
        let text = |text: &'a str| Some(text).filter(|it| !it.is_empty()).map(Told::Text);
        let name = match it.detail {
            AccDetail::Launch { .. } => "kernel_name",
            _ => "var_name",
        };
        all.push((name, text(&place.name)));
        all.push(("src_file", text(&place.file)));
        let line = Some(place.line).filter(|it| *it != 0);
        all.push(("line_no", line.map(|it| Told::Number(it.into()))));
        all.push(("func_name", text(&place.function)));
    }
    let known = all.into_iter();
    known.filter_map(|(name, it)| Some((name, it?))).collect()
}

/// `acc upload x`, `acc compute construct app.c:17`
pub(crate) fn title(event: u32, place: Option<&AccPlace>) -> String {
    let what = event_name(event);
    let named = place.map(|it| match it.name.as_str() {
        "" => it.short.as_str(),
        name => name,
    });
    match named.filter(|it| !it.is_empty()) {
        Some(named) => format!("acc {what} {named}"),
        None => format!("acc {what}"),
    }
}
