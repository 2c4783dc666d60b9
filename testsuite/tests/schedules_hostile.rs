//! Does `OMPCHUNK_SCHEDULE` stand what nobody should write into it?
//!
//! Files that are none or never end, more entries than anybody reads, text that commands a terminal, chunk sizes at the end of all numbers,
//! libraries that come and go hundreds of times while schedules take turns, teams that go from one primary thread to another, a runtime that
//! brings the shim into a loop of another's; cancellation, switched off tools, and values that are none.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program, workdir};

type Test = fn(&Subject) -> Result<()>;

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    let tests: [(&str, Test); 13] = [
        ("cancellation", cancellation),
        ("tools_switched_off", switched_off),
        ("values_that_are_none", values),
        ("files_that_are_none", files_that_are_none),
        ("many_entries", many_entries),
        ("text_for_a_terminal", text_for_a_terminal),
        ("largest_chunks", largest_chunks),
        ("libraries_that_come_and_go", libraries_that_come_and_go),
        ("teams_of_a_pool", teams_of_a_pool),
        ("last_iterations_in_blocks", last_iterations_in_blocks),
        ("few_dear_iterations", few_dear_iterations),
        ("library_in_the_middle", library_in_the_middle),
        ("runtime_in_the_middle", runtime_in_the_middle),
    ];
    suite.needs("clang-22", Llvm::find(22), |suite, llvm| {
        for (name, test) in tests {
            let llvm = llvm.clone();
            suite.test(name, move || workdir::scoped(name, |dir| test(&Subject::new(&llvm, dir)?)));
        }
    });
}

/// A program that counts for itself what ran, and a library with a loop that says how often it goes over to another thread.
struct Subject {
    program: PathBuf,
    library: PathBuf,
    llvm: Llvm,
    dir: PathBuf,
}

fn compile(llvm: &Llvm, dir: &Path, file: &str, flags: &[&str], to: &str) -> Result<PathBuf> {
    let source = dist::testsuite().join("schedules").join(file);
    let plugin = dist::plugin(llvm.major)?;
    let mut command = program::compiler(llvm, &source, Some(&plugin));
    command.arg("-I").arg(dist::testsuite().join("run"));
    let to = dir.join(to);
    command.args(["-g", "-O1"]).args(flags);
    child::succeed(command.arg(&source).arg("-o").arg(&to))?;
    Ok(to)
}

/// What [`Subject::ordered`] prints first under `static`, and under `static,1`.
const AS_COMPILED: &str = "2\n";
const ONE_BY_ONE: &str = "63\n";

impl Subject {
    fn new(llvm: &Llvm, dir: &Path) -> Result<Subject> {
        Ok(Subject {
            program: compile(llvm, dir, "attack.c", &["-pthread"], "attack")?,
            library: compile(llvm, dir, "part.c", &["-shared", "-fPIC"], "part.so")?,
            llvm: llvm.clone(),
            dir: dir.to_owned(),
        })
    }

    fn compile(&self, file: &str, flags: &[&str], to: &str) -> Result<PathBuf> {
        compile(&self.llvm, &self.dir, file, flags, to)
    }

    fn run(&self, runtime: &Runtime, order: &str, mode: &[&str]) -> Result<Finished> {
        let mut command = self.command(runtime, order, mode)?;
        child::succeed(&mut command).with_context(|| format!("{}, {order}", runtime.name))
    }

    fn command(&self, runtime: &Runtime, order: impl AsRef<OsStr>, mode: &[&str]) -> Result<Command> {
        let mut command = runtime.command(&self.program, 3);
        command.args(mode).env(VARIABLE, order);
        command.env("OMPCHUNK_BALANCE", "restless");
        Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
        Ok(command)
    }

    /// The library's loop once, on libomp.
    fn ordered(&self, order: &str) -> Result<Finished> {
        let library = self.library.display().to_string();
        self.run(&Runtime::libomp(), order, &["again", &library])
    }

    /// The same with these variables: it runs as compiled, and one line says why.
    fn as_compiled(&self, order: impl AsRef<OsStr>, variables: &[(&str, &str)], why: &str) -> Result<()> {
        let library = self.library.display().to_string();
        let mut command = self.command(&Runtime::libomp(), order, &["again", &library])?;
        let finished = child::succeed(command.envs(variables.iter().copied()))?;
        ensure!(
            finished.stdout.starts_with(AS_COMPILED)
                && finished.stderr.lines().count() == 1
                && finished.stderr.contains(why)
                && finished.stderr.contains("runs as compiled"),
            "not {why}: {finished:?}"
        );
        Ok(())
    }

    /// A file of that text, as an order.
    fn file(&self, text: impl AsRef<[u8]>) -> Result<String> {
        let path = self.dir.join("orders");
        std::fs::write(&path, text)?;
        Ok(format!("@{}", path.display()))
    }
}

/// Nothing went wrong, and something ran.
fn right(finished: &Finished) -> Result<()> {
    let right = finished.stdout.contains(" iterations, 0 wrong\n");
    ensure!(right, "{finished:?}");
    Ok(())
}

/// One line says why, at once, and the program runs as compiled.
fn files_that_are_none(subject: &Subject) -> Result<()> {
    let pipe = subject.dir.join("pipe");
    child::succeed(Command::new("mkfifo").arg(&pipe))?;
    let large = subject.dir.join("large");
    std::fs::File::create(&large)?.set_len(100_000_000)?;
    let cases = [
        (pipe.as_path(), "no regular file"),
        (Path::new("/dev/zero"), "no regular file"),
        (&large, "more than 16 MiB"),
        (&subject.dir, "is a directory"),
        (&subject.library, "not UTF-8"),
        (Path::new("/nowhere\u{1b}[2J"), "cannot read /nowhere\\u{1b}[2J"),
    ];
    for (path, why) in cases {
        subject.as_compiled(format!("@{}", path.display()), &[], why)?;
    }
    Ok(())
}

fn cancellation(subject: &Subject) -> Result<()> {
    for value in ["true", "TRUE", "1", "on"] {
        subject.as_compiled("*=static,1", &[("OMP_CANCELLATION", value)], "OMP_CANCELLATION is on")?;
    }
    Ok(())
}

fn switched_off(subject: &Subject) -> Result<()> {
    subject.as_compiled("*=static,1", &[("OMP_TOOL", "disabled")], "OMP_TOOL=disabled")
}

fn values(subject: &Subject) -> Result<()> {
    let named = subject.file("# fine\n*=static,1\nhands=dynamc\n")?;
    let long = format!("{}=static,1;hands=dynamc", "x".repeat(100_000));
    let cases = [
        ("hands", "no '='"),
        ("hands=", "no schedule"),
        ("=static", "a loop is missing"),
        ("hands=static,0", "no chunk size"),
        ("hands=static,-1", "no chunk size"),
        ("hands=dynamic,99999999999999999999", "no chunk size"),
        ("hands=nonmonotonic:static", "monotonic"),
        ("hands=auto,3", "takes no chunk size"),
        ("hands=static,1;;x=y", "'x=y'"),
        ("@/nowhere/orders", "cannot read /nowhere/orders"),
        ("@", "cannot read"),
        ("@/", "cannot read"),
        (&named, "line 3"),
        (&long, "no schedule"),
    ];
    for (order, why) in cases {
        subject.as_compiled(order, &[], why)?;
    }
    // Bytes that are no text.
    subject.as_compiled(OsStr::from_bytes(b"hands\xff=static,1"), &[], "not UTF-8")
}

/// The last of them counts, and what is said of the others is short.
fn many_entries(subject: &Subject) -> Result<()> {
    let entry = |number| format!("function_{number}=dynamic,{number}|guided\n");
    let mut text: String = (1..=100_000).map(entry).collect();
    text += "hands=static,1\n";
    let finished = subject.ordered(&subject.file(&text)?)?;
    ensure!(
        finished.stdout.starts_with(ONE_BY_ONE)
            && finished.stderr.lines().count() == 21
            && finished.stderr.contains("nor by 99980 more entries"),
        "{finished:?}"
    );
    Ok(())
}

fn text_for_a_terminal(subject: &Subject) -> Result<()> {
    let long = "x".repeat(1 << 20);
    for text in [
        "\u{1b}[2Jhands=static,1".to_owned(),
        "hands=\u{1b}[2J".to_owned(),
        "hands\u{7}".to_owned(),
        format!("{long}=dynamic"),
        format!("hands={long}"),
        long.clone(),
    ] {
        let finished = subject.ordered(&subject.file(&text)?)?;
        let said = finished.stderr.trim_end();
        ensure!(
            finished.stdout.starts_with(AS_COMPILED)
                && !said.is_empty()
                && said.len() < 600
                && !said.contains(char::is_control),
            "{finished:?}"
        );
    }
    // A mark that some editors begin a file with, and the ends of lines of others.
    let finished = subject.ordered(&subject.file("\u{feff}hands=static,1\r\n")?)?;
    ensure!(finished.stdout.starts_with(ONE_BY_ONE) && finished.stderr.is_empty(), "{finished:?}");
    Ok(())
}

/// Bounds of loops at the end of their types, and chunks that reach far beyond.
fn largest_chunks(subject: &Subject) -> Result<()> {
    for runtime in Runtime::complete() {
        for kind in ["static", "dynamic", "monotonic:dynamic", "guided"] {
            for size in [65_536, 1 << 30, i32::MAX - 1, i32::MAX] {
                let order = format!("attack.c={kind},{size}");
                right(&subject.run(&runtime, &order, &["roots", "2", "2"])?)
                    .with_context(|| format!("{}, {order}", runtime.name))?;
            }
        }
    }
    Ok(())
}

/// The runtime gives a team to another primary thread before it tells of the end of its region.
fn teams_of_a_pool(subject: &Subject) -> Result<()> {
    let program = subject.compile("pool.c", &["-fopenmp", "-pthread"], "pool")?;
    let shim = dist::restless_shim()?;
    for order in ["*=balanced", "*=adaptive", "*=balanced|static,3|source"] {
        for runtime in Runtime::installed() {
            for levels in ["0", "1"] {
                let mut command = runtime.command(&program, 2);
                command.arg("1500").env(VARIABLE, order);
                command.env("OMPCHUNK_BALANCE", "restless");
                command.env("KMP_HOT_TEAMS_MAX_LEVEL", levels);
                Attach::Preload.apply(&mut command, &[&*shim]);
                let finished = child::finish(&mut command)?;
                ensure!(
                    finished.status.success() && finished.stdout == "0 wrong\n",
                    "{}, {order}, hot teams up to {levels}: {finished:?}",
                    runtime.name
                );
            }
        }
    }
    Ok(())
}

/// The value of the last iteration is that whatever the blocks, and where the runtime's own blocks are other ones the loops keep them.
fn last_iterations_in_blocks(subject: &Subject) -> Result<()> {
    let shim = dist::restless_shim()?;
    let of_runtime = ["static,balanced", "STATIC,GREEDY"];
    for (number, runtime) in Runtime::installed().iter().enumerate() {
        let level = ["-O0", "-O2"][number % 2];
        let program = subject.compile("last.c", &[level], "last")?;
        for (order, threads) in [
            ("*=source", 3),
            ("*=balanced", 1),
            ("*=balanced", 2),
            ("*=balanced", 3),
            ("*=balanced", 8),
            ("*=adaptive", 3),
            ("*=adaptive", 8),
        ] {
            // With one thread Intel's runtime loses values of plain programs where it is greedy.
            let of_runtime = if threads == 1 { &of_runtime[..1] } else { &of_runtime };
            for &division in of_runtime {
                let mut command = runtime.command(&program, threads);
                command.env(VARIABLE, order).env("KMP_SCHEDULE", division);
                command.env("OMPCHUNK_BALANCE", "restless");
                Attach::Preload.apply(&mut command, &[&*shim]);
                let finished = child::succeed(&mut command)?;
                let context = || format!("{}, {order}, {threads}, {division}", runtime.name);
                right(&finished).with_context(context)?;
                // `adaptive` has chunks besides blocks.
                let stay = order == "*=balanced" && division.ends_with("GREEDY");
                let blocks = match order == "*=source" || threads == 1 || stay {
                    true => "blocks are alike\n",
                    false => "blocks differ\n",
                };
                let said = &finished.stdout;
                ensure!(said.ends_with(blocks), "{}: {said}", context());
            }
        }
    }
    Ok(())
}

/// Parts of blocks tell in a few regions which iterations are dear, in time that the program makes itself. Times of blocks alone leave the
/// busiest thread with 161 and 132 % of the average one's work then.
fn few_dear_iterations(subject: &Subject) -> Result<()> {
    let program = subject.compile("clock.c", &["-rdynamic"], "clock")?;
    for runtime in Runtime::installed() {
        let busiest = |threads, schedule: &str| {
            let mut command = runtime.command(&program, threads);
            command.env(VARIABLE, format!("clock.c={schedule}"));
            Attach::Preload.apply(&mut command, &[&*dist::restless_shim()?]);
            let finished = child::succeed(&mut command)?;
            right(&finished)?;
            let percent = finished.stdout.lines().last().and_then(|line| line.strip_suffix(" %"));
            percent.context("no share")?.parse::<u32>().context("no number")
        };
        ensure!(busiest(2, "source")? > 140);
        for threads in [2, 3, 4, 8] {
            let percent = busiest(threads, "balanced")?;
            ensure!(percent <= 110, "{}, {threads} threads: {percent} %", runtime.name);
        }
    }
    Ok(())
}

/// Two libraries with loops at one address, hundreds of times in turn, each of which has its own order.
fn libraries_that_come_and_go(subject: &Subject) -> Result<()> {
    let other = subject.dir.join("other.so");
    std::fs::copy(&subject.library, &other)?;
    let (one, other) = (subject.library.display().to_string(), other.display().to_string());
    let mut mode = vec!["again"];
    mode.extend((0..300).map(|number| if number % 3 == 0 { &*other } else { &*one }));
    for runtime in Runtime::complete() {
        for order in ["hands=static,1", "hands=balanced", "hands=adaptive", "hands=static,1|source|dynamic,2"] {
            let finished = subject.run(&runtime, order, &mode)?;
            let changes: Vec<&str> = finished.stdout.lines().collect();
            // -1 is an iteration that did not run once.
            let mut ran = changes[..300].iter();
            ensure!(
                changes.len() == 301 && ran.all(|of| of.parse::<u32>().is_ok()) && finished.stderr.is_empty(),
                "{}, {order}: {finished:?}",
                runtime.name
            );
            if order == "hands=static,1" {
                ensure!(changes[..300].iter().all(|of| *of == "63"), "{}: {finished:?}", runtime.name);
            }
        }
    }
    Ok(())
}

/// A library comes while a team is in a loop that is changed, and its own loops are.
fn library_in_the_middle(subject: &Subject) -> Result<()> {
    let library = subject.library.display().to_string();
    for runtime in Runtime::complete() {
        for order in [
            "*=dynamic,2",
            "*=balanced",
            "*=adaptive",
            "attack.c=static,3|guided; part.c=dynamic|static,1",
            "part.c=guided",
        ] {
            right(&subject.run(&runtime, order, &["open", &library])?)
                .with_context(|| format!("{}, {order}", runtime.name))?;
        }
    }
    Ok(())
}

/// LLVM's runtime shall not ask for tools. While one thread of its team is in a loop, Intel's comes, asks, and brings the shim, with
/// orders. The others of the team come to that loop later, and have it as the first one had it.
fn runtime_in_the_middle(subject: &Subject) -> Result<()> {
    let Some(directory) = std::env::var_os("OMPCHUNK_IOMP5") else {
        // Said where all tests are listed.
        return Ok(());
    };
    let other = Path::new(&directory).join("libiomp5.so").canonicalize()?.display().to_string();
    let rpath = format!("-Wl,-rpath,{}", Path::new(&directory).display());
    let flags = ["-shared", "-fPIC", "-fopenmp=libiomp5", &other, &rpath];
    let library = subject.compile("part.c", &flags, "other.so")?;
    let program = subject.compile("middle.c", &[], "middle")?;
    for order in ["*=dynamic,2", "*=balanced", "*=adaptive", "middle.c=static,1", "*=guided|static,3"] {
        let mut command = Runtime::libomp().command(&program, 3);
        command.arg(&library).env(VARIABLE, order);
        command.env("OMP_TOOL", "disabled").env("OMPCHUNK_VERBOSE", "1").env("KMP_DUPLICATE_LIB_OK", "true");
        Attach::ToolLibraries.apply(&mut command, &[&*dist::restless_shim()?]);
        let finished = child::finish(&mut command)?;
        right(&finished).context(order)?;
        // The shim came, and the library's own loop was changed.
        let changed = finished.stderr.contains("changes the loop part.c");
        let as_ordered = changed != order.starts_with("middle.c");
        // It is said once why the program's is not.
        let said = |what: &str| finished.stderr.matches(what).count();
        ensure!(
            as_ordered
                && said("asked by") == 1
                && said(
                    "ran before this library was loaded, by another OpenMP runtime than the one that now looks for a tool,"
                ) == 1
                && said("no loop that ran") == 0,
            "{finished:?}"
        );
    }
    Ok(())
}
