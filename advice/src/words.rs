//! Reasons in a sentence, with their numbers.

use ompchunk_figures::{Interval, number, percent, time};

use crate::dealing_time::{By, Hidden};
use crate::look::BUSY;
use crate::once::Once;
use crate::predict::Prediction;
use crate::schedule::Schedule;
use crate::shape::Shape;
use crate::simulate::{Team, simulate};

pub fn of_shape(shape: &Shape) -> Option<String> {
    Some(match shape {
        Shape::Even => return None,
        Shape::Step { range, times } => {
            format!("{} {} {} times the others", iterations(*range), take(*range), number(*times))
        }
        Shape::Spike { range, share, work } => {
            let [share, work] = [*share, *work].map(percent);
            format!("{} ({share} of all) {} {work} of the time", iterations(*range), take(*range))
        }
        Shape::Ramp { first, last } => {
            let how = if first > last { "cheaper" } else { "more expensive" };
            let [first, last] = [*first, *last].map(number);
            format!("iterations become {how}, from {first} times the mean to {last}")
        }
        Shape::Uneven { work } => format!(
            "iterations differ in no particular order: the most expensive tenth takes {} of the time",
            percent(*work)
        ),
    })
}

fn costs(prediction: &Prediction) -> String {
    let shape = Shape::from_work(&prediction.typical);
    match (&shape, prediction.follows_thread) {
        (Shape::Step { .. }, Some(times)) => format!(
            "one thread takes {} times as long per iteration as another; the cause may be the thread or its iterations",
            number(times)
        ),
        _ => of_shape(&shape).unwrap_or_else(|| "iterations are alike".to_owned()),
    }
}

pub fn in_blocks(name: &str, ratio: Interval) -> String {
    format!(
        "in blocks of equal cost, which no clause gives, it would take {ratio:.2} of the time: OMPCHUNK_SCHEDULE='{name}=balanced'"
    )
}

pub fn busiest(prediction: &Prediction, schedule: &Schedule) -> f64 {
    let team = Team::from_threads(prediction.threads);
    let simulated = simulate(schedule, &prediction.typical, &team, &Default::default());
    let mean = prediction.typical.total() / prediction.threads.max(1) as f64;
    if mean > 0.0 { simulated.time / mean } else { 1.0 }
}

/// Where a chunk may be nothing but dealing.
fn not_told(prediction: &Prediction, hidden: &Hidden) -> String {
    let [least, most] = hidden.dealing.map(|time_in_ns| time(time_in_ns / 1e9));
    let takes = match hidden.by {
        By::Dealing => format!("dealing it takes {least} to {most}"),
        By::Recording => format!("recording it takes {least} to {most}"),
        By::RecordingAndLines => {
            format!("recording it, and waiting for cache lines of its neighbours, may take {most}")
        }
    };
    // The report has it with what recording takes.
    let without = if hidden.by == By::Dealing { "" } else { " without recording" };
    let (now, chunk) = (prediction.now, time(hidden.chunk / 1e9));
    format!(
        "a chunk of {now} takes {chunk} on average{without}, and {takes}: that does not show how long its iterations take"
    )
}

pub fn gains(prediction: &Prediction, schedule: &Schedule) -> String {
    if let Some(hidden) = &prediction.hidden {
        return format!("{}, but {schedule} is faster however long they take", not_told(prediction, hidden));
    }
    let (now, then) = (busiest(prediction, &prediction.now), busiest(prediction, schedule));
    let why = costs(prediction);
    let (is_less, schedule_now, threads) = (now > then + 0.01, prediction.now, prediction.threads);
    let [now, then] = [now, then].map(number);
    match is_less {
        true => format!(
            "{why}, so under {schedule_now} the busiest of {threads} threads works {now} times the average, under {schedule} {then}"
        ),
        false if schedule_now.chunk.is_none() => format!(
            "{why}, and the busiest of {threads} threads works {now} times the average under both: some threads come late or are slower, \
             and others take over part of their work under {schedule}"
        ),
        false => format!(
            "{why}, and the chunks of {schedule_now} are so small that dealing them costs more than their balance saves"
        ),
    }
}

pub fn once(once: &Once) -> String {
    let (whose, left_out) = match once.count {
        1 => ("the first run takes".to_owned(), "is left out"),
        more => (format!("the first runs of {more} processes take"), "are left out"),
    };
    format!(
        "{whose} {} times as long as others with the same number of iterations, and {left_out}: no schedule saves what is done \
         once (memory that is touched for the first time, code that is loaded)",
        number(once.first / once.others)
    )
}

/// Why nothing is advised, where the best of all would be `best`.
pub fn stays(prediction: &Prediction, best: Option<(Schedule, Interval)>) -> String {
    let hidden = prediction.hidden.as_ref().map(|hidden| not_told(prediction, hidden));
    let why = hidden.unwrap_or_else(|| balance(prediction));
    match best {
        Some((schedule, ratio)) => {
            format!("{why}; the best other, {schedule}, would take {ratio:.2} of the time, which is not a certain gain")
        }
        None => format!("{why}; {}", nothing_better(prediction)),
    }
}

/// How the schedule as it is shares out what iterations cost.
pub fn balance(prediction: &Prediction) -> String {
    let (costs, now, threads) = (costs(prediction), prediction.now, prediction.threads);
    let times = number(busiest(prediction, &now));
    format!("{costs}, and under {now} the busiest of {threads} threads works {times} times the average")
}

/// The busiest thread works no more than this times the average: there is nothing to explain.
const EVEN: f64 = 1.05;

/// Why no other schedule would be faster, where threads are not busy alike.
fn nothing_better(prediction: &Prediction) -> String {
    let now = busiest(prediction, &prediction.now);
    let trips = prediction.typical.trips();
    if now < EVEN || trips == 0 {
        let alone = if prediction.taken > BUSY { "without the other programs on the machine, " } else { "" };
        return format!("{alone}no other schedule would be faster");
    }
    if trips <= prediction.threads as u64 {
        return format!("{trips} iterations for {} threads cannot be shared more evenly", prediction.threads);
    }
    let longest = prediction.typical.costliest() * prediction.threads as f64 / prediction.typical.total();
    if longest > now / EVEN {
        return format!(
            "a single iteration takes that long ({} of it), and no schedule divides it",
            percent((longest / now).min(1.0))
        );
    }
    let shares = prediction.candidates.iter().map(|candidate| busiest(prediction, &candidate.schedule));
    let is_less = shares.fold(f64::MAX, f64::min) < now / EVEN;
    match (is_less, prediction.follows_thread) {
        // As the report's hint.
        (false, _) if trips < 2 * prediction.threads as u64 => {
            "no other schedule shares them better, only more iterations do (collapse(2), where the nest allows it)"
        }
        (false, _) => "no other schedule shares them better",
        (true, Some(_)) => "other schedules would reduce that, but not if a thread was slow only this time",
        (true, None) => {
            "other schedules would reduce that, but dealing their chunks and waiting for them use up the gain"
        }
    }
    .to_owned()
}

fn take([first, last]: [u64; 2]) -> &'static str {
    if first == last { "takes" } else { "take" }
}

fn iterations([first, last]: [u64; 2]) -> String {
    if first == last { format!("iteration {first}") } else { format!("iterations {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Work;

    #[test]
    fn with_its_numbers() {
        let step = Shape::Step { range: [0, 900], times: 9.04 };
        assert_eq!(of_shape(&step).as_deref(), Some("iterations 0 to 900 take 9.04 times the others"));
        assert_eq!(of_shape(&Shape::Even), None);
        let spike = Shape::Spike { range: [7, 7], share: 0.001, work: 0.4 };
        assert_eq!(of_shape(&spike).as_deref(), Some("iteration 7 (0.1 % of all) takes 40.0 % of the time"));
    }

    #[test]
    fn where_all_are_busy_alike_nothing_is_to_explain() {
        let even = Prediction {
            now: Schedule::STATIC,
            threads: 2,
            as_is: Interval::exactly(1.0),
            candidates: Vec::new(),
            balanced: None,
            follows_thread: None,
            late: 0.0,
            taken: 0.0,
            overhead: 0.0,
            executions: 1,
            typical: Work::new([(1, 5.0); 8]),
            team: 2,
            hidden: None,
        };
        assert_eq!(nothing_better(&even), "no other schedule would be faster");
        let alone = nothing_better(&Prediction { taken: 0.9, ..even });
        assert_eq!(alone, "without the other programs on the machine, no other schedule would be faster");
    }
}
