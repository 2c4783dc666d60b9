//! Whether an export would have anything, and how much, before anything is written.

use std::collections::HashMap;

use ompchunk_trace_format::Event;
use ompchunk_trace_format::openacc::is_end;

use crate::error::Error;
use crate::format::{Format, Table};
use crate::name::TASKWAIT;
use crate::process::Process;
use crate::sums::is_sum;

/// Chunks that are selected, with the nodes that their bookkeeping has in a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Amount {
    chunks: u64,
    bookkeeping: u64,
    /// Explicit tasks that are told one by one, ...
    tasks: u64,
    /// ... how often they end or are left, ...
    left: u64,
    /// ... and how often something waits for them.
    waits: u64,
}

/// Bytes of a node of a graph and its edge, besides their names. Measured: most of them are keys.
const NODE: u64 = 1050;

/// Nodes that a graph may have: ten times what viewers bear with patience.
const LARGEST_GRAPH: u64 = 1_000_000;

/// Is there something to export, and not too much?
pub(crate) fn check(processes: &[Process<'_>], format: Format) -> Result<(), Error> {
    let is_loop = |event: &Event<'_>| matches!(event, Event::Loop(_));
    match format {
        // They have more than loops and chunks.
        Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng | Format::Speedscope => Ok(()),
        Format::Csv(Table::Loops) | Format::Json(Table::Loops) => any(processes, is_loop, Error::NoLoops),
        Format::Parquet => {
            let is_task = |event: &Event<'_>| matches!(event, Event::TaskCreate { .. });
            let is_row = |event: &Event<'_>| is_loop(event) || is_operation(event) || is_sum(event) || is_task(event);
            any(processes, is_row, Error::NoLoops)
        }
        Format::Csv(Table::OpenAcc) | Format::Json(Table::OpenAcc) => any(processes, is_operation, Error::NoOperations),
        Format::Csv(Table::Sums) | Format::Json(Table::Sums) => any(processes, is_sum, Error::NoSums),
        Format::Csv(Table::Chunks) | Format::Json(Table::Chunks) => match Amount::of(processes, 1)?.chunks {
            0 => Err(Error::NoChunks),
            _ => Ok(()),
        },
        Format::TaskStats => {
            let amount = Amount::of(processes, 1)?;
            match amount.chunks + amount.tasks {
                0 => Err(Error::NoChunks),
                _ => Ok(()),
            }
        }
        Format::GraphMlSummary => {
            let is_grain = |event: &Event<'_>| matches!(event, Event::Chunk(_) | Event::TaskCreate { .. });
            any(processes, is_grain, Error::NoChunks)
        }
        Format::GraphMl => {
            let amount = Amount::of(processes, u64::MAX)?;
            match (amount.chunks + amount.tasks, amount.nodes()) {
                (0, _) => Err(Error::NoChunks),
                (_, nodes) if nodes <= LARGEST_GRAPH => Ok(()),
                (_, nodes) => Err(Error::TooLarge { nodes, bytes: nodes.saturating_mul(NODE) }),
            }
        }
    }
}

fn is_operation(event: &Event<'_>) -> bool {
    match event {
        Event::AccBegin(_) => true,
        Event::AccPoint(point) => !is_end(point.event),
        _ => false,
    }
}

/// Is there such an event? Else `none`.
fn any(processes: &[Process<'_>], is_such: impl Fn(&Event<'_>) -> bool, none: Error) -> Result<(), Error> {
    for process in processes {
        let mut found = false;
        process.part.for_each_while(|_, event| {
            found = is_such(&event);
            !found
        })?;
        if found {
            return Ok(());
        }
    }
    Err(none)
}

impl Amount {
    /// Counts the chunks of the loops that are selected; `most` are enough.
    fn of(processes: &[Process<'_>], most: u64) -> Result<Amount, Error> {
        let mut found = Amount::default();
        for process in processes {
            let mut lanes = HashMap::new();
            process.part.for_each_while(|at, event| {
                found.add(process, lanes.entry(at.lane).or_default(), &event);
                found.chunks < most
            })?;
            if found.chunks >= most {
                break;
            }
        }
        Ok(found)
    }

    /// `open`: the loops that the event's lane executes.
    fn add(&mut self, process: &Process<'_>, open: &mut Vec<u32>, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) if open.last().is_some_and(|the_loop| process.wants(*the_loop)) => {
                self.chunks += 1;
                self.bookkeeping += u64::from(chunk.create_duration > 0);
            }
            Event::TaskCreate { .. } => self.tasks += 1,
            Event::TaskSchedule { prior, .. } => self.left += u64::from(*prior != 0),
            Event::SyncEnd(sync) if self.tasks > 0 && sync.kind == TASKWAIT => self.waits += 1,
            Event::LoopBegin(begin) => open.push(begin.the_loop),
            Event::LoopEnd { the_loop } => {
                let from = open.iter().rposition(|number| number == the_loop);
                open.truncate(from.unwrap_or(open.len()));
            }
            Event::ThreadEnd { .. } => open.clear(),
            _ => {}
        }
    }

    /// Nodes of a graph of them, without those of regions: of tasks what each did up to where it creates one, is left or waits.
    fn nodes(self) -> u64 {
        self.chunks + self.bookkeeping + self.tasks + self.left + 2 * self.waits
    }
}
