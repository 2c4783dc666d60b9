//! Programs of which it is known where their threads' time goes: the first cause that a report names is the true one, what it says
//! adds up, and of none that loses time it says that there is nothing to gain.

use std::process::Command;

use serde_json::Value;

use crate::common::{Busy, built as built_of, clean, dist, majors, must_say, ompchunk, processors, succeed};

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_first_cause_is_the_true_one() {
    for case in cases() {
        let place = recorded(case.body, &[]);
        let text = report(&place, &[]);
        let entries = entries(&text);
        let is_named = |entry: &str| case.cause.split('|').any(|cause| entry.contains(cause));
        let first = entries.first().unwrap_or_else(|| panic!("{}: {text}", case.name));
        // Where other programs take cores away, that may cost more.
        let is_busy = ["were not on a core", "lost their core", "off a core"].iter().any(|said| first.contains(said));
        assert!(is_named(first) || is_busy, "{}: {text}", case.name);
        assert!(entries.iter().any(|entry| is_named(entry)), "{}: {text}", case.name);
        assert!(!text.contains("nothing to gain"), "{}: {text}", case.name);
        adds_up(&report(&place, &["--json"]));
    }
}

/// Sums and losses prove nothing of what they do not hold.
#[test]
fn what_was_not_recorded_is_not_nothing() {
    const UNEVEN: &str = "for (int k = 0; k < 40; k++) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 4000; i++) work(i % 2 ? 2000 : 100);
  }";
    for options in [&["--max-size", "300K"][..], &["--sample", "20"], &["--aggregate"]] {
        let place = recorded(UNEVEN, options);
        let text = report(&place, &[]);
        assert!(!text.contains("nothing to gain"), "{options:?}: {text}");
        assert!(!text.contains("no gain from better balance"), "{options:?}: {text}");
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn more_threads_than_processors_are_said_first() {
    let place = recorded(
        "  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 4; i++) {
#pragma omp parallel for num_threads(4)
    for (int j = 0; j < 40; j++) work(400000);
  }",
        &[],
    );
    let report = adds_up(&report(&place, &["--json"]));
    let processors = report["parts"][0]["processors"].as_f64().unwrap();
    if processors >= 16.0 {
        eprintln!("left out: {processors} processors are enough for 16 threads");
        return;
    }
    let text = self::report(&place, &[]);
    let first = text.lines().skip_while(|line| *line != "what to do").nth(1).unwrap();
    assert!(first.contains("threads are in parallel regions at the same time"), "{text}");
    assert!(!text.contains("other work on the machine"), "{text}");
    assert!(!text.contains("record --profile"), "{text}");
    // Times of loops that run at the same time are no share of the run.
    for the_loop in report["loops"].as_array().unwrap() {
        assert!(the_loop["run_share"].as_f64().is_none_or(|share| share <= 1.01), "{the_loop}");
    }
}

/// Card, hint, page, comparison with itself, advice and tune say the same of a loop: a lock that no schedule helps, or a clause.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn all_that_is_said_of_a_loop_agrees() {
    for (case, named, why) in [
        (case("critical"), "critical section at app.c:", "other threads run, so no prediction holds"),
        (case("a lock inside rand"), "are in rand, ", "at a lock inside it"),
        (case("imbalance"), "threads get the same number of iterations", "works 1.4|works 1.5"),
    ] {
        let place = recorded(case.body, &["--profile", "--sample-stacks"]);
        let (text, page) = (report(&place, &[]), report(&place, &["--html", "-"]));
        let data = adds_up(&report(&place, &["--json"]));
        for hint in data["loops"][0]["hints"].as_array().unwrap() {
            let hint = hint["text"].as_str().unwrap();
            assert!(text.contains(hint) && page.contains(hint), "{hint}\n{text}");
        }
        must_say(&report(&place, &["--diff", "trace"]), "  +0.0 %  ");
        if !entries(&text)[0].contains(named) {
            assert!(text.contains("were not on a core"), "{text}");
            continue;
        }
        let run = |words: &[&str]| succeed(ompchunk(words).current_dir(place.path()));
        let (advice, tune) = (run(&["advise", "trace"]), run(&["tune", "--time", "5", "./app"]));
        assert!(why.split('|').any(|why| advice.contains(why)), "{advice}");
        let writes = advice.contains("  write  schedule(");
        assert_eq!(writes, page.contains("write schedule("), "{advice}");
        assert!(writes || !tune.contains(": faster"), "{advice}{tune}");
    }
}

/// Who waits in a task waits for what it is, and the line says for which.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_critical_section_in_a_task_is_called_so() {
    let place = recorded(
        "#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 400; i++) {
#pragma omp task
    {
#pragma omp critical
      work(200000);
    }
  }",
        &[],
    );
    let report = adds_up(&report(&place, &["--json"]));
    let entries = report["run"]["account"]["entries"].as_array().unwrap();
    let seconds = |code: &str| {
        let entry = entries.iter().find(|entry| entry["code"] == code);
        entry.map_or(0.0, |entry| entry["seconds"].as_f64().unwrap())
    };
    assert!(seconds("critical") > 0.2 * seconds("tasks"), "{report}");
    assert!(seconds("lock") < 0.01 * seconds("critical"), "{report}");
    let [lock] = report["run"]["locks"].as_array().unwrap().as_slice() else {
        panic!("{report}");
    };
    assert_eq!(lock["kind"], "critical section");
    let line = work().lines().count() + 6;
    let at = [format!("app.c:{line}"), format!("app.c:{}", line + 1)];
    assert!(at.iter().any(|at| lock["place"] == at.as_str()), "{lock}");
    assert_eq!(lock["count"], 400, "{lock}");
}

/// What bookkeeping takes is no work, where it was measured.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn dealing_that_was_measured_is_lost() {
    let dealing = case("dealing");
    let place = recorded(dealing.body, &["--bookkeeping"]);
    let report = adds_up(&report(&place, &["--json"]));
    let the_loop = &report["loops"][0];
    let of = |name: &str| the_loop[name].as_f64().unwrap();
    assert!(of("bookkeeping_share") > 0.2, "{the_loop}");
    assert!(of("parallel_efficiency") < 0.85, "{the_loop}");
    let lost = of("bookkeeping_seconds") / 2.0;
    assert!(of("lost_seconds") >= 0.9 * lost, "{the_loop}");
}

/// A run is as long as its process, and serial before its first region.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_run_begins_with_the_process() {
    let serial = case("serial");
    let place = recorded(&format!("  work(200000000);\n{}", serial.body), &[]);
    let report = adds_up(&report(&place, &["--json"]));
    let of = |name: &str| report["run"][name].as_f64().unwrap();
    assert!(of("before_seconds") + of("serial_seconds") > 3.0 * of("parallel_seconds"), "{report}");
    let share = report["loops"][0]["run_share"].as_f64().unwrap();
    let seconds = report["loops"][0]["seconds"].as_f64().unwrap();
    let length = of("before_seconds") + of("seconds");
    assert!((share - seconds / length).abs() < 1e-9, "{share}");
}

/// A program that loses by two causes, one time more by the one and one time more by the other.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn of_two_causes_the_larger_one_comes_first() {
    const SERIAL: &str = "serial code";
    const LOOP: &str = "app.c:12";
    for (serial, most, first, second) in [("240000000", "800L", SERIAL, LOOP), ("60000000", "8000L", LOOP, SERIAL)] {
        let body = format!(
            "  work({serial});
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 400; i++) work({most} * i);"
        );
        let place = recorded(&body, &[]);
        let text = report(&place, &[]);
        let entries = entries(&text);
        let at = |cause: &str| entries.iter().position(|entry| entry.contains(cause));
        let (one, another) = (at(first), at(second));
        assert!(one.is_some() && another.is_some(), "{text}");
        let is_busy = text.contains("not on a core") || text.contains("lost their core");
        assert!(one < another || is_busy, "{text}");
        adds_up(&report(&place, &["--json"]));
    }
}

const TEXT: &str = include_str!("cases.c");

pub struct Case {
    pub name: &'static str,
    pub body: &'static str,
    pub cause: &'static str,
}

pub fn work() -> &'static str {
    &TEXT[..TEXT.find("//= ").expect("a case")]
}

pub fn cases() -> impl Iterator<Item = Case> {
    TEXT.split("//= ").skip(1).map(|text| {
        let (head, body) = text.split_once('\n').expect("a head");
        let (name, cause) = head.split_once(" => ").expect("its cause");
        Case { name, body, cause }
    })
}

pub fn case(name: &str) -> Case {
    cases().find(|case| case.name == name).expect("a case of that name")
}

pub fn built(body: &str) -> tempfile::TempDir {
    built_of(&format!("{}{body}\n  return 0;\n}}\n", work()), majors()[0])
}

pub fn recorded(body: &str, options: &[&str]) -> tempfile::TempDir {
    let place = built(body);
    let record = [&["record", "-o", "trace"], options, &["./app"]].concat();
    succeed(ompchunk(&record).current_dir(place.path()));
    place
}

/// `ompchunk` with those processors, as `taskset` has them.
pub fn ompchunk_on(processors: &str, words: &[&str]) -> Command {
    let mut command = clean("taskset");
    command
        .args(["-c", processors, env!("CARGO_BIN_EXE_ompchunk")])
        .args(words)
        .env("OMPCHUNK_LIBDIR", dist().join("lib"));
    command
}

pub fn report(place: &tempfile::TempDir, words: &[&str]) -> String {
    succeed(ompchunk(&[&["report", "trace"], words].concat()).current_dir(place.path()))
}

/// The entries of what to do: the line with the loss and the sentence below it.
pub fn entries(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != "what to do").skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let pairs = lines.windows(2).filter(|pair| pair[1].starts_with("  → "));
    pairs.map(|pair| pair.join("\n")).collect()
}

/// Entries and what is unknown, against threads × elapsed time.
pub fn adds_up(json: &str) -> Value {
    let report: Value = serde_json::from_str(json).unwrap();
    let account = &report["run"]["account"];
    let entries = account["entries"].as_array().unwrap_or_else(|| panic!("{account}"));
    let known: f64 = entries.iter().map(|entry| entry["seconds"].as_f64().unwrap()).sum();
    let all = account["thread_seconds"].as_f64().unwrap();
    let unknown = account["unknown_seconds"].as_f64().unwrap();
    assert!((known + unknown - all).abs() <= 0.01 * all, "{account}");
    assert!(unknown <= 0.01 * all, "{account}");
    report
}

const EVEN: &str = "#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 4000; i++) work(200000);";

/// Somebody else has each core half of the time: that, and no schedule, is what the loop loses by.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_hog_is_named_and_not_the_schedule() {
    let processors: Vec<String> = processors().iter().take(2).map(u32::to_string).collect();
    let processors = processors.join(",");
    let place = built(EVEN);
    let hogs = Busy::on(Some(&processors), 3);
    let mut command: Command = ompchunk_on(&processors, &["record", "-o", "trace", "./app"]);
    succeed(command.current_dir(place.path()));
    drop(hogs);
    let text = report(&place, &[]);
    let entries = entries(&text);
    let first = entries.first().unwrap_or_else(|| panic!("{text}"));
    let says = first.contains("were not on a core") || first.contains("lost their core");
    // Where one processor is all there is, the two threads are too many by themselves.
    let is_crowded = text.contains("more than processors") || !processors.contains(',');
    assert!(says || is_crowded, "{text}");
    assert!(!text.contains("nothing to gain"), "{text}");
    adds_up(&report(&place, &["--json"]));
}

/// Work that is shared evenly loses nothing; threads that write to one line of the cache; threads that wait for memory more than they work.
const PROGRAMS: [(&str, &str); 3] = [
    ("even work", EVEN),
    (
        "false sharing",
        "  static struct { char before[128]; volatile long words[2]; char after[128]; } line;
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 20000000; j++) __atomic_fetch_add(&line.words[i], 1, __ATOMIC_SEQ_CST);",
    ),
    (
        "bandwidth",
        "  enum { N = 1 << 23 };
  static double a[N], b[N], c[N];
  for (int k = 0; k < 30; k++) {
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < N; i++) a[i] = b[i] + 3 * c[i];
  __asm__ volatile(\"\" : : \"r\"(a) : \"memory\");
  }",
    ),
];

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_one_recording_cannot_tell_is_said() {
    for (name, body) in PROGRAMS {
        let place = recorded(body, &[]);
        let text = report(&place, &[]);
        // Where other programs take cores away, the loop is named for that.
        let is_theirs = |entry: &String| entry.contains("core") || entry.contains("late");
        let is_busy = entries(&text).iter().any(is_theirs);
        let says = text.contains("one recording cannot tell") && text.contains("ompchunk scale ./app");
        assert!(says || is_busy, "{name}: {text}");
        assert!(says || !text.contains("nothing to gain"), "{name}: {text}");
        assert!(
            !entries(&text).is_empty() || text.contains("nothing to gain by another schedule: the loop loses"),
            "{text}"
        );
        adds_up(&report(&place, &["--json"]));
    }
}

/// OpenBLAS has such a pool.
const POOL: &str = "#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t go, done;
static void work(void) { for (volatile int i = 0; i < 3000000; i++); }
static void *pool(void *nothing) { for (;;) { sem_wait(&go); work(); sem_post(&done); } }
int main(void) {
  pthread_t thread; pthread_create(&thread, 0, pool, 0);
  for (int k = 0; k < 60; k++) {
    sem_post(&go); work(); sem_wait(&done);
#pragma omp parallel num_threads(omp_get_num_procs())
    __asm__ volatile(\"\");
  }
}
";

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn threads_that_spin_beside_another_pool_are_told_to_sleep() {
    let place = built_of(POOL, majors()[0]);
    for (time, spins) in [("200", true), ("0", false)] {
        let mut record = ompchunk(&["record", "--force", "-o", "trace", "./app"]);
        succeed(record.current_dir(place.path()).env("KMP_BLOCKTIME", time));
        let says = report(&place, &[]).contains("KMP_BLOCKTIME=0");
        let others = &adds_up(&report(&place, &["--json"]))["run"]["other_threads"];
        // Where other programs have the cores, no thread spins for long.
        let spun = others["spinning_seconds"].as_f64().unwrap();
        assert!(if says { spins } else { spun < 0.1 }, "{time}: {others}");
    }
}
