//! OpenACC's places by number, and what operations there are called.

use std::collections::HashMap;

use ompchunk_trace_format::AccSite;
use ompchunk_trace_format::openacc::event_name;
use ompchunk_trace_format::target::is_of_target;

use crate::name::last_component;

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
        let short = match (last_component(&file), site.lines[0]) {
            ("", 0) => String::new(),
            ("", line) => format!("line {line}"),
            (name, 0) => name.to_owned(),
            (name, line) => format!("{name}:{line}"),
        };
        AccPlace { line: site.lines[0], function: text(site.function), name: text(site.name), short, file }
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
