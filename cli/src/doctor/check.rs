//! Checks: findings in words, ready to be shown.

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// Neither good nor bad.
    Info,
    /// Something does not work, or not well.
    Warn,
    /// Something required is missing.
    Fail,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    pub level: Level,
    pub subject: String,
    pub seen: String,
    pub cause: Option<String>,
    pub next: Option<String>,
}

impl Check {
    pub fn new(level: Level, subject: impl Into<String>, seen: impl Into<String>) -> Check {
        Check { level, subject: subject.into(), seen: seen.into(), cause: None, next: None }
    }

    pub fn because(mut self, cause: impl Into<String>) -> Check {
        self.cause = Some(cause.into());
        self
    }

    pub fn next(mut self, next: impl Into<String>) -> Check {
        self.next = Some(next.into());
        self
    }
}
