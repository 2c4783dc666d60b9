//! Libraries that are loaded, closed and loaded again come to the addresses of others. Whose loop it was that ran must not depend on that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ompchunk_trace_format::{Event, Part};

use crate::common::{Program, clean, in_order, majors, product, runtimes, text};

/// A loop in line 3 of each library, all alike. `CLAUSE` is the schedule.
const LIBRARY: &str = "void run(int n) {\n#pragma omp parallel num_threads(2)\n#pragma omp for CLAUSE\n  \
                       for (int i = 0; i < n; i++)\n    __asm__ volatile(\"\");\n}\n";
/// The same outside of any region.
const SERIAL: &str = "void run(int n) {\n  for (int r = 0; r < n; r++)\n#pragma omp for CLAUSE\n    \
                      for (int i = 0; i < 1; i++)\n      __asm__ volatile(\"\");\n}\n";

/// How a library is made.
#[derive(Clone, Copy, Debug)]
struct Form {
    source: &'static str,
    clause: &'static str,
    plugin: bool,
    debug: bool,
}

fn library(program: &Program, major: u32, name: &str, form: Form) -> PathBuf {
    let source = program.directory.path().join(format!("{name}.c"));
    std::fs::write(&source, form.source.replace("CLAUSE", form.clause)).unwrap();
    let path = program.directory.path().join(format!("{name}.so"));
    let mut command = clean(product("bin/ompchunk"));
    if !form.plugin {
        command.env("OMPCHUNK", "off");
    }
    if form.debug {
        command.arg("cc").arg("-g");
    } else {
        command.arg("cc");
    }
    command
        .env("OMPCHUNK_CC", format!("clang-{major}"))
        .args(["-O2", "-fopenmp", "-shared", "-fPIC"])
        .arg(&source)
        .arg("-o")
        .arg(&path);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    path
}

/// Per loop of the trace: what it is called, executions by a thread, chunks. Of aggregates their sums.
fn counts(part: &Part) -> BTreeMap<(u32, String), (u64, u64)> {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    let mut places: BTreeMap<(u32, u64), String> = BTreeMap::new();
    let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut found: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    part.for_each(|at, event| match event {
        Event::Code(code) => {
            let path = String::from_utf8_lossy(code.object).into_owned();
            places.insert((at.lane, code.address), path);
        }
        Event::Loop(the_loop) => {
            let file = String::from_utf8_lossy(the_loop.file).into_owned();
            let path = match the_loop.line {
                0 => places[&(at.lane, the_loop.code)].clone(),
                _ => file,
            };
            let name = Path::new(&path).file_stem().unwrap();
            let name = name.to_string_lossy().into_owned();
            let known = names.entry(the_loop.the_loop).or_insert_with(|| name.clone());
            assert_eq!(*known, name, "one number, two loops");
        }
        Event::LoopBegin(loop_begin) => {
            open.entry(at.lane).or_default().push(loop_begin.the_loop);
            found.entry(loop_begin.the_loop).or_default().0 += 1;
        }
        Event::LoopEnd { .. } => {
            open.get_mut(&at.lane).unwrap().pop();
        }
        Event::Chunk(_) => {
            let the_loop = open[&at.lane].last().unwrap();
            found.get_mut(the_loop).unwrap().1 += 1;
        }
        Event::Aggregate(aggregate) => {
            let sums = found.entry(aggregate.the_loop).or_default();
            sums.0 += aggregate.executions;
            sums.1 += aggregate.chunks;
        }
        _ => {}
    })
    .unwrap();
    let names = names.into_iter();
    names.filter_map(|(number, name)| Some(((number, name), found.remove(&number)?))).collect()
}

/// Runs libraries in this order, each with so many iterations, and gives executions and chunks by library: each has one loop.
fn run(options: &[&str], form: Form, order: &[(&str, u32)]) -> Vec<BTreeMap<String, (u64, u64)>> {
    let major = majors()[0];
    let program = Program::compile("unload", major);
    let mut arguments = Vec::new();
    for (name, iterations) in order {
        let path = library(&program, major, name, form);
        arguments.push(path.to_str().unwrap().to_owned());
        arguments.push(iterations.to_string());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let each = |runtime| {
        let (trace, output) = program.recorded(runtime, options, &arguments);
        let same = output.lines().filter(|line| line.ends_with(" same"));
        assert_eq!(same.count(), order.len(), "not at one address: {output}");
        in_order(&trace.parts[0]);
        let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for ((_, name), counts) in counts(&trace.parts[0]) {
            let before = found.insert(name.clone(), counts);
            assert_eq!(before, None, "{name} has two numbers: {form:?} {options:?}");
        }
        found
    };
    runtimes().iter().map(each).collect()
}

const WITH: Form = Form { source: LIBRARY, clause: "schedule(static, 1)", plugin: true, debug: true };

#[test]
fn libraries_at_one_address_are_told_apart() {
    let order = [("liba", 30), ("libb", 3000)];
    let dealt = Form { clause: "schedule(dynamic, 1)", plugin: false, ..WITH };
    for form in [WITH, Form { debug: false, ..WITH }, dealt] {
        for options in [&[][..], &["--aggregate"], &["--bookkeeping"], &["--sample", "1"]] {
            for found in run(options, form, &order) {
                let chunks = |name: &str| found.get(name).map(|it| it.1);
                assert_eq!(chunks("liba"), Some(30), "{form:?} {options:?} {found:?}");
                assert_eq!(chunks("libb"), Some(3000), "{form:?} {options:?} {found:?}");
            }
        }
    }
}

/// Also where no region begins between the two.
#[test]
fn loops_outside_of_regions_are_told_apart() {
    let order = [("liba", 30), ("libb", 3000)];
    for plugin in [true, false] {
        let form = Form { source: SERIAL, plugin, ..WITH };
        for found in run(&[], form, &order) {
            let executions = |name: &str| found.get(name).map(|it| it.0);
            assert_eq!(executions("liba"), Some(30), "{form:?} {found:?}");
            assert_eq!(executions("libb"), Some(3000), "{form:?} {found:?}");
        }
    }
}

#[test]
fn a_library_that_is_loaded_again_has_one_loop() {
    let order = [("liba", 30), ("libb", 3000), ("liba", 50), ("libb", 2), ("liba", 1)];
    for plugin in [true, false] {
        let form = Form { clause: "schedule(dynamic, 1)", plugin, ..WITH };
        for options in [&[][..], &["--aggregate"]] {
            for found in run(options, form, &order) {
                let chunks = |name: &str| found.get(name).map(|it| it.1);
                assert_eq!(chunks("liba"), Some(81), "{form:?} {options:?} {found:?}");
                assert_eq!(chunks("libb"), Some(3002), "{form:?} {options:?} {found:?}");
            }
        }
    }
}
