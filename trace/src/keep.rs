//! How a recorder shares its lanes' memory with `ompchunk record`, which keeps what a killed program had not yet written. Both sides are
//! of one version; nothing of this is ever in a file. The recorder connects to the socket that [`crate::Settings::keeper`] names, once
//! per lane, and sends one message: [`Share`] as bytes, with the descriptor of the lane's memory. That memory holds the lane's block,
//! and behind it, at [`PLACE`], where in the part's file the block belongs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::layout::BLOCK_SIZE;

/// Where in the memory the block's place in the file is, as 8 bytes; 0: it has none.
pub const PLACE: usize = BLOCK_SIZE;
/// Size of the memory.
pub const SIZE: usize = BLOCK_SIZE + 64;
/// The longest message.
pub const MOST: usize = 24 + 4096;

const MAGIC: [u8; 8] = *b"OMPCHKP1";

/// Whose memory it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The part's file.
    pub path: PathBuf,
    /// Its device ...
    pub device: u64,
    /// ... and inode.
    pub inode: u64,
}

impl Share {
    /// The message.
    pub fn bytes(path: &Path, device: u64, inode: u64) -> Vec<u8> {
        let numbers = [MAGIC, device.to_le_bytes(), inode.to_le_bytes()];
        [&numbers.concat()[..], path.as_os_str().as_bytes()].concat()
    }

    /// From the message; `None`: it is none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Share> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (device, rest) = rest.split_first_chunk::<8>()?;
        let (inode, path) = rest.split_first_chunk::<8>()?;
        let path = Path::new(OsStr::from_bytes(path));
        (*magic == MAGIC && path.is_absolute()).then(|| Share {
            path: path.to_owned(),
            device: u64::from_le_bytes(*device),
            inode: u64::from_le_bytes(*inode),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let bytes = Share::bytes(Path::new("/a b/c"), 7, u64::MAX);
        let share = Share::from_bytes(&bytes).unwrap();
        assert_eq!((share.device, share.inode), (7, u64::MAX));
        assert_eq!(share.path, Path::new("/a b/c"));
        for length in 0..25 {
            assert_eq!(Share::from_bytes(&bytes[..length]), None, "{length}");
        }
        assert_eq!(Share::from_bytes(&Share::bytes(Path::new("c"), 7, 8)), None);
    }
}
