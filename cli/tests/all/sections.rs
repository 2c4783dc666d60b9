//! `sections` are recorded, reported and exported like a loop whose chunks are sections, each once; and no schedule is thought of.

use std::collections::BTreeMap;

use serde_json::Value;
use tempfile::TempDir;

use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{self, directory, majors, ompchunk, succeed};

/// Sections that run ten times; those of another file, which the plugin does not see, run within one of them.
const PROGRAM: &str = "void unseen(void);
static void work(long n) { for (volatile long i = 0; i < n; i++) ; }
int main(void) {
  for (int time = 0; time < 10; time++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
      {
#pragma omp section
        work(100000);
#pragma omp section
        unseen();
#pragma omp section
        work(2000);
      }
#pragma omp for schedule(static, 2)
      for (int i = 0; i < 8; i++) work(100);
    }
  }
  return 0;
}
";

const UNSEEN: &str = "static volatile int sink;
void unseen(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp sections
    {
#pragma omp section
      sink = 1;
#pragma omp section
      sink = 2;
    }
#pragma omp for
    for (int i = 0; i < 4; i++) sink = i;
  }
}
";

fn program() -> TempDir {
    let place = directory("app.c", PROGRAM);
    std::fs::write(place.path().join("unseen.c"), UNSEEN).unwrap();
    let clang = format!("clang-{}", majors()[0]);
    let mut unseen = common::clean(&clang);
    unseen.args(["-O2", "-g", "-fopenmp", "-c", "unseen.c"]);
    succeed(unseen.current_dir(place.path()));
    let words = ["cc", "-O2", "-g", "-fopenmp", "app.c", "unseen.o", "-o", "app"];
    let mut command = ompchunk(&words);
    command.env("OMPCHUNK_CC", clang);
    succeed(command.current_dir(place.path()));
    place
}

/// Records it, on that runtime if there is one.
fn record(place: &TempDir, options: &[&str], runtime: Option<&Runtime>) {
    let mut command = ompchunk(&["record", "--force", "-o", "t"]);
    if let Some(runtime) = runtime {
        runtime.serve(&mut command);
    }
    succeed(command.args(options).arg("./app").current_dir(place.path()));
}

fn said(place: &TempDir, words: &[&str]) -> String {
    succeed(ompchunk(words).current_dir(place.path()))
}

fn sections_of(place: &TempDir) -> Value {
    let report: Value = serde_json::from_str(&said(place, &["report", "--json", "t"])).unwrap();
    let loops = report["loops"].as_array().unwrap().clone();
    let is_ours = |the_loop: &Value| the_loop["construct"] == "sections";
    let mut sections = loops.into_iter().filter(is_ours);
    let ours = sections.next().expect("sections");
    assert!(sections.next().is_none(), "those of the other file, too");
    ours
}

#[test]
fn each_section_is_a_chunk_however_it_is_recorded() {
    let place = program();
    for options in [&[][..], &["--bookkeeping"], &["--sample", "3"], &["--aggregate"]] {
        record(&place, options, None);
        let sections = sections_of(&place);
        assert_eq!(sections["chunks"], 30, "{options:?}: {sections}");
        assert_eq!(sections["iterations"], 30, "{options:?}: {sections}");
        assert_eq!(sections["line"], 7, "{options:?}: {sections}");
        assert_eq!(sections["schedule"], "sections", "{options:?}: {sections}");
    }
}

#[test]
fn each_runtime_s_sections_are_exported_by_number() {
    let place = program();
    for runtime in runtimes::two() {
        record(&place, &[], Some(&runtime));
        let mut counts = BTreeMap::new();
        let _ = std::fs::remove_file(place.path().join("rows"));
        said(&place, &["export", "t", "--to", "json", "rows"]);
        let rows = std::fs::read_to_string(place.path().join("rows")).unwrap();
        for line in rows.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if row["line"] == 7 {
                assert_eq!(row["iterations"], 1, "{row}");
                *counts.entry(row["lower"].as_u64().unwrap()).or_insert(0) += 1;
            }
        }
        assert_eq!(counts, BTreeMap::from([(0, 10), (1, 10), (2, 10)]), "{}", runtime.name);
    }
}

#[test]
fn a_report_says_sections_and_no_schedule_for_them() {
    let place = program();
    record(&place, &[], None);
    let report = said(&place, &["report", "--loop", "app.c:7", "t"]);
    assert!(report.contains("in loops and sections"), "{report}");
    let (_, about) = report.split_once("\nloop ").expect("what is said of them");
    assert!(about.contains("sections, 10 runs of 3 sections on 2 threads"), "{about}");
    assert!(!about.contains("schedule("), "{about}");
    record(&place, &["--profile"], None);
    let advice: Value = serde_json::from_str(&said(&place, &["advise", "--json", "t"])).unwrap();
    let all = advice["loops"].as_array().unwrap();
    let ours = all.iter().find(|one| one["line"] == 7).expect("the sections");
    assert_eq!(ours["advice"], Value::Null, "{ours}");
    let reason = ours["reason"].as_str().unwrap();
    assert!(reason.contains("its iterations are sections"), "{ours}");
    // Nor is one applied.
    let list = said(&place, &["loops", "app"]);
    let line = list.lines().find(|line| line.contains("app.c:7")).unwrap();
    assert!(line.contains("no: its iterations are sections"), "{line}");
    let words = ["record", "--force", "--schedule", "app.c:7=dynamic", "-o", "t", "./app"];
    succeed(ompchunk(&words).current_dir(place.path()));
    assert_eq!(sections_of(&place)["schedule"], "sections");
}
