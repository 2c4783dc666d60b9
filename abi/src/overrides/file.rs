//! Reads a table's file: what cannot be one is refused before it costs time or memory.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The largest file: a hundred thousand entries and more.
pub const LARGEST_FILE: u64 = 16 << 20;

pub fn read(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path)?).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// What is in a file. Nothing is waited for: a pipe, which ends when somebody likes and is read once, is none, nor is a device.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    // One byte more tells whether there are more. The size of files in /proc is not told.
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let largest = LARGEST_FILE >> 20;
        return Err(io::Error::other(format!("it has more than {largest} MiB")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> String {
        read(path).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let directory = std::env::temp_dir().join(format!("ompchunk-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        assert!(refused(&directory).contains("is a directory"));
        assert!(refused(&directory.join("nowhere")).contains("No such file"));
        for device in ["/dev/zero", "/dev/null"] {
            assert_eq!(refused(Path::new(device)), "it is no regular file");
        }
        let pipe = directory.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(refused(&pipe), "it is no regular file");
        let file = directory.join("file");
        std::fs::write(&file, b"a=dynamic\xff").unwrap();
        assert_eq!(refused(&file), "it is not UTF-8");
        // A hole, which takes no room.
        let large = std::fs::File::create(&file).unwrap();
        large.set_len(LARGEST_FILE + 1).unwrap();
        assert_eq!(refused(&file), "it has more than 16 MiB");
        large.set_len(LARGEST_FILE).unwrap();
        assert_eq!(read(&file).unwrap().len() as u64, LARGEST_FILE);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
