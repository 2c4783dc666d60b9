//! Options of `export` that `--to` and `--table` replace. They work for another version, and no help has them.

use std::ffi::OsString;

use ompchunk_export::{FORMATS, TABLES};

/// The same command line without such options: `--csv FILE --loops` becomes `--to csv --table loops` and, at the end, FILE.
pub fn translated(arguments: &[OsString]) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|word| word != "export") {
        return arguments.to_vec();
    }
    let summarizes = arguments.iter().any(|word| word == "--summarize");
    let (mut words, mut files) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            words.push(word.clone());
            words.extend(rest.by_ref().cloned());
            break;
        }
        let text = word.to_string_lossy();
        let (option, value) =
            text.split_once('=').map_or((&*text, None), |(option, value)| (option, Some(value.into())));
        let name = option.strip_prefix("--").unwrap_or_default();
        if FORMATS.iter().any(|(known, ..)| *known == name) {
            let name = if name == "graphml" && summarizes { "graphml-summary" } else { name };
            words.extend(["--to".into(), name.into()]);
            files.extend(value.or_else(|| rest.next().cloned()));
        } else if TABLES.iter().any(|(known, ..)| *known == name) {
            words.extend(["--table".into(), name.into()]);
        } else if name != "summarize" {
            words.push(word.clone());
        }
    }
    words.extend(files);
    words
}
