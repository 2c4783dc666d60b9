//! OpenACC, as its profiling interface tells it (`acc_prof.h`, chapter 5 of OpenACC 2.6 and later): operations of a thread that
//! begin and end, points in time, and the places that they belong to. Numbers are those of the interface. What a runtime
//! did not tell is `None`, never 0.

use crate::layout::{MOST_TEXT, UNIT, kind};

/// [`crate::NOBODY`]
const NOBODY: u32 = u32::MAX;

/// Events up to this one are known, from 1.
pub const LAST_EVENT: u32 = 25;
/// `acc_ev_compute_construct_start`
pub const COMPUTE_CONSTRUCT: u32 = 16;
/// `acc_ev_wait_start`
pub const WAIT: u32 = 24;

/// What begins or happens: `acc_event_t` in words, the same of a start and its end.
#[must_use]
pub const fn event_name(event: u32) -> &'static str {
    match event {
        1 | 2 => "device init",
        3 | 4 => "device shutdown",
        5 => "runtime shutdown",
        6 => "create",
        7 => "delete",
        8 => "alloc",
        9 => "free",
        10 | 11 => "enter data",
        12 | 13 => "exit data",
        14 | 15 => "update",
        16 | 17 => "compute construct",
        18 | 19 => "launch",
        20 | 21 => "upload",
        22 | 23 => "download",
        24 | 25 => "wait",
        _ => "event",
    }
}

/// Whether an event is the start of something: its end has the next number.
#[must_use]
pub const fn is_start(event: u32) -> bool {
    matches!(event, 1 | 3 | 10 | 12 | 14 | 16 | 18 | 20 | 22 | 24)
}

/// Whether an event is the end of something: its start has the number before.
#[must_use]
pub const fn is_end(event: u32) -> bool {
    event > 0 && is_start(event - 1)
}

/// `acc_construct_t`: the directive that it belongs to.
#[must_use]
pub const fn construct_name(construct: u32) -> &'static str {
    match construct {
        0 => "parallel",
        1 => "kernels",
        2 => "loop",
        3 => "data",
        4 => "enter data",
        5 => "exit data",
        6 => "host_data",
        7 => "atomic",
        8 => "declare",
        9 => "init",
        10 => "shutdown",
        11 => "set",
        12 => "update",
        13 => "routine",
        14 => "wait",
        15 => "runtime API",
        16 => "serial",
        _ => "construct",
    }
}

/// A place of the program, and what of it: comes in a lane before the lane's first operation there. Texts that are not known
/// are empty, lines 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccSite<'a> {
    /// The number by which the part's operations name it.
    pub site: u32,
    /// `line_no` and `end_line_no`: of the directive.
    pub lines: [u32; 2],
    /// `func_line_no` and `func_end_line_no`: of the function around it.
    pub function_lines: [u32; 2],
    /// `src_file`
    pub file: &'a [u8],
    /// `func_name`
    pub function: &'a [u8],
    /// `kernel_name` of a launch, `var_name` of data.
    pub name: &'a [u8],
}

/// Something of OpenACC begins, or happens at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccOperation {
    /// `acc_event_t`
    pub event: u32,
    /// Where, by [`AccSite::site`]; [`crate::NOBODY`]: the runtime told nothing of that.
    pub site: u32,
    /// `parent_construct`
    pub construct: Option<u32>,
    /// Not by a directive or call of the program's.
    pub implicit: Option<bool>,
    /// `acc_device_t`, as the runtime numbers devices' types.
    pub device_type: Option<i32>,
    /// `device_number`
    pub device: Option<i32>,
    /// `async`: the argument of the clause; -1 without a value, -2 without the clause.
    pub asynchronous: Option<i64>,
    /// `async_queue`
    pub queue: Option<i64>,
    /// What data and launches have besides.
    pub detail: AccDetail,
}

/// What the events of data and launches say besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccDetail {
    /// Of other events.
    None,
    /// `acc_data_event_info`
    Data {
        /// How much.
        bytes: Option<u64>,
        /// `host_ptr`
        host: Option<u64>,
        /// `device_ptr`
        device: Option<u64>,
    },
    /// `acc_launch_event_info`
    Launch {
        /// `num_gangs`
        gangs: Option<u64>,
        /// `num_workers`
        workers: Option<u64>,
        /// `vector_length`
        vector: Option<u64>,
    },
}

/// What began last of that kind ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccEnd {
    /// The event that began it.
    pub event: u32,
    /// The runtime told the end. Else something around it ended, or the recording: nobody knows how long it took.
    pub told: bool,
}

/// Bits of what is known; [`IMPLICIT`] is the value itself.
const CONSTRUCT: u32 = 1;
const HAS_IMPLICIT: u32 = 2;
const IMPLICIT: u32 = 4;
const DEVICE_TYPE: u32 = 8;
const DEVICE: u32 = 16;
const ASYNC: u32 = 32;
const QUEUE: u32 = 64;
/// The three numbers of the detail, from this on.
const NUMBERS: u32 = 128;

/// [`AccEnd::told`] is not so.
const UNTOLD: u32 = 1;

/// The first unit of a record.
const fn unit(kind: u8, units: u32, ticks: u64, third: u32, fourth: u32) -> [u64; 2] {
    let first = kind as u64 | (units as u64) << 8 | ticks << 32;
    [first, third as u64 | (fourth as u64) << 32]
}

impl AccDetail {
    /// Of an event, by three numbers.
    #[must_use]
    pub const fn of(event: u32, numbers: [Option<u64>; 3]) -> AccDetail {
        let [first, second, third] = numbers;
        match event {
            6..=9 | 20..=23 => AccDetail::Data {
                bytes: first,
                host: second,
                device: third,
            },
            18 | 19 => AccDetail::Launch {
                gangs: first,
                workers: second,
                vector: third,
            },
            _ => AccDetail::None,
        }
    }

    const fn numbers(self) -> Option<[Option<u64>; 3]> {
        match self {
            AccDetail::None => None,
            AccDetail::Data {
                bytes,
                host,
                device,
            } => Some([bytes, host, device]),
            AccDetail::Launch {
                gangs,
                workers,
                vector,
            } => Some([gangs, workers, vector]),
        }
    }
}

impl AccOperation {
    /// Of which nothing else is known.
    #[must_use]
    pub const fn bare(event: u32) -> AccOperation {
        AccOperation {
            event,
            site: NOBODY,
            construct: None,
            implicit: None,
            device_type: None,
            device: None,
            asynchronous: None,
            queue: None,
            detail: AccDetail::of(event, [None; 3]),
        }
    }

    /// Without a wait for its end.
    #[must_use]
    pub fn is_asynchronous(&self) -> bool {
        const SYNCHRONOUS: i64 = -2;
        self.asynchronous.is_some_and(|it| it != SYNCHRONOUS)
    }

    pub(crate) fn encode(&self, kind: u8, ticks: u64, to: &mut Vec<u64>) {
        let numbers = self.detail.numbers();
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        let mut known = bit(self.construct.is_some(), CONSTRUCT)
            | bit(self.implicit.is_some(), HAS_IMPLICIT)
            | bit(self.implicit == Some(true), IMPLICIT)
            | bit(self.device_type.is_some(), DEVICE_TYPE)
            | bit(self.device.is_some(), DEVICE)
            | bit(self.asynchronous.is_some(), ASYNC)
            | bit(self.queue.is_some(), QUEUE);
        for (number, it) in numbers.iter().flatten().enumerate() {
            known |= bit(it.is_some(), NUMBERS << number);
        }
        let units = if numbers.is_some() { 5 } else { 3 };
        let what = self.event & 0xff | known << 8;
        to.extend(unit(kind, units, ticks, self.site, what));
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [device_type, device] = [self.device_type, self.device].map(|it| it.unwrap_or(0));
        to.push(pair(self.construct.unwrap_or(0), device_type as u32));
        to.push(pair(device as u32, 0));
        to.extend([self.asynchronous, self.queue].map(|it| it.unwrap_or(0) as u64));
        if let Some(numbers) = numbers {
            to.extend(numbers.map(|it| it.unwrap_or(0)));
            to.push(0);
        }
    }

    /// From a record's words, each of 8 bytes; what is beyond it is 0.
    pub(crate) fn decode(long: impl Fn(usize) -> u64) -> AccOperation {
        let [low, high] = [|it: u64| it as u32, |it: u64| (it >> 32) as u32];
        let what = high(long(1));
        let (event, known) = (what & 0xff, what >> 8);
        let has = |bit: u32| known & bit != 0;
        let number = |at: u32| has(NUMBERS << at).then(|| long(6 + at as usize));
        AccOperation {
            event,
            site: low(long(1)),
            construct: has(CONSTRUCT).then(|| low(long(2))),
            implicit: has(HAS_IMPLICIT).then(|| has(IMPLICIT)),
            device_type: has(DEVICE_TYPE).then(|| high(long(2)) as i32),
            device: has(DEVICE).then(|| low(long(3)) as i32),
            asynchronous: has(ASYNC).then(|| long(4) as i64),
            queue: has(QUEUE).then(|| long(5) as i64),
            detail: AccDetail::of(event, [number(0), number(1), number(2)]),
        }
    }
}

impl AccEnd {
    pub(crate) const fn encode(&self, ticks: u64) -> [u64; 2] {
        let flags = if self.told { 0 } else { UNTOLD };
        unit(kind::ACC_END, 1, ticks, self.event, flags)
    }

    pub(crate) const fn decode(event: u32, flags: u32) -> AccEnd {
        AccEnd {
            event,
            told: flags & UNTOLD == 0,
        }
    }
}

/// Units before the texts of a site.
const SITE: usize = 3;

impl<'a> AccSite<'a> {
    pub(crate) fn encode(&self, ticks: u64, to: &mut Vec<u64>) {
        let texts = [self.file, self.function, self.name];
        let texts = texts.map(|it| &it[..it.len().min(MOST_TEXT)]);
        let mut bytes = texts.concat();
        bytes.resize(bytes.len().next_multiple_of(UNIT), 0);
        let units = SITE + bytes.len() / UNIT;
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        to.extend(unit(kind::ACC_SITE, units as u32, ticks, self.site, 0));
        for [from, until] in [self.lines, self.function_lines] {
            to.push(pair(from as usize, until as usize));
        }
        to.push(pair(texts[0].len(), texts[1].len()));
        to.push(pair(texts[2].len(), 0));
        let words = bytes.chunks_exact(8);
        to.extend(words.map(|it| u64::from_le_bytes(it.try_into().expect("eight bytes"))));
    }

    /// `None`: a text goes beyond the record.
    pub(crate) fn decode(record: &'a [u8], word: impl Fn(usize) -> u32) -> Option<AccSite<'a>> {
        let mut rest = record.get(SITE * UNIT..).unwrap_or(&[]);
        let mut text = |size: u32| {
            let (text, after) = rest.split_at_checked(size as usize)?;
            rest = after;
            Some(text)
        };
        Some(AccSite {
            site: word(2),
            lines: [word(4), word(5)],
            function_lines: [word(6), word(7)],
            file: text(word(8))?,
            function: text(word(9))?,
            name: text(word(10))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_and_ends_have_one_name() {
        for event in 1..=LAST_EVENT {
            assert!(event_name(event) != "event", "{event}");
            assert!(!(is_start(event) && is_end(event)), "{event}");
            if is_start(event) {
                assert_eq!(event_name(event), event_name(event + 1));
                assert!(is_end(event + 1));
            }
        }
        let points = (1..=LAST_EVENT).filter(|it| !is_start(*it) && !is_end(*it));
        assert_eq!(points.collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
        assert!(!is_end(0) && !is_start(LAST_EVENT + 1));
    }

    #[test]
    fn only_a_known_asynchronous_operation_is_one() {
        let of = |asynchronous| AccOperation {
            asynchronous,
            ..AccOperation::bare(COMPUTE_CONSTRUCT)
        };
        assert!(!of(None).is_asynchronous() && !of(Some(-2)).is_asynchronous());
        assert!(of(Some(-1)).is_asynchronous() && of(Some(3)).is_asynchronous());
    }
}
