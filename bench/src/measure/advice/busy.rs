//! Processes that do nothing but use the processors, as other users of a machine do.

use std::os::unix::process::parent_id;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// The word that makes this program one of them.
pub const WORD: &str = "busy";

/// Some of them, until this is dropped.
pub struct Busy(Vec<Child>);

impl Busy {
    /// Starts them: this program once more, which must know [`WORD`].
    pub fn start(count: u32) -> Result<Busy> {
        let mut busy = Busy(Vec::new());
        if count == 0 {
            return Ok(busy);
        }
        let program = std::env::current_exe().context("cannot find this program")?;
        for _ in 0..count {
            let mut command = Command::new(&program);
            let command = command.arg(WORD).stdin(Stdio::null()).stdout(Stdio::null());
            busy.0.push(command.spawn().context("cannot start a busy process")?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended needs no end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Uses a processor until whoever started this process is gone.
pub fn stay_busy() {
    let parent = parent_id();
    let mut number = 1_u64;
    while parent_id() == parent {
        for _ in 0..1_000_000 {
            number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005).rotate_left(7));
        }
    }
}
