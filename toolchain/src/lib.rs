//! What ompchunk's commands share: which compilers there are and what is installed for them, how a compiler is called with
//! the plugin, how a program gets shim, tools and schedules, and which loops a file has. Prints nothing and ends no process.
//!
//! Products are found in one place (`installation`), compilers in another (`compiler`).

pub mod attach;
pub mod compiler;
pub mod installation;
pub mod language;
pub mod libgomp;
pub mod loops;
pub mod needs;
pub mod preload;
pub mod probe;
pub mod program;
mod python;
pub mod schedule;
pub mod version;

/// What to do about an error of this crate.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let of_installation = cause.downcast_ref().map(installation::Error::next);
    of_installation
        .or_else(|| cause.downcast_ref().map(compiler::Error::next))
        .or_else(|| cause.downcast_ref().map(schedule::Error::next))
        .or_else(|| cause.downcast_ref().map(attach::Error::next))
        .or_else(|| cause.downcast_ref().map(libgomp::Error::next))
}
