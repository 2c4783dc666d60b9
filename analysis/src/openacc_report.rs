//! OpenACC and OpenMP's `target` in a report: the operations of all parts by what they are and where, in seconds.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::{COMPUTE_CONSTRUCT, construct_name, event_name};

use crate::merge::Merge;
use crate::model::{OpenAccReport, OpenAccThread};
use crate::openacc::{Both, Key, OperationSite, Sums};
use crate::part::PartSums;
use crate::process::Context;
use crate::symbols::Lines;

pub(crate) fn report(context: &Context<'_>) -> Vec<OpenAccReport> {
    let mut all: BTreeMap<(u32, Option<u32>, Option<i32>, OperationSite), OpenAccReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for (part, part_sums) in context.sums.iter().enumerate() {
        for (key, sums) in &part_sums.openacc.sums {
            let place = place(context, part, key, &mut lines);
            let of = (key.event, key.construct, key.device, place.clone());
            all.entry(of).or_insert_with(|| OpenAccReport::new(key, place)).add(part, sums, part_sums.clock.hertz);
        }
    }
    let mut all: Vec<OpenAccReport> = all.into_values().collect();
    all.sort_by(|one, other| {
        let seconds = |openacc: &OpenAccReport| openacc.seconds.unwrap_or(0.0);
        let construct = |openacc: &OpenAccReport| openacc.event != COMPUTE_CONSTRUCT;
        seconds(other).total_cmp(&seconds(one)).then(construct(one).cmp(&construct(other)))
    });
    all
}

/// As the runtime has it, or of a return address what the program's line information says.
fn place(context: &Context<'_>, part: usize, key: &Key, lines: &mut Lines) -> OperationSite {
    let operations = &context.sums[part].openacc;
    if key.code == 0 {
        return operations.places.get(&key.site).cloned().unwrap_or_default();
    }
    let found = context.site(part, key.code, lines);
    let line = found.line.unwrap_or(0);
    let is_known = found.file.is_some() || found.object.is_some();
    OperationSite {
        file: found.file.unwrap_or_default(),
        lines: [line, 0],
        function: found.function.unwrap_or_default(),
        name: String::new(),
        object: found.object.unwrap_or_default(),
        // In nothing that is known an address is all there is.
        offset: found.offset.unwrap_or(if is_known { 0 } else { key.code }),
    }
}

pub(crate) fn stray(sums: &[PartSums]) -> Both<u64> {
    let mut all = [0; 2];
    sums.iter().for_each(|part| all.take_in(&part.openacc.stray));
    all
}

/// Thread time in operations that are in no other one.
pub(crate) fn thread_seconds(sums: &[PartSums]) -> Both<f64> {
    let mut all = [0.0; 2];
    sums.iter().for_each(|part| all.take_in(&part.openacc.outermost.map(|ticks| ticks as f64 / part.clock.hertz)));
    all
}

pub(crate) fn in_chunks(sums: &[PartSums]) -> f64 {
    let seconds = sums.iter().map(|part| part.openacc.in_chunks as f64 / part.clock.hertz);
    seconds.fold(0.0, |sum, seconds| sum + seconds)
}

impl OpenAccReport {
    fn new(key: &Key, place: OperationSite) -> OpenAccReport {
        let known = |text: String| Some(text).filter(|text| !text.is_empty());
        OpenAccReport {
            event: key.event,
            operation: event_name(key.event),
            construct: key.construct.map(construct_name),
            device: key.device,
            file: known(place.file),
            line: Some(place.lines[0]).filter(|line| *line != 0),
            end_line: Some(place.lines[1]).filter(|line| *line != 0),
            function: known(place.function),
            object: known(place.object),
            offset: Some(place.offset).filter(|offset| *offset != 0),
            name: known(place.name),
            ..OpenAccReport::default()
        }
    }

    fn add(&mut self, part: usize, sums: &Sums, hertz: f64) {
        let seconds = |ticks: u64| ticks as f64 / hertz;
        self.count += sums.timed + sums.untimed;
        merge_fields!(self, sums: untimed, asynchronous, implicit, bytes);
        for thread in &sums.threads {
            let thread = OpenAccThread { part, thread: *thread };
            // A line may have several calls.
            if !self.threads.contains(&thread) {
                self.threads.push(thread);
            }
        }
        if let Some([shortest, longest]) = sums.extremes.map(|extremes| extremes.map(seconds)) {
            self.seconds = Some(self.seconds.unwrap_or(0.0) + seconds(sums.ticks));
            self.shortest_seconds = Some(self.shortest_seconds.map_or(shortest, |known| known.min(shortest)));
            self.longest_seconds = Some(self.longest_seconds.unwrap_or(0.0).max(longest));
        }
        self.dimensions = self.dimensions.or(sums.last);
        self.teams = self.teams.or(sums.teams);
    }
}
