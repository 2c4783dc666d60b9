//! Does `raw` say what `omp-tools.h` and `ompt-chunk.h` say?
//!
//! Its sources are read, not a list beside them: every constant, type, field and signature becomes C that does not compile where
//! a header differs, by clang, against the `omp-tools.h` of every LLVM that is installed. And what the newest header declares
//! must be in `raw`, or in the short list of what is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ompchunk_testkit::compilers::clang;

use crate::common::declarations::{Declaration, Kind, declarations};
use crate::common::{self, chunk_headers, omp_headers, scratch};

/// Types of the interface for tracing on devices, which is left out.
const TRACING: [&str; 18] = [
    "ompt_callback_buffer_complete_t", "ompt_callback_buffer_request_t", "ompt_get_device_num_procs_t",
    "ompt_get_device_time_t", "ompt_translate_time_t", "ompt_set_trace_ompt_t", "ompt_set_trace_native_t",
    "ompt_start_trace_t", "ompt_pause_trace_t", "ompt_flush_trace_t", "ompt_stop_trace_t",
    "ompt_advance_buffer_cursor_t", "ompt_get_record_type_t", "ompt_get_record_native_t", "ompt_get_record_abstract_t",
    "ompt_get_record_ompt_t",
    // A name of `ompt_callback_masked_t` before OpenMP 5.1, and the types of functions that `AnyFn` covers.
    "ompt_callback_master_t", "ompt_interface_fn_t",
];
/// Enumerators that go with it.
const TRACING_VALUES: [&str; 2] = ["ompt_record_", "ompt_native_"];

/// A C word, as long as a header has it.
fn knows(header: &str, word: &str) -> bool {
    words(header).any(|known| known == word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at..].split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

/// The text of a header and of `ompt-chunk.h`.
fn texts(omp_tools: &Path) -> (String, String) {
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (
        without_comments(&read(omp_tools.join("omp-tools.h"))),
        without_comments(&read(chunk_headers().join("ompt-chunk.h"))),
    )
}

/// C that does not compile where `raw` differs.
fn assertions(all: &[Declaration], has: impl Fn(&str) -> bool) -> (String, usize) {
    let names: BTreeMap<&str, &str> =
        all.iter().map(|declaration| (declaration.rust.as_str(), declaration.c.as_str())).collect();
    let mut source = String::from("#include <stddef.h>\n#include <stdint.h>\n#include <ompt-chunk.h>\n");
    let mut compared = 0;
    let mut line = |text: String| writeln!(source, "{text}").expect("writing to a string");
    for declaration in all.iter().filter(|declaration| has(&declaration.c)) {
        compared += 1;
        let (c, rust) = (&declaration.c, &declaration.rust);
        match &declaration.kind {
            Kind::Value(value) => {
                line(format!("_Static_assert((int64_t)(unsigned)({c}) == (int64_t)(unsigned)({value}), \"{rust}\");"))
            }
            Kind::Number(alias) => {
                let alias = common::c_type(alias, &BTreeMap::new());
                line(format!(
                    "_Static_assert(sizeof({c}) == sizeof({alias}) && _Alignof({c}) == _Alignof({alias}), \"{rust}\");"
                ));
            }
            Kind::Function(function) => {
                let ours = common::c_function(function, &names);
                // A function that is exported has no typedef.
                let theirs = if c.ends_with("_t") { c.clone() } else { format!("__typeof__(&{c})") };
                line(format!("_Static_assert(__builtin_types_compatible_p({theirs}, {ours}), \"{rust}\");"));
            }
            Kind::Record { union, fields } => {
                let kind = if *union { "union" } else { "struct" };
                let members: Vec<String> = fields
                    .iter()
                    .map(|(name, ty)| format!("__typeof__({}) {name};", common::c_type(ty, &names)))
                    .collect();
                line(format!("{kind} our_{rust} {{ {} }};", members.join(" ")));
                line(format!("_Static_assert(sizeof({c}) == sizeof({kind} our_{rust}), \"{rust}\");"));
                for (name, ty) in fields {
                    let ty = common::c_type(ty, &names);
                    line(format!(
                        "_Static_assert(offsetof({c}, {name}) == offsetof({kind} our_{rust}, {name}), \"{rust}.{name}\");"
                    ));
                    line(format!(
                        "_Static_assert(__builtin_types_compatible_p(__typeof__((({c} *)0)->{name}), __typeof__({ty})), \"{rust}.{name}\");"
                    ));
                }
            }
        }
    }
    (source, compared)
}

fn compile(name: &str, source: &str, omp_tools: &Path) -> Result<(), String> {
    let path = scratch().join(name);
    std::fs::write(&path, source).expect("scratch directory");
    let result = Command::new(clang())
        .args(["-std=gnu11", "-fsyntax-only", "-ferror-limit=0", "-I"])
        .arg(chunk_headers())
        .arg("-I")
        .arg(omp_tools)
        .arg(&path)
        .output()
        .expect("clang starts");
    if result.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&result.stderr).into_owned())
}

#[test]
fn every_declaration_is_that_of_the_headers() {
    let all = declarations();
    assert!(all.len() > 250, "only {} declarations were found", all.len());
    for (number, (major, directory)) in omp_headers().iter().enumerate() {
        let (omp_tools, chunk) = texts(directory);
        let has = |word: &str| knows(&omp_tools, word) || knows(&chunk, word);
        let unknown: Vec<&str> =
            all.iter().filter(|declaration| !has(&declaration.c)).map(|declaration| declaration.c.as_str()).collect();
        // The newest has all of them, an older one what there was then.
        assert!(number > 0 || unknown.is_empty(), "not in the headers of LLVM {major}: {unknown:?}");
        let (source, compared) = assertions(&all, has);
        println!("LLVM {major}: {compared} of {} declarations; it does not know {unknown:?}", all.len());
        if let Err(errors) = compile(&format!("headers-{major}.c"), &source, directory) {
            panic!("against the headers of LLVM {major}:\n{errors}");
        }
    }
}

/// The comparison finds what it is for: a wrong number, a wrong type, a missing argument, a lost `const`, a field that moved.
#[test]
fn a_difference_does_not_compile() {
    let (_, directory) = &omp_headers()[0];
    let wrong = [
        "/// `ompt_callback_work`\npub const A: Event = 21;",
        "/// `ompt_task_merged`\npub const A: c_int = 0x4000_0000;",
        "/// `ompt_work_t`\npub type A = u64;",
        "/// `ompt_callback_thread_end_t`\npub type A = unsafe extern \"C\" fn(thread_data: u64);",
        "/// `ompt_callback_flush_t`\npub type A = unsafe extern \"C\" fn(codeptr_ra: *const c_void);",
        "/// `ompt_finalize_t`\npub type A = unsafe extern \"C\" fn(tool_data: *const c_void);",
        "/// `ompt_callback_flush_t`\npub type A = unsafe extern \"C\" fn(data: *mut c_void, codeptr_ra: *mut c_void);",
        "/// `ompt_get_unique_id_t`\npub type A = unsafe extern \"C\" fn() -> c_int;",
        "/// `ompt_dispatch_chunk_t`\n#[repr(C)]\npub struct A { pub iterations: u64, pub start: u64 }",
        "/// `ompt_dispatch_chunk_t`\n#[repr(C)]\npub struct A { pub start: u64 }",
        "/// `ompt_dispatch_chunk_t`\n#[repr(C)]\npub struct A { pub start: u64, pub iterations: i64 }",
    ];
    for (number, text) in wrong.into_iter().enumerate() {
        let all = common::declarations::in_text(text, "wrong.rs");
        let (source, compared) = assertions(&all, |_| true);
        assert_eq!(compared, 1, "{text}");
        let errors = compile(&format!("wrong-{number}.c"), &source, directory)
            .expect_err(&format!("this passed:\n{text}\n{source}"));
        assert!(errors.contains("static assertion failed"), "{text}\n{errors}");
    }
}

/// A declaration without the name of what it declares would be compared with nothing.
#[test]
#[should_panic(expected = "names no C declaration")]
fn a_declaration_names_its_counterpart() {
    common::declarations::in_text("/// An event.\npub const A: u32 = 1;", "nameless.rs");
}

#[test]
fn nothing_of_the_headers_is_missing() {
    let ours: BTreeSet<String> = declarations().into_iter().map(|declaration| declaration.c).collect();
    let (major, directory) = &omp_headers()[0];
    let (omp_tools, chunk) = texts(directory);
    let mut missing = BTreeSet::new();
    for text in [&omp_tools, &chunk] {
        let all: Vec<&str> = words(text).filter(|word| !word.is_empty()).collect();
        // Signatures, which C declares as `(*name)`, and enumerators and macros of numbers: `name = 1`, `name 1`.
        let signatures = all.iter().filter(|word| {
            word.starts_with("ompt_") && word.ends_with("_t") && {
                let declared = [format!("(*{word})"), format!("(*{word}) ")];
                declared.iter().any(|declared| text.contains(declared.as_str()))
            }
        });
        let values = all
            .windows(2)
            .filter(|pair| pair[0].starts_with("ompt_") && pair[1].starts_with(|c: char| c.is_ascii_digit()))
            .map(|pair| &pair[0])
            .filter(|word| !word.ends_with("_none"));
        for word in signatures.chain(values) {
            let left_out = TRACING.contains(word) || TRACING_VALUES.iter().any(|known| word.starts_with(known));
            if !left_out && !ours.contains(*word) {
                missing.insert((*word).to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "declared by the headers of LLVM {major} and not by `raw`: {missing:?}");
}
