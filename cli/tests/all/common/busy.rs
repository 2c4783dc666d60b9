//! Processes that are always at work, for a machine that others use, too.

use std::process::{Child, Command, Stdio};

use crate::common::clean;

pub struct Busy(Vec<Child>);

impl Busy {
    /// So many, on these processors as `taskset` has them, or wherever the system puts them.
    pub fn on(processors: Option<&str>, count: usize) -> Busy {
        let start = |_| {
            let mut command = match processors {
                Some(processors) => {
                    let mut taskset = clean("taskset");
                    taskset.args(["-c", processors, "sh"]);
                    taskset
                }
                None => Command::new("sh"),
            };
            command.args(["-c", "while :; do :; done"]);
            command.stdout(Stdio::null()).spawn().unwrap()
        };
        Busy((0..count).map(start).collect())
    }

    /// Twice as many as there are cores.
    pub fn everywhere() -> Busy {
        let cores = std::thread::available_parallelism().unwrap().get();
        Busy::on(None, 2 * cores)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
