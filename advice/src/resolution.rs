//! What a profile is too coarse to tell: that the time of a piece is spread over its iterations is an assumption. Where a piece takes
//! much longer than those on both sides, it may as well be that of one iteration, and then no schedule can divide it.

use ompchunk_analysis::profile::Piece;

/// A share of all time that is worth a doubt.
const WORTH: f64 = 0.01;

/// The same with what pieces take beyond those around them in one of their iterations each; `None`: that would change nothing.
#[must_use]
pub fn narrow(pieces: &[Piece]) -> Option<Vec<(u64, f64)>> {
    let all: f64 = pieces.iter().map(|it| it.ns).sum();
    let rate = |it: &Piece| it.ns / it.iterations.max(1) as f64;
    let rates: Vec<f64> = pieces.iter().map(rate).collect();
    let rate_at = |at: Option<usize>| rates.get(at?).copied();
    let excess = |at: usize| {
        let [before, after] = [
            [at.checked_sub(1), at.checked_sub(2)],
            [Some(at + 1), Some(at + 2)],
        ]
        .map(|side| side.map(rate_at));
        let most = match (before, after) {
            // At an end, a slope may go on.
            ([None, _], [Some(near), far]) | ([Some(near), far], [None, _]) => {
                near.max(2.0 * near - far.unwrap_or(near))
            }
            // Two pieces may share what is narrow.
            ([Some(_), _], [Some(_), _]) => {
                let side = |side: [Option<f64>; 2]| side.into_iter().flatten().reduce(f64::min);
                side(before)?.max(side(after)?)
            }
            _ => return None,
        };
        let piece = &pieces[at];
        (piece.iterations > 1).then(|| (piece.ns - most * piece.iterations as f64).max(0.0))
    };
    let excess: Vec<f64> = (0..pieces.len())
        .map(|at| excess(at).unwrap_or(0.0))
        .collect();
    if !excess.iter().any(|it| *it >= all * WORTH && *it > 0.0) {
        return None;
    }
    let of = |(piece, excess): (&Piece, f64)| {
        let rest = (piece.ns - excess) / piece.iterations.max(1) as f64;
        let half = piece.iterations / 2;
        // The one in the middle: whichever it is, it is within one chunk.
        [
            (half, rest * half as f64),
            (1, rest + excess),
            (
                piece.iterations - half - 1,
                rest * (piece.iterations - half - 1) as f64,
            ),
        ]
    };
    let some = pieces.iter().zip(excess).filter(|it| it.0.iterations > 0);
    Some(some.flat_map(of).filter(|it| it.0 > 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(all: &[(u64, f64)]) -> Vec<Piece> {
        let piece = |(iterations, ns): &(u64, f64)| Piece {
            iterations: *iterations,
            ns: *ns,
            first: 0,
            thread: 0,
            readings: 1,
        };
        all.iter().map(piece).collect()
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
        let shared = narrow(&pieces(&[
            (10, 100.0),
            (5, 1050.0),
            (5, 550.0),
            (10, 100.0),
        ]))
        .unwrap();
        assert_eq!((shared[4], shared[7]), ((1, 1010.0), (1, 510.0)));
        // The last piece has one neighbour.
        assert!(narrow(&pieces(&[(10, 100.0), (5, 1050.0)])).is_some());
    }

    #[test]
    fn what_is_resolved_is_no_doubt() {
        for all in [
            &[][..],
            &[(100, 5000.0)],
            &[(0, 0.0), (0, 0.0)],
            // Single iterations.
            &[(10, 100.0), (1, 1050.0), (10, 100.0)],
            // A slope, and a step of several pieces.
            &[(10, 100.0), (10, 200.0), (10, 300.0)],
            &[
                (9, 1.0),
                (9, 81.0),
                (9, 81.0),
                (9, 81.0),
                (9, 81.0),
                (9, 1.0),
            ],
            // Too little.
            &[(1000, 100_000.0), (10, 1500.0), (1000, 100_000.0)],
        ] {
            assert_eq!(narrow(&pieces(all)), None, "{all:?}");
        }
    }
}
