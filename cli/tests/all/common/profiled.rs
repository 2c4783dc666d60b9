//! A trace with a profile.

use std::path::Path;

use ompchunk_trace_format::{Event, Mode, SubBlock};

use ompchunk_testkit::traces::{Maker, definition, meta};

/// Two loops of two threads and 32 iterations: the first's cost grows, the second is told in one piece per thread.
pub fn trace(directory: &Path, profile: bool) {
    let mut meta = meta(None);
    meta.mode = Mode { profile, ..meta.mode };
    let mut maker = Maker::new(directory, "pid-7", &meta);
    maker.threads(2, &[definition(0, 12, "ramp"), definition(1, 20, "flat")]);
    let mut now = 100;
    for region in 1..=20 {
        for lane in 0..2 {
            maker.task(lane, now, region, 2);
            let mut at = now;
            for the_loop in 0..2 {
                maker.begin(lane, at, the_loop, 32);
                let lower = u64::from(lane) * 16;
                maker.chunk(lane, at, lower, 16, 0);
                for piece in 0..4 {
                    if the_loop == 0 && profile {
                        let flags = u32::from(piece == 0) | u32::from(piece == 3) << 1;
                        let it = SubBlock::of(lower + piece * 4, 4, flags);
                        maker.put(lane, at, &Event::SubBlock(it));
                    }
                    at += 40 * (lower / 4 + piece + 1);
                }
                maker.put(lane, at, &Event::LoopEnd { the_loop });
            }
            maker.put(lane, now + 3000, &Event::ImplicitTaskEnd { parallel: region });
        }
        now += 3100;
    }
    maker.finish(now);
}
