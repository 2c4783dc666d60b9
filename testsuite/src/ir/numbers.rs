//! The numbers of values and blocks without a name, as another snapshot has them: one instruction more in the begin of a loop renumbers all that
//! follows, and a difference from that snapshot would have it all.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::{Captures, Regex};
use similar::{Algorithm, DiffOp, capture_diff_slices};

static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"%(\d+)\b|^\+(\d+):$").expect("a regex"));

/// The text with the numbers that `base` has in the lines that say the same otherwise. No two of a function become one, and those of other lines get a
/// `'`: what differs in more than numbers still does.
pub fn renumbered(base: &str, text: &str) -> String {
    let (base, text): (Vec<&str>, Vec<&str>) = (base.lines().collect(), text.lines().collect());
    let functions = functions(&text);
    let [without, with] = [&base, &text].map(|lines| lines.iter().map(|line| masked(line)).collect::<Vec<_>>());
    let (mut becomes, mut taken) = (HashMap::new(), HashSet::new());
    for op in capture_diff_slices(Algorithm::Myers, &without, &with) {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        for at in 0..len {
            let function = functions[new_index + at];
            for (new, old) in numbers(text[new_index + at]).zip(numbers(base[old_index + at])) {
                if !becomes.contains_key(&(function, new)) && taken.insert((function, old)) {
                    becomes.insert((function, new), old);
                }
            }
        }
    }
    let renumber = |(line, function): (&&str, &usize)| {
        let name = |found: &Captures| match (number(found), becomes.get(&(*function, number(found)))) {
            (new, Some(old)) => found[0].replace(new, old),
            (new, None) => found[0].replace(new, &format!("{new}'")),
        };
        NUMBER.replace_all(line, name).into_owned() + "\n"
    };
    text.iter().zip(&functions).map(renumber).collect()
}

/// Which function each line is of, counted from the first: each function has its own numbers.
fn functions(text: &[&str]) -> Vec<usize> {
    let begins = |line: &str| line.starts_with('@') && !line.starts_with("@@");
    let count = |before: &mut usize, line: &&str| {
        *before += usize::from(begins(line));
        Some(*before)
    };
    text.iter().scan(0, count).collect()
}

fn masked(line: &str) -> String {
    NUMBER.replace_all(line, "%").into_owned()
}

fn numbers(line: &str) -> impl Iterator<Item = &str> {
    NUMBER.captures_iter(line).map(|found| number(&found))
}

fn number<'a>(found: &Captures<'a>) -> &'a str {
    found.get(1).or(found.get(2)).map_or("", |number| number.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_value_changes_no_other_s_number() {
        let base = "@f\n+  %1 = load ptr %n\n+  br label %2\n+\n+2:\n+  ret %1\n";
        let text = "@f\n+  %1 = one more\n+  %2 = load ptr %n\n+  br label %3\n+\n+3:\n+  ret %2\n";
        assert_eq!(renumbered(base, text), base.replacen("+", "+  %1' = one more\n+", 1));
    }

    #[test]
    fn another_value_stays_another() {
        let base = "@f\n+  %1 = a\n+  %2 = b\n+  ret %1\n";
        let text = "@f\n+  %5 = a\n+  %6 = b\n+  ret %6\n";
        assert_eq!(renumbered(base, text), base.replace("ret %1", "ret %2"));
    }
}
