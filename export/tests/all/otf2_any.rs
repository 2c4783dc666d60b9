//! OTF2: whatever a part holds, in whatever order, the archive is one: it is read without a warning, and on every location what is entered is left.

use ompchunk_export::Format;
use ompchunk_trace_format::{Event, Recorder, SubBlock, Sync};

use crate::common;
use crate::common::otf2::{events, is_here};

/// The same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Small as a rule, now and then as large as there is.
    fn any(&mut self) -> u64 {
        match self.below(12) {
            0 => u64::MAX,
            1 => u64::MAX >> self.below(64),
            _ => self.below(4),
        }
    }
}

fn event(random: &mut Random, thread: u32) -> Event<'static> {
    let number = random.any();
    let kind = random.below(12) as u32;
    let sync = Sync { kind, code: 0x40_1000 };
    match random.below(23) {
        0 => common::parallel(number.max(1)),
        1 => Event::ParallelEnd { parallel: number.max(1) },
        2 | 3 => common::task(number, random.any() as u32, random.any() as u32),
        4 => common::task_end(number),
        5 | 6 => common::begin(1 + random.below(3) as u32, number as i64, random.any() as i64),
        7 => common::end(1 + random.below(3) as u32),
        8..=10 => common::chunk(number, random.any(), random.any()),
        11 => Event::SubBlock(SubBlock {
            lower: number,
            iterations: random.any(),
            first: kind % 2 == 0,
            last: kind % 3 == 0,
        }),
        12 => Event::SyncBegin(sync),
        13 => Event::SyncEnd(sync),
        14 => Event::WorkBegin { work: kind, count: number, code: 0 },
        15 => Event::WorkEnd { work: kind },
        16 => Event::Recorder(Recorder { ticks: number, preempted: 0, before: 0 }),
        17 => Event::TaskCreate { task: number, parent: 0, flags: 4, create_duration: random.any(), code: 0 },
        20..=22 => Event::TaskSchedule { prior: number, status: [1, 7][random.below(2) as usize], next: random.any() },
        18 if random.below(8) == 0 => Event::ThreadEnd { thread },
        18 => Event::WaitBegin(sync),
        _ => Event::WaitEnd(sync),
    }
}

#[test]
fn an_archive_whatever_a_part_holds() {
    if !is_here() {
        return;
    }
    let mut chunks = 0;
    for seed in 0..60 {
        let mut random = Random(seed * 7919 + 1);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rank-0.trace");
        let mut part = common::part(&path, &common::meta(1, Some(0)));
        let mut next = 3;
        for lane in 0..3 {
            let (mut thread, mut now) = (lane, random.below(50));
            let begin = [
                (now, common::thread_begin(thread)),
                (now, Event::Loop(common::definition(1, 32, "a.c"))),
                (now, Event::Loop(common::definition(2, 64, ""))),
            ];
            common::write(&mut part, lane, &begin);
            for _ in 0..20 + random.below(200) {
                now += random.below(9);
                // A thread may come without the end of the one before it.
                if random.below(40) == 0 {
                    thread = next;
                    next += 1;
                    common::write(&mut part, lane, &[(now, common::thread_begin(thread))]);
                }
                let event = event(&mut random, thread);
                common::write(&mut part, lane, &[(now, event)]);
            }
        }
        part.finish(1_000_000).unwrap();
        let to = directory.path().join("archive");
        common::written(Format::Otf2, &path, &to);
        let all = events(&to);
        let is_chunk =
            |record: &&common::otf2::Record| record.kind == "ENTER" && record.what.starts_with("!$omp chunk");
        chunks += all.values().flatten().filter(is_chunk).count();
    }
    assert!(chunks > 200, "{chunks}");
}
