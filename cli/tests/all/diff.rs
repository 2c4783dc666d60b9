//! `ompchunk report --diff` of recordings: the same program twice, with twice the work, and beside other programs. A chunk is over when
//! its thread has had its core for so long, so what is asked of the verdict does not depend on what else the machine does.

use std::path::Path;

use serde_json::Value;

use crate::common::{self, Busy, majors, must_say, ompchunk, succeed};

/// Three loops whose executions take some 2 ms of each thread's own time, or as many times that as the argument says. The third is not changed by it.
const PROGRAM: &str = r#"
#include <stdlib.h>
static void in_blocks(long factor) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 8; i++) work(500 * factor);
}
static void dealt(long factor) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 8; i++) work(500 * factor);
}
static void as_before(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 8; i++) work(500);
}
int main(int argc, char **argv) {
  (void)argc;
  long factor = atol(argv[1]);
  for (int run = 0; run < 60; run++) {
    in_blocks(factor);
    dealt(factor);
    as_before();
  }
  return 0;
}
"#;

fn compiled() -> tempfile::TempDir {
    common::built(&[common::WORK, PROGRAM].concat(), majors()[0])
}

fn record(directory: &Path, trace: &str, factor: &str) {
    let mut record = ompchunk(&["record", "-o", trace, "./app", factor]);
    record.env("OMP_NUM_THREADS", "2").env("OMP_DYNAMIC", "false");
    succeed(record.current_dir(directory));
}

fn compared(directory: &Path, before: &str, after: &str) -> Value {
    let text = succeed(ompchunk(&["report", after, "--diff", before]).current_dir(directory));
    println!("{text}");
    let json = ["report", "--json", after, "--diff", before];
    let found = crate::common::json(ompchunk(&json).current_dir(directory));
    for sentence in found["summary"].as_array().unwrap() {
        must_say(&text, sentence.as_str().unwrap());
    }
    assert_eq!(found["loops"].as_array().unwrap().len(), 3, "{text}");
    found
}

fn verdict<'d>(found: &'d Value, function: &str) -> &'d str {
    let mut loops = found["loops"].as_array().unwrap().iter();
    let pair = loops.find(|pair| pair["after"]["function"] == function);
    pair.unwrap()["change"]["verdict"].as_str().unwrap()
}

fn says_no_change(found: &Value) {
    for function in ["in_blocks", "dealt", "as_before"] {
        let verdict = verdict(found, function);
        assert!(!["slower", "faster"].contains(&verdict), "{function}: {found:#}");
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_same_program_is_neither_slower_nor_faster() {
    let directory = compiled();
    let at = directory.path();
    record(at, "one", "1");
    record(at, "two", "1");
    says_no_change(&compared(at, "one", "two"));
    {
        let _load = Busy::everywhere();
        record(at, "loaded", "1");
    }
    says_no_change(&compared(at, "one", "loaded"));
    says_no_change(&compared(at, "loaded", "two"));
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn twice_the_work_is_slower() {
    let directory = compiled();
    let at = directory.path();
    // A load that comes or goes between the two contradicts what the loop does; not each time.
    for attempt in 1.. {
        let [before, after] = ["before", "after"].map(|name| format!("{name}-{attempt}"));
        record(at, &before, "1");
        record(at, &after, "2");
        let found = compared(at, &before, &after);
        let changed = ["in_blocks", "dealt"].map(|function| verdict(&found, function));
        assert!(!changed.contains(&"faster"), "{found:#}");
        assert!(!["slower", "faster"].contains(&verdict(&found, "as_before")), "{found:#}");
        if changed == ["slower"; 2] {
            the_gate_says_so(at, &before, &after);
            return;
        }
        assert!(attempt < 10, "{found:#}");
    }
}

/// `--fail-if` after the work was doubled.
fn the_gate_says_so(directory: &Path, before: &str, after: &str) {
    let code = |conditions: &[&str], diff: bool| {
        let mut report = ompchunk(&["report", after]);
        if diff {
            report.args(["--diff", before]);
        }
        for condition in conditions {
            report.args(["--fail-if", condition]);
        }
        let output = report.current_dir(directory).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        println!("{conditions:?}: {said}");
        (output.status.code().unwrap(), said)
    };
    let (slower, said) = code(&["slower>5%"], true);
    assert_eq!(slower, 3);
    must_say(&said, "--fail-if: app.c:");
    // More than any loop became slower; only the one that did not change may be unclear.
    let (none, _) = code(&["slower>900%"], true);
    assert!([0, 4].contains(&none));
    assert_eq!(code(&["slower>900%", "slower"], true).0, 3);
    assert_eq!(code(&["slower"], false).0, 2);
    let (lost, said) = code(&["lost>100%"], false);
    assert!([0, 4].contains(&lost), "{said}");
    assert_eq!(said.is_empty(), lost == 0, "{said}");
    assert_eq!(code(&["lost"], true).0, 2);
}
