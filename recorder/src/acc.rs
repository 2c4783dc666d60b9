//! What a lane knows of operations of OpenACC and of OpenMP's `target` besides its open scopes, and where they are.

use std::collections::BTreeMap;

use ompchunk_trace_format::target::{self, is_of_target};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, SumOf};

/// Where an operation is: of OpenACC the site, of `target` the return address.
pub(crate) fn place(what: &AccOperation) -> u64 {
    match is_of_target(what.event) {
        true => what.detail.code(),
        false => what.site.into(),
    }
}

/// An operation of which nothing but the place is known any more.
pub(crate) fn bare(event: u32, place: u64) -> AccOperation {
    let mut what = AccOperation::bare(event);
    match is_of_target(event) {
        true => {
            let code = (place != 0).then_some(place);
            what.detail = AccDetail::of(event, [None, None, code]);
        }
        false => what.site = place as u32,
    }
    what
}

/// What such operations are added up as.
pub(crate) fn sum_of(event: u32) -> SumOf {
    match is_of_target(event) {
        true => SumOf::Target,
        false => SumOf::OpenAcc,
    }
}

/// What a lane knows of them.
#[derive(Debug, Default)]
pub(crate) struct Acc {
    /// Sites that the lane has defined, by what they are.
    pub(crate) known: BTreeMap<Vec<u8>, u32>,
    /// The scope that ends now does because the runtime says so.
    pub(crate) ends: bool,
    /// Ends that are still to come, of starts that were not told or that something else has ended, by their start's event.
    pub(crate) unseen: Unseen,
    /// Room for the next one's key.
    pub(crate) key: Vec<u8>,
}

/// How many, by event.
#[derive(Debug)]
pub(crate) struct Unseen([u16; target::END as usize]);

impl Default for Unseen {
    fn default() -> Unseen {
        Unseen([0; target::END as usize])
    }
}

impl Acc {
    /// Another thread's from now on.
    pub(crate) fn begin_thread(&mut self) {
        self.unseen = Unseen::default();
    }

    /// A scope is closed that began with this event. What it says of that.
    pub(crate) fn closes(&mut self, event: u32) -> AccEnd {
        if !self.ends {
            self.expect(event);
        }
        AccEnd { event, told: self.ends }
    }

    /// The end of something that is not open may still come.
    pub(crate) fn expect(&mut self, event: u32) {
        if let Some(count) = self.unseen.0.get_mut(event as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Whether this end was to come.
    pub(crate) fn was_expected(&mut self, start: u32) -> bool {
        match self.unseen.0.get_mut(start as usize) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}
