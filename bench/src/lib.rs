//! What `ompchunk bench` does: options become cases and variants (`plan`), these run in random order until enough is
//! known (`measure`), what came of it is a JSON file (`results`), and the text shows that alone (`report`).

mod measure;
mod options;
mod plan;
mod report;
mod results;

pub use self::measure::measure;
pub use self::options::Options;
pub use self::report::text;
pub use self::results::Results;
