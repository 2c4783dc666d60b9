//! A folder of products, each in one file under the digest of its key.
//!
//! A file is written beside and renamed, so that any number of processes may take and keep at once. It carries its key and a digest of all
//! that follows: half a file, a changed one or another key's is none. What was not used for long goes, and so does what is
//! beyond the bound, oldest first.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};

use super::inputs::digest;
use crate::child::Finished;
use crate::dist;

/// The first line of each file; another form of it gets another number.
const FORM: &str = "ompchunk-compiled 1";
const BOUND: u64 = 512 << 20;
const UNUSED: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// Between two looks at how much there is.
const KEPT_BETWEEN: usize = 128;

/// What a compilation left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    stdout: String,
    stderr: String,
    mode: u32,
    bytes: Vec<u8>,
}

/// The folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    bound: u64,
    kept: AtomicUsize,
}

impl Product {
    /// Of a compilation to `to` that succeeded.
    pub fn read(finished: &Finished, to: &Path) -> Result<Product> {
        let of = std::fs::symlink_metadata(to)?;
        ensure!(of.is_file(), "{} is no file", to.display());
        Ok(Product {
            stdout: finished.stdout.clone(),
            stderr: finished.stderr.clone(),
            mode: of.permissions().mode() & 0o7777,
            bytes: std::fs::read(to)?,
        })
    }

    /// As if it had been compiled to `to`.
    pub fn put(self, to: &Path) -> Result<Finished> {
        // Not into a file that a program may be running from.
        let _ = std::fs::remove_file(to);
        // By another process: were it open for writing here, a child that another thread starts meanwhile would have it open too,
        // and a program that somebody writes cannot be run.
        let mode = format!("{:o}", self.mode);
        let mut install = Command::new("install");
        install.args(["-m", &mode, "/dev/stdin"]).arg(to);
        let mut install = install.stdin(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = install.stdin.take() {
            stdin.write_all(&self.bytes)?;
        }
        ensure!(install.wait()?.success(), "install {}", to.display());
        Ok(Finished { status: ExitStatus::from_raw(0), stdout: self.stdout, stderr: self.stderr })
    }

    fn encoded(&self, name: &str) -> Vec<u8> {
        let (out, err) = (self.stdout.len(), self.stderr.len());
        let mut body = format!("{:o} {out} {err} {}\n", self.mode, self.bytes.len()).into_bytes();
        for part in [self.stdout.as_bytes(), self.stderr.as_bytes(), &self.bytes] {
            body.extend_from_slice(part);
        }
        let mut file = format!("{FORM} {name} {}\n", digest(&body)).into_bytes();
        file.append(&mut body);
        file
    }

    /// None if it is not exactly what was written for that name.
    fn decoded(file: &[u8], name: &str) -> Option<Product> {
        let (head, body) = line(file)?;
        if head != format!("{FORM} {name} {}", digest(body)) {
            return None;
        }
        let (sizes, rest) = line(body)?;
        let [mode, out, err, bytes] = sizes.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (stdout, rest) = rest.split_at_checked(out.parse().ok()?)?;
        let (stderr, rest) = rest.split_at_checked(err.parse().ok()?)?;
        (rest.len() == bytes.parse::<usize>().ok()?).then_some(())?;
        Some(Product {
            stdout: String::from_utf8(stdout.to_owned()).ok()?,
            stderr: String::from_utf8(stderr.to_owned()).ok()?,
            mode: u32::from_str_radix(mode, 8).ok()?,
            bytes: rest.to_owned(),
        })
    }
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// What a key's file is called.
pub fn name(key: &str) -> String {
    digest(key.as_bytes())
}

impl Store {
    /// The one of this tree, which goes with `cargo clean`.
    pub fn standard() -> Store {
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = target.unwrap_or_else(|| dist::repository().join("target"));
        Store::at(&target.join("tmp/compiled"), BOUND)
    }

    /// A folder, which need not exist, with at most about `bound` bytes.
    pub fn at(folder: &Path, bound: u64) -> Store {
        Store { folder: folder.to_owned(), bound, kept: AtomicUsize::new(0) }
    }

    /// What was kept under that key.
    pub fn take(&self, key: &str) -> Option<Product> {
        let name = name(key);
        let path = self.folder.join(&name);
        let product = Product::decoded(&std::fs::read(&path).ok()?, &name)?;
        // Used last: another process may have removed it meanwhile, which does not matter any more.
        let file = std::fs::File::options().append(true).open(&path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        Some(product)
    }

    /// Keeps it; others see all of it or nothing.
    pub fn keep(&self, key: &str, product: &Product) -> Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        if self.kept.fetch_add(1, Ordering::Relaxed) % KEPT_BETWEEN == 0 {
            self.prune()?;
        }
        let name = name(key);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&product.encoded(&name))?;
        let path = self.folder.join(name);
        file.persist(&path).with_context(|| path.display().to_string())?;
        Ok(())
    }

    /// Removes what was not used for long, and the oldest of the rest until it is within three quarters of the bound.
    pub fn prune(&self) -> Result<()> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            // Gone by now: another process prunes, too.
            let Ok(of) = std::fs::symlink_metadata(&path) else {
                continue;
            };
            files.push((of.modified()?, of.len(), path));
        }
        files.sort();
        let now = SystemTime::now();
        let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
        let beyond = size > self.bound;
        for (used, bytes, path) in files {
            let old = now.duration_since(used).is_ok_and(|since| since > UNUSED);
            let too_much = beyond && size > self.bound / 4 * 3;
            if !(old || too_much) {
                break;
            }
            size -= bytes;
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }
}
