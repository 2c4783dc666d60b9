//! Does `OMPCHUNK_REPORT` say of each loop and each creation of a task what was done with it, and where?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::ir::edit;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};
use regex::Regex;
use serde_json::{Value as Json, json};

/// Programs whose constructs each stand in a line of their own.
const PROGRAMS: [&str; 4] = ["run/mixed.c", "run/sections.c", "tasks/forms.c", "tasks/objects.cpp"];

/// What each line has, whatever it is about.
const KEYS: [&str; 22] = [
    "barrier", "because", "bound", "changeable", "chunk", "clause", "column", "construct", "entry", "file", "fixed",
    "form", "format", "free", "function", "group", "instrumented", "line", "reason", "schedule", "start", "step",
];

/// What tells of a loop, and so is null for everything else.
const OF_LOOPS: [&str; 8] = ["bound", "chunk", "clause", "free", "group", "schedule", "start", "step"];

pub fn trials(suite: &mut Suite) {
    suite.needs("flang-22", Llvm::find_flang(22), |suite, llvm| {
        for (file, construct) in [
            ("coverage/sections.f90", "sections"),
            ("coverage/sections_one.f90", "sections"),
            ("coverage/static.f90", "for"),
        ] {
            let llvm = llvm.clone();
            suite.scoped(format!("{file}/flang-22"), move |dir| fortran(&llvm, file, construct, dir));
        }
    });
    Llvm::each(suite, |suite, major, llvm| {
        for file in PROGRAMS {
            let llvm = llvm.clone();
            suite.scoped(format!("{file}/clang-{major}"), move |dir| compiled(&llvm, file, dir));
        }
        let of_places = llvm.clone();
        suite.scoped(format!("places/clang-{major}"), move |dir| places(&of_places, dir));
        let of_barriers = llvm.clone();
        suite.scoped(format!("barriers/clang-{major}"), move |dir| barriers(&of_barriers, dir));
        suite.scoped(format!("left alone/clang-{major}"), move |dir| left_alone(&llvm, dir));
    });
}

/// Per line of the source, constructs there.
type Said = BTreeMap<u64, Vec<&'static str>>;

fn compiled(llvm: &Llvm, file: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join(file);
    let right = constructs(&std::fs::read_to_string(&source)?);
    for flags in [["-O2", "-g"], ["-O0", "-gline-tables-only"]] {
        let mut said = Said::new();
        for line in reported(llvm, &source, flags, dir)? {
            let at = line["line"].as_u64().context("no line")?;
            said.entry(at).or_default().push(judge(&line, &source)?);
        }
        ensure!(said == right, "{flags:?}: it says {said:?} instead of {right:?}");
    }
    Ok(())
}

/// What the plugin says of a source.
fn reported(llvm: &Llvm, source: &Path, flags: [&str; 2], dir: &Path) -> Result<Vec<Json>> {
    let report = dir.join(flags.concat());
    let mut clang = program::compiler(llvm, source, Some(&dist::plugin(llvm.major)?));
    clang.args(flags).arg("-c").arg(source).arg("-o");
    clang.arg(dir.join("program.o")).env("OMPCHUNK_REPORT", &report);
    child::succeed(&mut clang)?;
    lines(&report)
}

/// A loop keeps its place when its schedule is written anew. Where its `for` is in another file, either is a place of it.
fn places(llvm: &Llvm, dir: &Path) -> Result<()> {
    let source = dir.join("places.c");
    let body = "  for (int i = 0; i < n; i++)\n    a[i] += 1;\n";
    let mut text = String::new();
    let mut right = Vec::new();
    for construct in ["parallel for", "parallel for simd", "parallel for collapse(1)"] {
        for schedule in ["static", "static, 4", "dynamic", "guided, 2", "runtime"] {
            text += &format!("void f{}(float *a, int n) {{\n", right.len());
            right.push(("places.c", text.lines().count() as u64 + 1));
            text += &format!("#pragma omp {construct} schedule({schedule})\n{body}}}\n");
        }
    }
    std::fs::write(dir.join("body.h"), format!("// The loop.\n{body}"))?;
    text += "void other(float *a, int n) {\n#pragma omp parallel for schedule(dynamic)\n#include \"body.h\"\n}\n";
    let of_other = [("body.h", 2), ("places.c", text.lines().count() as u64 - 2)];
    std::fs::write(&source, text)?;
    for flags in [["-O2", "-g"], ["-O0", "-gline-tables-only"]] {
        let mut said = Vec::new();
        for line in reported(llvm, &source, flags, dir)? {
            let file = line["file"].as_str().context("no file")?;
            let file = file.rsplit('/').next().unwrap_or_default();
            said.push((file.to_owned(), line["line"].as_u64().context("no line")?));
        }
        said.sort_by_key(|(file, line)| (file == "body.h", *line));
        let said: Vec<(&str, u64)> = said.iter().map(|(file, line)| (&**file, *line)).collect();
        let (other, of_source) = said.split_last().context("nothing is reported")?;
        ensure!(of_source == right, "{flags:?}: {said:?} instead of {right:?}");
        ensure!(of_other.contains(other), "{flags:?}: {other:?}");
    }
    Ok(())
}

/// A loop has a barrier of its own unless the source says `nowait`, whatever barrier is written behind it.
fn barriers(llvm: &Llvm, dir: &Path) -> Result<()> {
    let source = dir.join("barriers.c");
    let with =
        |clause| format!("#pragma omp for {clause}\nfor (int i = 0; i < n; i++) a[i] += 1;\n#pragma omp barrier\n");
    let text = format!("void f(float *a, int n) {{\n{}{}}}\n", with(""), with("nowait"));
    std::fs::write(&source, text)?;
    let said = reported(llvm, &source, ["-O2", "-g"], dir)?;
    let said: Vec<&Json> = said.iter().map(|line| &line["barrier"]).collect();
    ensure!(said == [true, false], "{said:?}");
    Ok(())
}

/// Where the source has loops, sections and tasks.
fn constructs(source: &str) -> Said {
    let pragma = Regex::new(r"#pragma omp (?:parallel )?(for|sections|loop|taskloop|task)\b").expect("a regex");
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
        && line["function"].as_str().is_some_and(|name| !name.is_empty());
    ensure!(is_complete, "{line}");
    if line["construct"] == "sections" {
        let has_form = matches!(line["form"].as_str(), Some("two copies" | "tested flag"));
        let is_fixed = line["fixed"] == "its iterations are sections";
        let is_instrumented = line["instrumented"] == true && has_form && is_fixed;
        ensure!(is_instrumented && has_no_schedule(line), "{line}");
        return Ok("sections");
    }
    let said = (line["construct"].as_str(), line["form"].as_str(), line["because"].as_str());
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
    ensure!(OF_LOOPS.iter().all(|key| line[key].is_null()), "{line}");
    Ok("task")
}

/// Sections have none, although the runtime is asked for one.
fn has_no_schedule(line: &Json) -> bool {
    OF_LOOPS.iter().all(|key| line[key].is_null())
}

/// Sections are left alone, and say why.
fn judge_sections(line: &Json) -> Result<()> {
    let is_right = line["construct"] == "sections"
        && line["reason"] == "Sections"
        && line["because"].is_string()
        && line["form"].is_null()
        && has_no_schedule(line);
    ensure!(is_right, "{line}");
    Ok(())
}

/// OpenMPIRBuilder marks neither loops nor sections as what they are.
fn fortran(llvm: &Llvm, file: &str, construct: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join(file);
    for level in ["-O0", "-O2"] {
        let report = dir.join(level);
        let mut flang = child::command(llvm.tool("flang"));
        flang.arg("-fopenmp").arg("-I").arg(dist::testsuite().join("coverage"));
        flang.arg(format!("-fpass-plugin={}", dist::plugin(llvm.major)?.display()));
        flang.args([level, "-g", "-c"]).arg(&source).arg("-o");
        flang.arg(dir.join("program.o")).env("OMPCHUNK_REPORT", &report);
        child::succeed(&mut flang)?;
        let lines = lines(&report)?;
        ensure!(!lines.is_empty(), "nothing is reported");
        for line in lines {
            ensure!(line["construct"] == construct, "{line}");
            if construct == "sections" {
                judge_sections(&line)?;
            }
        }
    }
    Ok(())
}

/// What is not certain is not said.
fn left_alone(llvm: &Llvm, dir: &Path) -> Result<()> {
    not_handed_over(llvm, dir)?;
    for (file, construct) in [
        // May be sections.
        ("canonical_range_from_one.edit", json!(null)),
        ("no_end.edit", json!("for")),
        ("sections_flag.edit", json!("sections")),
    ] {
        let lines = opt(llvm, file, dir)?;
        ensure!(!lines.is_empty(), "{file}: nothing is reported");
        for line in lines {
            ensure!(line["construct"] == construct, "{file}: {line}");
        }
    }
    Ok(())
}

/// What the plugin says of a module without debug information.
fn opt(llvm: &Llvm, file: &str, dir: &Path) -> Result<Vec<Json>> {
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-load-pass-plugin={}", dist::plugin(llvm.major)?.display()));
    opt.args(["-passes=ompchunk", "-disable-output"]);
    let input = dist::testsuite().join("ir/reject").join(file);
    let report = dir.join(format!("{file}.report"));
    opt.arg(edit::file(&input, dir)?).env("OMPCHUNK_REPORT", &report);
    child::succeed(&mut opt)?;
    lines(&report)
}

/// A task that is not handed over on every way.
fn not_handed_over(llvm: &Llvm, dir: &Path) -> Result<()> {
    let lines = opt(llvm, "task_between.edit", dir)?;
    ensure!(lines.len() == 2, "{lines:?}");
    // Nothing is known of the second but that it is a task or a taskloop.
    let constructs: Vec<&Json> = lines.iter().map(|line| &line["construct"]).collect();
    ensure!(constructs == [&json!("task"), &json!(null)], "{lines:?}");
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
    let parse = |line| {
        let parsed: Json = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
        let keys: Vec<&String> = parsed.as_object().context("no object")?.keys().collect();
        ensure!(keys == KEYS, "{line}");
        Ok(parsed)
    };
    text.lines().map(parse).collect()
}
