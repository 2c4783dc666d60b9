//! The programs and modules that tests compile, each a file of its own.
//!
//! Small ones stand together in one file, which is parted as LLVM's `split-file` parts it: a line `//--- name` begins the part
//! that becomes the file of that name beside it. The comment may be one of Fortran (`!`), LLVM IR (`;`) or the shell (`#`), too. Lines above
//! the first part's begin every part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{fs, process};

use crate::products::repository;

/// Folders of `testsuite/` that nobody compiles.
const OTHERS: [&str; 3] = ["src", "tests", "snapshots"];

/// A folder as `testsuite/` would be if each input had its own file.
///
/// # Panics
///
/// Where the inputs cannot be read, two have one name, or the folder cannot be written.
pub fn inputs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (from, to) = (repository().join("testsuite"), repository().join("target/inputs"));
        let mut files = BTreeMap::new();
        for folder in fs::read_dir(&from).expect("testsuite/").map(|entry| entry.expect("an entry").path()) {
            if folder.is_dir() && !OTHERS.iter().any(|other| folder.ends_with(other)) {
                read_below(&folder, &mut files);
            }
        }
        place(files, &from, &to);
        to
    })
}

/// A folder as one of the repository's, such as `recorder/tests/programs`, would be if each program had its own file.
///
/// # Panics
///
/// As [`inputs`].
pub fn parted(folder: &str) -> PathBuf {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let to = repository().join("target/parts").join(folder);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.insert(to.clone()) {
        let (from, mut files) = (repository().join(folder), BTreeMap::new());
        read_below(&from, &mut files);
        place(files, &from, &to);
    }
    to
}

/// Writes the files read below one folder to another, which has no others then.
fn place(files: BTreeMap<PathBuf, String>, from: &Path, to: &Path) {
    let files: BTreeMap<PathBuf, String> =
        files.into_iter().map(|(path, text)| (to.join(path.strip_prefix(from).expect("below")), text)).collect();
    for (path, text) in &files {
        write(path, text, to);
    }
    remove_others(to, &files);
}

fn read_below(path: &Path, files: &mut BTreeMap<PathBuf, String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder");
        return entries.for_each(|entry| read_below(&entry.expect("an entry").path(), files));
    }
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (name, part) in parts(&text) {
        let path = name.map_or(path.to_owned(), |name| path.with_file_name(name));
        let other = files.insert(path.clone(), part);
        assert!(other.is_none(), "{}: two inputs of that name", path.display());
    }
}

/// The parts of a file's text with their names, or all of it without one.
pub fn parts(text: &str) -> Vec<(Option<&str>, String)> {
    let (mut head, mut parts) = (String::new(), Vec::new());
    for line in text.split_inclusive('\n') {
        let name = ["//--- ", "!--- ", ";--- ", "#--- "].iter().find_map(|sign| line.trim_end().strip_prefix(sign));
        match (name, parts.last_mut()) {
            (Some(name), _) => parts.push((Some(name), head.clone())),
            (None, Some((_, part))) => part.push_str(line),
            (None, None) => head.push_str(line),
        }
    }
    if parts.is_empty() {
        parts.push((None, head));
    }
    parts
}

/// Programs of other tests may read the file meanwhile: it is there as a whole or not at all, and what is right stays.
fn write(path: &Path, text: &str, folder: &Path) {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return;
    }
    let made = folder.with_extension(process::id().to_string());
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for inputs");
    fs::write(&made, text).and_then(|()| fs::rename(&made, path)).expect("an input that can be written");
}

fn remove_others(folder: &Path, files: &BTreeMap<PathBuf, String>) {
    for path in fs::read_dir(folder).expect("inputs").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            remove_others(&path, files);
        } else if !files.contains_key(&path) {
            let _ = fs::remove_file(path);
        }
    }
}
