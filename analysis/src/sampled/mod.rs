//! What sampled stacks tell. The trace knows what each thread did and for how long (`walk`); a sample knows where. A thread's time at one
//! site (region as the source has it, loop, wait) is shared among the samples taken in it, by their CPU time: so all entries of a thread
//! add up to its time, and waits to the trace's. What the runtime alone knows, as the wait for a lock, is taken from the sample.

mod model;
mod user;
mod walk;

use std::collections::HashMap;

use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Error, Event, NOBODY, Part};

use self::user::{Raw, Stacks};
use self::walk::{Doing, Piece, Site, Walk, state};

pub use self::model::{Entry, Frame, FrameId, Interned, Kind, Sampled, Stack, StackId, State};

#[derive(Debug, Clone, Copy)]
struct Held {
    time: u64,
    cpu_ns: u64,
    asked: u32,
    region: u64,
    /// Its number among the raw stacks.
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

struct Pool {
    site: Site,
    /// All of it, in no state and without a stack.
    all: Entry,
}

impl Pool {
    fn from_piece(piece: &Piece) -> Pool {
        let all = Entry {
            thread: piece.thread,
            time: piece.from,
            ticks: 0,
            cpu_ns: 0,
            state: State::Serial,
            region: piece.region,
            fork: piece.site.fork,
            the_loop: piece.site.the_loop,
            chunk: piece.chunk,
            user: 0,
            machine: None,
        };
        Pool { site: piece.site, all }
    }
}

pub fn sampled(part: &Part, file: &StackFile) -> Result<Sampled, Error> {
    let (threads, raws) = read(file)?;
    let mut pools = Pools { threads, pools: Vec::new(), numbers: HashMap::new() };
    let mut walk = Walk::default();
    let waits = pools.walk(part, &mut walk)?;
    pools.leftover(part);
    let (in_pools, unused) = pools.samples();
    let mut shares =
        Shares { raws: &raws, waits, stacks: Stacks::new(file, walk.regions), sampled: Sampled::default() };
    for (pool, samples) in pools.pools.iter().zip(&in_pools) {
        shares.share(pool, samples);
    }
    let (mut sampled, stacks) = (shares.sampled, shares.stacks);
    sampled.unused = unused;
    sampled.entries.sort_by_key(|entry| (entry.thread, entry.time));
    sampled.unreadable = stacks.symbols.unreadable().map(|(path, why)| (path.clone(), why.clone())).collect();
    (sampled.stacks, sampled.frames) = (stacks.stacks, stacks.frames);
    Ok(sampled)
}

type Raws = Interned<Vec<u64>>;

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
        samples.all.sort_by_key(|held| held.time);
    }
    Ok((threads, raws))
}

struct Pools {
    threads: HashMap<u32, Samples>,
    pools: Vec<Pool>,
    numbers: HashMap<(u32, Site), usize>,
}

impl Pools {
    /// All that the trace tells, and whether that has waits.
    fn walk(&mut self, part: &Part, walk: &mut Walk) -> Result<bool, Error> {
        let mut waits = false;
        let mut last: HashMap<u32, u64> = HashMap::new();
        // A program that was killed was sampled up to then.
        let threads = self.threads.iter();
        let sampled_until: HashMap<u32, u64> =
            threads.map(|(thread, samples)| (*thread, samples.last.saturating_add(1))).collect();
        let mut told = |piece: Piece| self.take(piece);
        part.merged(|at, event| {
            waits |= matches!(event, Event::WaitBegin(_));
            last.insert(at.thread, at.ticks);
            walk.follow(at, event, &mut told);
        })?;
        let end = |thread: u32| last.get(&thread).max(sampled_until.get(&thread)).copied();
        walk.finish(|thread| end(thread).unwrap_or(0), &mut told);
        Ok(waits)
    }

    /// A piece of a thread's time is added to its pool, and gets the samples that were taken in it.
    fn take(&mut self, piece: Piece) {
        let number = self.add(&piece);
        let Some(samples) = self.threads.get_mut(&piece.thread) else { return };
        while let Some(held) = samples.all.get_mut(samples.next) {
            if held.time >= piece.to {
                break;
            }
            (held.pool, held.chunk) = (number, piece.chunk);
            if held.region == 0 {
                held.region = piece.region;
            }
            samples.next += 1;
        }
    }

    /// The pool's number; `None`: nobody knows what the thread did.
    fn add(&mut self, piece: &Piece) -> Option<usize> {
        if piece.site.doing == Doing::Unknown {
            return None;
        }
        let pools = &mut self.pools;
        let number = *self.numbers.entry((piece.thread, piece.site)).or_insert_with(|| {
            pools.push(Pool::from_piece(piece));
            pools.len() - 1
        });
        pools[number].all.ticks += piece.to - piece.from;
        Some(number)
    }

    /// Samples of threads of which the trace tells nothing, or nothing more: they stand for the CPU time that they tell.
    fn leftover(&mut self, part: &Part) {
        let ticks_per_ns = part.clock().hertz / 1e9;
        for (thread, samples) in &mut self.threads {
            let rest = &mut samples.all[samples.next..];
            let Some(first) = rest.first() else { continue };
            let cpu_ns = rest.iter().map(|held| held.cpu_ns).fold(0, u64::saturating_add);
            let site = Site { doing: Doing::Serial, fork: 0, wait: 0, the_loop: NOBODY };
            let (from, to) = (first.time, first.time);
            let mut pool = Pool::from_piece(&Piece { thread: *thread, from, to, site, region: 0, chunk: None });
            pool.all.ticks = (cpu_ns as f64 * ticks_per_ns) as u64;
            self.pools.push(pool);
            for held in rest {
                held.pool = Some(self.pools.len() - 1);
            }
        }
    }

    fn samples(&self) -> (Vec<Vec<Held>>, u64) {
        let mut in_pools: Vec<Vec<Held>> = self.pools.iter().map(|_| Vec::new()).collect();
        let mut unused = 0;
        for held in self.threads.values().flat_map(|thread| &thread.all) {
            match held.pool {
                Some(pool) => in_pools[pool].push(*held),
                None => unused += 1,
            }
        }
        (in_pools, unused)
    }
}

struct Shares<'a> {
    raws: &'a Raws,
    /// The trace tells of waits.
    waits: bool,
    stacks: Stacks<'a>,
    sampled: Sampled,
}

impl Shares<'_> {
    fn share(&mut self, pool: &Pool, samples: &[Held]) {
        if samples.is_empty() {
            let entry = self.without_samples(pool);
            self.sampled.entries.extend(entry);
            return;
        }
        let weight = |held: &Held| u128::from(held.cpu_ns.max(1));
        let sum: u128 = samples.iter().map(weight).sum();
        let (mut seen, mut given) = (0, 0);
        for sample in samples {
            seen += weight(sample);
            // Cumulative, so that nothing is lost by rounding.
            let until = (u128::from(pool.all.ticks) * seen / sum) as u64;
            if let Some(state) = state(pool.site.doing, Some(sample.asked), self.waits) {
                let entry = self.of_sample(pool, sample, state, until - given);
                self.sampled.entries.push(entry);
                given = until;
            }
        }
    }

    fn without_samples(&mut self, pool: &Pool) -> Option<Entry> {
        let state = state(pool.site.doing, None, self.waits)?;
        let user = if state == State::Idle {
            self.stacks.nothing()
        } else {
            self.stacks.of_region(pool.all.region, pool.all.time)
        };
        Some(Entry { state, user, ..pool.all })
    }

    fn of_sample(&mut self, pool: &Pool, sample: &Held, state: State, ticks: u64) -> Entry {
        self.name_fork(pool.site.fork, sample);
        let raw = Raw {
            frames: self.raws.get(sample.stack),
            cut: sample.cut,
            thread: pool.all.thread,
            region: sample.region,
            time: sample.time,
        };
        Entry {
            time: sample.time,
            ticks,
            cpu_ns: sample.cpu_ns,
            state,
            region: sample.region,
            chunk: sample.chunk,
            user: if state == State::Idle { self.stacks.nothing() } else { self.stacks.user(raw) },
            machine: Some(self.stacks.machine(raw)),
            ..pool.all
        }
    }

    /// Where the region of a sample was forked, the first time that it can be told.
    fn name_fork(&mut self, fork: u64, sample: &Held) {
        if fork == 0 || self.sampled.forks.contains_key(&fork) {
            return;
        }
        let frame = self.stacks.fork(sample.region, sample.time);
        self.sampled.forks.extend(frame.map(|frame| (fork, frame)));
    }
}
