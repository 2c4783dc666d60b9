//! Whole files: objects of either byte order, with records in several sections, without any, cut and damaged.

use std::path::Path;

use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use ompchunk_abi::{
    CONSTRUCT_FOR, LOOP_CHANGEABLE, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_START_KNOWN, LOOPS_SECTION, VERSION,
};
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::loops::{Image, Value, read};

/// A record of `schedule(static,16)` in `step` of `solver.c`, from 3 on.
fn record(line: u32, endian: Endianness) -> Vec<u8> {
    let big = endian == Endianness::Big;
    let mut bytes = Vec::new();
    let mut put = |mut value: Vec<u8>| {
        if big {
            value.reverse();
        }
        bytes.extend(value);
    };
    let flags = LOOP_CHUNKED | LOOP_CHUNK_KNOWN | LOOP_START_KNOWN | LOOP_CHANGEABLE;
    put(64_u32.to_le_bytes().into());
    put((VERSION as u16).to_le_bytes().into());
    put(vec![CONSTRUCT_FOR]);
    put(vec![32]);
    put(flags.to_le_bytes().into());
    put(33_u32.to_le_bytes().into());
    put(16_i32.to_le_bytes().into());
    put(3_i32.to_le_bytes().into());
    put(0_i32.to_le_bytes().into());
    put(line.to_le_bytes().into());
    put(48_u32.to_le_bytes().into());
    put(53_u32.to_le_bytes().into());
    put(5_u16.to_le_bytes().into());
    bytes.extend([32, 0, 0, 0, 0, 0]);
    bytes.extend(b"step\0solver.c\0\0\0");
    assert_eq!(bytes.len(), 64);
    bytes
}

/// An object with one section for each of these groups of lines, that calls a function.
fn object(sections: &[&[u32]], endian: Endianness, calls: &str) -> Vec<u8> {
    let architecture = match endian {
        Endianness::Little => Architecture::X86_64,
        Endianness::Big => Architecture::PowerPc64,
    };
    let mut object = Object::new(BinaryFormat::Elf, architecture, endian);
    for lines in sections {
        let name = LOOPS_SECTION.as_bytes().to_vec();
        let section = object.add_section(Vec::new(), name, SectionKind::ReadOnlyData);
        let records: Vec<u8> = lines.iter().flat_map(|line| record(*line, endian)).collect();
        object.append_section_data(section, &records, 8);
    }
    object.add_symbol(Symbol {
        name: calls.as_bytes().to_vec(),
        value: 0,
        size: 0,
        kind: SymbolKind::Text,
        scope: SymbolScope::Unknown,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    });
    object.write().expect("an object")
}

fn read_bytes(bytes: &[u8]) -> Result<Vec<Image>, Failure> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("a file");
    read(file.path())
}

#[test]
fn all_sections_in_either_byte_order() {
    for endian in [Endianness::Little, Endianness::Big] {
        let images = read_bytes(&object(&[&[7, 9], &[20]], endian, "f")).expect("loops");
        let [image] = &images[..] else { panic!("{images:?}") };
        assert_eq!(image.member, None);
        let lines: Vec<_> = image.loops.iter().map(|the_loop| the_loop.line).collect();
        assert_eq!(lines, [Some(7), Some(9), Some(20)]);
        for the_loop in &image.loops {
            assert_eq!(the_loop.file.as_deref(), Some("solver.c"));
            assert_eq!((&*the_loop.function, &*the_loop.schedule), ("step", "schedule(static,16)"));
            assert_eq!(
                (the_loop.chunk, the_loop.start, the_loop.step),
                (Value::Constant(16), Value::Constant(3), Value::None)
            );
            assert!(the_loop.changeable && the_loop.barrier == Some(true) && the_loop.because.is_none());
        }
    }
}

#[test]
fn a_file_without_loops_says_what_is_known_of_it() {
    for (calls, says) in [
        ("__kmpc_for_static_init_4", "no loop of it is instrumented"),
        ("GOMP_parallel", "GCC has compiled"),
        ("printf", "it calls no OpenMP runtime"),
    ] {
        let error = read_bytes(&object(&[], Endianness::Little, calls)).expect_err("no loops");
        assert!(error.to_string().contains(says), "{calls}: {error}");
        assert!(!error.next().is_empty(), "{calls}");
    }
    let error = read(Path::new("/nowhere/at/all")).expect_err("no file");
    assert!(error.to_string().starts_with("/nowhere/at/all: "), "{error}");
}

/// Whatever is missing or wrong: loops or an error, and nothing else.
#[test]
fn cut_and_damaged_files_are_read_as_far_as_they_make_sense() {
    let whole = object(&[&[7, 9], &[20]], Endianness::Little, "f");
    let most = read_bytes(&whole).expect("loops")[0].loops.len();
    let check = |bytes: &[u8]| match read_bytes(bytes) {
        Ok(images) => {
            let loops: usize = images.iter().map(|image| image.loops.len()).sum();
            assert!((1..=most).contains(&loops));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    };
    assert!(!(0..whole.len() - 1).any(|length| check(&whole[..length])));
    let mut read = 0;
    for at in 0..whole.len() {
        for byte in [0, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            read += usize::from(check(&bytes));
        }
    }
    // Many bytes say nothing of loops.
    assert!(read > 0);
}
