//! `ompchunk record`: the program under the recorder, and what it left behind.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Result;
use ompchunk_trace_format::{Ending, Event, Part, environment, parts_in};

use crate::args::Record;
use crate::installation::Installation;
use crate::{child, launch};

/// The trace has no place.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Parts of an earlier run.
    #[error("{} holds the trace of an earlier run", .directory.display())]
    Earlier {
        /// The directory.
        directory: PathBuf,
    },
    /// Something else is there.
    #[error("{} is not empty, and what is in it is no trace", .directory.display())]
    Foreign {
        /// The directory.
        directory: PathBuf,
    },
    /// It cannot be created or written to.
    #[error("cannot write to {}: {cause}", .directory.display())]
    Unwritable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Earlier { .. } => "-o with another directory, or --force to replace it",
            Error::Foreign { .. } => "-o with a directory that is empty or not there yet",
            Error::Unwritable { .. } => "-o with a directory that you may write to",
        }
        .into()
    }
}

/// Runs the program, and says what was recorded.
pub fn run(record: &Record) -> Result<ExitCode> {
    let installation = Installation::find()?;
    let recorder = installation.recorder()?;
    let directory = match &record.output {
        Some(directory) => directory.clone(),
        None => default_directory(&record.program[0]),
    };
    // The program may change its directory before it begins to record.
    let absolute = std::path::absolute(&directory).unwrap_or_else(|_| directory.clone());
    prepare(&directory, record.force)?;
    let mut command = Command::new(&record.program[0]);
    command.args(&record.program[1..]);
    launch::attach(
        &mut command,
        &installation.shim()?,
        &[recorder],
        std::env::var_os(launch::LIST).as_deref(),
    )?;
    command.env(environment::DIRECTORY, absolute);
    let number = |value: Option<u64>| value.map(|it| it.to_string()).unwrap_or_default();
    let flag = |value: bool| if value { "1" } else { "" };
    command
        .env(environment::MAX_SIZE, number(record.max_size))
        .env(environment::SAMPLE, number(record.sample))
        .env(environment::AGGREGATE, flag(record.aggregate))
        .env(environment::BOOKKEEPING, flag(record.bookkeeping));
    let status = match child::run(&mut command) {
        Ok(status) => status,
        Err(error) => {
            // Nothing ran, so nothing shall be left; a directory that is not empty stays.
            let _ = std::fs::remove_dir(&directory);
            return Err(error.into());
        }
    };
    eprint!("{}", summary(&directory));
    Ok(child::end_as(status))
}

fn default_directory(program: &OsString) -> PathBuf {
    let name = Path::new(program).file_name();
    let mut name = name.map_or_else(|| program.clone(), OsString::from);
    name.push(environment::SUFFIX);
    name.into()
}

/// Makes sure that the directory is there, can be written to and holds no trace that this run's would
/// mix with. Under MPI each rank comes here; then only its own parts count.
fn prepare(directory: &Path, force: bool) -> Result<(), Error> {
    let unwritable = |cause| Error::Unwritable {
        directory: directory.to_owned(),
        cause,
    };
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    let earlier = own_parts(directory).map_err(unwritable)?;
    if earlier.is_empty() {
        let mut entries = std::fs::read_dir(directory).map_err(unwritable)?;
        if environment::rank().is_none() && entries.next().is_some() {
            return Err(Error::Foreign {
                directory: directory.to_owned(),
            });
        }
    } else if !force {
        return Err(Error::Earlier {
            directory: directory.to_owned(),
        });
    }
    // Before the earlier trace goes: if the new one cannot be, the old one stays.
    tempfile::tempfile_in(directory).map_err(unwritable)?;
    for part in earlier {
        std::fs::remove_file(&part).map_err(unwritable)?;
    }
    Ok(())
}

/// The parts in the directory; under MPI those of this rank.
fn own_parts(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut parts = parts_in(directory)?;
    if let Some((rank, _)) = environment::rank() {
        let mine = environment::part_name(Some(rank), 0);
        parts.retain(|part| {
            let name = part.file_name().unwrap_or_default().to_string_lossy();
            name.split('.').next() == Some(&mine)
        });
    }
    Ok(parts)
}

/// What the parts of one run hold together.
#[derive(Debug, Default)]
struct Sum {
    loops: u64,
    chunks: u64,
    added_up: u64,
    events: u64,
    bytes: u64,
    lost: u64,
    remarks: String,
}

fn summary(directory: &Path) -> String {
    let parts = own_parts(directory).unwrap_or_default();
    if parts.is_empty() {
        let _ = std::fs::remove_dir(directory);
        return "ompchunk: nothing was recorded: no OpenMP runtime asked for the recorder\n\
                ompchunk: next: ompchunk run --verbose with the same program says why\n"
            .into();
    }
    let mut sum = Sum::default();
    for path in &parts {
        if let Err(error) = Part::open(path).and_then(|part| sum.add(&part)) {
            // Writing to a string does not fail.
            let _ = writeln!(sum.remarks, "ompchunk: {error}");
        }
    }
    sum.text(directory, parts.len())
}

impl Sum {
    fn add(&mut self, part: &Part) -> Result<(), ompchunk_trace_format::Error> {
        let mut loops = std::collections::BTreeSet::new();
        self.events += part.for_each(|_, event| match event {
            Event::Chunk(_) => self.chunks += 1,
            Event::Loop(it) => {
                loops.insert(it.the_loop);
            }
            Event::Aggregate(it) => self.added_up += it.chunks,
            _ => {}
        })?;
        self.loops += loops.len() as u64;
        self.bytes += part.size();
        let (chunks, events) = (part.head().lost_chunks, part.head().lost_events);
        self.lost += chunks;
        let name = part.path().display();
        if chunks + events > 0 {
            let _ = writeln!(
                self.remarks,
                "ompchunk: {name}: {chunks} chunks and {events} other events were not recorded for lack of room"
            );
        }
        if let Ending::Cut { what, .. } = part.ending() {
            let _ = writeln!(self.remarks, "ompchunk: {name} is cut: {what}");
        }
        Ok(())
    }

    fn text(&self, directory: &Path, parts: usize) -> String {
        let count = |number: u64, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let added_up = match self.added_up {
            0 => String::new(),
            _ => format!(" and {} added up", self.added_up),
        };
        format!(
            "ompchunk: {}: {}, {}{added_up}, {} in {}, {:.1} MiB, {} lost\n{}",
            directory.display(),
            count(self.loops, "loop"),
            count(self.chunks, "chunk"),
            count(self.events, "event"),
            count(parts as u64, "part"),
            self.bytes as f64 / f64::from(1 << 20),
            count(self.lost, "chunk"),
            self.remarks,
        )
    }
}
