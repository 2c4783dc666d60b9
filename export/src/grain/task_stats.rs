//! The table that the prototype of the authors of grain graphs reads: a row per task, where chunks are
//! tasks whose `metadata` is `chunk_lo_hi`. Every execution of a loop is a join point of an `idle_task`,
//! with a task per thread, and the thread's chunks as that task's children.

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};

use super::dag::graph::Task;
use super::metric;
use super::model::{self, Context, Draw};
use super::path::GrainPath;
use super::reference::Reference;
use super::region::{Execution, Grain, Item, Region, Regions};
use super::task_rows;
use crate::error::Error;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::site::Site;

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
        if process.part.meta().mode.tasks {
            task_rows::write(process, &mut table)?;
        }
        table.finish();
    }
    match table.to.into_inner() {
        Ok(output) => output.finish(),
        Err(_) => unreachable!("an output remembers its failures"),
    }
}

/// What is not known is `NA` in R.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<T>(pub(super) Option<T>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known(None)
    }
}

impl<T: Serialize> Serialize for Known<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(to),
            None => to.serialize_str("NA"),
        }
    }
}

pub(super) fn logical(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The prototype's names.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row<'a> {
    pub(super) task: u64,
    pub(super) parent: u64,
    pub(super) joins_at: u64,
    pub(super) cpu_id: Known<usize>,
    pub(super) child_number: u64,
    pub(super) num_children: u64,
    pub(super) num_siblings: Known<u64>,
    pub(super) exec_cycles: Known<u64>,
    pub(super) creation_cycles: Known<u64>,
    pub(super) overhead_cycles: Known<u64>,
    pub(super) work_cycles: Known<u64>,
    pub(super) tag: &'static str,
    pub(super) metadata: Known<String>,
    pub(super) outline_function: Known<u64>,
    pub(super) source_line: Known<&'a str>,
    pub(super) leaf: &'static str,
    pub(super) idle_join: Known<u64>,
    pub(super) parent_tag: Known<&'static str>,
    pub(super) parent_joins_at: Known<u64>,
    pub(super) chunk_lineage: Known<String>,
    pub(super) chunk_work_balance: Known<f64>,
    pub(super) chunk_work_cpu: Known<u64>,
    pub(super) chunk_work_cpu_balance: Known<f64>,
    pub(super) sibling_work_balance: Known<f64>,
    pub(super) parallel_benefit: Known<f64>,
    pub(super) work_deviation: Known<f64>,
    pub(super) work_deviation_loop: Known<f64>,
}

/// An execution of a loop.
struct Instance<'g> {
    execution: Execution,
    begin: u64,
    threads: BTreeMap<u32, Vec<&'g Grain>>,
    balance: metric::Balance,
}

/// A thread's part of an execution.
struct Share<'g> {
    instance: &'g Instance<'g>,
    join: u64,
    /// Of the idle task that all this hangs from.
    idle_join: u64,
    worker: usize,
    grains: &'g [&'g Grain],
    /// Ticks of all its chunks, if they are known.
    work: Option<u64>,
}

impl Share<'_> {
    /// Its longest chunk through the mean of all.
    fn balance(&self) -> Option<f64> {
        let work = self.work.filter(|work| *work > 0)?;
        let longest = self.grains.iter().filter_map(|grain| grain.ticks).max()?;
        Some(longest as f64 * self.grains.len() as f64 / work as f64)
    }
}

pub(super) struct Table<'r> {
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

/// Where executions of loops hang: an idle task, or a chunk with a region inside.
#[derive(Debug)]
struct Parent {
    task: u64,
    /// The join point of the idle task above.
    idle_join: Option<u64>,
    children: u64,
    joins: u64,
}

impl Parent {
    fn of(task: u64, idle_join: Option<u64>) -> Parent {
        Parent {
            task,
            idle_join,
            children: 0,
            joins: 0,
        }
    }
}

impl Draw for Table<'_> {
    fn has_failed(&self) -> bool {
        self.to.get_ref().has_failed()
    }

    fn item(&mut self, context: &Context<'_, '_>, root: usize, item: Item) {
        let instances = match &item {
            // Outside of all regions a chunk stands alone.
            Item::Grain(grain) => vec![Instance {
                execution: grain.execution,
                begin: grain.begin,
                threads: BTreeMap::from([(grain.thread, vec![grain])]),
                balance: metric::Balance::default(),
            }],
            Item::Region(id) => instances_of(*id, context.inside),
            Item::Barrier => Vec::new(),
        };
        if instances.is_empty() {
            return;
        }
        let idle = self.roots.remove(&root);
        let mut idle = idle.unwrap_or_else(|| Parent::of(self.next(), None));
        self.instances(context, &mut idle, &instances);
        self.roots.insert(root, idle);
    }
}

impl Table<'_> {
    fn next(&mut self) -> u64 {
        self.tasks += 1;
        self.tasks
    }

    /// The first of so many numbers, which are in a row.
    pub(super) fn reserve(&mut self, count: u64) -> u64 {
        self.tasks += count;
        self.tasks + 1 - count
    }

    /// An idle task that has so many more children, which meet it in so many places; and the first of these.
    pub(super) fn idle_parent(&mut self, children: u64, joins: u64) -> (u64, u64) {
        let first = self.roots.keys().next().copied().unwrap_or(0);
        let idle = self.roots.remove(&first);
        let mut idle = idle.unwrap_or_else(|| Parent::of(self.next(), None));
        idle.children += children;
        let (task, join) = (idle.task, idle.joins);
        idle.joins += joins;
        self.roots.insert(first, idle);
        (task, join)
    }

    /// To the reference, if there is one.
    pub(super) fn task_deviation(
        &mut self,
        process: &Process<'_>,
        task: &Task,
        path: Option<GrainPath>,
    ) -> Option<f64> {
        let reference = self.reference.as_mut();
        reference.and_then(|reference| reference.task_deviation(process, task, path))
    }

    pub(super) fn row(&mut self, row: &Row<'_>) {
        // An output remembers its failures.
        let _ = self.to.serialize(row);
    }

    fn instances(
        &mut self,
        context: &Context<'_, '_>,
        parent: &mut Parent,
        instances: &[Instance<'_>],
    ) {
        for instance in instances {
            let join = parent.joins;
            parent.joins += 1;
            for (thread, grains) in &instance.threads {
                let share = Share {
                    instance,
                    join,
                    idle_join: parent.idle_join.unwrap_or(join),
                    worker: self.worker(context.process.index, *thread),
                    grains,
                    work: sum(grains.iter().map(|grain| grain.ticks)),
                };
                self.share(context, parent, &share);
                parent.children += 1;
            }
        }
    }

    pub(super) fn worker(&mut self, process: usize, thread: u32) -> usize {
        let next = self.workers.len();
        *self.workers.entry((process, thread)).or_insert(next)
    }

    fn share(&mut self, context: &Context<'_, '_>, parent: &Parent, share: &Share<'_>) {
        let site = context.sites.get(share.instance.execution.0);
        let task = self.next();
        let creation = share.grains.iter().map(|grain| grain.creation).sum::<u64>();
        self.row(&Row {
            parent: parent.task,
            joins_at: share.join,
            child_number: parent.children,
            num_children: share.grains.len() as u64,
            num_siblings: Known(Some(share.instance.threads.len() as u64)),
            exec_cycles: Known(share.work.map(|work| work + creation)),
            overhead_cycles: Known(share.work),
            // Its own: the bookkeeping between the chunks.
            work_cycles: Known(Some(creation)),
            idle_join: Known(Some(share.idle_join)),
            ..Row::of(task, PARALLEL, Some(share.worker), site)
        });
        for (number, grain) in share.grains.iter().enumerate() {
            self.chunk(context, task, number as u64, grain, share);
        }
    }

    /// What is in the chunk comes first.
    fn chunk(
        &mut self,
        context: &Context<'_, '_>,
        parent: u64,
        number: u64,
        grain: &Grain,
        share: &Share<'_>,
    ) {
        let task = self.next();
        let mut inside = Parent::of(task, Some(share.idle_join));
        for region in &grain.regions {
            let nested = instances_of(*region, context.inside);
            self.instances(context, &mut inside, &nested);
        }
        let balance = &share.instance.balance;
        let reference = self.reference.as_mut();
        let deviation =
            reference.map(|reference| reference.deviation(context.process, grain, balance));
        let deviation = deviation.unwrap_or_default();
        let site = context.sites.get(share.instance.execution.0);
        self.row(&Row {
            parent,
            child_number: number,
            num_children: inside.children,
            num_siblings: Known(Some(share.grains.len() as u64)),
            exec_cycles: Known(grain.ticks),
            creation_cycles: Known((grain.creation > 0).then_some(grain.creation)),
            overhead_cycles: Known(Some(0)),
            work_cycles: Known(grain.ticks),
            metadata: Known(Some(metadata(grain))),
            leaf: logical(inside.children == 0),
            idle_join: Known(Some(share.idle_join)),
            parent_tag: Known(Some(PARALLEL)),
            parent_joins_at: Known(Some(share.join)),
            chunk_lineage: Known(Some(format!("{}-{}", share.idle_join, grain.lower))),
            chunk_work_balance: Known(balance.chunks),
            chunk_work_cpu: Known(share.work),
            chunk_work_cpu_balance: Known(balance.threads),
            sibling_work_balance: Known(share.balance()),
            parallel_benefit: Known(metric::parallel_benefit(grain)),
            work_deviation: Known(deviation.chunk),
            work_deviation_loop: Known(deviation.execution),
            ..Row::of(task, CHUNK, Some(share.worker), site)
        });
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
                ..Row::of(idle.task, IDLE, None, None)
            };
            self.idle += 1;
            self.row(&row);
        }
    }
}

impl<'a> Row<'a> {
    pub(super) fn of(
        task: u64,
        tag: &'static str,
        worker: Option<usize>,
        site: Option<&'a Site>,
    ) -> Row<'a> {
        Row {
            task,
            cpu_id: Known(worker),
            tag,
            outline_function: Known(site.map(|site| site.code)),
            source_line: Known(site.map(|site| site.label.as_str())),
            leaf: logical(false),
            ..Row::default()
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

fn instances_of(region: u64, inside: &Regions) -> Vec<Instance<'_>> {
    let region = inside.get(&region);
    region.map_or_else(Vec::new, |region| instances(region, inside))
}

/// The executions in a region, and in regions inside that lie in no chunk, in the order of time.
fn instances<'g>(region: &'g Region, inside: &'g Regions) -> Vec<Instance<'g>> {
    let balances = metric::balances(region);
    let mut of_region: HashMap<Execution, Instance<'g>> = HashMap::new();
    let mut instances = Vec::new();
    for item in region.tasks.iter().flat_map(|task| &task.items) {
        match item {
            Item::Grain(grain) => {
                let instance = of_region.entry(grain.execution);
                let instance = instance.or_insert_with(|| Instance {
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
            Item::Region(id) => instances.extend(instances_of(*id, inside)),
            Item::Barrier => {}
        }
    }
    instances.extend(of_region.into_values());
    instances.sort_by_key(|instance| (instance.begin, instance.execution));
    instances
}
