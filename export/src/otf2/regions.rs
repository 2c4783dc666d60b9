//! Names and roles of regions, as Score-P gives them: constructs as in `!$omp for`, then where they are.

use std::hash::Hash;

use indexmap::IndexSet;
use ompchunk_trace_format::is_barrier;

use super::symbols as otf2;
use crate::name;
use crate::site::{AccPlace, Site};

/// What is in a loop, its chunks and their parts included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Loop,
    Chunk,
    /// A part of that, of which a profile was recorded.
    SubBlock,
    Barrier,
}

pub(super) const OPENACC: &str = "!$acc";

/// Files of Fortran, where the construct has another name.
fn is_fortran(file: &str) -> bool {
    const EXTENSIONS: [&str; 9] = ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18"];
    let extension = file.rsplit('.').next().unwrap_or_default();
    EXTENSIONS.contains(&&*extension.to_ascii_lowercase())
}

/// The region of a loop; `None`: the loop is undefined.
pub(super) fn of_loop(what: Of, number: u32, site: Option<&Site>) -> Region {
    let construct = match site {
        Some(site) if site.construct == "distribute" => "!$omp distribute",
        Some(site) if site.construct == name::SECTIONS => "!$omp sections",
        Some(site) if is_fortran(&site.file) => "!$omp do",
        _ => "!$omp for",
    };
    let (what, role) = match what {
        Of::Loop if construct == "!$omp sections" => (construct, otf2::REGION_ROLE_SECTIONS),
        Of::Loop => (construct, otf2::REGION_ROLE_LOOP),
        Of::Chunk => ("!$omp chunk", otf2::REGION_ROLE_LOOP),
        Of::SubBlock => ("!$omp sub-block", otf2::REGION_ROLE_LOOP),
        Of::Barrier => ("!$omp implicit barrier", otf2::REGION_ROLE_IMPLICIT_BARRIER),
    };
    let place = site.map_or_else(|| format!("loop {number}"), |site| site.short.clone());
    let source = site.filter(|site| site.line != 0 && !site.file.is_empty());
    Region {
        name: format!("{what} @{place}"),
        what,
        function: site.map_or_else(String::new, |site| site.function.clone()),
        role,
        source: source.map(|site| (site.file.clone(), site.line)),
    }
}

/// What the clause says: the parameter's name is `schedule` already.
pub(super) fn schedule(clause: &str) -> &str {
    let inner = clause.strip_prefix("schedule(");
    inner.and_then(|inner| inner.strip_suffix(')')).unwrap_or(clause)
}

/// At a place in the code, as far as that is known.
pub(super) fn region_at(what: &'static str, role: u8, place: Option<&str>, function: &str) -> Region {
    Region {
        name: place.map_or_else(|| what.to_owned(), |place| format!("{what} @{place}")),
        what,
        function: function.to_owned(),
        role,
        source: None,
    }
}

/// `ompt_work_t`, but for loops.
pub(super) fn work(work: u32) -> (&'static str, u8) {
    match work {
        2 => ("!$omp sections", otf2::REGION_ROLE_SECTIONS),
        3 => ("!$omp single sblock", otf2::REGION_ROLE_SINGLE_SBLOCK),
        4 => ("!$omp single", otf2::REGION_ROLE_SINGLE),
        5 => ("!$omp workshare", otf2::REGION_ROLE_WORKSHARE),
        6 => ("!$omp distribute", otf2::REGION_ROLE_LOOP),
        7 => ("!$omp taskloop", otf2::REGION_ROLE_LOOP),
        8 => ("!$omp scope", otf2::REGION_ROLE_CODE),
        _ => ("!$omp work", otf2::REGION_ROLE_UNKNOWN),
    }
}

pub(super) fn target(event: u32) -> (&'static str, u8) {
    match event & !1 {
        34 => ("!$omp target", otf2::REGION_ROLE_CODE),
        36 => ("!$omp target enter data", otf2::REGION_ROLE_CODE),
        38 => ("!$omp target exit data", otf2::REGION_ROLE_CODE),
        40 => ("!$omp target update", otf2::REGION_ROLE_DATA_TRANSFER),
        50 => ("!$omp target nowait", otf2::REGION_ROLE_CODE),
        52 => ("!$omp target enter data nowait", otf2::REGION_ROLE_CODE),
        54 => ("!$omp target exit data nowait", otf2::REGION_ROLE_CODE),
        56 => ("!$omp target update nowait", otf2::REGION_ROLE_DATA_TRANSFER),
        66 | 98 => ("!$omp target alloc", otf2::REGION_ROLE_CODE),
        68 | 100 => ("!$omp target transfer to device", otf2::REGION_ROLE_DATA_TRANSFER),
        70 | 102 => ("!$omp target transfer from device", otf2::REGION_ROLE_DATA_TRANSFER),
        72 | 104 => ("!$omp target delete", otf2::REGION_ROLE_CODE),
        128 => ("!$omp target submit", otf2::REGION_ROLE_CODE),
        _ => ("!$omp target operation", otf2::REGION_ROLE_UNKNOWN),
    }
}

pub(super) fn openacc(event: u32, place: Option<&AccPlace>) -> Region {
    let (what, role) = match event {
        1 => ("!$acc device init", otf2::REGION_ROLE_CODE),
        3 => ("!$acc device shutdown", otf2::REGION_ROLE_CODE),
        10 => ("!$acc enter data", otf2::REGION_ROLE_CODE),
        12 => ("!$acc exit data", otf2::REGION_ROLE_CODE),
        14 => ("!$acc update", otf2::REGION_ROLE_DATA_TRANSFER),
        16 => ("!$acc compute construct", otf2::REGION_ROLE_CODE),
        18 => ("!$acc launch", otf2::REGION_ROLE_CODE),
        20 => ("!$acc upload", otf2::REGION_ROLE_DATA_TRANSFER),
        22 => ("!$acc download", otf2::REGION_ROLE_DATA_TRANSFER),
        24 => ("!$acc wait", otf2::REGION_ROLE_UNKNOWN),
        _ => ("!$acc event", otf2::REGION_ROLE_UNKNOWN),
    };
    let Some(place) = place else { return region_at(what, role, None, "") };
    let source = Some((place.file.clone(), place.line));
    let position = match (place.name.as_str(), place.short.as_str()) {
        ("", short) => short.to_owned(),
        (name, "") => name.to_owned(),
        (name, short) => format!("{short} {name}"),
    };
    let position = (!position.is_empty()).then_some(&*position);
    Region {
        source: source.filter(|(file, line)| *line != 0 && !file.is_empty()),
        ..region_at(what, role, position, &place.function)
    }
}

/// `ompt_sync_region_t`
pub(super) fn sync(kind: u32) -> (&'static str, u8) {
    match kind {
        1 | 3 => ("!$omp barrier", otf2::REGION_ROLE_BARRIER),
        5 => ("!$omp taskwait", otf2::REGION_ROLE_TASK_WAIT),
        6 => ("!$omp taskgroup", otf2::REGION_ROLE_TASK_WAIT),
        7 => ("!$omp reduction", otf2::REGION_ROLE_CODE),
        _ if is_barrier(kind) => ("!$omp implicit barrier", otf2::REGION_ROLE_IMPLICIT_BARRIER),
        _ => ("!$omp synchronization", otf2::REGION_ROLE_UNKNOWN),
    }
}

pub(super) fn number<T: Eq + Hash>(values: &mut IndexSet<T>, value: T) -> u32 {
    values.insert_full(value).0 as u32
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Region {
    /// Score-P's name: `!$omp for @app.c:19`.
    pub(super) name: String,
    /// Without its place: `!$omp for`.
    pub(super) what: &'static str,
    /// The function around the region; may be empty.
    pub(super) function: String,
    /// `OTF2_RegionRole`
    pub(super) role: u8,
    pub(super) source: Option<(String, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) strings: IndexSet<String>,
    pub(super) regions: IndexSet<Region>,
    /// The threads of each team, in its order.
    pub(super) teams: IndexSet<Vec<u32>>,
}
