//! What OpenMP promises of a loop's iterations (5.2, section 11.5.3), from its record alone.

use ompt::raw::{CONSTRUCT_FOR, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_FREE, LoopRecord};
use ompt::sched_type::{STATIC, STATIC_CHUNKED, kind_without_order};

/// Loops of one parallel region that have the same one, and as many iterations, give a thread the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Promise {
    /// `static`
    Whole,
    /// `static,c`: and chunks go to the threads in turn.
    InTurn(u64),
    /// `static,c`, where only the running program knows `c`: two of them cannot be compared.
    Unknown,
}

impl Promise {
    /// None: nothing may rely on it, or nothing is promised.
    pub(crate) fn from_record(record: &LoopRecord) -> Option<Promise> {
        if record.construct != CONSTRUCT_FOR || record.flags & LOOP_FREE != 0 {
            return None;
        }
        match kind_without_order(record.schedule) {
            STATIC if record.flags & LOOP_CHUNKED == 0 => Some(Promise::Whole),
            STATIC_CHUNKED | STATIC => Some(match u64::try_from(record.chunk) {
                Ok(size @ 1..) if record.flags & LOOP_CHUNK_KNOWN != 0 => Promise::InTurn(size),
                _ => Promise::Unknown,
            }),
            _ => None,
        }
    }

    /// Whether iterations from `first` to `last` are the thread's of that number, where they are promised to one.
    pub(crate) fn keeps(self, first: u64, last: u64, number: u32, threads: u32) -> bool {
        let stray = self.first_of_another(first, number, threads);
        stray.is_none_or(|(stray, _)| stray > last)
    }

    /// From `first` on, the first iteration that is promised to another thread, and to which one.
    pub(crate) fn first_of_another(self, first: u64, number: u32, threads: u32) -> Option<(u64, u32)> {
        let Promise::InTurn(size) = self else {
            return None;
        };
        let whose = |chunk: u64| (chunk % u64::from(threads)) as u32;
        match first / size {
            _ if threads <= 1 => None,
            chunk if whose(chunk) != number => Some((first, whose(chunk))),
            chunk => Some(((chunk + 1).checked_mul(size)?, whose(chunk + 1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(schedule: u32, flags: u32, chunk: i32) -> LoopRecord {
        LoopRecord {
            size: 48,
            abi_version: 4,
            construct: CONSTRUCT_FOR,
            bits: 32,
            flags,
            schedule,
            chunk,
            start: 0,
            step: 0,
            line: 0,
            column: 0,
            function: 0,
            file: 0,
            variable_bits: 0,
            fixed: 0,
            bound: 0,
            reserved: 0,
            group: 0,
        }
    }

    #[test]
    fn of_the_static_loops_that_are_not_free() {
        let of = |schedule, flags, chunk| Promise::from_record(&record(schedule, flags, chunk));
        let known = LOOP_CHUNKED | LOOP_CHUNK_KNOWN;
        assert_eq!(of(34, 0, 0), Some(Promise::Whole));
        assert_eq!(of(34 | 1 << 29, 0, 0), Some(Promise::Whole));
        assert_eq!(of(33, known, 4), Some(Promise::InTurn(4)));
        assert_eq!(of(33, LOOP_CHUNKED, 0), Some(Promise::Unknown));
        assert_eq!(of(65, known, 4), Some(Promise::InTurn(4)));
        assert_eq!(of(34, LOOP_FREE, 0), None);
        assert_eq!(of(35, 0, 1), None);
        assert_eq!(of(92, 0, 0), None);
    }

    #[test]
    fn chunks_go_to_the_threads_in_turn() {
        let keeps = |first, last, number| Promise::InTurn(4).keeps(first, last, number, 2);
        assert!(keeps(0, 3, 0) && keeps(4, 7, 1) && keeps(8, 9, 0));
        assert!(!keeps(0, 3, 1) && !keeps(4, 6, 0) && !keeps(2, 5, 0));
        assert!(Promise::InTurn(4).keeps(0, 100, 0, 1));
        assert!(Promise::Whole.keeps(0, 100, 1, 2));
        let another = |first| Promise::InTurn(4).first_of_another(first, 0, 2);
        assert_eq!((another(0), another(5)), (Some((4, 1)), Some((5, 1))));
        assert!(Promise::InTurn(u64::MAX).keeps(0, u64::MAX - 1, 0, 2));
    }
}
