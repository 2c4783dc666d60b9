//! Building a case: the compiler's IR, the stock program, the instrumented one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, ensure};

use super::calls::{self, Call};
use super::case::{self, Case};
use super::compiler::Compiler;
use super::remarks::Remarks;
use crate::child::{self, Finished};
use crate::toolchain::Llvm;
use crate::{dist, workdir};

/// A variant that is a round trip: compiled to write a profile, run, compiled with it.
const PROFILE: &str = "profile";

/// A case, a compiler and the flags of a row.
pub struct Builder<'a> {
    pub case: &'a Case,
    pub compiler: &'a Compiler,
    pub variant: &'a str,
    pub dir: &'a Path,
}

impl Builder<'_> {
    /// The calls that begin worksharing constructs, as the frontend emits them.
    pub fn calls(&self) -> Result<Vec<Call>> {
        let mut command = self.compiler.command(self.case, None);
        command.args(&self.case.facts.flags);
        command.args(["-O0", "-S", "-emit-llvm"]);
        let to = self.dir.join("calls.ll");
        child::succeed(command.arg(&self.case.facts.source).arg("-o").arg(&to))?;
        let module = std::fs::read_to_string(&to)?;
        Ok(calls::of_module(&self.proposed(module)?))
    }

    /// The module as a compiler to come is proposed to write it; today's, if nothing is proposed.
    fn proposed(&self, mut module: String) -> Result<String> {
        for (old, new) in &self.case.proposed {
            ensure!(module.contains(old), "{old} is not in the module:\n{module}");
            module = module.replace(old, new);
        }
        Ok(module)
    }

    /// The proposed module as an object file, beside one with what runtimes to come are proposed to have, and what the compiler said.
    fn proposed_objects(&self, plugin: Option<&Path>, flags: &[String]) -> Result<([PathBuf; 2], Finished)> {
        let mut frontend = self.compiler.command(self.case, None);
        match self.case.is_fortran() {
            true => frontend.arg("-O0"),
            false => frontend.args(["-O2", "-Xclang", "-disable-llvm-passes"]),
        };
        frontend.args(["-S", "-emit-llvm", "-o", "-"]);
        let module = child::succeed(frontend.arg(&self.case.facts.source))?.stdout;
        let named = |name: &str| self.dir.join(format!("{}-{name}", plugin.is_some()));
        let [ir, object, runtime] = ["module.ll", "module.o", "runtime.o"].map(named);
        std::fs::write(&ir, self.proposed(module)?)?;
        let clang = || child::command(self.compiler.llvm.tool("clang"));
        let mut backend = clang();
        backend.args(["-fopenmp", "-c", "-o"]).arg(&object).arg(&ir);
        if let Some(plugin) = plugin {
            backend.arg(format!("-fpass-plugin={}", plugin.display()));
        }
        let finished = child::succeed(backend.args(flags))?;
        let source = dist::testsuite().join("proposed/runtime.c");
        child::succeed(clang().args(["-O1", "-c", "-o"]).arg(&runtime).arg(source))?;
        Ok(([object, runtime], finished))
    }

    /// The stock compiler's program, or what it said instead.
    pub fn stock(&self) -> Result<Result<PathBuf, Finished>> {
        let to = self.dir.join("stock");
        let mut command = match self.case.proposed.is_empty() {
            true => self.command(None, &self.flags())?,
            false => self.link(None, &self.proposed_objects(None, &self.flags())?.0)?,
        };
        let finished = child::finish(command.arg("-o").arg(&to))?;
        Ok(match finished.status.success() {
            true => Ok(to),
            false => Err(finished),
        })
    }

    pub fn instrumented(&self) -> Result<(PathBuf, Remarks)> {
        let plugin = dist::plugin(self.compiler.major())?;
        let to = self.dir.join("instrumented");
        let mut flags = self.flags();
        if self.variant == PROFILE {
            flags = vec!["-O2".to_owned(), self.profile(&plugin)?];
        }
        let remarks = ["-Rpass=ompchunk", "-Rpass-missed=ompchunk"];
        flags.extend(remarks.map(str::to_owned));
        if self.case.proposed.is_empty() {
            let finished = child::succeed(self.command(Some(&plugin), &flags)?.arg("-o").arg(&to))?;
            return Ok((to, Remarks::read(&finished.stderr)));
        }
        let (objects, finished) = self.proposed_objects(Some(&plugin), &flags)?;
        child::succeed(self.link(None, &objects)?.arg("-o").arg(&to))?;
        Ok((to, Remarks::read(&finished.stderr)))
    }

    fn link(&self, plugin: Option<&Path>, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Command> {
        let mut command = self.compiler.command(self.case, plugin);
        command.args(arguments);
        if self.case.is_fortran() {
            command.arg(fortran_main(self.case.threads_vary)?);
        }
        command.args(&self.case.facts.flags);
        Ok(command)
    }

    fn flags(&self) -> Vec<String> {
        let level = "-O2".to_owned();
        if self.variant == PROFILE {
            return vec![level];
        }
        let own = self.variant.split_whitespace().map(str::to_owned);
        let mut flags: Vec<String> = own.collect();
        if !flags.iter().any(|flag| flag.starts_with("-O")) {
            flags.insert(0, level);
        }
        flags
    }

    fn command(&self, plugin: Option<&Path>, flags: &[String]) -> Result<Command> {
        let flags = flags.iter().map(OsStr::new);
        self.link(plugin, flags.chain([self.case.facts.source.as_os_str()]))
    }

    /// Runs a program that writes a profile; the flag that makes use of it.
    fn profile(&self, plugin: &Path) -> Result<String> {
        let (raw, merged) = (self.dir.join("raw"), self.dir.join("profile"));
        let program = self.dir.join("profiled");
        let flags = ["-O2".to_owned(), format!("-fprofile-generate={}", raw.display())];
        child::succeed(self.command(Some(plugin), &flags)?.arg("-o").arg(&program))?;
        child::succeed(&mut child::command(&program))?;
        let mut merge = child::command(self.compiler.llvm.tool("llvm-profdata"));
        child::succeed(merge.args(["merge", "-o"]).arg(&merged).arg(&raw))?;
        Ok(format!("-fprofile-use={}", merged.display()))
    }
}

/// The C part of the Fortran cases as an object file, compiled once per process and kind.
fn fortran_main(threads_vary: bool) -> Result<&'static Path> {
    static OBJECTS: [OnceLock<Result<PathBuf, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let compile = || -> Result<PathBuf> {
        let object = workdir::shared().join(format!("fortran-{threads_vary}.o"));
        let mut clang = child::command(Llvm::find(22)?.tool("clang"));
        clang.args(["-O1", "-c", "-I"]);
        clang.arg(dist::testsuite().join("run"));
        if threads_vary {
            clang.arg("-DTHREADS_VARY");
        }
        child::succeed(clang.arg(case::fortran_main()).arg("-o").arg(&object))?;
        Ok(object)
    };
    OBJECTS[usize::from(threads_vary)]
        .get_or_init(|| compile().map_err(|error| format!("{error:#}")))
        .as_deref()
        .map_err(|error| anyhow!("{error}"))
}
