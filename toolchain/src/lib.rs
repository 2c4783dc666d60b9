//! What ompchunk's commands share: which compilers there are and what is installed for them, how a compiler is called with
//! the plugin, and how a program gets shim, tools and schedules. Prints nothing and ends no process.
//!
//! Products are found in one place (`installation`), compilers in another (`compiler`).

pub mod attach;
pub mod compiler;
pub mod installation;
pub mod language;
mod linked;
pub mod plugin;
pub mod probe;
pub mod program;
pub mod runtime;
pub mod schedule;
