//! The table that the prototype of the authors of grain graphs reads: a row per task, where chunks are
//! tasks whose `metadata` is `chunk_lo_hi`. Every execution of a loop is a join point of an `idle_task`,
//! with a task per thread, and the thread's chunks as that task's children.

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};

use super::metric;
use super::model::{self, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, Item, Region, Regions};
use crate::error::Error;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::site::{Site, Sites};

const IDLE: &str = "idle_task";
const PARALLEL: &str = "parallel_task";
const CHUNK: &str = "chunk_task";

/// Writes all processes.
pub(crate) fn write(
    processes: &[Process<'_>],
    reference: &mut Option<Reference>,
    to: Output,
    notices: &mut Notices,
) -> Result<(), Error> {
    let mut table = Table {
        to: csv::WriterBuilder::new().from_writer(to),
        tasks: 0,
        workers: HashMap::new(),
        roots: BTreeMap::new(),
        idle: 0,
        reference,
    };
    for process in processes {
        model::read(process, &mut table, notices)?;
        table.finish();
    }
    match table.to.into_inner() {
        Ok(output) => output.finish(),
        Err(_) => unreachable!("an output remembers its failures"),
    }
}

/// What is not known is `NA` in R.
#[derive(Debug, Clone, Copy)]
struct Known<T>(Option<T>);

impl<T: Serialize> Serialize for Known<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(to),
            None => to.serialize_str("NA"),
        }
    }
}

fn logical(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The prototype's names.
#[derive(Debug, Serialize)]
struct Row<'a> {
    task: u64,
    parent: u64,
    joins_at: u64,
    cpu_id: Known<usize>,
    child_number: u64,
    num_children: u64,
    num_siblings: Known<u64>,
    exec_cycles: Known<u64>,
    creation_cycles: Known<u64>,
    overhead_cycles: Known<u64>,
    work_cycles: Known<u64>,
    tag: &'static str,
    metadata: Known<String>,
    outline_function: Known<u64>,
    source_line: Known<&'a str>,
    leaf: &'static str,
    idle_join: Known<u64>,
    parent_tag: Known<&'static str>,
    parent_joins_at: Known<u64>,
    chunk_lineage: Known<String>,
    chunk_work_balance: Known<f64>,
    chunk_work_cpu: Known<u64>,
    chunk_work_cpu_balance: Known<f64>,
    sibling_work_balance: Known<f64>,
    parallel_benefit: Known<f64>,
    work_deviation: Known<f64>,
    work_deviation_loop: Known<f64>,
}

/// An execution of a loop.
struct Instance<'g> {
    execution: Execution,
    begin: u64,
    threads: BTreeMap<u32, Vec<&'g Grain>>,
    balance: metric::Balance,
}

struct Table<'r> {
    to: csv::Writer<Output>,
    tasks: u64,
    /// By part and thread.
    workers: HashMap<(usize, u32), usize>,
    /// The idle tasks of the process, by its initial tasks.
    roots: BTreeMap<usize, Parent>,
    /// Idle tasks of all processes so far.
    idle: u64,
    reference: &'r mut Option<Reference>,
}

struct Context<'a, 'p> {
    process: &'a Process<'a>,
    sites: &'a Sites<'p>,
    inside: &'a Regions,
}

/// Where executions of loops hang: an idle task, or a chunk with a region inside.
#[derive(Debug)]
struct Parent {
    task: u64,
    /// The idle task's join point that it is of.
    idle_join: Option<u64>,
    children: u64,
    joins: u64,
}

impl Draw for Table<'_> {
    fn has_failed(&self) -> bool {
        self.to.get_ref().has_failed()
    }

    fn item(
        &mut self,
        process: &Process<'_>,
        sites: &Sites<'_>,
        root: usize,
        item: Item,
        inside: &Regions,
    ) {
        let instances = match &item {
            // Outside of all regions a chunk stands alone.
            Item::Grain(grain) => vec![Instance {
                execution: grain.execution,
                begin: grain.begin,
                threads: BTreeMap::from([(grain.thread, vec![grain])]),
                balance: metric::Balance::default(),
            }],
            Item::Region(id) => inside
                .get(id)
                .map_or_else(Vec::new, |region| instances(region, inside)),
            Item::Barrier => Vec::new(),
        };
        if instances.is_empty() {
            return;
        }
        let context = Context {
            process,
            sites,
            inside,
        };
        let mut idle = match self.roots.remove(&root) {
            Some(idle) => idle,
            None => Parent {
                task: self.next(),
                idle_join: None,
                children: 0,
                joins: 0,
            },
        };
        self.instances(&context, &mut idle, &instances);
        self.roots.insert(root, idle);
    }
}

impl Table<'_> {
    fn next(&mut self) -> u64 {
        self.tasks += 1;
        self.tasks
    }

    fn row(&mut self, row: &Row<'_>) {
        // An output remembers its failures.
        let _ = self.to.serialize(row);
    }

    fn instances(&mut self, context: &Context<'_, '_>, parent: &mut Parent, all: &[Instance<'_>]) {
        for instance in all {
            let join = parent.joins;
            parent.joins += 1;
            let idle_join = parent.idle_join.unwrap_or(join);
            for (thread, grains) in &instance.threads {
                self.thread(
                    context,
                    parent,
                    instance,
                    (join, idle_join),
                    *thread,
                    grains,
                );
                parent.children += 1;
            }
        }
    }

    /// A thread's part of an execution, and its chunks.
    fn thread(
        &mut self,
        context: &Context<'_, '_>,
        parent: &Parent,
        instance: &Instance<'_>,
        (join, idle_join): (u64, u64),
        thread: u32,
        grains: &[&Grain],
    ) {
        let known = self.workers.len();
        let worker = self
            .workers
            .entry((context.process.index, thread))
            .or_insert(known);
        let worker = *worker;
        let site = context.sites.get(instance.execution.0);
        let task = self.next();
        let work = sum(grains.iter().map(|it| it.ticks));
        let creation = grains.iter().map(|it| it.creation).sum::<u64>();
        let own = Row {
            parent: parent.task,
            joins_at: join,
            child_number: parent.children,
            num_children: grains.len() as u64,
            num_siblings: Known(Some(instance.threads.len() as u64)),
            exec_cycles: Known(work.map(|it| it + creation)),
            overhead_cycles: Known(work),
            // Its own: the bookkeeping between the chunks.
            work_cycles: Known(Some(creation)),
            idle_join: Known(Some(idle_join)),
            ..Row::new(task, PARALLEL, Some(worker), site)
        };
        self.row(&own);
        let longest = grains.iter().filter_map(|it| it.ticks).max();
        let balance = work.filter(|it| *it > 0).zip(longest);
        for (number, grain) in grains.iter().enumerate() {
            let task = self.next();
            let mut inside = Parent {
                task,
                idle_join: Some(idle_join),
                children: 0,
                joins: 0,
            };
            let regions = grain.regions.iter();
            for region in regions.filter_map(|id| context.inside.get(id)) {
                let nested = instances(region, context.inside);
                self.instances(context, &mut inside, &nested);
            }
            let count = grains.len() as f64;
            let reference = self.reference.as_mut();
            let deviation =
                reference.map(|it| it.deviation(context.process, grain, &instance.balance));
            let deviation = deviation.unwrap_or_default();
            self.row(&Row {
                parent: own.task,
                joins_at: 0,
                child_number: number as u64,
                num_children: inside.children,
                num_siblings: Known(Some(grains.len() as u64)),
                exec_cycles: Known(grain.ticks),
                creation_cycles: Known((grain.creation > 0).then_some(grain.creation)),
                overhead_cycles: Known(Some(0)),
                work_cycles: Known(grain.ticks),
                metadata: Known(Some(metadata(grain))),
                leaf: logical(inside.children == 0),
                idle_join: Known(Some(idle_join)),
                parent_tag: Known(Some(PARALLEL)),
                parent_joins_at: Known(Some(join)),
                chunk_lineage: Known(Some(format!("{idle_join}-{}", grain.lower))),
                chunk_work_balance: Known(instance.balance.chunks),
                chunk_work_cpu: Known(work),
                chunk_work_cpu_balance: Known(instance.balance.threads),
                sibling_work_balance: Known(
                    balance.map(|(work, longest)| longest as f64 * count / work as f64),
                ),
                parallel_benefit: Known(metric::parallel_benefit(grain)),
                work_deviation: Known(deviation.chunk),
                work_deviation_loop: Known(deviation.execution),
                ..Row::new(task, CHUNK, Some(worker), site)
            });
        }
    }

    /// The idle tasks of a process, whose children are known now.
    fn finish(&mut self) {
        for idle in std::mem::take(&mut self.roots).into_values() {
            let row = Row {
                child_number: self.idle,
                num_children: idle.children,
                exec_cycles: Known(Some(0)),
                overhead_cycles: Known(Some(0)),
                work_cycles: Known(Some(0)),
                ..Row::new(idle.task, IDLE, None, None)
            };
            self.idle += 1;
            self.row(&row);
        }
    }
}

impl<'a> Row<'a> {
    fn new(task: u64, tag: &'static str, worker: Option<usize>, site: Option<&'a Site>) -> Row<'a> {
        Row {
            task,
            parent: 0,
            joins_at: 0,
            cpu_id: Known(worker),
            child_number: 0,
            num_children: 0,
            num_siblings: Known(None),
            exec_cycles: Known(None),
            creation_cycles: Known(None),
            overhead_cycles: Known(None),
            work_cycles: Known(None),
            tag,
            metadata: Known(None),
            outline_function: Known(site.map(|site| site.code)),
            source_line: Known(site.map(|site| site.label.as_str())),
            leaf: logical(false),
            idle_join: Known(None),
            parent_tag: Known(None),
            parent_joins_at: Known(None),
            chunk_lineage: Known(None),
            chunk_work_balance: Known(None),
            chunk_work_cpu: Known(None),
            chunk_work_cpu_balance: Known(None),
            sibling_work_balance: Known(None),
            parallel_benefit: Known(None),
            work_deviation: Known(None),
            work_deviation_loop: Known(None),
        }
    }
}

/// The first logical iteration, and the one after the last.
fn metadata(grain: &Grain) -> String {
    let end = u128::from(grain.lower) + u128::from(grain.iterations);
    format!("chunk_{}_{end}", grain.lower)
}

fn sum(mut values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.try_fold(0_u64, |sum, value| Some(sum + value?))
}

/// The executions in a region, and in regions inside it that lie in no chunk, in the order of time.
fn instances<'g>(region: &'g Region, inside: &'g Regions) -> Vec<Instance<'g>> {
    let balances = metric::balances(region);
    let mut found: HashMap<Execution, Instance<'g>> = HashMap::new();
    let mut all = Vec::new();
    for item in region.tasks.iter().flat_map(|task| &task.items) {
        match item {
            Item::Grain(grain) => {
                let instance = found.entry(grain.execution).or_insert_with(|| Instance {
                    execution: grain.execution,
                    begin: grain.begin,
                    threads: BTreeMap::new(),
                    balance: balances.get(&grain.execution).copied().unwrap_or_default(),
                });
                instance.begin = instance.begin.min(grain.begin);
                instance
                    .threads
                    .entry(grain.thread)
                    .or_default()
                    .push(grain);
            }
            Item::Region(id) => {
                all.extend(
                    inside
                        .get(id)
                        .into_iter()
                        .flat_map(|it| instances(it, inside)),
                );
            }
            Item::Barrier => {}
        }
    }
    all.extend(found.into_values());
    all.sort_by_key(|it| (it.begin, it.execution));
    all
}
