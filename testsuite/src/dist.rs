//! Where the products under test are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, bail, ensure};

use crate::target;

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("testsuite/ stands in the repository").to_owned()
}

/// All files in a folder and below.
///
/// # Panics
///
/// Where it cannot be read.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![path],
        })
        .collect()
}

/// A folder with each input of `testsuite/` in a file of its own.
pub fn testsuite() -> PathBuf {
    ompchunk_testkit::inputs().to_owned()
}

/// The header for tools, from the source tree: tests must not see a stale installed one.
pub fn include() -> PathBuf {
    repository().join("runtime-shim/include")
}

/// The plugin for one LLVM major. Compilers run on this machine, whatever processor they compile for.
pub fn plugin(major: u32) -> Result<PathBuf> {
    within(own(), &format!("lib/llvm-{major}/libompchunk.so"))
}

/// The shim as a shared library.
pub fn shim() -> Result<PathBuf> {
    product("lib/libompchunk_rt.so")
}

/// The same for `OMPCHUNK_BALANCE=restless`, which is not in what is installed.
pub fn restless_shim() -> Result<PathBuf> {
    static BUILT: OnceLock<bool> = OnceLock::new();
    if let Some(target) = target::current() {
        return within(target.dist(), "restless/libompchunk_rt.so");
    }
    let to = repository().join("target/restless");
    let build = || {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--release", "-p", "ompchunk-rt", "--features", "restless", "--target-dir"]);
        let is_built = command.arg(&to).current_dir(repository()).status().is_ok_and(|status| status.success());
        // It looks for tools beside itself, and the command for all of them.
        for name in std::fs::read_dir(own().join("lib")).into_iter().flatten().flatten().map(|entry| entry.file_name())
        {
            let _ = std::os::unix::fs::symlink(own().join("lib").join(&name), to.join("release").join(&name));
        }
        is_built
    };
    ensure!(*BUILT.get_or_init(build), "cargo cannot build {}", to.display());
    within(to, "release/libompchunk_rt.so")
}

pub fn command() -> Result<PathBuf> {
    product("bin/ompchunk")
}

pub fn recorder() -> Result<PathBuf> {
    product("lib/libompchunk_trace.so")
}

pub fn shim_archive() -> Result<PathBuf> {
    product("lib/libompchunk_rt.a")
}

fn product(name: &str) -> Result<PathBuf> {
    match target::current() {
        Some(target) => within(target.dist(), name),
        None => within(own(), name),
    }
}

/// Where the products for this machine are.
pub fn own() -> PathBuf {
    match std::env::var_os("OMPCHUNK_DIST") {
        Some(dir) => PathBuf::from(dir),
        None => repository().join("dist"),
    }
}

fn within(dist: PathBuf, name: &str) -> Result<PathBuf> {
    let path = dist.join(name);
    if !path.is_file() {
        bail!("{} is missing: run make first", path.display());
    }
    Ok(path.canonicalize()?)
}

#[cfg(test)]
mod tests {
    use ompchunk_testkit::inputs::parts;

    #[test]
    fn parts_begin_with_what_stands_above_the_first() {
        let part = |name, text: &str| (Some(name), text.to_owned());
        let text = "#include <a.h>\n//--- b.c\nint b; //--- c\n//--- d.c\n";
        assert_eq!(parts(text), [part("b.c", "#include <a.h>\nint b; //--- c\n"), part("d.c", "#include <a.h>\n")]);
        assert_eq!(parts(";--- x.ll\n\ny\n"), [part("x.ll", "\ny\n")]);
        assert_eq!(parts("--- a/x\n"), [(None, "--- a/x\n".to_owned())]);
    }
}
