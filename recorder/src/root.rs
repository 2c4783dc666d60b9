//! The process's root directory. One that changes it (`chroot`) finds other files under the same names, or none: what is not at
//! its path need not be gone, and a trace's directory must not be made anew where nobody looks for it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

/// Device and inode.
type Identity = (u64, u64);

static ROOT: OnceLock<Option<Identity>> = OnceLock::new();
static DIRECTORY: OnceLock<Option<Identity>> = OnceLock::new();

fn identity(path: &Path) -> Option<Identity> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// A part has begun in this directory.
pub(crate) fn remember(directory: &Path) {
    ROOT.get_or_init(|| identity(Path::new("/")));
    DIRECTORY.get_or_init(|| identity(directory));
}

/// Whether it is another one than when the first part began.
pub(crate) fn has_changed() -> bool {
    let known = ROOT.get().copied().flatten();
    known.is_some_and(|known| identity(Path::new("/")) != Some(known))
}

/// Whether the path leads elsewhere by now, for a process that has another root.
pub(crate) fn hides(directory: &Path) -> bool {
    has_changed() && DIRECTORY.get().copied().flatten() != identity(directory)
}
