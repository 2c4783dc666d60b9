//! Numbers of bytes, as users write them.

/// A number of bytes, with K, M, G or T for powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        other => return Err(format!("{other} is none of K, M, G, T")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

/// The same for a part, which has room for something.
pub fn part_size(text: &str) -> Result<u64, String> {
    // Its head, the block for its end, and a block each for two threads.
    const LEAST: u64 = 256 << 10;
    match size(text)? {
        0 => Ok(0),
        size if size < LEAST => Err("too small to hold anything: 256K at least, or 0 for no limit".to_owned()),
        size => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let wanted = [("12", 12), ("3k", 3 << 10), ("500M", 500 << 20), ("2GiB", 2 << 30)];
        for (text, bytes) in wanted {
            assert_eq!(size(text), Ok(bytes));
        }
        for text in ["", "M", "1.5G", "-1", "3x", "99999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
