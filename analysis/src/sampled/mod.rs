//! What sampled stacks tell. The trace knows exactly what each thread did and for how long (`walk`); a sample knows where. Time of the
//! same thread at the same site - the same region as the source has it, the same loop, the same wait - is shared among the
//! samples that were taken in it, by the CPU time that they stand for. So all entries of a thread add up to its time, and waits to
//! the trace's. What the runtime alone knows, as the wait for a lock, is taken from the sample (`state`). Stacks are
//! as the source has them (`user`), and as they were.

mod model;
mod state;
mod user;
mod walk;

use std::collections::HashMap;

use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Error, Event, Part};

pub use self::model::{Entry, Frame, FrameId, Interned, Kind, Sampled, Stack, StackId, State};
use self::state::state;
use self::user::{Raw, Stacks};
use self::walk::{Doing, Piece, Site, Walk};

/// A sample without its stack.
#[derive(Debug, Clone, Copy)]
struct Held {
    time: u64,
    cpu_ns: u64,
    asked: u32,
    region: u64,
    /// Of the raw stacks.
    stack: u32,
    cut: bool,
    /// Where the trace says that it is; none yet.
    pool: Option<usize>,
    chunk: Option<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Samples {
    all: Vec<Held>,
    /// Up to here they have a pool.
    next: usize,
    last: u64,
}

/// Time of a thread at a site.
#[derive(Debug)]
struct Pool {
    thread: u32,
    site: Site,
    ticks: u64,
    time: u64,
    region: u64,
    chunk: Option<(u64, u64)>,
}

/// Joins a part with its stacks.
pub fn of(part: &Part, file: &StackFile) -> Result<Sampled, Error> {
    let (mut threads, raws) = read(file)?;
    let (mut pools, mut numbers) = (Vec::new(), HashMap::new());
    let sampled_until: HashMap<u32, u64> = threads
        .iter()
        .map(|(thread, it)| (*thread, it.last.saturating_add(1)))
        .collect();
    let mut waits = false;
    let mut walk = Walk::default();
    let mut told = |piece: Piece| take(piece, &mut threads, &mut pools, &mut numbers);
    let mut last: HashMap<u32, u64> = HashMap::new();
    part.merged(|at, event| {
        waits |= matches!(event, Event::WaitBegin(_));
        last.insert(at.thread, at.ticks);
        walk.follow(at, &event, &mut told);
    })?;
    // A program that was killed was sampled up to then.
    let end = |thread: u32| {
        let event = last.get(&thread).copied().unwrap_or(0);
        event.max(sampled_until.get(&thread).copied().unwrap_or(0))
    };
    walk.finish(end, &mut told);
    let mut stacks = Stacks::new(file, std::mem::take(&mut walk.regions));
    let mut sampled = Sampled::default();
    leftover(&mut threads, &mut pools, part);
    let mut in_pools: Vec<Vec<Held>> = pools.iter().map(|_| Vec::new()).collect();
    for it in threads.values().flat_map(|thread| &thread.all) {
        match it.pool {
            Some(pool) => in_pools[pool].push(*it),
            None => sampled.unused += 1,
        }
    }
    for (pool, samples) in pools.iter().zip(&in_pools) {
        share(pool, samples, &raws, waits, &mut stacks, &mut sampled);
    }
    sampled
        .entries
        .sort_by_key(|entry| (entry.thread, entry.time));
    sampled.unreadable = stacks
        .symbols
        .unreadable()
        .map(|(path, why)| (path.clone(), why.clone()))
        .collect();
    (sampled.stacks, sampled.frames) = (stacks.stacks, stacks.frames);
    Ok(sampled)
}

type Raws = Interned<Vec<u64>>;

/// The samples by thread, and their stacks.
fn read(file: &StackFile) -> Result<(HashMap<u32, Samples>, Raws), Error> {
    let mut threads: HashMap<u32, Samples> = HashMap::new();
    let mut raws = Raws::default();
    file.for_each(|file| {
        let stack = raws.number(file.frames.to_vec());
        let samples = threads.entry(file.thread).or_default();
        samples.last = samples.last.max(file.time);
        samples.all.push(Held {
            time: file.time,
            cpu_ns: file.cpu_ns,
            asked: file.state,
            region: file.region,
            stack,
            cut: file.cut.is_some(),
            pool: None,
            chunk: None,
        });
    })?;
    for samples in threads.values_mut() {
        samples.all.sort_by_key(|it| it.time);
    }
    Ok((threads, raws))
}

/// A piece of a thread's time is added to its pool, and gets the samples that were taken in it.
fn take(
    piece: Piece,
    threads: &mut HashMap<u32, Samples>,
    pools: &mut Vec<Pool>,
    numbers: &mut HashMap<(u32, Site), usize>,
) {
    let known = piece.site.doing != Doing::Unknown;
    let key = (piece.thread, piece.site);
    let number = known.then(|| {
        *numbers.entry(key).or_insert_with(|| {
            pools.push(Pool {
                thread: piece.thread,
                site: piece.site,
                ticks: 0,
                time: piece.from,
                region: piece.region,
                chunk: piece.chunk,
            });
            pools.len() - 1
        })
    });
    if let Some(number) = number {
        pools[number].ticks += piece.to - piece.from;
    }
    let Some(samples) = threads.get_mut(&piece.thread) else {
        return;
    };
    while let Some(it) = samples.all.get_mut(samples.next) {
        if it.time >= piece.to {
            break;
        }
        (it.pool, it.chunk) = (number, piece.chunk);
        if it.region == 0 {
            it.region = piece.region;
        }
        samples.next += 1;
    }
}

/// Samples of threads of which the trace tells nothing, or nothing more: they stand for the CPU time that they tell.
fn leftover(threads: &mut HashMap<u32, Samples>, pools: &mut Vec<Pool>, part: &Part) {
    let ticks_per_ns = part.clock().hertz / 1e9;
    for (thread, samples) in threads {
        let rest = &mut samples.all[samples.next..];
        let Some(first) = rest.first() else {
            continue;
        };
        let cpu: u64 = rest.iter().map(|it| it.cpu_ns).fold(0, u64::saturating_add);
        pools.push(Pool {
            thread: *thread,
            site: Site {
                doing: Doing::Serial,
                fork: 0,
                wait: 0,
                the_loop: ompchunk_trace_format::NOBODY,
            },
            ticks: (cpu as f64 * ticks_per_ns) as u64,
            time: first.time,
            region: 0,
            chunk: None,
        });
        for it in rest {
            it.pool = Some(pools.len() - 1);
        }
    }
}

/// A pool's time, among its samples.
fn share(
    pool: &Pool,
    samples: &[Held],
    raws: &Raws,
    waits: bool,
    stacks: &mut Stacks<'_>,
    to: &mut Sampled,
) {
    let site = pool.site;
    let mut entry = Entry {
        thread: pool.thread,
        time: pool.time,
        ticks: pool.ticks,
        cpu_ns: 0,
        state: State::Serial,
        region: pool.region,
        fork: site.fork,
        the_loop: site.the_loop,
        chunk: pool.chunk,
        user: 0,
        machine: None,
    };
    if samples.is_empty() {
        if let Some(state) = state(site.doing, None, waits) {
            entry.state = state;
            entry.user = match state {
                State::Idle => stacks.nothing(),
                _ => stacks.of_region(pool.region, pool.time),
            };
            to.entries.push(entry);
        }
        return;
    }
    let weight = |held: &Held| u128::from(held.cpu_ns.max(1));
    let all: u128 = samples.iter().map(weight).sum();
    let (mut seen, mut given) = (0, 0);
    for sample in samples {
        seen += weight(sample);
        // Cumulative, so that nothing is lost by rounding.
        let until = (u128::from(pool.ticks) * seen / all) as u64;
        let Some(state) = state(site.doing, Some(sample.asked), waits) else {
            continue;
        };
        let raw = Raw {
            frames: raws.of(sample.stack),
            cut: sample.cut,
            thread: pool.thread,
            region: sample.region,
            time: sample.time,
        };
        if site.fork != 0 && !to.forks.contains_key(&site.fork) {
            if let Some(frame) = stacks.fork(sample.region, sample.time) {
                to.forks.insert(site.fork, frame);
            }
        }
        to.entries.push(Entry {
            time: sample.time,
            ticks: until - given,
            cpu_ns: sample.cpu_ns,
            state,
            region: sample.region,
            chunk: sample.chunk,
            user: match state {
                State::Idle => stacks.nothing(),
                _ => stacks.user(raw),
            },
            machine: Some(stacks.machine(raw)),
            ..entry
        });
        given = until;
    }
}
