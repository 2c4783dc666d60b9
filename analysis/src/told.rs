//! What a lane hands over: parts of executions and ends of phases, to be joined with the other lanes', and names.

use crate::definition::{Definition, Place};
use crate::phase::Leave;
use crate::share::Share;

/// What goes from a lane to the join.
#[derive(Debug, Default)]
pub(crate) struct Out {
    pub(crate) told: Vec<Told>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) places: Vec<(u64, Place)>,
}

/// What is joined, in the lane's order.
#[derive(Debug)]
pub(crate) enum Told {
    Share(Share),
    Leave(Leave),
}
