//! Do shim and recorder speak through the one door alone? Whatever else writes to a stream in the user's process may write into a file
//! of the program's, or end it by a signal.

use ompchunk_testsuite::dist::{files_below, repository};
use regex::Regex;

/// The one file that may.
const DOOR: &str = "guest/src/door.rs";

#[test]
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
            let hits = lines
                .filter(|(_, line)| !line.trim_start().starts_with("//") && ways.is_match(line));
            found.extend(hits.map(|(number, line)| format!("{}:{number}: {line}", name.display())));
        }
    }
    let (through, beside): (Vec<_>, Vec<_>) = found.iter().partition(|hit| hit.starts_with(DOOR));
    assert!(!through.is_empty(), "the door itself is found");
    assert!(beside.is_empty(), "through the door instead:\n{beside:#?}");
}
