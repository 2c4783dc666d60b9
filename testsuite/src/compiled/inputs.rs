//! The files that a compilation reads: those that its arguments name, and what these include.
//!
//! Headers that stand in none of the tree's folders are the system's, of which [`super::key`] takes care.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest, Sha256};

/// Flags that name files or folders in a way of their own.
const OTHERWISE: [&str; 10] =
    ["@", "-L", "-B", "--config", "--sysroot", "-isysroot", "-J", "-fsave-", "-save-temps", "-gsplit-dwarf"];

/// `#include "a"`, `# include <a>`, Fortran's `include 'a'`.
static INCLUDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?mi)^[ \t]*(?:#[ \t]*include(?:_next)?|#[ \t]*import|include)\b[ \t]*(.*)$"#).expect("a regex")
});
static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"^(?:"([^"]+)"|<([^>]+)>|'([^']+)')"#).expect("a regex"));
/// What reads files by other means.
static BY_OTHER_MEANS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)__has_include|#[ \t]*embed|__has_embed|\.incbin").expect("a regex"));
/// Fortran's modules, which stand compiled in a file.
static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?mi)^[ \t]*use\b[^:\n]*?(?:::)?[ \t]*([a-z_][a-z0-9_]*)").expect("a regex"));

/// SHA-256, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// An argument as it stands in the key. Of an object the name does not matter: it stands in no product.
pub fn argument(argument: &str, directory: &Path) -> Option<String> {
    if OTHERWISE.iter().any(|flag| argument.starts_with(flag)) {
        return None;
    }
    let path = directory.join(argument);
    if path.extension().is_some_and(|e| e == "o") && path.is_file() {
        return Some(format!("object {}", digest(&std::fs::read(path).ok()?)));
    }
    Some(format!("{argument:?}"))
}

/// Each file with its digest; none where an input cannot be told or read.
pub fn of(arguments: &[&OsStr], directory: &Path) -> Option<BTreeMap<PathBuf, String>> {
    let mut words = Vec::new();
    for argument in arguments {
        words.push(argument.to_str()?);
    }
    let folders = folders(&words, directory);
    let mut found = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        let mut is_known = word.starts_with('-') || at > 0 && words[at - 1].starts_with('-');
        for part in parts(word) {
            let path = directory.join(part);
            is_known |= path.exists();
            if path.extension().is_some_and(|e| e == "o") || !path.is_file() {
                continue;
            }
            read(&path, &folders, &mut found)?;
        }
        // An input that is not there, or is called in a way that is not known here.
        if !is_known {
            return None;
        }
    }
    Some(found)
}

/// All that may be a path in an argument: `-fpass-plugin=file`, `-Wl,file`, and a file with such a character in its name.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let ends = || word.match_indices(['=', ',']).map(|(at, _)| at);
    let begins = std::iter::once(0).chain(ends().map(|at| at + 1));
    begins.flat_map(move |begin| {
        let ends = ends().chain([word.len()]);
        ends.filter(move |&end| end > begin).map(move |end| &word[begin..end])
    })
}

/// Where quoted names are searched after the folder of the file that includes them.
fn folders(words: &[&str], directory: &Path) -> Vec<PathBuf> {
    const FLAGS: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];
    let mut folders = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for flag in FLAGS {
            let folder = match word.strip_prefix(flag) {
                Some("") => words.get(at + 1).copied(),
                Some(folder) => Some(folder),
                None => None,
            };
            folders.extend(folder.map(|folder| directory.join(folder)));
        }
    }
    folders
}

fn read(path: &Path, folders: &[PathBuf], found: &mut BTreeMap<PathBuf, String>) -> Option<()> {
    if found.contains_key(path) {
        return Some(());
    }
    let bytes = std::fs::read(path).ok()?;
    found.insert(path.to_owned(), digest(&bytes));
    if bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>") {
        return Some(());
    }
    let text = String::from_utf8_lossy(&bytes);
    if BY_OTHER_MEANS.is_match(&text) {
        return None;
    }
    let beside = path.parent().into_iter();
    let searched: Vec<&Path> = beside.chain(folders.iter().map(PathBuf::as_path)).collect();
    // All of a name: which one is taken depends on the form, and on who asks.
    let mut all_called = |name: &str| -> Option<()> {
        let files = searched.iter().map(|folder| folder.join(name));
        for file in files.filter(|file| file.is_file()) {
            read(&file, folders, found)?;
        }
        Some(())
    };
    for include in INCLUDE.captures_iter(&text) {
        match NAME.captures(&include[1]) {
            Some(name) => all_called((1..=3).find_map(|at| name.get(at))?.as_str())?,
            // A macro's value, or a line that goes on in the next one.
            None if include[0].trim_start().starts_with('#') => return None,
            None => {}
        }
    }
    for module in USE.captures_iter(&text) {
        all_called(&format!("{}.mod", module[1].to_lowercase()))?;
    }
    Some(())
}
