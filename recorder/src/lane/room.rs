//! Who has how much of the room that `--max-size` leaves. Once there is none, a lane that has less takes from the one
//! that has most, its last blocks first: late and slow threads have their share, and of each the beginning is left.
//! Blocks with sums, which are few and change as long as their thread is there, are never taken.

use std::collections::HashMap;
use std::sync::Arc;

use ompchunk_guest::memory::Grow;

use crate::lane::slot::Slot;

#[derive(Default)]
pub(crate) struct Room {
    lanes: HashMap<u32, Share>,
    pub(crate) spare: Vec<u64>,
}

struct Share {
    places: Vec<BlockPlace>,
    /// So many of the first places are never taken: what is in them still changes.
    fixed: usize,
    /// Where it stores now. Once that is taken from it, nothing more is its.
    slot: Option<Arc<Slot>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockPlace {
    pub(crate) offset: u64,
    pub(crate) the_loop: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The block that its thread was filling: what is in it the thread counts.
    pub(crate) open: Option<u64>,
    pub(crate) written: BlockPlace,
}

impl Room {
    pub(crate) fn grow(&mut self, lane: u32) -> bool {
        let places = self.lanes.get_mut(&lane).map(|share| &mut share.places);
        places.is_none_or(|places| places.grow(1)) && self.lanes.grow(1) && self.spare.grow(1)
    }

    pub(crate) fn give(&mut self, lane: u32, slot: &Arc<Slot>, place: BlockPlace) {
        let share = self.lanes.entry(lane).or_insert_with(|| Share { places: Vec::new(), fixed: 0, slot: None });
        if share.slot.as_ref().is_some_and(|slot| slot.is_changing()) {
            share.fixed = share.places.len();
        }
        share.places.push(place);
        share.slot = Some(Arc::clone(slot));
    }

    pub(crate) fn has_lost(&self, lane: u32) -> bool {
        let share = self.lanes.get(&lane);
        share.is_some_and(|share| share.slot.is_none())
    }

    pub(crate) fn take(&mut self, lane: u32) -> Option<Taken> {
        let mine = self.lanes.get(&lane).map_or(0, |lane| lane.places.len());
        let others = self.lanes.iter_mut().filter(|(number, share)| {
            let slot = share.slot.as_ref();
            let stays = slot.is_some_and(|slot| slot.is_moving() || slot.is_changing());
            **number != lane && !stays && share.places.len() >= share.fixed + 2
        });
        let (_, most) = others.max_by_key(|(number, share)| (share.places.len(), **number))?;
        if most.places.len() < mine + 2 {
            return None;
        }
        let place = most.slot.as_ref().map_or(0, |slot| slot.leave_place());
        if let Some(slot) = most.slot.as_ref().filter(|slot| slot.is_changing()) {
            // Its thread has just begun to add something up there: then it stays where it was.
            slot.take_place(place);
            return None;
        }
        // A lane that is settled has written all, and stores nothing more.
        let open = most.slot.take().filter(|_| place != 0);
        let open = open.and_then(|_| most.places.pop()).map(|place| place.offset);
        self.spare.extend(open);
        let written = most.places.pop()?;
        Some(Taken { open, written })
    }
}
