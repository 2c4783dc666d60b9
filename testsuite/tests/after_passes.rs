//! Are events exact, and does a program compute the same under another schedule, if other passes had its module before the plugin?
//!
//! Frontends keep variables in memory, and the plugin is the first pass that a compiler runs. But modules are also compiled
//! from IR that another compiler wrote, and tools run the plugin by `opt`. Every program of `run/` is tried behind one of
//! [`FORMS`], and `carried.c` behind all of them. Where the plugin still finds all loops, the oracle judges the events.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::matrix::Build;
use ompchunk_testsuite::oracle::Expected;
use ompchunk_testsuite::passes::{FORMS, pipeline};
use ompchunk_testsuite::program::{Program, compiler};
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::schedules::{Run, VARIABLE, order, plan, quiet, runs};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, compiled, dist, records};

/// Executions of each build.
const RUNS: usize = 3;

fn main() -> ExitCode {
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    for program in Program::all().expect("readable programs") {
        let forms = match &*program.name {
            "carried" => 0..FORMS.len(),
            name => {
                let form = plan(name, 0, 0, 0).compiler % FORMS.len();
                form..form + 1
            }
        };
        for form in forms {
            let program = program.clone();
            suite.scoped(format!("{}/{}", program.name, FORMS[form]), move |dir| behind(&program, form, dir));
        }
    }
    suite.run()
}

fn behind(program: &Program, form: usize, dir: &Path) -> Result<()> {
    let llvms: Vec<Llvm> =
        Llvm::installed().into_iter().filter(|llvm| !program.builds(llvm.major).is_empty()).collect();
    if llvms.is_empty() && Llvm::others().is_some() {
        // None that is named compiles it rightly.
        return Ok(());
    }
    let plan = plan(&program.name, 1, form as u64, RUNS);
    let llvm = &llvms[plan.compiler % llvms.len()];
    let build = Build {
        level: if plan.level == "-O0" { "-O1" } else { plan.level },
        // What is ordered by name runs so whatever relies on it, and iterations of two `nowait` loops might meet.
        debug: !std::fs::read_to_string(&program.source)?.contains("nowait"),
    };
    let Some(module) = module(program, llvm, build, FORMS[form], dir)? else {
        eprintln!("{}: LLVM {} itself fails in {}", program.name, llvm.major, FORMS[form]);
        return Ok(());
    };
    let stock = link(program, llvm, build, &module, None)?;
    let instrumented = link(program, llvm, build, &module, Some(&dist::plugin(llvm.major)?))?;
    let is_whole = records::of_file(&instrumented)?.len() == program.loops;
    for (number, run) in plan.runs.iter().enumerate() {
        let environment = &program.environments[number % program.environments.len()];
        let session = session(run, environment, dir);
        let finished = child::finish(&mut session.command(&stock, &[]))?;
        if !finished.status.success() {
            // The pass has broken it, or the compiler calls what this older runtime does not have.
            let said = finished.stderr.lines().last().unwrap_or_default();
            eprintln!("{}: fails without the plugin: {said}", program.name);
            continue;
        }
        let context = || format!("clang {}, {}, {run:?}", llvm.major, build.name());
        if is_whole {
            observed(program, &session, &instrumented).with_context(context)?;
        }
        let order = order(&program.source, build.debug, run.schedule);
        let output = under(order, session, &instrumented).with_context(context)?;
        let (output, stock) = match program.by_thread {
            true => (runs(&output), runs(&finished.stdout)),
            false => (output, finished.stdout),
        };
        ensure!(output == stock, "{}: the output is\n{output}instead of\n{stock}", context());
    }
    Ok(())
}

/// The module behind these passes; none if LLVM itself fails in them.
fn module(program: &Program, llvm: &Llvm, build: Build, passes: &str, dir: &Path) -> Result<Option<PathBuf>> {
    let (plain, behind) = (dir.join("plain.bc"), dir.join("behind.bc"));
    let mut frontend = compiler(llvm, &program.source, None);
    frontend.args(build.flags()).args(&program.flags);
    frontend.args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    compiled::succeed(frontend.arg(&program.source), &plain)?;
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-passes={}", pipeline(passes, llvm.major)));
    opt.arg("-o");
    let finished = child::finish(opt.arg(&behind).arg(&plain))?;
    Ok(finished.status.success().then_some(behind))
}

/// The program of a module, as compilers make one of bitcode.
fn link(program: &Program, llvm: &Llvm, build: Build, module: &Path, plugin: Option<&Path>) -> Result<PathBuf> {
    let to = module.with_extension(if plugin.is_some() { "instrumented" } else { "stock" });
    let mut command = compiler(llvm, &program.source, plugin);
    command.args(build.flags()).args(&program.flags).arg(module);
    compiled::succeed(&mut command, &to)?;
    Ok(to)
}

fn session(run: &Run, environment: &[(String, String)], dir: &Path) -> Session {
    let runtimes = Runtime::installed();
    let mut session = Session::new(&runtimes[run.runtime % runtimes.len()], run.threads, dir);
    session.environment = environment.to_vec();
    session.environment.extend(quiet());
    session.attach = Attach::ToolLibraries;
    session
}

/// One execution as compiled, under the oracle.
fn observed(program: &Program, session: &Session, instrumented: &Path) -> Result<()> {
    let expected = Expected {
        dealt: program.dealt.clone(),
        monotonic: program.monotonic.clone(),
        cancelled: program.cancelled.clone(),
        unobserved: program.unobserved,
        ..Expected::default()
    };
    session.observe(instrumented, &[&dist::shim()?, oracle_tool()?], &expected)?;
    Ok(())
}

/// What one execution under another schedule prints.
fn under(order: String, mut session: Session, instrumented: &Path) -> Result<String> {
    session.environment.push((VARIABLE.to_owned(), order));
    let restless = ("OMPCHUNK_BALANCE".to_owned(), "restless".to_owned());
    session.environment.push(restless);
    Ok(child::succeed(&mut session.command(instrumented, &[&dist::shim()?]))?.stdout)
}
