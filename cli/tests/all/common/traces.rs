//! Traces for reports: one of each kind that a report has to cope with.

use std::path::{Path, PathBuf};

use ompchunk_testkit::traces::{Maker, definition, meta, set_lost};
use ompchunk_trace_format::{Code, Event, LoopDefinition, Meta, Mode, SubBlock, Sum, SumOf};

fn directory(parent: &Path, name: &str) -> PathBuf {
    let path = parent.join(name);
    std::fs::create_dir(&path).unwrap();
    path
}

/// Two loops: an uneven one with 100 runs, and a short one whose function has odd characters.
pub fn small(parent: &Path, name: &str, chunk: i64, uneven: u64) -> PathBuf {
    let path = directory(parent, name);
    let mut maker = Maker::new(&path, "pid-7", &meta(None));
    let first = LoopDefinition { chunk, ..definition(0, 12, "_ZN4grid5sweepEi") };
    maker.threads(2, &[first, definition(1, 40, "</script><b>\u{1b}[31m\"'&")]);
    let mut at = 1000;
    for run in 0..100 {
        let slow: &[_] = &[(400 + uneven, 5), (300, 5), (200, 5)];
        at = maker.execute(at, run + 1, 0, &[slow, &[(300, 5), (200, 5), (200, 5)]]) + 50;
    }
    at = maker.execute(at, 200, 1, &[&[(40, 0)], &[(50, 0)]]);
    maker.finish(at + 500);
    path
}

/// Two loops, of which the first waits for a critical section: 300 µs in 100 times, without the readings of the clock.
pub fn with_lock(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    let mut meta = meta(None);
    meta.events.insert("mutex_acquired".into(), 5);
    let read = meta.clock.read as u64;
    let mut maker = Maker::new(&path, "pid-7", &meta);
    maker.threads(2, &[definition(0, 12, "sweep"), definition(1, 40, "copy")]);
    let mut at = 1000;
    for (run, the_loop) in [(1, 0), (2, 1)] {
        at = maker.execute(at, run, the_loop, &[&[(900, 0)], &[(800, 0)]]) + 50;
    }
    let sum = Sum {
        thread: 0,
        what: SumOf::Mutex,
        // `ompt_mutex_critical`
        of: 5,
        code: 77,
        the_loop: 0,
        count: 100,
        sum: 300 + 100 * read,
        min: 1,
        max: 40,
        from: 1000,
        to: at,
    };
    maker.put(0, at, &Event::Sum(sum));
    maker.finish(at + 500);
    path
}

/// Ranks of eight threads each; some are slower than others, and in some one thread is.
pub fn ranks(parent: &Path, name: &str, ranks: u64) -> PathBuf {
    let path = directory(parent, name);
    for rank in 0..ranks {
        let mut maker = Maker::new(&path, &format!("rank-{rank}"), &meta(Some(rank)));
        maker.threads(8, &[definition(0, 120, "_ZN6solver5relaxEv"), definition(1, 7, "halo")]);
        let mut at = 100;
        for run in 0..4 {
            let time = |thread: u64| {
                let slow = u64::from(rank % 16 == 5) * 3000 + u64::from(thread == rank % 9) * 2000;
                vec![(4000 + slow + rank * 7 + thread * 31 + run * 13, 3); 2]
            };
            let team: Vec<_> = (0..8).map(time).collect();
            let team: Vec<&[_]> = team.iter().map(Vec::as_slice).collect();
            at = maker.execute(at, run + 1, 0, &team) + 100;
        }
        at = maker.execute(at, 90, 1, &[&[(30, 1)][..]; 8]);
        maker.finish(at + 100);
    }
    path
}

/// Functions whose names are longer than any screen, in files whose names are, too.
pub fn long_names(parent: &Path, name: &str) -> (PathBuf, String) {
    let path = directory(parent, name);
    let mut meta = meta(None);
    meta.command = vec!["./build/with a blank/solver".into(), "--mesh=".to_owned() + &"m".repeat(200)];
    let mut maker = Maker::new(&path, "pid-7", &meta);
    let part = "std::vector<mesh::Element<3, double>, pool::Allocator<mesh::Element<3, double> > >";
    let kernel = "kernel_".repeat(40);
    let function = format!("void solver::assemble<{part}, {part}, {part}>({part} const&)::{kernel}");
    let unbroken = "x".repeat(300);
    let file = format!("src/{}/a.cpp", "generated_sources_of_the_discretization".repeat(4));
    let of = |number, function| LoopDefinition { file: file.as_bytes(), ..definition(number, 1200 + number, function) };
    maker.threads(2, &[of(0, &function), of(1, &unbroken)]);
    let mut at = 100;
    for (region, number) in [(1, 0), (2, 1), (3, 0), (4, 1)] {
        let slow: &[_] = &[(40_000, 5), (30_000, 5)];
        at = maker.execute(at, region, number, &[slow, &[(10_000, 5), (20_000, 5)]]) + 100;
    }
    maker.finish(at + 100);
    (path, format!("void solver::assemble<...>(std::vector<...> const&)::{kernel}"))
}

pub fn no_loops(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    Maker::new(&path, "pid-7", &meta(None)).finish(10_000);
    path
}

/// Chunks were lost, and no run of the loop is complete.
pub fn with_losses(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    let mut maker = Maker::new(&path, "pid-7", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    for lane in 0..2 {
        maker.task(lane, 90, 1, 2);
        maker.begin(lane, 90, 0, 100);
        for number in 0..4 {
            let lower = (number * 2 + u64::from(lane)) * 2;
            maker.chunk(lane, 200 + number * 30 + u64::from(lane) * 9, lower, 2, 0);
        }
        maker.put(lane, 400, &Event::LoopEnd { the_loop: 0 });
    }
    maker.lost(1, 400, 30);
    set_lost(&maker.finish(420), 30);
    path
}

/// Only sums, as with `--aggregate`.
pub fn sums(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    let meta = Meta { mode: Mode { aggregate: true, ..Mode::default() }, ..meta(None) };
    let mut maker = Maker::new(&path, "pid-7", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    maker.aggregate(0, 1000, (10, 40, 400), &[0, 0, 0, 40]);
    maker.aggregate(1, 1000, (10, 40, 200), &[0, 0, 40]);
    maker.finish(1000);
    path
}

/// Two threads that work the same.
pub fn balanced(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    let mut maker = Maker::new(&path, "pid-7", &meta(None));
    maker.threads(2, &[definition(0, 12, "main"), definition(1, 40, "init")]);
    let mut at = 10;
    for run in 0..20 {
        at = maker.execute(at, run + 1, (run % 2) as u32, &[&[(5000, 0)][..], &[(5000, 0)]]) + 5;
    }
    maker.finish(at + 10);
    path
}

/// Loops at the ends of what numbers may be: no time, all iterations that there can be, and a team wider than a screen is high.
pub fn extremes(parent: &Path, name: &str) -> PathBuf {
    let path = directory(parent, name);
    let mut maker = Maker::new(&path, "pid-7", &meta(None));
    let loops = ["no_time", "all_iterations", "wide_team", "alone"];
    let loops: Vec<_> = (0..).zip(loops).map(|(at, the_loop)| definition(at, 10 + at, the_loop)).collect();
    maker.threads(200, &loops);
    let at = maker.execute(10, 1, 0, &[&[(0, 0)][..], &[(0, 0)]]);
    for lane in 0..2 {
        maker.task(lane, at + 10, 2, 2);
        maker.begin(lane, at + 10, 1, u64::MAX);
        let half = u64::MAX / 2;
        let (lower, count) = if lane == 0 { (0, half) } else { (half, half + 1) };
        maker.chunk(lane, at + 10, lower, count, 0);
        let end = at + 1000 * (u64::from(lane) + 1);
        maker.put(lane, end, &Event::LoopEnd { the_loop: 1 });
        maker.put(lane, end, &Event::ImplicitTaskEnd { parallel: 2 });
    }
    let work: Vec<_> = (0..200u64).map(|index| vec![(10 + index, 0); 3]).collect();
    let team: Vec<&[_]> = work.iter().map(Vec::as_slice).collect();
    let at = maker.execute(at + 3000, 3, 2, &team);
    let at = maker.execute(at + 10, 4, 3, &[&[(500, 0), (1, 0)][..]]);
    maker.finish(at + 10);
    path
}

/// No loops, and a region in which two tasks run, one of which takes half of the time.
pub fn tasks(parent: &Path, name: &str) -> PathBuf {
    tasks_behind(parent, name, 0)
}

/// The same, created when the region has worked for so long.
pub fn tasks_behind(parent: &Path, name: &str, work: u64) -> PathBuf {
    let path = directory(parent, name);
    let mut meta = meta(None);
    meta.mode.tasks = true;
    let mut maker = Maker::new(&path, "pid-7", &meta);
    maker.thread(0, 0, 1);
    maker.thread(1, 0, 2);
    let created = Code { address: 0x1000, offset: 0x1000, object: b"/gone/app", function: b"</script><b>" };
    maker.put(0, 0, &Event::Code(created));
    maker.region(0, 500 - work, 1, 0x2000);
    maker.task(0, 500 - work, 1, 2);
    for task in [1, 2] {
        let creation = Event::TaskCreate { task, parent: 0, flags: 4, create_duration: 0, code: 0x1000 };
        maker.put(0, 500, &creation);
    }
    for (lane, task, end) in [(0, 1, 1500), (1, 2, 1000)] {
        if lane > 0 {
            maker.task(lane, 500, 1, 2);
        }
        for (at, prior, status, next) in [(500, 0, 7, task), (end, task, 1, 0)] {
            let switch = Event::TaskSchedule { prior, status, next };
            maker.put(lane, at, &switch);
        }
        maker.put(lane, 1500, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    maker.put(0, 1500, &Event::ParallelEnd { parallel: 1 });
    task_sums(&mut maker);
    maker.finish(2000);
    path
}

fn task_sums(maker: &mut Maker) {
    maker.tasks(1600, 0x1000, 2, 1500, [500, 1000]);
    maker.task_region(1600, 0x2000, 2, 1500, 1000);
}

/// Two loops of two threads and 32 iterations: the first's cost grows, the second is told in one piece per thread.
pub fn profiled(directory: &Path, profile: bool) {
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
                        let sub_block = SubBlock::new(lower + piece * 4, 4, flags);
                        maker.put(lane, at, &Event::SubBlock(sub_block));
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
