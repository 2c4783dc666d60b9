//! OpenACC's places by number, and what viewers are told of an operation of OpenACC or of OpenMP's `target`: what was not told is not there.

use std::collections::HashMap;

use ompchunk_trace_format::openacc::{construct_name, event_name};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccOperation, AccSite};

/// A place of the program, and what is there.
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
    fn of(site: &AccSite<'_>) -> AccPlace {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let file = text(site.file);
        let short = match (file.rsplit('/').next().unwrap_or_default(), site.lines[0]) {
            ("", 0) => String::new(),
            ("", line) => format!("line {line}"),
            (name, 0) => name.to_owned(),
            (name, line) => format!("{name}:{line}"),
        };
        AccPlace {
            line: site.lines[0],
            function: text(site.function),
            name: text(site.name),
            short,
            file,
        }
    }
}

/// Those of a part.
#[derive(Debug, Default)]
pub(crate) struct AccPlaces(HashMap<u32, AccPlace>);

impl AccPlaces {
    pub(crate) fn see(&mut self, site: &AccSite<'_>) {
        let place = self.0.entry(site.site);
        place.or_insert_with(|| AccPlace::of(site));
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

/// All that is told of an operation, by the names of `acc_prof.h` where that has some, of `target` by those of `omp-tools.h`. `at`: what
/// its return address is called.
pub(crate) fn told<'a>(
    operation: &AccOperation,
    place: Option<&'a AccPlace>,
    at: Option<&'a str>,
) -> Vec<(&'static str, Told<'a>)> {
    let number = |value: Option<u64>| value.map(Told::Number);
    let signed = |value: Option<i64>| value.map(Told::Signed);
    let construct = operation.construct.map(construct_name);
    let device = match is_of_target(operation.event) {
        true => "device_num",
        false => "device_number",
    };
    let mut fields: Vec<(&'static str, Option<Told<'a>>)> = vec![
        ("construct", construct.map(Told::Text)),
        ("implicit", number(operation.implicit.map(u64::from))),
        ("device_type", signed(operation.device_type.map(i64::from))),
        (device, signed(operation.device.map(i64::from))),
        ("async", signed(operation.asynchronous)),
        ("async_queue", signed(operation.queue)),
    ];
    let mut named = "var_name";
    match operation.detail {
        AccDetail::None => {}
        AccDetail::Target { bytes, teams, .. } => fields.extend([
            ("bytes", number(bytes)),
            ("requested_num_teams", number(teams)),
            ("at", at.map(Told::Text)),
        ]),
        AccDetail::Data {
            bytes,
            host,
            device,
        } => fields.extend([
            ("bytes", number(bytes)),
            ("host_ptr", number(host)),
            ("device_ptr", number(device)),
        ]),
        AccDetail::Launch {
            gangs,
            workers,
            vector,
        } => {
            named = "kernel_name";
            fields.extend([
                ("num_gangs", number(gangs)),
                ("num_workers", number(workers)),
                ("vector_length", number(vector)),
            ]);
        }
    }
    if let Some(place) = place {
        let text = |text: &'a str| (!text.is_empty()).then_some(Told::Text(text));
        let line = (place.line != 0).then_some(place.line.into());
        fields.extend([
            (named, text(&place.name)),
            ("src_file", text(&place.file)),
            ("line_no", number(line)),
            ("func_name", text(&place.function)),
        ]);
    }
    let known = fields.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// `acc upload x`, `acc compute construct app.c:17`, `omp transfer to device`
pub(crate) fn title(event: u32, place: Option<&AccPlace>) -> String {
    let what = event_name(event);
    let named = place.map_or("", |place| match place.name.as_str() {
        "" => &place.short,
        name => name,
    });
    match named {
        "" if is_of_target(event) => format!("omp {what}"),
        "" => format!("acc {what}"),
        named => format!("acc {what} {named}"),
    }
}

/// Of slices.
pub(crate) fn category(event: u32) -> &'static str {
    match is_of_target(event) {
        true => "target",
        false => "openacc",
    }
}
