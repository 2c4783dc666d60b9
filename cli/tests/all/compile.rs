//! `ompchunk cc`, `c++`, `fc`: the compiler's behaviour, plus one flag.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use crate::common::{
    self, HUNDRED, clean, directory, dist, fail, finish, majors, majors_of, must_say, ompchunk, script, succeed,
};

/// A compiler that shows its arguments and ends with 7.
fn fake(directory: &Path, version: &str) -> OsString {
    let text = format!(
        "#!/bin/sh\nif [ \"$*\" = --version ]; then echo '{version}'; exit; fi\n\
         [ $# = 0 ] || printf '%s\\0' \"$@\"\nexit 7\n"
    );
    script(directory, "fake compiler", &text).into()
}

/// Its arguments, when run through `ompchunk cc`.
fn seen(compiler: &OsStr, switch: &str, arguments: &[&OsStr]) -> Vec<OsString> {
    let output =
        ompchunk(&["cc"]).args(arguments).env("OMPCHUNK_CC", compiler).env("OMPCHUNK", switch).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    output
        .stdout
        .split_inclusive(|byte| *byte == 0)
        .map(|word| OsString::from_vec(word[..word.len() - 1].to_vec()))
        .collect()
}

#[test]
fn arguments_reach_the_compiler_as_they_are() {
    let major = majors()[0];
    let directory = tempfile::tempdir().unwrap();
    let compiler = fake(directory.path(), &format!("clang version {major}.0.0"));
    let words: [&[u8]; 12] = [
        b"-DA=a b", b"two\nlines\n", b"", b"'\"\\$HOME`ls`*", b"@response file", b"--", b"--help", b"-V",
        b"-fpass-plugin=other.so", b"\xff\xfe", b"run", b"--",
    ];
    let words = words.map(OsStr::from_bytes);
    let plugin = dist().canonicalize().unwrap();
    let plugin = plugin.join(format!("lib/llvm-{major}/libompchunk.so"));
    let flag = OsString::from(format!("-fpass-plugin={}", plugin.display()));
    // Whatever comes first, too: an option, `--`, nothing.
    for words in [&words[..], &words[5..], &words[7..], &[]] {
        let with = seen(&compiler, "", words);
        assert_eq!(with[0], flag);
        assert_eq!(with[1..], *words);
        assert_eq!(seen(&compiler, "off", words), *words);
    }
    // They choose another program, and only in this place.
    for internal in ["-cc1", "-cc1as", "-fc1"] {
        let words = [OsStr::new(internal), OsStr::new("x")];
        assert_eq!(seen(&compiler, "", &words), words);
    }
}

#[test]
fn a_compiler_may_be_a_command_with_arguments() {
    let major = majors()[0];
    let directory = tempfile::tempdir().unwrap();
    fake(directory.path(), &format!("clang version {major}.0.0"));
    std::fs::rename(directory.path().join("fake compiler"), directory.path().join("fake")).unwrap();
    // env takes the role of ccache.
    let mut command = OsString::from("env ");
    command.push(directory.path().join("fake"));
    let words = seen(&command, "", &[OsStr::new("-c")]);
    assert_eq!((words.len(), &*words[1]), (2, OsStr::new("-c")));
}

#[test]
fn a_compilers_death_is_not_hidden() {
    let directory = tempfile::tempdir().unwrap();
    let text = "#!/bin/sh\n[ \"$*\" != --version ] || exec echo clang version 22\nkill -SEGV $$\n";
    let compiler = script(directory.path(), "dies", text.replace("22", &majors()[0].to_string()).as_str());
    let status = ompchunk(&["cc", "-c"]).env("OMPCHUNK_CC", compiler).status().unwrap();
    assert_eq!(status.signal(), Some(11));
}

#[test]
fn diagnostics_and_codes_are_the_compilers() {
    let directory = directory("broken.c", "int main(void) { return x }\n#warning w\n");
    std::fs::write(directory.path().join("undefined.c"), "int f(void); int main(void) { return f(); }").unwrap();
    for major in majors() {
        let clang = format!("clang-{major}");
        for arguments in [
            &["-fopenmp", "-c", "broken.c"][..],
            &["-c", "missing.c"],
            &["undefined.c"],
            &["-no-such-flag", "-c", "undefined.c"],
            &[],
        ] {
            let alone = finish(clean(&clang).args(arguments).current_dir(&directory));
            let through = finish(ompchunk(&["cc"]).args(arguments).env("OMPCHUNK_CC", &clang).current_dir(&directory));
            assert_ne!(alone.0, Some(0));
            // Temporary objects have another name each time.
            let stable = |text: &str| -> String {
                let lines = text.lines().filter(|line| !line.contains("/undefined-"));
                lines.collect::<Vec<_>>().join("\n")
            };
            assert_eq!(alone.0, through.0, "{arguments:?}");
            assert_eq!(alone.1, through.1, "{arguments:?}");
            assert_eq!(stable(&alone.2), stable(&through.2), "{arguments:?}");
        }
    }
}

/// Where nothing is compiled, no compiler says that the flag is not used.
#[test]
fn calls_that_compile_nothing_are_as_without() {
    let directory = directory("a.c", HUNDRED);
    let at = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    at("s.s", ".text\n");
    at("S.S", "#define X .text\nX\n");
    at("h.h", "int f(void);\n");
    at("words.rsp", "-E a.c -DA=\"a b\"\n");
    for major in majors() {
        let clang = format!("clang-{major}");
        let run = |through: bool, arguments: &[&str]| {
            let mut command = if through { ompchunk(&["cc"]) } else { clean(&clang) };
            finish(command.args(arguments).env("OMPCHUNK_CC", &clang).current_dir(&directory))
        };
        assert_eq!(run(true, &["-fopenmp", "-c", "a.c", "-o", "a.o"]).0, Some(0));
        for arguments in [
            &["-Werror", "-Weverything", "-fopenmp", "a.o", "-o", "a"][..],
            &["-Werror", "-shared", "a.o", "-o", "a.so"],
            &["-Werror", "-Weverything", "-c", "s.s"],
            &["-Werror", "-c", "S.S"],
            &["-Werror", "-E", "a.c"],
            &["-Werror", "-M", "a.c"],
            &["-Werror", "-fsyntax-only", "a.c"],
            &["-Werror", "-x", "c-header", "h.h", "-o", "h.pch"],
            &["@words.rsp"],
            &["--version"],
            &["-v"],
            &["-dumpversion"],
            &["-dumpmachine"],
            &["-print-search-dirs"],
            &["-print-prog-name=ld"],
            &["-cc1", "-version"],
        ] {
            let alone = run(false, arguments);
            assert_eq!(alone.0, Some(0), "{arguments:?}: {}", alone.2);
            assert_eq!(alone, run(true, arguments), "{arguments:?}");
        }
        let shown = run(true, &["-###", "-c", "a.c"]);
        assert!(shown.2.contains("-fpass-plugin="), "{shown:?}");
    }
}

/// The compiler's own help, after a line that says whose command this is.
#[test]
fn help_is_introduced() {
    for (command, driver, variable) in
        [("cc", "clang", "OMPCHUNK_CC"), ("c++", "clang++", "OMPCHUNK_CXX"), ("fc", "flang", "OMPCHUNK_FC")]
    {
        for major in common::majors_of(driver) {
            let compiler = format!("{driver}-{major}");
            let alone = succeed(clean(&compiler).arg("--help"));
            let help = |switch: &str, words: &[&str]| {
                let mut help = ompchunk(&[command]);
                let help = help.args(words).env(variable, &compiler);
                succeed(help.env("OMPCHUNK", switch))
            };
            let said = help("", &["--help"]);
            let (line, rest) = said.split_once('\n').unwrap();
            let wanted = format!("ompchunk {command}: {compiler} with the plugin for LLVM {major} (");
            assert!(line.starts_with(&wanted), "{line}");
            assert_eq!(rest, alone);
            // Only help is, and only with the plugin.
            assert_eq!(help("off", &["--help"]), alone);
            assert!(!help("", &["--version"]).contains("ompchunk"));
        }
    }
    // The line leads somewhere.
    let text = succeed(&mut ompchunk(&["help", "cc"]));
    must_say(&text, "OMPCHUNK=off");
}

#[test]
fn off_gives_the_compilers_own_object() {
    let directory = directory("a.c", HUNDRED);
    let arguments = ["-O2", "-g", "-fopenmp", "-c", "a.c", "-o"];
    for major in majors() {
        let clang = format!("clang-{major}");
        let object = |name: &str| std::fs::read(directory.path().join(name)).unwrap();
        succeed(clean(&clang).args(arguments).arg("alone.o").current_dir(&directory));
        for (switch, name) in [("off", "off.o"), ("on", "on.o"), ("", "unset.o")] {
            succeed(
                ompchunk(&["cc"])
                    .args(arguments)
                    .arg(name)
                    .env("OMPCHUNK_CC", &clang)
                    .env("OMPCHUNK", switch)
                    .current_dir(&directory),
            );
        }
        assert!(object("alone.o") == object("off.o"));
        assert!(object("alone.o") != object("on.o"));
        assert!(object("on.o") == object("unset.o"));
    }
}

#[test]
fn cpp_and_fortran_are_instrumented() {
    let cpp = "namespace n { void f(int k) {\n#pragma omp parallel for schedule(static, 2)\n\
               for (int i = 5; i < k; i++) __asm__ volatile(\"\"); } }\n";
    let fortran = "subroutine g(a)\n  integer :: i, a(9)\n!$omp parallel do schedule(static,2)\n  \
                   do i = 5, 9\n    a(i) = i\n  end do\nend subroutine\n";
    let directory = directory("a.cpp", cpp);
    std::fs::write(directory.path().join("a.f90"), fortran).unwrap();
    let mut cases = vec![("clang++", "c++", "OMPCHUNK_CXX", "a.cpp", "n::f")];
    if !majors_of("flang").is_empty() {
        cases.push(("flang", "fc", "OMPCHUNK_FC", "a.f90", "g"));
    }
    for (driver, command, variable, source, function) in cases {
        for major in majors_of(driver) {
            succeed(
                ompchunk(&[command, "-g", "-fopenmp", "-c", source, "-o", "a.o"])
                    .env(variable, format!("{driver}-{major}"))
                    .current_dir(&directory),
            );
            let loops = succeed(ompchunk(&["loops", "a.o"]).current_dir(&directory));
            let words: Vec<&str> = loops.split_whitespace().collect();
            let expected = format!(" {function} schedule(static,2) 2 5 1 yes");
            assert!(words.join(" ").ends_with(&expected), "{loops}");
        }
    }
}

/// flang asks the runtime for the iterations 1 to n of a loop that is dispatched, clang for 0 to n - 1: recorded they are the same.
#[test]
fn chunks_that_flang_dispatches_count_from_0() {
    const LOOP: &str = "program p\n  integer :: i\n  real(8) :: x(60)\n!$omp parallel do schedule(SCHEDULE)\n  \
        do i = 1, 60\n    x(i) = sqrt(real(i, 8))\n  end do\n  print *, x(60)\nend program\n";
    for major in majors_of("flang") {
        for schedule in ["dynamic", "guided", "runtime"] {
            let directory = directory("a.f90", &LOOP.replace("SCHEDULE", schedule));
            let mut compile = ompchunk(&["fc", "-g", "-fopenmp", "a.f90", "-o", "a"]);
            succeed(compile.env("OMPCHUNK_FC", format!("flang-{major}")).current_dir(&directory));
            for options in [&[][..], &["--bookkeeping"], &["--profile"]] {
                let record = [&["record", "--force", "-o", "trace"], options, &["./a"]].concat();
                succeed(ompchunk(&record).env("OMP_NUM_THREADS", "2").current_dir(&directory));
                let rows = succeed(ompchunk(&["export", "--csv", "-", "trace"]).current_dir(&directory));
                let (titles, rows) = rows.split_once('\n').unwrap();
                let column = |row: &str, name: &str| -> u64 {
                    let at = titles.split(',').position(|title| title == name).expect(titles);
                    row.split(',').nth(at).unwrap().parse().expect(row)
                };
                let mut chunks: Vec<[u64; 4]> = rows
                    .lines()
                    .map(|row| ["lower", "iterations", "first", "last"].map(|name| column(row, name)))
                    .collect();
                chunks.sort_unstable();
                let mut next = 0;
                for [lower, iterations, first, last] in chunks {
                    assert_eq!(
                        [lower, first, last],
                        [next, next + 1, next + iterations],
                        "{schedule} {options:?}: {rows}"
                    );
                    next += iterations;
                }
                assert_eq!(next, 60, "{schedule} {options:?}: {rows}");
                let advice = succeed(ompchunk(&["advise", "trace"]).current_dir(&directory));
                assert!(!advice.contains("not complete"), "{schedule} {options:?}: {advice}");
            }
        }
    }
}

/// Makefiles that look for clang in the compiler's name, or ask `which` for it, and CMake: a compiler in one word.
#[test]
fn build_systems_find_a_compiler_in_one_word() {
    const MAKEFILES: [&str; 3] = [
        // As XSBench has it.
        "ifneq (,$(findstring clang,$(CC)))\nCFLAGS += -fopenmp\nendif\napp: app.c\n\t$(CC) $(CFLAGS) $< -o $@\n",
        // As CoMD has it.
        "ifeq (,$(shell which $(CC)))\n$(error no compiler)\nendif\napp: app.c\n\t$(CC) -fopenmp $< -o $@\n",
        // As autotools have it: is the compiler's name one word that can be run?
        "app: app.c\n\ttest -x \"$$(command -v $(CC))\" && \"$(CC)\" -fopenmp $< -o $@\n",
    ];
    let bin = tempfile::tempdir().unwrap();
    let compiler = bin.path().join("ompchunk-clang");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ompchunk"), &compiler).unwrap();
    for makefile in MAKEFILES {
        let directory = directory("app.c", HUNDRED);
        std::fs::write(directory.path().join("Makefile"), makefile).unwrap();
        let mut make = clean("make");
        let compile = make.arg(format!("CC={}", compiler.display())).env("OMPCHUNK_LIBDIR", dist().join("lib"));
        succeed(compile.current_dir(&directory));
        let loops = succeed(ompchunk(&["loops", "app"]).current_dir(&directory));
        must_say(&loops, "static,1");
    }
}

#[test]
fn the_newest_compiler_with_a_plugin_is_the_default() {
    let newest = majors()[0];
    let alone = succeed(clean(format!("clang-{newest}")).arg("--version"));
    assert_eq!(succeed(&mut ompchunk(&["cc", "--version"])), alone);
    assert_eq!(succeed(ompchunk(&["cc", "--version"]).env("OMPCHUNK", "off")), alone);
}

#[test]
fn what_cannot_work_is_said_once_with_the_next_step() {
    let newest = majors()[0];
    let directory = tempfile::tempdir().unwrap();
    let old = fake(directory.path(), "clang version 3.4.1");
    let complain = |variable: &str, value: &OsStr| {
        let (code, stderr) = fail(ompchunk(&["cc", "-c", "a.c"]).env(variable, value));
        assert_eq!(code, 1, "{stderr}");
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{stderr}");
        assert!(lines[0].starts_with("ompchunk: "), "{stderr}");
        assert!(lines[1].starts_with("ompchunk: next: "), "{stderr}");
        stderr
    };
    let gcc = complain("OMPCHUNK_CC", "gcc".as_ref());
    must_say(&gcc, "gcc is no clang or flang");
    must_say(&gcc, &format!("OMPCHUNK_CC=clang-{newest}"));
    let old = complain("OMPCHUNK_CC", &old);
    must_say(&old, "is of LLVM 3, but the plugins in");
    let none = complain("OMPCHUNK_CC", "no-such-compiler".as_ref());
    must_say(&none, "names no program");
    let ourselves = complain("OMPCHUNK_CC", env!("CARGO_BIN_EXE_ompchunk").as_ref());
    must_say(&ourselves, "names ompchunk itself");
    let typo = complain("OMPCHUNK", "of".as_ref());
    must_say(&typo, "OMPCHUNK=of is neither on nor off");
    let empty = complain("OMPCHUNK_LIBDIR", directory.path().as_os_str());
    must_say(&empty, "found no plugin");
}
