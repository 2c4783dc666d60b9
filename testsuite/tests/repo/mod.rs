//! Does the repository keep its own rules?

mod memory_order;
mod readable;

use std::path::PathBuf;
use std::process::Command;

use ompchunk_testsuite::dist::repository;
use ompchunk_testsuite::planted::FAULTS;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        tests_alone_have_the_testkit,
        what_runs_in_programs_depends_in_one_direction,
        the_command_and_what_it_reads_with_depend_in_one_direction,
        tools_in_rust_need_no_unsafe_code,
        files_are_short,
        every_module_says_what_it_is,
        no_paths_of_one_machine,
        planted_faults_fit_the_code
    ]);
    memory_order::trials(suite);
    readable::trials(suite);
}

/// Lines of a file that is meant to be read.
const MOST_LINES: usize = 450;

/// What git knows, with its text; binary files are left out.
fn tracked() -> Vec<(PathBuf, String)> {
    let listed = Command::new("git").arg("ls-files").current_dir(repository()).output().expect("git");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).expect("names in UTF-8");
    names
        .lines()
        .filter_map(|name| Some((PathBuf::from(name), std::fs::read_to_string(repository().join(name)).ok()?)))
        .collect()
}

fn has_extension(path: &std::path::Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|e| extensions.iter().any(|extension| e == *extension))
}

/// The crates of this workspace that a manifest depends on, in any of its dependency tables.
fn dependencies(member: &str) -> Vec<String> {
    let path = repository().join(member).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.contains("dependencies");
            // [dependencies.name]
            let name = line.trim_matches(['[', ']']).rsplit('.').next().unwrap_or_default();
            found.extend((inside && !name.ends_with("dependencies")).then(|| name.to_owned()));
        } else if inside && !line.trim().is_empty() && !line.starts_with('#') {
            let name = line.split(['=', '.']).next().unwrap_or_default().trim();
            found.push(name.to_owned());
        }
    }
    found
}

/// Dependencies of a member that are ours, but the one that tests alone have.
fn own(member: &str) -> Vec<String> {
    let is_ours = |name: &String| (name.starts_with("ompchunk") || name == "ompt") && name != "ompchunk-testkit";
    dependencies(member).into_iter().filter(is_ours).collect()
}

fn tests_alone_have_the_testkit() {
    for (path, text) in tracked().iter().filter(|(path, _)| path.ends_with("Cargo.toml")) {
        let is_tests = ["Cargo.toml", "testsuite/Cargo.toml"].iter().any(|one| path.as_os_str() == *one);
        let mut sections = text.split("\n[");
        let guilty =
            sections.find(|text| text.contains("\nompchunk-testkit") && !text.starts_with("dev-dependencies]"));
        assert!(is_tests || guilty.is_none(), "{}: {guilty:?}", path.display());
    }
}

fn what_runs_in_programs_depends_in_one_direction() {
    // What tools are told, for others than this project, too; tests alone need more.
    assert_eq!(dependencies("ompt"), ["ompchunk-testkit", "syn"], "ompt depends on nothing");
    assert_eq!(dependencies("abi"), ["libc", "ompt"], "of ours abi depends on ompt alone");
    // Plugin and shim meet in the ABI and nowhere else; the test suite drives artifacts.
    for member in ["pass", "testsuite"] {
        assert_eq!(own(member), ["ompchunk-abi"], "{member}");
    }
    let shim = ["ompchunk-abi", "ompchunk-guest", "ompt"];
    assert_eq!(own("runtime-shim"), shim);
    // What both have in common in the process of others.
    assert_eq!(own("guest"), ["ompchunk-abi"]);
    assert_eq!(own("stock"), ["ompchunk-abi", "ompchunk-guest"]);
    // The recorder is a tool like any other, and the command runs it as a process.
    let tools = ["ompchunk-abi", "ompchunk-guest", "ompchunk-trace-format", "ompt"];
    assert_eq!(own("recorder"), tools);
}

fn the_command_and_what_it_reads_with_depend_in_one_direction() {
    let reads = [
        "ompchunk-abi", "ompchunk-advice", "ompchunk-analysis", "ompchunk-bench", "ompchunk-export",
        "ompchunk-figures", "ompchunk-guest", "ompchunk-toolchain", "ompchunk-trace-format",
    ];
    assert_eq!(own("cli"), reads);
    // What a number is depends on nothing that is counted or measured.
    assert_eq!(own("figures"), [""; 0], "figures depends on none of ours");
    // Measuring knows nothing of the command that starts it; both find compilers and products in the same place.
    let measures = ["ompchunk-abi", "ompchunk-figures", "ompchunk-toolchain", "ompchunk-trace-format"];
    assert_eq!(own("bench"), measures);
    let toolchain = ["ompchunk-abi", "ompchunk-trace-format"];
    assert_eq!(own("toolchain"), toolchain, "toolchain");
    // The example tools are what anybody can write.
    assert_eq!(own("examples/tools/rust/chunk-tool"), ["ompt"]);
    assert_eq!(own("examples/tools/rust/schedule-check"), ["ompchunk-abi", "ompt"]);
    // A trace is read where nothing of OpenMP is: of ours it has declarations, the numbers of events and schedules.
    assert_eq!(own("trace"), ["ompt"], "trace");
    // What a loop's record says is told by the one name for it.
    assert_eq!(own("analysis"), ["ompchunk-abi", "ompchunk-figures", "ompchunk-trace-format"], "analysis");
    // Advice is data about data: it reads no trace, and prints nothing.
    assert_eq!(own("advice"), ["ompchunk-analysis", "ompchunk-figures"], "advice");
    assert_eq!(own("export"), ["ompchunk-analysis", "ompchunk-figures", "ompchunk-trace-format"], "export");
}

/// The safe layer of `ompt` is enough for a tool: what is left is the name of an address, which the C library knows.
fn tools_in_rust_need_no_unsafe_code() {
    let with: Vec<PathBuf> = tracked()
        .into_iter()
        .filter(|(path, _)| path.starts_with("examples/tools/rust"))
        .filter(|(path, text)| has_extension(path, &["rs"]) && text.contains(concat!("un", "safe")))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(with, [PathBuf::from("examples/tools/rust/chunk-tool/src/running.rs")]);
}

fn files_are_short() {
    let readable = ["rs", "c", "cpp", "h", "md", "toml", "sh", "mk", "cmake"];
    let long: Vec<String> = tracked()
        .iter()
        .filter(|(path, _)| has_extension(path, &readable) || path.ends_with("Makefile"))
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(path, lines)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "longer than {MOST_LINES} lines:\n{}", long.join("\n"));
}

fn every_module_says_what_it_is() {
    let silent: Vec<String> = tracked()
        .iter()
        .filter(|(path, text)| has_extension(path, &["rs"]) && !text.starts_with("//!"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "no module documentation:\n{}", silent.join("\n"));
}

/// Nothing in the tree may depend on, or tell of, the machine it was written on.
fn no_paths_of_one_machine() {
    let places = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    let mut found = Vec::new();
    for (path, text) in tracked() {
        for (line, number) in text.lines().zip(1..) {
            if places.iter().any(|place| line.contains(place)) {
                found.push(format!("{}:{number}: {line}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "paths of one machine:\n{}", found.join("\n"));
}

/// `make measure WHAT=mutants` is run seldom.
fn planted_faults_fit_the_code() {
    for fault in &FAULTS {
        fault.place(&repository()).unwrap();
    }
}
