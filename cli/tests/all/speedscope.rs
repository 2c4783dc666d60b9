//! `ompchunk export --to speedscope`: files of speedscope's format, of real recordings and of traces whose samples are known.

use std::path::Path;

use serde_json::Value;

use crate::common::{fail, finish, gprofng as experiment, hundred, majors, must_say, ompchunk, stacks, succeed};

/// A file, which has what the format's schema requires, and sums that are true.
fn exported(trace: &Path, words: &[&str]) -> (Value, String) {
    let to = trace.with_extension("speedscope.json");
    let mut command = ompchunk(&["export"]);
    command.arg(trace).args(["--to", "speedscope"]).arg(&to).args(words);
    let (code, stdout, said) = finish(&mut command);
    assert_eq!((code, stdout.as_str()), (Some(0), ""), "{said}");
    let all: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    is_valid(&all);
    (all, said)
}

/// Required: `$schema`, `shared.frames` with names, and of each profile what one of samples has.
fn is_valid(all: &Value) {
    assert_eq!(all["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let frames = all["shared"]["frames"].as_array().unwrap();
    for frame in frames {
        assert!(frame["name"].is_string(), "{frame}");
        for (field, value) in frame.as_object().unwrap() {
            let is_right = match &**field {
                "name" | "file" => value.is_string(),
                "line" => value.as_u64().is_some_and(|line| line > 0),
                _ => false,
            };
            assert!(is_right, "{frame}");
        }
    }
    for profile in all["profiles"].as_array().unwrap() {
        assert_eq!(profile["type"], "sampled");
        assert_eq!(profile["unit"], "nanoseconds");
        assert!(profile["name"].is_string());
        let samples = profile["samples"].as_array().unwrap();
        let weights = profile["weights"].as_array().unwrap();
        assert_eq!(samples.len(), weights.len());
        for number in samples.iter().flat_map(|sample| sample.as_array().unwrap()) {
            assert!((number.as_u64().unwrap() as usize) < frames.len());
        }
        assert!(samples.iter().all(|sample| sample[0].is_u64()));
        let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
        assert_eq!(profile["startValue"], 0);
        assert_eq!(profile["endValue"], sum);
    }
}

/// Nanoseconds of a thread, or of all, in stacks that end in a function.
fn ending_in(all: &Value, thread: Option<usize>, name: &str) -> u64 {
    let mut found = 0;
    for (number, profile) in all["profiles"].as_array().unwrap().iter().enumerate() {
        if thread.is_some_and(|thread| thread != number) {
            continue;
        }
        let samples = profile["samples"].as_array().unwrap().iter();
        for (sample, weight) in samples.zip(profile["weights"].as_array().unwrap()) {
            let leaf = sample.as_array().unwrap().last().unwrap();
            let frame = &all["shared"]["frames"][leaf.as_u64().unwrap() as usize];
            if frame["name"] == name {
                found += weight.as_u64().unwrap();
            }
        }
    }
    found
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_thread_that_has_less_to_do_waits_longer() {
    let directory = tempfile::tempdir().unwrap();
    let trace = experiment::record(&experiment::newest(directory.path()), &["2", "30"]);
    let (all, _) = exported(&trace, &[]);
    let waits = |thread| ending_in(&all, Some(thread), "<OMP-implicit_barrier>");
    assert!(waits(1) > waits(0), "{} {}", waits(1), waits(0));
}

/// The threads' time in a real recording, and calls as the source has them.
#[test]
fn a_program_s_threads() {
    let directory = tempfile::tempdir().unwrap();
    let app = experiment::newest(directory.path());
    let trace = experiment::record(&app, &["2", "30"]);
    let (all, said) = exported(&trace, &[]);
    experiment::says_nothing_of_note(&said);
    let profiles = all["profiles"].as_array().unwrap().iter();
    let names: Vec<_> = profiles.map(|profile| profile["name"].clone()).collect();
    assert_eq!(names, ["thread 0", "thread 1"]);
    let of_report = |field: &str| experiment::of_report(&trace, field);
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    // The recording's own order of samples, and a report's sums: the same within what lies between chunks and waits.
    let barrier = seconds(ending_in(&all, None, "<OMP-implicit_barrier>"));
    let reported = of_report("/barrier_seconds");
    assert!((barrier - reported).abs() < 0.05 + 0.05 * reported, "{barrier} {reported}");
    // main calls step, and that burn, by their lines.
    let frames = all["shared"]["frames"].as_array().unwrap();
    let chain = |sample: &Value| -> Vec<String> {
        let numbers = sample.as_array().unwrap().iter();
        let name = |number: &Value| frames[number.as_u64().unwrap() as usize]["name"].clone();
        numbers.map(|number| name(number).as_str().unwrap().to_owned()).collect()
    };
    let samples = all["profiles"][0]["samples"].as_array().unwrap().iter();
    let burning = samples.map(chain).find(|chain| chain.windows(3).any(|three| three == ["main", "step", "burn"]));
    assert!(burning.is_some(), "{all}");
    let burn = frames.iter().find(|frame| frame["name"] == "burn").unwrap();
    must_say(burn["file"].as_str().unwrap(), "waits.c");
    assert!((13..=15).contains(&burn["line"].as_u64().unwrap()), "{burn}");
    for frame in frames {
        let name = frame["name"].as_str().unwrap();
        assert!(!name.contains("outlined") && !name.contains("kmp"), "{name}");
    }
    only_the_loop(&trace, &all);
}

/// What a loop takes is part of the whole.
fn only_the_loop(trace: &Path, all: &Value) {
    let (only, _) = exported(trace, &["--loop", "waits.c"]);
    let sum = |all: &Value| -> u64 {
        let profiles = all["profiles"].as_array().unwrap().iter();
        profiles.map(|profile| profile["endValue"].as_u64().unwrap()).sum()
    };
    assert!(sum(&only) > 0 && sum(&only) <= sum(all));
    assert_eq!(ending_in(&only, None, "<OMP-idle>"), 0);
}

/// Where it is known what each sample stands for.
#[test]
fn weights_are_what_samples_stand_for() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, _) = stacks::trace(directory.path());
    let (all, _) = exported(&trace, &["--loop", "assemble"]);
    // Two threads of 40 ms in the loop: 30 and 10 ms, 24 and 16 ms.
    let counts = all["profiles"].as_array().unwrap().iter();
    let counts: Vec<usize> = counts.map(|profile| profile["samples"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [2, 2], "{all}");
    for (thread, ends) in [(0, 40_000_000), (1, 40_000_000_u64)] {
        let end = all["profiles"][thread]["endValue"].as_u64().unwrap();
        assert!(end.abs_diff(ends) < 400_000, "{thread}: {end}");
    }
    for (thread, ms) in [(0, 10), (1, 24)] {
        let in_flux = ending_in(&all, Some(thread), "flux");
        assert!(in_flux.abs_diff(ms * 1_000_000) < 400_000, "{in_flux}");
    }
    let whole = exported(&trace, &[]).0;
    assert!(whole["profiles"][0]["endValue"].as_u64() > all["profiles"][0]["endValue"].as_u64());
}

#[test]
fn what_cannot_be_exported_costs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    let trace = directory.path().join("app.ompchunk");
    succeed(ompchunk(&["record", "-o"]).arg(&trace).arg(&app));
    let to = directory.path().join("older.json");
    std::fs::write(&to, "older").unwrap();
    let mut command = ompchunk(&["export"]);
    let (code, said) = fail(command.arg(&trace).args(["--to", "speedscope"]).arg(&to));
    assert_eq!(code, 1);
    must_say(&said, "the trace has no sampled stacks");
    must_say(&said, "next: ompchunk record --sample-stacks");
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "older");
    let mut command = ompchunk(&["export", "--to", "speedscope"]);
    let other = tempfile::tempdir().unwrap();
    let app = experiment::newest(other.path());
    let (code, said) = fail(command.arg(experiment::record(&app, &["2", "2"])).arg("/dev/full"));
    assert_eq!(code, 1, "{said}");
    must_say(&said, "cannot write /dev/full");
}

/// A trace without an end, or whose stacks have none, gives what came before it; and that is said.
#[test]
fn what_is_cut_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let app = experiment::newest(directory.path());
    let trace = experiment::record(&app, &["2", "20"]);
    let (whole, _) = exported(&trace, &[]);
    let files = std::fs::read_dir(&trace).unwrap();
    let paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    for extension in ["stacks", "trace"] {
        let mut of_kind = paths.iter();
        let path = of_kind.find(|path| path.extension().is_some_and(|found| found == extension));
        let path = path.unwrap_or_else(|| panic!("no .{extension}: {paths:?}"));
        let bytes = std::fs::read(path).unwrap();
        let mut said_so = false;
        for share in [2, 3, 5] {
            std::fs::write(path, &bytes[..bytes.len() - bytes.len() / share]).unwrap();
            let (cut, said) = exported(&trace, &[]);
            // A file may have room at its end that holds nothing.
            let is_told = !said.is_empty() || cut == whole;
            assert!(is_told, "{extension} without 1/{share}");
            said_so |= !said.is_empty();
        }
        assert!(said_so, "{extension}");
        std::fs::write(path, &bytes).unwrap();
    }
}
