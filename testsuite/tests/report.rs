//! Does `OMPCHUNK_REPORT` say of each loop and each creation of a task what was done with it, and where?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program, workdir};
use regex::Regex;
use serde_json::{Value as Json, json};

/// Programs whose constructs each stand in a line of their own.
const PROGRAMS: [&str; 4] = [
    "run/mixed.c",
    "run/sections.c",
    "tasks/forms.c",
    "tasks/objects.cpp",
];

fn main() -> ExitCode {
    let mut suite = Suite::default();
    for (major, llvm) in Llvm::all() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            for file in PROGRAMS {
                let name = format!("{file}/clang-{major}");
                let llvm = llvm.clone();
                suite.test(name.clone(), move || {
                    workdir::scoped(&name, |dir| compiled(&llvm, file, dir))
                });
            }
            let name = format!("left alone/clang-{major}");
            suite.test(name.clone(), move || {
                workdir::scoped(&name, |dir| left_alone(&llvm, dir))
            });
        });
    }
    suite.run()
}

/// Per line of the source, constructs there.
type Said = BTreeMap<u64, Vec<&'static str>>;

fn compiled(llvm: &Llvm, file: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join(file);
    let right = constructs(&std::fs::read_to_string(&source)?);
    for flags in [["-O2", "-g"], ["-O0", "-gline-tables-only"]] {
        let report = dir.join(flags.concat());
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        clang.args(flags).arg("-c").arg(&source).arg("-o");
        clang
            .arg(dir.join("program.o"))
            .env("OMPCHUNK_REPORT", &report);
        child::succeed(&mut clang)?;
        let mut said = Said::new();
        for line in lines(&report)? {
            let at = line["line"].as_u64().context("no line")?;
            said.entry(at).or_default().push(judge(&line, &source)?);
        }
        ensure!(
            said == right,
            "{flags:?}: it says {said:?} instead of {right:?}"
        );
    }
    Ok(())
}

/// Where the source has loops, sections and tasks.
fn constructs(source: &str) -> Said {
    let pragma = Regex::new(r"#pragma omp (?:parallel )?(for|sections|loop|taskloop|task)\b")
        .expect("a regex");
    let found = source.lines().zip(1..).filter_map(|(line, number)| {
        let what = match pragma.captures(line)?.get(1)?.as_str() {
            "sections" => "sections",
            "taskloop" => "taskloop",
            "task" => "task",
            _ => "for",
        };
        Some((number, vec![what]))
    });
    found.collect()
}

/// What a line is about; it must be complete.
fn judge(line: &Json, source: &Path) -> Result<&'static str> {
    let entry = line["entry"].as_str().unwrap_or_default();
    let file = line["file"].as_str().unwrap_or_default();
    let is_complete = line["format"] == 1
        && Path::new(file) == source
        && line["column"].as_u64().is_some_and(|column| column > 0)
        && line["function"]
            .as_str()
            .is_some_and(|name| !name.is_empty());
    ensure!(is_complete, "{line}");
    if line["instrumented"] == false {
        ensure!(
            line["reason"] == "Sections" && line["because"].is_string(),
            "{line}"
        );
        return Ok("sections");
    }
    let said = (
        line["construct"].as_str(),
        line["form"].as_str(),
        line["because"].as_str(),
    );
    match said {
        (Some("task"), Some("one task"), None) => {}
        // An object is copied.
        (Some("task"), Some("several tasks"), Some(because))
            if because.contains("other code") && file.ends_with("objects.cpp") => {}
        (Some("taskloop"), Some("several tasks"), Some(_)) => return Ok("taskloop"),
        (Some("for"), Some("one chunk" | "two copies"), None) => return Ok("for"),
        (Some("for"), Some("tested flag"), Some(_)) => return Ok("for"),
        _ => anyhow::bail!("{line}"),
    }
    ensure!(entry == "__kmpc_omp_task_alloc", "{line}");
    Ok("task")
}

/// A task that is not handed over on every way, in a module without debug information.
fn left_alone(llvm: &Llvm, dir: &Path) -> Result<()> {
    let report = dir.join("report");
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!(
        "-load-pass-plugin={}",
        dist::plugin(llvm.major)?.display()
    ));
    opt.args(["-passes=ompchunk", "-disable-output"]);
    opt.arg(dist::testsuite().join("ir/reject/task_between.ll"))
        .env("OMPCHUNK_REPORT", &report);
    child::succeed(&mut opt)?;
    let lines = lines(&report)?;
    ensure!(lines.len() == 2, "{lines:?}");
    for line in lines {
        for (key, right) in [
            ("format", json!(1)),
            ("entry", json!("__kmpc_omp_task_alloc")),
            ("function", json!("f")),
            ("line", json!(0)),
            ("instrumented", json!(false)),
            ("reason", json!("NotHandedOver")),
        ] {
            ensure!(line[key] == right, "{key} is not {right}: {line}");
        }
        ensure!(line["because"].is_string(), "{line}");
    }
    Ok(())
}

fn lines(report: &PathBuf) -> Result<Vec<Json>> {
    let text = std::fs::read_to_string(report).with_context(|| report.display().to_string())?;
    let parse = |line| serde_json::from_str(line).with_context(|| format!("not JSON: {line}"));
    text.lines().map(parse).collect()
}
