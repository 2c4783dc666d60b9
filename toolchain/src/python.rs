//! Python: which modules on the path that the interpreter tells need an OpenMP runtime, by their files.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{needs, program};

/// Where modules may be, as deep as packages have folders ...
const DEEPEST: usize = 8;
/// ... and of so many entries: a path may have a user's home.
const MOST: usize = 300_000;
const SAY_PATH: &str = "import sys; print('\\n'.join(sys.path))";

pub(crate) struct Modules {
    /// Files that need libgomp, or are it.
    pub(crate) of_libgomp: Vec<PathBuf>,
    /// Files that need, or are, a runtime that asks for tools itself.
    pub(crate) of_others: Vec<PathBuf>,
    /// Entries that may still be looked at.
    left: usize,
}

/// `None`: the program is no Python, nor a script for it, no module needs libgomp, or there is too much to look at.
pub(crate) fn modules(program: &Path) -> Option<Modules> {
    let interpreter = interpreter(program)?;
    let mut command = Command::new(interpreter);
    // What it loads at its start it shall not write beside the source.
    command.args(["-B", "-c", SAY_PATH]).stdin(Stdio::null()).stderr(Stdio::null());
    let text = String::from_utf8(command.output().ok()?.stdout).ok()?;
    let mut modules = Modules { of_libgomp: Vec::new(), of_others: Vec::new(), left: MOST };
    for folder in text.lines().filter(|line| !line.is_empty()) {
        modules.look_into(Path::new(folder), DEEPEST);
    }
    (!modules.of_libgomp.is_empty() && modules.left > 0).then_some(modules)
}

fn interpreter(program: &Path) -> Option<PathBuf> {
    let is_python = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python"));
    if is_python(program) {
        return Some(program.to_owned());
    }
    let mut line = String::new();
    BufReader::new(File::open(program).ok()?.take(256)).read_line(&mut line).ok()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let first = words.next()?;
    let named = if first.ends_with("/env") { words.next()? } else { first };
    program::find(named.as_ref()).filter(|path| is_python(path))
}

impl Modules {
    fn look_into(&mut self, folder: &Path, depth: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    // `site-packages` and the like are on the path themselves.
                    let has_none = name == "__pycache__" || name.ends_with(".dist-info") || name.ends_with("-packages");
                    if depth > 0 && !has_none {
                        self.look_into(&path, depth - 1);
                    }
                }
                Ok(_) if name.ends_with(".so") || name.contains(".so.") => {
                    let needed = needs::libraries(&path).unwrap_or_default();
                    let is = |what: fn(&str) -> bool| what(&name) || needed.iter().any(|needed| what(needed));
                    if is(needs::is_libgomp) {
                        self.of_libgomp.push(path.clone());
                    }
                    if is(needs::has_ompt) {
                        self.of_others.push(path);
                    }
                }
                _ => {}
            }
        }
    }

    /// The functions of libgomp that are called, each after the file that calls it, and what is to be known of both.
    pub(crate) fn calls<K>(&self, mut known: impl FnMut(&Path, &str) -> K) -> Vec<(String, String, K)> {
        let mut calls = Vec::new();
        for path in &self.of_libgomp {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let called = if needs::is_libgomp(&file) { Vec::new() } else { functions(path, true) };
            for name in called {
                let known = known(path, &name);
                calls.push((file.clone(), name, known));
            }
        }
        calls
    }
}

/// Functions for OpenMP that a library has, or calls.
pub(crate) fn functions(library: &Path, called: bool) -> Vec<String> {
    let is_one = |name: &str| ["GOMP_", "GOACC_", "omp_", "acc_"].iter().any(|begin| name.starts_with(begin));
    needs::symbols(library, called, is_one)
}
