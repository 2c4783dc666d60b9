//! One run of one test, with a mutant or without.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;
use wait_timeout::ChildExt;

use crate::cases::Case;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Passes,
    Fails,
    Hangs,
}

const ENDS: [(End, &str); 3] = [(End::Passes, "passes"), (End::Fails, "fails"), (End::Hangs, "hangs")];

impl End {
    pub fn name(self) -> &'static str {
        ENDS.iter().find(|(end, _)| *end == self).expect("all have one").1
    }

    pub fn named(name: &str) -> Result<End> {
        let found = ENDS.iter().find(|(_, known)| *known == name);
        Ok(found.with_context(|| format!("no end: {name}"))?.0)
    }
}

#[derive(Clone, Copy)]
pub enum Switch<'a> {
    /// No mutant; those that it comes by are marked in a file.
    Marks(&'a Path),
    /// A mutant; 0 is none.
    On(usize),
}

pub struct Run {
    pub tree: PathBuf,
    /// Where their output and files go.
    pub notes: PathBuf,
    /// Until a test counts as hung.
    pub limit: Duration,
    count: AtomicUsize,
}

impl Run {
    /// In that tree. What an earlier run left behind that was stopped is ended.
    pub fn new(tree: &Path, notes: &Path, limit: Duration) -> Result<Run> {
        end_all(|mark| mark.split('-').next().is_some_and(|runner| !Path::new("/proc").join(runner).exists()))?;
        for entry in fs::read_dir(notes)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tmp-")) {
                fs::remove_dir_all(path)?;
            }
        }
        Ok(Run { tree: tree.to_owned(), notes: notes.to_owned(), limit, count: AtomicUsize::new(0) })
    }

    pub fn run(&self, case: &Case, switch: Switch, limit: Duration) -> Result<(End, f64)> {
        let mark = format!("{}-{}", std::process::id(), self.count.fetch_add(1, Ordering::Relaxed));
        let files = self.notes.join(format!("tmp-{mark}"));
        fs::create_dir_all(&files)?;
        let output = self.notes.join(format!("output-{mark}"));
        let log = fs::File::create(&output)?;
        // A name of its own, after which tests call folders that they share.
        let program = with_mark(&case.program, &mark);
        fs::hard_link(&case.program, &program)?;
        let mut command = Command::new(&program);
        command.args(["--exact", &case.name, "--test-threads=1"]).current_dir(&case.folder);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        command.env("TMPDIR", &files).env("OMPCHUNK_DIST", self.tree.join("dist")).env(MARK, &mark);
        match switch {
            Switch::Marks(path) => command.env("MUTANTS_MET", path),
            Switch::On(mutant) => command.env("MUTANT", mutant.to_string()),
        };
        let begin = Instant::now();
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let end = ended(&mut child, limit)?;
        let seconds = begin.elapsed().as_secs_f64();
        if end != End::Passes {
            end_all(|other| other == mark)?;
            fs::rename(&output, self.notes.join("last-failure"))?;
        } else {
            fs::remove_file(&output)?;
        }
        fs::remove_file(&program)?;
        // What a test made unreadable is in nobody's way.
        let shared = self.tree.join("target/tmp").join(program.file_name().unwrap_or_default());
        for folder in [files, shared] {
            let _ = fs::remove_dir_all(folder);
        }
        Ok((end, seconds))
    }
}

/// In the environment of all processes of a run.
const MARK: &str = "MUTANT_RUN";

fn with_mark(program: &Path, mark: &str) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.with_file_name(format!("{name}-{mark}"))
}

fn ended(child: &mut Child, limit: Duration) -> Result<End> {
    Ok(match child.wait_timeout(limit)? {
        Some(status) if status.success() => End::Passes,
        Some(_) => End::Fails,
        None => {
            child.kill()?;
            child.wait()?;
            End::Hangs
        }
    })
}

/// Ends the processes of runs whose mark is so.
fn end_all(is_it: impl Fn(&str) -> bool) -> Result<()> {
    let entry = format!("{MARK}=");
    let mut left = Vec::new();
    for process in fs::read_dir("/proc")? {
        let process = process?;
        // Not ours, or gone.
        let Ok(environment) = fs::read(process.path().join("environ")) else { continue };
        let words = environment.split(|&byte| byte == 0);
        let mut marks = words.filter_map(|word| std::str::from_utf8(word).ok()?.strip_prefix(&entry));
        if marks.any(&is_it) {
            left.push(process.file_name());
        }
    }
    if left.is_empty() {
        return Ok(());
    }
    // One may have ended by itself meanwhile, which is no error.
    Command::new("kill").arg("-KILL").args(&left).stderr(Stdio::null()).status()?;
    Ok(())
}

/// All lines; none where there is no file. What a stop left of the last one is not one.
pub fn read(path: &Path) -> Result<Vec<Value>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| path.display().to_string())?,
    };
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

pub fn append(path: &Path, line: &Value) -> Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    Ok(file.write_all(format!("{line}\n").as_bytes())?)
}
