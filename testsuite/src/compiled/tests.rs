//! A compilation is never another one's: whatever is changed, removed, damaged or done at once.
//!
//! The compiler here is a script that says how often it ran and whose product is all that it read; the real ones are in
//! `tests/compiled.rs`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{Done, Store};
use crate::child::{self, Finished};

/// Writes its arguments, variables and inputs to what the last argument names.
const COMPILER: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo compiler 1; exit; }
here=${0%/*}
for to; do :; done
[ -e "$here/fails" ] && exit 1
echo said
echo "warned $FLAVOUR" >&2
{
  echo "$# $1 $2 $FLAVOUR"
  cat "$here"/../../tree/*.c "$here"/../../tree/*.h "$here"/../../tree/*.so "$here"/../../tree/*.o "$here"/../../headers/*
  pwd
} >"$to"
[ -e "$here/beside" ] && echo more >"$to.more"
[ -e "$here/edits" ] && echo "// edited" >>"$here/../../tree/source.c"
chmod 750 "$to"
"#;

/// Something done to a world, or to the command that compiles in it.
type Change = fn(&World, &mut Command);

/// A compiler, a tree and a store.
struct World {
    folder: TempDir,
    store: Store,
}

impl World {
    fn new() -> World {
        // What separates the parts of an argument may stand in a path.
        let folder = tempfile::Builder::new().prefix("a=b, c=-").tempdir();
        let folder = folder.unwrap();
        let world = World { store: Store::at(&folder.path().join("store"), 1 << 20), folder };
        for name in ["llvm/bin", "llvm/lib", "tree", "headers", "elsewhere", "out"] {
            std::fs::create_dir_all(world.at(name)).unwrap();
        }
        world.write("llvm/bin/cc", COMPILER);
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(world.at("llvm/bin/cc"), runs).unwrap();
        world.write("tree/source.c", "#include \"a.h\"\n#include <stdio.h>\nint main;\n");
        world.write("tree/a.h", "# include \"b.h\"\n");
        world.write("headers/b.h", "#pragma once\n");
        world.write("tree/plugin.so", "\x7fELF plugin");
        world.write("tree/part.o", "\x7fELF part");
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = child::command(self.at("llvm/bin/cc"));
        command.arg("-O2").arg("-I").arg(self.at("headers"));
        let plugin = self.at("tree/plugin.so");
        command.arg(format!("-fpass-plugin={}", plugin.display()));
        command.arg(self.at("tree/source.c"));
        command.arg(self.at("tree/part.o"));
        command.current_dir(self.at("tree"));
        command
    }

    fn compile(&self, command: &mut Command) -> (Finished, Done) {
        self.store.compile(command, &self.at("out/product")).unwrap()
    }

    fn done(&self) -> Done {
        self.compile(&mut self.command()).1
    }

    fn product(&self) -> String {
        std::fs::read_to_string(self.at("out/product")).unwrap()
    }

    /// The only file of the store.
    fn kept(&self) -> PathBuf {
        let mut files = std::fs::read_dir(self.at("store")).unwrap();
        let file = files.next().expect("a file").unwrap().path();
        assert!(files.next().is_none(), "one file");
        file
    }
}

#[test]
fn the_same_is_taken_over_with_all_it_left() {
    let world = World::new();
    let (first, done) = world.compile(&mut world.command());
    assert_eq!(done, Done::Kept);
    let product = world.product();
    let to = world.at("elsewhere/other name");
    let (second, done) = world.store.compile(&mut world.command(), &to).unwrap();
    assert_eq!(done, Done::Taken);
    assert!(second.status.success());
    assert_eq!((&*second.stdout, &*second.stderr), ("said\n", "warned \n"));
    assert_eq!((first.stdout, first.stderr), (second.stdout, second.stderr));
    assert_eq!(std::fs::read_to_string(&to).unwrap(), product);
    let mode = std::fs::metadata(&to).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
}

/// Each makes another compilation of it.
const CHANGES: [(&str, Change); 16] = [
    ("source", |world, _| world.write("tree/source.c", "#include \"a.h\"\n#include <stdio.h>\nint mair;\n")),
    ("header", |world, _| world.write("tree/a.h", "#  include \"b.h\"\n")),
    ("header of a header", |world, _| world.write("headers/b.h", "#pragma twice\n")),
    ("a header comes before another", |world, _| world.write("tree/b.h", "#pragma once\n")),
    ("a header of the system's name", |world, _| world.write("headers/stdio.h", "")),
    ("a byte of the plugin", |world, _| world.write("tree/plugin.so", "\x7fELF plugim")),
    ("the plugin's length", |world, _| world.write("tree/plugin.so", "\x7fELF plugi")),
    ("an object", |world, _| world.write("tree/part.o", "\x7fELF pars")),
    ("one flag more", |_, command| {
        command.arg("-g");
    }),
    ("a variable", |_, command| {
        command.env("FLAVOUR", "x");
    }),
    ("a variable of the plugin", |_, command| {
        command.env("OMPCHUNK_COPIES", "report");
    }),
    ("a variable less", |_, command| {
        command.env_remove("PATH");
    }),
    ("another folder", |world, command| {
        command.current_dir(world.at("elsewhere"));
    }),
    ("another compiler", |world, command| {
        std::fs::create_dir_all(world.at("other/bin")).unwrap();
        std::fs::create_dir_all(world.at("other/lib")).unwrap();
        std::fs::copy(world.at("llvm/bin/cc"), world.at("other/bin/cc")).unwrap();
        *command = same_but(command, &world.at("other/bin/cc"), |words| words);
    }),
    ("another level", |world, command| {
        *command = same_but(command, &world.at("llvm/bin/cc"), |mut words| {
            words[0] = "-O3".into();
            words
        });
    }),
    ("another order", |world, command| {
        *command = same_but(command, &world.at("llvm/bin/cc"), |mut words| {
            words.swap(3, 4);
            words
        });
    }),
];

/// Whatever is changed, it is compiled again, and what comes is the new one's.
#[test]
fn each_change_compiles_again() {
    for (what, change) in CHANGES {
        let world = World::new();
        assert_eq!(world.done(), Done::Kept, "{what}");
        assert_eq!(world.done(), Done::Taken, "{what}");
        let mut command = world.command();
        change(&world, &mut command);
        let mut same = same_but(&command, Path::new(command.get_program()), |words| words);
        assert_eq!(world.compile(&mut command).1, Done::Kept, "{what}");
        let product = world.product();
        assert_eq!(world.compile(&mut same).1, Done::Taken, "{what}");
        assert_eq!(world.product(), product, "{what}");
    }
}

type Words = Vec<std::ffi::OsString>;

fn same_but(command: &Command, program: &Path, edit: impl FnOnce(Words) -> Words) -> Command {
    let mut same = child::command(program);
    same.args(edit(command.get_args().map(Into::into).collect()));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => same.env(name, value),
            None => same.env_remove(name),
        };
    }
    same.current_dir(command.get_current_dir().unwrap());
    same
}

/// A path to the object says nothing: it is another one in each process, and stands in no product.
#[test]
fn an_object_may_stand_elsewhere() {
    let world = World::new();
    assert_eq!(world.done(), Done::Kept);
    let moved = world.at("elsewhere/part.o");
    std::fs::copy(world.at("tree/part.o"), &moved).unwrap();
    let mut command = same_but(&world.command(), &world.at("llvm/bin/cc"), |mut words| {
        *words.last_mut().unwrap() = moved.into();
        words
    });
    assert_eq!(world.compile(&mut command).1, Done::Taken);
}

/// Each leaves something uncertain.
const UNCERTAIN: [(&str, Change); 14] = [
    ("it fails", |world, _| world.write("llvm/bin/fails", "")),
    ("it leaves something beside", |world, _| world.write("llvm/bin/beside", "")),
    ("its source is edited meanwhile", |world, _| world.write("llvm/bin/edits", "")),
    ("the name of a header is computed", |world, _| world.write("tree/a.h", "#include NAME\n")),
    ("an include goes on", |world, _| world.write("tree/a.h", "#include \\\n\"b.h\"\n")),
    ("it asks for headers", |world, _| world.write("tree/a.h", "#if __has_include(\"c.h\")\n#endif\n")),
    ("it embeds", |world, _| world.write("tree/a.h", "#embed \"c\"\n")),
    ("the assembler reads", |world, _| world.write("tree/a.h", "asm(\".incbin \\\"c\\\"\");\n")),
    ("the plugin writes a report", |world, command| {
        command.env("OMPCHUNK_REPORT", world.at("elsewhere/report"));
    }),
    ("libraries of a folder", |world, command| {
        command.arg("-L").arg(world.at("tree"));
    }),
    ("a file of arguments", |_, command| {
        command.arg("@arguments");
    }),
    ("something beside the product", |world, command| {
        command.arg(format!("-fprofile-use={}", world.at("out/profile").display()));
    }),
    ("an input that nobody finds", |_, command| {
        command.arg("nowhere.c");
    }),
    ("the compiler is a name", |world, command| {
        let path = std::env::join_paths([world.at("llvm/bin"), "/usr/bin".into(), "/bin".into()]);
        *command = same_but(command, Path::new("cc"), |words| words);
        command.env("PATH", path.unwrap());
    }),
];

/// Where something is not certain, it is compiled each time.
#[test]
fn what_is_not_certain_is_never_kept() {
    for (what, change) in UNCERTAIN {
        let world = World::new();
        for _ in 0..2 {
            let mut command = world.command();
            change(&world, &mut command);
            assert_eq!(world.compile(&mut command).1, Done::Alone, "{what}");
            let _ = std::fs::remove_file(world.at("out/product.more"));
        }
        let has_something = std::fs::read_dir(world.at("store")).is_ok_and(|mut files| files.next().is_some());
        assert!(!has_something, "{what}: the store has something");
    }
}

#[test]
fn damaged_ones_are_not_used() {
    let world = World::new();
    assert_eq!(world.done(), Done::Kept);
    let (file, product) = (world.kept(), world.product());
    let whole = std::fs::read(&file).unwrap();
    let is_refused = |bytes: &[u8], what: &str| {
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(world.done(), Done::Kept, "{what}");
        assert_eq!(world.product(), product, "{what}");
        assert_eq!(std::fs::read(&file).unwrap(), whole, "{what}: it is whole again");
    };
    let every = whole.len() / 40;
    for length in (0..whole.len()).step_by(every) {
        is_refused(&whole[..length], "truncated");
    }
    is_refused(&whole[..whole.len() - 1], "truncated");
    for at in (0..whole.len()).step_by(every) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        is_refused(&bytes, "a bit");
    }
    is_refused(&[&whole[..], b"x"].concat(), "something behind");

    // Another compilation's file under this one's name.
    let mut other = world.command();
    other.arg("-g");
    assert_eq!(world.compile(&mut other).1, Done::Kept);
    let others = std::fs::read_dir(world.at("store")).unwrap();
    let others = others.map(|entry| entry.unwrap().path()).find(|path| *path != file);
    let others = std::fs::read(others.unwrap()).unwrap();
    is_refused(&others, "another one's");

    // Not even a file.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_eq!(world.done(), Done::Alone);
    assert_eq!(world.product(), product);
}

#[test]
fn without_a_folder_it_compiles() {
    let world = World::new();
    world.write("store", "a file");
    for _ in 0..2 {
        assert_eq!(world.done(), Done::Alone);
    }
}

/// Two processes share nothing but the folder, and so do these.
#[test]
fn many_at_once_take_whole_ones() {
    let world = World::new();
    let results = std::thread::scope(|scope| {
        let one = |number: usize| {
            let world = &world;
            move || {
                let store = Store::at(&world.at("store"), 1 << 20);
                let folder = world.at(&format!("out/{number}"));
                std::fs::create_dir(&folder).unwrap();
                let to = folder.join("product");
                let mut done = Vec::new();
                for round in 0..12 {
                    let flag = format!("-D{}", (number + round) % 4);
                    let mut command = world.command();
                    done.push(store.compile(command.arg(&flag), &to).unwrap().1);
                    let product = std::fs::read_to_string(&to).unwrap();
                    assert!(product.contains("int main;") && product.ends_with("/tree\n"));
                }
                done
            }
        };
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(one(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(!results.contains(&Done::Alone), "{results:?}");
    let taken = results.iter().filter(|done| **done == Done::Taken).count();
    // Each of six may be first with each of four.
    assert!(taken >= 72 - 24, "{taken}");
    assert_eq!(std::fs::read_dir(world.at("store")).unwrap().count(), 4);
}

#[test]
fn the_folder_is_bounded_and_what_was_not_used_goes() {
    let world = World::new();
    let day = Duration::from_secs(24 * 60 * 60);
    let names = || {
        let files = std::fs::read_dir(world.at("store")).unwrap();
        let mut names: Vec<_> = files.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    std::fs::create_dir(world.at("store")).unwrap();
    for (name, days) in [("a", 15), ("b", 13), ("c", 1), ("d", 0)] {
        let name = format!("store/{name}");
        world.write(&name, &"x".repeat(1000));
        age_of(&world.at(&name), day * days);
    }
    let within = Store::at(&world.at("store"), 4000);
    within.prune().unwrap();
    assert_eq!(names(), ["b", "c", "d"]);
    let less = Store::at(&world.at("store"), 2900);
    less.prune().unwrap();
    assert_eq!(names(), ["c", "d"]);

    // What is used stays before what is newer and is not.
    let world = World::new();
    assert_eq!(world.done(), Done::Kept);
    let file = world.kept();
    age_of(&file, day * 10);
    assert_eq!(world.done(), Done::Taken);
    let used = std::fs::metadata(&file).unwrap().modified().unwrap();
    assert!(used.elapsed().unwrap_or_default() < day);
}

fn age_of(file: &Path, age: Duration) {
    let file = std::fs::File::options().append(true).open(file).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}
