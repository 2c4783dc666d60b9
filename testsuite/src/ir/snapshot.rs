//! What of an output becomes a snapshot, and in which form.
//!
//! Snapshots show a reviewer what the plugin makes of a loop, as the difference from what the same command gives without it: one function for each
//! form of loop and each plan; what is particular to an input its checks say. `instnamer` names clang's values first, or the plugin's would renumber
//! them. Of a loop's copy, the lines that are not the loop's own are shown ([`copies`]). Left out is what says nothing about the plugin or differs
//! between LLVM majors: attribute groups, metadata, lifetime markers, debug records, parameter attributes, and numbers in names of types. Of a
//! major that differs all the same, the difference from the newest one is kept.

use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;
use similar::TextDiff;

use super::{copies, numbers};

/// What the plugin changed in a function; all of it, where it is the plugin's own.
pub fn changes(before: &str, after: &str, name: &str) -> Result<String> {
    let [before, after] = [before, after].map(|ir| excerpt(ir, name));
    let after = after.with_context(|| format!("no function {name}"))?;
    let before = before.unwrap_or_default();
    Ok(format!("@{name}\n{}\n", difference(&before, &copies::shortened(&before, &after))))
}

fn excerpt(ir: &str, name: &str) -> Option<String> {
    let start = [format!(" @{name}("), format!(" @\"{name}\"(")];
    let is_it = |part: &&String| {
        let head = part.lines().next().unwrap_or_default();
        head.starts_with("define") && start.iter().any(|start| head.contains(start))
    };
    parts(ir).iter().find(is_it).map(|part| normalise(part))
}

/// Top-level entities: functions with all of their lines, anything else line by line.
fn parts(ir: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut inside = false;
    for line in ir.lines() {
        match inside {
            true => {
                let function = parts.last_mut().expect("its first line");
                function.push('\n');
                function.push_str(line);
            }
            false => parts.push(line.to_owned()),
        }
        inside = (inside || line.starts_with("define")) && line != "}";
    }
    parts
}

/// What is left out, and what stands in its place.
static LEFT_OUT: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"(?m)^\s+call void @llvm\.lifetime\..*\n", ""),
        (r"(?m)^\s+#dbg_.*\n", ""),
        (r"(?m)\s*; preds = .*$", ""),
        (r",? ![\w.]+ ![\w()]+", ""),
        (r",? comdat\b", " comdat"),
        (r" #\d+", ""),
        (
            r"\b(noundef|nonnull|noalias|nocapture|captures\([^)]*\)|dereferenceable\(\d+\)|dead_on_unwind|writable) ",
            "",
        ),
        (r"\bptr align \d+ ", "ptr "),
        (r"(%struct\.[\w.]+)\.\d+\b", "$1"),
        (r"(getelementptr inbounds) nuw", "$1"),
        (r"\bdso_local ", ""),
        (r"\n{3,}", "\n\n"),
    ]
    .map(|(regex, by)| (Regex::new(regex).expect("a regex"), by))
    .into()
});

fn normalise(part: &str) -> String {
    let mut text = part.to_owned();
    for (regex, by) in LEFT_OUT.iter() {
        text = regex.replace_all(&text, *by).into_owned();
    }
    text.push('\n');
    text
}

/// What differs in `text` from the newest major's, in the form of `diff -u`; nothing where they agree.
pub fn difference(newest: &str, text: &str) -> String {
    let difference = TextDiff::from_lines(newest, text);
    difference.unified_diff().context_radius(1).to_string()
}

/// What differs from the snapshot `base` of another loop, but for what each loop has its own: numbers of values ([`numbers`]), and of lines.
pub fn difference_from(base: &str, text: &str) -> String {
    static WHERE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^@@ .* @@$").expect("a regex"));
    let [base, text] = [base, text].map(|text| WHERE.replace_all(text, "@@").into_owned());
    difference(&base, &numbers::renumbered(&base, &text))
}

/// The output without what names the machine rather than the result: the module's own name.
pub fn without_names(ir: &str) -> String {
    ir.lines()
        .filter(|line| !line.starts_with("; ModuleID") && !line.starts_with("source_filename"))
        .fold(String::new(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = "\
source_filename = \"/a/ompchunk/testsuite/ir/module.c\"
declare void @use(i32)
define internal void @f(ptr noalias noundef %t) #1 !dbg !5 {
entry:
  call void @llvm.lifetime.start.p0(i64 4, ptr %t) #3
  call void @__kmpc_for_static_init_4(ptr @1, i32 0) #4, !dbg !7
  ret void, !dbg !8
}
define void @g() #0 {
  ret void
}
!1 = !DIFile(filename: \"/a/ompchunk/testsuite/ir/module.c\", directory: \"/a/ompchunk\")
";

    #[test]
    fn keeps_what_is_of_interest() {
        let function = excerpt(IR, "f").unwrap();
        assert_eq!(
            function.trim(),
            "define internal void @f(ptr %t) {\nentry:\n  call void @__kmpc_for_static_init_4(ptr @1, i32 0)\n  ret void\n}"
        );
        assert!(excerpt(IR, "use").is_none());
    }

    #[test]
    fn a_difference_has_what_differs_alone() {
        assert_eq!(difference("a\nb\nc\nd\n", "a\nb\nc\nd\n"), "");
        assert_eq!(difference("a\nb\nc\nd\n", "a\nb\nc\ne\n"), "@@ -3,2 +3,2 @@\n c\n-d\n+e\n");
    }
}
