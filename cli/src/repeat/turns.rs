//! Candidates take turns, so that none has another machine than the others: one that gets slower over minutes changes no comparison.

use anyhow::Result;

/// What becomes of a candidate after its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Stays,
    LeavesOut,
    /// Nothing more is learned from any.
    EndsAll,
}

/// Runs each candidate once in a round, until `is_known` says so after a round, or none is left.
pub fn take_turns<C: Copy + PartialEq>(
    candidates: &[C],
    mut run: impl FnMut(usize, C) -> Result<Turn>,
    mut is_known: impl FnMut(usize) -> bool,
) -> Result<()> {
    let mut left = candidates.to_vec();
    for round in 0.. {
        for candidate in order(&left, round) {
            match run(round, candidate)? {
                Turn::Stays => {}
                Turn::LeavesOut => left.retain(|other| *other != candidate),
                Turn::EndsAll => return Ok(()),
            }
        }
        if left.is_empty() || is_known(round + 1) {
            break;
        }
    }
    Ok(())
}

/// The order in a round: up and down in turns, and each time begun elsewhere, so that none always comes first, or always after the same
/// other one.
fn order<C: Copy>(candidates: &[C], round: usize) -> Vec<C> {
    let mut order = candidates.to_vec();
    if let Some(places) = (round / 2).checked_rem(order.len()) {
        order.rotate_left(places);
    }
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_begin_elsewhere() {
        let orders: Vec<_> = (0..6).map(|round| order(&[1, 2, 4], round)).collect();
        let wanted = [[1, 2, 4], [4, 2, 1], [2, 4, 1], [1, 4, 2], [4, 1, 2], [2, 1, 4]];
        assert_eq!(orders, wanted);
        assert!(order(&[0; 0], 3).is_empty());
        // In pairs, as the Thue-Morse sequence begins.
        let pairs: Vec<_> = (0..4).flat_map(|round| order(&['a', 'b'], round)).collect();
        assert_eq!(pairs.iter().collect::<String>(), "abbabaab");
    }

    #[test]
    fn what_is_left_out_has_no_more_turns() {
        let mut turns = Vec::new();
        let run = |round, candidate| {
            turns.push((round, candidate));
            Ok(if candidate == 2 { Turn::LeavesOut } else { Turn::Stays })
        };
        take_turns(&[1, 2, 3], run, |rounds| rounds == 2).unwrap();
        assert_eq!(turns, [(0, 1), (0, 2), (0, 3), (1, 3), (1, 1)]);
    }
}
