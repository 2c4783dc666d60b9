//! What tests of several rooms share: where products, compilers and runtimes are, processes in a clean environment, and traces made by hand.

pub mod compilers;
pub mod inputs;
pub mod products;
pub mod runtimes;
#[cfg(feature = "traces")]
pub mod traces;

pub use inputs::{inputs, parted};
pub use products::{clean, dist, fail, finish, product, repository, succeed};

/// Something that a test needs is not there: the test, or a part of it, is skipped, which fails with CI set.
pub fn missing(what: &str) {
    eprintln!("skipped: {what}");
    assert!(std::env::var_os("CI").is_none(), "CI needs all: {what}");
}
