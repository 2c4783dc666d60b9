//! Does a set-user-ID program with instrumented loops, a linked shim or a linked recorder take no orders from the
//! environment of whoever starts it? Each test runs the same program without the bit first, where the orders count.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::{Missing, Suite};
use ompchunk_testsuite::toolchain::{Llvm, Test};
use ompchunk_testsuite::{dist, program, workdir};

/// Whose program it is, and who starts it. Neither needs to exist.
const OWNER: u32 = 64001;
const USER: u32 = 64002;

/// What it prints if nobody can order anything: each of nine chunks goes to the other thread.
const AS_COMPILED: &str = "secure=1 sum=300 changes=8\n";

pub fn trials(suite: &mut Suite) {
    let id = child::succeed(Command::new("id").arg("-u"));
    if id.map_or(true, |ran| ran.stdout.trim() != "0") {
        // Also in CI: whoever is not root cannot have programs of other users.
        eprintln!("skipped: set-user-ID programs: only root can make one of another user's");
        return;
    }
    let Some((major, llvm)) = Llvm::all().into_iter().next() else { return };
    suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
        suite.needs("set-user-ID programs", possible(&llvm), |suite, ()| {
            let tests: [(&str, Test); 4] = [
                ("no_shim", no_shim),
                ("linked_shim", linked_shim),
                ("linked_recorder", linked_recorder),
                ("schedules", schedules),
            ];
            for (name, test) in tests {
                let llvm = llvm.clone();
                suite.scoped(name, move |dir| {
                    open_to_all(dir)?;
                    test(&llvm, dir)
                });
            }
        });
    });
}

fn open_to_all(path: &Path) -> Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Needs root, a temporary directory that others can enter, and a file system that heeds the bit.
fn possible(llvm: &Llvm) -> Result<(), Missing> {
    let tried = workdir::scoped("setuid", |dir| {
        open_to_all(dir)?;
        let program = build(llvm, dir, &[])?;
        set_user_id(&program)?;
        run(&program, dir, &[])
    });
    let why = match tried {
        Ok(ran) if ran.stdout.starts_with("secure=1 ") => return Ok(()),
        Ok(_) => "the file system of the temporary directory ignores the bit".to_owned(),
        Err(error) => format!("{error:#}").lines().next().unwrap_or_default().to_owned(),
    };
    Err(Missing::Here(format!("cannot run one ({why}): run the tests as root, with TMPDIR where other users may go")))
}

/// The program, linked with copies of what it needs that every user can read.
fn build(llvm: &Llvm, dir: &Path, libraries: &[PathBuf]) -> Result<PathBuf> {
    let source = dist::testsuite().join("secure/program.c");
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    clang.args(["-O2", "-Wl,--no-as-needed"]).arg(&source);
    for library in libraries {
        let name = library.file_name().context("a library has a name")?;
        let copy = dir.join(name);
        std::fs::copy(library, &copy)?;
        open_to_all(&copy)?;
        clang.arg(copy);
    }
    clang.arg(format!("-Wl,-rpath,{}", dir.display()));
    let to = dir.join("program");
    child::succeed(clang.arg("-o").arg(&to))?;
    open_to_all(&to)?;
    Ok(to)
}

fn set_user_id(program: &Path) -> Result<()> {
    chown(program, Some(OWNER), Some(OWNER)).context("chown")?;
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o4755))?;
    Ok(())
}

/// Runs it as another user.
fn run(program: &Path, dir: &Path, environment: &[(&str, &Path)]) -> Result<Finished> {
    let mut command: Command = Runtime::libomp().command(program, 2);
    command.envs(environment.iter().copied()).current_dir(dir);
    child::succeed(command.uid(USER).gid(USER))
}

/// The stub says nothing, whatever it is asked to explain.
fn no_shim(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = build(llvm, dir, &[])?;
    let list = dir.join("libompchunk_rt.so");
    for orders in [("OMPCHUNK_VERBOSE", Path::new("1")), ("OMP_TOOL_LIBRARIES", &list)] {
        open_to_all(&program)?;
        set_user_id(&program)?;
        let ran = run(&program, dir, &[orders])?;
        ensure!(ran.stdout == AS_COMPILED && ran.stderr.is_empty(), "{ran:?}");
        chown(&program, Some(0), Some(0))?;
    }
    Ok(())
}

/// The shim loads nothing, says nothing, and does not leave it to the runtime to load something.
fn linked_shim(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = build(llvm, dir, &[dist::shim()?])?;
    let evil = compile_tool(&dist::testsuite().join("secure/evil.c"), dir)?;
    open_to_all(&evil)?;
    let orders = [("OMP_TOOL_LIBRARIES", evil.as_path()), ("OMPCHUNK_VERBOSE", Path::new("1"))];
    let ran = run(&program, dir, &orders)?;
    ensure!(ran.stdout.contains("evil was loaded") && ran.stderr.contains("ompchunk: "), "without the bit: {ran:?}");
    set_user_id(&program)?;
    let ran = run(&program, dir, &orders)?;
    ensure!(ran.stdout == AS_COMPILED && ran.stderr.is_empty(), "{ran:?}");
    Ok(())
}

/// The recorder writes nothing: neither where the environment says nor where its user is, whose name for the program would be the trace's.
fn linked_recorder(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = build(llvm, dir, &[dist::shim()?, dist::recorder()?])?;
    let here = dir.join("here");
    std::fs::create_dir(&here)?;
    std::fs::set_permissions(&here, std::fs::Permissions::from_mode(0o777))?;
    let trace = here.join("trace");
    let orders = [("OMPCHUNK_TRACE", trace.as_path())];
    run(&program, &here, &orders)?;
    ensure!(trace.is_dir(), "without the bit, no trace was written");
    std::fs::remove_dir_all(&trace)?;
    set_user_id(&program)?;
    for orders in [&orders[..], &[]] {
        let ran = run(&program, &here, orders)?;
        ensure!(ran.stdout == AS_COMPILED, "{ran:?}");
        ensure!(ran.stderr.contains("a set-user-ID program is not recorded"), "{ran:?}");
        let written = std::fs::read_dir(&here)?.count();
        ensure!(written == 0, "{written} files were written");
    }
    Ok(())
}

/// No loop runs under another schedule, no file is read, and nothing is said of it.
fn schedules(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = build(llvm, dir, &[dist::shim()?])?;
    // Whoever opened it to read would wait for a writer.
    let pipe = dir.join("pipe");
    child::succeed(Command::new("mkfifo").arg(&pipe))?;
    let file = dir.join("orders");
    std::fs::write(&file, "main=static,1\n")?;
    open_to_all(&file)?;
    let of = |path: &Path| format!("@{}", path.display());
    let (file, pipe) = (of(&file), of(&pipe));
    for order in ["main=static,1", &file] {
        let ran = run(&program, dir, &[(VARIABLE, Path::new(order))])?;
        ensure!(ran.stdout.ends_with(" changes=24\n"), "without the bit: {ran:?}");
    }
    set_user_id(&program)?;
    for order in ["main=static,1", "a mistake", "@/nowhere", &file, &pipe] {
        let orders = [(VARIABLE, Path::new(order)), ("OMPCHUNK_VERBOSE", Path::new("1"))];
        let ran = run(&program, dir, &orders)?;
        ensure!(ran.stdout == AS_COMPILED && ran.stderr.is_empty(), "{order}: {ran:?}");
    }
    Ok(())
}
