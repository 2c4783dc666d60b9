//! What of a lane is seen by no other test: which way a record goes.

use super::*;
use crate::lane::short_way;

/// The short way is taken for what its record has room for, and a record has its time before it only after a long while.
#[test]
fn what_is_short_is_stored_in_short() {
    let mut block = [0_u64; 16];
    let mut lane = Lane::new();
    lane.last = LONG_GAP;
    lane.block.cursor = block.as_mut_ptr();
    lane.block.end = block.as_mut_ptr().wrapping_add(block.len());
    lane.block.limit = lane.block.end;
    // SAFETY: the lane's block is this test's, with room for both.
    let mut stores = |now, took| unsafe { Lane::store_chunk(&raw mut lane, now, 0, 4, took, false) };
    assert!(stores(LONG_GAP + 1, (1 << 24) - 1));
    assert!(!stores(LONG_GAP + 2, 1 << 24));
    let before = lane.block.cursor;
    assert!(lane.append(LONG_GAP + 3, &[7]));
    assert_eq!(lane.block.cursor, before.wrapping_add(1));
}

#[test]
fn who_has_left_its_lane_is_not_at_work() {
    let mut lane = Lane::new();
    lane.aim();
    assert!(short_way::is_at_work(&lane) && lane.loops.recent.at.is_null());
    lane.park();
    assert!(!short_way::is_at_work(&lane));
    lane.aim();
    assert!(!lane.loops.recent.at.is_null(), "it opens for who has it again");
}
