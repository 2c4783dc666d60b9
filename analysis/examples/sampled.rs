//! Prints where a part's time went, stack by stack: `cargo run --example sampled -- app.ompchunk/pid-1.trace`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ompchunk_analysis::sampled::{self, Sampled, StackId};
use ompchunk_trace_format::Part;
use ompchunk_trace_format::stacks::StackFile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("name a part")?);
    let part = Part::open(&path)?;
    let file = StackFile::beside(&path)?.ok_or("recorded without --sample-stacks")?;
    let sampled = sampled::sampled(&part, &file)?;
    let mut sums: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for entry in &sampled.entries {
        let sum = sums.entry((entry.thread, entry.state, entry.user, entry.machine)).or_default();
        *sum = (sum.0 + entry.ticks, sum.1 + 1);
    }
    for ((thread, state, user, machine), (ticks, count)) in sums {
        let ms = part.clock().duration(ticks) / 1e6;
        let user = list(&sampled, user);
        println!("thread {thread} {ms:10.3} ms {count:5} {state:?}: {user}");
        match machine {
            Some(machine) => println!("    {}", list(&sampled, machine)),
            None => println!("    no sample"),
        }
    }
    println!("unused {}, unreadable {:?}", sampled.unused, sampled.unreadable);
    Ok(())
}

fn list(sampled: &Sampled, stack: StackId) -> String {
    let stack = sampled.stacks.get(stack);
    let mut text = String::new();
    for it in &stack.frames {
        let it = sampled.frames.get(*it);
        let function = it.function.as_deref().unwrap_or("?");
        text += &format!("{function}:{} ", it.line);
    }
    text + if stack.cut { "(cut)" } else { "" }
}
