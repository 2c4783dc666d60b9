//! Does every iteration run once, whatever is done to a program whose schedules are changed?
//!
//! The hostile list of `OMPCHUNK_SCHEDULE`: tools that change their mind in the middle of loops, several roots, teams of changing size, regions
//! inside regions, leagues, more loops in flight than a runtime has buffers, hundreds of threads, libraries that come and go, `fork`, a shim that
//! comes late or twice, two runtimes. `schedules/attack.c` counts for itself what ran.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program};

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::newest(
        suite,
        &[
            ("blocks_of_any_size", blocks_of_any_size),
            ("roots", roots),
            ("roots_and_a_tool_that_flips", flipping),
            ("many_threads", many_threads),
            ("several_teams", several_teams),
            ("threads_without_chunks", threads_without_chunks),
            ("tasks", tasks),
            ("fork", fork),
            ("second_runtime_in_the_middle", second_runtime),
            ("shim_in_the_middle", shim_in_the_middle),
            ("second_shim_in_the_middle", second_shim_in_the_middle),
            ("library_after_library", library_after_library),
            ("attached_in_every_way", attached),
            ("tool_behind", tool_behind),
        ],
    );
}

/// All that the program's loops are tried under: for all alike, for some, and in turn.
const ORDERS: [&str; 10] = [
    "attack.c=balanced",
    "attack.c=adaptive",
    "*=adaptive",
    "*=balanced; work=balanced|source|dynamic,2",
    "attack.c=dynamic,3",
    "work=static,2|source|guided",
    "*=guided; work=nonmonotonic:dynamic|static",
    "attack.c=source|dynamic,5|monotonic:dynamic|static,1|auto",
    "attack.c=runtime",
    "*=dynamic|source",
];

fn source(name: &str) -> PathBuf {
    dist::testsuite().join("schedules").join(name)
}

fn compile(llvm: &Llvm, file: &str, flags: &[&str], to: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let mut command = program::compiler(llvm, &source(file), Some(&plugin));
    command.arg("-I").arg(dist::testsuite().join("run"));
    command.arg("-g").args(flags);
    child::succeed(command.arg(source(file)).arg("-o").arg(to))?;
    Ok(())
}

fn attack(llvm: &Llvm, dir: &Path, level: &str) -> Result<PathBuf> {
    let to = dir.join(format!("attack{level}"));
    compile(llvm, "attack.c", &[level, "-pthread"], &to)?;
    Ok(to)
}

fn command(runtime: &Runtime, program: &Path, threads: u32, order: &str, mode: &[&str]) -> Command {
    let mut command = runtime.command(program, threads);
    command.args(mode).env(VARIABLE, order).env("OMPCHUNK_BALANCE", "restless").env("OMP_SCHEDULE", "dynamic,2");
    command
}

/// Nothing went wrong, and something ran.
fn right(finished: &Finished) -> Result<()> {
    ensure!(
        finished.status.success()
            && finished.stdout.contains(" iterations, 0 wrong\n")
            && !finished.stdout.contains("\n0 iterations"),
        "{}: {}{}",
        finished.status,
        finished.stdout,
        finished.stderr
    );
    Ok(())
}

/// The shim of these tests does what it is for: blocks are uneven from the first region on.
fn blocks_of_any_size(llvm: &Llvm, dir: &Path) -> Result<()> {
    let (source, to) = (dir.join("first.c"), dir.join("first"));
    let text = "#include <dlfcn.h>\nint main(void) {\n  int first = 0;\n  int (*who_runs)(void) = (int (*)(void))dlsym(0, \"omp_get_thread_num\");\n#pragma omp parallel for reduction(+:first)\n  \
                for (int i = 0; i < 64; i++) first += who_runs() == 0;\n  return first;\n}\n";
    std::fs::write(&source, text)?;
    let mut compiler = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    child::succeed(compiler.arg("-O1").arg(&source).arg("-o").arg(&to))?;
    let mut command = command(&Runtime::libomp(), &to, 2, "*=balanced", &[]);
    Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
    // Which block it is depends on the thread that comes first, and one of forty is half of the loop.
    for _ in 1..6 {
        let first = child::finish(&mut command)?.status.code().context("no answer")?;
        ensure!(first <= 64, "{first} of 64 iterations");
        if first != 32 {
            return Ok(());
        }
    }
    anyhow::bail!("blocks are always even")
}

/// Each order on each runtime, in turn at two levels.
fn under_orders(llvm: &Llvm, dir: &Path, threads: u32, tool: Option<&Path>, mode: &[&str]) -> Result<()> {
    let programs = [attack(llvm, dir, "-O0")?, attack(llvm, dir, "-O2")?];
    let shim = dist::restless_shim()?;
    let libraries: Vec<&Path> = [Some(&*shim), tool].into_iter().flatten().collect();
    for (number, order) in ORDERS.iter().enumerate() {
        // libomp 16 does not know all that the program itself calls.
        for (at, runtime) in Runtime::complete().iter().enumerate() {
            let program = &programs[(number + at) % 2];
            let mut command = command(runtime, program, threads, order, mode);
            Attach::Preload.apply(&mut command, &libraries);
            let finished = child::finish(&mut command)?;
            right(&finished).with_context(|| format!("{}, {order}, {}", runtime.name, program.display()))?;
        }
    }
    Ok(())
}

fn roots(llvm: &Llvm, dir: &Path) -> Result<()> {
    under_orders(llvm, dir, 4, None, &["roots", "3", "9"])
}

fn flipping(llvm: &Llvm, dir: &Path) -> Result<()> {
    let tool = compile_tool(&source("flip.c"), dir)?;
    under_orders(llvm, dir, 4, Some(&tool), &["roots", "3", "9"])
}

fn many_threads(llvm: &Llvm, dir: &Path) -> Result<()> {
    under_orders(llvm, dir, 300, None, &["many", "4"])
}

/// libomp hands a team of an inner region on before it tells that the region has ended.
fn several_teams(llvm: &Llvm, dir: &Path) -> Result<()> {
    under_orders(llvm, dir, 4, None, &["teams", "200"])
}

/// Iterations of a team of a league do not begin at 0: a thread without any must not step into another team's.
fn threads_without_chunks(llvm: &Llvm, dir: &Path) -> Result<()> {
    let shim = dist::restless_shim()?;
    for level in ["-O0", "-O2"] {
        let program = dir.join(format!("idle{level}"));
        compile(llvm, "idle.c", &[level], &program)?;
        for runtime in Runtime::complete() {
            for schedule in ["static", "static,1", "static,3", "static,7", "static,8", "static,16"] {
                let order = format!("*={schedule}");
                let mut command = command(&runtime, &program, 4, &order, &[]);
                command.env("KMP_TEAMS_THREAD_LIMIT", "12");
                Attach::Preload.apply(&mut command, &[&*shim]);
                right(&child::finish(&mut command)?)
                    .with_context(|| format!("{}, {order}, {}", runtime.name, program.display()))?;
            }
        }
    }
    Ok(())
}

fn tasks(llvm: &Llvm, dir: &Path) -> Result<()> {
    under_orders(llvm, dir, 3, None, &["tasks", "2"])
}

fn fork(llvm: &Llvm, dir: &Path) -> Result<()> {
    under_orders(llvm, dir, 3, None, &["fork", "2"])
}

/// A library that calls Intel's runtime is opened, and its loops run, while a team of LLVM's is in the middle of a loop. Then the
/// shim may serve that one.
fn second_runtime(llvm: &Llvm, dir: &Path) -> Result<()> {
    let Some(directory) = std::env::var_os("OMPCHUNK_IOMP5") else {
        // Said where all tests are listed.
        return Ok(());
    };
    let library = dir.join("part.so");
    let other = Path::new(&directory).join("libiomp5.so").canonicalize()?;
    let rpath = format!("-Wl,-rpath,{}", Path::new(&directory).display());
    let other = other.display().to_string();
    compile(llvm, "part.c", &["-shared", "-fPIC", "-O1", "-fopenmp=libiomp5", &other, &rpath], &library)?;
    let program = attack(llvm, dir, "-O1")?;
    let shim = dist::restless_shim()?;
    let flip = compile_tool(&source("flip.c"), dir)?;
    let path = library.display().to_string();
    for order in ["*=dynamic,2", "*=balanced", "*=adaptive", "attack.c=static,3|guided; part.c=dynamic"] {
        for libraries in [&[&*shim][..], &[&*shim, &*flip]] {
            let mut command = command(&Runtime::libomp(), &program, 3, order, &["open", &path]);
            command.env("KMP_DUPLICATE_LIB_OK", "true");
            Attach::Preload.apply(&mut command, libraries);
            right(&child::finish(&mut command)?).context(order)?;
        }
    }
    Ok(())
}

/// A shim that comes while a team runs a loop changes nothing any more.
fn shim_in_the_middle(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = attack(llvm, dir, "-O2")?;
    let shim = dist::restless_shim()?.display().to_string();
    for runtime in Runtime::complete() {
        let mut command = command(&runtime, &program, 3, "*=dynamic", &["open", &shim]);
        let finished = child::finish(&mut command)?;
        right(&finished).context(runtime.name)?;
        ensure!(finished.stderr.contains("The program runs as compiled"), "{finished:?}");
    }
    Ok(())
}

fn second_shim_in_the_middle(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = attack(llvm, dir, "-O2")?;
    let (shim, other) = (dist::restless_shim()?, dir.join("libother_rt.so"));
    std::fs::copy(&shim, &other)?;
    let path = other.display().to_string();
    for order in ["*=dynamic", "attack.c=static,2|dynamic"] {
        for runtime in Runtime::complete() {
            let mut command = command(&runtime, &program, 3, order, &["open", &path]);
            Attach::Preload.apply(&mut command, &[&*shim]);
            right(&child::finish(&mut command)?).context(runtime.name)?;
        }
    }
    Ok(())
}

/// What was decided of a library's loop is not taken for that of the next library, at the same address.
fn library_after_library(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = attack(llvm, dir, "-O2")?;
    let (one, other) = (dir.join("one.so"), dir.join("other.so"));
    let text = std::fs::read_to_string(source("part.c"))?;
    for (library, file) in [(&one, "one.c"), (&other, "two.c")] {
        let copy = dir.join(file);
        std::fs::write(&copy, &text)?;
        let plugin = dist::plugin(llvm.major)?;
        let mut command = program::compiler(llvm, &copy, Some(&plugin));
        command.args(["-O1", "-g", "-shared", "-fPIC"]);
        child::succeed(command.arg(&copy).arg("-o").arg(library))?;
    }
    let [one, other] = [one, other].map(|path| path.display().to_string());
    let mode = ["again", &one, &other, &one, &other];
    for runtime in Runtime::complete() {
        let mut command = command(&runtime, &program, 3, "one.c=static,1; two.c=source", &mode);
        Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
        let finished = child::succeed(&mut command)?;
        ensure!(finished.stdout == "63\n2\n63\n2\n0 iterations, 0 wrong\n", "{}: {finished:?}", runtime.name);
    }
    Ok(())
}

/// The order counts however the shim comes into the process.
fn attached(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = attack(llvm, dir, "-O2")?;
    let linked = dir.join("linked");
    let archive = dist::shim_archive()?.display().to_string();
    let whole = format!("-Wl,--whole-archive,{archive},--no-whole-archive");
    compile(llvm, "attack.c", &["-O2", "-pthread", &whole, "-ldl", "-lm"], &linked)?;
    let library = dir.join("part.so");
    compile(llvm, "part.c", &["-shared", "-fPIC", "-O1"], &library)?;
    let path = library.display().to_string();
    let shim = dist::restless_shim()?;
    let ways = [(&program, Some(Attach::Preload)), (&program, Some(Attach::ToolLibraries)), (&linked, None)];
    for (program, attach) in ways {
        for runtime in Runtime::complete() {
            let mut command = command(&runtime, program, 3, "hands=static,1", &["again", &path]);
            if let Some(attach) = attach {
                attach.apply(&mut command, &[&*shim]);
            }
            let finished = child::succeed(&mut command)?;
            ensure!(
                finished.stdout.starts_with("63\n") && finished.stderr.is_empty(),
                "{attach:?}, {}: {finished:?}",
                runtime.name
            );
        }
    }
    Ok(())
}

/// A tool learns under which schedule a loop really runs, region by region.
fn tool_behind(llvm: &Llvm, dir: &Path) -> Result<()> {
    let library = dir.join("part.so");
    compile(llvm, "part.c", &["-shared", "-fPIC", "-O1"], &library)?;
    let (program, tool) = (attack(llvm, dir, "-O2")?, compile_tool(&source("says.c"), dir)?);
    let path = library.display().to_string();
    let mode = ["kept", &path, &path, &path];
    for runtime in Runtime::complete() {
        let order = "hands=static,1|dynamic,4|source";
        let mut command = command(&runtime, &program, 3, order, &mode);
        Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?, &*tool]);
        let finished = child::succeed(&mut command)?;
        let lines: Vec<&str> = finished.stderr.lines().collect();
        let wanted =
            ["said 2: schedule 33, chunk 1, ", "said 2: schedule 1073741859, chunk 4, ", "said 1: schedule 34, "];
        let all = lines.len() == 3
            && lines.iter().zip(wanted).all(|(line, start)| line.starts_with(start))
            && lines.iter().all(|line| line.ends_with("source 34"));
        ensure!(all, "{}: {finished:?}", runtime.name);
        ensure!(
            finished.stdout.starts_with("63\n") && finished.stdout.contains("\n2\n0 iterations"),
            "{}: {finished:?}",
            runtime.name
        );
    }
    Ok(())
}
