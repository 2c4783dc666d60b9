//! A summary as GraphML.

use std::collections::BTreeSet;

use super::groups::{Group, Groups, INITIAL, Number, What};
use super::read::{Read, read};
use crate::error::Error;
use crate::grain::dag::graph::Kind as EdgeKind;
use crate::grain::xml::{Data, Graph, Kind, Node, double};
use crate::notice::Notices;
use crate::process::Process;

/// Reads a part and writes what is behind its start.
pub(in crate::grain) fn write(
    process: &Process<'_>,
    start: Node,
    to: &mut Graph<'_>,
    notices: &mut Notices,
) -> Result<(), Error> {
    let read = read(process, notices)?;
    let summary = Summary { process, read: &read };
    let nodes = summary.nodes(start, to);
    for (from, next, kind) in Edges::from_groups(&read.groups, &nodes) {
        to.edge_as(from, next, kind, false);
    }
    Ok(())
}

/// The nodes of a group.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// What comes before it comes before this: a fork, or the group's only node.
    first: u64,
    /// What tasks come behind that it creates.
    body: u64,
    /// Where it waits for tasks.
    meeting: Option<u64>,
    /// What comes behind all that is inside, if it is a region.
    join: Option<u64>,
}

struct Summary<'a> {
    process: &'a Process<'a>,
    read: &'a Read<'a>,
}

impl Summary<'_> {
    fn nodes(&self, start: Node, to: &mut Graph<'_>) -> Vec<Drawn> {
        let groups = self.read.groups.list.iter();
        let mut nodes: Vec<Drawn> = groups.map(|group| self.group(group, start, to)).collect();
        let process = self.process;
        let mut data = vec![
            ("work_ns", process.duration(self.read.work).to_string()),
            ("critical_path_ns", process.duration(self.read.span).to_string()),
        ];
        let end = to.node(process, Kind::End, &mut data);
        nodes[INITIAL as usize].join = Some(end.number);
        nodes
    }

    fn group(&self, group: &Group, start: Node, to: &mut Graph<'_>) -> Drawn {
        let mut node = |kind, mut data: Data| to.node(self.process, kind, &mut data).number;
        let (first, body, join) = match group.what {
            What::Initial | What::Region(_) => {
                let first = match group.what {
                    What::Region(code) => node(Kind::Fork, self.region(group, code)),
                    _ => start.number,
                };
                let body = match group.ticks {
                    0 => first,
                    ticks => node(Kind::Implicit, self.total(ticks)),
                };
                let join = matches!(group.what, What::Region(_));
                (first, body, join.then(|| node(Kind::Join, Data::new())))
            }
            What::Tasks { code, depth } => {
                let body = node(Kind::Task, self.tasks(group, Some((code, depth))));
                (body, body, None)
            }
            What::Deeper => {
                let body = node(Kind::Task, self.tasks(group, None));
                (body, body, None)
            }
            What::Loop(the_loop) => {
                let body = node(Kind::Chunk, self.chunks(group, the_loop));
                (body, body, None)
            }
        };
        let meeting = (group.meetings > 0).then(|| {
            let waited = self.process.duration(group.waited);
            let mut data = vec![("count", group.meetings.to_string())];
            data.extend(double("sync_ns", Some(waited)));
            node(Kind::Join, data)
        });
        Drawn { first, body, meeting, join }
    }

    fn total(&self, ticks: u64) -> Data {
        let ns = self.process.duration(ticks);
        double("exec_ns", Some(ns)).into_iter().collect()
    }

    fn region(&self, group: &Group, code: u64) -> Data {
        let mut data = vec![("count", group.count.to_string()), ("threads", group.threads.to_string())];
        if let Some(code) = self.read.sites.code(code) {
            data.push(("function", code.function.clone()));
            data.push(("construct", code.label.clone()));
            data.push(("label", format!("{} x {}", group.count, code.label)));
        }
        data
    }

    fn tasks(&self, group: &Group, known: Option<(u64, u32)>) -> Data {
        let mut data = self.sums(group);
        let waited = (group.left_alone < group.count || group.waited_for > 0.0).then_some(group.waited_for);
        let costs = group.creation.map(|creation| creation as f64 + group.waited_for);
        let benefit = costs.filter(|costs| *costs > 0.0 && group.ended == group.count);
        data.extend(double("sync_ns", waited.map(|ticks| self.process.duration(ticks as u64))));
        data.extend(double("parallel_benefit", benefit.map(|costs| group.ticks as f64 / costs)));
        let name = known.and_then(|(code, depth)| {
            data.push(("depth", depth.to_string()));
            self.read.sites.code(code)
        });
        if let Some(code) = name {
            data.push(("function", code.function.clone()));
            data.push(("construct", code.label.clone()));
        }
        let name = match (known, name) {
            (_, Some(code)) => code.label.as_str(),
            (None, _) => "deeper tasks",
            (Some(_), None) => "tasks",
        };
        data.push(("label", format!("{} x {name}", group.count)));
        data
    }

    fn chunks(&self, group: &Group, the_loop: u32) -> Data {
        let mut data = self.sums(group);
        data.push(("loop", the_loop.to_string()));
        if let Some(site) = self.read.sites.get(the_loop) {
            data.push(("function", site.function.clone()));
            if !site.file.is_empty() {
                data.push(("file", site.file.clone()));
                data.push(("line", site.line.to_string()));
            }
            if site.instrumented {
                data.push(("schedule", site.clause.clone()));
            }
            data.push(("label", format!("{} x {}", group.count, site.label)));
        }
        data
    }

    fn sums(&self, group: &Group) -> Data {
        let mut data = self.total(group.ticks);
        data.push(("count", group.count.to_string()));
        let ns = |ticks: u64| self.process.duration(ticks);
        if group.count > group.ended {
            data.push(("unfinished", (group.count - group.ended).to_string()));
        }
        if group.ended > 0 {
            data.extend(double("min_ns", Some(ns(group.shortest))));
            data.extend(double("max_ns", Some(ns(group.longest))));
        }
        if group.ended > 0 && group.ended == group.count {
            let mean = ns(group.ticks) / group.count as f64;
            data.extend(double("mean_ns", Some(mean)));
        }
        data.extend(double("creation_ns", group.creation.map(ns)));
        data.extend(double("scatter", group.processors.scatter()));
        data
    }
}

struct Edges<'a> {
    groups: &'a Groups,
    nodes: &'a [Drawn],
    list: BTreeSet<(u64, u64, EdgeKind)>,
}

impl Edges<'_> {
    fn from_groups(groups: &Groups, nodes: &[Drawn]) -> BTreeSet<(u64, u64, EdgeKind)> {
        let mut edges = Edges { groups, nodes, list: BTreeSet::new() };
        edges.begins();
        for number in 0..groups.list.len() as Number {
            edges.ends(number);
        }
        edges.list
    }

    fn add(&mut self, from: u64, to: u64, kind: EdgeKind) {
        if from != to {
            self.list.insert((from, to, kind));
        }
    }

    fn begins(&mut self) {
        for (before, group) in &self.groups.begun {
            let what = self.groups.list[*group as usize].what;
            let before = self.nodes[*before as usize];
            let (from, kind) = match what {
                What::Tasks { .. } | What::Deeper => (before.body, EdgeKind::Create),
                What::Region(_) => (before.body, EdgeKind::Scope),
                _ => (before.first, EdgeKind::Continue),
            };
            self.add(from, self.nodes[*group as usize].first, kind);
        }
    }

    /// What comes behind a group, and where its tasks meet.
    fn ends(&mut self, number: Number) {
        let group = &self.groups.list[number as usize];
        let node = self.nodes[number as usize];
        let behind = self.behind(number);
        let own: Vec<u64> = match group.what {
            What::Initial | What::Region(_) => node.join.into_iter().collect(),
            _ => behind.clone(),
        };
        if node.body != node.first {
            self.add(node.first, node.body, EdgeKind::Continue);
        }
        if let Some(meeting) = node.meeting {
            self.add(node.body, meeting, EdgeKind::Continue);
        }
        for next in &own {
            self.add(node.body, *next, EdgeKind::Sync);
            if let Some(meeting) = node.meeting {
                self.add(meeting, *next, EdgeKind::Continue);
            }
        }
        if let Some(join) = node.join.filter(|_| number != INITIAL) {
            for next in behind {
                self.add(join, next, EdgeKind::Continue);
            }
        }
    }

    /// The nodes that wait for a group.
    fn behind(&self, number: Number) -> Vec<u64> {
        let group = &self.groups.list[number as usize];
        let join = |region: Number| self.nodes[region as usize].join;
        match group.what {
            What::Initial => Vec::new(),
            What::Loop(_) => match self.groups.list[group.around as usize].is_implicit() {
                true => join(group.around).into_iter().collect(),
                false => self.behind(group.around),
            },
            What::Region(_) => {
                let begun = self.groups.begun.iter();
                let places = begun.filter(|(_, begun)| *begun == number);
                let of_place = |(place, _): &(Number, Number)| match self.groups.list[*place as usize].is_implicit() {
                    true => join(*place).into_iter().collect(),
                    false => self.behind(*place),
                };
                places.flat_map(of_place).collect()
            }
            What::Tasks { .. } | What::Deeper => {
                let met = self.groups.met.range((number, 0)..=(number, Number::MAX));
                let creators = met.filter(|(_, creator)| *creator != number);
                let mut behind: Vec<u64> =
                    creators.filter_map(|(_, creator)| self.nodes[*creator as usize].meeting).collect();
                if group.left_alone > 0 || behind.is_empty() {
                    behind.extend(join(group.region));
                }
                behind
            }
        }
    }
}
