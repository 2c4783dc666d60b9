//! Sub-blocks are inside their chunk: what is reported of loops is the same with and without them.

use std::path::Path;

use ompchunk_trace_format::{ClockMeta, Event, SubBlock};
use serde_json::{Value, json};

use crate::common::{Maker, definition, meta, recorder, taken, with};

/// Two threads, two chunks each, of 8 iterations that take 1 to 8 ticks times the thread, in pieces of 3, 3 and 2 if wanted;
/// the second piece of each chunk has time off a core, the third some of the recorder's.
fn loop_of_pieces(directory: &Path, pieces: bool) -> Value {
    let mut meta = meta(None);
    meta.clock = ClockMeta { step: None, cpu_read: Some(1.0), own_least: Some(1.0), ..meta.clock };
    let mut maker = Maker::new(directory, "0", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    for lane in 0..2 {
        maker.task(lane, 10, 1, 2);
        maker.begin(lane, 11, 0, 32);
        let mut now = 12;
        for chunk in 0..2 {
            let lower = u64::from(chunk * 2 + lane) * 8;
            maker.chunk(lane, now, lower, 8, 0);
            for (at, iterations) in [(0, 3), (3, 3), (6, 2)] {
                if pieces {
                    let piece = SubBlock { lower: lower + at, iterations, first: at == 0, last: at == 6 };
                    maker.put(lane, now, &Event::SubBlock(piece));
                }
                now += (at + 1) * u64::from(lane + 1);
                if at == 3 {
                    maker.put(lane, now, &taken(2, 3));
                } else if at == 6 {
                    maker.put(lane, now, &recorder(1, 0));
                }
            }
        }
        maker.put(lane, now, &Event::LoopEnd { the_loop: 0 });
        maker.put(lane, 80, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    let path = maker.finish(100);
    let mut found = with(&path, |analysis| {
        let loops: Vec<_> = analysis.report.loops.iter().collect();
        let pictures = analysis.pictures(&loops, &|_| {}).unwrap();
        json!([analysis.report, pictures])
    });
    let part = &mut found[0]["parts"][0];
    part["file"] = Value::Null;
    // A reading of the clock for each of them is what they do cost.
    let readings = part["reading_seconds"].take();
    assert!(readings.as_f64().unwrap() > 0.0);
    found
}

#[test]
fn a_report_is_the_same_with_them() {
    let directories = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let without = loop_of_pieces(directories[0].path(), false);
    let with = loop_of_pieces(directories[1].path(), true);
    assert_eq!(without[0]["loops"][0]["chunks"], 4);
    assert_eq!(with, without);
}
