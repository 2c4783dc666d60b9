//! Compiling and linking generated programs in as few processes as possible.
//!
//! The driver is asked once how it links; after that, each build is one compiler and one linker.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};

use super::config::Config;
use crate::toolchain::Llvm;
use crate::{child, dist, workdir};

pub fn compiler(config: &Config, source: &Path, plugin: Option<&Path>, object: &Path) -> Command {
    let is_fortran = source.extension().is_some_and(|extension| extension == "f90");
    let driver = match is_fortran {
        true => config.llvm.tool("flang"),
        false => config.llvm.tool("clang"),
    };
    let mut command = child::command(driver);
    if let Some(dir) = object.parent().filter(|_| is_fortran) {
        command.arg("-J").arg(dir);
    }
    command.args(["-fopenmp", "-w", "-c", config.level]);
    command.args(&config.flags);
    if let Some(plugin) = plugin {
        command.arg(format!("-fpass-plugin={}", plugin.display()));
    }
    command.arg(source).arg("-o").arg(object);
    command
}

pub fn linker(object: &Path, executable: &Path) -> Result<Command> {
    static LINE: OnceLock<Result<Vec<String>, String>> = OnceLock::new();
    let line = LINE
        .get_or_init(|| line().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut command = child::command(&line[0]);
    for word in &line[1..] {
        match word.as_str() {
            OBJECT => command.arg(object),
            EXECUTABLE => command.arg(executable),
            _ => command.arg(word),
        };
    }
    Ok(command)
}

const OBJECT: &str = "object-of-the-program.o";
const EXECUTABLE: &str = "executable-of-the-program";

/// How the newest clang links a program with the support, in words.
fn line() -> Result<Vec<String>> {
    let llvms = Llvm::installed();
    let llvm = llvms.first().context("no clang")?;
    let dir = workdir::shared();
    let support = dir.join("fuzz-support.o");
    child::succeed(
        child::command(llvm.tool("clang"))
            .args(["-O1", "-w", "-c", "-I"])
            .arg(dist::testsuite().join("run"))
            .arg(dist::repository().join("testsuite/src/fuzz/support.c"))
            .arg("-o")
            .arg(&support),
    )?;
    // The driver checks that its inputs exist.
    std::fs::write(dir.join(OBJECT), "")?;
    let mut clang = child::command(llvm.tool("clang"));
    clang.current_dir(&dir).args(["-###", "-fopenmp", "-rdynamic"]);
    if llvm.lld().is_ok() {
        clang.arg("-fuse-ld=lld");
    }
    let finished = child::succeed(clang.arg(OBJECT).arg(&support).args(["-o", EXECUTABLE]))?;
    let last = finished.stderr.lines().last().context("clang -### is silent")?;
    let words = last.trim().trim_matches('"').split("\" \"");
    Ok(words.map(str::to_owned).collect())
}

pub fn build(config: &Config, source: &Path, plugin: Option<&Path>, to: &Path) -> Result<()> {
    let object = to.with_extension("o");
    child::succeed(&mut compiler(config, source, plugin, &object))?;
    child::succeed(&mut linker(&object, to)?)?;
    Ok(())
}
