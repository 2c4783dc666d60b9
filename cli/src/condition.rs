//! What `--fail-if` asks, of `ompchunk report` and of `ompchunk tune --gate`, and the answers, in words and as an exit code, for whoever has a
//! program measured after each change. What was not measured is no pass: such an answer has an exit code of its own.

use std::str::FromStr;

use crate::output;

/// A condition of `--fail-if`, with its limit as a share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// A loop takes longer than before, beyond noise and by more than this.
    Slower(f64),
    /// The loops lose more than this of the run.
    Lost(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// It takes longer than as compiled, beyond noise and by more than this.
    Slower(f64),
    /// It is not known to take less time than as compiled.
    NotFaster,
}

impl FromStr for Shortfall {
    type Err = String;

    fn from_str(text: &str) -> Result<Shortfall, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match (words.as_slice(), text.parse()) {
            (["not", "faster"], _) => Ok(Shortfall::NotFaster),
            (_, Ok(Condition::Slower(limit))) => Ok(Shortfall::Slower(limit)),
            _ => Err("neither 'slower', 'slower>5%' nor 'not faster'".to_owned()),
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let text: String = text.split_whitespace().collect();
        let (name, limit) = match text.split_once('>') {
            Some((name, limit)) => (name, Some(share(limit)?)),
            None => (text.as_str(), None),
        };
        match (name, limit) {
            ("slower", limit) => Ok(Condition::Slower(limit.unwrap_or(0.0))),
            ("lost", Some(limit)) => Ok(Condition::Lost(limit)),
            _ => Err("neither 'slower', 'slower>5%' nor 'lost>5%'".to_owned()),
        }
    }
}

/// `5%`
fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.parse().ok());
    match number {
        Some(percent) if (0.0..1e6).contains(&percent) => Ok(percent / 100.0),
        _ => Err("the limit is no percentage such as 5%".to_owned()),
    }
}

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
    fn conditions() {
        assert_eq!("slower".parse(), Ok(Condition::Slower(0.0)));
        assert_eq!("slower > 5%".parse(), Ok(Condition::Slower(0.05)));
        assert_eq!("lost>0.5%".parse(), Ok(Condition::Lost(0.005)));
        for text in ["", "lost", "lost>5", "lost>-1%", "lost>nan%", "faster", "slower>", "slower>%", ">5%"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
        assert_eq!("slower>5%".parse(), Ok(Shortfall::Slower(0.05)));
        assert_eq!(" not  faster".parse(), Ok(Shortfall::NotFaster));
        for text in ["", "faster", "notfaster", "not", "lost>5%", "slower>5"] {
            assert!(text.parse::<Shortfall>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_holds_comes_before_what_cannot_be_told() {
        let unknown = || Answer::CannotBeTold(String::new());
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[unknown()]), CANNOT_BE_TOLD);
        assert_eq!(code(&[unknown(), Answer::Holds(String::new())]), HOLDS);
    }
}
