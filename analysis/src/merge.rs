//! How what lanes and parts have of the same thing becomes one.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) trait Merge {
    fn take_in(&mut self, more: &Self);
}

/// Merges some fields with another's; of others the larger one stays.
macro_rules! merge_fields {
    ($sum:ident, $more:ident: $($field:ident),* $(; max $($most:ident),+)?) => {
        $($sum.$field.take_in(&$more.$field);)*
        $($($sum.$most = $sum.$most.max($more.$most);)+)?
    };
}

/// A struct whose fields are merged one by one, all of them.
macro_rules! merge {
    ($type:ty: $($fields:tt)+) => {
        impl Merge for $type {
            fn take_in(&mut self, more: &Self) {
                merge_fields!(self, more: $($fields)+);
            }
        }
    };
}

impl Merge for u64 {
    fn take_in(&mut self, more: &u64) {
        *self = self.saturating_add(*more);
    }
}

impl Merge for f64 {
    fn take_in(&mut self, more: &f64) {
        *self += more;
    }
}

impl Merge for bool {
    fn take_in(&mut self, more: &bool) {
        *self |= more;
    }
}

/// `None`: not told.
impl Merge for Option<u64> {
    fn take_in(&mut self, more: &Option<u64>) {
        *self = self.map_or(*more, |sum| Some(sum.saturating_add(more.unwrap_or(0))));
    }
}

/// Ends between which all are.
impl<T: PartialOrd + Copy> Merge for Option<[T; 2]> {
    fn take_in(&mut self, more: &Option<[T; 2]>) {
        *self = widest(*self, *more);
    }
}

impl<T: Merge, const COUNT: usize> Merge for [T; COUNT] {
    fn take_in(&mut self, more: &[T; COUNT]) {
        self.iter_mut().zip(more).for_each(|(sum, more)| sum.take_in(more));
    }
}

impl<T: Merge + Clone + Default> Merge for Vec<T> {
    fn take_in(&mut self, more: &Vec<T>) {
        self.resize(self.len().max(more.len()), T::default());
        self.iter_mut().zip(more).for_each(|(sum, more)| sum.take_in(more));
    }
}

impl<K: Ord + Copy, T: Merge + Default> Merge for BTreeMap<K, T> {
    fn take_in(&mut self, more: &BTreeMap<K, T>) {
        more.iter().for_each(|(key, more)| self.entry(*key).or_default().take_in(more));
    }
}

impl<T: Ord + Copy> Merge for BTreeSet<T> {
    fn take_in(&mut self, more: &BTreeSet<T>) {
        self.extend(more);
    }
}

pub(crate) fn widest<T: PartialOrd + Copy>(one: Option<[T; 2]>, other: Option<[T; 2]>) -> Option<[T; 2]> {
    let (Some([low, high]), Some([lower, higher])) = (one, other) else { return one.or(other) };
    Some([if lower < low { lower } else { low }, if higher > high { higher } else { high }])
}

/// How often, and how long in all and at most, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) count: u64,
    pub(crate) ticks: u64,
    pub(crate) longest: u64,
}

merge!(Lengths: count, ticks; max longest);
