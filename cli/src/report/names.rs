//! What a loop is called, and how it is dealt out.

use ompchunk_analysis::model::LoopReport;

/// Where a loop is, as far as it is known.
pub fn place(loop_report: &LoopReport) -> String {
    let identity = &loop_report.identity;
    let mut text = match (&identity.file, identity.line, identity.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        _ => loop_report.name.clone(),
    };
    if let Some(function) = &identity.function {
        text += &format!(" in {function}");
    }
    text
}

/// Its clause without the word that every row would begin with.
pub fn schedule(loop_report: &LoopReport) -> String {
    let Some(clause) = loop_report.identity.schedule.as_deref() else {
        return "-".to_owned();
    };
    let inner = clause.strip_prefix("schedule(").and_then(|suffix| suffix.strip_suffix(')'));
    inner.unwrap_or(clause).to_owned()
}
