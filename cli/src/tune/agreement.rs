//! Do the loops' ratios and the program's agree? Loops are measured in recorded runs, the program by itself: where recording changes a
//! loop's time, its ratio is not what users get.

use ompchunk_figures::Interval;

use super::measure::Measured;

/// What is closer than this is no disagreement.
const CLOSE: f64 = 0.02;

/// What the loops that changed predict for the whole program, where that lies outside what was measured of it.
pub fn disagreement<'a>(loops: impl Iterator<Item = &'a Measured>, whole: &Measured) -> Option<Interval> {
    let (measured, before) = (whole.ratio?, whole.before?);
    let predicted = predicted(loops, before)?;
    let apart = (predicted.low - measured.high).max(measured.low - predicted.high);
    (apart > CLOSE).then_some(predicted)
}

/// The program's time under the schedules as a multiple of that as compiled, which is between so many seconds. `None`: of a loop it is not known
/// how much of a run it takes.
fn predicted<'a>(loops: impl Iterator<Item = &'a Measured>, before: Interval) -> Option<Interval> {
    let mut whole: Interval = Interval::exactly(1.0);
    for measured in loops {
        let (of_run, ratio) = (measured.of_run?, measured.ratio?);
        whole.low -= of_run / before.low * (1.0 - ratio.low);
        whole.middle -= of_run / before.middle * (1.0 - ratio.middle);
        whole.high -= of_run / before.high * (1.0 - ratio.high);
    }
    // More cannot be saved than there is.
    Some(whole.map(|ratio| ratio.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::measure::compared;

    fn ratio(low: f64, middle: f64, high: f64) -> Option<Interval> {
        Some(Interval { low, middle, high })
    }

    fn found(of_run: Option<f64>, of_loop: Option<Interval>, of_program: Option<Interval>) -> Option<f64> {
        let of_loop = Measured { of_run, ratio: of_loop, ..compared(&[], &[]) };
        let whole = Measured { before: ratio(0.26, 0.26, 0.26), ratio: of_program, ..compared(&[], &[]) };
        disagreement([&of_loop].into_iter(), &whole).map(|predicted| predicted.middle)
    }

    /// Each of the loop's chunks took the recorder longer than the chunk itself: of a loop that is said to take 0.77 s of a run, the program
    /// itself knows that it takes 0.21 s.
    #[test]
    fn a_loop_that_recording_slows_down_is_told() {
        let program = ratio(0.380, 0.386, 0.390);
        let wrong = ratio(0.085, 0.088, 0.090);
        assert_eq!(found(Some(0.77), wrong, program), Some(0.0));
        assert_eq!(found(None, wrong, program), None);
        assert_eq!(found(Some(0.77), None, program), None);
        assert_eq!(found(Some(0.77), wrong, None), None);
        // Close to it.
        assert_eq!(found(Some(0.21), ratio(0.20, 0.21, 0.22), program), None);
    }
}
