//! How many stacks a recording has, and why it has not more.

use std::fmt::Write as _;
use std::path::Path;

use ompchunk_trace_format::stacks::{Counts, StackFile};

/// Of all parts that were recorded with stacks.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    files: u64,
    counts: Counts,
    cut: u64,
    /// CPU time of the samples, in nanoseconds.
    cpu: u64,
    hertz: u32,
    remarks: String,
}

impl Stacks {
    /// Those beside a part, if there are some.
    pub(super) fn add(&mut self, part: &Path) {
        match StackFile::beside(part) {
            Ok(None) => {}
            Ok(Some(file)) => self.add_file(&file),
            Err(error) => {
                let _ = writeln!(self.remarks, "ompchunk: stacks: {error}");
            }
        }
    }

    fn add_file(&mut self, file: &StackFile) {
        let counts = file.counts();
        self.files += 1;
        self.counts.samples += counts.samples;
        self.counts.expired += counts.expired;
        self.counts.busy += counts.busy;
        self.counts.no_room += counts.no_room;
        self.hertz = file.meta().hertz;
        let (mut cut, mut cpu) = (0, 0_u64);
        let read = file.for_each(|sample| {
            cut += u64::from(sample.cut.is_some());
            cpu = cpu.saturating_add(sample.cpu_ns);
        });
        (self.cut, self.cpu) = (self.cut + cut, self.cpu.saturating_add(cpu));
        let name = file.path().display();
        if let Err(error) = read {
            let _ = writeln!(self.remarks, "ompchunk: stacks: {error}");
        }
        if !file.ended() {
            let _ = writeln!(
                self.remarks,
                "ompchunk: {name} is cut: samples of the last quarter of a second may be missing"
            );
        }
    }

    pub(super) fn text(&self) -> String {
        let Counts {
            samples, no_room, ..
        } = self.counts;
        if self.files == 0 {
            return self.remarks.clone();
        }
        let mut text = format!("ompchunk: stacks: {samples} samples");
        if self.cpu > 0 {
            let rate = samples as f64 * 1e9 / self.cpu as f64;
            let _ = write!(text, ", {rate:.0} per second of CPU time");
            if rate < f64::from(self.hertz) * 0.8 {
                let _ = write!(
                    text,
                    " ({} were asked for: the kernel's tick allows no more)",
                    self.hertz
                );
            }
        }
        if self.cut > 0 {
            let _ = write!(text, "; {} stacks are not whole", self.cut);
        }
        if no_room > 0 {
            let _ = write!(text, "; {no_room} samples lost for lack of room");
        }
        text.push('\n');
        text + &self.remarks
    }
}
