//! What follows from a graph as a whole: its longest path, how much runs beside each grain, how even siblings are.

use std::collections::HashMap;

use super::graph::{Graph, Node, Task, What};
use crate::grain::metric::Processors;
use crate::grain::region::GrainPath;

/// By node, by task and of all.
#[derive(Debug, Default)]
pub(crate) struct Measures {
    /// By node; for one on the longest path, the one before it there, or itself.
    pub(crate) critical: Vec<Option<Node>>,
    /// Ticks of that path, and of all nodes.
    pub(crate) span: u64,
    pub(crate) work: u64,
    /// Mean number of grains that ran while this one did.
    pub(crate) parallelism: Vec<Option<f64>>,
    /// The longest of the tasks that meet, divided by the mean. By meeting.
    balances: Vec<Option<f64>>,
    /// Median distance between the processors of two of them. Likewise.
    scatters: Vec<Option<f64>>,
}

impl Measures {
    /// The longest of the tasks that a task meets, divided by the mean.
    pub(crate) fn balance(&self, task: &Task) -> Option<f64> {
        of_meeting(&self.balances, task)
    }

    /// Likewise: the median distance between the processors of two of them.
    pub(crate) fn scatter(&self, task: &Task) -> Option<f64> {
        of_meeting(&self.scatters, task)
    }
}

fn of_meeting(all: &[Option<f64>], task: &Task) -> Option<f64> {
    all.get(task.meeting as usize).copied().flatten()
}

pub(crate) fn measure(graph: &Graph) -> Measures {
    let (critical, span) = longest_path(graph);
    let ticks = graph.nodes.iter().filter_map(|node| node.ticks);
    Measures {
        critical,
        span,
        work: ticks.sum(),
        parallelism: parallelism(graph),
        balances: balances(graph),
        scatters: scatters(graph),
    }
}

/// Which nodes come right behind each, all in one list, and how many before each.
struct Successors {
    from: Vec<usize>,
    to: Vec<Node>,
    before: Vec<u32>,
}

impl Successors {
    fn from_graph(graph: &Graph) -> Successors {
        let count = graph.nodes.len();
        let (mut from, mut before) = (vec![0; count + 1], vec![0; count]);
        for edge in &graph.edges {
            from[edge.from as usize + 1] += 1;
            before[edge.to as usize] += 1;
        }
        for node in 0..count {
            from[node + 1] += from[node];
        }
        let (mut next, mut to) = (from.clone(), vec![0; graph.edges.len()]);
        for edge in &graph.edges {
            let place = &mut next[edge.from as usize];
            to[*place] = edge.to;
            *place += 1;
        }
        Successors { from, to, before }
    }
}

fn longest_path(graph: &Graph) -> (Vec<Option<Node>>, u64) {
    let mut successors = Successors::from_graph(graph);
    let count = graph.nodes.len() as Node;
    let mut ready: Vec<Node> = (0..count).filter(|node| successors.before[*node as usize] == 0).collect();
    let mut path = vec![0_u64; count as usize];
    let mut before: Vec<Node> = (0..count).collect();
    let mut last = None;
    while let Some(node) = ready.pop() {
        let end = path[node as usize] + graph.nodes[node as usize].ticks.unwrap_or(0);
        if last.is_none_or(|(longest, _)| end > longest) {
            last = Some((end, node));
        }
        let range = successors.from[node as usize]..successors.from[node as usize + 1];
        for place in range {
            let next = successors.to[place] as usize;
            if end >= path[next] {
                (path[next], before[next]) = (end, node);
            }
            successors.before[next] -= 1;
            if successors.before[next] == 0 {
                ready.push(next as Node);
            }
        }
    }
    let mut critical = vec![None; count as usize];
    let Some((span, mut node)) = last else {
        return (critical, 0);
    };
    loop {
        critical[node as usize] = Some(before[node as usize]);
        if before[node as usize] == node {
            return (critical, span);
        }
        node = before[node as usize];
    }
}

fn is_grain(what: What) -> bool {
    matches!(what, What::Chunk { .. } | What::Task { .. } | What::Implicit(_))
}

fn parallelism(graph: &Graph) -> Vec<Option<f64>> {
    let grains = || graph.nodes.iter().filter(|node| is_grain(node.what) && node.end > node.begin);
    let mut changes: Vec<(u64, i64)> = grains().flat_map(|node| [(node.begin, 1), (node.end, -1)]).collect();
    changes.sort_unstable();
    // At each change, what has run until then, added up.
    let mut sums: Vec<(u64, f64)> = Vec::with_capacity(changes.len());
    let (mut running, mut sum, mut since) = (0_i64, 0.0, 0);
    for (at, change) in changes {
        sum += running as f64 * (at - since) as f64 * f64::from(u8::from(since > 0));
        (running, since) = (running + change, at);
        match sums.last_mut() {
            Some(last) if last.0 == at => last.1 = sum,
            _ => sums.push((at, sum)),
        }
    }
    let until = |at: u64| {
        let place = sums.partition_point(|(time, _)| *time < at);
        sums.get(place).map_or(0.0, |(_, sum)| *sum)
    };
    let of = |node: &super::graph::Drawn| {
        let lasts = is_grain(node.what) && node.end > node.begin && node.ticks.is_some();
        lasts.then(|| (until(node.end) - until(node.begin)) / (node.end - node.begin) as f64)
    };
    graph.nodes.iter().map(of).collect()
}

fn balances(graph: &Graph) -> Vec<Option<f64>> {
    let mut sums = vec![(0_u64, 0_u64, 0_u64, true); graph.meetings.len()];
    for task in &graph.tasks {
        if let Some((count, sum, longest, known)) = sums.get_mut(task.meeting as usize) {
            let ticks = task.ticks.unwrap_or(0);
            *count += 1;
            *sum += ticks;
            *longest = (*longest).max(ticks);
            *known &= task.ticks.is_some() && task.last.is_some();
        }
    }
    let balance = |(count, sum, longest, known): (u64, u64, u64, bool)| {
        (known && sum > 0).then(|| longest as f64 * count as f64 / sum as f64)
    };
    sums.into_iter().map(balance).collect()
}

fn scatters(graph: &Graph) -> Vec<Option<f64>> {
    let mut processors = vec![Processors::default(); graph.meetings.len()];
    for task in &graph.tasks {
        if let Some(siblings) = processors.get_mut(task.meeting as usize) {
            siblings.add(graph.cpu(task));
        }
    }
    processors.iter().map(Processors::scatter).collect()
}

/// Who creates tasks, and where: an explicit task, or the implicit tasks of a region between two barriers.
type Creator = (Option<u32>, (u32, u32));

/// By task. `None`: several threads create tasks there, so that their order is none of the program's; or it is not told who creates it.
pub(crate) fn paths(graph: &Graph) -> Vec<Option<GrainPath>> {
    let mut places: HashMap<Creator, Vec<u32>> = HashMap::new();
    for (index, task) in (0..).zip(&graph.tasks).filter(|(_, task)| task.runs()) {
        places.entry(place(task)).or_default().push(index);
    }
    let task = |index: &u32| &graph.tasks[*index as usize];
    let mut paths = vec![None; graph.tasks.len()];
    let mut places: Vec<(Creator, Vec<u32>)> = places.into_iter().collect();
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
fn place(task: &Task) -> Creator {
    match task.parent {
        Some(creator) => (Some(creator), (0, 0)),
        None => (None, task.phase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grain::dag::graph::Region;
    use crate::grain::dag::graph::{Drawn, Kind};

    fn grain(graph: &mut Graph, begin: u64, end: u64) -> Node {
        graph.node(Drawn { what: What::Implicit(0), thread: 0, cpu: None, begin, end, ticks: Some(end - begin) })
    }

    /// Two side by side, then one: the longer of the two and that one are the longest path.
    #[test]
    fn the_longest_path_and_what_runs_beside() {
        let mut graph = Graph::default();
        let short = grain(&mut graph, 10, 20);
        let long = grain(&mut graph, 10, 40);
        let last = grain(&mut graph, 50, 55);
        graph.edge(short, last, Kind::Sync);
        graph.edge(long, last, Kind::Sync);
        let measures = measure(&graph);
        assert_eq!((measures.span, measures.work), (35, 45));
        assert_eq!(measures.critical, [None, Some(long), Some(long)]);
        let parallelism: Vec<f64> = measures.parallelism.into_iter().flatten().collect();
        assert_eq!(parallelism[0], 2.0);
        assert!((parallelism[1] - 40.0 / 30.0).abs() < 1e-9);
        assert_eq!(parallelism[2], 1.0);
    }

    fn created(parent: Option<u32>, child_number: u32, created_on: u32, phase: (u32, u32)) -> Task {
        Task { parent, child_number, created_on, phase, depth: 1 + u32::from(parent.is_some()), ..Task::new(1) }
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
