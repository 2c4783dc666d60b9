//! Building a case: the compiler's IR, the stock program, the instrumented one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};

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
    /// The case.
    pub case: &'a Case,
    /// The compiler.
    pub compiler: &'a Compiler,
    /// The row's flags.
    pub variant: &'a str,
    /// Where the products go.
    pub dir: &'a Path,
}

impl Builder<'_> {
    /// The calls that begin worksharing constructs, as the frontend emits them.
    pub fn calls(&self) -> Result<Vec<Call>> {
        let mut command = self.compiler.command(self.case, None);
        command.args(&self.case.flags);
        command.args(["-O0", "-S", "-emit-llvm", "-o", "-"]);
        let finished = child::succeed(command.arg(&self.case.source))?;
        Ok(calls::of_module(&finished.stdout))
    }

    /// The stock compiler's program, or what it said instead.
    pub fn stock(&self) -> Result<Result<PathBuf, Finished>> {
        let to = self.dir.join("stock");
        let finished = child::finish(&mut self.command(None, &self.flags(), &to)?)?;
        Ok(match finished.status.success() {
            true => Ok(to),
            false => Err(finished),
        })
    }

    /// The instrumented program and the plugin's remarks.
    pub fn instrumented(&self) -> Result<(PathBuf, Remarks)> {
        let plugin = dist::plugin(self.compiler.major())?;
        let to = self.dir.join("instrumented");
        let mut flags = self.flags();
        if self.variant == PROFILE {
            flags = vec!["-O2".to_owned(), self.profile(&plugin)?];
        }
        let remarks = ["-Rpass=ompchunk", "-Rpass-missed=ompchunk"];
        flags.extend(remarks.map(str::to_owned));
        let finished = child::succeed(&mut self.command(Some(&plugin), &flags, &to)?)?;
        Ok((to, Remarks::read(&finished.stderr)))
    }

    fn flags(&self) -> Vec<String> {
        let mut flags = vec!["-O2".to_owned()];
        if self.variant != PROFILE {
            flags.extend(self.variant.split_whitespace().map(str::to_owned));
        }
        flags
    }

    fn command(&self, plugin: Option<&Path>, flags: &[String], to: &Path) -> Result<Command> {
        let mut command = self.compiler.command(self.case, plugin);
        command.args(flags).arg(&self.case.source);
        if self.case.is_fortran() {
            command.arg(fortran_main(self.case.threads_vary)?);
        }
        command.args(&self.case.flags).arg("-o").arg(to);
        Ok(command)
    }

    /// Runs a program that writes a profile; the flag that makes use of it.
    fn profile(&self, plugin: &Path) -> Result<String> {
        let (raw, merged) = (self.dir.join("raw"), self.dir.join("profile"));
        let program = self.dir.join("profiled");
        let flags = [
            "-O2".to_owned(),
            format!("-fprofile-generate={}", raw.display()),
        ];
        child::succeed(&mut self.command(Some(plugin), &flags, &program)?)?;
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
