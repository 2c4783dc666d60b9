//! What code does that has to do with who runs it, as one value.

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Effects {
    /// It uses threadprivate or thread-local data, or settings of each thread's own.
    pub uses_thread_local: bool,
    /// It asks for the thread's number in its team, or has the primary thread do something.
    pub asks_number: bool,
    /// It asks who the thread is in another way, which is known in regions within this one, too.
    pub asks_who: bool,
    pub shares_work: bool,
    pub allocates: bool,
    /// It gives each thread something else: where a value comes from that others do not get.
    pub tells_apart: bool,
    pub sets_locks: bool,
    pub calls_unknown: bool,
    pub calls_by_address: bool,
    /// It reads what other threads may write meanwhile ...
    pub reads_others: bool,
    /// ... and repeats something: both together may be a loop that waits.
    pub repeats: bool,
    /// It takes a lock: in a loop, that may be for what another thread does.
    pub takes_lock: bool,
    pub keeps_its_place: bool,
}

impl Effects {
    pub fn and(self, more: Effects) -> Effects {
        Effects {
            uses_thread_local: self.uses_thread_local || more.uses_thread_local,
            asks_number: self.asks_number || more.asks_number,
            asks_who: self.asks_who || more.asks_who,
            shares_work: self.shares_work || more.shares_work,
            allocates: self.allocates || more.allocates,
            tells_apart: self.tells_apart || more.tells_apart,
            sets_locks: self.sets_locks || more.sets_locks,
            calls_unknown: self.calls_unknown || more.calls_unknown,
            calls_by_address: self.calls_by_address || more.calls_by_address,
            reads_others: self.reads_others || more.reads_others,
            repeats: self.repeats || more.repeats,
            takes_lock: self.takes_lock || more.takes_lock,
            keeps_its_place: self.keeps_its_place || more.keeps_its_place,
        }
    }

    pub fn learns_who(self) -> bool {
        self.asks_number || self.asks_who
    }

    /// Effects that still count for the thread that begins code which the runtime runs as a region or a task of its own.
    pub(super) fn within(self) -> Effects {
        Effects {
            uses_thread_local: self.uses_thread_local,
            asks_who: self.asks_who,
            // Who begins it waits until that has waited.
            reads_others: self.reads_others,
            repeats: self.repeats,
            ..Effects::default()
        }
    }

    pub(super) fn unknown() -> Effects {
        Effects { calls_unknown: true, ..Effects::default() }
    }
}
