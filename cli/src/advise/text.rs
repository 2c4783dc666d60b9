//! Advice as text: per loop what to write and what it saves, or why it is best left as it is.

use std::fmt::{self, Write as _};

use ompchunk_advice::{Advice, LoopAdvice, PerChunk};
use ompchunk_figures::Interval;

use crate::prose::{first_names, wrapped};
use crate::report::units::{BOLD, GREEN, YELLOW, counted, percent, shown, time};
use crate::report::verdict::MATTERS;
use crate::signature::short;
use crate::table::{Cell, Field, printable, render};

/// How much is to be said.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub all: bool,
    /// Also loops that must stay as they are.
    pub bound: bool,
    /// Most loops; 0: all.
    pub top: usize,
}

pub fn text(advice: &Advice, command: &str, asked: Asked, width: Option<usize>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(advice, command, asked, width, &mut text);
    text
}

fn write(advice: &Advice, command: &str, asked: Asked, width: Option<usize>, to: &mut String) -> fmt::Result {
    // Nothing is to be said of what must stay as it is, unless somebody asks.
    let (bound, loops): (Vec<_>, Vec<_>) =
        (advice.loops.iter()).partition(|the_loop| is_bound(the_loop) && !asked.bound);
    let (loops, small): (Vec<_>, Vec<_>) = loops.into_iter().partition(|the_loop| asked.bound || matters(the_loop));
    let shown = shown(asked.top, loops.len());
    let mut head = String::new();
    summary(advice, &mut head)?;
    *to += &wrapped(&head, width);
    for the_loop in &loops[..shown] {
        let mut prose = String::new();
        of_loop(the_loop, command, &mut prose)?;
        *to += &wrapped(&prose, width);
        if asked.all && !the_loop.candidates.is_empty() {
            *to += &table(the_loop, width);
        }
    }
    let left = loops.len() - shown;
    if left > 0 {
        writeln!(to, "\n{left} more: --top 0 shows all")?;
    }
    if !small.is_empty() {
        let less = match small.len() {
            1 => "1 other loop takes less than 1 % of the run: leave it".to_owned(),
            several => format!("{several} other loops take less than 1 % of the run each: leave them"),
        };
        writeln!(to, "\n{less}")?;
    }
    if !bound.is_empty() {
        *to += &wrapped(&left_alone(&bound), width);
    }
    Ok(())
}

/// It takes enough of the run, that is not known, or another schedule is advised for it.
fn matters(loop_advice: &LoopAdvice) -> bool {
    loop_advice.advice.is_some() || loop_advice.share_of_run.is_none_or(|share| share >= MATTERS)
}

fn is_bound(loop_advice: &LoopAdvice) -> bool {
    loop_advice.promise == "bound"
}

/// Most loops that a line names.
const MOST_NAMES: usize = 5;

/// Counts loops of which nothing else is said.
fn left_alone(bound: &[&LoopAdvice]) -> String {
    format!(
        "\nno other schedule is considered for {}: something may rely on which thread runs which iteration (--all or --loop \
         says what)\n",
        printable(&first_names(bound.iter().map(|bound| &bound.name), MOST_NAMES))
    )
}

fn summary(advice: &Advice, to: &mut String) -> fmt::Result {
    changes(advice, to)?;
    if !advice.loops.is_empty() {
        writeln!(to, "{}", Interval::<90>::legend())?;
    }
    if let Some(dealing) = &advice.dealing {
        writeln!(
            to,
            "dealing a chunk takes {} (dynamic), {} (guided), measured with {} threads of {}",
            per_chunk(&dealing.dynamic),
            per_chunk(&dealing.guided),
            dealing.threads,
            printable(&dealing.runtime)
        )?;
    }
    for note in &advice.notes {
        writeln!(to, "{YELLOW}note:{YELLOW:#} {}", printable(note))?;
    }
    Ok(())
}

/// How many loops are advised another schedule, what that saves, and what it may cost.
fn changes(advice: &Advice, to: &mut String) -> fmt::Result {
    let advised = advice.loops.iter().filter(|found| found.advice.is_some());
    let unjudged = advice.loops.iter().filter(|found| found.needs_profile && matters(found));
    let possible = advice.loops.iter().filter(|found| may_be_faster(found).is_some()).count() as u64;
    match (advised.count(), unjudged.count(), advice.loops.len()) {
        (_, _, 0) => writeln!(to, "the trace has no loops"),
        (0, 0, _) if possible > 0 => writeln!(
            to,
            "no certain gain: chunks of {} are too short to predict, and ompchunk tune measures what may be faster",
            counted(possible, "loop")
        ),
        (0, 0, total) => writeln!(to, "no certain gain: leave the schedule of {}", counted(total as u64, "loop")),
        (0, unjudged, total) if unjudged < total => {
            writeln!(
                to,
                "{unjudged} of {total} loops cannot be judged without a profile; leave the schedule of the others"
            )
        }
        (0, unjudged, _) => writeln!(to, "{} cannot be judged without a profile", counted(unjudged as u64, "loop")),
        (advised, _, _) => {
            write!(to, "another schedule for {}", counted(advised as u64, "loop"))?;
            match advice.gain_of_run {
                Some(gain) => writeln!(to, " saves {} of the run", gain.written(percent))?,
                None => writeln!(to)?,
            }
            writeln!(to, "{} under another schedule", caution(advice))
        }
    }
}

/// Which of the advised loops may compute something else.
fn caution(advice: &Advice) -> &'static str {
    let unknown = |found: &LoopAdvice| found.advice.is_some() && found.promise == "unknown";
    match advice.loops.iter().any(unknown) {
        true => {
            "a loop that asks for its thread's number, or adds up what each thread computed, may give different results"
        }
        false => "a loop that adds up floating-point numbers may give different last digits",
    }
}

fn per_chunk(cost: &PerChunk) -> String {
    let low = cost.alone.min(cost.together);
    let high = cost.alone.max(cost.together);
    format!("{} to {}", time(low / 1e9), time(high / 1e9))
}

fn of_loop(loop_advice: &LoopAdvice, command: &str, to: &mut String) -> fmt::Result {
    let function = loop_advice.function.as_deref().map(|function| format!(" in {}", short(function)));
    let place = format!("{}{}", loop_advice.name, function.unwrap_or_default());
    let place = printable(&place);
    write!(to, "\n{BOLD}loop {}  {place}{BOLD:#}: ", loop_advice.number)?;
    let now = loop_advice.now.as_deref().unwrap_or("its schedule");
    match (&loop_advice.advice, loop_advice.needs_profile) {
        (Some(advice), _) => writeln!(to, "{GREEN}{advice}{GREEN:#} instead of {now}")?,
        (None, true) => writeln!(to, "{now}, and no profile")?,
        (None, false) => match may_be_faster(loop_advice) {
            Some(possible) => writeln!(to, "{now}, not to be predicted; ompchunk tune measures {possible}")?,
            None => writeln!(to, "leave {now}")?,
        },
    }
    costs(loop_advice, to)?;
    if let Some(clause) = &loop_advice.clause {
        writeln!(to, "  write  {clause}")?;
        let pattern = entries(loop_advice);
        if loop_advice.file.is_some() && loop_advice.notes.iter().all(|note| !note.contains("at run time")) {
            writeln!(to, "  try    ompchunk run --schedule '{}' {}", printable(&pattern), printable(command))?;
        }
    }
    writeln!(to, "  {}", printable(&loop_advice.reason))?;
    for note in &loop_advice.notes {
        writeln!(to, "  note: {}", printable(note))?;
    }
    Ok(())
}

/// What may be faster where the recording does not tell: only measuring does.
fn may_be_faster(loop_advice: &LoopAdvice) -> Option<&str> {
    let possible = loop_advice.possible.as_ref().filter(|_| loop_advice.too_short && loop_advice.advice.is_none());
    possible.map(|possible| possible.schedule.as_str())
}

/// What tries the advice: for all loops of a group at once.
fn entries(loop_advice: &LoopAdvice) -> String {
    let advice = loop_advice.advice.as_deref().unwrap_or_default();
    let file = loop_advice.name.rsplit_once(':').map_or("", |(file, _)| file);
    match &loop_advice.group[..] {
        [] => format!("{}={advice}", loop_advice.name),
        lines => {
            let entries = lines.iter().map(|line| format!("{file}:{line}={advice}"));
            entries.collect::<Vec<_>>().join("; ")
        }
    }
}

fn costs(loop_advice: &LoopAdvice, to: &mut String) -> fmt::Result {
    let Some(now) = loop_advice.seconds_now else {
        return Ok(());
    };
    write!(to, "  takes {}", now.written(time))?;
    if let Some(share) = loop_advice.share_of_run {
        write!(to, ", {} of the run", percent(share))?;
    }
    if let (Some(as_is), Some(threads)) =
        (loop_advice.as_is_seconds.filter(|as_is_seconds| *as_is_seconds != now), loop_advice.threads)
    {
        write!(to, "; with {threads} threads {}", as_is.written(time))?;
    }
    if let (Some(seconds), Some(ratio)) = (loop_advice.predicted_seconds, loop_advice.predicted_ratio) {
        write!(to, "; would take {}, {} of that", seconds.written(time), ratio)?;
    }
    if let Some(gain) = loop_advice.gain_of_run {
        write!(to, "; saves {} of the run", gain.written(percent))?;
    }
    writeln!(to)
}

fn table(loop_advice: &LoopAdvice, width: Option<usize>) -> String {
    let candidates = loop_advice.candidates.iter();
    let rows = candidates.chain(&loop_advice.balanced).map(|one| {
        let (seconds, ratio) = (one.predicted_seconds, one.predicted_ratio);
        let is_advice = loop_advice.advice.as_ref() == Some(&one.schedule);
        let is_now = loop_advice.now.as_ref() == Some(&one.schedule);
        let schedule = match (is_advice, is_now) {
            (true, _) => Cell::styled(format!("{} (advice)", one.schedule), GREEN),
            (_, true) => Cell::styled(format!("{} (now)", one.schedule), BOLD),
            _ if one.kind == "balanced" => "balanced (no clause)".into(),
            _ => Cell::from(&one.schedule),
        };
        vec![
            Field::text("schedule", 0, schedule),
            Field::number("predicted [90 %]", 0, seconds.written(time)),
            Field::number("of now [90 %]", 0, format!("{ratio:.2}")),
        ]
    });
    let rows: Vec<Vec<Field>> = rows.collect();
    render(&rows, 2, width)
}
