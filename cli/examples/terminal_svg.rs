//! A terminal's output with its colours, from standard input, as an SVG on standard output: for the pictures of the
//! documents (`scripts/pictures.sh`). Knows nothing of what it shows.

use std::io::{Read, Write};

use anstyle_svg::Term;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    // A terminal ends lines with a carriage return, too.
    let picture = Term::new().render_svg(&text.replace("\r\n", "\n"));
    std::io::stdout().write_all(picture.as_bytes())
}
