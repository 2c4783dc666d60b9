//! Checks: findings in words, ready to be shown.

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Neither good nor bad.
    Info,
    /// Something does not work, or not well.
    Warn,
    /// Something required is missing.
    Fail,
}

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    /// How bad it is.
    pub level: Level,
    /// What it is about.
    pub subject: String,
    /// What was seen.
    pub seen: String,
    /// The likely cause.
    pub cause: Option<String>,
    /// What to do.
    pub next: Option<String>,
}

impl Check {
    /// Without cause and next step.
    pub fn new(level: Level, subject: impl Into<String>, seen: impl Into<String>) -> Check {
        Check { level, subject: subject.into(), seen: seen.into(), cause: None, next: None }
    }

    /// With the likely cause.
    pub fn because(mut self, cause: impl Into<String>) -> Check {
        self.cause = Some(cause.into());
        self
    }

    /// With the next step.
    pub fn next(mut self, next: impl Into<String>) -> Check {
        self.next = Some(next.into());
        self
    }
}
