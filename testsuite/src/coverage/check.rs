//! One row: a case, a compiler, the row's flags; built, run and judged on every runtime. Of each case, one build is run under other
//! schedules and in sub-blocks, too ([`other_ways`]).

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use regex::Regex;

use super::build::Builder;
use super::calls::Call;
use super::case::{Case, Outcome};
use super::remarks::{Remarks, counted};
use super::table::Row;
use crate::facts::Environment;
use crate::judge::{Built, Instead, Known};
use crate::log::{Entry, Log};
use crate::runtime::{Runtime, oracle_tool};
use crate::schedules::Plan;
use crate::session::{Session, printed_runs};
use crate::{child, dist, target};

/// Builds and runs it; the row that says what was seen. Anything but what the case says shall become of it is an error.
pub fn row(builder: &Builder, name: &str, plans: &[Plan]) -> Result<Row> {
    let Builder { case, compiler, variant, dir } = *builder;
    let mut row = Row {
        shape: case.shape.clone(),
        case: case.file.clone(),
        variant: variant.to_owned(),
        compiler: name.to_owned(),
        ..Row::default()
    };
    let outcome = case.outcome(compiler.major());
    let Some(stock) = stock(builder, &outcome)? else {
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
    let built = built(case, variant, [stock, instrumented], dir)?;
    let (records, loops) = (built.records.len(), remarks.instrumented.len());
    ensure!(records == loops, "{records} loop records for {loops} instrumented loops");
    if let Outcome::Wrong(sentence) | Outcome::Dies(sentence) | Outcome::Serial(sentence) = &outcome {
        row.outcome += &format!("; without ompchunk too: {sentence}");
    }
    let programs = Programs { built: &built, case, outcome: &outcome, loops };
    for runtime in Runtime::installed() {
        let said = programs.run_on(&runtime).with_context(|| format!("on {}", runtime.name))?;
        row.events.insert(runtime.name, said);
    }
    plans.iter().try_for_each(|plan| under(&built, plan))?;
    Ok(row)
}

/// Builds what has no row, of a case that the compiler gets right, and runs it under other schedules and in sub-blocks.
pub fn other_ways(builder: &Builder, plan: &Plan) -> Result<()> {
    let stock = builder.stock()?.map_err(|finished| anyhow!("the stock compiler failed:\n{}", finished.stderr))?;
    let (instrumented, _) = builder.instrumented()?;
    under(&built(builder.case, builder.variant, [stock, instrumented], builder.dir)?, plan)
}

fn under(built: &Built, plan: &Plan) -> Result<()> {
    built.schedules(&built.sessions(&plan.runs))?;
    built.sub_blocks()
}

fn built<'a>(case: &'a Case, variant: &str, both: [PathBuf; 2], dir: &'a Path) -> Result<Built<'a>> {
    let expected = &case.facts.expected;
    let known = Known {
        facts: &case.facts,
        expected: (!case.facts.unjudged && !case.is_the_runtimes()).then_some(expected),
        // OpenMPIRBuilder tells the runtime of one iteration where there is none, and the runtime then tells the tool.
        judged_changed: !case.is_fortran() && !case.file.contains("irbuilder") && expected.distribute.is_empty(),
    };
    let debug = variant.split_whitespace().any(|flag| flag == "-g");
    Built::new(known, both, (debug, environment_of(variant, dir)), dir)
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
    built: &'a Built<'a>,
    case: &'a Case,
    outcome: &'a Outcome,
    loops: usize,
}

impl Programs<'_> {
    /// All runs on one runtime; what the table says of their events.
    fn run_on(&self, runtime: &Runtime) -> Result<String> {
        let (mut chunks, mut own, mut repeats) = (0, 0, false);
        for &threads in &self.case.facts.threads {
            for environment in &self.case.facts.environments {
                let session = self.built.session(runtime, threads, environment);
                let context = || format!("{threads} threads, {environment:?}");
                let stock = match self.built.stock(&session).with_context(context)? {
                    Err(lacks @ Instead::Lacks(_)) => return Ok(lacks.to_string()),
                    Err(Instead::Fails(status, _)) if self.dies() && status.signal().is_some() => {
                        return Ok("none".to_owned());
                    }
                    stock => stock.with_context(context)?,
                };
                repeats |= runs_twice(&stock);
                let verdict = self.observe(&session, &stock).with_context(context)?;
                chunks += verdict.0;
                own += verdict.1;
            }
        }
        let wrong = matches!(self.outcome, Outcome::Wrong(_));
        // What dies divides by 0, which is a signal on x86 alone. There, the table says that it has no events.
        let dies = self.dies();
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

    fn dies(&self) -> bool {
        matches!(self.outcome, Outcome::Dies(_))
    }

    /// Chunks of instrumented loops, and dispatch events of everything else.
    fn observe(&self, session: &Session, stock: &str) -> Result<(u64, u64)> {
        let libraries = [&*dist::shim()?, oracle_tool()?];
        let shared = !matches!(self.outcome, Outcome::Wrong(_) | Outcome::Serial(_));
        if self.case.facts.unjudged || (!shared && self.loops == 0) {
            // The oracle cannot judge it; but nothing may be announced that is not the runtime's.
            let mut command = session.command(&self.built.instrumented, &libraries);
            command.env("ORACLE_LOG", &session.log);
            let finished = child::succeed(command.env("ORACLE_EVENTS", "dispatch,chunk,clock"))?;
            ensure!(finished.stdout == stock || !shared, "the output differs");
            let log = Log::parse(&std::fs::read_to_string(&session.log)?)?;
            let count = |kind: fn(&Entry) -> bool| log.threads.iter().flatten().filter(|e| kind(e)).count() as u64;
            let chunks = count(|entry| matches!(entry, Entry::Chunk(_)));
            ensure!(chunks == 0, "{chunks} chunk events of nothing instrumented");
            return Ok((0, count(|entry| matches!(entry, Entry::Dispatch(_)))));
        }
        let expected = &self.case.facts.expected;
        let (output, verdict) = session.observe(&self.built.instrumented, &libraries, expected)?;
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
fn environment_of(variant: &str, dir: &Path) -> Environment {
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

/// The report says that iterations ran more than once.
fn runs_twice(output: &str) -> bool {
    static TWICE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"runs, (\d+) iterations more than once").expect("a regex"));
    TWICE.captures_iter(output).any(|found| &found[1] != "0")
}
