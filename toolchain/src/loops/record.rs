//! A section of loop records, as the ABI has them. Every offset is checked: the file may be damaged or made to mislead.

use std::mem::{offset_of, size_of};

use object::{Endian, Endianness};
use ompchunk_abi::sched_type::{ChunkSize, Clause};
use ompchunk_abi::{
    CONSTRUCT_DISTRIBUTE, CONSTRUCT_FOR, CONSTRUCT_SECTIONS, CONSTRUCT_TEXT, GROUP_HEAD, GroupLoop, LOOP_CHANGEABLE,
    LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_FREE, LOOP_MAPPED, LOOP_NO_BARRIER, LOOP_START_KNOWN, LOOP_START_PASSED,
    LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LoopRecord, TEXT_HEAD, VERSION, bound, fixed,
};
use serde::Serialize;

use ompchunk_trace_format::name::demangle;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{0} stray bytes at the end")]
    Stray(usize),
    #[error("a record claims {size} of {left} bytes")]
    Size { size: usize, left: usize },
    #[error("they are of ABI version {0}, this ompchunk reads version {VERSION}")]
    Version(u16),
    #[error("a group at {0} is not within its record")]
    Group(usize),
    #[error("a string at {0} is not within the records")]
    String(i64),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Constant(i64),
    /// Passed to the shim when the loop runs; written as `"run-time"`.
    RunTime(&'static str),
    /// Not known, or there is none.
    #[default]
    None,
}

impl From<Value> for ChunkSize {
    fn from(value: Value) -> ChunkSize {
        match value {
            Value::Constant(size) => ChunkSize::Known(size),
            Value::RunTime(_) => ChunkSize::RunTime,
            Value::None => ChunkSize::None,
        }
    }
}

impl Value {
    fn new(value: i32, is_constant: bool, is_passed: bool) -> Value {
        match (is_constant, is_passed) {
            (true, _) => Value::Constant(value.into()),
            (false, true) => Value::RunTime("run-time"),
            (false, false) => Value::None,
        }
    }
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct LoopSite {
    /// The source file; `None` when compiled without line information, and so on.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The function, as written in the source.
    pub function: String,
    /// The function, as the linker knows it.
    pub symbol: String,
    /// `for`, `distribute` or `sections`; of what is not instrumented `for or sections`.
    pub construct: &'static str,
    /// The clause, as written in the source; `sections` of these.
    pub schedule: String,
    pub chunk: Value,
    /// First value of the loop's variable.
    pub start: Value,
    pub step: Value,
    /// Width of the variable, if known. Start and step are in two's complement; whether it is signed is not told.
    pub variable_bits: Option<u8>,
    /// Whether `--schedule` can change its schedule.
    pub changeable: bool,
    pub because: Option<&'static str>,
    /// Whether a barrier follows it; `None` of a loop that was compiled without the plugin.
    pub barrier: Option<bool>,
    /// Whether nothing relies on which thread runs which of its iterations, so that `*` means it too.
    pub free: bool,
    /// Why not, of a loop whose schedule can be changed.
    pub bound: Option<&'static str>,
    /// Whether its name alone does not change it, but only a `!` before that.
    pub insist: bool,
    /// The lines of the loops that give a thread the same iterations as this one, which is among them; they change together.
    pub group: Vec<GroupSite>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GroupSite {
    pub line: Option<u32>,
    pub changeable: bool,
}

pub fn parse(section: &[u8], endian: Endianness) -> Result<Vec<LoopSite>, Error> {
    let mut loops = Vec::new();
    let mut rest = section;
    while !rest.is_empty() {
        if rest.len() < TEXT_HEAD {
            return Err(Error::Stray(rest.len()));
        }
        let head = Fields { bytes: rest, endian, section, begin: section.len() - rest.len() };
        // Before the size: another version may lay out the rest in another way.
        let version = head.u16(offset_of!(LoopRecord, abi_version));
        if u32::from(version) != VERSION {
            return Err(Error::Version(version));
        }
        let size = head.u32(offset_of!(LoopRecord, size)) as usize;
        let is_text = rest[offset_of!(LoopRecord, construct)] == CONSTRUCT_TEXT;
        let least = if is_text { TEXT_HEAD } else { size_of::<LoopRecord>() };
        if size % 8 != 0 || !(least..=rest.len()).contains(&size) {
            return Err(Error::Size { size, left: rest.len() });
        }
        let (bytes, after) = rest.split_at(size);
        if !is_text {
            loops.push(Fields { bytes, ..head }.the_loop()?);
        }
        rest = after;
    }
    Ok(loops)
}

/// A record's bytes, at least as many as its head has.
#[derive(Clone, Copy)]
struct Fields<'a> {
    bytes: &'a [u8],
    endian: Endianness,
    /// With all records, ...
    section: &'a [u8],
    /// ... of which this one begins there.
    begin: usize,
}

impl Fields<'_> {
    fn the_loop(&self) -> Result<LoopSite, Error> {
        let flags = self.u32(offset_of!(LoopRecord, flags));
        let has = |flag| flags & flag != 0;
        let symbol = self.string(offset_of!(LoopRecord, function))?;
        let file = self.string(offset_of!(LoopRecord, file))?;
        let some = |number: u32| Some(number).filter(|number| *number != 0);
        let chunk = Value::new(self.i32(offset_of!(LoopRecord, chunk)), has(LOOP_CHUNK_KNOWN), has(LOOP_CHUNKED));
        let construct = match self.bytes[offset_of!(LoopRecord, construct)] {
            CONSTRUCT_FOR => "for",
            CONSTRUCT_DISTRIBUTE => "distribute",
            CONSTRUCT_SECTIONS => "sections",
            _ => "unknown",
        };
        // The runtime is asked for a schedule of sections; nobody wrote it.
        let schedule = match construct {
            "sections" => construct.to_owned(),
            _ => Clause { schedule: self.u32(offset_of!(LoopRecord, schedule)), chunk: chunk.into() }.to_string(),
        };
        Ok(LoopSite {
            line: some(self.u32(offset_of!(LoopRecord, line))),
            column: some(self.u16(offset_of!(LoopRecord, column)).into()),
            function: demangle(&symbol, &file),
            symbol,
            file: Some(file).filter(|file| !file.is_empty()),
            construct,
            schedule,
            chunk,
            start: Value::new(self.i32(offset_of!(LoopRecord, start)), has(LOOP_START_KNOWN), has(LOOP_START_PASSED)),
            step: Value::new(self.i32(offset_of!(LoopRecord, step)), has(LOOP_STEP_KNOWN), has(LOOP_STEP_PASSED)),
            variable_bits: Some(self.bytes[offset_of!(LoopRecord, variable_bits)]).filter(|bits| *bits != 0),
            changeable: has(LOOP_CHANGEABLE),
            because: fixed::sentence(self.bytes[offset_of!(LoopRecord, fixed)]).filter(|_| !has(LOOP_CHANGEABLE)),
            barrier: Some(!has(LOOP_NO_BARRIER)),
            free: has(LOOP_FREE),
            bound: (has(LOOP_CHANGEABLE) && !has(LOOP_FREE))
                .then(|| bound::sentence(self.bytes[offset_of!(LoopRecord, bound)])),
            insist: has(LOOP_CHANGEABLE)
                && flags & (LOOP_FREE | LOOP_MAPPED) == 0
                && matches!(self.bytes[offset_of!(LoopRecord, bound)], bound::PAIR | bound::INLINE),
            group: self.group()?,
        })
    }

    fn group(&self) -> Result<Vec<GroupSite>, Error> {
        let offset = usize::from(self.u16(offset_of!(LoopRecord, group)));
        if offset == 0 {
            return Ok(Vec::new());
        }
        let first = offset.saturating_add(GROUP_HEAD);
        if offset < size_of::<LoopRecord>() || first > self.bytes.len() {
            return Err(Error::Group(offset));
        }
        let count = self.u32(offset) as usize;
        let size = size_of::<GroupLoop>();
        if count > (self.bytes.len() - first) / size {
            return Err(Error::Group(offset));
        }
        let site = |number: usize| {
            let start = first + number * size;
            GroupSite {
                line: Some(self.u32(start + offset_of!(GroupLoop, line))).filter(|line| *line != 0),
                changeable: self.u32(start + offset_of!(GroupLoop, changeable)) != 0,
            }
        };
        Ok((0..count).map(site).collect())
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[at..at + N]);
        array
    }

    fn u16(&self, at: usize) -> u16 {
        self.endian.read_u16_bytes(self.array(at))
    }

    fn u32(&self, at: usize) -> u32 {
        self.endian.read_u32_bytes(self.array(at))
    }

    fn i32(&self, at: usize) -> i32 {
        self.endian.read_i32_bytes(self.array(at))
    }

    /// The string whose distance stands at `at`. It is behind the head of some record.
    fn string(&self, at: usize) -> Result<String, Error> {
        let place = self.begin as i64 + i64::from(self.i32(at));
        let is_of_head = (self.begin as i64..(self.begin + size_of::<LoopRecord>()) as i64).contains(&place);
        let text = usize::try_from(place).ok().filter(|_| !is_of_head).and_then(|place| self.section.get(place..));
        let end = text.unwrap_or_default().iter().position(|byte| *byte == 0);
        match (text, end) {
            (Some(text), Some(end)) => Ok(String::from_utf8_lossy(&text[..end]).into_owned()),
            _ => Err(Error::String(place)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `for`, `schedule(static,5)`, from -2 by a run-time step, in f of x.c:7.
    fn record(big: bool) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        let mut put = |at: usize, little: &[u8]| {
            let mut value = little.to_vec();
            if big {
                value.reverse();
            }
            bytes[at..at + value.len()].copy_from_slice(&value);
        };
        put(0, &64_u32.to_le_bytes());
        put(4, &(ompchunk_abi::VERSION as u16).to_le_bytes());
        put(6, &[CONSTRUCT_FOR]);
        let flags = LOOP_CHUNKED | LOOP_CHUNK_KNOWN | LOOP_START_KNOWN | LOOP_STEP_PASSED;
        put(8, &flags.to_le_bytes());
        put(12, &33_u32.to_le_bytes());
        put(16, &5_i32.to_le_bytes());
        put(20, &(-2_i32).to_le_bytes());
        put(28, &7_u32.to_le_bytes());
        put(42, &[16]);
        put(32, &48_u32.to_le_bytes());
        put(36, &50_u32.to_le_bytes());
        bytes[48..54].copy_from_slice(b"f\0x.c\0");
        bytes
    }

    fn little(bytes: &[u8]) -> Result<Vec<LoopSite>, Error> {
        parse(bytes, Endianness::Little)
    }

    #[test]
    fn reads_both_byte_orders() {
        let both = [little(&record(false)).unwrap(), parse(&record(true), Endianness::Big).unwrap()];
        for loops in both {
            let [only] = &loops[..] else { panic!("{loops:?}") };
            assert_eq!((only.file.as_deref(), only.line, only.column), (Some("x.c"), Some(7), None));
            assert_eq!((&*only.function, only.construct), ("f", "for"));
            assert_eq!(only.schedule, "schedule(static,5)");
            assert_eq!(only.chunk, Value::Constant(5));
            assert_eq!(only.start, Value::Constant(-2));
            assert_eq!(only.variable_bits, Some(16));
            assert_eq!(only.step, Value::RunTime("run-time"));
        }
    }

    #[test]
    fn walks_records_by_their_size() {
        assert_eq!(little(&[record(false), record(false)].concat()).unwrap().len(), 2);
        assert_eq!(little(&[]).unwrap(), []);
    }

    #[test]
    fn texts_may_stand_apart() {
        let mut text = vec![16, 0, 0, 0, ompchunk_abi::VERSION as u8, 0, CONSTRUCT_TEXT, 0];
        text.extend(b"other.c\0");
        let mut names_it = record(false);
        names_it[36..40].copy_from_slice(&(-8_i32).to_le_bytes());
        let found = little(&[text.clone(), names_it.clone(), record(false)].concat()).unwrap();
        let files: Vec<_> = found.iter().map(|site| site.file.as_deref()).collect();
        assert_eq!(files, [Some("other.c"), Some("x.c")]);
        names_it[36..40].copy_from_slice(&(-17_i32).to_le_bytes());
        assert_eq!(little(&[text, names_it].concat()), Err(Error::String(-1)));
    }

    #[test]
    fn refuses_what_is_no_record() {
        let change = |at: usize, byte: u8| {
            let mut bytes = record(false);
            bytes[at] = byte;
            little(&bytes)
        };
        assert_eq!(little(&record(false)[..4]), Err(Error::Stray(4)));
        assert_eq!(little(&record(false)[..20]), Err(Error::Size { size: 64, left: 20 }));
        assert_eq!(change(0, 72), Err(Error::Size { size: 72, left: 64 }));
        assert_eq!(change(0, 0), Err(Error::Size { size: 0, left: 64 }));
        assert_eq!(change(4, 9), Err(Error::Version(9)));
        assert_eq!(change(32, 8), Err(Error::String(8)));
        assert_eq!(change(32, 200), Err(Error::String(200)));
        assert!(little(&[&record(false)[..], &[0; 8]].concat()).is_err());
    }
}
