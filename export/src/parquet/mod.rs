//! Parquet, for DuckDB, Polars, Dask, Spark and whatever else reads it: four tables, one of sums and one of OpenACC, partitioned by rank. Parts are written side by
//! side on all cores, each in one pass (`tables` has the rows, `columns` the files, `place` their names); memory is a row group per
//! table and core, however long the trace.

mod columns;
mod open;
mod operations;
mod place;
mod sums;
mod tables;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ompchunk_trace_format::{Event, NOBODY};
use rayon::prelude::*;

use self::columns::Table;
use self::open::Open;
use self::operations::InPart;
use self::sums::SumsOfPart;
use self::tables::{CHUNKS, InLoops, LOOPS, REGIONS, Region, THREADS};
use crate::directory::prepare;
use crate::error::Error;
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;
use crate::table::Sums;
use crate::walk::{Ended, Walk};

/// Writes the tables of all parts into a directory.
pub(crate) fn write(
    processes: &[Process<'_>],
    directory: &Path,
    notices: &mut Notices,
) -> Result<(), Error> {
    prepare(directory)?;
    let written = Mutex::new(Vec::new());
    let parts = processes.par_iter();
    let parts = parts.map(|it| part(it, directory, &written));
    let seen = parts.collect::<Result<Vec<Notices>, Error>>();
    if seen.is_err() {
        // Tables of some parts would pass for all of them.
        place::take_back(written.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    seen?.into_iter().for_each(|it| notices.add(it));
    Ok(())
}

fn part(
    process: &Process<'_>,
    directory: &Path,
    written: &Mutex<Vec<PathBuf>>,
) -> Result<Notices, Error> {
    let open = |name, columns| Open::new(directory, name, process, columns);
    let mut chunks = open("chunks", CHUNKS)?;
    let name = chunks.text(&process.name);
    let chunks = RefCell::new(chunks);
    let mut regions = open("regions", REGIONS)?;
    let (mut notices, mut walk) = (Notices::default(), Walk::default());
    let mut operations = InPart::new(process, directory);
    let mut of_sums = SumsOfPart::new(process, directory);
    let mut sites = Sites::new(process.wanted.as_ref());
    let loops = RefCell::new(BTreeMap::<u32, Sums>::new());
    let threads = RefCell::new(InLoops::default());
    let mut begun: HashMap<u64, Region> = HashMap::new();
    let ended = |sites: &Sites<'_>, it: Ended<'_>| {
        let the_loop = it.execution.begin.the_loop;
        if !sites.selected(the_loop) {
            return;
        }
        loops.borrow_mut().entry(the_loop).or_default().ended(&it);
        let mut threads = threads.borrow_mut();
        threads.of(it.execution.thread, the_loop).ended(&it);
        let row = |to: &mut Table| tables::chunk(to, (process, name), sites.get(the_loop), &it);
        chunks.borrow_mut().put(row);
    };
    process.part.for_each_while(|at, event| {
        sites.see(&event);
        notices.see(&event);
        let begins = |it: &crate::walk::Execution| {
            let the_loop = it.begin.the_loop;
            if sites.selected(the_loop) {
                loops.borrow_mut().entry(the_loop).or_default().begun(it);
                let mut threads = threads.borrow_mut();
                threads.of(it.thread, the_loop).begun(it);
            }
        };
        walk.see(at, &event, |it| ended(&sites, it), begins);
        operations.see(at, &event, &sites.places);
        of_sums.see(&event, &sites);
        match &event {
            Event::ParallelBegin {
                parallel,
                requested,
                code,
                ..
            } => {
                let region = Region {
                    begin: at.ticks,
                    requested: *requested,
                    code: *code,
                    team: None,
                };
                begun.insert(*parallel, region);
            }
            Event::ImplicitTaskBegin {
                parallel,
                team_size,
                ..
            } => {
                if let Some(region) = begun.get_mut(parallel) {
                    region.team = Some(*team_size);
                }
            }
            Event::ParallelEnd { parallel } => {
                if let Some(it) = begun.remove(parallel) {
                    let code = sites.code(it.code);
                    let of = (*parallel, &it);
                    regions.put(|to| tables::region(to, process, code, of, Some(at.ticks)));
                }
            }
            Event::Aggregate(it) if sites.selected(it.the_loop) => {
                let mut loops = loops.borrow_mut();
                loops.entry(it.the_loop).or_default().aggregate(it);
                let mut threads = threads.borrow_mut();
                threads.of(it.thread, it.the_loop).aggregate(it);
            }
            Event::Lost(it) if it.the_loop != NOBODY && sites.selected(it.the_loop) => {
                loops.borrow_mut().entry(it.the_loop).or_default().lost(it);
            }
            _ => {}
        }
        !chunks.borrow().has_failed()
            && !regions.has_failed()
            && !operations.has_failed()
            && !of_sums.has_failed()
    })?;
    notices.part(process, &sites, walk.stray);
    walk.finish(|it| ended(&sites, it));
    let mut open_still: Vec<(u64, Region)> = begun.into_iter().collect();
    open_still.sort_by_key(|it| (it.1.begin, it.0));
    for (number, it) in &open_still {
        let code = sites.code(it.code);
        regions.put(|to| tables::region(to, process, code, (*number, it), None));
    }
    let (mut of_loops, mut of_threads) = (open("loops", LOOPS)?, open("threads", THREADS)?);
    for (number, sums) in &*loops.borrow() {
        let site = sites.get(*number);
        notices.chunks += sums.chunks;
        let row = sums.row(process, *number, site);
        of_loops.put(|to| tables::a_loop(to, process, site, &row, sums.ticks));
    }
    for (which, sum) in threads.borrow().iter() {
        of_threads.put(|to| tables::thread(to, process, which, sum));
    }
    let of_openacc = operations.finish(&sites.places)?;
    let of_sums = of_sums.finish()?;
    let tables = [chunks.into_inner(), regions, of_loops, of_threads];
    for table in tables.into_iter().chain(of_openacc).chain(of_sums) {
        table.finish(written)?;
    }
    Ok(notices)
}
