//! The one place that writes to standard output, and tells of what is no error.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes to standard output. That a reader such as `head` has gone is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The same for text with colours: they are left away where nobody wants them.
pub fn print_styled(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Tells of what is no error but should be known.
pub fn notice(text: &impl Display) {
    // With standard error gone, nobody is left to tell.
    let _ = writeln!(io::stderr(), "ompchunk: {text}");
}
