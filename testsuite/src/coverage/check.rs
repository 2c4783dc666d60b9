//! One row: a case, a compiler, the row's flags; built, run and judged on every runtime.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use super::build::Builder;
use super::calls::Call;
use super::case::{Case, Outcome};
use super::compiler::Compiler;
use super::remarks::{Remarks, counted};
use super::table::Row;
use crate::log::{Entry, Log};
use crate::runtime::{Runtime, oracle_tool};
use crate::session::{Session, printed_runs};
use crate::{child, dist, records, target};

/// Builds and runs it; the row that says what was seen. Anything but what the case says shall become
/// of it is an error.
pub fn row(case: &Case, compiler: &Compiler, variant: &str, name: &str, dir: &Path) -> Result<Row> {
    let builder = Builder { case, compiler, variant, dir };
    let mut row = Row {
        shape: case.shape.clone(),
        case: case.file.clone(),
        variant: variant.to_owned(),
        compiler: name.to_owned(),
        ..Row::default()
    };
    let outcome = case.outcome(compiler.major());
    let Some(stock) = stock(&builder, &outcome)? else {
        if let Outcome::Cannot(sentence) = &outcome {
            row.outcome = format!("the compiler cannot: {sentence}");
        }
        return Ok(row);
    };
    let calls = builder.calls()?;
    let list = |field: fn(&Call) -> &str| calls.iter().map(field).collect::<Vec<_>>().join(", ");
    row.entries = list(|call| &call.entry);
    row.kinds = list(|call| &call.kind);

    let (instrumented, remarks) = builder.instrumented()?;
    row.outcome = judge_remarks(case, compiler.major(), &remarks)?;
    let records = records::of_file(&instrumented)?.len();
    ensure!(
        records == remarks.instrumented.len(),
        "{records} loop records for {} instrumented loops",
        remarks.instrumented.len()
    );
    if let Outcome::Wrong(sentence) | Outcome::Dies(sentence) | Outcome::Serial(sentence) = &outcome {
        row.outcome += &format!("; without ompchunk too: {sentence}");
    }
    let programs = Programs {
        case,
        stock: &stock,
        instrumented: &instrumented,
        outcome: &outcome,
        loops: remarks.instrumented.len(),
        variant,
        dir,
    };
    for runtime in Runtime::installed() {
        let said = programs.run_on(&runtime).with_context(|| format!("on {}", runtime.name))?;
        row.events.insert(runtime.name, said);
    }
    Ok(row)
}

/// The stock program; nothing where the compiler cannot, as the case says.
fn stock(builder: &Builder, outcome: &Outcome) -> Result<Option<PathBuf>> {
    match (builder.stock()?, outcome) {
        (Err(finished), Outcome::Cannot(_)) => {
            // A driver that cannot find its own parts would pass for a compiler that cannot.
            let said = ["error:", "not yet implemented"];
            ensure!(
                said.iter().any(|word| finished.stderr.contains(word)),
                "the compiler failed without an error: {}",
                finished.stderr
            );
            Ok(None)
        }
        (Ok(_), Outcome::Cannot(_)) => bail!("the compiler can: take CANNOT out of the case"),
        (Err(finished), _) => bail!("the stock compiler failed:\n{}", finished.stderr),
        (Ok(stock), _) => Ok(Some(stock)),
    }
}

fn judge_remarks(case: &Case, major: u32, remarks: &Remarks) -> Result<String> {
    let (found, right) = (remarks.instrumented.len(), case.instrumented(major)?);
    ensure!(found == right, "{found} loops are instrumented, not {right}: {remarks:?}");
    let (mut found, mut right) = (remarks.alone.clone(), case.alone(major));
    found.sort();
    right.sort();
    ensure!(found == right, "left alone because of {found:?}, not {right:?}");
    let mut parts = Vec::new();
    if !remarks.instrumented.is_empty() {
        parts.push(format!("instrumented, {}", counted(&remarks.instrumented)));
    }
    if !remarks.alone.is_empty() {
        parts.push(format!("left alone: {}", counted(&remarks.alone)));
    }
    if case.is_the_runtimes() {
        parts.push("left alone: the runtime deals the chunks and reports them".to_owned());
    }
    if parts.is_empty() {
        parts.push("no worksharing loop".to_owned());
    }
    Ok(parts.join("; "))
}

/// The products of a row, and what is known of them.
struct Programs<'a> {
    case: &'a Case,
    stock: &'a Path,
    instrumented: &'a Path,
    outcome: &'a Outcome,
    loops: usize,
    variant: &'a str,
    dir: &'a Path,
}

impl Programs<'_> {
    /// All runs on one runtime; what the table says of their events.
    fn run_on(&self, runtime: &Runtime) -> Result<String> {
        let (mut chunks, mut own, mut repeats) = (0, 0, false);
        for &threads in &self.case.threads {
            for environment in &self.case.environments {
                let mut session = Session::new(runtime, threads, self.dir);
                session.environment = environment.clone();
                session.environment.extend(environment_of(self.variant, self.dir));
                let context = || format!("{threads} threads, {environment:?}");
                let stock = match self.stock(&session).with_context(context)? {
                    Ok(output) => output,
                    Err(instead) => return Ok(instead),
                };
                repeats |= runs_twice(&stock);
                let verdict = self.observe(&session, &stock).with_context(context)?;
                chunks += verdict.0;
                own += verdict.1;
            }
        }
        let wrong = matches!(self.outcome, Outcome::Wrong(_));
        // What dies divides by 0, which is a signal on x86 alone. There, the table says that it has no events.
        let dies = matches!(self.outcome, Outcome::Dies(_));
        ensure!(!dies || target::current().is_some(), "the stock program lives: take DIES out of the case");
        ensure!(
            repeats == wrong || !self.case.is_counted(),
            "the stock program {} iterations",
            if repeats { "repeats" } else { "does not repeat" }
        );
        ensure!(
            (chunks > 0) == (self.loops > 0 && self.case.runs),
            "{chunks} chunks of {} instrumented loops were seen",
            self.loops
        );
        Ok(match (chunks, own) {
            (0, 0) if self.loops > 0 && !dies => "none, rightly".to_owned(),
            (0, 0) => "none".to_owned(),
            (0, _) => "the runtime's".to_owned(),
            _ => "exact".to_owned(),
        })
    }

    /// What the stock program prints, or why there is nothing to compare with on this runtime.
    fn stock(&self, session: &Session) -> Result<Result<String, String>> {
        let finished = child::finish(&mut session.command(self.stock, &[]))?;
        if let Some(lacking) = lacking(&finished.stderr) {
            return Ok(Err(format!("the runtime lacks `{lacking}`")));
        }
        if finished.status.signal().is_some() && matches!(self.outcome, Outcome::Dies(_)) {
            return Ok(Err("none".to_owned()));
        }
        session.run(self.stock, &[]).map(Ok)
    }

    /// Chunks of instrumented loops, and dispatch events of everything else.
    fn observe(&self, session: &Session, stock: &str) -> Result<(u64, u64)> {
        let libraries = [&*dist::shim()?, oracle_tool()?];
        let shared = !matches!(self.outcome, Outcome::Wrong(_) | Outcome::Serial(_));
        if self.case.unjudged || (!shared && self.loops == 0) {
            // The oracle cannot judge it; but nothing may be announced that is not the runtime's.
            let mut command = session.command(self.instrumented, &libraries);
            command.env("ORACLE_LOG", &session.log);
            let finished = child::succeed(command.env("ORACLE_EVENTS", "dispatch,chunk,clock"))?;
            ensure!(finished.stdout == stock || !shared, "the output differs");
            let log = Log::parse(&std::fs::read_to_string(&session.log)?)?;
            let count = |kind: fn(&Entry) -> bool| log.threads.iter().flatten().filter(|e| kind(e)).count() as u64;
            let chunks = count(|entry| matches!(entry, Entry::Chunk(_)));
            ensure!(chunks == 0, "{chunks} chunk events of nothing instrumented");
            return Ok((0, count(|entry| matches!(entry, Entry::Dispatch(_)))));
        }
        let expected = self.case.expected();
        let (output, verdict) = session.observe(self.instrumented, &libraries, &expected)?;
        ensure!(output == stock, "the output is\n{output}instead of\n{stock}");
        let mut printed = printed_runs(stock);
        if !self.case.is_counted() {
            printed.clear();
        }
        // Loops that only tell the oracle print nothing.
        let missing = printed.iter().find(|(the_loop, runs)| verdict.iterations.get(the_loop) != Some(runs));
        ensure!(missing.is_none(), "the oracle saw {:?}, the program says {printed:?}", verdict.iterations);
        Ok((verdict.chunks, verdict.runtimes_own))
    }
}

/// Sanitizers shall judge the loops, not the runtime: libomp is not built for TSan, and its team lives
/// until the end. The report of the program wraps and narrows numbers on purpose, of which only
/// `-fsanitize=integer` complains.
fn environment_of(variant: &str, dir: &Path) -> Vec<(String, String)> {
    let mut environment = vec![
        ("ASAN_OPTIONS", "detect_leaks=0".to_owned()),
        // Debian's libomp says of every loop of flang's that its kind is unknown.
        ("KMP_WARNINGS", "false".to_owned()),
        ("TSAN_OPTIONS", "report_bugs=0".to_owned()),
        ("LLVM_PROFILE_FILE", dir.join("counts").display().to_string()),
    ];
    if variant.contains("integer") {
        let aside = format!("log_path={}", dir.join("integer").display());
        environment.push(("UBSAN_OPTIONS", aside));
    }
    environment.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The entry that the compiler calls and this older runtime does not have yet.
fn lacking(stderr: &str) -> Option<&str> {
    let (_, symbol) = stderr.split_once("undefined symbol: ")?;
    let (symbol, _) = symbol.split_once(',')?;
    symbol.starts_with("__kmpc_").then_some(symbol)
}

/// The report says that iterations ran more than once.
fn runs_twice(output: &str) -> bool {
    static TWICE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"runs, (\d+) iterations more than once").expect("a regex"));
    TWICE.captures_iter(output).any(|found| &found[1] != "0")
}
