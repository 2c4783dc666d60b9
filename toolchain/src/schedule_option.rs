//! `--schedule`: other schedules for loops, checked before the program starts and handed to the shim.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use ompchunk_abi::overrides::{Mistake, Table, VARIABLE, file};

use crate::failure::Failure;

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

fn mistaken(what: impl Display) -> Failure {
    Failure::new(
        format!("--schedule: {what}"),
        "write for example --schedule 'solver.c:118=dynamic,16'; `ompchunk loops PROGRAM` prints which loops there are",
    )
}

pub fn read(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let text = file::read(path).map_err(|cause| mistaken(format_args!("cannot read {shown}: {cause}")))?;
    let place = |mistake: Mistake| mistaken(format_args!("line {} of {shown}, {mistake}", mistake.line));
    Table::parse(&text).map_err(place)?;
    Ok(text)
}

impl Schedules {
    /// Tells the shim in the program, if there is anything to tell. Without, the program keeps what its environment says.
    pub fn set(&self, command: &mut Command) -> Result<(), Failure> {
        if let Some(value) = self.value()? {
            command.env(VARIABLE, value);
        }
        Ok(())
    }

    /// All entries, from files too, for a report.
    pub fn text(&self) -> Result<Option<String>, Failure> {
        let value = self.value()?;
        match value.as_deref().and_then(|value| value.strip_prefix('@')) {
            Some(path) => read(Path::new(path)).map(Some),
            None => Ok(value),
        }
    }

    fn value(&self) -> Result<Option<String>, Failure> {
        let mut texts = Vec::new();
        for given in &self.schedules {
            let Some(path) = given.strip_prefix('@').map(PathBuf::from) else {
                Table::parse(given).map_err(mistaken)?;
                texts.push(given.clone());
                continue;
            };
            let text = read(&path)?;
            // By its name: a variable of the environment has a limit. Wherever the program goes before it reads it.
            if self.schedules.len() == 1 {
                let path = std::path::absolute(&path).unwrap_or(path);
                return Ok(Some(format!("@{}", path.display())));
            }
            texts.push(text);
        }
        // Lines of their own, so that a comment ends.
        let text = texts.join("\n");
        if text.len() > LARGEST {
            let size = text.len();
            return Err(Failure::new(
                format!("--schedule: all together are {size} bytes, more than a variable of the environment holds"),
                "write all of them into one file, --schedule @FILE",
            ));
        }
        Ok((!texts.is_empty()).then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(given: &[&str]) -> Result<Option<String>, Failure> {
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
