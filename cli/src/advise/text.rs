//! Advice as text: per loop what to write and what it saves, or why it is best left as it is.

use std::fmt::{self, Write as _};

use ompchunk_advice::{Advice, Interval, LoopAdvice};

use crate::prose::wrapped;
use crate::report::units::{BOLD, GREEN, YELLOW, percent, time};
use crate::table::{Cell, Column, printable, render};

/// How much is to be said.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// All schedules that were tried.
    pub all: bool,
    /// Also loops that must stay as they are.
    pub bound: bool,
    /// Most loops; 0: all.
    pub top: usize,
}

/// All of it.
pub fn text(advice: &Advice, command: &str, asked: Asked, width: Option<usize>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(advice, command, asked, width, &mut text);
    text
}

fn write(
    advice: &Advice,
    command: &str,
    asked: Asked,
    width: Option<usize>,
    to: &mut String,
) -> fmt::Result {
    // Of what must stay as it is nothing is to be said, unless somebody asks.
    let (bound, loops): (Vec<_>, Vec<_>) =
        (advice.loops.iter()).partition(|it| is_bound(it) && !asked.bound);
    let shown = match asked.top {
        0 => loops.len(),
        top => top.min(loops.len()),
    };
    let mut head = String::new();
    summary(advice, &mut head)?;
    *to += &wrapped(&head, width);
    for it in &loops[..shown] {
        let mut prose = String::new();
        of_loop(it, command, &mut prose)?;
        *to += &wrapped(&prose, width);
        if asked.all && !it.candidates.is_empty() {
            *to += &table(it, width);
        }
    }
    let left = loops.len() - shown;
    if left > 0 {
        writeln!(to, "\n{left} more: --top 0 shows all")?;
    }
    if !bound.is_empty() {
        *to += &wrapped(&left_alone(&bound), width);
    }
    Ok(())
}

fn is_bound(it: &LoopAdvice) -> bool {
    it.promise == "bound"
}

/// Most loops that a line names.
const MOST_NAMES: usize = 5;

/// Of loops of which nothing else is said.
fn left_alone(bound: &[&LoopAdvice]) -> String {
    let names: Vec<&str> = bound
        .iter()
        .take(MOST_NAMES)
        .map(|it| it.name.as_str())
        .collect();
    let more = match bound.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "\nno other schedule is thought of for {}{more}: something may rely on which thread runs which iteration (--all or --loop \
         says what)\n",
        printable(&names.join(", "))
    )
}

fn summary(advice: &Advice, to: &mut String) -> fmt::Result {
    let changes = advice.loops.iter().filter(|it| it.advice.is_some()).count();
    let profiles = advice.loops.iter().filter(|it| it.needs_profile).count();
    let loops = |number: usize| match number {
        1 => "1 loop".to_owned(),
        _ => format!("{number} loops"),
    };
    match (changes, profiles, advice.loops.len()) {
        (_, _, 0) => writeln!(to, "the trace has no loops")?,
        (0, 0, all) => writeln!(to, "no certain gain: leave the schedule of {}", loops(all))?,
        (0, some, _) => writeln!(to, "{} cannot be judged without a profile", loops(some))?,
        (some, _, _) => write!(to, "another schedule for {}", loops(some))?,
    }
    if changes > 0 {
        match advice.gain_of_run {
            Some(gain) => writeln!(
                to,
                " saves {} of the run",
                range(gain, |it| percent(Some(it)))
            )?,
            None => writeln!(to)?,
        }
        let unknown = |it: &LoopAdvice| it.advice.is_some() && it.promise == "unknown";
        let who = match advice.loops.iter().any(unknown) {
            true => {
                "a loop that asks for its thread's number, or adds up what each thread computed, may give other results"
            }
            false => "a loop that adds up floating-point numbers may give other last digits",
        };
        writeln!(to, "{who} under another schedule")?;
    }
    if let Some(it) = &advice.dealing {
        let chunk = |it: &ompchunk_advice::PerChunk| {
            let (low, high) = (it.alone.min(it.together), it.alone.max(it.together));
            format!("{} to {}", time(low / 1e9), time(high / 1e9))
        };
        writeln!(
            to,
            "dealing a chunk takes {} (dynamic), {} (guided), measured with {} threads of {}",
            chunk(&it.dynamic),
            chunk(&it.guided),
            it.threads,
            printable(&it.runtime)
        )?;
    }
    for note in &advice.notes {
        let (yellow, reset) = (YELLOW.render(), YELLOW.render_reset());
        writeln!(to, "{yellow}note:{reset} {}", printable(note))?;
    }
    Ok(())
}

fn of_loop(it: &LoopAdvice, command: &str, to: &mut String) -> fmt::Result {
    let (bold, green, reset) = (BOLD.render(), GREEN.render(), BOLD.render_reset());
    let function = it.function.as_deref().map(|it| format!(" in {it}"));
    let place = format!("{}{}", it.name, function.unwrap_or_default());
    let place = printable(&place);
    write!(to, "\n{bold}loop {}  {place}{reset}: ", it.number)?;
    let now = it.now.as_deref().unwrap_or("its schedule");
    match (&it.advice, it.needs_profile) {
        (Some(advice), _) => writeln!(to, "{green}{advice}{reset} instead of {now}")?,
        (None, true) => writeln!(to, "{now}, and no profile")?,
        (None, false) => writeln!(to, "leave {now}")?,
    }
    costs(it, to)?;
    if let Some(clause) = &it.clause {
        writeln!(to, "  write  {clause}")?;
        let pattern = entries(it);
        if it.file.is_some() && it.notes.iter().all(|it| !it.contains("at run time")) {
            writeln!(
                to,
                "  try    ompchunk run --schedule '{}' {}",
                printable(&pattern),
                printable(command)
            )?;
        }
    }
    writeln!(to, "  {}", printable(&it.reason))?;
    for note in &it.notes {
        writeln!(to, "  note: {}", printable(note))?;
    }
    Ok(())
}

/// What tries the advice: for all loops of a group at once.
fn entries(it: &LoopAdvice) -> String {
    let advice = it.advice.as_deref().unwrap_or_default();
    let file = it.name.rsplit_once(':').map_or("", |(file, _)| file);
    match &it.group[..] {
        [] => format!("{}={advice}", it.name),
        lines => {
            let entries = lines.iter().map(|line| format!("{file}:{line}={advice}"));
            entries.collect::<Vec<_>>().join("; ")
        }
    }
}

fn costs(it: &LoopAdvice, to: &mut String) -> fmt::Result {
    let Some(now) = it.seconds_now else {
        return Ok(());
    };
    write!(to, "  takes {}", range(now, time))?;
    if let Some(share) = it.share_of_run {
        write!(to, ", {} of the run", percent(Some(share)))?;
    }
    if let (Some(as_is), Some(threads)) = (it.as_is_seconds.filter(|it| *it != now), it.threads) {
        write!(to, "; with {threads} threads {}", range(as_is, time))?;
    }
    if let (Some(seconds), Some(ratio)) = (it.predicted_seconds, it.predicted_ratio) {
        write!(
            to,
            "; would take {}, {} of that",
            range(seconds, time),
            range(ratio, |it| format!("{it:.2}"))
        )?;
    }
    if let Some(gain) = it.gain_of_run {
        write!(
            to,
            "; saves {} of the run",
            range(gain, |it| percent(Some(it)))
        )?;
    }
    writeln!(to)
}

/// The middle, and both ends where they are not the same.
fn range(it: Interval, text: impl Fn(f64) -> String) -> String {
    let [low, middle, high] = [it.low, it.middle, it.high].map(text);
    match low == high {
        true => middle,
        false => format!("{middle} ({low} to {high})"),
    }
}

const COLUMNS: [Column; 6] = [
    Column::text("schedule", 0),
    Column::number("predicted", 0),
    Column::number("low", 2),
    Column::number("high", 2),
    Column::number("of now", 0),
    Column::number("between", 1),
];

fn table(it: &LoopAdvice, width: Option<usize>) -> String {
    let rows = it.candidates.iter().map(|one| {
        let (seconds, ratio) = (one.predicted_seconds, one.predicted_ratio);
        let is_advice = it.advice.as_ref() == Some(&one.schedule);
        let is_now = it.now.as_ref() == Some(&one.schedule);
        let schedule = match (is_advice, is_now) {
            (true, _) => Cell::styled(format!("{} (advice)", one.schedule), GREEN),
            (_, true) => Cell::styled(format!("{} (now)", one.schedule), BOLD),
            _ => Cell::from(&one.schedule),
        };
        vec![
            schedule,
            time(seconds.middle).into(),
            time(seconds.low).into(),
            time(seconds.high).into(),
            format!("{:.2}", ratio.middle).into(),
            format!("{:.2} to {:.2}", ratio.low, ratio.high).into(),
        ]
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    render(&COLUMNS, &rows, 2, width)
}
