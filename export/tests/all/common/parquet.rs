//! Tables that were written, read again by the library's own reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
pub use parquet::record::Field;
use serde_json::Value;

pub type Row = BTreeMap<String, Field>;

pub fn files(directory: &Path, table: &str) -> Vec<PathBuf> {
    let read = |path: &Path| -> Vec<PathBuf> {
        let all = std::fs::read_dir(path).expect("a directory");
        all.map(|entry| entry.expect("an entry").path()).collect()
    };
    let ranks = read(&directory.join(table));
    let mut files: Vec<PathBuf> = ranks.iter().flat_map(|rank| read(rank)).collect();
    files.sort();
    files
}

pub fn rows(directory: &Path, table: &str) -> Vec<Row> {
    let of = |path: &PathBuf| -> Vec<Row> {
        let file = std::fs::File::open(path).expect("a file");
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        let row = |row: parquet::record::Row| row.into_columns().into_iter().collect::<BTreeMap<String, Field>>();
        rows.map(|found| row(found.expect("a row"))).collect()
    };
    files(directory, table).iter().flat_map(of).collect()
}

/// As in JSON.
pub fn number(field: &Field) -> Option<f64> {
    Some(match field {
        Field::Null => return None,
        Field::Int(value) => f64::from(*value),
        Field::UInt(value) => f64::from(*value),
        Field::Long(value) => *value as f64,
        Field::ULong(value) => *value as f64,
        Field::Double(value) => *value,
        other => panic!("{other:?} is no number"),
    })
}

pub fn unsigned(field: &Field) -> u64 {
    match field {
        Field::UInt(value) => u64::from(*value),
        Field::ULong(value) => *value,
        other => panic!("{other:?} is no unsigned number"),
    }
}

/// A row is that of the JSON export, but for the rank, which is the folder's, and for values that are `rounded`.
#[track_caller]
pub fn is_same(row: &Row, json: &Value, rounded: &[&str]) {
    for (name, value) in json.as_object().expect("a row") {
        match value {
            _ if name == "rank" => assert!(!row.contains_key("rank"), "it is the folder's"),
            Value::Number(value) if rounded.contains(&&**name) => {
                let away = number(&row[name]).expect("a number") - value.as_f64().expect("a number");
                assert!(away.abs() <= 0.5, "{name}: {row:?} {json}");
            }
            Value::Number(value) => assert_eq!(number(&row[name]), value.as_f64(), "{name}"),
            Value::String(value) => assert_eq!(row[name], Field::Str(value.clone()), "{name}"),
            Value::Bool(value) => assert_eq!(row[name], Field::Bool(*value), "{name}"),
            Value::Null => assert_eq!(row[name], Field::Null, "{name}"),
            other => panic!("{other}"),
        }
    }
}
