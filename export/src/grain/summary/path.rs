//! Paths through what runs before what: how long, and in whose work.

use std::cmp::Ordering;

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

/// The longest path, whose its parts are, and all work, in ticks.
pub(crate) struct Longest {
    pub(crate) length: u64,
    pub(crate) work: u64,
    pub(crate) parts: Vec<(OnPath, u64)>,
}

/// Which construct has which place, by the return address of the call that creates its tasks.
#[derive(Debug, Default)]
pub(super) struct Owners(Vec<u64>);

/// Whose the work on a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnPath {
    /// Outside of explicit tasks.
    Outside,
    /// Of explicit tasks, by the return address of the call that creates them.
    Construct(u64),
    /// Of explicit tasks of further constructs.
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

    /// The longer one.
    pub(super) fn max(self, path: Path) -> Path {
        match self.length.cmp(&path.length) {
            Ordering::Less => path,
            Ordering::Equal | Ordering::Greater => self,
        }
    }

    /// The longest of some.
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
    /// Of tasks that a call creates which returns there.
    pub(super) fn of_tasks(&mut self, code: u64) -> Owner {
        let known = self.0.iter().position(|known| *known == code);
        let place = known.unwrap_or_else(|| {
            if self.0.len() < CONSTRUCTS {
                self.0.push(code);
                self.0.len() - 1
            } else {
                CONSTRUCTS
            }
        });
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
