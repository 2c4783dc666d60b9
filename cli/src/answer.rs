//! Answers to the conditions of `--fail-if`, in words and as an exit code, for whoever has a program measured after each change.
//!
//! What was not measured is no pass: such an answer has an exit code of its own.

use crate::output;

/// A condition holds.
const HOLDS: u8 = 3;
/// None holds as far as is known, and of one it is not known.
const CANNOT_BE_TOLD: u8 = 4;

/// What is known of a condition, in words.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Holds(String),
    CannotBeTold(String),
}

/// Tells of each condition that holds or cannot be told.
pub fn tell(answers: &[Answer]) {
    for answer in answers {
        match answer {
            Answer::Holds(words) => output::notice(&format!("--fail-if: {words}")),
            Answer::CannotBeTold(words) => {
                output::notice(&format!("--fail-if cannot be decided: {words}"));
            }
        }
    }
}

/// The exit code: 3 if a condition holds, else 4 if one cannot be told, else 0.
pub fn code(answers: &[Answer]) -> u8 {
    let holds = answers.iter().any(|answer| matches!(answer, Answer::Holds(_)));
    match (holds, answers.is_empty()) {
        (true, _) => HOLDS,
        (false, false) => CANNOT_BE_TOLD,
        (false, true) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_comes_before_what_cannot_be_told() {
        let unknown = || Answer::CannotBeTold(String::new());
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[unknown()]), CANNOT_BE_TOLD);
        assert_eq!(code(&[unknown(), Answer::Holds(String::new())]), HOLDS);
    }
}
