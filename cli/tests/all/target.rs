//! OpenMP's `target` on the device that LLVM 19's libomptarget has on every host, from `ompchunk record` to report and exports. The program is that
//! of the recorder's tests: it makes the calls that clang makes.

use std::path::Path;

use serde_json::Value;

use crate::common::{clean, finish, majors, must_say, ompchunk, parted, succeed};

const LIBOMPTARGET: &str = "/usr/lib/llvm-19/lib/libomptarget.so.19.1";

/// What the program does: how often, and the bytes if they are told.
const OPERATIONS: [(&str, u64, Option<u64>); 9] = [
    ("target", 4, None),
    ("target enter data", 1, None),
    ("target exit data", 1, None),
    ("target update", 1, None),
    ("alloc", 3, Some(16_100)),
    ("transfer to device", 3, Some(16_100)),
    ("transfer from device", 3, Some(24_000)),
    ("delete", 3, None),
    ("submit", 4, None),
];
const ALL: u64 = 23;

/// The program and the code of its device, compiled. False: there is no runtime for it.
fn compiled(directory: &Path) -> bool {
    if !Path::new(LIBOMPTARGET).exists() {
        eprintln!("skipped: {LIBOMPTARGET} is not there (package libomp5-19)");
        assert!(std::env::var_os("CI").is_none() || cfg!(not(target_arch = "x86_64")));
        return false;
    }
    let programs = parted("recorder/tests/programs");
    let clang = |arguments: &[&str], source: &str| {
        let mut command = clean(format!("clang-{}", majors()[0]));
        let command = command.args(arguments).arg(programs.join(source));
        succeed(command.current_dir(directory));
    };
    let device = ["-O1", "-shared", "-fPIC", "-o", "device.so"];
    clang(&device, "target_device.c");
    let host = ["-O1", "-g", "-fopenmp", "-o", "app", LIBOMPTARGET, "-Wl,-rpath,/usr/lib/llvm-19/lib"];
    clang(&host, "target.c");
    true
}

fn record(directory: &Path, options: &[&str]) -> String {
    let mut command = ompchunk(&["record", "-o", "trace"]);
    command.args(options).args(["./app", "device.so"]);
    let (code, stdout, said) = finish(command.current_dir(directory));
    assert_eq!((code, stdout.as_str()), (Some(0), "0 15984\n"), "{said}");
    said
}

fn report(directory: &Path) -> Value {
    let mut command = ompchunk(&["report", "--json", "trace"]);
    crate::common::json(command.current_dir(directory))
}

fn rows<'v>(report: &'v Value, operation: &str) -> Vec<&'v Value> {
    let all = report["target"].as_array().unwrap();
    let is = |row: &&Value| row["operation"] == operation;
    all.iter().filter(is).collect()
}

fn sum(rows: &[&Value], field: &str) -> Option<u64> {
    let known = rows.iter().filter_map(|row| row[field].as_u64());
    known.reduce(|sum, more| sum + more)
}

#[test]
fn a_program_with_a_device() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    if !compiled(directory) {
        return;
    }
    let said = record(directory, &[]);
    let begins = "ompchunk: trace: 0 loops, 0 chunks, 23 target operations, ";
    assert!(said.starts_with(begins) && said.lines().count() == 1, "{said}");
    let found = report(directory);
    for (operation, count, bytes) in OPERATIONS {
        let rows = rows(&found, operation);
        assert_eq!(sum(&rows, "count"), Some(count), "{operation}");
        assert_eq!(sum(&rows, "untimed"), Some(0), "{operation}");
        assert_eq!(sum(&rows, "bytes"), bytes, "{operation}");
        for row in rows {
            // The kernel has device and place of the construct around it.
            assert_eq!(row["device"], 0, "{row:#}");
            let file = row["file"].as_str().unwrap();
            assert!(file.ends_with("programs/target.c"), "{row:#}");
            assert!(row["line"].as_u64().unwrap() > 40, "{row:#}");
            assert_eq!(row["construct"], Value::Null);
            // Two calls of one line are one row, of one thread.
            assert_eq!(row["threads"].as_array().unwrap().len(), 1, "{row:#}");
        }
    }
    let teams = rows(&found, "submit")[0]["teams"].as_u64();
    assert_eq!(teams, Some(1));
    times_are_within_the_run(&found);
    the_text_says_so(directory);
    exports_have_them(directory);
}

/// What is in no other operation is all of it, and not more than the run; none of it is a loop's.
fn times_are_within_the_run(found: &Value) {
    let seconds = |operation: &str| {
        let rows = rows(found, operation);
        let seconds = rows.iter().map(|row| row["seconds"].as_f64().unwrap());
        seconds.fold(0.0, |sum, seconds| sum + seconds)
    };
    let whole = found["target_seconds"].as_f64().unwrap();
    let constructs = OPERATIONS[..4].iter().map(|(name, ..)| seconds(name));
    let constructs = constructs.fold(0.0, |sum, seconds| sum + seconds);
    let run = found["run"]["seconds"].as_f64().unwrap();
    assert!(0.0 < constructs && constructs < whole && whole < run, "{found:#}");
    assert!(seconds("submit") < seconds("target"));
    assert_eq!(found["loops"], Value::Array(Vec::new()));
    assert_eq!(found.get("openacc"), None);
    assert!(found["notes"].as_array().unwrap().iter().all(|note| {
        !["openacc-alone", "openacc-unpaired", "target-unpaired"].contains(&note["code"].as_str().unwrap())
    }));
}

fn the_text_says_so(directory: &Path) {
    let text = succeed(ompchunk(&["report", "trace"]).current_dir(directory));
    must_say(&text, "OpenMP target: 23 operations, ");
    let is_row = |line: &str| {
        line.contains("  transfer to device") && line.ends_with("in target") && line.contains("  target.c:")
    };
    assert!(text.lines().any(is_row), "{text}");
    assert!(!text.contains("OpenACC"), "{text}");
    succeed(ompchunk(&["report", "trace", "--check"]).current_dir(directory));
    succeed(ompchunk(&["report", "trace", "--html", "page.html"]).current_dir(directory));
}

fn exports_have_them(directory: &Path) {
    let (code, chrome, said) = finish(ompchunk(&["export", "trace", "--to", "chrome", "-"]).current_dir(directory));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let chrome: Value = serde_json::from_str(&chrome).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    let begins = events.iter().filter(|event| event["ph"] == "B" && event["cat"] == "target");
    assert_eq!(begins.clone().count() as u64, ALL);
    let submit = begins.clone().find(|event| event["name"] == "omp submit").unwrap();
    assert_eq!(submit["args"]["requested_num_teams"], 1);
    let (code, rows, said) =
        finish(ompchunk(&["export", "trace", "--to", "json", "-", "--table", "openacc"]).current_dir(directory));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len() as u64, ALL);
    for row in &rows {
        assert_eq!(row["model"], "OpenMP");
        assert!(row["duration_ns"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
        assert!(row["at"].as_str().unwrap().contains("app+0x"), "{row}");
    }
}

/// What was added up is in the report as what was told one by one.
#[test]
fn sums_of_operations() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    if !compiled(directory) {
        return;
    }
    record(directory, &["--aggregate"]);
    let found = report(directory);
    for (operation, count, _) in OPERATIONS {
        let rows = rows(&found, operation);
        assert_eq!(sum(&rows, "count"), Some(count), "{operation}");
        assert!(rows.iter().all(|row| row["line"].as_u64().is_some()));
        assert!(rows.iter().all(|row| row["bytes"].is_null()));
    }
    let (code, _, said) = finish(ompchunk(&["export", "trace", "--to", "chrome", "-"]).current_dir(directory));
    assert_eq!(code, Some(0), "{said}");
    must_say(&said, "23 operations of OpenACC or target were recorded as sums only");
}
