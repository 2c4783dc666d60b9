//! All tests of this room in one program: each further one would link the same crates again.

mod corpus;
mod pages;
