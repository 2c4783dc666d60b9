//! The account of each parallel region, by its place in the program: team × elapsed time of all of its executions, and where that went.
//! A lane tells what its thread had in each activity within its part of a region (`lane`); parts of a region are joined over the lanes, and
//! regions of one place added up (`join`). What a recording only adds up per thread is a region's own where it can be no other's (`sums`).

mod join;
mod lane;
mod sums;

pub(crate) use self::join::Regions;
pub(crate) use self::lane::Course;
pub(crate) use self::sums::regions;
