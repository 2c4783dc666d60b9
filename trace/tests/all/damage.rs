//! Bad input: cut at every byte, any byte changed, other versions. An error or a cut that is told,
//! never a panic and never an event that was not written.

use ompchunk_trace_format::{Ending, Error, Part, Trace, layout};

use crate::common;

fn sample() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    common::sample(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (directory, path, bytes)
}

fn events(part: &Part) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    part.for_each(|at, event| found.push(format!("{} {event:?}", at.ticks)))?;
    Ok(found)
}

#[test]
fn cut_at_every_byte() {
    let (_directory, path, bytes) = sample();
    let whole = events(&Part::open(&path).unwrap()).unwrap();
    let mut most = 0;
    for length in (0..bytes.len()).rev() {
        std::fs::File::options().write(true).open(&path).unwrap().set_len(length as u64).unwrap();
        match Part::open(&path) {
            Ok(part) => {
                assert!(matches!(part.ending(), Ending::Cut { offset, .. } if offset == length as u64));
                let found = events(&part).unwrap();
                assert_eq!(found[..], whole[..found.len()], "cut at {length}");
                most = most.max(found.len());
                assert_eq!(part.check().unwrap().violations, []);
            }
            Err(error) => assert!(
                matches!(error, Error::Cut(_, offset, _) if offset == length as u64),
                "cut at {length}: {error}"
            ),
        }
    }
    assert_eq!(most, whole.len(), "zeros at the end are no loss");
}

#[test]
fn any_byte_changed() {
    let (_directory, path, bytes) = sample();
    let used = layout::BLOCK_SIZES.start() + 1200;
    for at in (0..used).filter(|at| *at < 400 || *at >= 4096) {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            std::fs::write(&path, &changed).unwrap();
            // What it tells is not for us to say; that it ends is.
            if let Ok(part) = Part::open(&path) {
                let _ = events(&part);
                let _ = part.check();
                let _ = part.lanes();
            }
        }
    }
}

#[test]
fn errors_name_the_place() {
    let (directory, path, bytes) = sample();
    let refuse = |at: usize, value: u8| {
        let mut changed = bytes.clone();
        changed[at] = value;
        std::fs::write(&path, &changed).unwrap();
        let error = Part::open(&path).and_then(|part| events(&part).map(drop)).unwrap_err();
        assert!(!error.next().is_empty());
        error.to_string()
    };
    let name = path.display();
    assert_eq!(refuse(0, b'X'), format!("{name} is not a trace: it does not begin with OMPCHTRC"));
    assert_eq!(
        refuse(layout::head::VERSION, 9),
        format!("{name} is of version 9 of the trace format, this program reads versions up to 3")
    );
    let record = 4096 + layout::BLOCK_HEAD;
    assert_eq!(refuse(record, 99), format!("{name} is damaged at byte {record}: there is no record of kind 99"));
    assert!(refuse(4096, 1).contains("damaged at byte 4096: this is not the beginning of a block"));
    std::fs::remove_file(&path).unwrap();
    let error = Trace::open(directory.path()).unwrap_err();
    assert!(matches!(error, Error::NoParts { .. }), "{error}");
    assert!(matches!(Trace::open(&path).unwrap_err(), Error::Io { .. }));
}

#[test]
fn a_later_versions_record_is_skipped() {
    let (_directory, path, mut bytes) = sample();
    let whole = events(&Part::open(&path).unwrap()).unwrap();
    // The code definition becomes something that this version does not know.
    let at = (4096..8192).step_by(16).find(|at| bytes[*at] == layout::kind::CODE_DEFINITION).unwrap();
    bytes[at] = 200;
    std::fs::write(&path, &bytes).unwrap();
    let found = events(&Part::open(&path).unwrap()).unwrap();
    assert_eq!(found.len(), whole.len() - 1);
}

#[test]
fn a_record_beyond_its_block_is_no_cut() {
    let (_directory, path, mut bytes) = sample();
    let at = (4096..8192).step_by(16).find(|at| bytes[*at] == layout::kind::CODE_DEFINITION).unwrap();
    bytes[at + 1..at + 4].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    let error = events(&Part::open(&path).unwrap()).unwrap_err();
    assert!(error.to_string().contains("goes beyond the end"), "{error}");
}
