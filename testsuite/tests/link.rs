//! Do instrumented objects, archives and libraries work together, however they are linked?
//!
//! Each test builds a program of several parts from `link/` and runs it like the run tests do: alone, and with shim and oracle, on each runtime.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::oracle::Expected;
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::session::{Session, printed_runs};
use ompchunk_testsuite::suite::{Missing, Suite};
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program, records, target};

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(suite, |suite, major, llvm| {
        add(suite, "images", &llvm, images);
        suite.needs(&format!("Archer {major}"), archer(&llvm), |suite, library| {
            let flags = ["-O2", "-O1 -fsanitize=thread"];
            for flags in flags.into_iter().filter(|flags| target::can_link(flags)) {
                let library = library.clone();
                add(suite, &format!("archer {flags}"), &llvm, move |llvm, dir| with_archer(llvm, flags, &library, dir));
            }
        });
        add(suite, "constructor", &llvm, constructor);
        add(suite, "mixed_objects", &llvm, mixed_objects);
        add(suite, "template_in_two_objects", &llvm, template_in_two_objects);
        add(suite, "linked_shim", &llvm, linked_shim);
        add(suite, "linked_shim_archive", &llvm, linked_shim_archive);
        for flags in ["-O2", "-O2 -ffunction-sections -Wl,--gc-sections", "-O2 -no-pie"] {
            let name = format!("objects {flags}");
            add(suite, &name, &llvm, move |llvm, dir| objects(llvm, flags, dir));
        }
        suite.needs(&format!("ld.lld-{major}"), llvm.lld(), |suite, lld| {
            for flags in ["-O2", "-O2 -flto=thin", "-O2 -flto", "-O0 -flto"] {
                let name = format!("objects, lld {flags}");
                let flags = format!("{flags} --ld-path={}", lld.display());
                add(suite, &name, &llvm, move |llvm, dir| objects(llvm, &flags, dir));
            }
        });
    });
}

fn add(suite: &mut Suite, name: &str, llvm: &Llvm, test: impl FnOnce(&Llvm, &Path) -> Result<()> + Send + 'static) {
    let llvm = llvm.clone();
    suite.scoped(format!("{name}/clang-{}", llvm.major), move |dir| test(&llvm, dir));
}

/// A compiler with a directory to build in, and with the plugin or without.
struct Builder<'a> {
    llvm: &'a Llvm,
    plugin: Option<PathBuf>,
    flags: Vec<&'a str>,
    dir: &'a Path,
}

impl<'a> Builder<'a> {
    fn new(llvm: &'a Llvm, flags: &'a str, dir: &'a Path) -> Result<Builder<'a>> {
        let plugin = Some(dist::plugin(llvm.major)?);
        Ok(Builder { llvm, plugin, flags: flags.split_whitespace().collect(), dir })
    }

    fn stock(&self) -> Builder<'a> {
        Builder { plugin: None, flags: self.flags.clone(), ..*self }
    }

    /// Runs the compiler on a file of `link/` or on none; `arguments` may name files of the directory.
    fn compile(&self, source: Option<&str>, arguments: &[&str], to: &str) -> Result<PathBuf> {
        let source = source.map(|name| dist::testsuite().join("link").join(name));
        let driver = source.clone().unwrap_or_else(|| PathBuf::from("link.cpp"));
        let output = self.dir.join(to);
        let mut command = program::compiler(self.llvm, &driver, self.plugin.as_deref());
        command.current_dir(self.dir).args(&self.flags).args(source).args(arguments);
        child::succeed(command.arg("-o").arg(&output))?;
        Ok(output)
    }

    /// The n-th copy of the part that libraries and objects are made of.
    fn part(&self, number: usize, arguments: &[&str], to: &str) -> Result<PathBuf> {
        let define = format!("-DPART={number}");
        self.compile(Some("part.c"), &[&[define.as_str()], arguments].concat(), to)
    }
}

/// Runs `program` alone and under the oracle; both must print what `stock` prints.
fn check(stock: &Path, program: &Path, arguments: &[&str], libraries: &[&Path], dir: &Path) -> Result<()> {
    for runtime in Runtime::complete() {
        for threads in [1, 2, 3, 7] {
            let arguments = arguments.iter().map(ToString::to_string).collect();
            let session = Session { arguments, ..Session::new(&runtime, threads, dir) };
            let context = || format!("on {}, {threads} threads", runtime.name);
            let right = session.run(stock, &[]).with_context(context)?;
            alone(&session, program, &right).with_context(context)?;
            observed(&session, program, libraries, &right).with_context(context)?;
        }
    }
    Ok(())
}

fn alone(session: &Session, program: &Path, right: &str) -> Result<()> {
    let alone = session.run(program, &[])?;
    ensure!(alone == right, "alone, it printed\n{alone}instead of\n{right}");
    Ok(())
}

fn observed(session: &Session, program: &Path, libraries: &[&Path], right: &str) -> Result<()> {
    let (output, verdict) = session.observe(program, libraries, &Expected::all_events())?;
    ensure!(output == right, "observed, it printed\n{output}instead of\n{right}");
    let (seen, printed) = (verdict.iterations, printed_runs(right));
    ensure!(seen == printed, "the oracle saw {seen:?}, the program says {printed:?}");
    Ok(())
}

fn images(llvm: &Llvm, dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, "-O2 -fPIC", dir)?;
    let mut programs = Vec::new();
    for (kind, builder) in [("stock", instrumented.stock()), ("instrumented", instrumented)] {
        builder.part(1, &["-c"], &format!("{kind}1.o"))?;
        let archive = format!("{kind}1.a");
        let mut ar = child::command(llvm.tool("llvm-ar"));
        child::succeed(ar.current_dir(dir).args(["rcs", &archive, &format!("{kind}1.o")]))?;
        let mut libraries = vec![archive];
        for number in [2, 3, 4] {
            // -z defs: nothing that the plugin emits may need a definition at link time.
            let name = format!("lib{kind}{number}.so");
            let library = builder.part(number, &["-shared", "-Wl,-z,defs"], &name)?;
            ensure!(records::of_file(&library)?.len() == 2 * usize::from(kind == "instrumented"));
            libraries.push(name);
        }
        let opened = dir.join(libraries.pop().expect("the last one"));
        let mut arguments: Vec<&str> = libraries.iter().map(String::as_str).collect();
        arguments.extend(["-Wl,-rpath,$ORIGIN", "-ldl"]);
        programs.push((builder.compile(Some("images.c"), &arguments, kind)?, opened));
    }
    let [(stock, _), (program, opened)] = &programs[..] else { unreachable!("two were built") };
    let opened = opened.display().to_string();
    check(stock, program, &[&opened], &[&dist::shim()?, oracle_tool()?], dir)
}

/// The OMPT tool that comes with libomp, of the newest LLVM: Debian has it for that one alone.
fn archer(llvm: &Llvm) -> Result<PathBuf, Missing> {
    let newest = Llvm::installed().into_iter().map(|llvm| llvm.major).max();
    let major = newest.unwrap_or(llvm.major);
    let library = PathBuf::from(format!("/usr/lib/llvm-{major}/lib/libarcher.so"));
    if library.is_file() {
        return Ok(library);
    }
    let package = format!("no {}: install libomp-{major}-dev", library.display());
    Err(Missing::Here(package))
}

/// Archer behind the shim finds the same races as alone: those of the program, and none of ours.
fn with_archer(llvm: &Llvm, flags: &str, archer: &Path, dir: &Path) -> Result<()> {
    let sanitized = flags.contains("thread");
    let instrumented = Builder::new(llvm, flags, dir)?;
    let builders = [("stock", instrumented.stock()), ("instrumented", instrumented)];
    for (race, define) in [(false, "-DRACE=0"), (true, "-DRACE=1")] {
        for (kind, builder) in &builders {
            let program = builder.compile(Some("race.c"), &["-g", define], &format!("{kind}{define}"))?;
            let shim = dist::shim()?;
            let lists: [&[&Path]; 2] = [&[archer], &[&shim, archer]];
            for (libraries, attach) in
                lists.into_iter().flat_map(|tool| [(tool, Attach::ToolLibraries), (tool, Attach::Preload)])
            {
                let session = Session {
                    attach,
                    environment: vec![
                        ("ARCHER_OPTIONS".into(), "verbose=1".into()),
                        ("TSAN_OPTIONS".into(), "exitcode=0:ignore_noninstrumented_modules=1".into()),
                    ],
                    ..Session::new(&Runtime::libomp(), 4, dir)
                };
                let ran = child::succeed(&mut session.command(&program, libraries))?;
                let what = format!("{kind}, {define}, {libraries:?}, {attach:?}: {ran:?}");
                let found = ran.stderr.contains("WARNING: ThreadSanitizer: data race");
                ensure!(found == (race && sanitized), "{what}");
                ensure!(ran.stdout.contains("done"), "{what}");
                ensure!(!ran.stderr.contains("ompchunk: "), "{what}");
                let supplies = ran.stdout.contains("Archer detected OpenMP application with TSan");
                ensure!(supplies == sanitized, "{what}");
            }
        }
    }
    Ok(())
}

/// A library whose constructor has a parallel loop, opened while the dynamic linker waits for it: the other threads
/// of the team must wait for nothing that the dynamic linker holds.
fn constructor(llvm: &Llvm, dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, "-O2 -fPIC", dir)?;
    let program = instrumented.stock().compile(Some("opens.c"), &["-ldl"], "opens")?;
    let shared = ["-shared", "-DCONSTRUCTOR"];
    let stock = instrumented.stock().part(1, &shared, "libstock.so")?;
    let library = instrumented.part(1, &shared, "libinstrumented.so")?;
    for runtime in Runtime::complete() {
        let open = |library: &Path| Session {
            arguments: vec![library.display().to_string()],
            ..Session::new(&runtime, 3, dir)
        };
        let right = open(&stock).run(&program, &[])?;
        alone(&open(&library), &program, &right)?;
        let libraries: [&Path; 2] = [&dist::shim()?, oracle_tool()?];
        for attach in [Attach::ToolLibraries, Attach::Preload] {
            let session = Session { attach, ..open(&library) };
            observed(&session, &program, &libraries, &right)?;
        }
    }
    Ok(())
}

fn objects(llvm: &Llvm, flags: &str, dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, flags, dir)?;
    let mut programs = Vec::new();
    for (kind, builder) in [("stock", instrumented.stock()), ("instrumented", instrumented)] {
        let (one, two) = (format!("{kind}1.o"), format!("{kind}2.o"));
        builder.part(1, &["-c"], &one)?;
        builder.part(2, &["-c"], &two)?;
        programs.push(builder.compile(Some("objects.c"), &[&one, &two], kind)?);
    }
    let [stock, program] = &programs[..] else { unreachable!("two were built") };
    ensure!(records::of_file(program)?.len() == 4, "{} loops", records::of_file(program)?.len());
    check(stock, program, &[], &[&dist::shim()?, oracle_tool()?], dir)
}

/// An object that was compiled without the plugin keeps the runtime's own events, whatever they are,
/// and they must not spoil those of the instrumented one.
fn mixed_objects(llvm: &Llvm, dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, "-O2", dir)?;
    let stock = instrumented.stock();
    stock.part(1, &["-c"], "1.o")?;
    instrumented.part(2, &["-c"], "2.o")?;
    stock.part(2, &["-c"], "stock2.o")?;
    let program = instrumented.compile(Some("objects.c"), &["1.o", "2.o"], "mixed")?;
    let stock = stock.compile(Some("objects.c"), &["1.o", "stock2.o"], "stock")?;
    for runtime in Runtime::complete() {
        let session = Session::new(&runtime, 3, dir);
        let right = session.run(&stock, &[])?;
        let expected = Expected { unjudged: [2, 3].into(), ..Expected::all_events() };
        let (output, verdict) = session.observe(&program, &[&dist::shim()?, oracle_tool()?], &expected)?;
        ensure!(output == right, "it printed\n{output}instead of\n{right}");
        ensure!(verdict.chunks > 0, "no chunk of the instrumented object was seen");
    }
    Ok(())
}

fn template_in_two_objects(llvm: &Llvm, dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, "-O1", dir)?;
    let stock = instrumented.stock().compile(Some("template_a.cpp"), &[&link("template_b.cpp")], "stock")?;
    let program = instrumented.compile(Some("template_a.cpp"), &[&link("template_b.cpp")], "program")?;
    check(&stock, &program, &[], &[&dist::shim()?, oracle_tool()?], dir)
}

/// The third way to attach: the shim is one of the program's libraries.
fn linked_shim(llvm: &Llvm, dir: &Path) -> Result<()> {
    let shim = dist::shim()?.display().to_string();
    let rpath = format!("-Wl,-rpath,{}", dist::shim()?.parent().expect("a directory").display());
    linked(llvm, &["-Wl,--no-as-needed", &shim, &rpath], dir)
}

/// The same with the static archive, which the program must ask for and export.
fn linked_shim_archive(llvm: &Llvm, dir: &Path) -> Result<()> {
    let archive = dist::shim_archive()?.display().to_string();
    linked(llvm, &["-Wl,-u,ompt_start_tool", &archive, "-lpthread", "-ldl"], dir)
}

fn linked(llvm: &Llvm, arguments: &[&str], dir: &Path) -> Result<()> {
    let instrumented = Builder::new(llvm, "-O2", dir)?;
    instrumented.part(1, &["-c"], "1.o")?;
    instrumented.part(2, &["-c"], "2.o")?;
    let objects = ["1.o", "2.o"];
    let stock = instrumented.compile(Some("objects.c"), &objects, "stock")?;
    let program = instrumented.compile(Some("objects.c"), &[&objects, arguments].concat(), "program")?;
    check(&stock, &program, &[], &[oracle_tool()?], dir)
}

fn link(name: &str) -> String {
    dist::testsuite().join("link").join(name).display().to_string()
}
