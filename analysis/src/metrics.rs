//! Balance and efficiency, in the definitions of the POP project (`docs/report.md`). Useful is the time in chunks, less waits for locks and
//! bookkeeping as far as they were measured; elapsed is from the first thread that begins the loop to the last that ends it, without
//! the barrier, so that threads that wait there do not count it twice. What an execution loses at its barrier no later one makes
//! good: busiest and average thread are found for each, then added up. Of loops between the same barriers see `phase`.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::join::Executions;
use crate::merge::Merge;
use crate::model::Metrics;

/// Sums of one or more parts, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) time: f64,
    pub(crate) busiest: f64,
    pub(crate) average: f64,
}

merge!(Totals: time, busiest, average);

impl Totals {
    pub(crate) fn from_executions(executions: &Executions, seconds: impl Fn(f64) -> f64) -> Totals {
        Totals {
            time: seconds(executions.times.time),
            busiest: seconds(executions.times.busiest),
            average: seconds(executions.times.average),
        }
    }

    /// Each thread has so much less useful time.
    pub(crate) fn without(self, seconds: f64) -> Totals {
        let seconds = seconds.min(self.average);
        Totals { busiest: self.busiest - seconds, average: self.average - seconds, ..self }
    }

    pub(crate) fn metrics(&self) -> Metrics {
        Metrics {
            seconds: self.time,
            load_balance: ratio(self.average, self.busiest),
            communication_efficiency: ratio(self.busiest, self.time),
            parallel_efficiency: ratio(self.average, self.time),
            imbalance_seconds: self.busiest - self.average,
        }
    }
}

pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

pub(crate) fn balance(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let count = values.clone().count();
    let largest = values.clone().fold(0.0, f64::max);
    ratio(values.sum::<f64>() / count.max(1) as f64, largest)
}

pub(crate) fn imbalance(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let count = values.clone().count();
    let largest = values.clone().fold(0.0, f64::max);
    (largest > 0.0).then(|| largest - values.sum::<f64>() / count as f64)
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let measured = |value: f64| (self.seconds > 0.0).then_some(value);
        let mut to = to.serialize_struct("Metrics", 5)?;
        to.serialize_field("seconds", &measured(self.seconds))?;
        to.serialize_field("load_balance", &self.load_balance)?;
        let communication = &self.communication_efficiency;
        to.serialize_field("communication_efficiency", communication)?;
        to.serialize_field("parallel_efficiency", &self.parallel_efficiency)?;
        to.serialize_field("imbalance_seconds", &measured(self.imbalance_seconds))?;
        to.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_the_parallel_efficiency() {
        // Three threads that work 6, 3 and 0 seconds of 8.
        let metrics = Totals { time: 8.0, busiest: 6.0, average: 3.0 }.metrics();
        assert_eq!(metrics.load_balance, Some(0.5));
        assert_eq!(metrics.communication_efficiency, Some(0.75));
        assert_eq!(metrics.parallel_efficiency, Some(0.375));
        assert_eq!(metrics.imbalance_seconds, 3.0);
    }

    #[test]
    fn nothing_has_no_efficiency() {
        let metrics = Totals::default().metrics();
        assert_eq!(metrics.load_balance, None);
        assert_eq!(metrics.parallel_efficiency, None);
        assert_eq!(balance([].into_iter()), None);
        assert_eq!(balance([0.0, 0.0].into_iter()), None);
        assert_eq!(balance([4.0, 2.0].into_iter()), Some(0.75));
    }
}
