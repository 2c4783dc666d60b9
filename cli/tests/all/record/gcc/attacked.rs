//! What programs, their users and the dynamic linker can do against it. Each is as it is alone, and what is not recorded is said.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use super::{ATTACKS, MOVED, alike, gcc, plain};
use crate::common::recorded::{chunks, record};
use crate::common::{clean, finish, must_say, succeed};

/// Two constructs for devices in a loop's program, a loop whose iterations wait for each other, and a scan.
const LACKING: [(&str, &str); 3] = [
    (
        "long s;\nint main(void) {\n#pragma omp target map(tofrom: s)\n  s++;\n#pragma omp parallel for schedule(dynamic) reduction(+ : s)\n  for (int i = 0; i < 9; i++) s += i;\n  return s == 37 ? 0 : 1;\n}\n",
        "libomp.so.5 cannot take its calls of GOMP_target_ext, which go to libgomp.so.1",
    ),
    (
        "int main(int n, char **w) {\n  long s = 0;\n#pragma omp parallel for ordered(1)\n  for (int i = 1; i < n; i++) {\n#pragma omp ordered depend(sink : i - 1)\n    s += i;\n#pragma omp ordered depend(source)\n  }\n  return s;\n}\n",
        "libomp.so.5 does only a part of GOMP_loop_doacross_static_start",
    ),
    (
        "int main(void) {\n  int s = 0, seen[9];\n#pragma omp parallel for reduction(inscan, + : s)\n  for (int i = 0; i < 9; i++) {\n    s += i;\n#pragma omp scan inclusive(s)\n    seen[i] = s;\n  }\n  return seen[8] == 36 ? 0 : 1;\n}\n",
        "libomp.so.5 does only a part of GOMP_loop_start",
    ),
];

/// Records what says why nothing is recorded; it has run, and well.
#[track_caller]
fn nothing_of(at: &Path, words: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = record(at, &["--force", "-o", "t"]);
    let (code, _, said) = finish(command.args(words).envs(variables.iter().copied()));
    assert_eq!(code, Some(125), "{words:?}: {said}");
    assert!(!said.contains(MOVED), "{said}");
    said
}

#[test]
fn what_libomp_lacks_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (source, why) in LACKING {
        gcc(at, source, "-o app");
        let said = nothing_of(at, &["./app"], &[]);
        must_say(&said, why);
        // Neither the system's runtime nor another one of here.
        assert!(!at.join("t").exists());
        let (code, _, said) = finish(record(at, &["--runtime", "libomp", "./app"]).env("OMP_NUM_THREADS", "2"));
        assert_eq!(code, Some(1), "{said}");
        must_say(&said, "ompchunk: next: --runtime as-linked");
    }
}

/// libomp runs no iteration of unsigned loops that count down, and other ones of `taskloop`: who has one stays with libgomp, and who has none
/// does not.
#[test]
fn unsigned_loops_by_their_direction() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let source = |header: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **words) {{\n  size_t n = 99 + count;\n  long ran = 0;\n  \
             (void)words;\n#pragma omp parallel for schedule(dynamic) reduction(+ : ran)\n  for ({header}) ran++;\n#pragma omp parallel \
             for schedule(guided, 3) reduction(+ : ran)\n  for ({header}) ran++;\n  printf(\"%ld\\n\", ran);\n}}\n"
        )
    };
    for level in ["-O0", "-O2", "-O3"] {
        gcc(at, &source("size_t i = 0; i < n; i++"), &format!("{level} -o app"));
        let (code, stdout, said) = finish(&mut record(at, &["--force", "./app"]));
        assert_eq!((code, &*stdout), (Some(0), "200\n"), "{said}");
        must_say(&said, "was built for libgomp; it runs on");
        gcc(at, &source("size_t i = n; i > 0; i--"), &format!("{level} -o app"));
        let (_, stdout, said) = finish(&mut record(at, &["--force", "./app"]));
        assert_eq!(stdout, "200\n", "{said}");
        must_say(&said, "does only a part of GOMP_loop_ull_");
        let tasks = |header: &str| {
            format!(
                "#include <stdio.h>\nint main(void) {{\n  long ran = 0;\n#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop grainsize(7)\n  \
                 for ({header}) {{\n#pragma omp atomic\n    ran += i;\n  }}\n  printf(\"%ld\\n\", ran);\n}}\n"
            )
        };
        for number in ["int", "unsigned long"] {
            gcc(at, &tasks(&format!("{number} i = 1; i < 101; i++")), &format!("{level} -o app"));
            let (code, stdout, said) = finish(&mut record(at, &["--force", "./app"]));
            assert_eq!((code, &*stdout), (Some(0), "5050\n"), "{said}");
            must_say(&said, "was built for libgomp; it runs on");
            gcc(at, &tasks(&format!("{number} i = 100; i > 0; i--")), &format!("{level} -o app"));
            let (_, stdout, said) = finish(&mut record(at, &["--force", "./app"]));
            assert_eq!(stdout, "5050\n", "{said}");
            must_say(&said, "does only a part of GOMP_taskloop");
        }
    }
}

/// Whoever defines a function of OpenMP itself, as a stub or to look at calls, keeps it: libomp would have the other ones.
#[test]
fn functions_that_others_define() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, "int omp_get_max_threads(void) { return 77; }\n", "-fno-openmp -shared -fPIC -o libstub.so");
    gcc(at, ATTACKS, "-o app");
    let why = "cannot take its calls of omp_get_max_threads, which go to libstub.so";
    must_say(&nothing_of(at, &["./app"], &[("LD_PRELOAD", "./libstub.so")]), why);
    gcc(at, ATTACKS, "-L. -Wl,--no-as-needed -lstub -Wl,-rpath,$ORIGIN -o app");
    must_say(&nothing_of(at, &["./app"], &[]), why);
    // libgomp itself, as whoever preloads it wants it.
    gcc(at, ATTACKS, "-o app");
    must_say(&nothing_of(at, &["./app"], &[("LD_PRELOAD", "libgomp.so.1")]), "which go to libgomp.so.1");
    // What has nothing to do with OpenMP stays where it is.
    gcc(at, "int nothing;\n", "-fno-openmp -shared -fPIC -o libnothing.so");
    let words = ["./app", "variable", "LD_PRELOAD"];
    let mut command = record(at, &["--force", "-o", "t"]);
    let (code, printed, said) = finish(command.args(words).env("LD_PRELOAD", "./libnothing.so"));
    assert_eq!(code, Some(0), "{said}");
    must_say(&printed, "4950\n./libnothing.so:/");
    assert_eq!(chunks(&at.join("t")), [(None, 10)]);
}

/// Where the runtimes differ by default.
#[test]
fn what_threads_begin_with() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    let none: &[(&str, &str)] = &[];
    let said = alike(at, &["./app", "stack"], none);
    must_say(&said, MOVED);
    assert!(!said.contains("only libgomp reads that"), "{said}");
    alike(at, &["./app", "settings"], none);
    alike(at, &["./app", "nested"], none);
    alike(at, &["./app", "stack"], &[("GOMP_STACKSIZE", "9000")]);
    for (name, value) in [
        ("OMP_SCHEDULE", "guided,5"),
        ("OMP_SCHEDULE", "static"),
        ("OMP_NUM_THREADS", "3"),
        ("OMP_THREAD_LIMIT", "1"),
        ("OMP_DYNAMIC", "true"),
        ("OMP_MAX_ACTIVE_LEVELS", "3"),
        ("OMP_PROC_BIND", "close"),
        ("GOMP_CPU_AFFINITY", "0"),
    ] {
        alike(at, &["./app", "settings"], &[(name, value)]);
    }
    let said = alike(at, &["./app"], &[("GOMP_SPINCOUNT", "100"), ("GOMP_CPU_AFFINITY", "0")]);
    must_say(&said, "ompchunk: GOMP_SPINCOUNT: only libgomp reads that");
}

#[test]
fn whatever_a_program_is_called_and_however_it_ends() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    for name in ["a b", "a:b", "libgomp-test", "libomp.so.5", "line\nbreak"] {
        std::fs::copy(at.join("app"), at.join(name)).unwrap();
        let said = alike(at, &[&format!("./{name}"), "", "", "7"], &[]);
        must_say(&said, MOVED);
        assert_eq!(chunks(&at.join("t")), [(None, 10)], "{name}");
    }
    alike(at, &["./app", "fork"], &[]);
}

/// A library's destructor comes after that of what is preloaded.
#[test]
fn a_region_at_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-DLIBRARY -DAT_THE_END -shared -fPIC -o libloop.so");
    gcc(at, ATTACKS, "-DLINKED -fno-openmp -L. -lloop -Wl,-rpath,$ORIGIN -o app");
    must_say(&alike(at, &["./app"], &[]), MOVED);
}

/// Both runtimes read that, and each prints it once.
#[test]
fn a_user_who_asks_for_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    let mut command = record(at, &["./app"]);
    let (code, printed, said) = finish(command.env("OMP_DISPLAY_ENV", "true"));
    assert_eq!((code, printed.as_str()), (Some(0), "4950\n"), "{said}");
    assert_eq!(said.matches("OPENMP DISPLAY ENVIRONMENT BEGIN").count(), 2, "{said}");
}

/// Its calls were bound when it was linked.
#[test]
fn libgomp_inside() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let archive = succeed(clean("gcc").arg("-print-file-name=libgomp.a"));
    gcc(at, ATTACKS, "-DLIBRARY -c -o loop.o");
    gcc(at, ATTACKS, &format!("-fno-openmp -DLINKED -x none loop.o {} -o app", archive.trim()));
    must_say(&nothing_of(at, &["./app"], &[]), "./app has libgomp inside (libgomp.a)");
    succeed(plain(at, &["strip", "app"]).current_dir(at));
    must_say(&nothing_of(at, &["./app"], &[]), "./app has libgomp inside (libgomp.a)");
}

/// What is loaded later is not seen before: it runs as it does alone, and the user has a word for it.
#[test]
fn what_a_program_loads() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-fno-openmp -DWITHOUT -o loader");
    gcc(at, ATTACKS, "-DLIBRARY -shared -fPIC -o libloop.so");
    // As a wheel renames it: what needs it names it so, too.
    let library = std::fs::read(at.join("libloop.so")).unwrap();
    let (ours, theirs) = (b"libgomp.so.1", b"libgomp-a.so");
    let place = library.windows(ours.len()).position(|bytes| bytes == ours).unwrap();
    let renamed = [&library[..place], theirs, &library[place + ours.len()..]].concat();
    std::fs::write(at.join("libloop.so"), renamed).unwrap();
    let libgomp = succeed(clean("gcc").arg("-print-file-name=libgomp.so.1"));
    std::fs::copy(libgomp.trim(), at.join("libgomp-a.so")).unwrap();
    let words = ["./loader", "load", "./libloop.so"];
    let folder = [("LD_LIBRARY_PATH", ".")];
    must_say(&nothing_of(at, &words, &folder), "ompchunk record --runtime libomp");
    let by_word = |words: &[&str]| {
        let mut command = record(at, &["--force", "-o", "t", "--runtime", "libomp"]);
        let (code, printed, said) = finish(command.args(words).env("LD_LIBRARY_PATH", "."));
        assert_eq!((code, printed.as_str()), (Some(0), "4950\n"), "{words:?}: {said}");
        chunks(&at.join("t"))
    };
    assert_eq!(by_word(&words), [(None, 10)]);
    // Started by what is no ELF file.
    let script = crate::common::script(at, "run.sh", "#!/bin/sh\nexec ./loader load ./libloop.so\n");
    assert_eq!(by_word(&[script.to_str().unwrap()]), [(None, 10)]);
    // Python says where its modules are; with another runtime among them nobody knows which one they get.
    let python = ["python3", "-c", "import ctypes; print(ctypes.CDLL('./libloop.so').loop_of_library())"];
    let of_python = [folder[0], ("PYTHONPATH", at.to_str().unwrap())];
    let mut command = record(at, &["--force", "-o", "t"]);
    let (_, printed, said) = finish(command.args(python).envs(of_python));
    must_say(&said, "modules of python3 were built for libgomp (");
    assert_eq!((printed.as_str(), chunks(&at.join("t"))), ("4950\n", vec![(None, 10)]));
    std::fs::write(at.join("libiomp5.so"), "").unwrap();
    must_say(&nothing_of(at, &python, &of_python), "libiomp5.so has a runtime of its own");
    // With RTLD_DEEPBIND it keeps its own runtime, beside that of the program.
    gcc(at, ATTACKS, "-o app");
    let said = alike(at, &["./app", "deep", "./libloop.so"], &folder);
    must_say(&said, MOVED);
    assert_eq!(chunks(&at.join("t")), [(None, 10)]);
}

/// Whoever starts a program with other rights decides nothing of it.
#[test]
fn a_set_user_id_program() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    if chown(at.join("app"), Some(64001), Some(64001)).is_err() {
        // Also in CI: whoever is not root cannot have programs of other users.
        eprintln!("skipped: set-user-ID programs: only root can make one of another user's");
        return;
    }
    std::fs::set_permissions(at.join("app"), PermissionsExt::from_mode(0o4755)).unwrap();
    let said = nothing_of(at, &["./app"], &[]);
    must_say(&said, "runs with the rights of its owner or group (set-user-ID, set-group-ID)");
}
