//! Prints the loops of files: `list PROGRAM...`

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        match ompchunk_loops::read(&path) {
            Ok(images) => {
                for it in images.iter().flat_map(|image| &image.loops) {
                    let file = it.file.as_deref().unwrap_or("(no line information)");
                    let line = it.line.map_or_else(String::new, |line| format!(":{line}"));
                    println!("{file}{line}\t{}\t{}", it.function, it.schedule);
                }
            }
            Err(error) => {
                eprintln!("list: {error}");
                eprintln!("list: next: {}", error.next());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
