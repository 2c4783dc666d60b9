//! Loop records, read from a file on disk as a tool would.

use std::mem::{offset_of, size_of};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection};
use ompchunk_abi::{CONSTRUCT_TEXT, GROUP_HEAD, GroupLoop, LOOPS_SECTION, LoopRecord, TEXT_HEAD, VERSION};

/// A loop record with its strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub construct: u8,
    pub bits: u8,
    pub flags: u32,
    pub schedule: u32,
    pub chunk: i32,
    pub start: i32,
    pub step: i32,
    pub variable_bits: u8,
    pub fixed: u8,
    pub bound: u8,
    /// The lines of its group's loops, and whether each can be changed.
    pub group: Vec<(u32, bool)>,
    pub line: u32,
    pub column: u16,
    pub function: String,
    pub file: String,
}

/// All loop records of an ELF file; none if it has no section for them.
pub fn of_file(path: &Path) -> Result<Vec<Record>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let file = object::File::parse(&*bytes).with_context(|| path.display().to_string())?;
    match file.section_by_name(LOOPS_SECTION) {
        Some(section) => parse(section.data()?).with_context(|| path.display().to_string()),
        None => Ok(Vec::new()),
    }
}

fn parse(section: &[u8]) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut rest = section;
    while !rest.is_empty() {
        ensure!(rest.len() >= TEXT_HEAD, "{} stray bytes at the end", rest.len());
        let size = u32::from_le_bytes(field(rest, offset_of!(LoopRecord, size))) as usize;
        let is_text = rest[offset_of!(LoopRecord, construct)] == CONSTRUCT_TEXT;
        let least = if is_text { TEXT_HEAD } else { size_of::<LoopRecord>() };
        ensure!(
            size % 8 == 0 && (least..=rest.len()).contains(&size),
            "a record claims {size} of {} bytes",
            rest.len()
        );
        let (record, after) = rest.split_at(size);
        if !is_text {
            records.push(parse_one(record, section, section.len() - rest.len())?);
        }
        rest = after;
    }
    Ok(records)
}

fn parse_one(bytes: &[u8], section: &[u8], begin: usize) -> Result<Record> {
    let version = u16::from_le_bytes(field(bytes, offset_of!(LoopRecord, abi_version)));
    ensure!(u32::from(version) == VERSION, "ABI version {version}");
    let reserved = bytes[offset_of!(LoopRecord, reserved)];
    ensure!(reserved == 0, "reserved is {reserved}");
    Ok(Record {
        construct: bytes[offset_of!(LoopRecord, construct)],
        bits: bytes[offset_of!(LoopRecord, bits)],
        flags: u32::from_le_bytes(field(bytes, offset_of!(LoopRecord, flags))),
        schedule: u32::from_le_bytes(field(bytes, offset_of!(LoopRecord, schedule))),
        chunk: i32::from_le_bytes(field(bytes, offset_of!(LoopRecord, chunk))),
        start: i32::from_le_bytes(field(bytes, offset_of!(LoopRecord, start))),
        step: i32::from_le_bytes(field(bytes, offset_of!(LoopRecord, step))),
        variable_bits: bytes[offset_of!(LoopRecord, variable_bits)],
        fixed: bytes[offset_of!(LoopRecord, fixed)],
        bound: bytes[offset_of!(LoopRecord, bound)],
        group: group(bytes)?,
        line: u32::from_le_bytes(field(bytes, offset_of!(LoopRecord, line))),
        column: u16::from_le_bytes(field(bytes, offset_of!(LoopRecord, column))),
        function: string(section, begin, offset_of!(LoopRecord, function))?,
        file: string(section, begin, offset_of!(LoopRecord, file))?,
    })
}

/// The loops of the record's group.
fn group(bytes: &[u8]) -> Result<Vec<(u32, bool)>> {
    let offset = usize::from(u16::from_le_bytes(field(bytes, offset_of!(LoopRecord, group))));
    if offset == 0 {
        return Ok(Vec::new());
    }
    let loops = offset + GROUP_HEAD;
    ensure!(
        offset % 4 == 0 && offset >= size_of::<LoopRecord>() && loops <= bytes.len(),
        "a group at {offset} of {} bytes",
        bytes.len()
    );
    let count = u32::from_le_bytes(field(bytes, offset)) as usize;
    let members = bytes[loops..].chunks_exact(size_of::<GroupLoop>());
    ensure!(members.len() >= count, "a group of {count} loops");
    let read = |member: &[u8]| {
        let number = |at| u32::from_le_bytes(field(member, at));
        let changeable = number(offset_of!(GroupLoop, changeable));
        (number(offset_of!(GroupLoop, line)), changeable != 0)
    };
    Ok(members.take(count).map(read).collect())
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a slice of N bytes")
}

/// The string whose distance from the record's begin stands there `at`.
fn string(section: &[u8], begin: usize, at: usize) -> Result<String> {
    let distance = i32::from_le_bytes(field(section, begin + at)) as isize;
    let text = begin.checked_add_signed(distance).and_then(|place| section.get(place..));
    let Some(text) = text.filter(|_| distance < 0 || distance as usize >= size_of::<LoopRecord>()) else {
        bail!("a string at {distance} from {begin} of {} bytes", section.len());
    };
    let end = text.iter().position(|b| *b == 0).context("a string without end")?;
    Ok(String::from_utf8(text[..end].to_vec())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: u32, function: u32) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..4].copy_from_slice(&size.to_le_bytes());
        bytes[4..7].copy_from_slice(&[VERSION as u8, 0, ompchunk_abi::CONSTRUCT_FOR]);
        bytes[28..32].copy_from_slice(&7_u32.to_le_bytes());
        bytes[32..36].copy_from_slice(&function.to_le_bytes());
        bytes[36..40].copy_from_slice(&50_u32.to_le_bytes());
        bytes[48..54].copy_from_slice(b"f\0x.c\0");
        bytes
    }

    #[test]
    fn walks_records_by_their_size() {
        let records = parse(&[record(64, 48), record(64, 48)].concat()).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!((&*records[1].function, &*records[1].file, records[1].line), ("f", "x.c", 7));
    }

    #[test]
    fn refuses_what_is_not_a_record() {
        assert!(parse(&record(72, 48)).is_err());
        assert!(parse(&record(64, 8)).is_err());
        assert!(parse(&record(64, 48)[..20]).is_err());
    }
}
