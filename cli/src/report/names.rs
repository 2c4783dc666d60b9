//! What a loop is called, and how it is dealt out.

use ompchunk_analysis::model::LoopReport;

/// Where a loop is, as far as it is known.
pub fn place(it: &LoopReport) -> String {
    let identity = &it.identity;
    let mut text = match (&identity.file, identity.line, identity.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        _ => it.name.clone(),
    };
    if let Some(function) = &identity.function {
        text += &format!(" in {function}");
    }
    text
}

/// Its clause without the word that every row would begin with.
pub fn schedule(it: &LoopReport) -> String {
    let Some(clause) = it.identity.schedule.as_deref() else {
        return "-".to_owned();
    };
    let inner = clause
        .strip_prefix("schedule(")
        .and_then(|it| it.strip_suffix(')'));
    inner.unwrap_or(clause).to_owned()
}
