//! What the plugin says of a near miss, by the reason's name in the plugin: docs/reasons.md has the sentences of those why a loop is left
//! alone, and the plugin's own tests compare them with it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

use crate::dist;

/// A file, what stands there of a reason, and what a remark says before its sentence.
const TABLES: [(&str, &str, &str); 2] = [
    ("docs/reasons.md", r"(?m)^\| `([A-Z]\w+)` \| (.+) \|$", "left alone"),
    ("ompt/src/raw/loop_record.rs", r#"(?m)^ +([A-Z]+) => "(.+)",$"#, "its schedule is fixed"),
];

/// What a remark must say of `TWIN: file.rs Reason`.
pub fn remark(twin: &str) -> Result<&'static str> {
    static SENTENCES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        let mut sentences = BTreeMap::new();
        for (file, row, before) in TABLES {
            let row = Regex::new(row).expect("a regex");
            let text = std::fs::read_to_string(dist::repository().join(file)).expect("a table of reasons");
            sentences.extend(row.captures_iter(&text).map(|row| (row[1].to_owned(), format!("{before}: {}", &row[2]))));
        }
        sentences
    });
    let (_, reason) = twin.split_once(' ').context("TWIN: file.rs Reason")?;
    SENTENCES.get(reason).map(String::as_str).with_context(|| format!("{twin}: no such reason"))
}
