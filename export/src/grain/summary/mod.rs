//! The grain graph of a part in few nodes, however long the part is: one node for all tasks of a construct that have the same depth and
//! are created by the same construct, one for all chunks of a loop there, one fork and one join for all executions of a region.
//!
//! Data flow: events, in the order of time -> what each lane runs (`read`, with `tasks` and `strand`) -> nodes with sums (`groups`) -> GraphML
//! (`draw`). Memory grows with what is open at one time, and with the program's constructs.

mod draw;
mod groups;
mod read;
mod strand;
mod tasks;

pub(super) use draw::write;
pub(crate) use read::critical_path;
pub use strand::OnPath;
