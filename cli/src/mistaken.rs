//! Command lines that are mistaken in a way that is common: what was meant is said beside what clap says.

use crate::args::Record;

/// `--sample-stacks 200 ./app` means a program called 200. If there is none, the number was meant as the option's.
pub fn rate_as_program(record: &Record) -> Option<String> {
    record.sample_stacks?;
    let [number, rest @ ..] = record.program.as_slice() else {
        return None;
    };
    let rate: u32 = number.to_str()?.parse().ok()?;
    let program = rest.first().map_or("PROG".into(), |program| program.to_string_lossy());
    Some(format!("ompchunk record --sample-stacks={rate} {program}: without the equals sign {rate} is the program"))
}
