//! What tests of several rooms share.
#![allow(missing_docs, reason = "names that tests read once")]

pub mod traces;
