//! Why a command cannot do what it shall.

#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    what: String,
    next: String,
    #[source]
    cause: Option<std::io::Error>,
}

impl Failure {
    pub fn new(what: impl Into<String>, next: impl Into<String>) -> Failure {
        Failure { what: what.into(), next: next.into(), cause: None }
    }

    pub(crate) fn because(self, cause: std::io::Error) -> Failure {
        Failure { cause: Some(cause), ..self }
    }

    pub fn next(&self) -> &str {
        &self.next
    }
}
