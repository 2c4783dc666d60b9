//! What is said when the program ends.

use chunk_tool::Known;

use crate::book::Entries;
use crate::promise::Promise;
use crate::text::name;

/// Most loops and pairs that one line names.
const MOST_NAMES: usize = 20;

/// What was watched, when the program ends.
pub(crate) fn of_all(entries: &Entries) -> String {
    let mut parts = vec![of_pairs(entries)];
    parts.extend(of_alone(entries));
    if !entries.unseen.is_empty() {
        parts.push(format!(
            "loops at {} were compiled without the plugin, and not seen",
            counted(entries.unseen.len(), "place")
        ));
    }
    if entries.is_full {
        parts.push("there were more loops than are compared, so not all were".to_owned());
    }
    parts.join("; ")
}

fn of_pairs(entries: &Entries) -> String {
    let all = entries.pairs.len();
    let mut moved: Vec<_> = entries
        .pairs
        .values()
        .filter(|(_, _, regions)| regions.moved > 0)
        .map(|(left, right, regions)| {
            let names = match std::ptr::eq(*left, *right) {
                true => format!("executions of {}", name(left)),
                false => format!("{} and {}", name(left), name(right)),
            };
            format!("{names} in {} of {} regions", regions.moved, regions.compared)
        })
        .collect();
    moved.sort();
    let pairs = counted(all, "pair");
    let loops = counted(entries.loops.len(), "loop");
    let regions = counted(entries.regions as usize, "parallel region");
    let of_strays = match entries.strays.len() {
        0 => "nothing moved".to_owned(),
        strays => format!("{} did not deal its chunks in turn", counted(strays, "loop")),
    };
    match (all, moved.len()) {
        (0, _) => format!(
            "{of_strays}: among {loops} that were watched there was no pair that promises a thread the same iterations"
        ),
        (_, 0) => {
            format!("{of_strays}: {pairs} of {loops} gave each thread the same iterations in {regions}")
        }
        (_, number) => format!("{number} of {all} pairs of loops moved: {}", listed(moved, "pairs")),
    }
}

/// `1 loop`, `2 loops`
fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Loops that ran under another schedule and had none to compare with: what relies on them may be other code.
fn of_alone(entries: &Entries) -> Option<String> {
    let is_compared = |the_loop: &Known| {
        let mut pairs = entries.pairs.values();
        pairs.any(|(left, right, _)| std::ptr::eq(*left, the_loop) || std::ptr::eq(*right, the_loop))
    };
    // Chunks in turn need no other loop to be compared with.
    let is_in_turn = |the_loop: &Known| matches!(Promise::from_record(&the_loop.record), Some(Promise::InTurn(_)));
    let alone = entries
        .loops
        .values()
        .filter(|(the_loop, changed)| *changed && !is_compared(the_loop) && !is_in_turn(the_loop));
    let mut names: Vec<String> = alone.map(|(the_loop, _)| name(the_loop)).collect();
    names.sort();
    (!names.is_empty())
        .then(|| format!("changed, not free, and without another loop to compare with: {}", listed(names, "loops")))
}

fn listed(names: Vec<String>, what: &str) -> String {
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more {what}"),
    };
    names[..names.len().min(MOST_NAMES)].join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_end() {
        let names = |number| (0..number).map(|index: u32| index.to_string()).collect();
        assert_eq!(listed(names(3), "loops"), "0, 1, 2");
        assert!(listed(names(25), "loops").ends_with(", 19 and 5 more loops"));
    }
}
