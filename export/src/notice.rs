//! What an export does not hold, or should be read with care: for the user, beside the output.

use std::fmt;

use ompchunk_analysis::sampled::Sampled;
use ompchunk_trace_format::openacc::is_end;
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::words::{are, counted, were};
use ompchunk_trace_format::{Ending, Event, Reason, SumOf, shown};

use crate::process::Process;
use crate::site::Sites;

/// What the user should know of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A part has no end; everything before is exported.
    Cut {
        /// The part's file.
        part: String,
        /// What that means.
        what: String,
    },
    /// The recorder had no room.
    Lost {
        /// The part's file.
        part: String,
        /// Chunks.
        chunks: u64,
        /// Other records.
        events: u64,
        /// Why.
        reason: Option<Reason>,
    },
    /// Executions that were left out by `--sample` or `--aggregate`.
    Aggregated {
        /// Chunks.
        chunks: u64,
    },
    /// Operations of OpenACC that were left out likewise.
    OpenAccSums {
        /// Operations.
        operations: u64,
    },
    /// Static loops that the plugin did not see.
    NotInstrumented {
        /// Of how many such loops.
        loops: usize,
    },
    /// Chunks of which it is not known which loop they are of.
    Stray {
        /// The part's file.
        part: String,
        /// How many.
        chunks: u64,
    },
    /// A part was recorded without stacks.
    NoStacks {
        /// The part's file.
        part: String,
    },
    /// A part's stacks are damaged as a whole.
    StacksUnreadable {
        /// The part's file.
        part: String,
        /// Why.
        why: String,
    },
    /// A part's stacks have no end.
    StacksCut {
        /// The part's file.
        part: String,
    },
    /// Samples that are not there.
    StacksMissing {
        /// The part's file.
        part: String,
        /// Not recorded.
        samples: u64,
        /// Blocks of the file that are damaged.
        torn: u64,
    },
    /// A module whose functions have no names.
    Unreadable {
        /// Its path.
        module: String,
        /// Why.
        why: String,
    },
    /// There was nothing to export.
    NoChunks,
    /// Chunks of executions that the other run has not.
    NotInReference {
        /// How many.
        chunks: u64,
        /// Of all that are exported.
        of: u64,
    },
    /// The other run is not of one thread.
    ParallelReference {
        /// Its largest team.
        threads: u32,
    },
    /// Larger than the viewers of such graphs bear.
    LargeGraph {
        /// Its nodes.
        nodes: u64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Cut { part, what } => {
                write!(to, "{part} is cut ({what}); everything before is exported")
            }
            Notice::Lost {
                part,
                chunks,
                events,
                reason,
            } => {
                let why = match reason {
                    Some(Reason::DiskFull) => ": the disk, the quota or the file size limit",
                    Some(Reason::MaxSize) => ": --max-size",
                    _ => "",
                };
                write!(
                    to,
                    "{} and {} of {part} were not recorded{why}",
                    counted(*chunks, "chunk"),
                    counted(*events, "other event")
                )
            }
            Notice::Aggregated { chunks } => write!(
                to,
                "{} {} recorded as sums only (--sample or --aggregate): the table of loops has what was summed up, and no \
                 other export",
                counted(*chunks, "chunk"),
                were(*chunks)
            ),
            Notice::OpenAccSums { operations } => write!(
                to,
                "{} of OpenACC {} recorded as sums only (--sample or --aggregate): ompchunk report has what was summed up, and \
                 no export",
                counted(*operations, "operation"),
                were(*operations)
            ),
            Notice::NotInstrumented { loops } => write!(
                to,
                "{} {} compiled without the plugin: the runtime tells only a part of the chunks there, do not add them up",
                counted(*loops as u64, "static loop"),
                were(*loops as u64)
            ),
            Notice::Stray { part, chunks } => write!(
                to,
                "{} of {part} {} left out: the beginning of the loop was lost",
                counted(*chunks, "chunk"),
                are(*chunks)
            ),
            Notice::NoStacks { part } => write!(
                to,
                "{part} was recorded without stacks; the export is without that part"
            ),
            Notice::StacksUnreadable { part, why } => write!(
                to,
                "the stacks of {part} cannot be read: {why}; the export is without them"
            ),
            Notice::StacksCut { part } => write!(
                to,
                "the stacks of {part} have no end, as those of a program that was killed: samples of up to a quarter of a second before \
                 it, or more, are missing"
            ),
            Notice::StacksMissing {
                part,
                samples,
                torn,
            } => {
                {
                    let (samples, were) = (counted(*samples, "sample"), were(*samples));
                    write!(to, "{samples} of {part} {were} not recorded")?;
                }
                match torn {
                    0 => write!(to, "; other samples stand for their time"),
                    _ => write!(
                        to,
                        ", and {} of its stacks {} damaged; other samples stand for their time",
                        counted(*torn, "block"),
                        are(*torn)
                    ),
                }
            }
            Notice::Unreadable { module, why } => {
                write!(to, "functions and lines of {module} are not known: {why}")
            }
            Notice::NoChunks => write!(to, "no chunk was recorded"),
            Notice::NotInReference { chunks, of } => write!(
                to,
                "{chunks} of {of} chunks are of loops that the reference does not execute, or not with as many \
                 iterations: it must be the same program with the same arguments"
            ),
            Notice::ParallelReference { threads } => write!(
                to,
                "the reference ran with up to {threads} threads: work deviation is meant to be to a run with \
                 one (OMP_NUM_THREADS=1)"
            ),
            Notice::LargeGraph { nodes } => write!(
                to,
                "the graph has {nodes} nodes: viewers become slow beyond 100000; --loop and --rank \
                 make it smaller"
            ),
        }
    }
}

impl Notice {
    /// What is missing of a part's stacks.
    pub(crate) fn of_stacks(
        process: &Process<'_>,
        file: &StackFile,
        sampled: &Sampled,
    ) -> Vec<Notice> {
        let mut list = Vec::new();
        if !file.ended() {
            list.push(Notice::StacksCut {
                part: shown(process.part.path()),
            });
        }
        let counts = file.counts();
        let missing = counts.no_room + counts.busy;
        if missing > 0 || file.torn() > 0 {
            list.push(Notice::StacksMissing {
                part: shown(process.part.path()),
                samples: missing,
                torn: file.torn(),
            });
        }
        for (path, why) in &sampled.unreadable {
            list.push(Notice::Unreadable {
                module: shown(path),
                why: why.to_string(),
            });
        }
        list
    }

    /// What a part says of itself.
    pub(crate) fn of_part(process: &Process<'_>) -> Vec<Notice> {
        let mut list = Vec::new();
        let part = || shown(process.part.path());
        if let Ending::Cut { what, .. } = process.part.ending() {
            list.push(Notice::Cut { part: part(), what });
        }
        let head = process.part.head();
        if head.lost_chunks > 0 || head.lost_events > 0 {
            list.push(Notice::Lost {
                part: part(),
                chunks: head.lost_chunks,
                events: head.lost_events,
                reason: head.lost_reason,
            });
        }
        list
    }
}

/// Collects them.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    pub(crate) list: Vec<Notice>,
    /// Chunks that were exported.
    pub(crate) chunks: u64,
    /// Operations of OpenACC that were seen.
    operations: u64,
    /// ... and those that were recorded as sums.
    added_up: u64,
    aggregated: u64,
    not_instrumented: usize,
}

impl Notices {
    #[inline]
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Aggregate(it) => self.aggregated += it.chunks,
            Event::AccBegin(_) | Event::AccPoint(_) => self.operations += 1,
            Event::Sum(it) if it.what == SumOf::OpenAcc && !is_end(it.of) => {
                self.added_up += it.count;
            }
            _ => {}
        }
    }

    /// After a part has been read.
    pub(crate) fn part(&mut self, process: &Process<'_>, sites: &Sites<'_>, stray: u64) {
        let part = || shown(process.part.path());
        self.list.extend(Notice::of_part(process));
        if stray > 0 {
            self.list.push(Notice::Stray {
                part: part(),
                chunks: stray,
            });
        }
        self.not_instrumented += sites.incomplete();
    }

    /// Those of other parts.
    pub(crate) fn add(&mut self, other: Notices) {
        self.list.extend(other.list);
        self.chunks += other.chunks;
        self.operations += other.operations;
        self.added_up += other.added_up;
        self.aggregated += other.aggregated;
        self.not_instrumented += other.not_instrumented;
    }

    /// `sums`: what was recorded as sums only is in the export, too. `openacc`: so is what OpenACC did, one by one.
    pub(crate) fn finish(mut self, sums: bool, openacc: bool) -> Vec<Notice> {
        if self.aggregated > 0 && !sums {
            self.list.push(Notice::Aggregated {
                chunks: self.aggregated,
            });
        }
        if self.added_up > 0 && openacc {
            self.list.push(Notice::OpenAccSums {
                operations: self.added_up,
            });
        }
        if self.not_instrumented > 0 {
            self.list.push(Notice::NotInstrumented {
                loops: self.not_instrumented,
            });
        }
        if self.chunks == 0 && !(openacc && self.operations > 0) {
            self.list.push(Notice::NoChunks);
        }
        self.list
    }
}
