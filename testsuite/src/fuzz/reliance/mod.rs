//! Random programs that rely on which thread runs which iteration, as OpenMP 5.2 lets them (section 11.5.3).
//!
//! [`generate`] makes a program, an [`ast`]; [`rules`] says which values a loop of it may read, and draws some; [`print_c`] and
//! [`print_fortran`] write it down; [`judge`] has it run under other schedules and asks that it gives what it gives as compiled;
//! [`simpler`] makes what failed small. Bodies call nothing but what [`carry`] has them call with a thread's state, so that nothing but the
//! reliance itself keeps the plugin from calling a loop free.

pub mod ast;
pub mod carry;
pub mod generate;
pub mod judge;
pub mod orders;
pub mod print_c;
pub mod print_fortran;
pub mod rules;
pub mod simpler;
