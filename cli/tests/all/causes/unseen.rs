//! What looks like work in one recording: iterations that take longer because another thread runs. The report says that it cannot tell.

use super::made::{adds_up, entries, recorded, report};

/// Threads that write to one line of the cache; and threads that wait for memory more than they work.
const PROGRAMS: [(&str, &str); 2] = [
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
        adds_up(&report(&place, &["--json"]));
    }
}
