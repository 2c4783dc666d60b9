//! Loops in the table of the authors' prototype: chunks are tasks whose `metadata` is `chunk_lo_hi`. Every execution of a loop
//! is a join point of an `idle_task`, with a task per thread, and the thread's chunks as that task's children.

use std::collections::{BTreeMap, HashMap};

use super::metric;
use super::model::{self, Context, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, Item, Regions};
use super::task_table::{self, Known, Parent, Row, Table, logical};
use crate::error::Error;
use crate::notice::Notices;
use crate::output::{Output, finish_csv};
use crate::process::Process;

const PARALLEL: &str = "parallel_task";
const CHUNK: &str = "chunk_task";

pub(crate) fn write(
    processes: &[Process<'_>],
    reference: &mut Option<Reference>,
    to: Output,
    notices: &mut Notices,
) -> Result<(), Error> {
    let mut table = Table::new(to, reference);
    for process in processes {
        model::read(process, &mut table, notices)?;
        if process.part.meta().mode.tasks {
            task_table::write(process, &mut table)?;
        }
        table.finish();
    }
    finish_csv(table.to)
}

struct Instance<'g> {
    execution: Execution,
    begin: u64,
    threads: BTreeMap<u32, Vec<&'g Grain>>,
    balance: metric::Balance,
}

struct Share<'g> {
    instance: &'g Instance<'g>,
    join: u64,
    /// Join of the idle task that all this hangs from.
    idle_join: u64,
    cpu_id: Option<usize>,
    grains: &'g [&'g Grain],
    /// Ticks of all its chunks, if they are known.
    work: Option<u64>,
}

impl Share<'_> {
    /// Its longest chunk divided by the mean of all.
    fn balance(&self) -> Option<f64> {
        let work = self.work.filter(|work| *work > 0)?;
        let longest = self.grains.iter().filter_map(|grain| grain.ticks).max()?;
        Some(longest as f64 * self.grains.len() as f64 / work as f64)
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
                begin: grain.at.ticks,
                threads: BTreeMap::from([(grain.at.thread, vec![grain])]),
                balance: metric::Balance::default(),
            }],
            Item::Region(id) => instances_of(*id, context.inside),
            Item::Barrier => Vec::new(),
        };
        if instances.is_empty() {
            return;
        }
        let mut idle = self.roots.remove(&root).unwrap_or_else(|| Parent::new(self.next(), None));
        self.instances(context, &mut idle, &instances);
        self.roots.insert(root, idle);
    }
}

impl Table<'_> {
    fn instances(&mut self, context: &Context<'_, '_>, parent: &mut Parent, instances: &[Instance<'_>]) {
        for instance in instances {
            let join = parent.joins;
            parent.joins += 1;
            for grains in instance.threads.values() {
                let share = Share {
                    instance,
                    join,
                    idle_join: parent.idle_join.unwrap_or(join),
                    cpu_id: grains.first().and_then(|grain| self.cpu_id(context.process, grain.at)),
                    grains,
                    work: grains.iter().map(|grain| grain.ticks).sum(),
                };
                self.share(context, parent, &share);
                parent.children += 1;
            }
        }
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
            ..Row::new(task, PARALLEL, share.cpu_id, site)
        });
        for (number, grain) in share.grains.iter().enumerate() {
            self.chunk(context, task, number as u64, grain, share);
        }
    }

    /// What is in the chunk comes first.
    fn chunk(&mut self, context: &Context<'_, '_>, parent: u64, number: u64, grain: &Grain, share: &Share<'_>) {
        let task = self.next();
        let mut inside = Parent::new(task, Some(share.idle_join));
        for region in &grain.regions {
            let nested = instances_of(*region, context.inside);
            self.instances(context, &mut inside, &nested);
        }
        let balance = &share.instance.balance;
        let reference = self.reference.as_mut();
        let deviation = reference.map(|reference| reference.deviation(context.process, grain, balance));
        let deviation = deviation.unwrap_or_default();
        let site = context.sites.get(share.instance.execution.0);
        let end = u128::from(grain.lower) + u128::from(grain.iterations);
        let cpu_id = self.cpu_id(context.process, grain.at);
        self.row(&Row {
            parent,
            child_number: number,
            num_children: inside.children,
            num_siblings: Known(Some(share.grains.len() as u64)),
            exec_cycles: Known(grain.ticks),
            creation_cycles: Known((grain.creation > 0).then_some(grain.creation)),
            overhead_cycles: Known(Some(0)),
            work_cycles: Known(grain.ticks),
            metadata: Known(Some(format!("chunk_{}_{end}", grain.lower))),
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
            ..Row::new(task, CHUNK, cpu_id, site)
        });
    }
}

/// The executions in a region, and in regions inside that lie in no chunk, in the order of time.
fn instances_of(region: u64, inside: &Regions) -> Vec<Instance<'_>> {
    let Some(region) = inside.get(&region) else { return Vec::new() };
    let balances = metric::balances(region);
    let mut of_region: HashMap<Execution, Instance<'_>> = HashMap::new();
    let mut instances = Vec::new();
    for item in region.tasks.iter().flat_map(|task| &task.items) {
        match item {
            Item::Grain(grain) => {
                let instance = of_region.entry(grain.execution).or_insert_with(|| Instance {
                    execution: grain.execution,
                    begin: grain.at.ticks,
                    threads: BTreeMap::new(),
                    balance: balances.get(&grain.execution).copied().unwrap_or_default(),
                });
                instance.begin = instance.begin.min(grain.at.ticks);
                instance.threads.entry(grain.at.thread).or_default().push(grain);
            }
            Item::Region(id) => instances.extend(instances_of(*id, inside)),
            Item::Barrier => {}
        }
    }
    instances.extend(of_region.into_values());
    instances.sort_by_key(|instance| (instance.begin, instance.execution));
    instances
}
