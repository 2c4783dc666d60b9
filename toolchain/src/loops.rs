//! The loops of programs, libraries, objects and archives that were compiled with ompchunk: where each stands in the
//! source, its schedule, chunk size, first value and step, and whether its schedule can be changed. Read from the file;
//! nothing is run, and the file may be of another machine.
//!
//! ```no_run
//! fn list(program: &std::path::Path) -> Result<(), ompchunk_toolchain::Failure> {
//!     for image in ompchunk_toolchain::loops::read(program)? {
//!         for found in image.loops {
//!             let (file, line) = (found.file.as_deref().unwrap_or("?"), found.line.unwrap_or(0));
//!             println!("{file}:{line} in {}: {}", found.function, found.schedule);
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! A file without such loops is an error that says what is known of it, and what to do:
//!
//! ```
//! let error = ompchunk_toolchain::loops::read("Cargo.toml".as_ref()).unwrap_err();
//! assert_eq!(error.to_string(), "Cargo.toml: neither an ELF file nor an archive of such");
//! assert!(error.next().starts_with("ompchunk loops PROGRAM"));
//! ```

mod image;
mod record;
mod stock;

pub use image::{Image, read, schedules_inside};
pub use ompchunk_abi::bound;
pub use record::{GroupSite, LoopSite, Value};
pub use stock::{StockLoop, is_right_upwards_alone, may_count_down, stock};
