//! What a lane knows of OpenACC besides its open scopes.

use std::collections::BTreeMap;

use ompchunk_trace_format::AccEnd;

/// What a lane knows of OpenACC.
#[derive(Debug, Default)]
pub(crate) struct Acc {
    /// Sites that the lane has defined, by what they are.
    pub(crate) known: BTreeMap<Vec<u8>, u32>,
    /// The scope that ends now does because the runtime says so.
    pub(crate) ends: bool,
    /// Ends that are still to come, of starts that were not told or that something else has ended, by their start's event.
    pub(crate) unseen: [u16; 26],
    /// Room for the next one's key.
    pub(crate) key: Vec<u8>,
}

impl Acc {
    /// Another thread's from now on.
    pub(crate) fn begin_thread(&mut self) {
        self.unseen = [0; 26];
    }

    /// A scope is closed that began with this event. What it says of that.
    pub(crate) fn closes(&mut self, event: u32) -> AccEnd {
        if !self.ends {
            self.expect(event);
        }
        AccEnd {
            event,
            told: self.ends,
        }
    }

    /// The end of something that is not open may still come.
    pub(crate) fn expect(&mut self, event: u32) {
        if let Some(count) = self.unseen.get_mut(event as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Whether this end was to come.
    pub(crate) fn was_expected(&mut self, start: u32) -> bool {
        match self.unseen.get_mut(start as usize) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}
