//! Where things are.

use std::path::{Path, PathBuf};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("testkit/ stands in the repository").to_owned()
}

/// `dist/`, or what `OMPCHUNK_DIST` names.
pub fn dist() -> PathBuf {
    let dist = std::env::var_os("OMPCHUNK_DIST").map_or_else(|| repository().join("dist"), PathBuf::from);
    assert!(dist.join("lib/libompchunk_rt.so").is_file(), "{} has no products: run make first", dist.display());
    dist
}

pub fn product(name: &str) -> PathBuf {
    let path = dist().join(name);
    assert!(path.is_file(), "{} is missing: run make", path.display());
    path
}

/// The folder of cargo's in which tests may leave files.
pub fn scratch() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let folder = program.ancestors().nth(3).expect("target/<profile>/deps/<test>").join("tmp");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}
