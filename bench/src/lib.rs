//! What `ompchunk bench` does: compares builds with and without the plugin in turns.
//!
//! Data go one way: options (`options`) become cases and variants (`plan`), these are compiled and run in random order until
//! enough is known (`measure`), what came of it is a JSON file (`results`) with an interval of each value, and the
//! text shows that and nothing else (`report`).

mod measure;
mod options;
mod plan;
mod report;
mod results;

pub use self::measure::measure;
pub use self::options::Options;
pub use self::report::text;
pub use self::results::Results;
