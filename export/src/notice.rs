//! What an export does not hold, or should be read with care: for the user, beside the output.

use ompchunk_analysis::sampled::Sampled;
use ompchunk_figures::{are, counted, were};
use ompchunk_trace_format::openacc::is_end;
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Ending, Event, Reason, SumOf, shown};

use crate::format::{Format, Table};
use crate::process::Process;
use crate::site::Sites;

/// What the user should know of an export. `thiserror` writes how they read, though they are no errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    #[error("{part} is cut ({what}); everything before is exported")]
    Cut { part: String, what: String },
    #[error("{} and {} of {part} were not recorded{}",
        counted(*.chunks, "chunk"), counted(*.events, "other event"), because(*.reason))]
    Lost { part: String, chunks: u64, events: u64, reason: Option<Reason> },
    #[error("{} {} recorded as sums only (--sample or --aggregate): the table of loops has what was summed up, and no other export",
        counted(*.chunks, "chunk"), were(*.chunks))]
    Aggregated { chunks: u64 },
    #[error("{} of OpenACC or target {} recorded as sums only (--sample or --aggregate): ompchunk report has what was summed up, and no export",
        counted(*.operations, "operation"), were(*.operations))]
    OpenAccSums { operations: u64 },
    #[error("{} {} compiled without the plugin: the runtime tells only a part of the chunks there, do not add them up",
        counted(*.loops as u64, "static loop"), were(*.loops as u64))]
    NotInstrumented { loops: usize },
    #[error("{} of {part} {} left out: the beginning of the loop was lost", counted(*.chunks, "chunk"), are(*.chunks))]
    Stray { part: String, chunks: u64 },
    #[error("{part} {what}")]
    Lacks { part: String, what: &'static str },
    #[error("the stacks of {part} cannot be read: {why}; the export is without them")]
    StacksUnreadable { part: String, why: String },
    #[error(
        "the stacks of {part} have no end, as those of a program that was killed: samples of up to a quarter of a second before \
         it, or more, are missing"
    )]
    StacksCut { part: String },
    #[error("{} of {part} {} not recorded{}; other samples stand for their time",
        counted(*.samples, "sample"), were(*.samples), damaged(*.torn))]
    StacksMissing { part: String, samples: u64, torn: u64 },
    #[error("functions and lines of {module} are not known: {why}")]
    Unreadable { module: String, why: String },
    #[error("no chunk was recorded")]
    NoChunks,
    #[error(
        "{chunks} of {of} chunks are of loops that the reference does not execute, or not with as many \
         iterations: it must be the same program with the same arguments"
    )]
    NotInReference { chunks: u64, of: u64 },
    #[error(
        "{tasks} of {of} explicit tasks have no work deviation: several threads create them between the same barriers, or the reference does not create as many there"
    )]
    TasksNotInReference { tasks: u64, of: u64 },
    #[error(
        "the reference ran with up to {threads} threads: work deviation is meant to be to a run with one (OMP_NUM_THREADS=1)"
    )]
    ParallelReference { threads: u32 },
    #[error(
        "the graph has {nodes} nodes: viewers become slow beyond 100000; --to graphml-summary, --loop and --rank make it smaller"
    )]
    LargeGraph { nodes: u64 },
}

fn because(reason: Option<Reason>) -> &'static str {
    match reason {
        Some(Reason::DiskFull) => ": the disk, the quota or the file size limit",
        Some(Reason::MaxSize) => ": --max-size",
        Some(Reason::Memory) => ": the process had no memory left",
        _ => "",
    }
}

fn damaged(blocks: u64) -> String {
    match blocks {
        0 => String::new(),
        _ => format!(", and {} of its stacks {} damaged", counted(blocks, "block"), are(blocks)),
    }
}

impl Notice {
    pub(crate) fn lacks(process: &Process<'_>, what: &'static str) -> Notice {
        Notice::Lacks { part: shown(process.part.path()), what }
    }

    pub(crate) fn no_stacks(process: &Process<'_>) -> Notice {
        Notice::lacks(process, "was recorded without stacks; the export is without that part")
    }

    pub(crate) fn of_stacks(process: &Process<'_>, file: &StackFile, sampled: &Sampled) -> Vec<Notice> {
        let part = || shown(process.part.path());
        let mut list = Vec::new();
        if !file.ended() {
            list.push(Notice::StacksCut { part: part() });
        }
        let counts = file.counts();
        let (samples, torn) = (counts.no_room + counts.busy, file.torn());
        if samples > 0 || torn > 0 {
            list.push(Notice::StacksMissing { part: part(), samples, torn });
        }
        let unreadable = sampled.unreadable.iter();
        list.extend(unreadable.map(|(path, why)| Notice::Unreadable { module: shown(path), why: why.to_string() }));
        list
    }

    pub(crate) fn of_part(process: &Process<'_>) -> Vec<Notice> {
        let part = || shown(process.part.path());
        let mut list = Vec::new();
        if let Ending::Cut { what, .. } = process.part.ending() {
            list.push(Notice::Cut { part: part(), what });
        }
        let head = process.part.head();
        if head.lost_chunks > 0 || head.lost_events > 0 {
            let (chunks, events, reason) = (head.lost_chunks, head.lost_events, head.lost_reason);
            list.push(Notice::Lost { part: part(), chunks, events, reason });
        }
        list
    }
}

#[derive(Debug, Default)]
pub(crate) struct Notices {
    pub(crate) list: Vec<Notice>,
    pub(crate) chunks: u64,
    tasks: u64,
    operations: u64,
    /// Operations that were recorded as sums.
    added_up: u64,
    aggregated: u64,
    not_instrumented: usize,
}

impl Notices {
    #[inline]
    pub(crate) fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Aggregate(aggregate) => self.aggregated += aggregate.chunks,
            Event::TaskCreate { .. } => self.tasks += 1,
            Event::AccBegin(_) | Event::AccPoint(_) => self.operations += 1,
            Event::Sum(sum) if matches!(sum.what, SumOf::OpenAcc | SumOf::Target) && !is_end(sum.of) => {
                self.added_up += sum.count;
            }
            _ => {}
        }
    }

    pub(crate) fn part(&mut self, process: &Process<'_>, sites: &Sites<'_>, stray: u64) {
        self.list.extend(Notice::of_part(process));
        if stray > 0 {
            self.list.push(Notice::Stray { part: shown(process.part.path()), chunks: stray });
        }
        self.not_instrumented += sites.incomplete();
    }

    pub(crate) fn add(&mut self, more: Notices) {
        self.list.extend(more.list);
        self.chunks += more.chunks;
        self.tasks += more.tasks;
        self.operations += more.operations;
        self.added_up += more.added_up;
        self.aggregated += more.aggregated;
        self.not_instrumented += more.not_instrumented;
    }

    pub(crate) fn finish(self, format: Format) -> Vec<Notice> {
        let mut list = self.list;
        if format.table() == Some(Table::Sums) {
            return list;
        }
        let openacc = format.has_operations();
        let (chunks, operations, loops) = (self.aggregated, self.added_up, self.not_instrumented);
        // They are missing, where others have rows.
        let misses_chunks = chunks > 0 && !format.has_sums() && format.table() != Some(Table::OpenAcc);
        list.extend(misses_chunks.then_some(Notice::Aggregated { chunks }));
        list.extend((operations > 0 && openacc).then_some(Notice::OpenAccSums { operations }));
        list.extend((loops > 0).then_some(Notice::NotInstrumented { loops }));
        let is_empty = self.chunks + self.tasks == 0 && !(openacc && self.operations > 0);
        list.extend(is_empty.then_some(Notice::NoChunks));
        list
    }
}
