//! All tests of the suite in one program, since each further one would link the same crates again. A file is a module, and its tests
//! are called after it: `tasks::…`.

mod abi;
mod bad_input;
mod check;
mod coverage;
mod directions;
mod dispatch;
mod door;
mod execution_instructions;
mod fuzz;
mod instructions;
mod ir;
mod lines;
mod link;
mod many_loops;
mod mutate;
mod named_instructions;
mod plain_copy;
mod programs;
mod promises;
mod promises_kept;
mod recorded_task_instructions;
mod remarks;
mod repo;
mod report;
mod sampling;
mod schedules_attacked;
mod schedules_groups;
mod schedules_hostile;
mod section_instructions;
mod secure;
mod stack;
mod sub_block_instructions;
mod sub_blocks_attacked;
mod sub_blocks_left_out;
mod task_instructions;
mod tasks;
mod twins;

use std::process::ExitCode;

use ompchunk_testsuite::suite::{Module, Suite};

const MODULES: [Module; 37] = [
    ("abi", abi::trials),
    ("bad_input", bad_input::trials),
    ("check", check::trials),
    ("coverage", coverage::trials),
    ("directions", directions::trials),
    ("dispatch", dispatch::trials),
    ("door", door::trials),
    ("execution_instructions", execution_instructions::trials),
    ("fuzz", fuzz::trials),
    ("instructions", instructions::trials),
    ("ir", ir::trials),
    ("lines", lines::trials),
    ("link", link::trials),
    ("many_loops", many_loops::trials),
    ("mutate", mutate::trials),
    ("named_instructions", named_instructions::trials),
    ("plain_copy", plain_copy::trials),
    ("programs", programs::trials),
    ("promises", promises::trials),
    ("promises_kept", promises_kept::trials),
    ("recorded_task_instructions", recorded_task_instructions::trials),
    ("remarks", remarks::trials),
    ("repo", repo::trials),
    ("report", report::trials),
    ("sampling", sampling::trials),
    ("schedules_attacked", schedules_attacked::trials),
    ("schedules_groups", schedules_groups::trials),
    ("schedules_hostile", schedules_hostile::trials),
    ("section_instructions", section_instructions::trials),
    ("secure", secure::trials),
    ("stack", stack::trials),
    ("sub_block_instructions", sub_block_instructions::trials),
    ("sub_blocks_attacked", sub_blocks_attacked::trials),
    ("sub_blocks_left_out", sub_blocks_left_out::trials),
    ("task_instructions", task_instructions::trials),
    ("tasks", tasks::trials),
    ("twins", twins::trials),
];

fn main() -> ExitCode {
    Suite::run(&MODULES)
}
