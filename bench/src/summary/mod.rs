//! What of a run stays in the tree: its figures and how it met the bars as data (`run`, `rows`), and pages that sum them up
//! (`page`) and draw them (`map`), written from the data alone.

pub mod map;
pub mod page;
pub mod rows;
pub mod run;
