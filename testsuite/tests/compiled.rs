//! Is what one file of tests compiled and another takes over what would have been compiled?
//!
//! With each compiler, with and without the plugin: the product does not depend on where it is written, and so may be taken over; a
//! change of the source, of a flag or of a byte of the plugin is compiled. How the store itself is attacked is in
//! `src/compiled/tests.rs`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, ensure};
use ompchunk_testsuite::compiled::{Done, Store};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

fn main() -> ExitCode {
    let mut suite = Suite::default();
    Llvm::each(&mut suite, |suite, major, llvm| {
        for flags in ["-O2", "-O0 -g", "-O2 -g -c", "-O2 -flto -c"] {
            let name = format!("clang-{major}/{}", flags.replace(' ', ""));
            let llvm = llvm.clone();
            suite.scoped(name, move |dir| {
                let tree = Tree::new(dir, "nowait.c", &["program.h"])?;
                tree.check(
                    &|plugin, source| {
                        let mut clang = program::compiler(&llvm, source, plugin);
                        clang.args(flags.split(' ')).arg(source);
                        clang.args(["-Rpass=ompchunk", "-Rpass-missed=ompchunk"]);
                        clang
                    },
                    major,
                )
            });
        }
    });
    // Not with -g, where flang writes other bytes each time, whoever asks.
    suite.needs("flang-22", Llvm::find_flang(22), |suite, llvm| {
        for flags in ["-O0 -c", "-O2 -c"] {
            let name = format!("flang-22/{}", flags.replace(' ', ""));
            let llvm = llvm.clone();
            suite.scoped(name, move |dir| {
                let tree = Tree::new(dir, "../coverage/static.f90", &["../coverage/coverage.inc"])?;
                tree.check(
                    &|plugin, source| {
                        let mut flang = child::command(llvm.tool("flang"));
                        flang.arg("-fopenmp").args(flags.split(' ')).arg(source);
                        if let Some(plugin) = plugin {
                            flang.arg(format!("-fpass-plugin={}", plugin.display()));
                        }
                        flang
                    },
                    22,
                )
            });
        }
    });
    suite.run()
}

/// A program's own copy, and a store.
struct Tree {
    dir: PathBuf,
    source: PathBuf,
    store: Store,
}

impl Tree {
    fn new(dir: &Path, source: &str, headers: &[&str]) -> Result<Tree> {
        let from = dist::testsuite().join("run");
        let tree = dir.join("tree");
        for folder in ["tree", "a", "b"] {
            std::fs::create_dir(dir.join(folder))?;
        }
        let copy = |name: &str| {
            let to = tree.join(Path::new(name).file_name().expect("a file"));
            std::fs::copy(from.join(name), &to).map(|_| to)
        };
        for header in headers {
            copy(header)?;
        }
        Ok(Tree { dir: dir.to_owned(), source: copy(source)?, store: Store::at(&dir.join("store"), 64 << 20) })
    }

    fn check(&self, command: &dyn Fn(Option<&Path>, &Path) -> Command, major: u32) -> Result<()> {
        let plugin = self.dir.join("plugin.so");
        std::fs::copy(dist::plugin(major)?, &plugin)?;
        for plugin in [None, Some(&*plugin)] {
            let again = |right: Done, what: &str| -> Result<Vec<u8>> {
                // A store that is empty compiles, and so what a full one has must be that.
                let anew = Store::at(&self.dir.join("none"), 64 << 20);
                let elsewhere = self.dir.join("b/another name");
                let (said, done) = anew.compile(&mut command(plugin, &self.source), &elsewhere)?;
                std::fs::remove_dir_all(self.dir.join("none"))?;
                ensure!(done == Done::Kept, "{what}: {done:?}: {}", said.stderr);
                let to = self.dir.join("a/product");
                let (found, done) = self.store.compile(&mut command(plugin, &self.source), &to)?;
                ensure!(done == right, "{what}, plugin {plugin:?}: {done:?}");
                ensure!(found.stderr == said.stderr, "{what}: it said {}", found.stderr);
                let bytes = std::fs::read(&to)?;
                ensure!(bytes == std::fs::read(&elsewhere)?, "{what}: another product");
                Ok(bytes)
            };
            let first = again(Done::Kept, "the first")?;
            ensure!(again(Done::Taken, "the same")? == first, "it is another one");
            if let Some(plugin) = plugin {
                // It is loaded like the other one: what stands behind its last section is nobody's.
                let mut bytes = std::fs::read(plugin)?;
                bytes.push(0);
                std::fs::write(plugin, &bytes)?;
                again(Done::Kept, "a byte of the plugin")?;
                again(Done::Taken, "the same plugin")?;
            }
            let text = std::fs::read_to_string(&self.source)?;
            std::fs::write(&self.source, format!("\n{text}"))?;
            again(Done::Kept, "a line of the source")?;
            again(Done::Taken, "the same source")?;
        }
        Ok(())
    }
}
