//! Bytes of an experiment's binary files: packets, each with its size and kind in front. Numbers are those of gprofng's reader.

pub(super) mod kind {
    pub(in super::super) const SAMPLE: u16 = 8;
    pub(in super::super) const FRAME: u16 = 11;
    /// A thread is in another region from now on.
    pub(in super::super) const ENTERS: u16 = 12;
    pub(in super::super) const REGION: u16 = 15;
    pub(in super::super) const STACK: u16 = 17;
}

const NATIVE: u32 = 1;
const OPENMP: u32 = 5;

const FUNCTION: u32 = 1;
const LINES: u32 = 3;
const SOURCE: u32 = 4;

/// At the end of a stack: frames are missing.
const CUT: u64 = u64::MAX - 1;
/// A packet's size has 16 bits.
const MOST_FRAMES: usize = 8000;

/// Fields of a sample, after size and kind: name, title, offset, and whether the field has 8 bytes.
pub(super) const SAMPLE_FIELDS: [(&str, &str, u32, bool); 7] = [
    ("LWPID", "Lightweight process id", 4, false),
    ("THRID", "Thread number", 8, false),
    ("CPUID", "CPU id", 12, false),
    ("TSTAMP", "High resolution timestamp", 16, true),
    ("FRINFO", "", 24, true),
    ("MSTATE", "Thread state", 32, false),
    ("NTICK", "Duration", 36, false),
];
pub(super) const ENTERS_FIELDS: [(&str, &str, u32, bool); 3] = [
    ("THRID", "Thread number", 4, false),
    ("TSTAMP", "High resolution timestamp", 8, true),
    ("CPRID", "Parallel region", 16, true),
];
pub(super) const REGION_FIELDS: [(&str, &str, u32, bool); 3] = [
    ("CPRID", "Parallel region", 8, true),
    ("PPRID", "Parent region", 16, true),
    ("PRPC", "Address of the construct", 24, true),
];

pub(super) struct Sample {
    pub(super) thread: u32,
    pub(super) time: u64,
    pub(super) frame: u64,
    /// What the thread's time is: 0 on a core, 7 asleep.
    pub(super) asleep: bool,
    /// Microseconds.
    pub(super) duration: u32,
}

const ON_CORE: u32 = 0;
const ASLEEP: u32 = 7;

macro_rules! packet {
    ($kind:expr, $($number:expr),*) => {
        packet($kind, &[$(&$number.to_le_bytes()[..]),*].concat())
    };
}

fn packet(kind: u16, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u16 + 4;
    [&size.to_le_bytes()[..], &kind.to_le_bytes(), content].concat()
}

pub(super) fn sample(sample: &Sample) -> Vec<u8> {
    let Sample { thread, time, frame, asleep, duration } = *sample;
    let state = if asleep { ASLEEP } else { ON_CORE };
    packet!(kind::SAMPLE, thread, thread, 0_u32, time, frame, state, duration)
}

/// A stack, leaf first.
pub(super) fn stack(uid: u64, frames: &[u64], cut: bool) -> Vec<u8> {
    let fitting = &frames[..frames.len().min(MOST_FRAMES)];
    let is_cut = cut || fitting.len() < frames.len();
    let numbers = [uid].into_iter().chain(fitting.iter().copied()).chain(is_cut.then_some(CUT));
    let content: Vec<u8> = [0; 4].into_iter().chain(numbers.flat_map(u64::to_le_bytes)).collect();
    packet(kind::STACK, &content)
}

/// What samples of a stack, its user's model and a state refer to. A user's stack of 0 has no frames.
pub(super) fn frame(uid: u64, native: u64, user: u64, state: u32) -> Vec<u8> {
    const HEAD: u32 = 16;
    packet!(kind::FRAME, HEAD, uid, 16_u32, NATIVE, native, 24_u32, OPENMP, state, 0_u32, user)
}

pub(super) fn enters(thread: u32, time: u64, region: u64) -> Vec<u8> {
    packet!(kind::ENTERS, thread, time, region)
}

pub(super) fn region(number: u64, address: u64) -> Vec<u8> {
    packet!(kind::REGION, 0_u32, number, 0_u64, address)
}

/// A function's source file and lines, by offset.
pub(super) fn function(address: u64, file: &str, lines: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut record = |kind: u32, content: &[u8]| {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((content.len() as u32 + 8).to_le_bytes());
        bytes.extend(content);
    };
    let mut head = vec![0; 8];
    head.extend(address.to_le_bytes());
    record(FUNCTION, &head);
    let mut name = file.as_bytes().to_vec();
    // At least one zero, and the next record aligned.
    name.resize((name.len() + 1).next_multiple_of(8), 0);
    record(SOURCE, &name);
    let lines = lines.iter().flat_map(|(offset, line)| [*offset, *line]);
    let lines: Vec<u8> = lines.flat_map(u32::to_le_bytes).collect();
    record(LINES, &lines);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_fields_agree() {
        let example = Sample { thread: 1, time: 2, frame: 3, asleep: true, duration: 4 };
        let fields = |fields: &[(&str, &str, u32, bool)]| {
            let end = |(_, _, offset, long): &_| offset + if *long { 8 } else { 4 };
            fields.iter().map(end).max().unwrap_or(0) as usize
        };
        for (bytes, fields) in [
            (sample(&example), fields(&SAMPLE_FIELDS)),
            (enters(1, 2, 3), fields(&ENTERS_FIELDS)),
            (region(1, 2), fields(&REGION_FIELDS)),
        ] {
            assert_eq!(bytes.len(), fields);
            assert_eq!(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])), fields);
        }
    }

    #[test]
    fn stacks_fit_into_packets() {
        let long = vec![7; 100_000];
        let bytes = stack(16, &long, false);
        assert_eq!(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])), bytes.len());
        assert_eq!(&bytes[bytes.len() - 8..], CUT.to_le_bytes());
        assert_eq!(stack(16, &[7], false).len(), 24);
        assert_eq!(stack(16, &[7], true).len(), 32);
    }

    #[test]
    fn records_of_functions_are_aligned() {
        for name in ["", "a.c", "12345678", "/a/b/c.c"] {
            assert_eq!(function(1, name, &[(0, 1), (8, 2)]).len() % 8, 0, "{name}");
        }
    }
}
