//! From events to the bytes of records. The one place that knows how a record is put together; the
//! recorder's hot path calls [`chunk`], everything else [`Event::encode`].

use crate::event::{Event, IMPLICIT, Sync};
use crate::group::Group;
use crate::layout::{MOST_GROUPED, MOST_TEXT, UNIT, kind};

/// Largest number in a record's `small` field.
pub const MOST_SMALL: u64 = (1 << 24) - 1;
/// Two records of a lane that are this many ticks apart or more have a time record between them.
pub const LONG_GAP: u64 = 1 << 31;

/// The bytes of one unit, as two little-endian words.
pub type Unit = [u64; 2];

/// A unit from its four fields.
#[inline]
#[must_use]
pub const fn unit(kind: u8, small: u32, ticks: u64, third: u32, fourth: u32) -> Unit {
    [
        kind as u64 | ((small as u64 & MOST_SMALL) << 8) | ticks << 32,
        third as u64 | (fourth as u64) << 32,
    ]
}

/// A chunk in one unit. Only for `lower` and `iterations` below 2^32 and `create_duration` up to
/// [`MOST_SMALL`]; for others [`Event::encode`] finds another form.
#[inline]
#[must_use]
pub const fn chunk(
    ticks: u64,
    lower: u64,
    iterations: u64,
    create_duration: u64,
    last: bool,
) -> Unit {
    let kind = if last { kind::CHUNK_LAST } else { kind::CHUNK };
    unit(
        kind,
        create_duration as u32,
        ticks,
        lower as u32,
        iterations as u32,
    )
}

/// A chunk's unit together with that of the chunk before it, which [`can_be_first`], both in the place of the one before;
/// or `None`. `before` is that one's second word, `ticks_before` its time, `apart` what has passed since. A writer stores
/// the first word first: with the old second word the unit is still the one chunk, as its distance to the second is 0.
#[inline]
#[must_use]
pub const fn pair(before: u64, ticks_before: u64, chunk: Unit, apart: u64) -> Option<Unit> {
    let distance = chunk[1].wrapping_sub(before);
    let plain = chunk[0] as u32 == kind::CHUNK as u32;
    if !plain || apart > MOST_SMALL || distance.wrapping_sub(1) >= MOST_DISTANCE {
        return None;
    }
    Some([
        kind::CHUNK_PAIR as u64 | apart << 8 | ticks_before << 32,
        before | distance << DISTANCE,
    ])
}

/// A loop's begin where the user's start and step are not known.
#[inline]
#[must_use]
pub const fn loop_begin(ticks: u64, the_loop: u32, work: u32, count: u64) -> [Unit; 2] {
    [unit(kind::LOOP_BEGIN, 0, ticks, the_loop, work), [count, 0]]
}

/// A loop's begin where [`START_KNOWN`], [`STEP_KNOWN`] or both are in `known`; what is not known is 0.
#[inline]
#[must_use]
pub const fn loop_begin_user(
    ticks: u64,
    the_loop: u32,
    work: u32,
    count: u64,
    known: u32,
    start: i64,
    step: i64,
) -> [Unit; 3] {
    [
        unit(kind::LOOP_BEGIN_USER, known, ticks, the_loop, work),
        [count, 0],
        [start as u64, step as u64],
    ]
}

/// Whether [`loop_begin_short`] can say it. What is not known is 0.
#[inline]
#[must_use]
pub const fn is_short(the_loop: u32, work: u32, count: u64, start: i64, step: i64) -> bool {
    let numbers = (the_loop >> 16) as u64 | (work >> 6) as u64 | count >> 32;
    let values = (start ^ start as i16 as i64) | (step ^ step as i16 as i64);
    numbers | values as u64 == 0
}

/// A loop's begin in one unit.
#[inline]
#[must_use]
pub const fn loop_begin_short(
    ticks: u64,
    the_loop: u32,
    work: u32,
    count: u64,
    known: u32,
    start: i64,
    step: i64,
) -> Unit {
    let values = start as u16 as u32 | (step as u16 as u32) << 16;
    let small = the_loop | work << 16 | known << 22;
    unit(kind::LOOP_BEGIN_SHORT, small, ticks, count as u32, values)
}

/// The same from one that was made before, of no work, no iterations and no time.
#[inline]
#[must_use]
pub const fn loop_begin_again(short: Unit, ticks: u64, work: u32, count: u64) -> Option<Unit> {
    if short[0] == 0 || (work >> 6) as u64 | count >> 32 != 0 {
        return None;
    }
    let [first, second] = short;
    Some([first | (work as u64) << 24 | ticks << 32, second | count])
}

/// The user's start is known.
pub const START_KNOWN: u32 = 1;
/// The user's step is known.
pub const STEP_KNOWN: u32 = 2;

/// A loop's end.
#[inline]
#[must_use]
pub const fn loop_end(ticks: u64, the_loop: u32) -> Unit {
    unit(kind::LOOP_END, 0, ticks, the_loop, 0)
}

/// Whether the next chunk may go into this one's unit.
#[inline]
#[must_use]
pub const fn can_be_first(chunk: Unit) -> bool {
    chunk[0] as u32 == kind::CHUNK as u32 && chunk[1] >> DISTANCE == 0
}

/// The second word of a pair's second chunk, from that of the pair; `None`: there is no second chunk.
#[inline]
#[must_use]
pub const fn second_of_pair(word: u64) -> Option<u64> {
    // Carries go where they came from: the sum is the word that the chunk had.
    let distance = word >> DISTANCE;
    if distance == 0 {
        return None;
    }
    Some((word & ((1 << DISTANCE) - 1)) + distance)
}

/// Where a pair's second word has the distance, in bits: above `lower` and two bytes of `iterations`.
const DISTANCE: u32 = 48;
/// Distances are below this, less one: two bytes, and 0 is none.
const MOST_DISTANCE: u64 = (1 << 16) - 1;

/// Where a short begin of an implicit task has the team's size, in bits: above the region.
pub(crate) const REGION: u32 = 40;
/// Regions are up to this.
const MOST_REGION: u64 = (1 << REGION) - 1;

/// The whole time, for a lane that was silent for [`LONG_GAP`] or more.
#[must_use]
pub const fn time(ticks: u64) -> Unit {
    [kind::TIME as u64 | ticks << 32, ticks]
}

impl Event<'_> {
    /// Appends the record's words, each to be written little-endian. At most a few kilobytes.
    pub fn encode(&self, ticks: u64, to: &mut Vec<u64>) {
        let mut put = |unit: Unit| to.extend(unit);
        let plain =
            |kind, small, value: u64| unit(kind, small, ticks, value as u32, (value >> 32) as u32);
        let sync = |kind, of: &Sync| plain(kind, of.kind, of.code);
        match self {
            Event::Chunk(it) => {
                let narrow = (it.lower | it.iterations) >> 32 == 0;
                if narrow && it.create_duration <= MOST_SMALL {
                    put(chunk(
                        ticks,
                        it.lower,
                        it.iterations,
                        it.create_duration,
                        it.last,
                    ));
                } else {
                    put(plain(kind::CHUNK_WIDE, it.last.into(), it.create_duration));
                    put([it.lower, it.iterations]);
                }
            }
            Event::SubBlock(it) => {
                put(plain(kind::SUB_BLOCK, 2, it.lower));
                put([it.iterations, it.flags().into()]);
            }
            Event::ThreadBegin {
                thread,
                os_thread,
                kind: of,
            } => put(unit(kind::THREAD_BEGIN, *of, ticks, *thread, *os_thread)),
            Event::ThreadEnd { thread } => put(unit(kind::THREAD_END, 0, ticks, *thread, 0)),
            Event::ParallelBegin {
                parallel,
                requested,
                flags,
                code,
            } => {
                put(unit(kind::PARALLEL_BEGIN, *flags, ticks, *requested, 0));
                put([*parallel, *code]);
            }
            Event::ParallelEnd { parallel } => put(plain(kind::PARALLEL_END, 0, *parallel)),
            Event::ImplicitTaskBegin {
                parallel,
                index,
                team_size,
                flags,
            } if *flags == IMPLICIT
                && parallel.wrapping_sub(1) < MOST_REGION
                && (index | team_size) >> 24 == 0 =>
            {
                let all = parallel | u64::from(*team_size) << REGION;
                put(plain(kind::TASK_BEGIN, *index, all));
            }
            Event::ImplicitTaskBegin {
                parallel,
                index,
                team_size,
                flags,
            } => {
                put(unit(
                    kind::IMPLICIT_TASK_BEGIN,
                    *flags,
                    ticks,
                    *index,
                    *team_size,
                ));
                put([*parallel, 0]);
            }
            Event::ImplicitTaskEnd { parallel } => {
                put(plain(kind::IMPLICIT_TASK_END, 0, *parallel))
            }
            Event::WorkBegin { work, count, code } if *work < 1 << 8 && *count < 1 << 16 => {
                let small = *work | (*count as u32) << 8;
                put(plain(kind::WORK_BEGIN_SHORT, small, *code));
            }
            Event::WorkBegin { work, count, code } => {
                put(plain(kind::WORK_BEGIN, *work, *count));
                put([*code, 0]);
            }
            Event::WorkEnd { work } => put(unit(kind::WORK_END, *work, ticks, 0, 0)),
            Event::SyncBegin(of) => put(sync(kind::SYNC_BEGIN, of)),
            Event::SyncEnd(of) => put(sync(kind::SYNC_END, of)),
            Event::WaitBegin(of) => put(sync(kind::WAIT_BEGIN, of)),
            Event::WaitEnd(of) => put(sync(kind::WAIT_END, of)),
            Event::LoopBegin(it) => {
                let known = match (it.start, it.step) {
                    (None, None) => 0,
                    (Some(_), None) => START_KNOWN,
                    (None, Some(_)) => STEP_KNOWN,
                    (Some(_), Some(_)) => START_KNOWN | STEP_KNOWN,
                };
                let (start, step) = (it.start.unwrap_or(0), it.step.unwrap_or(0));
                if is_short(it.the_loop, it.work, it.count, start, step) {
                    let (the_loop, work, count) = (it.the_loop, it.work, it.count);
                    put(loop_begin_short(
                        ticks, the_loop, work, count, known, start, step,
                    ));
                    return;
                }
                let user =
                    loop_begin_user(ticks, it.the_loop, it.work, it.count, known, start, step);
                let plain = loop_begin(ticks, it.the_loop, it.work, it.count);
                let units = if known == 0 { &plain[..] } else { &user[..] };
                units.iter().copied().for_each(put);
            }
            Event::LoopEnd { the_loop } => put(loop_end(ticks, *the_loop)),
            Event::TaskCreate {
                task,
                parent,
                flags,
                create_duration,
                code,
            } => {
                put(plain(kind::TASK_CREATE, 0, *create_duration));
                put([*task, *parent]);
                put([*code, u64::from(*flags)]);
            }
            Event::TaskSchedule {
                prior,
                status,
                next,
            } => {
                put(unit(kind::TASK_SCHEDULE, *status, ticks, 0, 0));
                put([*prior, *next]);
            }
            Event::Recorder(it) => {
                put(plain(kind::RECORDER, it.before, it.ticks));
                put([it.preempted, 0]);
            }
            Event::OffCore(it) => {
                let core = it.core.map_or(0, |core| core.saturating_add(1));
                put(plain(kind::OFF_CORE, core, it.ticks));
                let switches = u64::from(it.voluntary) | u64::from(it.involuntary) << 32;
                put([it.since, switches]);
            }
            Event::Times(it) => {
                put(unit(kind::LOOP_TIMES, 0, ticks, it.the_loop, it.thread));
                put([it.recorder, it.preempted]);
                put([it.waiting, it.either]);
            }
            Event::Lost(it) => {
                put(unit(kind::LOST, it.reason, ticks, it.the_loop, it.thread));
                put([it.chunks, it.iterations]);
                put([it.events, 0]);
                put([it.from, it.to]);
            }
            Event::Loop(it) => {
                let (function, file) = (cut(it.function), cut(it.file));
                let group = match it.group.len() {
                    few if few <= MOST_GROUPED => it.group,
                    // Half of a group would tell readers that the rest may stay as compiled.
                    _ => Group::default(),
                };
                let units = 5 + units_of(function.len() + file.len() + group.0.len());
                let variable = kind::LOOP_DEFINITION;
                put(unit(variable, units, ticks, it.the_loop, it.flags));
                let shape = [
                    it.construct,
                    it.bits,
                    it.variable_bits,
                    it.instrumented.into(),
                ];
                put([
                    it.code,
                    u64::from(it.schedule) | u64::from(u32::from_le_bytes(shape)) << 32,
                ]);
                put([it.chunk as u64, it.start as u64]);
                put([
                    it.step as u64,
                    u64::from(it.line) | u64::from(it.column) << 32,
                ]);
                put([
                    function.len() as u64 | (file.len() as u64) << 32,
                    u64::from(it.fixed) | u64::from(it.bound) << 8 | (group.len() as u64) << 32,
                ]);
                texts(to, &[function, file, group.0]);
            }
            Event::Code(it) => {
                let (function, object) = (cut(it.function), cut(it.object));
                let units = 2 + units_of(function.len() + object.len());
                put(unit(
                    kind::CODE_DEFINITION,
                    units,
                    ticks,
                    function.len() as u32,
                    object.len() as u32,
                ));
                put([it.address, it.offset]);
                texts(to, &[function, object]);
            }
            Event::Pause(why) => put(unit(kind::PAUSE, why.number(), ticks, 0, 0)),
            Event::Resume => put(unit(kind::RESUME, 0, ticks, 0, 0)),
            Event::Barriers { parallel, count } => {
                put(plain(kind::BARRIERS, 0, *parallel));
                put([*count, 0]);
            }
            Event::LeftOut(it) => {
                let why = it.why.number();
                put(unit(kind::LEFT_OUT, why, ticks, it.the_loop, it.thread));
                put([it.executions, 0]);
            }
            Event::Omitted { the_loop, why } => {
                put(unit(kind::OMITTED, why.number(), ticks, *the_loop, 0));
            }
            Event::Sum(it) => {
                let what = it.what.number() & 0xff | it.of << 8;
                put(unit(kind::SUM, 5, ticks, it.thread, what));
                put([it.code, it.the_loop.into()]);
                put([it.count, it.sum]);
                put([it.min, it.max]);
                put([it.from, it.to]);
            }
            Event::AccSite(it) => it.encode(ticks, to),
            Event::AccBegin(it) => it.encode(kind::ACC_BEGIN, ticks, to),
            Event::AccPoint(it) => it.encode(kind::ACC_POINT, ticks, to),
            Event::AccEnd(it) => put(it.encode(ticks)),
            Event::Aggregate(it) => {
                let units = 5 + units_of(it.histogram.0.len());
                put(unit(kind::AGGREGATE, units, ticks, it.the_loop, it.thread));
                put([it.executions, it.chunks]);
                put([it.iterations, it.sum]);
                put([it.min, it.max]);
                put([it.create_duration, it.histogram.counts().count() as u64]);
                texts(to, &[it.histogram.0]);
            }
        }
    }
}

fn cut(text: &[u8]) -> &[u8] {
    &text[..text.len().min(MOST_TEXT)]
}

fn units_of(bytes: usize) -> u32 {
    bytes.div_ceil(UNIT) as u32
}

/// Strings after each other, with zeros up to the next unit.
fn texts(to: &mut Vec<u64>, all: &[&[u8]]) {
    let mut bytes = all.concat();
    bytes.resize(bytes.len().next_multiple_of(UNIT), 0);
    to.extend(
        bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))),
    );
}
