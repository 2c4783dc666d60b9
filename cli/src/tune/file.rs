//! The schedules that made loops faster, as a file for `OMPCHUNK_SCHEDULE=@…`.

use std::path::Path;

use anyhow::Result;

use crate::output;
use crate::repeat::Error;

/// The first line, by which an earlier file is known.
const FIRST: &str = "# ompchunk tune";

/// Is the place free, or what is there ours? And can it be written: after minutes of measuring it would be too late to learn that.
pub fn check(path: &Path) -> Result<()> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(text) if text.is_empty() || text.starts_with(FIRST) => {}
        _ => return Err(Error::Foreign(path.to_owned()).into()),
    }
    output::check(path)?;
    Ok(())
}

/// Writes entries, each with what was measured of it.
pub fn write(path: &Path, command: &str, entries: &[(String, String)]) -> Result<()> {
    let mut text = format!("{FIRST} -- {}\n", command.replace('\n', " "));
    for (entry, remark) in entries {
        text += &format!("{entry}  # {remark}\n");
    }
    output::write(path, &text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("schedules.txt");
        check(&path).unwrap();
        write(&path, "./a\nb", &[("a.c:3=dynamic,4".into(), "0.7".into())]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(ompchunk_schedules::Table::parse(&text).is_ok(), "{text}");
        check(&path).unwrap();
        std::fs::write(&path, "mine\n").unwrap();
        assert!(check(&path).is_err());
        assert!(check(directory.path()).is_err());
        let nowhere = check(&directory.path().join("none/schedules.txt")).unwrap_err();
        assert!(nowhere.to_string().starts_with("cannot write "), "{nowhere}");
    }
}
