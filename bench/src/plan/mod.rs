//! What is to be measured: which cases (`case`) of each suite, in which variants (`variant`). Decided from the options
//! (`options`) and the number of cores alone; starts no process and reads no clock.

pub mod advice;
pub mod case;
pub mod chunk;
pub mod clauses;
pub mod corpus;
pub mod names;
pub mod options;
pub mod program;
pub mod thesis;
pub mod variant;
