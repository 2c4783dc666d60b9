//! A summary as GraphML.

use std::collections::BTreeSet;

use super::groups::{Group, Groups, INITIAL, Number, What};
use super::read::{Reader, read};
use crate::error::Error;
use crate::grain::dag::graph::Kind as EdgeKind;
use crate::grain::xml::{Data, Graph, Kind, Node};
use crate::notice::Notices;
use crate::process::Process;

pub(in crate::grain) fn write(
    process: &Process<'_>,
    start: Node,
    to: &mut Graph<'_>,
    notices: &mut Notices,
) -> Result<(), Error> {
    let read = read(process, notices)?;
    let summary = Summary { process, read: &read };
    let mut nodes: Vec<Drawn> = read.groups.list.iter().map(|group| summary.group(group, start, to)).collect();
    let mut data = Data::default();
    data.put("work_ns", process.duration(read.work));
    data.put("critical_path_ns", process.duration(read.span.length));
    let end = to.node(process, Kind::End, data);
    nodes[INITIAL as usize].join = Some(end.number);
    for (from, next, kind) in Edges::from_groups(&read.groups, &nodes) {
        to.edge_as(from, next, kind, false);
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// What comes before it comes before this: a fork, or the group's only node.
    first: u64,
    /// What tasks come behind that it creates.
    body: u64,
    meeting: Option<u64>,
    /// What comes behind all that is inside, if it is a region.
    join: Option<u64>,
}

struct Summary<'a> {
    process: &'a Process<'a>,
    read: &'a Reader<'a>,
}

impl Summary<'_> {
    fn group(&self, group: &Group, start: Node, to: &mut Graph<'_>) -> Drawn {
        let mut node = |kind, data: Data| to.node(self.process, kind, data).number;
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
                (first, body, join.then(|| node(Kind::Join, Data::default())))
            }
            what => {
                let body = match what {
                    What::Loop(the_loop) => node(Kind::Chunk, self.chunks(group, the_loop)),
                    _ => node(Kind::Task, self.tasks(group)),
                };
                (body, body, None)
            }
        };
        let meeting = (group.meetings > 0).then(|| {
            let mut data = Data::default();
            data.put("count", group.meetings);
            data.put("sync_ns", self.process.duration(group.waited));
            node(Kind::Join, data)
        });
        Drawn { first, body, meeting, join }
    }

    fn total(&self, ticks: u64) -> Data {
        let mut data = Data::default();
        data.put("exec_ns", self.process.duration(ticks));
        data
    }

    fn region(&self, group: &Group, code: u64) -> Data {
        let mut data = Data::default();
        data.put("count", group.count);
        data.put("threads", group.threads);
        if let Some(code) = self.read.sites.code(code) {
            data.put("function", &code.function);
            data.put("construct", &code.label);
            data.put("label", format!("{} x {}", group.count, code.label));
        }
        data
    }

    fn tasks(&self, group: &Group) -> Data {
        let mut data = group.data(self.process);
        let waited = (group.left_alone < group.count || group.waited_for > 0.0).then_some(group.waited_for);
        let costs = group.creation.map(|creation| creation as f64 + group.waited_for);
        let benefit = costs.filter(|costs| *costs > 0.0 && group.ended == group.count);
        data.known("sync_ns", waited.map(|ticks| self.process.duration(ticks as u64)));
        data.known("parallel_benefit", benefit.map(|costs| group.ticks as f64 / costs));
        let mut name = "deeper tasks";
        if let What::Tasks { code, depth } = group.what {
            data.put("depth", depth);
            let code = self.read.sites.code(code);
            data.known("function", code.map(|code| &code.function));
            data.known("construct", code.map(|code| &code.label));
            name = code.map_or("tasks", |code| &code.label);
        }
        data.put("label", format!("{} x {name}", group.count));
        data
    }

    fn chunks(&self, group: &Group, the_loop: u32) -> Data {
        let mut data = group.data(self.process);
        data.put("loop", the_loop);
        if let Some(site) = self.read.sites.get(the_loop) {
            data.site(site);
            data.known("schedule", site.instrumented.then_some(&site.clause));
            data.put("label", format!("{} x {}", group.count, site.label));
        }
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
        for (before, group) in &groups.begun {
            let before = nodes[*before as usize];
            let (from, kind) = match groups.list[*group as usize].what {
                What::Tasks { .. } | What::Deeper => (before.body, EdgeKind::Create),
                What::Region(_) => (before.body, EdgeKind::Scope),
                _ => (before.first, EdgeKind::Continue),
            };
            edges.add(from, nodes[*group as usize].first, kind);
        }
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
            behind.into_iter().for_each(|next| self.add(join, next, EdgeKind::Continue));
        }
    }

    fn behind(&self, number: Number) -> Vec<u64> {
        let group = &self.groups.list[number as usize];
        let join = |region: Number| self.nodes[region as usize].join;
        let of_place = |place: Number| match self.groups.list[place as usize].is_implicit() {
            true => Vec::from_iter(join(place)),
            false => self.behind(place),
        };
        match group.what {
            What::Initial => Vec::new(),
            What::Loop(_) => of_place(group.around),
            What::Region(_) => {
                let begun = self.groups.begun.iter();
                begun.filter(|(_, begun)| *begun == number).flat_map(|(place, _)| of_place(*place)).collect()
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
