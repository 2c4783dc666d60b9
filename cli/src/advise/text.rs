//! Advice as text: per loop what to write and what it saves, or why it is best left as it is.

use ompchunk_advice::{Advice, LoopAdvice};
use ompchunk_figures::Interval;

use crate::args::Advise as Arguments;
use crate::prose::{first_names, wrapped};
use crate::report::units::{BOLD, GREEN, YELLOW, counted, percent, shown, time};
use crate::report::verdict::MATTERS;
use crate::signature::short;
use crate::table::{Cell, Field, printable, render};

pub fn text(advice: &Advice, command: &str, asked: &Arguments, width: Option<usize>) -> String {
    // Nothing is to be said of what must stay as it is, unless somebody asks.
    let is_asked = asked.all || !asked.loops.is_empty();
    let (bound, loops): (Vec<_>, Vec<_>) =
        (advice.loops.iter()).partition(|the_loop| the_loop.promise == "bound" && !is_asked);
    let (loops, small): (Vec<_>, Vec<_>) = loops.into_iter().partition(|the_loop| is_asked || matters(the_loop));
    let shown = shown(asked.top, loops.len());
    let mut text = wrapped(&summary(advice), width);
    for the_loop in &loops[..shown] {
        text += &wrapped(&of_loop(the_loop, command), width);
        if asked.all && !the_loop.candidates.is_empty() {
            text += &table(the_loop, width);
        }
    }
    let left = loops.len() - shown;
    if left > 0 {
        text += &format!("\n{left} more: --top 0 shows all\n");
    }
    text += &match small.len() {
        0 => String::new(),
        1 => "\n1 other loop takes less than 1 % of the run: leave it\n".to_owned(),
        several => format!("\n{several} other loops take less than 1 % of the run each: leave them\n"),
    };
    if !bound.is_empty() {
        let names = printable(&first_names(bound.iter().map(|bound| &bound.name), MOST_NAMES));
        let left_alone = format!(
            "\nno other schedule is considered for {names}: something may rely on which thread runs which iteration (--all or --loop \
             says what)\n"
        );
        text += &wrapped(&left_alone, width);
    }
    text
}

fn matters(loop_advice: &LoopAdvice) -> bool {
    loop_advice.advice.is_some() || loop_advice.share_of_run.is_none_or(|share| share >= MATTERS)
}

const MOST_NAMES: usize = 5;

fn summary(advice: &Advice) -> String {
    let mut text = changes(advice) + "\n";
    if !advice.loops.is_empty() {
        text += &(Interval::<90>::legend() + "\n");
    }
    if let Some(dealing) = &advice.dealing {
        let [dynamic, guided] = [&dealing.dynamic, &dealing.guided].map(|cost| {
            let (low, high) = (cost.alone.min(cost.together), cost.alone.max(cost.together));
            format!("{} to {}", time(low / 1e9), time(high / 1e9))
        });
        let (threads, runtime) = (dealing.threads, printable(&dealing.runtime));
        text += &format!("dealing a chunk takes {dynamic} (dynamic), {guided} (guided), measured with ");
        text += &format!("{threads} threads of {runtime}\n");
    }
    text.extend(advice.notes.iter().map(|note| format!("{YELLOW}note:{YELLOW:#} {}\n", printable(note))));
    text
}

fn changes(advice: &Advice) -> String {
    let number = |is_meant: &dyn Fn(&&LoopAdvice) -> bool| advice.loops.iter().filter(is_meant).count() as u64;
    let possible = number(&|found| may_be_faster(found).is_some());
    let advised = number(&|found| found.advice.is_some());
    let unjudged = number(&|found| found.needs_profile && matters(found));
    match (advised, unjudged, advice.loops.len() as u64) {
        (_, _, 0) => "the trace has no loops".to_owned(),
        (0, 0, _) if possible > 0 => format!(
            "no certain gain: chunks of {} are too short to predict, and ompchunk tune measures what may be faster",
            counted(possible, "loop")
        ),
        (0, 0, total) => format!("no certain gain: leave the schedule of {}", counted(total, "loop")),
        (0, unjudged, total) if unjudged < total => {
            format!("{unjudged} of {total} loops cannot be judged without a profile; leave the schedule of the others")
        }
        (0, unjudged, _) => format!("{} cannot be judged without a profile", counted(unjudged, "loop")),
        (advised, _, _) => {
            let gain = advice.gain_of_run.map(|gain| format!(" saves {} of the run", gain.written(percent)));
            let (loops, gain, caution) = (counted(advised, "loop"), gain.unwrap_or_default(), caution(advice));
            format!("another schedule for {loops}{gain}\n{caution} under another schedule")
        }
    }
}

fn caution(advice: &Advice) -> &'static str {
    let unknown = |found: &LoopAdvice| found.advice.is_some() && found.promise == "unknown";
    if advice.loops.iter().any(unknown) {
        "a loop that asks for its thread's number, or adds up what each thread computed, may give different results"
    } else {
        "a loop that adds up floating-point numbers may give different last digits"
    }
}

fn of_loop(loop_advice: &LoopAdvice, command: &str) -> String {
    let function = loop_advice.function.as_deref().map(|function| format!(" in {}", short(function)));
    let place = printable(&format!("{}{}", loop_advice.name, function.unwrap_or_default()));
    let now = loop_advice.now.as_deref().unwrap_or("its schedule");
    let what = match (&loop_advice.advice, may_be_faster(loop_advice)) {
        (Some(advice), _) => format!("{GREEN}{advice}{GREEN:#} instead of {now}"),
        (None, _) if loop_advice.needs_profile => format!("{now}, and no profile"),
        (None, Some(possible)) => format!("{now}, not to be predicted; ompchunk tune measures {possible}"),
        (None, None) => format!("leave {now}"),
    };
    let number = loop_advice.number;
    let mut text =
        format!("\n{BOLD}loop {number}  {place}{BOLD:#}: {what}\n{}", costs(loop_advice).unwrap_or_default());
    if let Some(clause) = &loop_advice.clause {
        text += &format!("  write  {clause}\n");
        if loop_advice.file.is_some() && loop_advice.notes.iter().all(|note| !note.contains("at run time")) {
            let (entries, command) = (printable(&entries(loop_advice)), printable(command));
            text += &format!("  try    ompchunk run --schedule '{entries}' {command}\n");
        }
    }
    text += &format!("  {}\n", printable(&loop_advice.reason));
    text.extend(loop_advice.notes.iter().map(|note| format!("  note: {}\n", printable(note))));
    text
}

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
        lines => lines.iter().map(|line| format!("{file}:{line}={advice}")).collect::<Vec<_>>().join("; "),
    }
}

fn costs(loop_advice: &LoopAdvice) -> Option<String> {
    let now = loop_advice.seconds_now?;
    let mut text = format!("  takes {}", now.written(time));
    if let Some(share) = loop_advice.share_of_run {
        text += &format!(", {} of the run", percent(share));
    }
    let as_is = loop_advice.as_is_seconds.filter(|as_is_seconds| *as_is_seconds != now);
    if let (Some(as_is), Some(threads)) = (as_is, loop_advice.threads) {
        text += &format!("; with {threads} threads {}", as_is.written(time));
    }
    if let (Some(seconds), Some(ratio)) = (loop_advice.predicted_seconds, loop_advice.predicted_ratio) {
        text += &format!("; would take {}, {} of that", seconds.written(time), ratio);
    }
    if let Some(gain) = loop_advice.gain_of_run {
        text += &format!("; saves {} of the run", gain.written(percent));
    }
    Some(text + "\n")
}

fn table(loop_advice: &LoopAdvice, width: Option<usize>) -> String {
    let rows = loop_advice.candidates.iter().chain(&loop_advice.balanced).map(|one| {
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
    render(&rows.collect::<Vec<_>>(), 2, width)
}
