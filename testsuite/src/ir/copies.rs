//! The copy of a loop in a snapshot: where its lines say what the loop's own say, their number is enough.
//!
//! ```text
//! +omp.inner.for.inc.ompchunk:
//! +  ... 3 lines of omp.inner.for.inc
//! ```
//!
//! Lines are counted on into the blocks that follow, as far as the copy has them in the loop's order. A line is as it must be where each name of the
//! loop that has a copy stands for that copy, and any other for itself; so what is left out is known to its last name, and a copy that uses a value
//! of the loop itself by mistake is shown.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Shorter runs are shown.
const SHORTEST: usize = 2;

static DEFINED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:  %([\w.$-]+)\.ompchunk = |([\w.$-]+)\.ompchunk:$)").expect("a regex"));
static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"%([\w.$-]+)|^([\w.$-]+):$").expect("a regex"));

/// The function with the plugin, where runs of lines that copy lines of `before` are their number.
pub fn shortened(before: &str, after: &str) -> String {
    let copied: HashSet<&str> = after.lines().filter_map(defined).collect();
    let copies: Vec<String> = before.lines().map(|line| copy(line, &copied)).collect();
    let mut rest: Vec<&str> = after.lines().collect();
    let mut text = String::new();
    while !rest.is_empty() {
        let line = rest.remove(0);
        text += &format!("{line}\n");
        let Some(name) = defined(line) else { continue };
        let origin = copies.iter().position(|copy| copy == line);
        let follow = origin.map_or(&[][..], |origin| &copies[origin + 1..]);
        let same = follow.iter().zip(&rest).take_while(|(copy, line)| copy == *line).count();
        if same >= SHORTEST {
            text += &format!("  ... {same} lines of {name}\n");
            rest.drain(..same);
        }
    }
    text
}

/// What the line defines a copy of.
fn defined(line: &str) -> Option<&str> {
    let defined = DEFINED.captures(line)?;
    defined.get(1).or(defined.get(2)).map(|name| name.as_str())
}

/// The line as the copy has it.
fn copy(line: &str, copied: &HashSet<&str>) -> String {
    let name = |found: &Captures| {
        let (whole, name) = (&found[0], found.get(1).or(found.get(2)).map_or("", |name| name.as_str()));
        match copied.contains(name) {
            true => whole.replace(name, &format!("{name}.ompchunk")),
            false => whole.to_owned(),
        }
    };
    NAME.replace_all(line, name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "a:\n  %x = load ptr %n\n  %y = add %x, 1\n  br label %b\n\nb:\n  ret %y\n";

    fn with_copy(copy: &str) -> String {
        shortened(BEFORE, &format!("{BEFORE}\n{copy}"))
    }

    #[test]
    fn a_copy_is_the_number_of_its_lines() {
        let copy = "a.ompchunk:\n  %x.ompchunk = load ptr %n\n  %y.ompchunk = add %x.ompchunk, 1\n  br label %7\n";
        assert_eq!(with_copy(copy), format!("{BEFORE}\na.ompchunk:\n  ... 2 lines of a\n  br label %7\n"));
    }

    #[test]
    fn a_copy_that_uses_the_loop_s_own_value_is_shown() {
        let copy = "a.ompchunk:\n  %x.ompchunk = load ptr %n\n  %y.ompchunk = add %x, 1\n  br label %b\n";
        assert_eq!(with_copy(copy), format!("{BEFORE}\n{copy}"));
    }
}
