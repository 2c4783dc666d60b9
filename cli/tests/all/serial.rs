//! Functions of serial code, from sampled stacks: a program of which it is known how its serial time is shared, and what is said where
//! that is not known.

use std::path::Path;

use serde_json::Value;

use crate::common::recorded::report;
use crate::common::{self, clean, majors, must_say, number, ompchunk, succeed};

/// Between regions `thrice` takes three times what `once` does, both called from `phase`, and after them the program sleeps. It works before the
/// runtime begins, too, which it does with the function that has the regions. Numbers of iterations say how long each takes, and samples go by CPU time, so other programs change nothing of it.
const PROGRAM: &str = "#include <unistd.h>
#define ALONE static __attribute__((noinline)) void
#define WORK(n) double x = 1; \\
  for (long i = 0; i < n; i++) x = x * 1.0000001 + 1e-9; \\
  __asm__ volatile(\"\" : : \"r\"(&x) : \"memory\")
ALONE thrice(void) { WORK(6000000L); }
ALONE once(void) { WORK(2000000L); }
ALONE early(void) { WORK(60000000L); }
ALONE phase(void) {
  thrice();
  once();
  usleep(5000);
  __asm__ volatile(\"\");
}
ALONE rest(void) {
  for (int k = 0; k < 40; k++) {
#pragma omp parallel num_threads(2)
    { WORK(200000L); }
    phase();
  }
}
int main(void) {
  early();
  rest();
  return 0;
}
";

/// Compiles the program; `strip` takes its names away.
fn compile(directory: &Path, strip: bool) {
    std::fs::write(directory.join("app.c"), PROGRAM).unwrap();
    common::compile(directory, majors()[0], "-O2 -g -fopenmp app.c -o app");
    if strip {
        succeed(clean("strip").arg("app").current_dir(directory));
    }
}

fn record(directory: &Path, options: &[&str]) {
    let words = [&["record", "-o", "t"], options, &["./app"]].concat();
    succeed(ompchunk(&words).current_dir(directory));
}

fn serial_functions(directory: &Path) -> Value {
    let value: Value = serde_json::from_str(&report(directory, &["--json"])).unwrap();
    value["run"]["serial_functions"].clone()
}

fn sentence(directory: &Path) -> String {
    let text = report(directory, &[]);
    let mut lines = text.lines().skip_while(|line| !line.contains("serial code"));
    lines.nth(1).unwrap_or_else(|| panic!("{text}")).to_owned()
}

fn share(functions: &Value, name: &str) -> f64 {
    let all = functions.as_array().unwrap();
    let found = all.iter().filter(|function| function["function"] == name);
    found.map(|function| number(function, "share")).sum()
}

/// How far a share of so many samples may be off: four standard deviations, and something for what is no chance.
fn tolerance(share: f64, samples: f64) -> f64 {
    4.0 * (share * (1.0 - share) / samples).sqrt() + 0.03
}

#[test]
fn functions_have_their_share_of_serial_time() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    compile(place, false);
    record(place, &["--sample-stacks"]);
    let found = serial_functions(place);
    let samples = number(&found, "samples");
    assert!(samples >= 40.0, "{found}");
    for (name, expected) in [("thrice", 0.75), ("once", 0.25)] {
        let share = share(&found["functions"], name);
        let off = (share - expected).abs();
        assert!(off <= tolerance(expected, samples), "{name}: {found}");
    }
    assert!(share(&found["outermost"], "rest") > 0.9, "{found}");
    assert_eq!(share(&found["functions"], "early"), 0.0, "{found}");

    let functions = found["functions"].as_array().unwrap();
    let sum = |name: &str| functions.iter().map(|function| number(function, name)).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-9, "{found}");
    assert!((sum("samples") - samples).abs() < 0.5, "{found}");
    let seconds = number(&found, "seconds");
    assert!((sum("seconds") - seconds).abs() < 1e-6 * seconds, "{found}");
    // It sleeps 40 times 5 ms.
    assert!(number(&found, "off_core_seconds") > 0.18, "{found}");

    let said = sentence(place);
    must_say(&said, " stacks sampled there ");
    must_say(&said, "% are in thrice (app.c), ");
    must_say(&said, "% are in rest (app.c) or what it calls");
    must_say(&said, "where no stack is sampled");
    must_say(&said, "none could be sampled before the OpenMP runtime began");
    assert!(!said.contains("--sample-stacks"), "{said}");
    let page = report(place, &["--html", "-"]);
    assert!(page.contains("are in thrice (app.c)"), "not on the page");

    common::are_documented(found.as_object().unwrap().keys());
    common::are_documented(functions[0].as_object().unwrap().keys());
}

/// What has no symbols is in a program, and in no function of it.
#[test]
fn without_symbols_no_function_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    compile(place, true);
    record(place, &["--sample-stacks"]);
    let found = serial_functions(place);
    assert!(number(&found, "samples") >= 40.0, "{found}");
    let functions = found["functions"].as_array().unwrap();
    let of_program = functions.iter().filter(|function| {
        let object = function["object"].as_str().unwrap_or_default();
        object.ends_with("/app")
    });
    let of_program: Vec<&Value> = of_program.collect();
    assert!(of_program.iter().all(|function| function["function"].is_null()), "{found}");
    let share: f64 = of_program.iter().map(|function| number(function, "share")).sum();
    assert!(share > 0.9, "{found}");
    let outermost = found["outermost"].as_array().unwrap();
    assert!(outermost.iter().all(|function| function["function"].is_null()), "{found}");
    let said = sentence(place);
    must_say(&said, "% are in app, where no function has a known name");
}

#[test]
fn few_samples_name_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    compile(place, false);
    record(place, &["--sample-stacks=5"]);
    let found = serial_functions(place);
    let samples = number(&found, "samples");
    let said = sentence(place);
    assert!(samples < 20.0, "{found}");
    assert!(!said.contains("thrice") && !said.contains("rest ("), "{said}");
    let expected = match samples as u64 {
        0 => "no stack was sampled there",
        _ => "too few to name functions",
    };
    must_say(&said, expected);
    // Without stacks the command that has them is named.
    std::fs::remove_dir_all(place.join("t")).unwrap();
    record(place, &[]);
    assert_eq!(serial_functions(place), Value::Null);
    let said = sentence(place);
    must_say(&said, "ompchunk record --sample-stacks shows its functions");
}
