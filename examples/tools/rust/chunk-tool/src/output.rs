//! Where the tools write.

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A file, or stderr.
pub type Output = Box<dyn Write + Send>;

/// The file that the environment variable names, else stderr; opened by the first call.
pub fn output(variable: &str) -> MutexGuard<'static, Output> {
    static OUT: OnceLock<Mutex<Output>> = OnceLock::new();
    let out = OUT.get_or_init(|| Mutex::new(open(variable)));
    out.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(variable: &str) -> Output {
    let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) else {
        return Box::new(io::stderr());
    };
    match File::create(&path) {
        Ok(file) => Box::new(file),
        Err(error) => {
            eprintln!("{variable}: cannot write {}, writing to stderr instead: {error}", path.to_string_lossy());
            Box::new(io::stderr())
        }
    }
}
