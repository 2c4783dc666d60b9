//! Do shim and recorder speak through the one door alone? Whatever else writes to a stream in the user's process may write into a file
//! of the program's, or end it by a signal.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use ompchunk_testsuite::dist::{files_below, own, repository};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;
use regex::Regex;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![nothing_goes_out_beside_the_door, no_function_of_the_libraries_writes_beside_the_door]);
}

const DOOR: &str = "guest/src/door.rs";

fn nothing_goes_out_beside_the_door() {
    let ways = r"\b(?:e?print(?:ln)?!|dbg!|io::std(?:err|out)\b|std(?:err|out)\(\)|STD(?:ERR|OUT)_FILENO|libc::(?:write|writev|dprintf|perror|psignal|puts|fputs|fprintf|printf)\()";
    let ways = Regex::new(ways).expect("a regex");
    let mut found = Vec::new();
    for folder in ["guest/src", "recorder/src", "runtime-shim/src"] {
        for path in files_below(&repository().join(folder)) {
            let name = path.strip_prefix(repository()).expect("below it");
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
            let lines = (1..).zip(code.lines());
            let hits = lines.filter(|(_, line)| !line.trim_start().starts_with("//") && ways.is_match(line));
            found.extend(hits.map(|(number, line)| format!("{}:{number}: {line}", name.display())));
        }
    }
    let (through, beside): (Vec<_>, Vec<_>) = found.iter().partition(|hit| hit.starts_with(DOOR));
    assert!(!through.is_empty(), "the door itself is found");
    assert!(beside.is_empty(), "through the door instead:\n{beside:#?}");
}

/// What puts bytes somewhere, or a line that ends with it.
const WRITES: &str = r"^(?:p?writev?(?:64)?|pwritev2|v?d?f?printf|f?puts|fwrite|fputc|putchar|perror|psignal|psiginfo|warnx?|errx?|syslog|vsyslog|send|sendto|sendmsg|sendfile(?:64)?|splice|tee|vmsplice|copy_file_range|__f?printf_chk|__v?dprintf_chk|__fortify_fail|__assert_fail)$";

/// Linux' numbers of such calls, on x86-64.
const CALLS_BY_NUMBER: [u32; 14] = [1, 18, 20, 40, 44, 46, 275, 276, 278, 296, 307, 311, 326, 328];

/// The functions that may. The standard library's own are reached by code that [`nothing_goes_out_beside_the_door`] looks for; its report
/// of a panic is the door's.
const MAY: [&str; 5] = [
    "ompchunk_guest::door::",
    "ompchunk_trace::part::file::PartFile::",
    "<std::fs::File as std::io::Write>::",
    "<std::sys::stdio::unix::Stderr as std::io::Write>::",
    // Whether memory can be written to: by process_vm_writev, in the process itself.
    "ompchunk_rt::collector::",
];

/// What a library's functions call of other libraries: the function, and the name.
fn calls_of(library: &Path) -> BTreeSet<(String, String)> {
    let shown = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .arg(library)
        .output()
        .expect("objdump, of the package binutils");
    assert!(shown.status.success(), "objdump {}", library.display());
    let text = String::from_utf8_lossy(&shown.stdout);
    let begins = Regex::new(r"^[0-9a-f]+ <(.*)>:$").expect("a regex");
    let calls = Regex::new(r"\s(?:call|jmp|bl|b)\s.*<(\w+)@[\w.]+>$").expect("a regex");
    let number = Regex::new(r"mov\s+\$0x([0-9a-f]+),%edi$").expect("a regex");
    let (mut function, mut last) = (String::new(), None);
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if let Some(name) = begins.captures(line) {
            (function, last) = (name[1].to_owned(), None);
        } else if let Some(value) = number.captures(line) {
            last = u32::from_str_radix(&value[1], 16).ok();
        } else if let Some(call) = calls.captures(line) {
            let name = match &call[1] {
                "syscall" if last.take().is_some_and(|of| CALLS_BY_NUMBER.contains(&of)) => "write",
                name => name,
            };
            found.insert((function.clone(), name.to_owned()));
        }
    }
    found
}

fn no_function_of_the_libraries_writes_beside_the_door() {
    let writes = Regex::new(WRITES).expect("a regex");
    for name in ["libompchunk_rt.so", "libompchunk_trace.so"] {
        let library = own().join("lib").join(name);
        let calls = calls_of(&library);
        let (through, beside): (Vec<_>, Vec<_>) = (calls.iter())
            .filter(|(_, name)| writes.is_match(name))
            .partition(|(function, _)| MAY.iter().any(|may| function.starts_with(may)));
        let is_door = |(function, _): &&(String, String)| function.starts_with(MAY[0]);
        assert!(through.iter().any(is_door), "{}: {calls:#?}", library.display());
        assert!(beside.is_empty(), "{}: {beside:#?}", library.display());
    }
}
