//! `--loop` and `--rank` mean the same wherever they stand.

use std::collections::BTreeSet;
use std::path::Path;

use ompchunk_trace_format::LoopDefinition;

use ompchunk_testkit::traces::{Maker, definition, meta};

use crate::common::{clean, fail, must_say, succeed};

/// Four ranks with the same three loops, which have other numbers in the odd ones. That in line 40 costs most, that in line 12 least.
fn trace(directory: &Path) {
    for rank in 0..4u64 {
        let mut maker = Maker::new(directory, &format!("rank-{rank}"), &meta(Some(rank)));
        let swapped = rank % 2 == 1;
        let number = |of: u32| if swapped { 2 - of } else { of };
        let with = |of: u32, line, function| LoopDefinition {
            code: u64::from(line),
            ..definition(number(of), line, function)
        };
        let other = LoopDefinition { file: b"lib/b.c", ..with(1, 12, "solve") };
        let loops = [with(0, 12, "_ZN4grid5sweepEi"), other, with(2, 40, "main")];
        maker.threads(2, &loops);
        let mut at = 1000;
        for (of, duration) in [(0, 100), (1, 200), (2, 300)] {
            let chunks: &[_] = &[(duration, 0), (duration, 0)];
            at = maker.execute(at, u64::from(of) + 1, number(of), &[chunks, chunks]) + 50;
        }
        maker.finish(at);
    }
}

fn command(words: &[&str], directory: &Path) -> std::process::Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.args(words).current_dir(directory);
    command
}

/// Lines of the loops that a report has, and those that an export has, of which ranks.
fn both(words: &[&str], directory: &Path) -> (BTreeSet<(String, u64)>, BTreeSet<String>) {
    let report = crate::common::json(&mut command(&[&["report", ".", "--json"], words].concat(), directory));
    let file = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let loops = report["loops"].as_array().unwrap().iter();
    let reported: BTreeSet<_> = loops.map(|loops| (file(&loops["file"]), loops["line"].as_u64().unwrap())).collect();
    let parts = report["parts"].as_array().unwrap().iter();
    let ranks: BTreeSet<_> = parts.map(|parts| parts["rank"].to_string()).collect();
    for kind in ["loops", "chunks"] {
        let words = [&["export", ".", "--to", "json", "--table", kind, "-"], words].concat();
        let text = succeed(&mut command(&words, directory));
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let rows: Vec<serde_json::Value> = rows.collect();
        let exported: BTreeSet<_> =
            rows.iter().map(|row| (file(&row["file"]), row["line"].as_u64().unwrap())).collect();
        assert_eq!(exported, reported, "{words:?}");
        let of: BTreeSet<_> = rows.iter().map(|row| row["rank"].to_string()).collect();
        assert_eq!(of, ranks, "{words:?}");
    }
    (reported, ranks)
}

#[test]
fn a_loop_has_one_name_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    trace(at);
    let (a12, b12, a40) = (("src/a.c", 12), ("lib/b.c", 12), ("src/a.c", 40));
    for (pattern, wanted) in [
        ("1", &[a40][..]),
        ("3", &[a12]),
        ("a.c:12", &[a12]),
        ("src/a.c:12", &[a12]),
        ("a.c:12:3", &[a12]),
        ("lib/b.c:12:3", &[b12]),
        ("grid::sweep", &[a12]),
        ("solve", &[b12]),
        ("a.c", &[a12, a40]),
        (".c", &[a12, a40, b12]),
    ] {
        let wanted: BTreeSet<_> = wanted.iter().map(|(name, chunks)| (name.to_string(), *chunks)).collect();
        assert_eq!(both(&["--loop", pattern], at).0, wanted, "{pattern}");
    }
    let two = both(&["--loop", "1", "--loop", "solve"], at).0;
    assert_eq!(two.len(), 2);
    // What a report prints, it takes.
    let text = succeed(&mut command(&["report", ".", "--loop", "2"], at));
    must_say(&text, "\nloop 2  lib/b.c:12:3 in solve\n");
    for pattern in ["4", "0", "a.c:13", "a.c:12:4", "c:12", "nowhere", "lib"] {
        let found = command(&["report", ".", "--loop", pattern], at).output();
        let is_known = pattern == "lib";
        assert_eq!(found.unwrap().status.success(), is_known, "{pattern}");
        if is_known {
            continue;
        }
        for format in ["csv", "graphml", "chrome"] {
            let words = ["export", ".", "--to", format, "-", "--loop", pattern];
            let output = command(&words, at).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{words:?}");
            // Before a head.
            assert!(output.stdout.is_empty(), "{words:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            let wanted = format!("ompchunk: no loop of the trace is {pattern}\nompchunk: next: ");
            assert!(said.starts_with(&wanted), "{said}");
        }
    }
}

#[test]
fn ranks_are_ranges() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    trace(at);
    for (ranks, wanted) in [
        ("2", &["2"][..]),
        ("0-1,3", &["0", "1", "3"]),
        ("1-2", &["1", "2"]),
        // As far as there are any.
        ("2-63", &["2", "3"]),
    ] {
        let found = both(&["--rank", ranks], at).1;
        assert_eq!(Vec::from_iter(&found), wanted, "{ranks}");
    }
    assert_eq!(both(&["--rank", "0", "--rank", "3"], at).1.len(), 2);
    for (ranks, code, sentence) in [
        ("7", 1, "no part of the trace is of rank 7: it has 0-3\n"),
        ("0,5-9", 1, "no part of the trace is of rank 5-9: it has 0-3\n"),
        ("3-1", 2, "neither a rank nor a range of ranks such as 0-63"),
        ("all", 2, "neither a rank nor a range of ranks such as 0-63"),
    ] {
        for words in [&["report", "."][..], &["export", ".", "--to", "csv", "-"]] {
            let words = [words, &["--rank", ranks]].concat();
            let (found, said) = fail(&mut command(&words, at));
            assert_eq!(found, code, "{said}");
            must_say(&said, sentence);
        }
    }
}
