//! How much an export would be, before anything is written: whether there is a chunk at all, and how large a graph
//! becomes.

use std::collections::HashMap;

use ompchunk_trace_format::Event;
use ompchunk_trace_format::openacc::is_end;

use crate::error::Error;
use crate::format::Format;
use crate::process::Process;
use crate::sums::is_sum;

/// Chunks that are selected, with the nodes that their bookkeeping has in a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Amount {
    chunks: u64,
    bookkeeping: u64,
}

/// Bytes of a node of a graph and its edge, besides the names in it. Measured: the keys are most of it.
const NODE: u64 = 1050;

/// Nodes that a graph may have: ten times what viewers bear with patience.
const LARGEST_GRAPH: u64 = 1_000_000;

/// Is there something to export, and not too much?
pub(crate) fn check(processes: &[Process<'_>], format: Format) -> Result<(), Error> {
    let enough = match format {
        // They have more than loops and chunks.
        Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng => return Ok(()),
        Format::LoopsCsv | Format::LoopsJson | Format::Parquet => {
            let is_one = |event: &Event<'_>| {
                matches!(event, Event::Loop(_))
                    || (format == Format::Parquet && (is_operation(event) || is_sum(event)))
            };
            return match any(processes, is_one)? {
                true => Ok(()),
                false => Err(Error::NoLoops),
            };
        }
        Format::OpenAccCsv | Format::OpenAccJson => {
            return match any(processes, is_operation)? {
                true => Ok(()),
                false => Err(Error::NoOperations),
            };
        }
        Format::SumsCsv | Format::SumsJson => {
            return match any(processes, is_sum)? {
                true => Ok(()),
                false => Err(Error::NoSums),
            };
        }
        Format::TaskStats | Format::Csv | Format::Json => 1,
        Format::GraphMl => u64::MAX,
    };
    let amount = Amount::of(processes, enough)?;
    if amount.chunks == 0 {
        return Err(Error::NoChunks);
    }
    if format == Format::GraphMl && amount.nodes() > LARGEST_GRAPH {
        return Err(Error::TooLarge {
            nodes: amount.nodes(),
            bytes: amount.bytes(),
        });
    }
    Ok(())
}

fn is_operation(event: &Event<'_>) -> bool {
    matches!(event, Event::AccBegin(_)) || matches!(event, Event::AccPoint(it) if !is_end(it.event))
}

/// Is there such an event?
fn any(processes: &[Process<'_>], is: impl Fn(&Event<'_>) -> bool) -> Result<bool, Error> {
    let mut found = false;
    for process in processes {
        process.part.for_each_while(|_, event| {
            found |= is(&event);
            !found
        })?;
        if found {
            break;
        }
    }
    Ok(found)
}

impl Amount {
    /// Counts the chunks of the loops that are selected; `most` are enough.
    fn of(processes: &[Process<'_>], most: u64) -> Result<Amount, Error> {
        let mut found = Amount::default();
        for process in processes {
            let mut lanes: HashMap<u32, Vec<u32>> = HashMap::new();
            process.part.for_each_while(|at, event| {
                match event {
                    Event::Chunk(chunk) => {
                        let running = lanes.get(&at.lane).and_then(|loops| loops.last());
                        if running.is_some_and(|the_loop| process.wants(*the_loop)) {
                            found.chunks += 1;
                            found.bookkeeping += u64::from(chunk.create_duration > 0);
                        }
                    }
                    Event::LoopBegin(it) => lanes.entry(at.lane).or_default().push(it.the_loop),
                    Event::LoopEnd { the_loop } => {
                        let loops = lanes.entry(at.lane).or_default();
                        if let Some(from) = loops.iter().rposition(|it| *it == the_loop) {
                            loops.truncate(from);
                        }
                    }
                    Event::ThreadEnd { .. } => {
                        lanes.remove(&at.lane);
                    }
                    _ => {}
                }
                found.chunks < most
            })?;
            if found.chunks >= most {
                break;
            }
        }
        Ok(found)
    }

    /// Nodes of a graph of them, without those of regions.
    fn nodes(self) -> u64 {
        self.chunks + self.bookkeeping
    }

    /// About how many bytes a graph of them has.
    fn bytes(self) -> u64 {
        self.nodes().saturating_mul(NODE)
    }
}
