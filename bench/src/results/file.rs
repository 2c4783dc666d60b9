//! Results as a file: JSON with a version, read back by `ompchunk bench report`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::run::{FORMAT, Results, VERSION};

/// A file is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("cannot read {}: {cause}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's message.
        cause: std::io::Error,
    },
    /// It is something else.
    #[error("{} holds no results of ompchunk bench: {why}", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It is of a later version.
    #[error("{} is of version {version}, this ompchunk reads up to version {VERSION}", .file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        version: u32,
    },
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Newer { .. } => "the report of the ompchunk that wrote it, or a newer one".into(),
            _ => "a file that `ompchunk bench --output FILE` wrote".into(),
        }
    }
}

impl Results {
    /// To a file, which a reader never sees half-written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let directory = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut new = tempfile::Builder::new().prefix(".bench-").tempfile_in(directory)?;
        serde_json::to_writer(&mut new, self)?;
        std::io::Write::write_all(&mut new, b"\n")?;
        // Temporary files are for their owner alone; results are for everybody.
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(new.path(), readable)?;
        new.persist(file)?;
        Ok(())
    }

    /// From a file.
    pub fn read(file: &Path) -> Result<Results, Error> {
        let text = std::fs::read(file).map_err(|cause| Error::Read { file: file.to_owned(), cause })?;
        parse(&text, file)
    }
}

fn parse(text: &[u8], file: &Path) -> Result<Results, Error> {
    /// What every version has.
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    let foreign = |why: String| Error::Foreign { file: file.to_owned(), why };
    let head: Head = serde_json::from_slice(text).map_err(|error| foreign(error.to_string()))?;
    if head.format != FORMAT {
        return Err(foreign(format!("its format is {}", head.format)));
    }
    if head.version > VERSION {
        return Err(Error::Newer { file: file.to_owned(), version: head.version });
    }
    serde_json::from_slice(text).map_err(|error| foreign(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::sample;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("results.json");
        sample().write(&file).unwrap();
        assert_eq!(Results::read(&file).unwrap(), sample());
    }

    #[test]
    fn older_versions_are_read() {
        let mut old = serde_json::to_value(sample()).unwrap();
        old["version"] = 1.into();
        for cell in old["cells"].as_array_mut().unwrap() {
            assert!(cell.as_object_mut().unwrap().remove("rounds").is_some());
        }
        let read = parse(old.to_string().as_bytes(), Path::new("f")).unwrap();
        assert_eq!(read.cells, sample().cells);
    }

    #[test]
    fn other_files_are_told_apart() {
        let error = |text: &str| parse(text.as_bytes(), Path::new("f")).unwrap_err();
        assert!(matches!(error("{"), Error::Foreign { .. }));
        assert!(matches!(error("{}"), Error::Foreign { .. }));
        let foreign = error(r#"{"format":"other","version":1}"#);
        assert!(foreign.to_string().contains("its format is other"), "{foreign}");
        let newer = error(r#"{"format":"ompchunk-bench","version":4,"more":[]}"#);
        assert_eq!(newer.to_string(), "f is of version 4, this ompchunk reads up to version 3");
        // Of our version, but damaged.
        assert!(matches!(error(r#"{"format":"ompchunk-bench","version":1}"#), Error::Foreign { .. }));
    }
}
