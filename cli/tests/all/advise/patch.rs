//! `ompchunk advise --patch`: a diff that git takes, of the sources that the run was compiled from.

use std::fs::File;
use std::process::Output;
use std::time::{Duration, SystemTime};

use super::made::{Made, unchunked};
use super::*;

const SOURCE: &str = "void f(int n) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) work(i);\n}\n";

/// Made traces say that they were recorded in the first second of 1970 or later: a source is older if it is of 1969.
const OLDER: SystemTime = SystemTime::UNIX_EPOCH;

/// A trace of a loop in line 10 that should be dealt, with this source around that line.
fn triangle(source: &str, changed: SystemTime) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 4, &[unchunked(0, "work")]);
    for _ in 0..8 {
        made.execute(0, 1000, 25, |i, _| (1000 - i) as f64);
    }
    made.finish();
    let file = directory.path().join("src/a.c");
    std::fs::create_dir(directory.path().join("src")).unwrap();
    std::fs::write(&file, "\n".repeat(8) + source).unwrap();
    let file = File::options().append(true).open(&file).unwrap();
    file.set_modified(changed - Duration::from_secs(1)).unwrap();
    directory
}

fn patch(directory: &Path) -> Output {
    let mut advise = advise(directory, &["--patch"]);
    let output = advise.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn git_takes_what_is_advised() {
    let directory = triangle(SOURCE, OLDER);
    let output = patch(directory.path());
    let diff = String::from_utf8(output.stdout).unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let clause = json(directory.path(), &[])["loops"][0]["clause"].clone();
    let clause = clause.as_str().unwrap();
    std::fs::write(directory.path().join("advice.patch"), &diff).unwrap();
    let mut git = clean("git");
    git.args(["apply", "advice.patch"]).current_dir(directory.path());
    succeed(&mut git);
    let after = std::fs::read_to_string(directory.path().join("src/a.c")).unwrap();
    let expected = SOURCE.replace("parallel for", &format!("parallel for {clause}"));
    assert_eq!(after, "\n".repeat(8) + &expected);
    // The file is another one now, and the trace is of the old one.
    let said = String::from_utf8(patch(directory.path()).stderr).unwrap();
    must_say(&said, "it was changed after the run began");
}

#[test]
fn what_cannot_be_changed_is_named() {
    for (source, why) in [
        ("\nPARALLEL_FOR\n", "there is no OpenMP directive in the line"),
        ("\n#pragma omp parallel for SCHEDULED\n", "'scheduled' is not a directive or clause"),
        ("", "the file has no such line"),
    ] {
        let directory = triangle(source, OLDER);
        let output = patch(directory.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("src/a.c:10 stays as it is") && said.contains(why), "{said}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let directory = triangle(SOURCE, OLDER);
    std::fs::remove_file(directory.path().join("src/a.c")).unwrap();
    let said = String::from_utf8(patch(directory.path()).stderr).unwrap();
    must_say(&said, "src/a.c stays as it is: No such file");
}

#[test]
fn nothing_to_change() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 4, &[unchunked(0, "work")]);
    for _ in 0..8 {
        made.execute(0, 1000, 25, |_, _| 10.0);
    }
    made.finish();
    let output = patch(directory.path());
    let said = String::from_utf8_lossy(&output.stderr);
    must_say(&said, "no schedule is advised");
    assert!(output.stdout.is_empty(), "{output:?}");
}
