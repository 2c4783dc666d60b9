//! The table of sums: a file is there only where there is a row for it.

use std::io;
use std::path::Path;

use ompchunk_trace_format::{Event, Sum};

use super::columns::{Column, Kind, Table, column};
use super::open::Open;
use super::tables::{text, whole};
use crate::error::Error;
use crate::process::Process;
use crate::site::Sites;
use crate::sums::SumRow;

const SUMS: &[Column] = &[
    column("part", Kind::Text),
    column("thread", Kind::U32),
    column("what", Kind::Text),
    column("kind", Kind::Text).optional(),
    column("within", Kind::Text).optional(),
    column("loop", Kind::U32).optional(),
    column("at", Kind::Text).optional(),
    column("count", Kind::U64),
    column("duration_ns", Kind::F64),
    column("duration_ticks", Kind::U64),
    column("shortest_ns", Kind::F64),
    column("longest_ns", Kind::F64),
    column("from_ns", Kind::I64),
    column("to_ns", Kind::I64),
    column("ticks_per_second", Kind::F64),
];

/// Those of a part.
pub(super) struct SumsOfPart<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    /// `None`: there was none yet.
    table: Option<Result<Open, Error>>,
}

impl<'p> SumsOfPart<'p> {
    pub(super) fn new(process: &'p Process<'p>, directory: &'p Path) -> SumsOfPart<'p> {
        SumsOfPart {
            process,
            directory,
            table: None,
        }
    }

    #[inline]
    pub(super) fn see(&mut self, event: &Event<'_>, sites: &Sites<'_>) {
        if let Event::Sum(sum) = event {
            self.put(sum, sites);
        }
    }

    fn put(&mut self, sum: &Sum, sites: &Sites<'_>) {
        let Some(row) = SumRow::of(self.process, sites, sum) else {
            return;
        };
        let begin = || Open::new(self.directory, "sums", self.process, SUMS);
        if let Ok(table) = self.table.get_or_insert_with(begin) {
            table.put(|to| write(to, self.process, sum, &row));
        }
    }

    /// There is no point in reading on.
    pub(super) fn has_failed(&self) -> bool {
        match &self.table {
            Some(Ok(table)) => table.has_failed(),
            Some(Err(_)) => true,
            None => false,
        }
    }

    /// `None`: nothing was added up.
    pub(super) fn finish(self) -> Result<Option<Open>, Error> {
        self.table.transpose()
    }
}

fn write(to: &mut Table, process: &Process<'_>, sum: &Sum, row: &SumRow<'_>) -> io::Result<()> {
    let cells = [
        to.text(row.part),
        row.thread.into(),
        to.text(row.what),
        text(to, row.kind),
        text(to, row.within),
        row.the_loop.into(),
        text(to, row.at),
        row.count.into(),
        process.duration(sum.sum).into(),
        sum.sum.into(),
        row.shortest_ns.into(),
        row.longest_ns.into(),
        whole(process.ns(sum.from)).into(),
        whole(process.ns(sum.to)).into(),
        process.part.clock().hertz.into(),
    ];
    to.row(cells)
}
