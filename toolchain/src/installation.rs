//! Where the products are, found from where this program is. Two layouts, both movable: that of `make` (`dist/bin`,
//! `dist/lib/llvm-22`, ...) and that of `make install` (`bin`, `lib/ompchunk/llvm-22`, ...).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Names the directory that holds `llvm-*/` and `tools/`.
pub const VARIABLE: &str = "OMPCHUNK_LIBDIR";

const PLUGIN: &str = "libompchunk.so";

fn not_found(what: impl Into<String>) -> Failure {
    let next =
        format!("build or install ompchunk as a whole (make, make install), or {VARIABLE}=/directory/with/llvm-22");
    Failure::new(what, next)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    pub directory: PathBuf,
}

impl Installation {
    pub fn find() -> Result<Installation, Failure> {
        let unknown = |cause| not_found("cannot find out where this program is").because(cause);
        Installation::search(std::env::var_os(VARIABLE).as_deref(), &std::env::current_exe().map_err(unknown)?)
    }

    fn search(named: Option<&OsStr>, exe: &Path) -> Result<Installation, Failure> {
        let looked = match named {
            Some(directory) if !directory.is_empty() => vec![PathBuf::from(directory)],
            _ => {
                let prefix = exe.parent().and_then(Path::parent).unwrap_or(exe);
                // In this order: below /usr, lib/llvm-22 is a distribution's LLVM.
                vec![prefix.join("lib/ompchunk"), prefix.join("lib")]
            }
        };
        // As it reads best: without `bin/..`, and valid wherever a compiler changes to.
        let absolute = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let mut all = looked.iter().map(|directory| Installation { directory: absolute(directory) });
        all.find(|found| !found.majors().is_empty()).ok_or_else(|| {
            let looked: Vec<String> = looked.iter().map(|path| path.display().to_string()).collect();
            not_found(format!("found no plugin: there is no llvm-*/{PLUGIN} in {}", looked.join(" or ")))
        })
    }

    /// The LLVM majors there are plugins for, newest first.
    pub fn majors(&self) -> Vec<u32> {
        let mut majors: Vec<u32> = names(&self.directory)
            .iter()
            .filter_map(|name| name.strip_prefix("llvm-")?.parse().ok())
            .filter(|major| self.plugin(*major).is_some())
            .collect();
        majors.sort_unstable_by(|a, b| b.cmp(a));
        majors
    }

    pub fn plugin(&self, major: u32) -> Option<PathBuf> {
        let path = self.directory.join(format!("llvm-{major}")).join(PLUGIN);
        path.is_file().then_some(path)
    }

    pub fn shim(&self) -> Result<PathBuf, Failure> {
        self.library("libompchunk_rt.so")
    }

    pub fn recorder(&self) -> Result<PathBuf, Failure> {
        self.library("libompchunk_trace.so")
    }

    pub fn shim_archive(&self) -> Result<PathBuf, Failure> {
        self.library("libompchunk_rt.a")
    }

    pub fn stock(&self) -> Result<PathBuf, Failure> {
        self.library("libompchunk_stock.so")
    }

    /// Beside the plugins, or in `lib/` above `lib/ompchunk/`.
    fn library(&self, library: &str) -> Result<PathBuf, Failure> {
        let mut paths = self.directory.ancestors().take(2).map(|directory| directory.join(library));
        paths.find(|path| path.is_file()).ok_or_else(|| {
            let directory = self.directory.display();
            Failure::new(
                format!("found plugins in {directory}, but no {library} there or one directory up"),
                "install ompchunk again, as a whole",
            )
        })
    }

    pub fn tool(&self, name: &str) -> Option<PathBuf> {
        let path = self.directory.join(format!("tools/lib{name}.so"));
        (!name.contains('/') && path.is_file()).then_some(path)
    }

    pub fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = names(&self.directory.join("tools"))
            .iter()
            .filter_map(|name| Some(name.strip_prefix("lib")?.strip_suffix(".so")?.to_owned()))
            .collect();
        tools.sort();
        tools
    }
}

/// What a directory holds; nothing if it cannot be read.
fn names(directory: &Path) -> Vec<String> {
    std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn both_layouts() {
        for (plugins, shim) in [("lib", "lib"), ("lib/ompchunk", "lib")] {
            let root = tree(&[
                "bin/ompchunk",
                &format!("{plugins}/llvm-19/libompchunk.so"),
                &format!("{plugins}/llvm-22/libompchunk.so"),
                &format!("{plugins}/llvm-7/README"),
                &format!("{plugins}/tools/libchunk-print.so"),
                &format!("{shim}/libompchunk_rt.so"),
                &format!("{shim}/libompchunk_trace.so"),
            ]);
            let root_path = root.path().canonicalize().unwrap();
            let found = Installation::search(None, &root_path.join("bin/ompchunk")).unwrap();
            assert_eq!(found.majors(), [22, 19]);
            assert_eq!(found.directory, root_path.join(plugins));
            assert_eq!(found.shim().unwrap(), root_path.join(shim).join("libompchunk_rt.so"));
            assert_eq!(found.recorder().unwrap(), root_path.join(shim).join("libompchunk_trace.so"));
            assert_eq!(found.tools(), ["chunk-print"]);
            assert!(found.tool("chunk-print").is_some());
            assert!(found.tool("../tools/libchunk-print").is_none());
        }
    }

    #[test]
    fn a_distributions_llvm_is_not_ours() {
        let root = tree(&["bin/ompchunk", "lib/llvm-22/lib/libLLVM.so"]);
        let error = Installation::search(None, &root.path().join("bin/ompchunk")).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("found no plugin: ") && error.contains(" or "), "{error}");
    }

    #[test]
    fn the_environment_decides() {
        let root = tree(&["x/llvm-20/libompchunk.so"]);
        let named = root.path().join("x");
        let found = Installation::search(Some(named.as_os_str()), Path::new("/")).unwrap();
        assert_eq!(found.majors(), [20]);
        assert!(found.shim().is_err_and(|error| error.to_string().contains("but no libompchunk_rt.so there")));
    }
}
