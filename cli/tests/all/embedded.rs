//! `ompchunk cc --schedules FILE`: programs that run under schedules of their own, without a variable and without a library.

use std::path::Path;
use std::process::Command;

use ompchunk_testkit::compilers::majors_of;
use ompchunk_testkit::{clean, runtimes, succeed};

use crate::common::{directory, fail, majors, must_say, ompchunk};

/// Says how often its iterations ran otherwise than once, and how often the thread changes from one to the next.
const PROGRAM: &str = "#include <stdio.h>
#ifdef __cplusplus
extern \"C\"
#endif
int omp_get_thread_num(void);
static int hits[1000], who[1000];
int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1000; i++) { hits[i]++; who[i] = omp_get_thread_num(); }
  int wrong = 0, changes = 0;
  for (int i = 0; i < 1000; i++) { wrong += hits[i] != 1; changes += i > 0 && who[i] != who[i - 1]; }
  printf(\"%d %d\\n\", wrong, changes);
  return 0;
}
";

const FORTRAN: &str = "program app
  integer, external :: omp_get_thread_num
  integer :: i, who(1000), changes
  !$omp parallel do num_threads(2)
  do i = 1, 1000
    who(i) = omp_get_thread_num()
  end do
  changes = count(who(2:) /= who(:999))
  print '(I0,1X,I0)', 0, changes
end program
";

const FILE: &str = "# mine\nmain=static,1 ; app.f90=static,1\n";

fn build(at: &Path, language: &str, compiler: (&str, &str), words: &[&str]) {
    let mut command = ompchunk(&[language, "--schedules", "schedules.txt", "-O2", "-g", "-fopenmp"]);
    succeed(command.args(words).env(compiler.0, compiler.1).current_dir(at));
}

/// What it prints where nothing of ompchunk's is near.
fn run(at: &Path, runtime: &runtimes::Runtime, order: Option<&str>) -> String {
    let mut command: Command = clean(at.join("app"));
    command.current_dir("/").env("OMP_WAIT_POLICY", "passive");
    if let Some(order) = order {
        command.env("OMPCHUNK_SCHEDULE", order);
    }
    succeed(runtime.serve(&mut command))
}

#[test]
fn the_program_has_its_schedules() {
    let directory = directory("app.c", PROGRAM);
    let at = directory.path();
    std::fs::write(at.join("app.cc"), PROGRAM).unwrap();
    std::fs::write(at.join("schedules.txt"), FILE).unwrap();
    for major in majors() {
        let [clang, cxx] = ["clang", "clang++"].map(|driver| format!("{driver}-{major}"));
        for way in ["one", "two", "c++"] {
            match way {
                "one" => build(at, "cc", ("OMPCHUNK_CC", &clang), &["app.c", "-o", "app"]),
                "two" => {
                    build(at, "cc", ("OMPCHUNK_CC", &clang), &["-c", "app.c", "-Werror"]);
                    build(at, "cc", ("OMPCHUNK_CC", &clang), &["-Werror", "app.o", "-o", "app", "-fuse-ld=lld"]);
                }
                _ => build(at, "c++", ("OMPCHUNK_CXX", &cxx), &["app.cc", "-o", "app"]),
            }
            for runtime in &runtimes::two() {
                let what = format!("{cxx}, {way}, {}", runtime.name);
                assert_eq!(run(at, runtime, None), "0 999\n", "{what}");
                assert_eq!(run(at, runtime, Some("main=static,500")), "0 1\n", "{what}");
                assert_eq!(run(at, runtime, Some("")), "0 1\n", "{what}");
            }
        }
        must_say(
            &succeed(ompchunk(&["loops", "app"]).current_dir(at)),
            "\nschedules inside, unless OMPCHUNK_SCHEDULE is set:\n# mine\n",
        );
        let listed = crate::common::json(ompchunk(&["loops", "--json", "app"]).current_dir(at));
        assert_eq!(listed["schedules"], FILE);
    }
}

#[test]
fn fortran_has_its_schedules() {
    let directory = directory("app.f90", FORTRAN);
    std::fs::write(directory.path().join("schedules.txt"), FILE).unwrap();
    for major in majors_of("flang") {
        let flang = format!("flang-{major}");
        build(directory.path(), "fc", ("OMPCHUNK_FC", &flang), &["app.f90", "-o", "app"]);
        for runtime in &runtimes::two() {
            assert_eq!(run(directory.path(), runtime, None), "0 999\n", "{flang}, {}", runtime.name);
        }
    }
}

#[test]
fn mistakes_stop_the_build() {
    let directory = directory("app.c", PROGRAM);
    std::fs::write(directory.path().join("wrong.txt"), "main=fast\n").unwrap();
    for (file, why) in [("nothing.txt", "cannot read nothing.txt"), ("wrong.txt", "line 1 of wrong.txt, 'main=fast'")] {
        let (code, said) =
            fail(ompchunk(&["cc", "--schedules", file, "-fopenmp", "-c", "app.c"]).current_dir(&directory));
        assert_eq!(code, 1, "{said}");
        must_say(&said, why);
    }
}
