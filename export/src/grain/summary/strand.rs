//! What a task, explicit or not, has done so far, and the longest path up to there.

use ompchunk_trace_format::At;

use super::groups::Number;
use crate::grain::dag::strand::Depends;
use crate::grain::follow::{Runs, Waits};

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) begin: u64,
    /// Whose it is: the strand's, or the loop's whose chunk it is.
    pub(super) group: Number,
    pub(super) is_chunk: bool,
}

pub(super) struct Running {
    pub(super) the_loop: u32,
    pub(super) group: Number,
    pub(super) shown: bool,
    /// What the chunk took that it is in.
    pub(super) chunk: Option<u64>,
}

/// Tasks that meet in one place: how many, by their group.
pub(super) type Meeting = Vec<(Number, u32)>;

#[derive(Debug, Default)]
pub(super) struct Taskgroup {
    /// The longest path to the end of one of them.
    pub(super) path: Path,
    pub(super) tasks: Meeting,
}

#[derive(Default)]
pub(crate) struct Strand {
    /// Different in all strands, also in those that have had the same place.
    pub(super) serial: u64,
    pub(super) group: Number,
    /// An explicit task's number in the trace, else 0.
    pub(super) number: u64,
    pub(super) flags: u32,
    /// The strand that created it, and its serial.
    pub(super) creator: (usize, u64),
    pub(super) is_created: bool,
    /// Where it began.
    pub(super) begun: Option<At>,
    pub(super) depth: u32,
    /// Its region among the open ones, and barriers before; for an explicit task those of its creator.
    pub(super) region: Option<usize>,
    pub(super) phase: usize,
    /// Whose work what it runs is.
    pub(super) owner: Owner,
    pub(super) path: Path,
    /// The longest path to the end of a task that it created and has not met.
    pub(super) children: Path,
    pub(super) ticks: u64,
    pub(super) piece: Option<Piece>,
    pub(super) loops: Vec<Running>,
    pub(super) meeting: Meeting,
    /// Its own taskgroups, and the one that it was created in.
    pub(super) taskgroups: Vec<usize>,
    pub(super) around: Option<usize>,
    pub(super) waits: Waits,
    /// It has explicit tasks since the last barrier.
    pub(super) has_tasks: bool,
    pub(super) depends: Option<Box<Depends>>,
    /// By the order of tasks with dependences: its own place, and those that it is behind.
    pub(super) order: Option<u32>,
    pub(super) before: Vec<u32>,
}

impl Runs for Strand {
    fn waits(&mut self) -> &mut Waits {
        &mut self.waits
    }

    fn is_explicit(&self) -> bool {
        self.number != 0
    }

    fn is_in_loop(&self) -> bool {
        !self.loops.is_empty()
    }
}

impl Strand {
    pub(super) fn taskgroup(&self) -> Option<usize> {
        self.taskgroups.last().copied().or(self.around)
    }

    /// The group of what it runs now.
    pub(super) fn place(&self) -> Number {
        let running = self.loops.last().filter(|running| running.chunk.is_some());
        running.map_or(self.group, |running| running.group)
    }
}

pub(super) fn add(meeting: &mut Meeting, group: Number) {
    match meeting.iter_mut().find(|(known, _)| *known == group) {
        Some((_, tasks)) => *tasks += 1,
        None => meeting.push((group, 1)),
    }
}

/// One fewer. Was it there?
pub(super) fn remove(meeting: &mut Meeting, group: Number) -> bool {
    let found = meeting.iter_mut().find(|(known, _)| *known == group);
    found.filter(|(_, tasks)| *tasks > 0).map(|(_, tasks)| *tasks -= 1).is_some()
}

/// Constructs of explicit tasks that paths tell apart; further ones are taken together.
const CONSTRUCTS: usize = 6;

/// Whose work it is, by its place in a path's `by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Owner(u8);

/// A path, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Path {
    pub(super) length: u64,
    /// Outside of explicit tasks, by construct, and of further constructs.
    by: [u64; CONSTRUCTS + 2],
}

/// A path in less memory: there is one for each task with dependences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kept {
    length: u64,
    /// Parts of it, of 2 to the power of 32.
    shares: [u32; CONSTRUCTS + 2],
}

/// Which construct has which place, by the return address of the call that creates its tasks.
#[derive(Debug, Default)]
pub(super) struct Owners(Vec<u64>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnPath {
    /// Outside of explicit tasks.
    Outside,
    /// In explicit tasks, by the return address of the call that creates them.
    Construct(u64),
    /// In explicit tasks of further constructs.
    Further,
}

impl Path {
    pub(super) fn add(&mut self, owner: Owner, ticks: u64) {
        self.length += ticks;
        self.by[usize::from(owner.0)] += ticks;
    }

    pub(super) fn kept(&self) -> Kept {
        let length = u128::from(self.length.max(1));
        let share = |ticks: u64| u32::try_from((u128::from(ticks) << 32) / length);
        Kept { length: self.length, shares: self.by.map(|ticks| share(ticks).unwrap_or(u32::MAX)) }
    }

    pub(super) fn max(self, path: Path) -> Path {
        if self.length < path.length { path } else { self }
    }

    pub(super) fn longest<'p>(paths: impl Iterator<Item = &'p Path>) -> Path {
        paths.fold(Path::default(), |longest, path| longest.max(*path))
    }
}

impl Kept {
    pub(super) fn path(&self) -> Path {
        let ticks = |share: u32| ((u128::from(self.length) * u128::from(share)) >> 32) as u64;
        let mut by = self.shares.map(ticks);
        // What is lost to rounding is the largest part's.
        let lost = self.length - by.iter().sum::<u64>();
        if let Some(largest) = by.iter_mut().max() {
            *largest += lost;
        }
        Path { length: self.length, by }
    }
}

impl Owners {
    pub(super) fn of_tasks(&mut self, code: u64) -> Owner {
        let place = self.0.iter().position(|known| *known == code).unwrap_or(self.0.len());
        if place == self.0.len() && place < CONSTRUCTS {
            self.0.push(code);
        }
        Owner(place as u8 + 1)
    }

    /// Whose the work on a path is, and how much; what is 0 is left out.
    pub(super) fn parts(&self, path: &Path) -> Vec<(OnPath, u64)> {
        let constructs = self.0.iter().map(|code| OnPath::Construct(*code));
        let owners = std::iter::once(OnPath::Outside).chain(constructs);
        let mut parts: Vec<(OnPath, u64)> = owners.zip(path.by).collect();
        parts.push((OnPath::Further, path.by[CONSTRUCTS + 1]));
        parts.retain(|(_, ticks)| *ticks > 0);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_beyond_those_told_apart_are_one() {
        let mut owners = Owners::default();
        let mut path = Path::default();
        path.add(Owner::default(), 1);
        for code in 10..20 {
            path.add(owners.of_tasks(code), 2);
        }
        path.add(owners.of_tasks(10), 5);
        assert_eq!(path.length, 1 + 20 + 5);
        let parts = owners.parts(&path);
        assert_eq!(parts[..2], [(OnPath::Outside, 1), (OnPath::Construct(10), 7)]);
        assert_eq!(parts.last(), Some(&(OnPath::Further, 8)));
        assert_eq!(parts.iter().map(|(_, ticks)| ticks).sum::<u64>(), 26);
    }

    #[test]
    fn what_is_kept_is_the_path() {
        let mut owners = Owners::default();
        for ticks in [0, 1, 3, 1 << 40] {
            let mut path = Path::default();
            path.add(Owner::default(), ticks);
            path.add(owners.of_tasks(1), 2 * ticks);
            let again = path.kept().path();
            assert_eq!(again.length, path.length);
            assert_eq!(again.by.iter().sum::<u64>(), path.length);
            for (kept, ticks) in again.by.into_iter().zip(path.by) {
                assert!(kept.abs_diff(ticks) <= (path.length >> 31) + 1, "{ticks}");
            }
        }
    }

    #[test]
    fn the_longer_path_is_taken_with_what_is_on_it() {
        let mut owners = Owners::default();
        let (mut short, mut long) = (Path::default(), Path::default());
        short.add(owners.of_tasks(1), 5);
        long.add(owners.of_tasks(2), 6);
        assert_eq!(short.max(long), long);
        assert_eq!(long.max(short), long);
        assert_eq!(Path::longest([short, long].iter()), long);
    }
}
