//! What is not the loop's: time off a core, and what recording cost. Below noise nothing is said.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{LoopReport, OffCoreReport, PageFaults};

use super::units::{count, counted, percent, time};

/// A smaller share of the time is noise.
const NOISE: f64 = 0.001;

/// Less of the threads' time in the kernel is not worth a line.
const FEW_FAULTS: f64 = 0.01;

/// Time off a core and why; nothing where it is not known or less than noise.
pub fn off_core(off: Option<OffCoreReport>, of: f64) -> Option<String> {
    let off = off.filter(|off| off.seconds > NOISE * of)?;
    let whys = [
        (off.preempted_seconds, "preempted"),
        (off.waiting_seconds, "waiting"),
        (off.either_seconds, "preempted or waiting"),
    ];
    let matters = |(seconds, _): &&(f64, &str)| *seconds > NOISE * off.seconds;
    let some: Vec<_> = whys.iter().filter(matters).collect();
    Some(match some[..] {
        [(seconds, why)] => format!("{} {why}", time(*seconds)),
        _ => {
            let each = some.iter().map(|(seconds, why)| format!("{} {why}", time(*seconds)));
            let each: Vec<String> = each.collect();
            format!("{} ({})", time(off.seconds), each.join(", "))
        }
    })
}

/// The time alone, where there is something to say.
pub fn off_core_seconds(off: Option<OffCoreReport>, of: f64) -> Option<f64> {
    off_core(off, of).and(off).map(|off| off.seconds)
}

pub fn of_loop(loop_report: &LoopReport, to: &mut String) -> fmt::Result {
    if let Some(text) = off_core(loop_report.off_core, loop_report.busy_seconds) {
        writeln!(to, "  not on a core: {text}")?;
    }
    page_faults(loop_report, to)?;
    let (Some(share), Some(own)) = (loop_report.recorder_share, loop_report.recorder_seconds) else {
        return Ok(());
    };
    write!(to, "  recorder {} of the loop: ", percent(share))?;
    write!(to, "{} for blocks and the like, taken out", time(own))?;
    match loop_report.reading_seconds {
        Some(reading) => writeln!(to, "; about {} for reading the clock, still in the times", time(reading)),
        None => writeln!(to),
    }
}

/// Where there are some.
fn page_faults(loop_report: &LoopReport, to: &mut String) -> fmt::Result {
    let is_noise =
        |faults: &&PageFaults| faults.all() == 0 || faults.kernel_seconds < FEW_FAULTS * loop_report.busy_seconds;
    let Some(faults) = loop_report.page_faults.as_ref().filter(|faults| !is_noise(faults)) else {
        return Ok(());
    };
    let runs = loop_report.executions + loop_report.counted_executions;
    let of = match faults.executions < runs {
        true => format!(" in {} runs that were looked at", count(faults.executions)),
        false => String::new(),
    };
    let first = match faults.first_and_others() {
        Some((first, _)) => format!(", {} of them in the first", count(first)),
        None => String::new(),
    };
    writeln!(
        to,
        "  {}{of}{first}; threads spent {} in the kernel",
        counted(faults.all(), "page fault"),
        time(faults.kernel_seconds)
    )
}

/// By how much the clock of a run advances at once, where that is known to be long.
pub fn clock_step(report: &Report) -> Option<f64> {
    let steps = report.parts.iter().filter_map(|part| part.clock_step_seconds);
    steps.reduce(f64::max)
}

/// A time as the clock knows it: one that is shorter than a step is not 0.
pub fn known(seconds: f64, step: Option<f64>) -> String {
    match step.filter(|step| seconds < *step) {
        Some(step) => format!("< {}", time(step)),
        None => time(seconds),
    }
}

/// How exact times are, where the clock's steps are longer than its readings.
pub fn of_clock(report: &Report, to: &mut String) -> fmt::Result {
    match clock_step(report) {
        Some(step) => writeln!(
            to,
            "the clock has steps of {}: each time is known to one step, and a chunk that is shorter counts as 0 in sums",
            time(step)
        ),
        None => Ok(()),
    }
}

/// What recording cost the whole run, of its threads' time.
struct RunCost {
    own: f64,
    reading: f64,
    storing: Option<f64>,
    share: f64,
}

impl RunCost {
    /// `None`: not told.
    fn from_report(report: &Report) -> Option<RunCost> {
        let parts = || report.parts.iter();
        let own = parts().map(|part| part.recorder_seconds).sum::<Option<f64>>()?;
        let reading = parts().map(|part| part.reading_seconds).sum::<Option<f64>>()?;
        let storing: Option<f64> = parts().map(|part| part.storing_seconds).sum();
        let all: f64 = parts().map(|part| part.seconds * part.threads as f64).sum();
        // What a callback does before and after its readings of the clock is not timed, nor what the runtime does to call it.
        let share = (own + storing.unwrap_or(0.0) + reading) / all;
        // Of a process that was killed the end is not told, and sums are.
        (all > 0.0 && share <= 1.0).then_some(RunCost { own, reading, storing, share })
    }
}

/// Where recording cost so much, all that is short is shown too long.
const MUCH: f64 = 0.1;

/// What must be known before anything else; nothing where recording cost little.
pub fn warning(report: &Report) -> Option<String> {
    let share = RunCost::from_report(report)?.share;
    (share >= MUCH).then(|| {
        format!(
            "recording took at least {} of the threads' time: short regions, barriers and tasks take less without",
            percent(Some(share))
        )
    })
}

/// All that is known of it.
pub fn of_run(report: &Report, to: &mut String) -> fmt::Result {
    let Some(RunCost { own, reading, storing, share }) = RunCost::from_report(report) else {
        return Ok(());
    };
    let for_storing = storing.map_or(String::new(), |seconds| format!(", about {} for storing events", time(seconds)));
    writeln!(
        to,
        "recording took at least {} of the threads' time: {} for blocks and the like{for_storing}, about {} for reading the clock",
        percent(Some(share)),
        time(own),
        time(reading)
    )
}
