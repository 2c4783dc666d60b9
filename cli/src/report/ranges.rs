//! Numbers of ranks, as they are asked for: `0-63,70`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use ompchunk_trace_format::Part;
use ompchunk_trace_format::environment::rank_of;

pub fn ranges(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    let numbers: BTreeSet<u64> = numbers.into_iter().collect();
    let mut found: Vec<RangeInclusive<u64>> = Vec::new();
    for number in numbers {
        match found.last_mut() {
            Some(last) if last.end() + 1 == number => *last = *last.start()..=number,
            _ => found.push(number..=number),
        }
    }
    found.iter().map(range).collect()
}

pub fn range(of: &RangeInclusive<u64>) -> String {
    match (of.start(), of.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

/// Ranks below the highest one that have neither a part nor a file; something else is said of files that cannot be read.
pub fn missing(parts: &[&Part], files: &[PathBuf]) -> Option<String> {
    const MOST: usize = 10;
    let files = files.iter().filter_map(|file| rank_of(file));
    let there: BTreeSet<u64> = parts.iter().filter_map(|part| part.meta().rank).chain(files).collect();
    let mut next = 0;
    let mut gaps = Vec::new();
    for rank in there {
        if rank > next {
            gaps.push(next..=rank - 1);
        }
        next = rank.saturating_add(1);
    }
    let named: Vec<String> = gaps.iter().take(MOST).map(range).collect();
    let more = if gaps.len() > MOST { " and others" } else { "" };
    (!gaps.is_empty()).then(|| named.join(",") + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_are_one_range() {
        assert_eq!(ranges([3, 70, 1, 2, 70, 0]), ["0-3", "70"]);
        assert_eq!(ranges([u64::MAX, 0]), ["0", &u64::MAX.to_string()]);
        assert!(ranges([]).is_empty());
    }
}
