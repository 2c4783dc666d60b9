//! Is what runs while nobody listens what the module had before?
//!
//! In the instrumented text the word that is asked for listeners is taken for 0: what only runs otherwise falls away, and what the plugin stores for
//! its own use too. What remains must be the function as it was, block by block, but for jumps that only lead on.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anyhow::{Result, ensure};
use regex::Regex;

use super::canonical::canonical;
use super::level;
use super::text::{Function, Module, NAME, RESULT, TARGET};

static STATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(%[-\w.$]+) = load atomic ptr, ptr .*@__ompchunk_module_v4, i64 16\) monotonic").expect("a regex")
});
/// Compares all functions of `before` with those of the same name in `after`.
pub fn compare(before: &str, after: &str) -> Result<()> {
    let (before, after) = (Module::parse(before), Module::parse(after));
    let idents = [&before, &after].map(level::idents);
    for function in &before.functions {
        let same = after.functions.iter().find(|same| same.name() == function.name());
        let (mut function, stripped) = (function.clone(), same.cloned());
        let stripped = stripped.map(|mut same| {
            let frames = level::frames(&same);
            strip(&mut same, &frames);
            level::undo(&mut same, &frames, &idents[1]);
            level::align(&mut function, &same, &idents[0]);
            canonical(&same)
        });
        let (was, is) = (canonical(&function), stripped.unwrap_or_default());
        ensure!(
            was == is,
            "the plain path of @{} was\n{}and became\n{}",
            function.name(),
            differing(&was, &is),
            differing(&is, &was)
        );
    }
    Ok(())
}

/// The lines around the first difference.
fn differing(text: &str, from: &str) -> String {
    let same = text.lines().zip(from.lines()).take_while(|(a, b)| a == b).count();
    let lines = text.lines().skip(same.saturating_sub(3)).take(12);
    lines.fold(String::new(), |text, line| text + "    " + line + "\n")
}

/// Leaves what runs while nobody listens.
fn strip(function: &mut Function, frames: &BTreeSet<String>) {
    let lines: Vec<String> = function.blocks.iter().flat_map(|b| b.lines.clone()).collect();
    let own = Own::new(&lines, frames);
    let zero = own.zeros(&lines);
    for block in &mut function.blocks {
        let Some(last) = block.lines.last_mut() else {
            continue;
        };
        let condition = last.strip_prefix("br i1 ").and_then(|rest| rest.split(',').next());
        if condition.is_some_and(|name| zero.contains(name)) {
            let target = TARGET.captures_iter(last).nth(1).map(|t| t[1].to_owned());
            *last = format!("br label %{}", target.unwrap_or_default());
        }
    }
    function.keep_reachable();
    for block in &mut function.blocks {
        block.lines.retain(|line| !own.has(line, &zero));
    }
}

/// The plugin's own names in a function.
struct Own {
    /// The words that are asked for listeners.
    states: BTreeSet<String>,
    /// What it hands over.
    frames: BTreeSet<String>,
    /// What leads to the word there that says whether somebody listens.
    words: BTreeSet<String>,
}

impl Own {
    fn new(lines: &[String], frames: &BTreeSet<String>) -> Own {
        let states = lines.iter().filter_map(|line| STATE.captures(line)).map(|found| found[1].to_owned());
        Own { states: states.collect(), frames: frames.clone(), words: level::words(lines, frames) }
    }

    /// What is known to be 0, and conditions known to be false.
    fn zeros(&self, lines: &[String]) -> BTreeSet<String> {
        let mut zero: BTreeSet<String> = BTreeSet::new();
        loop {
            let known = zero.len();
            for found in lines.iter().filter_map(|line| RESULT.captures(line)) {
                let from = |prefix: &str, names: &BTreeSet<String>| {
                    let rest = found[2].strip_prefix(prefix).unwrap_or("");
                    NAME.find(rest).is_some_and(|name| rest.starts_with('%') && names.contains(name.as_str()))
                };
                if from("load atomic i32, ptr ", &self.states)
                    || from("load i32, ptr ", &self.words)
                    || from("and i32 ", &zero)
                    || from("icmp ne i32 ", &zero) && found[2].contains(", 0")
                    || from("icmp ugt i32 ", &zero)
                {
                    zero.insert(found[1].to_owned());
                }
            }
            if zero.len() == known {
                return zero;
            }
        }
    }

    /// Whether a line computes or clears what is the plugin's alone.
    fn has(&self, line: &str, zero: &BTreeSet<String>) -> bool {
        let names = [zero, &self.states, &self.frames];
        let computes = RESULT.captures(line).is_some_and(|found| names.iter().any(|names| names.contains(&found[1])));
        let clears = line.strip_prefix("store i32 0, ptr ");
        let clears = clears.and_then(|rest| rest.split(',').next());
        computes || clears.is_some_and(|flag| self.words.contains(flag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
define void @f(i32 %n) {
entry:
  call void @start(i32 %n) #1
  %c = icmp eq i32 %n, 7
  br i1 %c, label %x, label %y

x:
  br label %y

y:
  ret void
}
";

    const AFTER: &str = "\
define void @f(i32 %n) {
entry:
  %1 = alloca [176 x i8], align 16
  %10 = getelementptr inbounds i8, ptr %1, i64 4
  store i32 0, ptr %10, align 4, !nosanitize !9
  %2 = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v4, i64 16) monotonic, align 8
  %3 = load atomic i32, ptr %2 monotonic, align 4
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %8, !prof !3

5:
  %7 = call ptr @__ompchunk_begin_v4(ptr %1, ptr @loop, ptr @ident, i32 0, ptr null, ptr null, ptr null, ptr null) #2
  %9 = getelementptr inbounds i8, ptr %1, i64 56
  br label %8

8:
  call void @start(i32 %n) #3
  %c = icmp eq i32 %n, 7
  br i1 %c, label %x, label %y

x:
  br label %y

y:
  ret void
}
";

    /// A copy that only a listener runs comes back where its values are needed.
    #[test]
    fn a_choice_of_one_is_that_one() {
        let before = "\
define void @f() {
entry:
  %t = call ptr @alloc()
  call void @begin(ptr %t)
  call void @run(ptr %t)
  ret void
}
";
        let after = |value: &str| {
            format!(
                "\
define void @f() {{
entry:
  %s = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v4, i64 16) monotonic, align 8
  %w = load atomic i32, ptr %s monotonic, align 4
  %l = icmp ne i32 %w, 0
  br i1 %l, label %copy, label %plain

copy:
  %t2 = call ptr @alloc()
  call void @begin(ptr %t2)
  br label %on

plain:
  %t = call ptr @alloc()
  call void @begin(ptr %t)
  br label %on

on:
  %p = phi ptr [ %t2, %copy ], [ {value}, %plain ]
  call void @run(ptr %p)
  ret void
}}
"
            )
        };
        compare(before, &after("%t")).expect("the same");
        assert!(compare(before, &after("null")).is_err());
    }

    /// LLVM splits the edges of all cases of a switch at once.
    #[test]
    fn a_jump_on_the_way_of_two_cases_is_passed_by() {
        let before = "\
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %x [ i32 0, label %join i32 1, label %x i32 7, label %join ]

x:
  fence release
  br label %join

join:
  %r = phi i32 [ 1, %entry ], [ 1, %entry ], [ 2, %x ]
  ret i32 %r
}
";
        let after = |way: &str| {
            let after = before.replace("label %join i32", "label %way i32");
            let after = after.replace("7, label %join ]", "7, label %way ]");
            let after = after.replace("[ 1, %entry ], [ 1, %entry ]", "[ 1, %way ]");
            after.replace("join:\n", &format!("way:\n{way}  br label %join\n\njoin:\n"))
        };
        compare(before, &after("")).expect("the same");
        assert!(compare(before, &after("  fence seq_cst\n")).is_err());
    }

    #[test]
    fn what_only_a_listener_sees_falls_away() {
        compare(BEFORE, AFTER).unwrap();
    }

    /// A loop that begins by an entry, with its variables in the frame.
    #[test]
    fn an_entry_is_the_runtimes_function() {
        let ident = "%struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }";
        let before = format!(
            "\
@1 = private constant {ident}, align 8
define void @f(i32 %n) {{
  %l = alloca i32, align 4
  %u = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %l)
  store i32 0, ptr %l, align 4
  call void @__kmpc_for_static_init_4(ptr @1, i32 %n, i32 34, ptr %s, ptr %l, ptr %u, ptr %t, i32 1, i32 1)
  call void @__kmpc_for_static_fini(ptr @1, i32 %n)
  ret void
}}
"
        );
        let after = |lower: u32, entry: u32| {
            format!(
                "\
@ompchunk.ident = private constant {{ %struct.ident_t, i64 }} {{ {ident}, i64 7 }}, align 8
define void @f(i32 %n) {{
  %1 = alloca [176 x i8], align 16
  %o = getelementptr inbounds i8, ptr %1, i64 4
  %g = getelementptr inbounds i8, ptr %1, i64 8
  store i32 0, ptr %g, align 4
  store i32 0, ptr %o, align 4
  %h = getelementptr inbounds i8, ptr %1, i64 {lower}
  %i = getelementptr inbounds i8, ptr %1, i64 16
  %e = load atomic ptr, ptr getelementptr (i8, ptr @__ompchunk_module_v4, i64 {entry}) monotonic, align 8
  call void %e(ptr @ompchunk.ident, i32 %n, i32 34, ptr %s, ptr %h, ptr %i, ptr %t, i32 1, i32 1)
  %2 = load i32, ptr %o, align 4
  %3 = icmp ugt i32 %2, 1
  br i1 %3, label %4, label %5

4:
  %6 = getelementptr inbounds i8, ptr %1, i64 56
  br label %5

5:
  call void @__kmpc_for_static_fini(ptr @ompchunk.ident, i32 %n)
  ret void
}}
"
            )
        };
        compare(&before, &after(8, 144)).expect("the same");
        assert!(compare(&before, &after(16, 144)).is_err());
        assert!(compare(&before, &after(8, 152)).is_err());
    }

    #[test]
    fn a_change_of_the_plain_path_is_found() {
        for (was, is) in [
            ("eq i32 %n, 7", "ne i32 %n, 7"),
            ("label %x, label %y", "label %y, label %x"),
            ("  ret void", "  store i32 0, ptr null\n  ret void"),
        ] {
            assert!(compare(BEFORE, &AFTER.replace(was, is)).is_err(), "{is}");
        }
    }
}
