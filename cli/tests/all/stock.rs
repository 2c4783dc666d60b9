//! Static loops that the plugin did not see: each thread's block as the thread ran it, by all compilers and on all runtimes.

use std::path::Path;

use ompchunk_testkit::compilers::majors_of;
use ompchunk_testkit::{clean, runtimes, succeed};

use crate::common::{self, majors, must_say, ompchunk};

/// Says after each execution, for each thread that has one block and no more, with which iteration that begins and how long it is.
const BLOCKS_C: &str = r#"#include <stdio.h>
int omp_get_thread_num(void);
void omp_set_dynamic(int), omp_set_max_active_levels(int);
typedef struct { int owner[64]; } Owners;
static int threads, sizes;
static void tell(int line, const Owners *o, int n) {
  int first[16], last[16], several[16] = {0};
  for (int t = 0; t < 16; t++) first[t] = last[t] = -1;
  for (int i = 0; i < n; i++) {
    int t = o->owner[i];
    if (first[t] < 0) first[t] = i;
    else if (last[t] != i - 1) several[t] = 1;
    last[t] = i;
  }
#pragma omp critical
  for (int t = 0; t < 16; t++)
    if (first[t] >= 0 && !several[t]) printf("%d %d %d\n", line, first[t], last[t] - first[t] + 1);
}
#define OWN(i) o->owner[i] = omp_get_thread_num()
#define TEXT(...) #__VA_ARGS__
#define LOOP(name, clauses, head, i, iterations)                         \
  static void name(Owners *o, int n) {                                   \
    _Pragma(TEXT(omp parallel for num_threads(threads) clauses)) head OWN(i); \
    tell(__LINE__, o, iterations);                                       \
  }
#define TO_N(i, n) for (int i = 0; i < n; i++)
LOOP(plain, schedule(static), TO_N(i, n), i, n)
LOOP(chunked, schedule(static, sizes), TO_N(i, n), i, n)
LOOP(downward, , for (int i = 3 * n; i > 0; i -= 3), (3 * n - i) / 3, n)
LOOP(wide, , for (unsigned long long i = 1ull << 40; i < (1ull << 40) + n; i++), i - (1ull << 40), n)
LOOP(two, collapse(2), TO_N(i, n) TO_N(j, 3), 3 * i + j, 3 * n)
static void orphaned(Owners *o, int n) {
  int line = __LINE__ + 1;
#pragma omp for schedule(static)
  for (int i = 0; i < n; i++) OWN(i);
#pragma omp single
  tell(line, o, n);
}
static void each(int n) {
  Owners all, *o = &all;
  plain(o, n);
  for (sizes = 1; sizes < 6; sizes++) chunked(o, n);
  downward(o, n);
  wide(o, n);
  two(o, n);
  orphaned(o, n);
#pragma omp parallel num_threads(threads)
  orphaned(o, n);
}
int main(void) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (threads = 1; threads < 5; threads++)
    for (int n = 0; n < 14; n++) each(n);
  threads = 2;
#pragma omp parallel num_threads(2)
  for (int n = 0; n < 6; n++) {
    Owners own;
    plain(&own, n);
  }
  return 0;
}
"#;

/// The same in Fortran, of one thread's team to four threads'.
const BLOCKS_F90: &str = "subroutine run(n, threads)
  integer, external :: omp_get_thread_num
  integer :: n, threads, i, t, owner(64), first, last
  !$omp parallel do schedule(static) num_threads(threads)
  do i = 1, n
    owner(i) = omp_get_thread_num()
  end do
  do t = 0, threads - 1
    first = findloc(owner(1:n), t, 1)
    last = findloc(owner(1:n), t, 1, back=.true.)
    if (first > 0 .and. last - first < count(owner(1:n) == t)) print '(I0,1X,I0,1X,I0)', 4, first - 1, last - first + 1
  end do
end subroutine
program blocks
  integer :: n, threads
  do threads = 1, 4
    do n = 0, 40
      call run(n, threads)
    end do
  end do
end program
";

/// Records `./app`, and compares the blocks in the recording with those that the program says.
fn are_as_run(directory: &Path, runtime: &runtimes::Runtime, orders: &[&str], what: &str) {
    let mut record = ompchunk(&[&["record", "-o", "trace"], orders, &["./app"]].concat());
    record.current_dir(directory).env("OMP_WAIT_POLICY", "passive").env("KMP_WARNINGS", "0");
    let output = runtime.serve(&mut record).output().expect("the command runs");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {errors}");
    let mut ran: Vec<&str> = said.lines().collect();
    ran.sort_unstable();
    succeed(ompchunk(&["export", "--to", "csv", "--table", "chunks", "trace", "chunks.csv"]).current_dir(directory));
    let table = std::fs::read_to_string(directory.join("chunks.csv")).expect("a table");
    let recorded = table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{} {} {}", cells[6], cells[8], cells[9])
    });
    let mut recorded: Vec<String> = recorded.collect();
    recorded.sort_unstable();
    assert!(ran.len() > 50, "{what}: {said}");
    let odd = recorded.iter().zip(&ran).find(|(recorded, ran)| recorded != ran);
    assert!(odd.is_none() && recorded.len() == ran.len(), "{what}: {} of {}, {odd:?}", recorded.len(), ran.len());
    // Nor is it taken for a program of GCC's, which runs regions of one thread in the same way.
    let report = common::json(ompchunk(&["report", "--json", "trace"]).current_dir(directory));
    let mut notes = report["notes"].as_array().expect("notes").iter();
    assert!(notes.all(|note| note["code"] != "gcc"), "{what}: {report}");
    std::fs::remove_dir_all(directory.join("trace")).expect("a recording");
}

#[test]
fn blocks_are_as_the_threads_ran_them() {
    let directory = common::directory("app.c", BLOCKS_C);
    for major in majors() {
        for level in ["-O0", "-O2"] {
            let mut clang = clean(format!("clang-{major}"));
            succeed(clang.args(["-g", level, "-fopenmp", "app.c", "-o", "app"]).current_dir(&directory));
            for runtime in &runtimes::two() {
                let what = format!("clang {major} {level}, {}", runtime.name);
                are_as_run(directory.path(), runtime, &[], &what);
                for order in ["!app.c=balanced", "!app.c=static,2", "!app.c=static"] {
                    if cfg!(target_arch = "x86_64") {
                        are_as_run(directory.path(), runtime, &["--schedule", order], &format!("{what}, {order}"));
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_of_fortran_are_as_the_threads_ran_them() {
    // With a chunk size, flang tells runtimes that a loop without iterations has one.
    let schedules = |major| [(major, "(static)", "n = 0,"), (major, "(static, 3)", "n = 1,")];
    for (major, schedule, least) in majors_of("flang").into_iter().flat_map(schedules) {
        let source = BLOCKS_F90.replace("(static)", schedule).replace("n = 0,", least);
        let directory = common::directory("app.f90", &source);
        let mut flang = clean(format!("flang-{major}"));
        succeed(flang.args(["-g", "-O1", "-fopenmp", "app.f90", "-o", "app"]).current_dir(&directory));
        for runtime in &runtimes::two() {
            for order in ["source", "balanced", "static,2", "static"] {
                if order == "source" || cfg!(target_arch = "x86_64") {
                    let what = format!("flang {major}, {schedule} as {order}, {}", runtime.name);
                    are_as_run(directory.path(), runtime, &["--schedule", &format!("app.f90={order}")], &what);
                }
            }
        }
    }
}

/// flang counts iterations of these from 1, which no number that is said of them shows; and all of each execution is there.
#[test]
fn iterations_of_fortran_are_counted_from_0() {
    const KINDS: [&str; 4] = ["dynamic, 4", "guided, 2", "runtime", "auto"];
    let one = |kind| {
        format!(
            "  !$omp parallel do schedule({kind}) num_threads(2)
  do i = 1, 60
    a(i) = a(i) + i
  end do
"
        )
    };
    let source = format!("  integer :: i\n  real :: a(60) = 0\n{}  print *, sum(a)\nend\n", KINDS.map(one).concat());
    for major in majors_of("flang") {
        let directory = common::directory("app.f90", &source);
        let mut flang = clean(format!("flang-{major}"));
        succeed(flang.args(["-g", "-O1", "-fopenmp", "app.f90", "-o", "app"]).current_dir(&directory));
        for order in ["static", "dynamic,7"] {
            let mut record = ompchunk(&["record", "--force", "-o", "trace", "./app"]);
            succeed(record.current_dir(&directory).env("OMP_SCHEDULE", order));
            let report = common::json(ompchunk(&["report", "--json", "trace"]).current_dir(&directory));
            let loops = report["loops"].as_array().expect("loops");
            assert_eq!(loops.len(), KINDS.len(), "{report}");
            for chunk in loops.iter().flat_map(|it| it["worst_chunks"].as_array().expect("chunks")) {
                assert!(chunk["logical"][1].as_u64() < Some(60), "{order}: {chunk}");
            }
            let advice = common::json(ompchunk(&["advise", "--json", "trace"]).current_dir(&directory));
            for advised in advice["loops"].as_array().expect("loops") {
                let said = format!("{} {}", advised["reason"], advised["notes"]);
                assert!(!said.contains("only a part") && !said.contains("complete"), "{order}: {advised}");
            }
        }
    }
}

/// A loop with a chunk size of which threads have several chunks, and one without.
const SIZES: &str = "#include <stdlib.h>
static volatile long sum;
int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 7;
  for (int run = 0; run < 20; run++) {
    if (argc > 2 && run == 10) size++;
#pragma omp parallel for schedule(static, size) num_threads(2)
    for (int i = 0; i < 1000; i++) sum += i;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 1000; i++) sum += i;
  }
}
";

#[test]
fn loops_have_their_line_and_schedule() {
    let directory = common::directory("sizes.c", SIZES);
    let mut clang = clean(format!("clang-{}", majors()[0]));
    succeed(clang.args(["-g", "-fopenmp", "sizes.c", "-o", "app"]).current_dir(&directory));
    for (words, schedule) in [
        (&["./app", "7"][..], "schedule(static,7)"),
        (&["./app", "7", "changes"], "schedule(static,c)"),
        #[cfg(target_arch = "x86_64")]
        (&["--schedule", "sizes.c:7=static,9", "./app", "7", "changes"], "schedule(static,9)"),
    ] {
        let mut record = ompchunk(&[&["record", "-o", "trace"], words].concat());
        let recorded = record.current_dir(&directory).output().expect("the command runs");
        let said = String::from_utf8_lossy(&recorded.stderr);
        must_say(&said, "2 loops, 40 chunks");
        must_say(&said, "1 loop is only partly seen, as it was compiled without the plugin: sizes.c:7\n");
        let json = common::json(ompchunk(&["report", "--json", "trace"]).current_dir(&directory));
        let loops = json["loops"].as_array().expect("loops");
        let of_line = |line: u64| loops.iter().find(|the_loop| the_loop["line"] == line).expect("a loop of that line");
        assert_eq!(of_line(7)["schedule"], schedule);
        assert_eq!(of_line(9)["schedule"], "schedule(static)");
        assert_eq!(of_line(9)["function"], "main");
        assert_eq!(of_line(9)["chunks"], 40);
        assert_eq!(of_line(9)["iterations"], 20_000);
        assert_eq!(of_line(9)["chunks_complete"], true);
        assert_eq!(of_line(7)["chunks_complete"], false);
        std::fs::remove_dir_all(directory.path().join("trace")).expect("a recording");
    }
}
