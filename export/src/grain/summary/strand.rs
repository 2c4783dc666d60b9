//! What a task, explicit or not, has done so far, and the longest path up to there.

use crate::grain::dag::depends::Depends;

use super::groups::Number;
use super::path::{Owner, Path};

/// What runs now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) begin: u64,
    /// Of the recorder's own.
    pub(super) off: u64,
    /// Whose it is: the strand's, or the loop's whose chunk it is.
    pub(super) group: Number,
    pub(super) is_chunk: bool,
}

/// A loop that a strand is in.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) the_loop: u32,
    pub(super) group: Number,
    pub(super) shown: bool,
    /// What the chunk took that it is in.
    pub(super) chunk: Option<u64>,
}

/// Tasks that meet in one place: how many, by their group.
pub(super) type Meeting = Vec<(Number, u32)>;

/// Tasks that were created in a taskgroup.
#[derive(Debug, Default)]
pub(super) struct Taskgroup {
    /// The longest path to the end of one of them.
    pub(super) path: Path,
    pub(super) tasks: Meeting,
}

#[derive(Debug, Default)]
pub(super) struct Strand {
    /// Different in all strands, also in those that have had the same place.
    pub(super) serial: u64,
    pub(super) group: Number,
    /// Of an explicit task its number in the trace, else 0.
    pub(super) number: u64,
    pub(super) flags: u32,
    /// The strand that created it, and its serial.
    pub(super) creator: (usize, u64),
    pub(super) is_created: bool,
    pub(super) has_begun: bool,
    /// Where it began; `None`: not known.
    pub(super) cpu: Option<u32>,
    pub(super) depth: u32,
    /// Its region among the open ones, and barriers before. Of an explicit task those of its creator.
    pub(super) region: Option<usize>,
    pub(super) phase: usize,
    /// Whose work what it runs is.
    pub(super) owner: Owner,
    /// The longest path to where it is.
    pub(super) path: Path,
    /// ... and to the end of a task that it created and has not met.
    pub(super) children: Path,
    pub(super) ticks: u64,
    pub(super) piece: Option<Piece>,
    pub(super) loops: Vec<Running>,
    pub(super) meeting: Meeting,
    /// Its own taskgroups, and the one that it was created in.
    pub(super) taskgroups: Vec<usize>,
    pub(super) around: Option<usize>,
    /// Kinds of what it waits in.
    pub(super) waits: Vec<u32>,
    pub(super) waiting_since: u64,
    pub(super) waited: u64,
    /// It has explicit tasks since the last barrier.
    pub(super) has_tasks: bool,
    pub(super) depends: Option<Box<Depends>>,
    /// By the order of tasks with dependences: its own place, and those that it is behind.
    pub(super) order: Option<u32>,
    pub(super) before: Vec<u32>,
}

impl Strand {
    pub(super) fn is_explicit(&self) -> bool {
        self.number != 0
    }

    /// The taskgroup that a task is in which it creates now.
    pub(super) fn taskgroup(&self) -> Option<usize> {
        self.taskgroups.last().copied().or(self.around)
    }

    /// The group of what it runs now.
    pub(super) fn place(&self) -> Number {
        let running = self.loops.last().filter(|running| running.chunk.is_some());
        running.map_or(self.group, |running| running.group)
    }
}

/// One more task of a group.
pub(super) fn add(meeting: &mut Meeting, group: Number) {
    match meeting.iter_mut().find(|(known, _)| *known == group) {
        Some((_, tasks)) => *tasks += 1,
        None => meeting.push((group, 1)),
    }
}

/// One fewer. Was it there?
pub(super) fn remove(meeting: &mut Meeting, group: Number) -> bool {
    let found = meeting.iter_mut().find(|(known, _)| *known == group);
    match found.filter(|(_, tasks)| *tasks > 0) {
        Some((_, tasks)) => {
            *tasks -= 1;
            true
        }
        None => false,
    }
}
