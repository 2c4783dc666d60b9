//! A tool for the tests of this crate: keeps values of everything, and says at the end what became of them. `PROBE=panic` panics in
//! every callback, `PROBE=decline` wants nothing to do with the program.

use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use ompt::{End, Endpoint, Start, Tool};

/// How many values of a kind were made, are there, and were asked for and not found.
#[derive(Debug, Default)]
struct Kind {
    made: AtomicI64,
    alive: AtomicI64,
    missing: AtomicI64,
}

impl Kind {
    fn value(&'static self) -> Value {
        self.made.fetch_add(1, Relaxed);
        self.alive.fetch_add(1, Relaxed);
        Value(self)
    }

    fn asked<T>(&self, value: Option<T>) {
        self.missing.fetch_add(value.is_none().into(), Relaxed);
    }
}

struct Value(&'static Kind);

impl Drop for Value {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Relaxed);
    }
}

struct Probe {
    all: &'static Kinds,
    panics: bool,
    loops: AtomicI64,
    chunks: AtomicI64,
}

#[derive(Debug, Default)]
struct Kinds {
    threads: Kind,
    parallels: Kind,
    tasks: Kind,
}

impl Probe {
    fn maybe_panics(&self) {
        assert!(!self.panics, "as wanted");
    }
}

impl Tool for Probe {
    type Thread = Value;
    type Parallel = Value;
    type Task = Value;

    fn start(start: &mut Start<'_, Self>) -> Option<Self> {
        static MODE: OnceLock<String> = OnceLock::new();
        let mode = MODE.get_or_init(|| env::var("PROBE").unwrap_or_default());
        if mode == "start" {
            panic!("as wanted");
        }
        start.threads(
            |cx, _| {
                cx.tool().maybe_panics();
                cx.tool().all.threads.value()
            },
            |cx| cx.tool().all.threads.asked(cx.thread()),
        );
        start.parallels(
            |cx, _| cx.tool().all.parallels.value(),
            |cx, _| {
                cx.tool().all.parallels.asked(cx.parallel());
                cx.tool().maybe_panics();
            },
        );
        start.implicit_tasks(|cx, _| cx.tool().all.tasks.value(), |cx, _| cx.tool().all.tasks.asked(cx.task()));
        start.tasks(|cx, _| cx.tool().all.tasks.value(), |cx, _| cx.tool().all.tasks.asked(cx.task()));
        start.on_work(|cx, work| {
            if work.is_loop() && work.endpoint == Endpoint::Begin {
                let tool = cx.tool();
                tool.loops.fetch_add(1, Relaxed);
                tool.all.threads.asked(cx.thread());
                tool.all.parallels.asked(cx.parallel());
                tool.all.tasks.asked(cx.task());
                tool.maybe_panics();
            }
        });
        start.on_dispatch(|cx, dispatch| {
            cx.tool().all.threads.asked(cx.thread());
            if dispatch.chunk.is_some() {
                cx.tool().chunks.fetch_add(1, Relaxed);
            }
            cx.tool().maybe_panics();
        });
        (mode != "decline").then(|| Probe {
            all: Box::leak(Box::default()),
            panics: mode == "panic",
            loops: AtomicI64::new(0),
            chunks: AtomicI64::new(0),
        })
    }

    fn finish(&self, end: &End<'_>) {
        let Kinds { threads, parallels, tasks } = self.all;
        for (name, kind) in [("threads", threads), ("parallels", parallels), ("tasks", tasks)] {
            let of = |count: &AtomicI64| count.load(Relaxed);
            eprintln!("probe: {name} made={} alive={} missing={}", of(&kind.made), of(&kind.alive), of(&kind.missing));
        }
        let (loops, chunks) = (self.loops.load(Relaxed), self.chunks.load(Relaxed));
        eprintln!("probe: end loops={loops} chunks={chunks} panics={}", end.panics);
        self.maybe_panics();
    }
}

ompt::tool!(Probe);
