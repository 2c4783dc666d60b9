//! What a record says of a loop's schedule in the source.
//! A chunk's iterations run on one thread, one after the other, so one may leave something for the next: in a variable, in an array, or
//! tasks with `depend`. So no schedule cuts a chunk of the source that the user has not ordered by name.

use ompchunk_abi::sched_type::{RUNTIME, RUNTIME_SIMD, STATIC, STATIC_CHUNKED, STATIC_SIMD, kind};
use ompchunk_abi::{LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LoopRecord};

/// The schedule of a loop that is static in the source, as the program passes it to the runtime, and its chunk size, where that is known.
pub(crate) fn own_static(record: &LoopRecord) -> Option<(u32, u64)> {
    match kind(record.schedule) {
        STATIC => Some((record.schedule, 1)),
        STATIC_CHUNKED if record.flags & LOOP_CHUNK_KNOWN != 0 && record.chunk > 0 => {
            Some((record.schedule, record.chunk as u64))
        }
        _ => None,
    }
}

/// Iterations of a chunk, from 1 on: 1 where there are none, or nothing within one to cut. `None`: only the running program knows.
pub(crate) fn chunk(record: &LoopRecord) -> Option<u32> {
    match kind(record.schedule) {
        RUNTIME | STATIC_SIMD | RUNTIME_SIMD => None,
        _ if record.flags & LOOP_CHUNKED == 0 => Some(1),
        _ if record.flags & LOOP_CHUNK_KNOWN == 0 => None,
        _ => record.chunk.max(1).try_into().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(schedule: u32, flags: u32, chunk: i32) -> LoopRecord {
        // SAFETY: all of it are numbers.
        LoopRecord { schedule, flags, chunk, ..unsafe { core::mem::zeroed() } }
    }

    #[test]
    fn a_static_loop_has_the_chunk_size_that_is_known() {
        let known = LOOP_CHUNKED | LOOP_CHUNK_KNOWN;
        assert_eq!(own_static(&record(STATIC, 0, 0)), Some((STATIC, 1)));
        assert_eq!(own_static(&record(STATIC_CHUNKED, known, 7)), Some((STATIC_CHUNKED, 7)));
        assert_eq!(own_static(&record(STATIC_CHUNKED, known, 0)), None);
        assert_eq!(own_static(&record(STATIC_CHUNKED, LOOP_CHUNKED, 7)), None);
        assert_eq!(own_static(&record(RUNTIME, 0, 0)), None);
    }
}
