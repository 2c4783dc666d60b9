//! Which task of the program each explicit task is, in terms that another run has too: who creates it where, as which of how many.

use std::collections::HashMap;

use super::graph::{Graph, Task};
use crate::grain::path::GrainPath;

/// Who creates tasks, and where: an explicit task, or the implicit tasks of a region between two barriers.
type Place = (Option<u32>, (u32, u32));

/// By task. `None`: several threads create tasks there, so that their order is none of the program's; or it is not told who creates it.
pub(crate) fn paths(graph: &Graph) -> Vec<Option<GrainPath>> {
    let mut places: HashMap<Place, Vec<u32>> = HashMap::new();
    for (index, task) in (0..).zip(&graph.tasks).filter(|(_, task)| task.runs()) {
        places.entry(place(task)).or_default().push(index);
    }
    let task = |index: &u32| &graph.tasks[*index as usize];
    let mut paths = vec![None; graph.tasks.len()];
    let mut places: Vec<(Place, Vec<u32>)> = places.into_iter().collect();
    // Creators first.
    places.sort_by_key(|(place, created)| (task(&created[0]).depth, *place));
    for ((creator, (region, barriers)), mut created) in places {
        let thread = task(&created[0]).created_on;
        let is_one = creator.is_some() || created.iter().all(|of| task(of).created_on == thread);
        let around = match creator {
            Some(creator) => paths[creator as usize],
            None => graph.regions.get(region as usize).map(|region| region.path),
        };
        let Some(around) = around.filter(|_| is_one) else {
            continue;
        };
        created.sort_by_key(|of| task(of).child_number);
        // Another number of tasks may divide the same work in another way, as `taskloop` does.
        let around = around.tasks(barriers, created.len());
        for (number, index) in (0..).zip(created) {
            paths[index as usize] = Some(around.task(number));
        }
    }
    paths
}

/// Barriers count only where the implicit task creates: an explicit one meets none.
fn place(task: &Task) -> Place {
    match task.parent {
        Some(creator) => (Some(creator), (0, 0)),
        None => (None, task.phase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grain::dag::graph::Region;

    fn created(parent: Option<u32>, child_number: u32, created_on: u32, phase: (u32, u32)) -> Task {
        Task { parent, child_number, created_on, phase, depth: 1 + u32::from(parent.is_some()), ..Task::of(1) }
    }

    fn graph(tasks: Vec<Task>) -> Graph {
        let region = Region { id: 1, begin: 0, threads: 2, code: 0, path: GrainPath::root(0).region(0) };
        Graph { tasks, regions: vec![region], ..Graph::default() }
    }

    /// By one thread: two tasks before the first barrier, one of which creates one; and one behind the barrier.
    fn with_creators(before: u32, behind: u32) -> Graph {
        graph(vec![
            created(None, 0, before, (0, 0)),
            created(None, 1, before, (0, 0)),
            created(Some(0), 0, 7, (0, 0)),
            created(None, 0, behind, (0, 1)),
        ])
    }

    #[test]
    fn a_task_is_the_same_whichever_thread_creates_it() {
        let one = paths(&with_creators(0, 0));
        assert_eq!(one, paths(&with_creators(1, 0)));
        let apart: std::collections::HashSet<_> = one.iter().flatten().collect();
        assert_eq!(apart.len(), 4);
    }

    #[test]
    fn what_several_threads_create_at_the_same_time_has_no_order() {
        let both =
            graph(vec![created(None, 0, 0, (0, 0)), created(None, 0, 1, (0, 0)), created(Some(0), 0, 0, (0, 0))]);
        assert_eq!(paths(&both), [None; 3]);
    }

    #[test]
    fn other_numbers_of_tasks_are_other_tasks() {
        let mut one_more = with_creators(0, 0);
        one_more.tasks.push(created(None, 2, 0, (0, 0)));
        let (few, more) = (paths(&with_creators(0, 0)), paths(&one_more));
        assert_ne!(few[0], more[0]);
        assert_eq!(few[3], more[3]);
    }
}
