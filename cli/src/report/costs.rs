//! What is not the loop's: time off a core, and what recording cost. Below noise nothing is said.

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
    let each = whys.iter().filter(matters).map(|(seconds, why)| format!("{} {why}", time(*seconds)));
    let each: Vec<String> = each.collect();
    Some(if each.len() == 1 { each.concat() } else { format!("{} ({})", time(off.seconds), each.join(", ")) })
}

pub fn off_core_seconds(off: Option<OffCoreReport>, of: f64) -> Option<f64> {
    off_core(off, of).and(off).map(|off| off.seconds)
}

pub fn of_loop(loop_report: &LoopReport) -> String {
    let mut text = String::new();
    if let Some(off_core) = off_core(loop_report.off_core, loop_report.busy_seconds) {
        text += &format!("  not on a core: {off_core}\n");
    }
    text += &page_faults(loop_report).unwrap_or_default();
    if let (Some(share), Some(own)) = (loop_report.recorder_share, loop_report.recorder_seconds) {
        let (share, own) = (percent(share), time(own));
        text += &format!("  recorder {share} of the loop: {own} for blocks and the like, taken out");
        if let Some(reading) = loop_report.reading_seconds {
            text += &format!("; about {} for reading the clock, still in the times", time(reading));
        }
        text.push('\n');
    }
    text
}

fn page_faults(loop_report: &LoopReport) -> Option<String> {
    let is_noise =
        |faults: &PageFaults| faults.all() == 0 || faults.kernel_seconds < FEW_FAULTS * loop_report.busy_seconds;
    let faults = loop_report.page_faults.as_ref().filter(|faults| !is_noise(faults))?;
    let mut text = format!("  {}", counted(faults.all(), "page fault"));
    if faults.executions < loop_report.executions + loop_report.counted_executions {
        text += &format!(" in {} runs that were looked at", count(faults.executions));
    }
    if let Some((first, _)) = faults.first_and_others() {
        text += &format!(", {} of them in the first", count(first));
    }
    Some(text + &format!("; threads spent {} in the kernel\n", time(faults.kernel_seconds)))
}

/// By how much the clock of a run advances at once, where that is known to be long.
pub fn clock_step(report: &Report) -> Option<f64> {
    report.parts.iter().filter_map(|part| part.clock_step_seconds).reduce(f64::max)
}

pub fn known(seconds: f64, step: Option<f64>) -> String {
    step.filter(|step| seconds < *step).map_or_else(|| time(seconds), |step| format!("< {}", time(step)))
}

pub fn of_clock(report: &Report) -> Option<String> {
    let step = time(clock_step(report)?);
    Some(format!(
        "the clock has steps of {step}: each time is known to one step, and a chunk that is shorter counts as 0 in sums"
    ))
}

/// What recording cost the whole run, as a share of its threads' time, and for what. `None`: not told.
fn run_cost(report: &Report) -> Option<(f64, String)> {
    let parts = || report.parts.iter();
    let own = parts().map(|part| part.recorder_seconds).sum::<Option<f64>>()?;
    let reading = parts().map(|part| part.reading_seconds).sum::<Option<f64>>()?;
    let storing: Option<f64> = parts().map(|part| part.storing_seconds).sum();
    let all: f64 = parts().map(|part| part.seconds * part.threads as f64).sum();
    // What a callback does before and after its readings of the clock is not timed, nor what the runtime does to call it.
    let share = (own + storing.unwrap_or(0.0) + reading) / all;
    let storing = storing.map_or(String::new(), |seconds| format!(", about {} for storing events", time(seconds)));
    let (own, reading) = (time(own), time(reading));
    let what = format!("{own} for blocks and the like{storing}, about {reading} for reading the clock");
    // Of a process that was killed the end is not told, and sums are.
    (all > 0.0 && share <= 1.0).then_some((share, what))
}

/// Where recording cost so much, all that is short is shown too long.
const MUCH: f64 = 0.1;

pub fn warning(report: &Report) -> Option<String> {
    let (share, _) = run_cost(report)?;
    (share >= MUCH).then(|| {
        format!(
            "recording took at least {} of the threads' time: short regions, barriers and tasks take less without",
            percent(share)
        )
    })
}

pub fn of_run(report: &Report) -> Option<String> {
    let (share, what) = run_cost(report)?;
    Some(format!("recording took at least {} of the threads' time: {what}", percent(share)))
}
