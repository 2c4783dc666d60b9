//! The user's own indices: what the shim says of the loop's variable against its values.

use super::expected::Expected;
use super::violation::What;
use crate::log::{Iteration, Variable};

/// `ompt_chunk_start_known | ompt_chunk_step_known`.
const BOTH: u64 = 1 << 3 | 1 << 4;

/// Judges what was said before `iterations` of `the_loop` ran.
pub fn judge(
    the_loop: u64,
    said: Option<Variable>,
    iterations: &[Iteration],
    expected: &Expected,
    wrong: &mut impl FnMut(What),
) {
    let Some(said) = said else { return };
    if expected.user_unknown.contains(&the_loop) && said.known != 0 {
        wrong(What::Variable(said, None));
    }
    if !expected.user_known.contains(&the_loop) {
        return;
    }
    if said.known != BOTH || !(8..=64).contains(&said.bits) {
        wrong(What::Variable(said, None));
        return;
    }
    let mask = u64::MAX >> (64 - said.bits);
    for iteration in iterations {
        let value = said.start.wrapping_add(iteration.index.wrapping_mul(said.step));
        if iteration.value.is_some_and(|right| (right ^ value) & mask != 0) {
            wrong(What::Variable(said, Some(*iteration)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(said: Variable, values: &[u64]) -> usize {
        let iterations: Vec<Iteration> = (0..)
            .zip(values)
            .map(|(index, value)| Iteration { the_loop: 0, index, trip: 9, value: Some(*value) })
            .collect();
        let expected = Expected { user_known: [0].into(), ..Expected::all_events() };
        let mut found = 0;
        judge(0, Some(said), &iterations, &expected, &mut |_| found += 1);
        found
    }

    #[test]
    fn values_are_compared_in_the_width_of_the_variable() {
        let said = Variable { known: BOTH, start: 100, step: (-3_i64) as u64, bits: 32 };
        assert_eq!(wrong(said, &[100, 97, 94]), 0);
        assert_eq!(wrong(said, &[100, 97, 95]), 1);
        let near_the_limit = Variable { start: i32::MAX as u64, step: 1, ..said };
        assert_eq!(wrong(near_the_limit, &[i32::MAX as u64, 0x8000_0000]), 0);
        assert_eq!(wrong(near_the_limit, &[i32::MAX as u64, i32::MIN as u64]), 0);
    }

    #[test]
    fn both_must_be_known() {
        let said = Variable { known: 1 << 3, start: 0, step: 1, bits: 32 };
        assert_eq!(wrong(said, &[0, 1]), 1);
    }

    #[test]
    fn nothing_may_be_said_of_what_does_not_count() {
        let expected = Expected { user_unknown: [0].into(), ..Expected::all_events() };
        let said = Variable { known: BOTH, start: 0, step: 1, bits: 64 };
        let mut found = 0;
        judge(0, Some(said), &[], &expected, &mut |_| found += 1);
        assert_eq!(found, 1);
    }
}
