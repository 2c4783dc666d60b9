//! What a profile is too coarse to tell: that the time of a piece is spread over its iterations is an assumption. Where a piece takes
//! much longer than those on both sides, it may as well be that of one iteration, and then no schedule can divide it.

use ompchunk_analysis::profile::Piece;

/// A share of all time that is worth a doubt.
const WORTH: f64 = 0.01;

/// The same with what pieces take beyond those around them in one of their iterations each; `None`: that would change nothing.
pub fn narrow(pieces: &[Piece]) -> Option<Vec<(u64, f64)>> {
    let total: f64 = pieces.iter().map(|piece| piece.ns).sum();
    let rate = |piece: &Piece| piece.ns / piece.iterations.max(1) as f64;
    let rates: Vec<f64> = pieces.iter().map(rate).collect();
    let excess: Vec<f64> = (0..pieces.len()).map(|number| excess(pieces, &rates, number).unwrap_or(0.0)).collect();
    let is_worth = |excess: &f64| *excess >= total * WORTH && *excess > 0.0;
    excess.iter().any(is_worth).then(|| {
        let with_excess = pieces.iter().zip(excess);
        let parts = with_excess.flat_map(|(piece, excess)| apart(piece, excess));
        parts.filter(|(iterations, _)| *iterations > 0).collect()
    })
}

/// What a piece takes beyond those around it; `None`: it has one iteration, or nothing is around it.
fn excess(pieces: &[Piece], rates: &[f64], number: usize) -> Option<f64> {
    let rate_at = |number: Option<usize>| rates.get(number?).copied();
    let before = [number.checked_sub(1), number.checked_sub(2)].map(rate_at);
    let after = [Some(number + 1), Some(number + 2)].map(rate_at);
    let most = match (before, after) {
        // At an end, a slope may go on.
        ([None, _], [Some(near), far]) | ([Some(near), far], [None, _]) => near.max(2.0 * near - far.unwrap_or(near)),
        // Two pieces may share what is narrow.
        ([Some(_), _], [Some(_), _]) => {
            let side = |side: [Option<f64>; 2]| side.into_iter().flatten().reduce(f64::min);
            side(before)?.max(side(after)?)
        }
        _ => return None,
    };
    let piece = &pieces[number];
    (piece.iterations > 1).then(|| (piece.ns - most * piece.iterations as f64).max(0.0))
}

/// A piece with its excess in the iteration in its middle: whichever it is, it is within one chunk.
fn apart(piece: &Piece, excess: f64) -> [(u64, f64); 3] {
    let Some(rest) = piece.iterations.checked_sub(1) else {
        return [(0, 0.0); 3];
    };
    let rate = (piece.ns - excess) / piece.iterations as f64;
    let before = piece.iterations / 2;
    let after = rest - before;
    [(before, rate * before as f64), (1, rate + excess), (after, rate * after as f64)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(parts: &[(u64, f64)]) -> Vec<Piece> {
        let piece = |(iterations, ns): &(u64, f64)| Piece {
            iterations: *iterations,
            ns: *ns,
            first: 0,
            thread: 0,
            readings: 1,
        };
        parts.iter().map(piece).collect()
    }

    #[test]
    fn all_that_neighbours_do_not_explain_in_one_iteration() {
        let found = narrow(&pieces(&[(10, 100.0), (5, 1050.0), (10, 200.0)])).unwrap();
        assert_eq!(
            found,
            [
                (5, 50.0),
                (1, 10.0),
                (4, 40.0),
                (2, 40.0),
                (1, 20.0 + 950.0),
                (2, 40.0),
                (5, 100.0),
                (1, 20.0),
                (4, 80.0)
            ]
        );
        // A piece of nothing is none, and takes nobody's place.
        let nothing = [(0, 0.0), (10, 100.0), (10, 100.0), (5, 1050.0), (10, 100.0)];
        let found = narrow(&pieces(&nothing)).unwrap();
        assert!(found.contains(&(1, 1010.0)), "{found:?}");
        // What two pieces share.
        let shared = narrow(&pieces(&[(10, 100.0), (5, 1050.0), (5, 550.0), (10, 100.0)])).unwrap();
        assert_eq!((shared[4], shared[7]), ((1, 1010.0), (1, 510.0)));
        // The last piece has one neighbour.
        assert!(narrow(&pieces(&[(10, 100.0), (5, 1050.0)])).is_some());
    }

    #[test]
    fn what_is_resolved_is_no_doubt() {
        for parts in [
            &[][..],
            &[(100, 5000.0)],
            &[(0, 0.0), (0, 0.0)],
            // Single iterations.
            &[(10, 100.0), (1, 1050.0), (10, 100.0)],
            // A slope, and a step of several pieces.
            &[(10, 100.0), (10, 200.0), (10, 300.0)],
            &[(9, 1.0), (9, 81.0), (9, 81.0), (9, 81.0), (9, 81.0), (9, 1.0)],
            // Too little.
            &[(1000, 100_000.0), (10, 1500.0), (1000, 100_000.0)],
        ] {
            assert_eq!(narrow(&pieces(parts)), None, "{parts:?}");
        }
    }
}
