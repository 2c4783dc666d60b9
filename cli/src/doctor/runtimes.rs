//! Which OpenMP runtimes programs get, and whether every chunk of a program arrives at a tool.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use ompchunk_toolchain::attach;
use ompchunk_toolchain::compiler::{Compiler, plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::needs::has_debug_paths;
use ompchunk_toolchain::probe::{Bench, Finished, without_openmp_variables};

use super::finding::{self, Check};

/// What links a runtime: the usual one, and one that may be another.
const FLAGS: [&str; 2] = ["-fopenmp", "-fopenmp=libiomp5"];

pub fn checks(bench: &Bench, installation: &Installation, compiler: &Compiler) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mut seen = Vec::new();
    for flag in FLAGS {
        let (path, nanoseconds) = match runtime(bench, compiler, flag)? {
            Ok(runtime) => runtime,
            // The usual one is required, any other is not.
            Err(check) if flag == FLAGS[0] => return Ok(vec![check]),
            Err(_) => continue,
        };
        if !seen.contains(&path) {
            let debug_paths = path.as_deref().and_then(has_debug_paths);
            checks.push(finding::runtime(flag, path.as_deref(), debug_paths, nanoseconds));
            seen.push(path);
            checks.push(events(bench, installation, compiler, flag)?);
        }
    }
    Ok(checks)
}

/// Where a runtime is, if it is not a part of the program, and the nanoseconds that a static loop's two calls take.
type Runtime = (Option<PathBuf>, f64);

/// Links and runs a program without ompchunk that tells which runtime it has got.
fn runtime(bench: &Bench, compiler: &Compiler, flag: &str) -> Result<Result<Runtime, Check>> {
    let source = bench.source("runtime.c", include_str!("probes/runtime.c"))?;
    let program = bench.path("runtime");
    let arguments =
        [flag.as_ref(), "-O2".as_ref(), source.as_os_str(), "-o".as_ref(), program.as_os_str(), "-ldl".as_ref()];
    let linked = bench.finish(&mut plain(compiler, &arguments))?;
    if !linked.succeeded() {
        return Ok(Err(finding::no_runtime(flag, &linked.outcome())));
    }
    let mut command = Command::new(&program);
    without_openmp_variables(&mut command);
    command.env("OMP_TOOL", "disabled");
    let ran = bench.finish(&mut command)?;
    let mut lines = ran.stdout.lines();
    let nanoseconds = lines.next().and_then(|line| line.parse().ok());
    let (true, Some(nanoseconds)) = (ran.succeeded(), nanoseconds) else {
        return Ok(Err(broken("an OpenMP program", &ran)));
    };
    let path = lines.next().filter(|path| !path.is_empty());
    Ok(Ok((path.map(|path| Path::new(path).canonicalize().unwrap_or(path.into())), nanoseconds)))
}

/// Runs an instrumented program under chunk-print, as `ompchunk run` would, and counts.
fn events(bench: &Bench, installation: &Installation, compiler: &Compiler, flag: &str) -> Result<Check> {
    let (major, plugin) = compiler.plugin(installation)?;
    let (source, program) = (bench.source("loop.c", include_str!("probes/loop.c"))?, bench.path("loop"));
    let arguments = [flag.as_ref(), "-O2".as_ref(), source.as_os_str(), "-o".as_ref(), program.as_os_str()];
    let linked = bench.finish(&mut with_plugin(compiler, (major, &plugin), &arguments))?;
    if !linked.succeeded() {
        return Ok(finding::no_runtime(flag, &linked.outcome()));
    }
    let tool = attach::find_tool(installation, "chunk-print".as_ref())?;
    let shim = installation.shim()?;
    let (ran, events) = listen(bench, &program, |command| {
        let tools = std::slice::from_ref(&tool);
        Ok(attach::attach(command, &shim, tools, None)?)
    })?;
    if !ran.succeeded() {
        return Ok(broken("an instrumented program under chunk-print", &ran));
    }
    let count = |event: &str| events.lines().filter(|line| line.contains(event)).count();
    let (dispatch, chunk) = (count(" dispatch "), count(" chunk "));
    let has_ompt = chunk > 0 || {
        let (_, without_shim) = listen(bench, &program, |command| {
            command.env("OMP_TOOL_LIBRARIES", &tool);
            Ok(())
        })?;
        !without_shim.is_empty()
    };
    Ok(finding::events(flag, dispatch, chunk, has_ompt))
}

fn listen(
    bench: &Bench,
    program: &Path,
    attach: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<(Finished, String)> {
    let list = bench.path("events");
    // A file of another run must not be counted.
    let _ = std::fs::remove_file(&list);
    let mut command = Command::new(program);
    without_openmp_variables(&mut command);
    command.env("CHUNK_PRINT_FILE", &list);
    attach(&mut command)?;
    let ran = bench.finish(&mut command)?;
    Ok((ran, std::fs::read_to_string(&list).unwrap_or_default()))
}

fn broken(what: &str, ran: &Finished) -> Check {
    if ran.was_started { finding::broken(what, &ran.outcome()) } else { finding::cannot_start(&ran.outcome()) }
}
