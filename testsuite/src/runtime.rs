//! The OpenMP runtimes that programs run on, and ways to put the shim and a tool into a process.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use ompchunk_testkit::compilers::omp_headers;

use crate::suite::Missing;
use crate::target::{self, Target};
use crate::toolchain::Llvm;
use crate::{child, dist, workdir};

/// The runtimes: the system's, Intel's, and LLVM 16's, the oldest that Debian 12 has.
pub const NAMES: [&str; 3] = ["libomp", "libiomp5", "libomp 16"];

/// A host runtime. All have the same ABI, so one program runs on both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// Where its libomp.so.5 is, unless the dynamic linker finds it by itself.
    library_dir: Option<PathBuf>,
}

impl Runtime {
    /// What the system has, or what is in the directory that `OMPCHUNK_LIBOMP` names.
    pub fn libomp() -> Runtime {
        let named = std::env::var_os("OMPCHUNK_LIBOMP").filter(|folder| !folder.is_empty());
        Runtime { name: "libomp", library_dir: named.map(PathBuf::from) }
    }

    /// Is Intel's there?
    pub fn second() -> Result<(), Missing> {
        Runtime::libiomp5().map(drop)
    }

    /// Intel's, from the directory that `OMPCHUNK_IOMP5` names.
    pub fn libiomp5() -> Result<Runtime, Missing> {
        if let Some(target) = target::current() {
            return Err(Missing::Anywhere(format!("Intel builds no libiomp5 for {}", target.triple())));
        }
        static DIR: OnceLock<Result<PathBuf, Missing>> = OnceLock::new();
        let dir = DIR.get_or_init(|| {
            let named = std::env::var_os("OMPCHUNK_IOMP5").filter(|folder| !folder.is_empty());
            let dir = named.ok_or_else(|| match cfg!(target_arch = "x86_64") {
                true => Missing::Here(
                    "OMPCHUNK_IOMP5 does not name a directory with libiomp5.so (PyPI: intel-openmp)".into(),
                ),
                false => Missing::Anywhere(format!("Intel builds no libiomp5 for {}", std::env::consts::ARCH)),
            })?;
            let library = Path::new(&dir).join("libiomp5.so");
            let library =
                library.canonicalize().map_err(|error| Missing::Here(format!("{}: {error}", library.display())))?;
            // Programs ask for libomp.so.5; under that name they get this one.
            let links = workdir::shared().join("libiomp5");
            std::fs::create_dir_all(&links)
                .and_then(|()| std::os::unix::fs::symlink(library, links.join("libomp.so.5")))
                .map_err(|error| Missing::Here(format!("{}: {error}", links.display())))?;
            Ok(links)
        });
        dir.clone().map(|dir| Runtime { name: "libiomp5", library_dir: Some(dir) })
    }

    /// LLVM 16's, from the directory that `OMPCHUNK_LIBOMP16` names.
    pub fn libomp16() -> Result<Runtime, Missing> {
        let named = || std::env::var_os("OMPCHUNK_LIBOMP16").map(PathBuf::from);
        let dir = target::current().map(Target::libomp16).or_else(named);
        let dir = dir.ok_or_else(|| {
            Missing::Here(
                "OMPCHUNK_LIBOMP16 does not name a directory with LLVM 16's libomp.so.5 (Debian: libomp5-16)".into(),
            )
        })?;
        let library = dir.join("libomp.so.5");
        library.canonicalize().map_err(|error| Missing::Here(format!("{}: {error}", library.display())))?;
        Ok(Runtime { name: "libomp 16", library_dir: Some(dir) })
    }

    pub fn installed() -> Vec<Runtime> {
        let older = Runtime::libomp16().ok();
        Runtime::complete().into_iter().chain(older).collect()
    }

    /// The machine's runtimes that know every entry today's compilers call: libomp 16
    /// lacks `__kmpc_dispatch_deinit`, which loops with dynamic schedules end with.
    pub fn complete() -> Vec<Runtime> {
        std::iter::once(Runtime::libomp()).chain(Runtime::libiomp5().ok()).collect()
    }

    /// A command that runs `program` on this runtime with `threads` threads per team.
    pub fn command(&self, program: &Path, threads: u32) -> Command {
        let mut command = child::command(program);
        // Idle threads sleep at once: with more threads than cores, spinning ones cost most of the time of a test.
        command.env("KMP_BLOCKTIME", "0").env("OMP_DYNAMIC", "false").env("OMP_NUM_THREADS", threads.to_string());
        if let Some(dir) = &self.library_dir {
            command.env("LD_LIBRARY_PATH", dir);
        }
        command
    }
}

/// How shim and tool come into the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    /// Through `OMP_TOOL_LIBRARIES`.
    ToolLibraries,
    /// Through `LD_PRELOAD`.
    Preload,
}

impl Attach {
    /// Lists `libraries` in the variable for it, in this order. The last that is done with `command`'s environment.
    pub fn apply(self, command: &mut Command, libraries: &[&Path]) {
        let join = |list: Vec<&OsStr>| list.join(OsStr::new(":"));
        if self == Attach::ToolLibraries {
            let list = libraries.iter().map(|library| library.as_os_str());
            command.env("OMP_TOOL_LIBRARIES", join(list.collect()));
            return;
        }
        // Blanks separate its entries too, and the tree may stand anywhere: names, and directories to search them in, which only colons separate.
        let names = libraries.iter().filter_map(|library| library.file_name());
        let list = join(names.collect());
        let already = command.get_envs().find_map(|(name, value)| value.filter(|_| name == "LD_LIBRARY_PATH"));
        let parents = libraries.iter().filter_map(|library| library.parent());
        let directories = already.into_iter().chain(parents.map(Path::as_os_str));
        let directories = join(directories.collect());
        command.env("LD_PRELOAD", list).env("LD_LIBRARY_PATH", directories);
    }
}

pub fn oracle_tool() -> Result<&'static Path> {
    static TOOL: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    TOOL.get_or_init(|| {
        compile_tool(&dist::testsuite().join("oracle/oracle_tool.c"), &workdir::shared())
            .map_err(|error| format!("{error:#}"))
    })
    .as_deref()
    .map_err(|error| anyhow::anyhow!("{error}"))
}

/// Compiles an OMPT tool in C to a shared library in `dir`.
pub fn compile_tool(source: &Path, dir: &Path) -> Result<PathBuf> {
    let llvm = Llvm::installed().into_iter().next().context("no clang to compile a tool with")?;
    let library = dir.join(source.with_extension("so").file_name().expect("a file"));
    let mut clang = child::command(llvm.tool("clang"));
    clang.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"]);
    clang.arg(dist::include());
    clang.arg("-idirafter").arg(omp_headers(dir)?);
    child::succeed(clang.arg(source).arg("-o").arg(&library))?;
    Ok(library)
}
