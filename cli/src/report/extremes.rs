//! What is shown of long lists: the most and the least, and bars beside them.

/// Lines that are listed; of more, those with the most and the least.
const MOST: usize = 16;
const BAR: usize = 20;

/// Leaves the most and the least of a long list, in its own order; gives how many are gone.
pub fn extremes<T>(all: &mut Vec<&T>, value: impl Fn(&T) -> f64) -> usize {
    if all.len() <= MOST {
        return 0;
    }
    let mut sorted: Vec<usize> = (0..all.len()).collect();
    sorted.sort_by(|one, other| value(all[*other]).total_cmp(&value(all[*one])));
    let gone = all.len() - MOST;
    sorted.drain(MOST / 2..MOST / 2 + gone);
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        sorted.contains(&(at - 1))
    });
    gone
}

/// Says so.
pub fn left_out_line(gone: usize) -> String {
    match gone {
        0 => String::new(),
        gone => format!("  {gone} between these: --json has all\n"),
    }
}

/// A value beside the largest.
pub fn bar(value: f64, most: f64) -> String {
    if most <= 0.0 {
        return String::new();
    }
    "█".repeat((value / most * BAR as f64).round() as usize)
}
