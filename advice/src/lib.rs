//! What another schedule would do to a recorded loop.
mod costs;
mod deal;
mod schedule;
mod simulate;
mod work;
