//! Hot lines of loops, from sampled stacks: what the report says of a loop of which it is known where its time goes; and of files of
//! stacks that are damaged, of another run, or whose program has changed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{self, finish, majors, must_say, ompchunk, succeed};

/// A loop whose time is nearly all in `burn`.
const PROGRAM: &str = "#include <time.h>
static double now(void) {
  struct timespec it;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &it);
  return it.tv_sec + it.tv_nsec * 1e-9;
}
#define ALONE static __attribute__((noinline)) void
ALONE burn(double seconds) {
  double x = 1, end = now() + seconds;
  while (now() < end)
    for (int i = 0; i < 3000; i++)
      x = x * 1.0000001 + 1e-9;
  __asm__ volatile(\"\" : : \"r\"(&x) : \"memory\");
}
int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 40; i++)
    burn(0.03);
  burn(0.05);
  return 0;
}
";

fn record(directory: &Path) -> PathBuf {
    std::fs::write(directory.join("app.c"), PROGRAM).unwrap();
    common::compile(directory, majors()[0], "-O2 -g -fopenmp app.c -o app");
    let mut command = ompchunk(&["record", "--sample-stacks=2000", "-o", "t", "./app"]);
    succeed(command.current_dir(directory));
    directory.join("t")
}

fn report(trace: &Path, words: &[&str]) -> (String, String) {
    let mut command = ompchunk(&["report"]);
    let (status, text, said) = finish(command.args(words).arg(trace));
    assert_eq!(status, Some(0), "{said}");
    (text, said)
}

fn hot(trace: &Path) -> (Value, String) {
    let (text, said) = report(trace, &["--json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    (value["loops"][0]["hot_lines"].clone(), said)
}

#[test]
fn lines_have_their_share() {
    let directory = tempfile::tempdir().unwrap();
    let trace = record(directory.path());
    let (found, said) = hot(&trace);
    assert!(said.is_empty(), "{said}");
    let samples = found["samples"].as_u64().unwrap();
    assert!(samples >= 40, "{found}");
    let lines = found["lines"].as_array().unwrap();
    let sum = |key: &str, is_meant: &dyn Fn(&&Value) -> bool| -> f64 {
        let meant = lines.iter().filter(is_meant);
        meant.map(|line| line[key].as_f64().unwrap()).sum()
    };
    assert!((sum("share", &|_| true) - 1.0).abs() < 1e-9, "{found}");
    let counted: u64 = lines.iter().map(|line| line["samples"].as_u64().unwrap()).sum();
    assert_eq!(counted, samples);
    let seconds = sum("seconds", &|_| true);
    let all = found["seconds"].as_f64().unwrap();
    let without = found["unsampled_seconds"].as_f64().unwrap();
    assert!((seconds + without - all).abs() < 1e-6 * all, "{found}");
    let works = |line: &&Value| line["function"] == "burn" || line["function"] == "now";
    assert!(sum("share", &works) > 0.9, "nothing else takes time: {found}");
    for line in lines {
        let [low, high] = [0, 1].map(|at| line["between"][at].as_f64().unwrap());
        let share = line["share"].as_f64().unwrap();
        assert!(low <= share && share <= high && high - low > 0.001, "{line}");
    }
    assert!(found["called"]["function"].as_str().unwrap().contains("clock_gettime"), "{found}");
    let (text, _) = report(&trace, &[]);
    must_say(&text, "  hot lines, from ");
    assert!(text.contains("app.c:") && text.contains("burn"), "{text}");
    common::are_documented(found.as_object().unwrap().keys());
    common::are_documented(lines[0].as_object().unwrap().keys());
}

#[test]
fn what_is_missing_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let trace = record(directory.path());
    let files = std::fs::read_dir(&trace).unwrap().map(|dir| dir.unwrap().path());
    let stacks = files.filter(|file| file.extension().is_some_and(|extension| extension == "stacks"));
    let stacks: Vec<PathBuf> = stacks.collect();
    let [stacks] = &stacks[..] else { panic!("{stacks:?}") };
    let bytes = std::fs::read(stacks).unwrap();

    // Another program has the name by now.
    let app = directory.path().join("app");
    let program = std::fs::read(&app).unwrap();
    std::fs::remove_file(&app).unwrap();
    std::fs::copy("/bin/true", &app).unwrap();
    let (found, said) = hot(&trace);
    must_say(&said, "app: it is no longer the file that was loaded");
    assert!(found["samples"].as_u64().unwrap() > 0, "{found}");
    std::fs::remove_file(&app).unwrap();
    let (_, said) = hot(&trace);
    must_say(&said, "no lines of ");
    std::fs::write(&app, program).unwrap();

    // The end is missing, anywhere.
    for length in [0, 10, 100, 20_000, bytes.len() - 10_000] {
        std::fs::write(stacks, &bytes[..length]).unwrap();
        let (found, said) = hot(&trace);
        let is_there = found["samples"].as_u64().is_some();
        assert!(is_there || found.is_null(), "at {length}: {found}");
        assert!(length > 1000 || said.contains("is cut off in its head"), "at {length}: {said}");
    }
    // It is another recording's.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let at = text.find("\"started\":").unwrap() + "\"started\":".len();
    let mut other = bytes.clone();
    other[at] = if other[at] == b'1' { b'2' } else { b'1' };
    std::fs::write(stacks, &other).unwrap();
    let (found, said) = hot(&trace);
    must_say(&said, "is from a different recording");
    assert!(found.is_null());
    // Without it nothing is said of it.
    std::fs::remove_file(stacks).unwrap();
    let (found, said) = hot(&trace);
    assert!(found.is_null() && said.is_empty(), "{said}");
}
