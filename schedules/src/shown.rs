//! Text of others in a message.

/// What others wrote, for a message: one line that is read to its end, and commands nothing to a terminal.
#[must_use]
pub fn shown(text: &str) -> String {
    const MOST: usize = 120;
    let mut shown = String::new();
    for (at, letter) in text.chars().enumerate() {
        match letter {
            _ if at == MOST => {
                shown.push_str("...");
                break;
            }
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}
