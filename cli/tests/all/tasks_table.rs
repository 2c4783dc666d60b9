//! Tables of real programs with explicit tasks, recorded one by one: the program's own number of tasks, each with who created and ran it,
//! and the report's sums, on each runtime.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{self, finish, must_say, ompchunk, parted, succeed};

type Row = BTreeMap<String, Field>;

fn compile(to: &Path) {
    common::compile_to(&parted("recorder/tests/programs").join("tasks.c"), to, common::oldest_major(), &[]);
}

/// Records a run, and gives what the program printed.
fn record(place: &Path, runtime: &Runtime, options: &[&str], words: &[&str]) -> u64 {
    let mut record = ompchunk(&["record", "--tasks", "--force", "-o", "t"]);
    record.args(options).arg("./app").args(words);
    let printed = succeed(runtime.serve(record.current_dir(place)));
    printed.trim().parse().unwrap()
}

fn table(place: &Path) -> (Vec<Row>, String) {
    let to = tempfile::tempdir().unwrap();
    let mut export = ompchunk(&["export", "t", "--to", "parquet"]);
    let (status, _, said) = finish(export.arg(to.path()).current_dir(place));
    assert_eq!(status, Some(0), "{said}");
    let folder = to.path().join("tasks/rank=__HIVE_DEFAULT_PARTITION__");
    let mut files = std::fs::read_dir(&folder).unwrap();
    let file = std::fs::File::open(files.next().unwrap().unwrap().path()).unwrap();
    assert!(files.next().is_none());
    let reader = SerializedFileReader::new(file).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let rows = rows.map(|row| row.unwrap().into_columns().into_iter().collect());
    (rows.collect(), said)
}

fn number(row: &Row, name: &str) -> Option<u64> {
    match &row[name] {
        Field::Null => None,
        Field::UInt(number) => Some(u64::from(*number)),
        Field::ULong(number) => Some(*number),
        Field::Long(number) => Some(u64::try_from(*number).unwrap()),
        field => panic!("{name}: {field:?}"),
    }
}

fn known(row: &Row, name: &str) -> u64 {
    number(row, name).unwrap_or_else(|| panic!("{name} of {row:?}"))
}

/// What holds for each task that has ended.
fn is_sound(row: &Row, created: &HashMap<u64, u64>, case: &str) {
    let of = |name: &str| known(row, name);
    let (made, begin, end) = (of("created_ns"), of("begin_ns"), of("end_ns"));
    // Whole nanoseconds are rounded, and a task that is not deferred begins when it is created.
    assert!(made <= begin + 1 && begin <= end, "{case}: {row:?}");
    assert!(of("running_ns") <= end - begin + 1, "{case}: {row:?}");
    assert!(of("fragments") >= 1, "{case}: {row:?}");
    assert!(of("created_by") < 2 && of("begun_by") < 2 && of("ended_by") < 2);
    assert_eq!(row["creator"], Field::Bool(false), "{case}: {row:?}");
    if let Some(parent) = Some(of("parent")).filter(|parent| *parent != 0) {
        let parent = created.get(&parent);
        assert!(parent.is_some_and(|parent| *parent <= made), "{case}: {row:?}");
    }
}

/// Seconds of tasks that the report adds up, which waits are not in either.
fn reported(place: &Path) -> f64 {
    let mut report = ompchunk(&["report", "t", "--json"]);
    let found = crate::common::json(report.current_dir(place));
    let all = found["tasks"]["constructs"].as_array().unwrap();
    all.iter().map(|of| of["work_seconds"].as_f64().unwrap()).sum()
}

#[test]
fn the_programs_tasks_are_in_the_table() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    compile(&place.join("app"));
    for runtime in &runtimes::three() {
        for words in [["fib", "15"], ["untied", "100"], ["undeferred", "50"], ["nested", "20"]] {
            let printed = record(place, runtime, &[], &words);
            let (rows, said) = table(place);
            let case = format!("{}, {words:?}", runtime.name);
            assert_eq!(said, "", "{case}");
            assert_eq!(rows.len() as u64, printed, "{case}");
            let made = |row: &Row| (known(row, "task"), known(row, "created_ns"));
            let created: HashMap<u64, u64> = rows.iter().map(made).collect();
            assert_eq!(created.len(), rows.len(), "{case}");
            for row in &rows {
                is_sound(row, &created, &case);
                let is_of = |name: &str| row[name] == Field::Bool(true);
                assert_eq!(is_of("untied"), words[0] == "untied", "{case}: {row:?}");
                assert!(is_of("undeferred") || words[0] != "undeferred", "{case}");
            }
            let ns: u64 = rows.iter().map(|row| known(row, "running_ns")).sum();
            let (ran, reported) = (ns as f64 / 1e9, reported(place));
            // The report's tasks have some of the recorder's own time; beside other programs, any share of them.
            let most = reported * 1.001 + printed as f64 * 1e-9;
            assert!(ran > 0.0 && ran < most, "{case}: {ran}, {reported}");
        }
    }
}

/// From three quarters of the room on no task is told; those that are have their rows.
#[test]
fn tasks_beyond_the_room_are_lost() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    compile(&place.join("app"));
    for runtime in &runtimes::two() {
        let printed = record(place, runtime, &["--max-size", "1M"], &["fib", "21"]);
        let (rows, said) = table(place);
        must_say(&said, "were not recorded");
        let case = format!("{}: {} of {printed}: {said}", runtime.name, rows.len());
        assert!(rows.len() > 1000 && (rows.len() as u64) < printed, "{case}");
        let ended = rows.iter().filter(|row| row["end_ns"] != Field::Null);
        assert!(ended.count() > 1000, "{case}");
    }
}
