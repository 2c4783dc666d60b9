//! OTF2: what `ompchunk export` writes of recorded programs, read by OTF2's own tools; and what happens without the library, and on a full disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ompchunk_testkit::runtimes;

use crate::common::{
    self, clean, directory, fail, finish, hundred, majors, missing, must_say, ompchunk, parted, repository, succeed,
};

/// Debian's, which has OTF2's bindings; another one that comes first may not.
const PYTHON: &str = "/usr/bin/python3";

/// A region in each chunk, in which the recorder works, too.
const NESTED: &str = "#include <omp.h>\nint main(void) {\n  omp_set_max_active_levels(2);\n  \
for (int step = 0; step < 20; step++) {\n#pragma omp parallel for schedule(static, 2) num_threads(2)\n    \
for (int i = 0; i < 8; i++) {\n#pragma omp parallel for schedule(static, 100) num_threads(2)\n      \
for (int j = 0; j < 1000; j++)\n        __asm__ volatile(\"\");\n    }\n  }\n  return 0;\n}\n";

/// Two loops per rank and step, one with a decreasing variable, a barrier and sections.
const RANKS: &str = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int n = atoi(argv[1]);\n  \
MPI_Init(&argc, &argv);\n  for (int step = 0; step < 4; step++) {\n#pragma omp parallel num_threads(3)\n    {\n\
#pragma omp for schedule(static, 7)\n      for (int i = 0; i < n; i++)\n        __asm__ volatile(\"\");\n\
#pragma omp for schedule(dynamic, 50)\n      for (int i = n; i > 0; i -= 3)\n        __asm__ volatile(\"\");\n\
#pragma omp barrier\n#pragma omp sections\n      {\n#pragma omp section\n        __asm__ volatile(\"\");\n      }\n    }\n    \
MPI_Barrier(MPI_COMM_WORLD);\n  }\n  MPI_Finalize();\n  return 0;\n}\n";

/// Can archives be written and read here? Where `CI` is set they must be.
fn is_here() -> bool {
    let tools = Command::new("otf2-print").arg("--version").output().is_ok();
    let python = Command::new(PYTHON).args(["-c", "import otf2"]).output();
    let is_here = tools && python.is_ok_and(|python| python.status.success());
    if !is_here {
        missing("otf2-tools or python3-otf2 are not installed (make setup)");
    }
    is_here
}

/// Compiles into `app` beside the source.
fn compile(source: &Path, words: &[&str]) -> PathBuf {
    let app = source.with_file_name("app");
    common::compile_to(source, &app, majors()[0], words);
    app
}

fn record(app: &Path, words: &[&str], options: &[&str]) -> PathBuf {
    let trace = app.with_extension("ompchunk");
    let mut command = ompchunk(&["record", "-o"]);
    command.arg(&trace).args(options).arg(app).args(words);
    succeed(command.env("OMP_NUM_THREADS", "3"));
    trace
}

/// Exports, and has OTF2's tools and bindings read it. Returns what the bindings found.
fn agree(trace: &Path) -> String {
    let archive = trace.with_extension("otf2");
    let chunks = trace.with_extension("jsonl");
    let report = trace.with_extension("report.json");
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    let (status, _, said) = finish(&mut ompchunk(&["export", &name(trace), "--to", "otf2", &name(&archive)]));
    assert_eq!((status, &*said), (Some(0), ""));
    succeed(&mut ompchunk(&["export", &name(trace), "--to", "json", &name(&chunks)]));
    let text = succeed(&mut ompchunk(&["report", &name(trace), "--json"]));
    fs::write(&report, text).unwrap();
    let print = |words: &[&str]| {
        let mut print = clean("otf2-print");
        let (status, _, said) = finish(print.args(words).arg(archive.join("traces.otf2")));
        assert_eq!((status, &*said), (Some(0), ""));
    };
    print(&[]);
    print(&["-G"]);
    let check = |chunks: &Path| {
        let mut python = clean(PYTHON);
        python.arg(repository().join("cli/tests/read_otf2.py"));
        finish(python.args([&archive, chunks, &report]))
    };
    let (status, found, said) = check(&chunks);
    assert_eq!(status, Some(0), "{said}");
    // It can fail: of one chunk another time, and another bound.
    for name in ["duration_ns", "lower"] {
        let text = fs::read_to_string(&chunks).unwrap();
        let other = text.replacen(&format!("\"{name}\":"), &format!("\"{name}\":1"), 1);
        let path = chunks.with_extension("other");
        fs::write(&path, other).unwrap();
        assert_ne!(check(&path).0, Some(0), "{name}");
    }
    found
}

#[test]
fn recorded_programs() {
    if !is_here() {
        return;
    }
    let of = |name: &str| {
        let text = fs::read_to_string(repository().join("examples/programs").join(name));
        directory(name, &text.unwrap())
    };
    let schedules = of("schedules.c");
    let app = compile(&schedules.path().join("schedules.c"), &["-lm"]);
    let found = agree(&record(&app, &["2000", "20"], &["--bookkeeping"]));
    must_say(&found, "static static,4");
    let covariance = of("covariance.c");
    let app = compile(&covariance.path().join("covariance.c"), &["-lm"]);
    let found = agree(&record(&app, &["5"], &["--profile"]));
    assert!(!found.contains(" 0 sub-blocks"), "{found}");
    let nested = directory("nested.c", NESTED);
    let app = compile(&nested.path().join("nested.c"), &[]);
    let found = agree(&record(&app, &[], &[]));
    assert!(found.starts_with("1680 chunks"), "{found}");
}

#[test]
fn recorded_ranks() {
    if !is_here() {
        return;
    }
    let flags = |what: &str| {
        let output = Command::new("mpicc.openmpi").arg(what).output();
        let output = output.expect("mpicc.openmpi: make setup").stdout;
        String::from_utf8(output).unwrap().trim().to_owned()
    };
    let words = [flags("--showme:compile"), flags("--showme:link")];
    let words: Vec<&str> = words.iter().flat_map(|word| word.split(' ')).filter(|part| !part.is_empty()).collect();
    let ranks = directory("ranks.c", RANKS);
    let app = compile(&ranks.path().join("ranks.c"), &words);
    for (count, options) in [("2", &["-o"][..]), ("4", &["--profile", "-o"])] {
        let trace = ranks.path().join(format!("{count}.ompchunk"));
        let mut command = clean("timeout");
        command.args(["300", "mpirun.openmpi", "-np", count, "--oversubscribe"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("OMPCHUNK_LIBDIR", common::dist().join("lib"));
        command.args([env!("CARGO_BIN_EXE_ompchunk"), "record"]).args(options);
        succeed(command.arg(&trace).arg(&app).arg("3000"));
        let found = agree(&trace);
        must_say(&found, "3 loops, dynamic,50 sections static,7");
    }
}

/// What OTF2's bindings find of explicit tasks: how many, and how often threads switched to them.
fn tasks(trace: &Path, words: &[&str]) -> (u64, u64) {
    let archive = tempfile::tempdir().unwrap();
    let mut export = ompchunk(&["export"]);
    export.arg(trace).args(["--to", "otf2"]).arg(archive.path());
    let (status, _, said) = finish(&mut export);
    assert_eq!(status, Some(0), "{said}");
    let mut print = clean("otf2-print");
    let (status, _, said) = finish(print.arg(archive.path().join("traces.otf2")));
    assert_eq!((status, &*said), (Some(0), ""));
    let mut python = clean(PYTHON);
    python.arg(repository().join("cli/tests/read_otf2_tasks.py"));
    let found = succeed(python.arg(archive.path()).args(words));
    let (tasks, switches) = found.trim().split_once(' ').expect("two numbers");
    (tasks.parse().unwrap(), switches.parse().unwrap())
}

/// Each of the program's tasks is created, switched to and complete; where there is no room for all, those that are told.
#[test]
fn explicit_tasks() {
    if !is_here() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (app, trace) = (place.path().join("app"), place.path().join("t"));
    let mut command = ompchunk(&["cc", "-O2", "-g", "-fopenmp"]);
    command.env("OMPCHUNK_CC", format!("clang-{}", majors()[0]));
    let source = parted("recorder/tests/programs").join("tasks.c");
    succeed(command.arg(source).arg("-o").arg(&app));
    let record = |runtime: &runtimes::Runtime, options: &[&str], words: &[&str]| -> u64 {
        let mut record = ompchunk(&["record", "--tasks", "--force", "-o"]);
        record.arg(&trace).args(options).arg(&app).args(words);
        succeed(runtime.serve(&mut record)).trim().parse().unwrap()
    };
    for runtime in &runtimes::two() {
        let kinds = [
            ["fib", "14"],
            ["tree", "6"],
            ["untied", "100"],
            ["undeferred", "50"],
            ["taskgroup", "50"],
            ["detached", "50"],
            ["wavefront", "12"],
            ["nested", "20"],
        ];
        for words in kinds {
            let printed = record(runtime, &[], &words);
            let (found, switches) = tasks(&trace, &[]);
            let case = format!("{}, {words:?}", runtime.name);
            assert_eq!(found, printed, "{case}");
            assert!(switches >= found, "{case}: {switches}");
        }
        let printed = record(runtime, &["--max-size", "1M"], &["fib", "21"]);
        let (found, _) = tasks(&trace, &["cut"]);
        let case = format!("{}: {found} of {printed}", runtime.name);
        assert!(found > 1000 && found < printed, "{case}");
    }
}

/// Whatever the limit: a whole archive, or one error and nothing left.
#[test]
fn a_full_disk_is_one_error() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let small = record(&hundred(directory.path(), majors()[0], &[]), &[], &[]);
    let text = common::HUNDRED.replace("i < 100", "i < 100000");
    let many = common::directory("many.c", &text);
    let large = record(&compile(&many.path().join("many.c"), &[]), &[], &[]);
    let export = |trace: &Path, limit: usize| {
        let to = directory.path().join(format!("archive-{limit}"));
        let shell = format!("ulimit -f {limit}; exec \"$@\"");
        let mut command = clean("sh");
        command.args(["-c", &shell, "sh", env!("CARGO_BIN_EXE_ompchunk"), "export"]);
        let (status, _, said) = finish(command.arg(trace).args(["--to", "otf2"]).arg(&to));
        let is_there = to.exists();
        if is_there {
            assert_eq!((status, &*said), (Some(0), ""));
            let mut print = clean("otf2-print");
            assert_eq!(finish(print.arg(to.join("traces.otf2"))).2, "");
        } else {
            assert_eq!(status, Some(1), "{said}");
            let lines: Vec<&str> = said.lines().collect();
            assert_eq!(lines.len(), 2, "{said}");
            let begin = format!("ompchunk: cannot write {}: File is too large", to.display());
            assert!(lines[0].starts_with(&begin), "{said}");
            assert_eq!(lines[1], "ompchunk: next: check the path, its permissions and the space that is left");
        }
        is_there
    };
    // In halves of a kibibyte. Events, definitions and the anchor come one after the other.
    let whole: Vec<bool> = (0..24).map(|limit| export(&small, limit)).collect();
    assert!(whole.contains(&true) && !whole[0], "{whole:?}");
    for (limit, fits) in [(100, false), (600, false), (3000, false), (20_000, true)] {
        assert_eq!(export(&large, limit), fits, "{limit}");
    }
}

/// Says how to get it; and nothing is made where the archive would have been.
#[test]
fn without_the_library() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = record(&hundred(directory.path(), majors()[0], &[]), &[], &[]);
    let instead = directory.path().join("lib");
    fs::create_dir(&instead).unwrap();
    let names = ["libotf2.so.10", "libopen-trace-format2.so.10", "libotf2.so"];
    let to = directory.path().join("archive");
    let why = |what: &str| {
        let mut command = ompchunk(&["export"]);
        command.arg(&trace).args(["--to", "otf2"]).arg(&to).env("LD_LIBRARY_PATH", &instead);
        let (code, said) = fail(&mut command);
        assert_eq!(code, 1);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with("ompchunk: libotf2 cannot be used: ") && lines[0].contains(what), "{said}");
        assert!(lines[1].starts_with("ompchunk: next: apt-get install libotf2-trace-dev"), "{said}");
        assert_eq!((lines.len(), to.exists()), (2, false), "{said}");
    };
    for name in names {
        fs::write(instead.join(name), "no library").unwrap();
    }
    why("libotf2.so: ");
    let source = directory.path().join("empty.c");
    fs::write(&source, "int OTF2_GlobalDefWriter_WriteInterComm;").unwrap();
    let made = instead.join(names[0]);
    let cc = |words: &[&str]| succeed(clean("cc").args(["-shared", "-o"]).arg(&made).args(words).arg(&source));
    cc(&["-DOTF2_GlobalDefWriter_WriteInterComm=none"]);
    why("older than OTF2 3.0");
    cc(&[]);
    why("no libotf2");
}
