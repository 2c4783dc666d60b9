//! An experiment of GNU gprofng: `gprofng display text` shows functions, lines and call trees as the source has them, with
//! the metrics OMP Work and OMP Wait. gprofng's own collector records none of that, but its reader understands it.

mod experiment;
mod packet;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ompchunk_analysis::sampled;
use ompchunk_trace_format::stacks::StackFile;

use self::experiment::Functions;
use crate::error::Error;
use crate::notice::Notice;
use crate::process::Process;

pub(crate) fn write(processes: &[Process<'_>], directory: &Path) -> Result<Vec<Notice>, Error> {
    if directory.extension().is_none_or(|extension| extension != "er") {
        return Err(Error::NoExperiment { path: directory.to_owned() });
    }
    if directory.symlink_metadata().is_ok() {
        return Err(Error::AlreadyThere { path: directory.to_owned() });
    }
    let mut notices = Vec::new();
    let mut destination = Destination::default();
    let mut functions = Functions::default();
    let mut logs: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let started = processes.iter().map(|process| process.part.meta().started);
    let started = started.min().unwrap_or(0) / 1_000_000_000;
    for process in processes {
        let Some(file) = StackFile::beside(process.part.path())? else {
            notices.push(Notice::no_stacks(process));
            continue;
        };
        let sampled = sampled::sampled(process.part, &file)?;
        let mut of_process = Notice::of_part(process);
        of_process.extend(Notice::of_stacks(process, &file, &sampled));
        let notes: Vec<String> = of_process.iter().map(ToString::to_string).collect();
        let (files, log) = experiment::files(process, &file, &sampled, &mut functions, started, &notes);
        let to = match logs.len() {
            0 => directory.to_owned(),
            number => directory.join(format!("_f{number}.er")),
        };
        destination.create(&to)?;
        for (name, content) in files {
            destination.put(to.join(name), &content)?;
        }
        logs.push((to, log));
        notices.extend(of_process);
    }
    if logs.is_empty() {
        return Err(Error::NoStacks);
    }
    // All processes have the same. Without its log a directory is no experiment.
    let (map, lines) = functions.write(logs.len());
    for (to, log) in logs.into_iter().rev() {
        destination.put(to.join("map.xml"), map.as_bytes())?;
        destination.put(to.join("dyntext"), &lines)?;
        destination.put(to.join("log.xml"), &log)?;
    }
    destination.whole = true;
    Ok(notices)
}

/// Directories that are ours until all is whole.
#[derive(Debug, Default)]
struct Destination {
    /// The first one is that of the others.
    directories: Vec<PathBuf>,
    files: Vec<PathBuf>,
    whole: bool,
}

impl Destination {
    fn create(&mut self, directory: &Path) -> Result<(), Error> {
        fs::create_dir(directory).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => Error::AlreadyThere { path: directory.to_owned() },
            _ => Error::write(directory, cause),
        })?;
        self.directories.push(directory.to_owned());
        Ok(())
    }

    fn put(&mut self, path: PathBuf, content: &[u8]) -> Result<(), Error> {
        let mut create = || {
            let mut file = File::create_new(&path)?;
            self.files.push(path.clone());
            file.write_all(content)?;
            // A network's file system says only now that there is no room.
            file.sync_all()
        };
        create().map_err(|cause| Error::write(&path, cause))
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if self.whole {
            return;
        }
        // The error that led here is the one that is told; what others put there stays.
        self.files.iter().for_each(|file| drop(fs::remove_file(file)));
        self.directories.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
    }
}
