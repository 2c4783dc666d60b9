//! Programs of the corpus compute the same under every schedule, on every runtime, as a plain build does; otherwise what is
//! measured of them is worth nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use ompchunk_bench::advice::{CORPUS, Program};
use ompchunk_testkit::runtimes::{self, Runtime};
use ompchunk_testkit::{clean, missing, product, repository};
use ompchunk_toolchain::language::Language;

/// Divides nothing evenly.
const SCHEDULES: [&str; 3] = ["*=dynamic,3", "*=static,5", "*=guided"];
/// Each loop as often.
const REPETITIONS: &str = "2";
const FLAGS: [&str; 3] = ["-O2", "-g", "-fopenmp"];

/// The compiler of a language and of an LLVM, if it is there.
fn compiler(language: Language, major: u32) -> Option<String> {
    let name = match language {
        Language::C => format!("clang-{major}"),
        Language::Cxx => format!("clang++-{major}"),
        Language::Fortran => format!("flang-{major}"),
    };
    let is_there = Command::new(&name).arg("--version").output().is_ok();
    is_there.then_some(name)
}

/// What a process prints: on its output, and its complaints.
fn finish(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let [printed, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{command:?}\n{printed}{said}");
    (printed, said)
}

/// Compiles without a word of the compiler's.
fn compile(mut command: Command, program: &Program, folder: &Path, to: &str) -> PathBuf {
    let to = folder.join(to);
    command.current_dir(repository().join("bench/corpus")).args(FLAGS);
    if program.language() != Language::Fortran {
        command.args(["-Wall", "-Wextra", "-Werror"]);
    }
    let (_, said) = finish(command.arg(program.file).arg("-o").arg(&to).arg("-lm"));
    assert_eq!(said, "", "{}", program.file);
    to
}

/// A program as a plain build, and as one that is instrumented.
struct Built<'a> {
    program: &'a Program,
    plain: PathBuf,
    instrumented: PathBuf,
}

impl Built<'_> {
    /// What it prints, each way, on a runtime that may be another one than the system's.
    fn prints(&self, runtime: Option<&Path>) -> Vec<(&'static str, String)> {
        let start = |mut command: Command| {
            command.arg(REPETITIONS).env("OMP_NUM_THREADS", "3").env("KMP_BLOCKTIME", "0");
            if let Some(directory) = runtime {
                command.env("LD_LIBRARY_PATH", directory);
            }
            finish(&mut command)
        };
        let mut printed =
            vec![("plain", start(clean(&self.plain)).0), ("with the plugin", start(clean(&self.instrumented)).0)];
        for schedule in SCHEDULES {
            let mut command = clean(product("bin/ompchunk"));
            command.env("OMPCHUNK_VERBOSE", "1");
            command.args(["run", "--schedule", schedule]).arg(&self.instrumented);
            let (changed, said) = start(command);
            let says = format!("'{schedule}' changes the loop {}:", self.program.pattern());
            assert!(said.contains(&says), "no {says:?}: {said}");
            printed.push((schedule, changed));
        }
        printed
    }
}

#[test]
fn checksums_are_those_of_the_plain_build() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, runtimes) = (folder.path(), runtimes::two());
    let majors = [22, 19];
    let mut left_out = Vec::new();
    for program in CORPUS {
        let language = program.language();
        let compilers: Vec<String> = majors.iter().filter_map(|major| compiler(language, *major)).collect();
        let Some(newest) = compilers.first() else {
            left_out.push(program.file);
            continue;
        };
        for of in &compilers {
            let mut command = clean(product("bin/ompchunk"));
            command.env(language.variable(), of).arg(language.command());
            compile(command, program, folder, of);
        }
        let built = Built {
            program,
            plain: compile(clean(newest), program, folder, "plain"),
            instrumented: folder.join(newest),
        };
        let mut expected = None;
        for Runtime { name: runtime, directory } in &runtimes {
            for (how, printed) in built.prints(directory.as_deref()) {
                assert_eq!(printed.lines().count(), 1, "{}: {printed}", program.file);
                let expected = expected.get_or_insert_with(|| printed.clone());
                assert_eq!(printed, *expected, "{} {how} on {runtime}", program.file);
            }
        }
    }
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        missing(&format!("a compiler of {majors:?} for {names}"));
    }
}
