//! `ompchunk scale`: real programs with one and two threads. What they lose is told apart as far as the machine lets it, and what cannot
//! be compared is said by name.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::common::{self, fail, finish, majors, must_say, ompchunk, succeed};

/// A loop per function, and each argument one of them, or something that a program does. All iterations are chains of operations that wait
/// for each other, so that what another thread does beside them makes them no dearer; but for `shares`, whose threads write to
/// neighbouring words of one line of the cache.
const PROGRAM: &str = "#include <stdio.h>
#include <string.h>
int omp_get_max_threads(void);
static double a[1024];
static struct { char before[128]; volatile long words[2]; char after[128]; } line __attribute__((aligned(128)));
static void work(int i, int times) { double s = a[i % 1024]; for (int j = 0; j < times; j++) s = s * 0.5 + j; a[i % 1024] = s; }
static void shares(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 6000000; j++) __atomic_fetch_add(&line.words[i], 1, __ATOMIC_SEQ_CST);
}
static void even(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1024; i++) work(i, 20000);
}
static void uneven(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1024; i++) work(i, i < 512 ? 40000 : 1000);
}
static void fixed(void) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 1024; i++) work(i, 2000);
}
static void more(void) {
  int n = 1024 * omp_get_max_threads();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) work(i, 5000);
}
static void dealt(void) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 60000; i++) work(i, 1);
}
int main(int argc, char **argv) {
  for (int at = 1; at < argc; at++) {
    if (!strcmp(argv[at], \"shares\")) shares();
    if (!strcmp(argv[at], \"even\")) even();
    if (!strcmp(argv[at], \"uneven\")) uneven();
    if (!strcmp(argv[at], \"fixed\")) fixed();
    if (!strcmp(argv[at], \"more\")) more();
    if (!strcmp(argv[at], \"dealt\")) dealt();
    if (!strcmp(argv[at], \"prints\")) printf(\"%d\\n\", omp_get_max_threads());
    if (!strcmp(argv[at], \"fails\")) return 3;
    if (!strcmp(argv[at], \"fails-with-2\") && omp_get_max_threads() == 2) return puts(\"no\"), 4;
  }
  return 0;
}
";

/// Lines of the loops.
const SHARES: u64 = 8;
const EVEN: u64 = 13;
const UNEVEN: u64 = 17;
const FIXED: u64 = 21;
const MORE: u64 = 26;

/// One test at a time: they would take each other's cores.
static TURN: Mutex<()> = Mutex::new(());

/// A directory with the program, for one test alone.
struct Built {
    directory: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Built {
    fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn built() -> Built {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = common::built(PROGRAM, majors()[0]);
    Built { directory, _turn: turn }
}

/// The JSON form, of one and two threads unless the words say otherwise.
fn scaled(directory: &Path, words: &[&str]) -> Value {
    let words = [&["scale", "--json", "--threads", "1,2"], words].concat();
    crate::common::json(ompchunk(&words).current_dir(directory))
}

fn at_line(all: &Value, line: u64) -> &Value {
    let loops = all["loops"].as_array().expect("loops");
    let found = loops.iter().find(|the_loop| the_loop["line"] == line);
    found.unwrap_or_else(|| panic!("no loop in line {line}: {all:#}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The share of the larger team's time in which other programs had its cores.
fn taken(the_loop: &Value) -> f64 {
    let team = &the_loop["teams"][1];
    let all = number(&team["seconds"]["middle"]) * number(&team["threads"]);
    number(&team["taken_seconds"]["middle"]) / all
}

/// Where two threads have two cores, each of them waits for the line that the other one writes to.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_shared_line_is_dearer_and_no_imbalance() {
    let built = built();
    let mut quiet = Vec::new();
    for _ in 0..3 {
        let all = scaled(built.path(), &["./app", "shares"]);
        let the_loop = at_line(&all, SHARES);
        let verdict = &the_loop["verdict"];
        assert_ne!(verdict["dominates"], "waiting", "{the_loop:#}");
        let says = verdict["says"].as_str().expect("a sentence");
        assert!(!says.contains("load balance"), "{says}");
        if verdict["dominates"] == "dearer" {
            must_say(says, "false sharing");
            let two = &the_loop["teams"][1];
            assert!(number(&two["work_inflation"]["low"]) > 1.05);
            assert!(number(&two["computational_scalability"]["middle"]) < 0.96);
            return;
        }
        let share = taken(the_loop);
        eprintln!("{:.0} % of the threads' time was taken: {says}", share * 100.0);
        quiet.extend((share < 0.02).then(|| says.to_owned()));
    }
    // If the two seldom have their cores at the same time, they do not meet in the line.
    assert!(quiet.len() < 3, "a quiet machine, and no inflation: {quiet:?}");
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_only_computes_gets_no_dearer() {
    let place = built();
    let all = scaled(place.path(), &["./app", "even"]);
    let the_loop = at_line(&all, EVEN);
    assert_ne!(the_loop["verdict"]["dearer"], "yes", "{the_loop:#}");
    assert_ne!(the_loop["verdict"]["dominates"], "dearer", "{the_loop:#}");
    let [one, two] = [0, 1].map(|at| &the_loop["teams"][at]);
    assert_eq!((&one["threads"], &two["threads"]), (&1.into(), &2.into()));
    assert_eq!(the_loop["compared_by"], "run");
    // Work with two is that with one, in any case within what a loaded machine hides.
    let inflation = number(&two["work_inflation"]["middle"]);
    assert!((0.6..1.6).contains(&inflation), "{the_loop:#}");
    for the_loop in [one, two] {
        let of = |name: &str| number(&the_loop[name]["middle"]);
        let product = of("load_balance") * of("communication_efficiency");
        assert!((of("parallel_efficiency") / product - 1.0).abs() < 0.2, "{the_loop:#}");
    }
    assert!(all["run"][1]["speedup"]["middle"].is_f64(), "{all:#}");
    assert!(all["loops_together"]["teams"][1]["work_inflation"]["middle"].is_f64());
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn imbalance_is_waiting() {
    let built = built();
    let all = scaled(built.path(), &["./app", "uneven"]);
    let the_loop = at_line(&all, UNEVEN);
    let verdict = &the_loop["verdict"];
    assert_eq!(verdict["dominates"], "waiting", "{the_loop:#}");
    let says = verdict["says"].as_str().expect("a sentence");
    assert!(says.starts_with("its threads wait: ") && says.contains("load balance"), "{says}");
    assert!(number(&the_loop["teams"][1]["load_balance"]["middle"]) < 0.75);
}

#[test]
fn teams_count_as_they_are_measured() {
    let built = built();
    let words = ["scale", "-t", "1,2", "--runs", "1", "./app", "fixed"];
    let text = succeed(ompchunk(&words).current_dir(built.path()));
    must_say(&text, "no loop's team follows OMP_NUM_THREADS");
    must_say(&text, "2 threads whatever OMP_NUM_THREADS is");
    must_say(&text, "fewer than 3 runs");
    assert!(!text.contains('→') && !text.contains("all loops together"), "{text}");
    // Beside a loop that does follow, and with another amount of work in each run.
    let all = scaled(built.path(), &["--runs", "3", "./app", "fixed", "more"]);
    assert_eq!(at_line(&all, FIXED)["teams"].as_array().map(Vec::len), Some(1));
    let more = at_line(&all, MORE);
    assert_eq!((&more["compared_by"], &more["teams"][1]["speedup"]), (&"iteration".into(), &Value::Null));
    let said = more["notes"].to_string();
    must_say(&said, "1,024 with 1 thread, 2,048 with 2 threads");
}

#[test]
fn more_threads_than_processors_are_not_compared() {
    let built = built();
    // On one core alone, whatever the machine has.
    let mut command = common::clean("taskset");
    command.args(["-c", "0", env!("CARGO_BIN_EXE_ompchunk"), "scale", "-t", "1,2", "--runs", "1", "./app", "even"]);
    command.env("OMPCHUNK_LIBDIR", common::dist().join("lib"));
    let (code, text, stderr) = finish(command.current_dir(built.path()));
    if code == Some(1) && stderr.contains("taskset") {
        eprintln!("skipped: the first core may not be used: {stderr}");
        return;
    }
    assert_eq!(code, Some(0), "{text}{stderr}");
    must_say(&text, "2 (*) is more threads than the 1 processor");
    let row = text.lines().find(|line| line.trim_start().starts_with("2*"));
    assert!(row.expect("a row").contains('-'), "{text}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let built = built();
    let scale = |words: &[&str]| {
        let words = [&["scale", "--threads", "1,2", "--runs", "2"], words].concat();
        finish(ompchunk(&words).current_dir(built.path()))
    };
    let (code, _, stderr) = scale(&["./app", "fails"]);
    assert_eq!(code, Some(1), "{stderr}");
    must_say(&stderr, "exit status: 3 with OMP_NUM_THREADS=1");
    must_say(&stderr, "next: ");
    let (code, _, stderr) = scale(&["./app", "fails-with-2"]);
    assert_eq!(code, Some(1), "{stderr}");
    must_say(&stderr, "exit status: 4 with OMP_NUM_THREADS=2");
    // Two are left without it.
    let words = ["scale", "-t", "1,2,3", "--runs", "1", "./app", "even", "fails-with-2"];
    let text = succeed(ompchunk(&words).current_dir(built.path()));
    must_say(&text, "OMP_NUM_THREADS=2 is left out: the program ended with exit status: 4");
    let (code, stdout, stderr) = scale(&["./app", "even", "prints"]);
    assert_eq!(code, Some(0), "{stderr}");
    must_say(&stdout, "prints something else: line 1 is '2', before '1'");
    let words = ["scale", "--threads", "4", "./app"];
    let (_, stderr) = fail(ompchunk(&words).current_dir(built.path()));
    assert!(stderr.contains("one team size (4)") && stderr.contains("next: "), "{stderr}");
}

/// Chunks that are not in the trace are in no number, and the reason is said; so is that they may be dearer as the runtime deals them.
#[test]
fn lost_chunks_are_left_out() {
    let built = built();
    let words = ["scale", "-t", "1,2", "--runs", "1", "./app", "dealt"];
    let mut command = ompchunk(&words);
    command.env("OMPCHUNK_RECORD", "max-size=100000");
    let text = succeed(command.current_dir(built.path()));
    must_say(&text, "1 run left out, as some of it is not in the trace");
    assert!(!text.contains("no loop's team follows"), "{text}");
    // What a shell has for other recordings changes nothing.
    let mut command = ompchunk(&["scale", "--json", "-t", "1,2", "--runs", "3", "./app", "dealt"]);
    command.env("OMPCHUNK_RECORD", "aggregate,sample=4");
    let all = crate::common::json(command.current_dir(built.path()));
    let the_loop = &all["loops"][0];
    assert_eq!(the_loop["compared_by"], "run", "{all:#}");
    let says = the_loop["verdict"]["says"].as_str().expect("a sentence");
    let is_dearer = the_loop["verdict"]["dearer"] == "yes";
    assert_eq!(says.contains("where the runtime deals chunks"), is_dearer, "{says}");
}

#[test]
fn programs_without_loops() {
    let built = built();
    let words = ["scale", "-t", "1,2", "--runs", "1", "./app"];
    let (code, stdout, stderr) = finish(ompchunk(&words).current_dir(built.path()));
    // It calls the runtime only if it is told to.
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    must_say(&stderr, "nothing was recorded, so nothing can be compared: ");
    let words = ["scale", "-t", "1,2", "--runs", "1", "./app", "prints"];
    let text = succeed(ompchunk(&words).current_dir(built.path()));
    assert!(text.contains("./app prints ran no OpenMP loop") && text.contains("next: "), "{text}");
    // Without OpenMP, and without the plugin.
    std::fs::write(built.path().join("without.c"), common::HUNDRED).expect("a source");
    let clang = format!("clang-{}", majors()[0]);
    let compile = |words: &[&str]| succeed(common::clean(&clang).args(words).current_dir(built.path()));
    compile(&["without.c", "-o", "without"]);
    let (code, stderr) = fail(ompchunk(&["scale", "-t", "1,2", "./without"]).current_dir(built.path()));
    assert_eq!(code, 1);
    must_say(&stderr, "./without is linked with none, as what is compiled without -fopenmp");
    assert_eq!(stderr.matches("next: ").count(), 1, "{stderr}");
    compile(&["-O1", "-g", "-fopenmp", "app.c", "-o", "plain"]);
    let text = succeed(ompchunk(&["scale", "-t", "1,2", "--runs", "1", "./plain", "even"]).current_dir(built.path()));
    must_say(&text, "app.c:13 in even, schedule(static)\n");
}

#[test]
fn traces_and_pages() {
    let built = built();
    let words = ["scale", "-t", "1,2", "--runs", "2", "-o", "kept", "--html", "page.html", "./app", "even"];
    let text = succeed(ompchunk(&words).current_dir(built.path()));
    assert!(text.ends_with("page.html\n"), "{text}");
    let page = std::fs::read_to_string(built.path().join("page.html")).expect("a page");
    assert_eq!(page.matches("<svg").count(), 3, "{page}");
    assert!(!page.contains("<!--") && !page.contains("NaN") && !page.contains("http://"), "{page}");
    for trace in ["threads-1.run-1", "threads-2.run-2"] {
        let trace = format!("kept/{trace}");
        let report = succeed(ompchunk(&["report", &trace]).current_dir(built.path()));
        must_say(&report, "app.c");
    }
    // Nothing of somebody else's is written over, and nothing is measured in vain.
    let (_, stderr) = fail(ompchunk(&words).current_dir(built.path()));
    must_say(&stderr, "kept is there and not empty");
    let words = ["scale", "-t", "1,2", "--html", "none/page.html", "./app", "even"];
    let (_, stderr) = fail(ompchunk(&words).current_dir(built.path()));
    must_say(&stderr, "mkdir -p none");
}
