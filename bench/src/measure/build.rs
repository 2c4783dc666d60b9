//! Compiles what is measured into a temporary directory, with a link to the runtime that shall be used.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use ompchunk_abi::overrides::VARIABLE;
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::compiler::{Compiler, Version, plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;
use ompchunk_toolchain::probe::{self, Finished};

use crate::plan::Build;

/// Bytes that loops, aligned to 16, are moved by: each begins in each quarter of a cache line equally often.
pub const LAYOUTS: [u32; 8] = [0, 8, 16, 24, 32, 40, 48, 56];
pub const FLAGS: &[&str] = &["-O2", "-fopenmp"];

pub struct Workshop {
    pub bench: probe::Bench,
    pub installation: Installation,
    compiler: Compiler,
    plugin: PathBuf,
    pub version: Version,
    pub runtime: Runtime,
}

impl Workshop {
    /// Takes the compiler of that command, else the one that `ompchunk cc` takes.
    pub fn new(compiler: Option<&OsString>, runtime: Option<&Path>) -> Result<Workshop> {
        let installation = Installation::find()?;
        let compiler = match compiler {
            // Whatever is wrong with it, no variable of the environment is to blame.
            Some(command) => Compiler::named(Language::of_compiler(command), command).map_err(|_| {
                let what = format!("{} is no compiler in PATH, or ompchunk itself", command.to_string_lossy());
                Failure::new(what, "the name or path of a clang, such as clang-22")
            })?,
            None => Compiler::choose(Language::C, &installation.majors())?,
        };
        let (_, plugin) = compiler.plugin(&installation)?;
        let version = compiler.version(&installation.majors())?;
        let bench = probe::Bench::new()?;
        let runtime = Runtime::new(&bench, runtime)?;
        Ok(Workshop { bench, installation, compiler, plugin, version, runtime })
    }

    pub fn compile(&self, build: Build, arguments: &[OsString]) -> Command {
        match build {
            Build::Plain => plain(&self.compiler, arguments),
            Build::Plugin => with_plugin(&self.compiler, (self.version.major, &*self.plugin), arguments),
        }
    }

    pub fn worker(&self, build: Build, layout: u32) -> Result<PathBuf> {
        let padding = format!("-DPADDING={layout}");
        let flags = [FLAGS, &["-ldl", &padding]].concat();
        let source = ("worker.c", include_str!("../../c/worker.c"));
        let program = format!("{}-{layout}", build.name());
        self.made(build, source, &flags, &program, "the benchmark's worker")
    }

    pub fn tool(&self) -> Result<PathBuf> {
        let source = ("tool.c", include_str!("../../c/tool.c"));
        let library = "libbench_tool.so";
        self.made(Build::Plain, source, &["-O2", "-shared", "-fPIC"], library, "the benchmark's tool")
    }

    fn made(&self, build: Build, source: (&str, &str), flags: &[&str], product: &str, what: &str) -> Result<PathBuf> {
        let source = self.bench.source(source.0, source.1)?;
        let product = self.bench.path(product);
        let mut arguments = vec![source.into_os_string()];
        arguments.extend(flags.iter().map(OsString::from));
        arguments.extend(["-o".into(), product.clone().into_os_string()]);
        let compiled = self.bench.finish(&mut self.compile(build, &arguments))?;
        succeeded(&compiled, what)?;
        Ok(product)
    }

    /// A command that runs a program on the runtime, with nothing of the environment that steers it.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        probe::without_openmp_variables(&mut command);
        for name in ["OMP_TOOL_LIBRARIES", "LD_PRELOAD", VARIABLE] {
            command.env_remove(name);
        }
        self.runtime.put_first(&mut command);
        command
    }
}

/// The runtime that programs are to run on, if it is not theirs: a directory in which `libomp.so.5` is it.
pub struct Runtime(Option<PathBuf>);

impl Runtime {
    pub fn new(bench: &probe::Bench, wanted: Option<&Path>) -> Result<Runtime> {
        let Some(path) = wanted else { return Ok(Runtime(None)) };
        let failed = |why: String| {
            let next = "--runtime /path/to/libiomp5.so (PyPI: intel-openmp)";
            Failure::new(format!("--runtime {}: {why}", path.display()), next)
        };
        let library = path.canonicalize().map_err(|error| failed(error.to_string()))?;
        if !library.is_file() {
            return Err(failed("is not a file".into()).into());
        }
        let directory = bench.path("runtime");
        std::fs::create_dir(&directory)
            .and_then(|()| std::os::unix::fs::symlink(&library, directory.join("libomp.so.5")))
            .and_then(|()| std::os::unix::fs::symlink(&library, directory.join("libomp.so")))
            .context("cannot link the runtime into the temporary directory")?;
        Ok(Runtime(Some(directory)))
    }

    pub fn put_first(&self, command: &mut Command) {
        if let Some(directory) = &self.0 {
            let mut path = directory.clone().into_os_string();
            if let Some(already) = std::env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty()) {
                path.push(":");
                path.push(already);
            }
            command.env("LD_LIBRARY_PATH", path);
        }
    }
}

pub fn broken(what: impl Display, why: impl Display) -> Failure {
    Failure::new(format!("{what}: {why}"), "the same by hand, and ompchunk doctor")
}

pub fn succeeded(compiled: &Finished, what: &str) -> Result<(), Failure> {
    if compiled.succeeded() {
        return Ok(());
    }
    // All of it: a linker's first line is not its best one.
    let says = match compiled.stderr.trim() {
        "" => compiled.outcome(),
        errors => errors.to_owned(),
    };
    Err(Failure::new(format!("{what} does not compile: {says}"), "ompchunk doctor, if it should compile"))
}
