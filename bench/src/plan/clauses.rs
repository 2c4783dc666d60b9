//! Which loops under which schedules run as changed at run time, and with the same clause in the source.

use super::case::{Case, Unit, ascending, chosen};
use super::options::Options;
use crate::error::Error;

/// What `c/schedules.c` has.
const KINDS: [&str; 3] = ["dynamic", "guided", "static"];
const BODIES: [&str; 2] = ["flops", "delay"];
const SIZES: [u32; 7] = [1, 4, 16, 64, 256, 1024, 4096];

/// Each kind, body and chunk size, on each number of threads.
pub fn cases(options: &Options, cores: u32) -> Result<Vec<Case>, Error> {
    let bodies = options.bodies_of(&BODIES)?;
    let unknown = options.chunks.iter().find(|size| !SIZES.contains(size));
    if let Some(size) = unknown {
        return Err(Error::Unknown {
            what: "chunk size in this suite",
            name: size.to_string(),
            known: vec!["1", "4", "16", "64", "256", "1024", "4096"],
        });
    }
    let sizes = chosen(&options.chunks, options.quick, SIZES.into(), &[1, 64]);
    let threads = chosen(&options.threads, false, vec![cores], &[]);
    let mut cases = Vec::new();
    for threads in ascending(threads) {
        for body in &bodies {
            for kind in KINDS {
                let body = format!("{body}_{kind}");
                let of = |size: &u32| Case::new(&body, *size, threads, Unit::Schedule);
                cases.extend(sizes.iter().map(of));
            }
        }
    }
    Ok(cases)
}

/// What `OMPCHUNK_SCHEDULE` says: each function's loop runs under what its name says.
pub fn entries() -> String {
    let mut entries = Vec::new();
    for body in BODIES {
        for kind in KINDS {
            let of = |size| format!("{body}_{kind}_{size}={kind},{size}");
            entries.extend(SIZES.map(of));
        }
    }
    entries.join(";")
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::of;
    use super::*;

    #[test]
    fn entries_can_be_read() {
        let entries = entries();
        let table = ompchunk_schedules::Table::parse(&entries).unwrap();
        assert_eq!(table.entries().len(), 2 * 3 * 7);
        assert!(entries.contains("delay_guided_4096=guided,4096"));
    }

    #[test]
    fn each_kind_body_and_size() {
        assert_eq!(cases(&of(""), 2).unwrap().len(), 3 * 2 * 7);
        assert_eq!(cases(&of("--quick"), 2).unwrap().len(), 3 * 2 * 2);
        let error = cases(&of("--chunks 3"), 2).unwrap_err();
        assert_eq!(error.to_string(), "there is no chunk size in this suite 3");
    }

    #[test]
    fn sizes_are_those_that_are_compiled() {
        let source = include_str!("../../c/schedules.c");
        for size in SIZES {
            assert!(source.contains(&format!("each(kind, {size})")), "{size}");
        }
        assert_eq!(source.matches(" each(kind, ").count(), SIZES.len());
    }
}
