//! Prints a trace, one event per line: for looking at traces while writing readers.

use ompchunk_trace_format::{Error, Trace};

fn main() -> Result<(), Error> {
    for path in std::env::args_os().skip(1) {
        for part in Trace::open(path.as_ref())?.parts {
            println!("{}: {:?}", part.path().display(), part.ending());
            println!("{:?}\n{:?}", part.head(), part.meta());
            let clock = part.clock();
            part.merged(|at, event| {
                let ns = clock.since_start(at.ticks);
                println!("{ns:12.0} {:3} {:3} {event:?}", at.lane, at.thread as i32);
            })?;
            let checked = part.check()?;
            println!("{} events, {} violations", checked.events, checked.count);
            for violation in checked.violations {
                println!("{violation}");
            }
        }
    }
    Ok(())
}
