//! Is everything that can be wrong around the program told in one clear line, without any effect on what the program computes?

use std::mem::{offset_of, size_of};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, ObjectSymbol};
use ompchunk_abi::{MODULE_SYMBOL, ModuleRecord, VERBOSE_ENV, VERSION};
use ompchunk_testsuite::child::Finished;
use ompchunk_testsuite::log::{Entry, Log};
use ompchunk_testsuite::runtime::{Runtime, oracle_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

pub fn trials(suite: &mut Suite) {
    for (major, llvm) in Llvm::every() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            let majors = Llvm::every().into_iter().map(|(major, _)| major);
            if major < 17 {
                let (name, llvm) = (format!("typed_pointers_in_{major}"), llvm.clone());
                suite.scoped(name, move |dir| typed_pointers(&llvm, dir));
            }
            for second in majors.filter(|second| *second != major) {
                let llvm = llvm.clone();
                suite.scoped(format!("plugin_of_{second}_in_{major}"), move |dir| wrong_major(&llvm, second, dir));
            }
        });
    }
    let runtimes = [("libomp", Ok(Runtime::libomp())), ("libiomp5", Runtime::libiomp5())];
    for (name, runtime) in runtimes {
        suite.needs(name, runtime, |suite, runtime| {
            for (test, body) in TESTS {
                let runtime = runtime.clone();
                suite.scoped(format!("{test}/{name}"), move |dir| body(&Victim::build(&runtime, dir)?));
            }
        });
    }
}

type Test = fn(&Victim) -> Result<()>;

const TESTS: [(&str, Test); 11] = [
    ("no_shim", no_shim),
    ("no_shim_verbose", no_shim_verbose),
    ("missing_shim", missing_shim),
    ("no_tool", no_tool),
    ("no_tool_verbose", no_tool_verbose),
    ("tool_declines", tool_declines),
    ("unreadable_libraries", unreadable_libraries),
    ("unreadable_libraries_before_tool", unreadable_libraries_before_tool),
    ("other_abi_version", other_abi_version),
    ("other_record_size", other_record_size),
    ("broken_magic", broken_magic),
];

/// Who asks an old clang for pointers with types gets stock code, and is told.
fn typed_pointers(llvm: &Llvm, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("ir/chunked.c");
    for level in ["-O0", "-O2"] {
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        clang.args([level, "-Xclang", "-no-opaque-pointers", "-c", "-Rpass=ompchunk"]);
        clang.arg("-Rpass-missed=ompchunk").arg(&source);
        let finished = child::succeed(clang.arg("-o").arg(dir.join("typed.o")))?;
        let said = &finished.stderr;
        ensure!(
            said.contains("left alone: only ELF host targets with 64-bit opaque pointers")
                && !said.contains("instrumented"),
            "{level}: {said}"
        );
    }
    Ok(())
}

/// A plugin of another LLVM is refused by LLVM or by the plugin, in words, and nothing crashes.
fn wrong_major(llvm: &Llvm, other: u32, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(other)?;
    let (source, ir) = (dir.join("empty.c"), dir.join("empty.ll"));
    std::fs::write(&source, "int x;\n")?;
    std::fs::write(&ir, "")?;
    let mut clang = program::compiler(llvm, &source, Some(&plugin));
    clang.arg("-c").arg(&source).arg("-o").arg(dir.join("empty.o"));
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-load-pass-plugin={}", plugin.display())).args(["-passes=ompchunk", "-S"]).arg(ir);
    for command in [&mut clang, &mut opt] {
        let finished = child::finish(command)?;
        let said = &finished.stderr;
        ensure!(finished.status.code() == Some(1), "{command:?} ended with {}:\n{said}", finished.status);
        ensure!(said.contains("libompchunk.so"), "{command:?} does not name the plugin:\n{said}");
        ensure!(!said.contains("PLEASE"), "{command:?} asks for a bug report:\n{said}");
    }
    Ok(())
}

/// An instrumented program, what it should print, and ways to run it.
struct Victim {
    program: PathBuf,
    output: String,
    session: Session,
    dir: PathBuf,
}

impl Victim {
    fn build(runtime: &Runtime, dir: &Path) -> Result<Victim> {
        let llvm = Llvm::installed().into_iter().next().context("no clang")?;
        let source = dist::testsuite().join("run/nowait.c");
        let mut programs = Vec::new();
        for (name, plugin) in [("stock", None), ("instrumented", Some(dist::plugin(llvm.major)?))] {
            let program = dir.join(name);
            let mut clang = program::compiler(&llvm, &source, plugin.as_deref());
            child::succeed(clang.arg("-O1").arg(&source).arg("-o").arg(&program))?;
            programs.push(program);
        }
        let session = Session::new(runtime, 3, dir);
        let output = session.run(&programs[0], &[])?;
        let program = programs.pop().expect("two were built");
        Ok(Victim { program, output, session, dir: dir.to_owned() })
    }

    /// What it says on standard error; its result must be right.
    fn run(&self, libraries: &[&Path], verbose: bool, observed: bool) -> Result<Vec<String>> {
        let mut command = self.session.command(&self.program, libraries);
        if verbose {
            command.env(VERBOSE_ENV, "1");
        }
        if observed {
            command.env("ORACLE_LOG", &self.session.log);
        }
        let Finished { status, stdout, stderr } = child::finish(&mut command)?;
        ensure!(status.success(), "{command:?} ended with {status}, signal {:?}:\n{stderr}", status.signal());
        ensure!(stdout == self.output, "{command:?} printed\n{stdout}instead of\n{}", self.output);
        Ok(stderr.lines().map(str::to_owned).collect())
    }

    /// Overwrites four bytes of the module record in the file.
    fn patch(&self, offset: usize, value: u32) -> Result<()> {
        let mut bytes = std::fs::read(&self.program)?;
        let at = {
            let file = object::File::parse(&*bytes)?;
            let symbol = file.symbols().find(|s| s.name() == Ok(MODULE_SYMBOL)).context("no module record")?;
            let section = file.section_by_index(symbol.section_index().context("no section")?)?;
            let (start, _) = section.file_range().context("not in the file")?;
            (start + symbol.address() - section.address()) as usize + offset
        };
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        Ok(std::fs::write(&self.program, bytes)?)
    }

    /// How many chunk events the oracle saw in its last run.
    fn chunks(&self) -> Result<usize> {
        let log = Log::parse(&std::fs::read_to_string(&self.session.log)?)?;
        Ok(log.threads.iter().flatten().filter(|entry| matches!(entry, Entry::Chunk(_))).count())
    }
}

fn exactly_one<'a>(lines: &'a [String], about: &[&str]) -> Result<&'a str> {
    let mut found = lines.iter().filter(|line| about.iter().all(|word| line.contains(word)));
    let (first, second) = (found.next(), found.next());
    let line = first.with_context(|| format!("no line about {about:?} in {lines:#?}"))?;
    ensure!(second.is_none(), "several lines about {about:?} in {lines:#?}");
    ensure!(line.starts_with("ompchunk: "), "not ompchunk's: {line}");
    Ok(line)
}

fn silent(lines: &[String]) -> Result<()> {
    ensure!(lines.is_empty(), "it said {lines:#?}");
    Ok(())
}

/// Nobody asked for anything: nothing is said.
fn no_shim(victim: &Victim) -> Result<()> {
    silent(&victim.run(&[], false, false)?)?;
    // A tool without the shim is an ordinary tool in an ordinary program.
    silent(&victim.run(&[oracle_tool()?], false, true)?)?;
    ensure!(victim.chunks()? == 0, "chunk events without shim");
    Ok(())
}

/// A program says nothing, whatever it is asked to explain.
fn no_shim_verbose(victim: &Victim) -> Result<()> {
    silent(&victim.run(&[], true, false)?)
}

/// The shim is named but not there: that is the runtime's to say (`OMP_TOOL_VERBOSE_INIT`).
fn missing_shim(victim: &Victim) -> Result<()> {
    let missing = victim.dir.join("libompchunk_rt.so");
    silent(&victim.run(&[&missing, oracle_tool()?], true, true)?)?;
    ensure!(victim.chunks()? == 0, "chunk events without shim");
    Ok(())
}

/// The shim is there and has no tool to serve. That is nothing to complain of.
fn no_tool(victim: &Victim) -> Result<()> {
    silent(&victim.run(&[&dist::shim()?], false, false)?)
}

fn no_tool_verbose(victim: &Victim) -> Result<()> {
    let said = victim.run(&[&dist::shim()?], true, false)?;
    exactly_one(&said, &["no tool"])?;
    Ok(())
}

/// Without `ORACLE_LOG` the oracle's `ompt_start_tool` returns NULL.
fn tool_declines(victim: &Victim) -> Result<()> {
    let libraries = [&*dist::shim()?, oracle_tool()?];
    exactly_one(&victim.run(&libraries, true, false)?, &["oracle_tool.so", "declines"])?;
    silent(&victim.run(&libraries, false, false)?)
}

fn unreadable(victim: &Victim) -> Result<[PathBuf; 3]> {
    let [missing, text, directory] = ["missing.so", "text.so", "directory.so"].map(|n| victim.dir.join(n));
    std::fs::write(&text, "not a library\n")?;
    std::fs::create_dir_all(&directory)?;
    Ok([missing, text, directory])
}

fn unreadable_libraries(victim: &Victim) -> Result<()> {
    for library in unreadable(victim)? {
        let said = victim.run(&[&dist::shim()?, &library], true, false)?;
        exactly_one(&said, &["cannot load", &library.display().to_string(), "OMP_TOOL_LIBRARIES"])?;
    }
    Ok(())
}

/// What cannot be loaded does not keep the search from the tool behind it.
fn unreadable_libraries_before_tool(victim: &Victim) -> Result<()> {
    let [missing, text, directory] = unreadable(victim)?;
    let libraries = [&*dist::shim()?, &missing, &text, &directory, oracle_tool()?];
    victim.run(&libraries, false, true)?;
    ensure!(victim.chunks()? > 0, "the tool saw no chunk");
    Ok(())
}

fn other_abi_version(victim: &Victim) -> Result<()> {
    victim.patch(offset_of!(ModuleRecord, abi_version), VERSION + 1)?;
    let said = refused(victim)?;
    exactly_one(&said, &["version"])?;
    Ok(())
}

fn other_record_size(victim: &Victim) -> Result<()> {
    victim.patch(offset_of!(ModuleRecord, size), size_of::<ModuleRecord>() as u32 - 8)?;
    refused(victim)?;
    Ok(())
}

fn broken_magic(victim: &Victim) -> Result<()> {
    victim.patch(offset_of!(ModuleRecord, magic), 0)?;
    refused(victim)?;
    Ok(())
}

/// The shim does not understand the record: said once, even without being asked, and no event comes.
fn refused(victim: &Victim) -> Result<Vec<String>> {
    let libraries = [&*dist::shim()?, oracle_tool()?];
    let said = victim.run(&libraries, false, true)?;
    ensure!(said.len() == 1, "not one line: {said:#?}");
    ensure!(said[0].starts_with("ompchunk: "), "not ompchunk's: {}", said[0]);
    ensure!(victim.chunks()? == 0, "chunk events of a refused module");
    Ok(said)
}
