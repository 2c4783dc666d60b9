//! Measurements of advice in the tree: under which conditions and what was advised (`.json`), each candidate's figures (`.csv`),
//! and where they stand.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::results::advice::Candidate;
use crate::results::advised::Advised;
use crate::results::stats::Interval;

/// A measurement for itself, and one beside busy processes.
pub const NAMES: [&str; 2] = ["advice", "advice-loaded"];

/// The columns.
const HEAD: &str = "program,runtime,schedule,predicted_low,predicted,predicted_high,measured_low,measured,measured_high,\
                    again_low,again,again_high,both_low,both,both_high,noise";

/// An interval in its columns.
type Columns<T> = [T; 3];

/// A candidate in a line: program, runtime, schedule, what was predicted, measured, measured again and in both, and the noise.
type Row = (String, String, String, Columns<Option<f64>>, [Columns<f64>; 3], f64);

/// Puts a measurement into the tree; the answer is its name there.
pub fn keep(results: &Advised, data: &Path) -> Result<&'static str> {
    // Beside a load the question is whether advice does harm, and what is advised is always measured.
    if results.is_quick && results.loaded == 0 {
        bail!("a quick measurement tells too little to be kept; next: once more without --quick");
    }
    let name = NAMES[usize::from(results.loaded > 0)];
    write(results, data, name)?;
    Ok(name)
}

fn write(results: &Advised, data: &Path, name: &str) -> Result<()> {
    let mut rest = results.clone();
    let file = data.join(format!("{name}.csv"));
    let mut rows =
        csv::WriterBuilder::new().has_headers(false).from_path(&file).with_context(|| file.display().to_string())?;
    rows.write_record(HEAD.split(','))?;
    for case in &mut rest.cases {
        for candidate in case.candidates.drain(..) {
            rows.serialize(row(&case.program, &case.runtime, &candidate))?;
        }
    }
    rows.flush()?;
    rest.write(&data.join(format!("{name}.json")))
}

/// From the tree; `None`: it is not there.
pub fn read(data: &Path, name: &str) -> Result<Option<Advised>> {
    let files = ["json", "csv"].map(|ending| data.join(format!("{name}.{ending}")));
    if !files.iter().any(|file| file.exists()) {
        return Ok(None);
    }
    let [json, csv]: [PathBuf; 2] = files;
    let mut results = Advised::read(&json)?;
    let shown = || csv.display().to_string();
    let mut rows = csv::Reader::from_path(&csv).with_context(shown)?;
    ensure!(
        rows.headers().with_context(shown)? == HEAD.split(',').collect::<Vec<&str>>(),
        "{}: its columns are not {HEAD}",
        shown()
    );
    for record in rows.records() {
        let row: Row = record.with_context(shown)?.deserialize(None).with_context(shown)?;
        let mut cases = results.cases.iter_mut();
        let case = cases.find(|known| known.program == row.0 && known.runtime == row.1);
        let case = case.with_context(|| format!("{}: {} is no case", shown(), row.0))?;
        case.candidates.push(candidate(row));
    }
    Ok(Some(results))
}

fn row(program: &str, runtime: &str, of: &Candidate) -> Row {
    let columns = |of: Interval| [of.low, of.middle, of.high].map(digit);
    let predicted = of.predicted.map(columns);
    (
        program.to_owned(),
        runtime.to_owned(),
        of.schedule.clone(),
        predicted.map_or([None; 3], |predicted| predicted.map(Some)),
        [of.measured, of.again, of.both].map(columns),
        digit(of.noise),
    )
}

fn candidate((_, _, schedule, predicted, measured, noise): Row) -> Candidate {
    let interval = |[low, middle, high]: Columns<f64>| Interval { low, middle, high };
    let predicted = match predicted {
        [Some(low), Some(middle), Some(high)] => Some(interval([low, middle, high])),
        _ => None,
    };
    let [measured, again, both] = measured.map(interval);
    Candidate { schedule, predicted, measured, again, both, noise }
}

/// More is noise.
fn digit(of: f64) -> f64 {
    (of * 1e4).round() / 1e4
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::results::advice::tests::{candidate as made, case};

    /// Two programs.
    pub fn small() -> Advised {
        let mut results = Advised::new(false, 0, 2);
        results.facts = vec![("processor".into(), "A <fast> CPU".into())];
        let candidates = vec![made("guided", 0.61, 0.6, 0.6), made("dynamic,4", 0.7, 0.5, 0.5)];
        let mut first = case(Some("a triangle"), Some("guided"), candidates);
        first.program = "covariance".into();
        results.put(first);
        results.put(case(None, None, vec![made("guided", 1.0, 1.2, 1.3)]));
        results
    }

    #[test]
    fn what_is_kept_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), "advice").unwrap(), None);
        let mut results = small();
        assert_eq!(keep(&results, folder.path()).unwrap(), "advice");
        let found = read(folder.path(), "advice").unwrap().unwrap();
        // As few digits as are written.
        write(&found, folder.path(), "again").unwrap();
        assert_eq!(read(folder.path(), "again").unwrap().unwrap(), found);
        assert_eq!(found.cases.len(), 2);
        assert_eq!(found.cases[0].candidates.len(), 2);
        assert_eq!(found.cases[0].best(), ("dynamic,4", 0.5));
        results.loaded = 4;
        assert_eq!(keep(&results, folder.path()).unwrap(), "advice-loaded");
        results.is_quick = true;
        assert_eq!(keep(&results, folder.path()).unwrap(), "advice-loaded");
        results.loaded = 0;
        assert!(keep(&results, folder.path()).is_err());
        // Figures of a case that is not there.
        std::fs::remove_file(folder.path().join("advice.json")).unwrap();
        assert!(read(folder.path(), "advice").is_err());
    }
}
