//! Sampled stacks: right at -O2 without frame pointers, none lost, and the program is as without them, whatever it does with
//! signals, descriptors, stacks, threads and processes.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use ompchunk_trace_format::stacks::{Cut, StackFile};
use ompchunk_trace_format::{Event, NOBODY, Reason, Trace};

use crate::common::{Program, Runtime, majors, on_a_small_disk, runtimes, text};

/// `ompt_state_work_parallel`
const WORK: u32 = 0x001;

fn run(program: &Program, runtime: &Runtime, options: &[&str], arguments: &[&str]) -> Output {
    let mut options = options.to_vec();
    if !options.iter().any(|it| it.starts_with("--sample-stacks")) {
        options.push("--sample-stacks");
    }
    let mut command = program.record(runtime, &options, arguments);
    command.env("OMP_NUM_THREADS", "4").output().unwrap()
}

fn succeed(program: &Program, runtime: &Runtime, arguments: &[&str]) -> (String, String) {
    let output = run(program, runtime, &[], arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("WRONG"), "{said}");
    (said, String::from_utf8(output.stderr).unwrap())
}

fn stacks(program: &Program) -> Vec<StackFile> {
    let trace = Trace::open(&program.trace()).unwrap();
    let all = trace.parts.iter().map(|part| {
        assert_eq!(part.check().unwrap().violations, []);
        StackFile::beside(part.path()).unwrap().expect("it has stacks")
    });
    all.collect()
}

fn only(program: &Program) -> StackFile {
    let mut all = stacks(program);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[derive(Debug, Clone)]
struct Owned {
    thread: u32,
    time: u64,
    cpu_ns: u64,
    state: u32,
    region: u64,
    the_loop: u32,
    frames: Vec<u64>,
    cut: Option<Cut>,
}

fn samples(file: &StackFile) -> Vec<Owned> {
    let mut all = Vec::new();
    file.for_each(|file| {
        all.push(Owned {
            thread: file.thread,
            time: file.time,
            cpu_ns: file.cpu_ns,
            state: file.state,
            region: file.region,
            the_loop: file.the_loop,
            frames: file.frames.to_vec(),
            cut: file.cut,
        });
    })
    .unwrap();
    all
}

/// Where functions are, as the program says.
fn ranges(said: &str) -> BTreeMap<String, std::ops::Range<u64>> {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next()?.to_owned();
        let mut address = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        Some((name, address()?..address()?))
    };
    said.lines().filter_map(line).collect()
}

/// Whether these functions are in a stack, each called by the next, perhaps with others between.
fn has(frames: &[u64], ranges: &BTreeMap<String, std::ops::Range<u64>>, functions: &[&str]) -> bool {
    let mut rest = functions.iter().peekable();
    for frame in frames {
        if rest.peek().is_some_and(|function| ranges[**function].contains(frame)) {
            rest.next();
        }
    }
    rest.peek().is_none()
}

#[test]
fn stacks_are_right() {
    for major in majors() {
        let program = Program::compile("stacks", major);
        for runtime in &runtimes() {
            let (said, told) = succeed(&program, runtime, &["", "0.05"]);
            let who = format!("clang {major}, {}", runtime.name);
            assert!(told.contains("ompchunk: stacks: "), "{who}: {told}");
            let ranges = ranges(&said);
            let file = only(&program);
            assert!(file.ended() && file.torn() == 0, "{who}");
            let all = samples(&file);
            assert!(all.iter().all(|sample| sample.cut.is_none()), "{who}: {all:x?}");
            let work: Vec<&Owned> = all.iter().filter(|sample| sample.state == WORK).collect();
            let inside = work.iter().filter(|work| has(&work.frames, &ranges, &["leaf"]));
            let mut threads = std::collections::BTreeSet::new();
            for inside in inside {
                // Beyond the loop's end, as it is told.
                if inside.the_loop == NOBODY {
                    continue;
                }
                threads.insert(inside.thread);
                let mut chain = vec!["middle"];
                if has(&inside.frames, &ranges, &["outer"]) {
                    // The primary thread.
                    chain.extend(["outer", "caller"]);
                    assert_eq!(inside.thread, 0, "{who}");
                }
                assert!(has(&inside.frames, &ranges, &chain), "{who}: {inside:x?}");
                let fork = &file.forks()[&inside.region];
                assert_eq!(fork.cut, None, "{who}");
                assert!(has(&fork.frames, &ranges, &["outer", "caller"]), "{who}: {fork:x?}");
                let runtime = file.module_at(fork.frames[0], inside.time).unwrap();
                let name = runtime.path.file_name().unwrap().to_string_lossy();
                assert!(name.contains("omp"), "{who}: the recorder is not in it: {name}");
            }
            assert_eq!(threads.len(), 4, "{who}: {all:x?}");
        }
    }
}

/// Every sample is in the loop and the region that the trace has at its time.
#[test]
fn samples_agree_with_events() {
    let program = Program::compile("stacks", majors()[0]);
    for runtime in &runtimes() {
        succeed(&program, runtime, &["", "0.1"]);
        let file = only(&program);
        let trace = Trace::open(&program.trace()).unwrap();
        let part = &trace.parts[0];
        // By thread: when a loop began and ended.
        let mut loops: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        part.for_each(|at, event| match event {
            Event::LoopBegin(_) => loops.entry(at.thread).or_default().push((at.ticks, u64::MAX)),
            Event::LoopEnd { .. } => loops.get_mut(&at.thread).unwrap().last_mut().unwrap().1 = at.ticks,
            _ => {}
        })
        .unwrap();
        let all = samples(&file);
        let mut inside = 0;
        for sample in &all {
            let spans = loops.get(&sample.thread).map_or(&[][..], |the_loop| the_loop);
            let is = spans.iter().any(|(from, to)| (*from..*to).contains(&sample.time));
            if sample.the_loop != NOBODY {
                assert!(is, "{}: {sample:x?}", runtime.name);
                inside += 1;
            }
        }
        assert!(inside >= 20, "{}: {inside} of {}", runtime.name, all.len());
    }
}

/// A tick of the slowest kernel.
const TICK: u64 = 10_000_000;

#[test]
fn none_is_lost_of_300_threads() {
    let program = Program::compile("stacks", majors()[0]);
    let runtime = &runtimes()[0];
    let (said, _) = succeed(&program, runtime, &["threads", "0.02"]);
    let file = only(&program);
    let all = samples(&file);
    let counts = file.counts();
    assert_eq!((counts.busy, counts.no_room), (0, 0));
    assert_eq!(counts.samples, all.len() as u64);
    let mut by_thread: BTreeMap<u32, u64> = BTreeMap::new();
    for sample in &all {
        *by_thread.entry(sample.thread).or_default() += sample.cpu_ns;
    }
    // A thread that ends before the kernel's next tick finds it running has no sample; a virtual machine's ticks may be late.
    assert!(by_thread.len() >= 150, "{} threads have samples", by_thread.len());
    let cpu = said.lines().find_map(|line| line.strip_prefix("cpu ")).unwrap();
    let cpu = (cpu.parse::<f64>().unwrap() * 1e9) as u64;
    let sampled: u64 = by_thread.values().sum();
    assert!(sampled <= cpu + 300 * TICK && sampled * 4 >= cpu, "{sampled} of {cpu} ns");
    let cut = all.iter().filter(|sample| sample.cut.is_some()).count();
    assert_eq!(cut, 0);
}

#[test]
fn no_call_is_cut_short() {
    let program = Program::compile("stacks", majors()[0]);
    let (said, _) = succeed(&program, &runtimes()[0], &["sleeps"]);
    assert!(said.contains("cut short 0\n"), "{said}");
    assert!(only(&program).counts().samples > 10);
}

#[test]
fn signals_are_the_programs() {
    let program = Program::compile("stacks", majors()[0]);
    let runtime = &runtimes()[0];
    let (_, told) = succeed(&program, runtime, &["all ignored"]);
    assert_eq!(told.matches("stacks are not sampled: the program uses every real-time signal").count(), 1, "{told}");
    let (_, told) = succeed(&program, runtime, &["takes"]);
    assert_eq!(told.matches("the program has taken signal").count(), 1, "{told}");
    let (_, told) = succeed(&program, runtime, &["blocked"]);
    assert_eq!(told.matches("a thread has blocked signal").count(), 1, "{told}");
    let (_, told) = succeed(&program, runtime, &["waits"]);
    assert!(!told.contains("not sampled"), "{told}");
    assert!(only(&program).counts().samples > 10, "{told}");
    let (_, told) = succeed(&program, runtime, &["cancels"]);
    assert_eq!(told.matches("the program has taken signal 32").count(), 1, "{told}");
    let (_, told) = succeed(&program, runtime, &["profiled", "0.1"]);
    assert!(!told.contains("not sampled"), "{told}");
    assert!(only(&program).counts().samples > 10);
}

#[test]
fn strange_stacks_are_cut() {
    let program = Program::compile("stacks", majors()[0]);
    let runtime = &runtimes()[0];
    succeed(&program, runtime, &["other stack"]);
    let cuts = |cut| samples(&only(&program)).iter().filter(|sample| sample.cut == Some(cut)).count();
    assert!(cuts(Cut::OtherStack) > 5);
    succeed(&program, runtime, &["small stack"]);
    assert!(cuts(Cut::LittleStack) > 5);
    succeed(&program, runtime, &["deep"]);
    assert!(cuts(Cut::TooDeep) > 2);
    assert!(cuts(Cut::LittleStack) > 2);
}

#[test]
fn processes_come_and_go() {
    let program = Program::compile("stacks", majors()[0]);
    for runtime in &runtimes()[..1] {
        succeed(&program, runtime, &["fork"]);
        let files = stacks(&program);
        assert_eq!(files.len(), 2, "{}", runtime.name);
        for file in &files {
            assert!(file.ended() && file.counts().samples > 3, "{:?}", file.counts());
        }
        succeed(&program, runtime, &["exec"]);
        let files = stacks(&program);
        assert_eq!(files.len(), 2, "{}", runtime.name);
        assert!(files.iter().all(|file| file.counts().samples > 3));
        succeed(&program, runtime, &["exit inside"]);
        assert!(only(&program).ended());
        let output = run(&program, runtime, &[], &["killed"]);
        assert_eq!(output.status.signal(), Some(libc::SIGKILL), "{}", text(&output));
        let file = only(&program);
        assert!(!file.ended() && file.counts().samples > 20, "{:?}", file.counts());
        assert!(text(&output).contains("is cut: samples of the last quarter"));
    }
}

#[test]
fn descriptors_and_memory_are_the_programs() {
    let program = Program::compile("stacks", majors()[0]);
    let runtime = &runtimes()[0];
    succeed(&program, runtime, &["close"]);
    let file = only(&program);
    assert!(file.ended() && file.torn() == 0);
    assert!(file.counts().samples > 50, "{:?}", file.counts());
    succeed(&program, runtime, &["allocates"]);
    let file = only(&program);
    let gone = file.modules().iter().filter(|module| module.to.is_some()).count();
    assert!(file.counts().samples > 5, "{gone} modules gone");
}

/// The recorder allocates nothing while the dynamic linker's lock is held: the program's `malloc` waits for a thread that waits for it.
#[test]
fn the_programs_malloc_waits_for_the_dynamic_linker() {
    let program = Program::compile("linker_malloc", majors()[0]);
    for runtime in runtimes() {
        let (said, _) = succeed(&program, &runtime, &[]);
        assert_eq!(said, "done\n");
        assert!(only(&program).counts().samples > 10, "{}", runtime.name);
    }
}

#[test]
fn a_full_disk_is_told() {
    let program = Program::compile("stacks", majors()[0]);
    let runtime = &runtimes()[0];
    let options = ["--sample-stacks", "--max-size", "256K"];
    let output = run(&program, runtime, &options, &["threads", "0.01"]);
    assert!(output.status.success(), "{}", text(&output));
    let file = only(&program);
    assert_eq!(file.lost_reason(), Some(Reason::MaxSize));
    assert!(file.ended() && file.counts().samples > 0);
    assert!(text(&output).contains("has its largest size: "), "{}", text(&output));
    let options = ["--sample-stacks"];
    let Some(output) = on_a_small_disk(&program, runtime, "600k", &options, &["threads", "0.01"]) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output));
    let file = only(&program);
    assert_eq!(file.lost_reason(), Some(Reason::DiskFull), "{}", text(&output));
}

#[test]
fn without_the_option_there_is_nothing() {
    let program = Program::compile("stacks", majors()[0]);
    let (trace, _) = program.recorded(&runtimes()[0], &[], &["", "0.01"]);
    assert!(StackFile::beside(trace.parts[0].path()).unwrap().is_none());
}
