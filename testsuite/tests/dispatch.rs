//! Does a tool that knows nothing of ompchunk see every chunk of the program that upstream's issue is
//! about (llvm-project 212784)?

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

fn main() -> ExitCode {
    let mut suite = Suite::default();
    Llvm::each(&mut suite, |suite, major, llvm| {
        let runtimes = [
            ("libomp", Ok(Runtime::libomp())),
            ("libiomp5", Runtime::libiomp5()),
        ];
        for (name, runtime) in runtimes {
            suite.needs(name, runtime, |suite, runtime| {
                let llvm = llvm.clone();
                suite.scoped(format!("hundred_events/clang-{major}/{name}"), move |dir| {
                    hundred_events(&llvm, &runtime, dir)
                });
            });
        }
    });
    suite.run()
}

fn hundred_events(llvm: &Llvm, runtime: &Runtime, dir: &Path) -> Result<()> {
    let tool = compile_tool(&dist::testsuite().join("oracle/dispatch_counter.c"), dir)?;
    let source = dist::testsuite().join("link/hundred_chunks.c");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let program = dir.join(format!("program{level}"));
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        child::succeed(clang.arg(level).arg(&source).arg("-o").arg(&program))?;
        for attach in [Attach::ToolLibraries, Attach::Preload] {
            let session = Session {
                attach,
                ..Session::new(runtime, 2, dir)
            };
            let output = session.run(&program, &[&dist::shim()?, &tool])?;
            let right = "100 dispatch events, 0 strange, 100 iterations exactly once\n";
            ensure!(output == right, "{level}, {attach:?}: {output}");
        }
    }
    Ok(())
}
