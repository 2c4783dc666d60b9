//! What `--fail-if` asks, and the answers. What was not measured is no pass: such an answer has an exit code of its own.

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
        let (name, limit) = text.split_once('>').map_or((&*text, None), |(name, limit)| (name, Some(limit)));
        match (name, limit.map(share).transpose()?) {
            ("slower", limit) => Ok(Condition::Slower(limit.unwrap_or(0.0))),
            ("lost", Some(limit)) => Ok(Condition::Lost(limit)),
            _ => Err("neither 'slower', 'slower>5%' nor 'lost>5%'".to_owned()),
        }
    }
}

fn share(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').and_then(|number| number.parse().ok());
    let percent = number.filter(|percent| (0.0..1e6).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "the limit is no percentage such as 5%".to_owned())
}

const HOLDS: u8 = 3;
/// None holds as far as is known, and of one it is not known.
const CANNOT_BE_TOLD: u8 = 4;

#[derive(Debug, PartialEq)]
pub enum Answer {
    Holds(String),
    CannotBeTold(String),
}

pub fn print_answers(answers: &[Answer]) {
    for answer in answers {
        output::notice(&match answer {
            Answer::Holds(words) => format!("--fail-if: {words}"),
            Answer::CannotBeTold(words) => format!("--fail-if cannot be decided: {words}"),
        });
    }
}

/// The exit code: 3 if a condition holds, else 4 if one cannot be told, else 0.
pub fn code(answers: &[Answer]) -> u8 {
    let holds = answers.iter().any(|answer| matches!(answer, Answer::Holds(_)));
    let else_code = if answers.is_empty() { 0 } else { CANNOT_BE_TOLD };
    if holds { HOLDS } else { else_code }
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
