//! Tables that were written, read again by the library's own reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
pub use parquet::record::Field;

/// A row, by column.
pub type Row = BTreeMap<String, Field>;

/// Files of a table, sorted.
pub fn files(directory: &Path, table: &str) -> Vec<PathBuf> {
    let read = |path: &Path| -> Vec<PathBuf> {
        let all = std::fs::read_dir(path).expect("a directory");
        all.map(|it| it.expect("an entry").path()).collect()
    };
    let ranks = read(&directory.join(table));
    let mut files: Vec<PathBuf> = ranks.iter().flat_map(|it| read(it)).collect();
    files.sort();
    files
}

/// All rows of a table.
pub fn rows(directory: &Path, table: &str) -> Vec<Row> {
    let of = |path: &PathBuf| -> Vec<Row> {
        let file = std::fs::File::open(path).expect("a file");
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        let row = |it: parquet::record::Row| {
            it.into_columns()
                .into_iter()
                .collect::<BTreeMap<String, Field>>()
        };
        rows.map(|it| row(it.expect("a row"))).collect()
    };
    files(directory, table).iter().flat_map(of).collect()
}

/// As JSON has it.
pub fn number(field: &Field) -> Option<f64> {
    Some(match field {
        Field::Null => return None,
        Field::Int(it) => f64::from(*it),
        Field::UInt(it) => f64::from(*it),
        Field::Long(it) => *it as f64,
        Field::ULong(it) => *it as f64,
        Field::Double(it) => *it,
        other => panic!("{other:?} is no number"),
    })
}

/// An unsigned number.
pub fn unsigned(field: &Field) -> u64 {
    match field {
        Field::UInt(it) => u64::from(*it),
        Field::ULong(it) => *it,
        other => panic!("{other:?} is no unsigned number"),
    }
}
