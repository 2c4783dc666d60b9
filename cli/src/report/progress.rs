//! A bar on standard error, if that is a terminal and the work is long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ompchunk_trace_format::Part;

/// Bytes that take no time worth a bar.
const SHORT: u64 = 256 << 20;

/// Counts the bytes of parts.
pub fn bar(parts: &[&Part]) -> ProgressBar {
    let size = parts.iter().map(|part| part.size()).sum();
    if size < SHORT {
        return ProgressBar::hidden();
    }
    // Draws nothing where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
