//! Checks as text and as JSON.

use serde::Serialize;

use super::finding::{Check, Level};
use crate::prose::wrapped;
use crate::table::printable;

pub fn is_healthy(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.level != Level::Fail)
}

/// A line per check, what to do below it, and the sum; on a terminal of that width more lines, each below what it continues.
pub fn text(checks: &[Check], width: Option<usize>) -> String {
    let subject = checks.iter().map(|check| check.subject.len()).max().unwrap_or(0);
    let indent = 4 + 2 + subject + 2;
    let room = width.map(|width| width.saturating_sub(indent));
    let mut text = String::new();
    for check in checks {
        let mut said = wrapped(&printable(&check.seen), room);
        if let Some(cause) = &check.cause {
            said += &wrapped(&format!("because: {}", printable(cause)), room);
        }
        if let Some(next) = &check.next {
            said += &wrapped(&format!("next: {}", printable(next)), room);
        }
        let level = match check.level {
            Level::Ok => "ok",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Fail => "FAIL",
        };
        for (number, line) in said.lines().enumerate() {
            text += &match number {
                0 => format!("{level:<4}  {:<subject$}  {line}\n", check.subject),
                _ => format!("{}{line}\n", " ".repeat(indent)),
            };
        }
    }
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    text + &format!(
        "\n{} ok, {} to note, {} missing: {}\n",
        count(Level::Ok),
        count(Level::Warn),
        count(Level::Fail),
        if is_healthy(checks) { "ompchunk works here" } else { "ompchunk does not work here yet" }
    )
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    ompchunk: &'static str,
    ok: bool,
    checks: &'a [Check],
}

pub fn json(checks: &[Check]) -> serde_json::Result<String> {
    let report = Report { version: 1, ompchunk: env!("CARGO_PKG_VERSION"), ok: is_healthy(checks), checks };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Vec<Check> {
        let check = |level, subject: &str, next: Option<&str>| Check {
            level,
            subject: subject.into(),
            seen: "seen".into(),
            cause: next.map(|_| "cause".into()),
            next: next.map(str::to_owned),
        };
        vec![
            check(Level::Ok, "C", None),
            check(Level::Warn, "clock", Some("do")),
            check(Level::Fail, "shim", Some("that")),
        ]
    }

    #[test]
    fn text_for_people() {
        assert_eq!(
            text(&checks(), None),
            "ok    C      seen\n\
             warn  clock  seen\n             because: cause\n             next: do\n\
             FAIL  shim   seen\n             because: cause\n             next: that\n\
             \n1 ok, 1 to note, 1 missing: ompchunk does not work here yet\n"
        );
        assert!(text(&checks()[..2], None).ends_with("0 missing: ompchunk works here\n"));
    }

    #[test]
    fn narrow_terminals() {
        let mut checks = checks();
        checks[1].seen = "seen at last, after a while".into();
        let text = text(&checks[1..2], Some(30));
        assert!(
            text.starts_with("warn  clock  seen at last,\n               after a while\n             because: cause\n"),
            "{text}"
        );
    }

    #[test]
    fn json_for_programs() {
        let value: serde_json::Value = serde_json::from_str(&json(&checks()).unwrap()).unwrap();
        assert_eq!(value["ok"], false);
        assert_eq!(value["checks"][1]["level"], "warn");
        assert_eq!(value["checks"][2]["next"], "that");
        assert!(value["checks"][0]["cause"].is_null());
    }
}
