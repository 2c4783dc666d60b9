//! What ompchunk's commands share: which compilers there are and what is installed for them, how a compiler is called with
//! the plugin, how a program gets shim, tools and schedules, and which loops a file has. Prints nothing and ends no process.

pub mod attach;
pub mod compiler;
mod failure;
pub mod installation;
pub mod language;
pub mod libgomp;
pub mod loops;
pub mod needs;
pub mod preload;
pub mod probe;
pub mod program;
mod python;
pub mod schedule_option;

pub use self::failure::Failure;
