//! What of an output becomes a snapshot, and in which form.
//!
//! Snapshots show a reviewer what the plugin makes of a loop. So they hold the functions that have
//! one, or create a task, and leave out what says nothing about the plugin or differs between LLVM majors: attribute
//! groups, metadata, lifetime markers, debug records, and parameter attributes.

use std::sync::LazyLock;

use regex::Regex;

/// How much of an output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Functions that call one of `STARTS`.
    Functions,
    /// Those, and every function and global of ompchunk.
    All,
}

/// What the plugin begins with.
const STARTS: [&str; 3] =
    ["call void @__kmpc_for_static_init", "call void @__kmpc_dispatch_init", "call ptr @__kmpc_omp_task_alloc"];

/// The part of `ir` that a snapshot shows.
pub fn excerpt(ir: &str, extent: Extent) -> String {
    let mut excerpt = String::new();
    for part in parts(ir) {
        let interesting = match extent {
            Extent::Functions => part.starts_with("define") && STARTS.iter().any(|start| part.contains(start)),
            Extent::All => ours(&part),
        };
        if interesting {
            excerpt += &normalise(&part);
            excerpt += "\n";
        }
    }
    excerpt
}

/// Is it a global, comdat, function or attribute that is ompchunk's or speaks of what is? The word alone says nothing: it
/// stands in every path below a directory of that name, and so in `source_filename`, in debug information and in
/// the strings that clang emits.
fn ours(part: &str) -> bool {
    static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"\bc"[^"]*""#).expect("a regex"));
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"[@$]"?[\w.$-]*ompchunk|(section |attributes .*)"ompchunk"#).expect("a regex"));
    ["@", "$", "define", "declare", "attributes"].iter().any(|start| part.starts_with(start))
        && NAME.is_match(&TEXT.replace_all(part, ""))
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
@0 = private constant [30 x i8] c\";/a@ompchunk/module.c;f;7;1;;\\00\"
$__ompchunk_module_v1 = comdat any
@r = private constant i8 0, section \"ompchunk_loops\"
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
        let functions = excerpt(IR, Extent::Functions);
        assert_eq!(
            functions.trim(),
            "define internal void @f(ptr %t) {\nentry:\n  call void @__kmpc_for_static_init_4(ptr @1, i32 0)\n  ret void\n}"
        );
        assert_eq!(
            excerpt(IR, Extent::All).trim(),
            "$__ompchunk_module_v1 = comdat any\n\n@r = private constant i8 0, section \"ompchunk_loops\""
        );
    }
}
