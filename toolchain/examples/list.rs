//! Prints the loops of files: `list PROGRAM...`

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        match ompchunk_toolchain::loops::read(&path) {
            Ok(images) => {
                for the_loop in images.iter().flat_map(|image| &image.loops) {
                    let file = the_loop.file.as_deref().unwrap_or("(no line information)");
                    let line = the_loop.line.map_or_else(String::new, |line| format!(":{line}"));
                    println!("{file}{line}\t{}\t{}", the_loop.function, the_loop.schedule);
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
