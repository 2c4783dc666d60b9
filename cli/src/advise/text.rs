//! Advice as text: per loop what to write and what it saves, or why it is best left as it is.

use std::fmt::{self, Write as _};

use ompchunk_advice::{Advice, Interval, LoopAdvice};

use crate::prose::wrapped;
use crate::report::units::{BOLD, GREEN, YELLOW, percent, time};
use crate::table::{Cell, Column, printable, render};

/// All of it.
pub fn text(advice: &Advice, command: &str, all: bool, top: usize, width: Option<usize>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(advice, command, all, top, width, &mut text);
    text
}

fn write(
    advice: &Advice,
    command: &str,
    all: bool,
    top: usize,
    width: Option<usize>,
    to: &mut String,
) -> fmt::Result {
    let shown = match top {
        0 => advice.loops.len(),
        top => top.min(advice.loops.len()),
    };
    let mut head = String::new();
    summary(advice, &mut head)?;
    *to += &wrapped(&head, width);
    for it in &advice.loops[..shown] {
        let mut prose = String::new();
        of_loop(it, command, &mut prose)?;
        *to += &wrapped(&prose, width);
        if all && !it.candidates.is_empty() {
            *to += &table(it, width);
        }
    }
    let left = advice.loops.len() - shown;
    if left > 0 {
        writeln!(to, "\n{left} more: --top 0 shows all")?;
    }
    Ok(())
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
        writeln!(
            to,
            "a loop that asks for its thread's number, or adds up what each thread computed, may give other results under another schedule"
        )?;
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
        let pattern = format!("{}={}", it.name, it.advice.as_deref().unwrap_or_default());
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
