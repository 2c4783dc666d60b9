//! The forms of loops: each has a file, and a case in [`recognise`]. What several need is in `chunks` or beside this folder.

mod canonical;
pub mod chunks;
mod composite;
pub mod dispatched_loop;
mod range;
mod sections;
mod strided;

use super::{Call, Construct, Form, UserLoop, bounds};
use crate::llvm::Analysis;
use crate::reason::Reason;

/// Which form a loop has that deals its chunks itself: clang's change the variables that the runtime fills in.
pub fn recognise(analysis: &Analysis, call: &Call) -> Result<(Form, UserLoop), Reason> {
    let stores = bounds::stores(analysis, call)?;
    if call.construct == Construct::Sections {
        return sections::recognise(analysis, call, &stores);
    }
    let changes_bounds = !(stores.lower.is_empty() && stores.upper.is_empty());
    match (changes_bounds, call.marked, call.chunked) {
        // From LLVM 23 on, OpenMPIRBuilder marks its loops, too.
        (false, true, true) => strided::recognise(analysis, call)
            .or_else(|reason| canonical::recognise(analysis, call).map_err(|_| reason)),
        (false, ..) => canonical::recognise(analysis, call),
        (true, false, _) => Err(Reason::NotMarkedAsLoop),
        (true, true, false) => range::recognise(analysis, call, &stores),
        (true, true, true) => match (call.construct, stores.upper.len()) {
            (Construct::Distribute, 3) => composite::recognise(analysis, call, &stores),
            (Construct::Distribute | Construct::For | Construct::Sections, _) => {
                chunks::recognise(analysis, call, &stores)
            }
        },
    }
}
