//! OpenACC, as its profiling interface tells it (`acc_prof.h`, chapter 5 of OpenACC 2.6 and later), by the interface's numbers. What a
//! runtime did not tell is `None`, never 0. Operations of OpenMP's `target` are the same events, with the higher numbers of `target`.

use crate::numbered::event_fields;
use crate::target;

/// [`crate::NOBODY`]
const NOBODY: u32 = u32::MAX;

/// Events up to this one are known, from 1.
pub const LAST_EVENT: u32 = 25;
/// `acc_ev_compute_construct_start`
pub const COMPUTE_CONSTRUCT: u32 = 16;
/// `acc_ev_wait_start`
pub const WAIT: u32 = 24;

/// `acc_event_t` in words, of events 1 and 2 and so on.
const EVENTS: [&str; LAST_EVENT as usize] = [
    "device init", "device init", "device shutdown", "device shutdown", "runtime shutdown", "create", "delete",
    "alloc", "free", "enter data", "enter data", "exit data", "exit data", "update", "update", "compute construct",
    "compute construct", "launch", "launch", "upload", "upload", "download", "download", "wait", "wait",
];

/// What begins or happens: the same of a start and its end.
pub const fn event_name(event: u32) -> &'static str {
    match event {
        1..=LAST_EVENT => EVENTS[event as usize - 1],
        of_target if target::is_of_target(of_target) => target::name(of_target),
        _ => "event",
    }
}

/// Whether an event is the start of something: its end has the next number.
pub const fn is_start(event: u32) -> bool {
    matches!(event, 1 | 3 | 10 | 12 | 14 | 16 | 18 | 20 | 22 | 24) || target::is_of_target(event) && event % 2 == 0
}

/// Whether an event is the end of something: its start has the number before.
pub const fn is_end(event: u32) -> bool {
    event > 0 && is_start(event - 1)
}

/// `acc_construct_t` in words, from 0.
const CONSTRUCTS: [&str; 17] = [
    "parallel", "kernels", "loop", "data", "enter data", "exit data", "host_data", "atomic", "declare", "init",
    "shutdown", "set", "update", "routine", "wait", "runtime API", "serial",
];

/// The directive that it belongs to.
pub const fn construct_name(construct: u32) -> &'static str {
    match construct {
        0..=16 => CONSTRUCTS[construct as usize],
        _ => "construct",
    }
}

event_fields! {
    /// A place of the program, told in a lane before the lane's first operation there. Texts that are not known are empty, lines 0.
    AccSite<'a> {
        site: u32, "The number by which the part's operations name it.";
        lines: [u32; 2], "`line_no` and `end_line_no`: of the directive.";
        function_lines: [u32; 2], "`func_line_no` and `func_end_line_no`: of the function around it.";
        file: &'a [u8], "`src_file`";
        function: &'a [u8], "`func_name`";
        name: &'a [u8], "`kernel_name` of a launch, `var_name` of data.";
    }

    /// Something of OpenACC, or of OpenMP's `target`, begins, or happens at one moment.
    AccOperation {
        event: u32, "`acc_event_t`, or a number of [`crate::target`].";
        site: u32, "Where, by [`AccSite::site`]; [`crate::NOBODY`]: the runtime told nothing of that.";
        construct: Option<u32>, "`parent_construct`";
        implicit: Option<bool>, "Not by a directive or call of the program's.";
        device_type: Option<i32>, "`acc_device_t`, as the runtime numbers devices' types.";
        device: Option<i32>, "`device_number`";
        asynchronous: Option<i64>, "`async`: the argument of the clause; -1 without a value, -2 without the clause.";
        queue: Option<i64>, "`async_queue`";
        detail: AccDetail, "What data and launches have besides.";
    }
}

/// What the events of data and launches say besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccDetail {
    /// What other events say.
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
    /// What OMPT says of operations of `target`.
    Target {
        /// `bytes` of an operation on data.
        bytes: Option<u64>,
        /// `requested_num_teams` of a submit.
        teams: Option<u64>,
        /// `codeptr_ra`
        code: Option<u64>,
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

/// Bits of what is known: construct, type of device, device, async, queue and the three numbers of the detail, ...
const KNOWN: [u64; 8] = [1, 8, 16, 32, 64, 128, 256, 512];
/// ... and what is implicit, with the value itself.
const HAS_IMPLICIT: u64 = 2;
const IMPLICIT: u64 = 4;

/// [`AccEnd::told`] is not so.
const UNTOLD: u64 = 1;

impl AccDetail {
    /// The detail of an event, from three numbers.
    pub const fn from_numbers(event: u32, numbers: [Option<u64>; 3]) -> AccDetail {
        let [first, second, third] = numbers;
        match event {
            6..=9 | 20..=23 => AccDetail::Data { bytes: first, host: second, device: third },
            18 | 19 => AccDetail::Launch { gangs: first, workers: second, vector: third },
            _ if target::is_of_target(event) => AccDetail::Target { bytes: first, teams: second, code: third },
            _ => AccDetail::None,
        }
    }

    const fn numbers(self) -> Option<[Option<u64>; 3]> {
        match self {
            AccDetail::None => None,
            AccDetail::Data { bytes, host, device } => Some([bytes, host, device]),
            AccDetail::Launch { gangs, workers, vector } => Some([gangs, workers, vector]),
            AccDetail::Target { bytes, teams, code } => Some([bytes, teams, code]),
        }
    }

    /// The return address of the call, of an operation of `target`; else 0.
    pub fn code(self) -> u64 {
        match self {
            AccDetail::Target { code, .. } => code.unwrap_or(0),
            _ => 0,
        }
    }
}

impl AccOperation {
    /// An operation of which nothing else is known.
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
            detail: AccDetail::from_numbers(event, [None; 3]),
        }
    }

    /// Without a wait for its end.
    pub fn is_asynchronous(&self) -> bool {
        const SYNCHRONOUS: i64 = -2;
        self.asynchronous.is_some_and(|queue| queue != SYNCHRONOUS) || target::is_asynchronous(self.event)
    }

    /// Takes the last two units off its record where they have nothing to say.
    pub(crate) fn missing_numbers(&self, to: &mut Vec<u64>) {
        if self.detail.numbers().is_none() {
            to.truncate(to.len() - 4);
            let begin = to.len() - 6;
            to[begin] -= 2 << 8;
        }
    }

    /// What is not known is 0.
    pub(crate) fn fields(&self) -> [u64; 11] {
        let [first, second, third] = self.detail.numbers().unwrap_or_default();
        let values = [
            self.construct.map(u64::from),
            self.device_type.map(|number| number as u64),
            self.device.map(|number| number as u64),
            self.asynchronous.map(|number| number as u64),
            self.queue.map(|number| number as u64),
            first,
            second,
            third,
        ];
        let known = values.iter().zip(KNOWN).filter(|(value, _)| value.is_some());
        let implicit = self.implicit.map_or(0, |is_so| HAS_IMPLICIT | if is_so { IMPLICIT } else { 0 });
        let known = known.fold(implicit, |bits, (_, bit)| bits | bit);
        let mut fields = [self.site.into(), self.event.into(), known, 0, 0, 0, 0, 0, 0, 0, 0];
        fields[3..].copy_from_slice(&values.map(Option::unwrap_or_default));
        fields
    }

    pub(crate) fn of_fields([site, event, known, values @ ..]: [u64; 11]) -> AccOperation {
        let has = |bit: u64| known & bit != 0;
        let value = |which: usize| has(KNOWN[which]).then_some(values[which]);
        AccOperation {
            event: event as u32,
            site: site as u32,
            construct: value(0).map(|number| number as u32),
            implicit: has(HAS_IMPLICIT).then(|| has(IMPLICIT)),
            device_type: value(1).map(|number| number as i32),
            device: value(2).map(|number| number as i32),
            asynchronous: value(3).map(|number| number as i64),
            queue: value(4).map(|number| number as i64),
            detail: AccDetail::from_numbers(event as u32, [value(5), value(6), value(7)]),
        }
    }
}

impl AccEnd {
    pub(crate) const fn fields(&self) -> [u64; 2] {
        [self.event as u64, if self.told { 0 } else { UNTOLD }]
    }

    pub(crate) const fn of_fields([event, flags]: [u64; 2]) -> AccEnd {
        AccEnd { event: event as u32, told: flags & UNTOLD == 0 }
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
        let points = (1..=LAST_EVENT).filter(|event| !is_start(*event) && !is_end(*event));
        assert_eq!(points.collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
        assert!(!is_end(0) && !is_start(LAST_EVENT + 1) && !is_end(LAST_EVENT + 2));
    }

    #[test]
    fn only_a_known_asynchronous_operation_is_one() {
        let of = |asynchronous| AccOperation { asynchronous, ..AccOperation::bare(COMPUTE_CONSTRUCT) };
        assert!(!of(None).is_asynchronous() && !of(Some(-2)).is_asynchronous());
        assert!(of(Some(-1)).is_asynchronous() && of(Some(3)).is_asynchronous());
    }
}
