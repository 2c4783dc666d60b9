//! What the shim and the recorder have in common as guests of the user's process: the one way on which they say something,
//! what they leave as they found it, and where their memory comes from.

pub mod door;
pub mod errno;
pub mod floats;
pub mod images;
pub mod memory;
