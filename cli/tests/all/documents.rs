//! The documents' command lines run as they stand.
//!
//! A fenced block says what it is. `sh` is commands, `console` is commands behind `$ ` with what they print; both
//! are run, all of a document in its order in one shell. `sh example` and `console example` need something that is
//! not here. `text` and other languages have no command. A block that says nothing is a mistake.
//!
//! The shell stands in a directory with what a reader has: the tree's products, scripts and examples, an installed
//! ompchunk in `PATH`, a program `app` with its source, a tool, and recorded runs unless the document makes them.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::{self, clean, dist, finish, repository, succeed};

/// A loop of 100 chunks, whatever the arguments.
const APP: &str = "int main(int argc, char **argv) {\n  (void)argc, (void)argv;\n\
#pragma omp parallel for schedule(static, 1) num_threads(2)\n  \
for (int i = 0; i < 100; i++)\n    __asm__ volatile(\"\");\n  return 0;\n}\n";

/// Chunks that the tool tells of each time it is attached to `app`.
const CHUNKS: usize = 100;

/// Languages of blocks that have no command.
const OTHER: [&str; 7] = ["text", "cmake", "python", "sql", "json", "rust", "rust,no_run"];

/// What stderr has where something failed that no exit code tells of.
const FAILURES: [&str; 2] = ["ERROR: ld.so: ", "ompchunk: cannot"];

#[derive(Debug, PartialEq)]
struct Block {
    line: usize,
    commands: String,
}

/// What of a document is run, or the line of a block that does not say what it is.
fn blocks(document: &str) -> Result<Vec<Block>, usize> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(document.lines());
    while let Some((line, fence)) = lines.next() {
        let Some(is) = fence.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().map(|(_, text)| text).take_while(|text| *text != "```").collect();
        match is {
            "sh example" | "console example" => {}
            "sh" => found.push(Block { line, commands: body.join("\n") }),
            "console" => found.push(Block { line, commands: typed(&body) }),
            _ if OTHER.contains(&is) => {}
            _ => return Err(line),
        }
    }
    Ok(found)
}

/// What stands behind `$ `, with the lines that continue it.
fn typed(body: &[&str]) -> String {
    let mut commands = String::new();
    let mut goes_on = false;
    for line in body {
        let command = line.strip_prefix("$ ").or(goes_on.then_some(*line));
        goes_on = command.is_some_and(|command| command.ends_with('\\'));
        if let Some(command) = command {
            let _ = writeln!(commands, "{command}");
        }
    }
    commands
}

#[test]
fn blocks_say_what_they_are() {
    let of = |text: &str| blocks(text);
    let block = |line, commands: &str| Block { line, commands: commands.into() };
    assert_eq!(of("a\n```sh\nb # c\nd\n```\ne"), Ok(vec![block(2, "b # c\nd")]));
    assert_eq!(of("```console\n$ a \\\n  b\nout\n$ c\n```"), Ok(vec![block(1, "a \\\n  b\nc\n")]));
    assert_eq!(of("```sh example\na\n```\n```cmake\nb\n```"), Ok(vec![]));
    assert_eq!(of("```text\n```\n```\na\n```"), Err(3));
    assert_eq!(of("```bash\na\n```"), Err(1));
}

/// A directory with what a reader has.
fn setting(at: &Path, installed: &Path, document: &str) {
    for name in ["examples", "scripts"] {
        symlink(repository().join(name), at.join(name)).unwrap();
    }
    symlink(dist(), at.join("dist")).unwrap();
    std::fs::write(at.join("app.c"), APP).unwrap();
    let tool = dist().join("lib/tools/libchunk-print.so");
    std::fs::copy(tool, at.join("libtool.so")).unwrap();
    let compile = |arguments: &[&str]| {
        let mut command = shell(at, installed);
        let words = format!("ompchunk cc -O2 -g -fopenmp {}", arguments.join(" "));
        succeed(command.args(["-c", &words]));
    };
    compile(&["app.c", "-o", "app"]);
    compile(&["-c", "app.c", "-o", "app.o"]);
    for name in ["wordpairs", "mandelbrot", "spmv", "stencil", "schedules"] {
        if document.contains(&format!("./{name}")) {
            let source = format!("examples/programs/{name}.c");
            compile(&[&source, "-o", name, "-lm"]);
        }
    }
    for name in ["app", "before", "after"] {
        let makes_it = document.contains(&format!("-o {name}.ompchunk"))
            || name == "app" && document.contains("ompchunk record ./app");
        if !makes_it {
            let words = format!("ompchunk record -o {name}.ompchunk ./app");
            succeed(shell(at, installed).args(["-c", &words]));
        }
    }
}

/// A shell there that finds what is installed, and lets root and few cores run MPI. Ten minutes are for programs that hang: Debian's
/// libomp has assertions that fail by chance when a program ends (kmp_runtime.cpp: a thread is not ready to be joined), and then waits for itself.
fn shell(at: &Path, installed: &Path) -> Command {
    let mut command = clean("timeout");
    let path = std::env::var("PATH").expect("a PATH");
    command
        .args(["600", "bash"])
        .env("PATH", format!("{}/bin:{path}", installed.display()))
        .env("PKG_CONFIG_PATH", installed.join("lib/pkgconfig"))
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("KMP_BLOCKTIME", "0")
        .env("KMP_WARNINGS", "0")
        .current_dir(at);
    command
}

/// Runs a document; gives what is wrong with it.
fn run(name: &str, document: &str, blocks: &[Block], installed: &Path) -> Option<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    setting(directory.path(), installed, document);
    let mut script = String::from("set -euo pipefail\n");
    for Block { line, commands } in blocks {
        let _ = writeln!(script, "echo '== {name}:{line}' >&2\n{commands}");
    }
    let (code, _, said) = finish(shell(directory.path(), installed).args(["-c", &script]));
    let mut wrong = Vec::new();
    if code != Some(0) {
        wrong.push(format!("a command failed, with {code:?}"));
    }
    for failure in FAILURES.iter().filter(|text| said.contains(**text)) {
        wrong.push(format!("something says `{failure}`"));
    }
    // What each block attached the reader's tool to must have told it.
    for (Block { line, commands }, said) in blocks.iter().zip(said.split("== ").skip(1)) {
        let attached = commands.lines().filter(|text| text.contains("libtool.so")).count();
        let told = said.matches(" chunk ").count();
        if attached > 0 && told != attached * CHUNKS {
            wrong.push(format!("line {line} attaches the tool {attached} times, which was told of {told} chunks"));
        }
    }
    (!wrong.is_empty()).then(|| format!("{name}: {}\n{said}", wrong.join("; ")))
}

#[test]
fn commands_run_as_they_stand() {
    // The documents name clang 22 and Open MPI.
    if common::lacks(&["clang-22", "mpicc", "pkg-config"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let installed = place.path().join("installed");
    succeed(
        clean(repository().join("scripts/install.sh")).arg("install").env("PREFIX", &installed).env_remove("DESTDIR"),
    );
    // What does not do what it says is found.
    for wrong in [
        "false | true",
        "LD_PRELOAD=./no.so ./app",
        "OMP_TOOL_LIBRARIES=./libtool.so ./app",
        "OMP_TOOL_LIBRARIES=libompchunk_rt.so:./libtool.so ./app",
    ] {
        let document = format!("```sh\n{wrong}\n```\n");
        let found = run("wrong", &document, &blocks(&document).unwrap(), &installed);
        assert!(found.is_some(), "{wrong}");
    }
    let mut git = clean("git");
    git.args(["ls-files", "*.md"]).current_dir(repository());
    let (mut ran, mut wrong) = (0, Vec::new());
    for name in succeed(&mut git).lines() {
        let document = std::fs::read_to_string(repository().join(name)).unwrap();
        match blocks(&document) {
            Err(line) => wrong
                .push(format!("{name}:{line}: what is this block? `sh`, `sh example`, `text`: see CONTRIBUTING.md")),
            Ok(blocks) if blocks.is_empty() => {}
            Ok(blocks) => {
                ran += 1;
                wrong.extend(run(name, &document, &blocks, &installed));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran >= 8, "only {ran} documents have commands");
}
