//! What the plugin said while it compiled a case.

use std::sync::LazyLock;

use regex::Regex;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// How each instrumented loop is instrumented, in the order of the remarks.
    pub instrumented: Vec<String>,
    /// Why each other was left alone.
    pub alone: Vec<String>,
}

// clang names file, line and column before; flang has a prefix of its own.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)remark: .*?(?:instrumented (?:sections|(?:static )?loop, .*?): (.*)|left alone: (.*)) \[-Rpass(?:-missed)?=ompchunk\]$",
    )
    .expect("a regex")
});

impl Remarks {
    /// The remarks in what a compiler wrote to standard error.
    pub fn read(stderr: &str) -> Remarks {
        let mut remarks = Remarks::default();
        for found in REMARK.captures_iter(stderr) {
            if let Some(how) = found.get(1) {
                remarks.instrumented.push(how.as_str().to_owned());
            } else {
                remarks.alone.push(found[2].to_owned());
            }
        }
        remarks
    }
}

/// The texts, each once, with how often it stands there: `a (2), b`.
pub fn counted(texts: &[String]) -> String {
    let mut once: Vec<&String> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    let counted = once.into_iter().map(|text| match texts.iter().filter(|same| *same == text).count() {
        1 => text.clone(),
        several => format!("{text} ({several})"),
    });
    counted.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_kinds() {
        let stderr = "\
            x.c:3:1: remark: instrumented static loop, schedule(static,4): one way [-Rpass=ompchunk]\n\
            x.c:9:1: remark: instrumented sections: one more [-Rpass=ompchunk]\n\
            remark: x.f90:5:1: left alone: a reason [-Rpass-missed=ompchunk]\n\
            x.c:3:1: remark: vectorized loop [-Rpass=loop-vectorize]\n";
        let remarks = Remarks::read(stderr);
        assert_eq!(remarks.instrumented, ["one way", "one more"]);
        assert_eq!(remarks.alone, ["a reason"]);
    }

    #[test]
    fn equal_texts_are_counted() {
        let texts = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(counted(&texts), "a (2), b");
    }
}
