//! Numbers as people read them.

const NONE: &str = "-";

/// Three digits and a unit.
pub fn time(seconds: impl Into<Option<f64>>) -> String {
    let Some(seconds) = seconds.into() else {
        return NONE.to_owned();
    };
    let (value, unit) = match seconds.abs() {
        zero if zero < 5e-12 => return "0 s".to_owned(),
        value if value < 9.995e-7 => (seconds * 1e9, "ns"),
        value if value < 9.995e-4 => (seconds * 1e6, "µs"),
        value if value < 0.9995 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    format!("{} {unit}", number(value))
}

pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or("")).collect();
    groups.join(",")
}

/// What is smaller comes from adding up.
const ROUNDING: f64 = 1e-9;

/// A share of a whole. What is there is more than nothing, and what misses something is not all.
pub fn percent(share: impl Into<Option<f64>>) -> String {
    match share.into() {
        None => NONE.to_owned(),
        Some(share) if share > ROUNDING && share < 5e-4 => "< 0.1 %".to_owned(),
        Some(share) if share > 0.9995 && share < 1.0 - ROUNDING => "> 99.9 %".to_owned(),
        Some(share) => format!("{:.1} %", share * 100.0),
    }
}

pub fn number(value: impl Into<Option<f64>>) -> String {
    let Some(value) = value.into() else {
        return NONE.to_owned();
    };
    let digits = match value.abs() {
        small if small < 0.0995 => 3,
        usual if usual < 9.995 => 2,
        large if large < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// `1 loop`, `1,000 loops`: for nouns whose plural has an s.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

pub const fn were(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

pub const fn are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (1e-9, "1.00 ns"),
            (9.996e-7, "1.00 µs"),
            (1.234e-5, "12.3 µs"),
            (0.9994, "999 ms"),
            (0.9996, "1.00 s"),
            (12345.6, "12346 s"),
            (-0.0021, "-2.10 ms"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn thousands_apart() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn what_is_there_is_more_than_nothing() {
        let shares = [Some(0.123), Some(0.0004), Some(0.9996), Some(0.0), Some(1.0), None].map(percent);
        assert_eq!(shares, ["12.3 %", "< 0.1 %", "> 99.9 %", "0.0 %", "100.0 %", "-"]);
        assert_eq!([0.0123, 0.0996, 9.04, 9.996, 123.4].map(number), ["0.012", "0.10", "9.04", "10.0", "123"]);
    }

    #[test]
    fn one_is_not_several() {
        assert_eq!((counted(1, "loop") + " " + were(1)), "1 loop was");
        assert_eq!((counted(0, "loop") + " " + were(0)), "0 loops were");
        assert_eq!((counted(2000, "loop") + " " + are(2000)), "2,000 loops are");
    }
}
