//! Prints the sampled stacks of a part: `cargo run --example stacks -- app.ompchunk/pid-1.trace`.

use std::path::PathBuf;

use ompchunk_trace_format::stacks::StackFile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let part = PathBuf::from(std::env::args_os().nth(1).ok_or("name a part")?);
    let stacks = StackFile::beside(&part)?.ok_or("recorded without --sample-stacks")?;
    println!("{:?}\n{:?}", stacks.meta(), stacks.counts());
    println!("ended: {}, torn: {}", stacks.ended(), stacks.torn());
    let place = |address: u64, time: u64| match stacks.module_at(address, time) {
        Some(module) => {
            let name = module.path.file_name().unwrap_or_default();
            format!("{}+{:#x}", name.to_string_lossy(), address - module.bias)
        }
        None => format!("{address:#x}"),
    };
    let list = |frames: &[u64], time| -> String {
        let places: Vec<String> = frames.iter().map(|frame| place(*frame, time)).collect();
        places.join(" ")
    };
    for module in stacks.modules() {
        println!("{module:x?}");
    }
    for (region, fork) in stacks.forks() {
        println!("region {region}: {} {:?}", list(&fork.frames, u64::MAX), fork.cut);
    }
    stacks.for_each(|sample| {
        let frames = list(sample.frames, sample.time);
        let (thread, time, cpu, state) = (sample.thread, sample.time, sample.cpu_ns, sample.state);
        let (region, the_loop, cut) = (sample.region, sample.the_loop as i32, sample.cut);
        println!("{thread} {time} {cpu} ns, {state:#x}, region {region}, loop {the_loop}, {cut:?}: {frames}");
    })?;
    Ok(())
}
