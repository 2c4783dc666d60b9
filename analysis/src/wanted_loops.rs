//! The loops for which a part is read again, under the part's own numbers of them.

use std::collections::HashMap;

use crate::model::LoopReport;
use crate::part::{LoopSums, PartSums};

/// The loops of a list that a part has.
pub(crate) struct Sought<W> {
    /// What is wanted of each, and its place in the list.
    pub(crate) loops: Vec<(W, usize)>,
    /// Which of them, by number.
    slots: HashMap<u32, usize>,
}

impl<W> Sought<W> {
    /// `wanted` is given the place in the list; `None`: the part is not read for it.
    pub(crate) fn from_sums<'a>(
        sums: &'a PartSums,
        list: &[&LoopReport],
        wanted: impl Fn(usize, &'a LoopSums) -> Option<W>,
    ) -> Sought<W> {
        let mut sought = Sought { loops: Vec::new(), slots: HashMap::new() };
        for (place, the_loop) in list.iter().enumerate() {
            let Some(loop_sums) = sums.find(&the_loop.identity) else {
                continue;
            };
            if let Some(wanted) = wanted(place, loop_sums) {
                let slot = sought.loops.len();
                let numbers = loop_sums.numbers.iter();
                sought.slots.extend(numbers.map(|number| (*number, slot)));
                sought.loops.push((wanted, place));
            }
        }
        sought
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn slot(&self, number: u32) -> Option<usize> {
        self.slots.get(&number).copied()
    }
}
