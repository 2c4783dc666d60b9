//! The end of a part, and what is known only then.

use super::build::Builder;
use super::graph::{Edge, Kind};
use super::strand::{Tip, Whose};

impl Builder<'_, '_> {
    /// The end of the part: what is open has no end, but comes before what would be behind it.
    pub(super) fn finish(&mut self) {
        let open: Vec<usize> = self.lanes.values().flatten().copied().collect();
        let waiting: Vec<usize> = self.of_tasks.values().copied().collect();
        for strand in open.iter().chain(&waiting) {
            self.cut(*strand);
        }
        for index in (0..self.regions.len() as u32).rev() {
            if self.regions[index as usize].ended {
                continue;
            }
            for strand in open.iter().chain(&waiting).copied() {
                let of = &self.strands[strand];
                match (of.whose, of.tip) {
                    (Whose::Implicit(region), _) if region == index => self.reaches(strand),
                    (Whose::Task(task), Tip::Node(last)) if of.phase.0 == index => {
                        self.graph.tasks[task as usize].last = Some(last);
                    }
                    _ => {}
                }
            }
            let begin = self.graph.regions[index as usize].begin;
            self.close_region(index, begin);
        }
        for strand in open {
            let of = &self.strands[strand];
            if let (Whose::Initial(_), Tip::Node(last)) = (of.whose, of.tip) {
                self.graph.ends.push(last);
            }
        }
        self.finish_tasks();
    }

    /// What is behind tasks: by dependences, and of those outside of all regions the end.
    fn finish_tasks(&mut self) {
        for task in &mut self.graph.tasks {
            if let Some(last) = task.last.filter(|_| !task.is_joined) {
                task.is_joined = true;
                self.graph.ends.push(last);
            }
        }
        let mut depends = std::mem::take(&mut self.depends);
        depends.sort_unstable();
        depends.dedup();
        for [before, after] in depends {
            let [before, after] = [before, after].map(|task| &self.graph.tasks[task as usize]);
            if let (Some(from), Some(to)) = (before.last, after.first) {
                let kind = Kind::Depend;
                self.graph.edges.push(Edge { from, to, kind });
            }
        }
    }
}
