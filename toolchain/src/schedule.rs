//! `--schedule`: other schedules for loops, checked before the program starts and handed to the shim.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use ompchunk_schedules::{Mistake, Table, VARIABLE, file};

/// The longest text of a variable, for Linux takes none of 128 KiB.
pub const LARGEST: usize = 120 << 10;

#[derive(Debug, Default, Clone, Args)]
pub struct Schedules {
    /// Run loops under another schedule than the one in the source, without compiling again: LOOP=SCHEDULE, several
    /// separated by ';', or @FILE. LOOP is FILE:LINE[:COLUMN], a function, or * for all loops that a barrier follows;
    /// SCHEDULE is as in OMP_SCHEDULE, or 'source', 'balanced' or 'adaptive', or several with '|' between, which alternate from
    /// region to region
    #[allow(rustdoc::broken_intra_doc_links, reason = "a help text, whose brackets are no link")]
    #[arg(long = "schedule", value_name = "LOOP=SCHEDULE")]
    pub schedules: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("--schedule: {0}")]
    Entry(Mistake),
    #[error("--schedule: line {} of {}, {mistake}", .mistake.line, .path.display())]
    File { path: PathBuf, mistake: Mistake },
    #[error("--schedule: all together are {0} bytes, more than a variable of the environment holds")]
    Long(usize),
    /// A file that is not there.
    #[error("--schedule: cannot read {}: {cause}", .path.display())]
    Unreadable { path: PathBuf, cause: std::io::Error },
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::Long(_) => "write all of them into one file, --schedule @FILE".to_owned(),
            _ => "write for example --schedule 'solver.c:118=dynamic,16'; `ompchunk loops PROGRAM` prints which loops there \
                  are"
            .to_owned(),
        }
    }
}

impl Schedules {
    /// Tells the shim in the program, if there is anything to tell. Without, the program keeps what its environment says.
    pub fn set(&self, command: &mut Command) -> Result<(), Error> {
        if let Some(value) = self.value()? {
            command.env(VARIABLE, value);
        }
        Ok(())
    }

    /// All entries, from files too, for a report.
    pub fn text(&self) -> Result<Option<String>, Error> {
        let Some(value) = self.value()? else {
            return Ok(None);
        };
        let Some(path) = value.strip_prefix('@').map(PathBuf::from) else {
            return Ok(Some(value));
        };
        match file::read(&path) {
            Ok(text) => Ok(Some(text)),
            Err(cause) => Err(Error::Unreadable { path, cause }),
        }
    }

    fn value(&self) -> Result<Option<String>, Error> {
        let mut texts = Vec::new();
        for given in &self.schedules {
            let Some(path) = given.strip_prefix('@').map(PathBuf::from) else {
                Table::parse(given).map_err(Error::Entry)?;
                texts.push(given.clone());
                continue;
            };
            let text = match file::read(&path) {
                Ok(text) => text,
                Err(cause) => return Err(Error::Unreadable { path, cause }),
            };
            match Table::parse(&text) {
                // By its name: a variable of the environment has a limit. Wherever the program goes before it reads it.
                Ok(_) if self.schedules.len() == 1 => {
                    let path = std::path::absolute(&path).unwrap_or(path);
                    return Ok(Some(format!("@{}", path.display())));
                }
                Ok(_) => texts.push(text),
                Err(mistake) => return Err(Error::File { path, mistake }),
            }
        }
        // Lines of their own, so that a comment ends.
        let text = texts.join("\n");
        if text.len() > LARGEST {
            return Err(Error::Long(text.len()));
        }
        Ok((!texts.is_empty()).then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(given: &[&str]) -> Result<Option<String>, Error> {
        let schedules = given.iter().map(ToString::to_string).collect();
        Schedules { schedules }.value()
    }

    #[test]
    fn one_value_for_all() {
        assert_eq!(value(&[]).unwrap(), None);
        assert_eq!(value(&["a=dynamic"]).unwrap().unwrap(), "a=dynamic");
        assert_eq!(value(&["a=dynamic # x", "*=static,4"]).unwrap().unwrap(), "a=dynamic # x\n*=static,4");
    }

    #[test]
    fn files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.txt");
        let given = format!("@{}", path.display());
        let error = value(&[&given]).unwrap_err().to_string();
        assert!(error.contains("cannot read"), "{error}");
        std::fs::write(&path, "# mine\na.c:3=guided\n").unwrap();
        assert_eq!(value(&[&given]).unwrap().unwrap(), given);
        let both = value(&[&given, "b=dynamic"]).unwrap().unwrap();
        assert_eq!(both, "# mine\na.c:3=guided\n\nb=dynamic");
        std::fs::write(&path, "a.c:3=guided\nb=no").unwrap();
        let error = value(&[&given]).unwrap_err().to_string();
        assert!(error.contains("line 2 of") && error.contains("'b=no'"), "{error}");
    }

    #[test]
    fn too_much_for_the_environment_belongs_in_a_file() {
        let many = "a.c:3=guided\n".repeat(10_000);
        let error = value(&["b=dynamic", &many]).unwrap_err();
        assert!(error.next().contains("@FILE"), "{error}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.txt");
        std::fs::write(&path, &many).unwrap();
        let given = format!("@{}", path.display());
        assert_eq!(value(&[&given]).unwrap().unwrap(), given);
    }

    #[test]
    fn a_mistake_comes_before_the_program() {
        let error = value(&["a.c:3:dynamic"]).unwrap_err();
        assert!(error.to_string().contains("no '='"), "{error}");
        assert!(error.next().contains("ompchunk loops"));
    }
}
