//! A trace with stacks, made by hand: how many samples each line has is known.

use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSegment as _, ObjectSymbol as _};
use ompchunk_trace_format::NOBODY;
use ompchunk_trace_format::stacks::{Module, Sample, Segment, StackMeta, StackWriter, path_beside};

use ompchunk_testkit::traces::{Maker, definition, meta};

use crate::common::{clean, majors, succeed};

/// Two functions, of which one has a longer name than any screen; lines matter.
const SOURCE: &str = "template <class A, class B> struct element_of_the_unstructured_mesh {};
typedef element_of_the_unstructured_mesh<double, long> one;
typedef element_of_the_unstructured_mesh<one, element_of_the_unstructured_mesh<one, one>> two;
template <class T> struct assembly_of_the_stiffness_matrix {
  static int kernel(int x);
};
template <class T> int assembly_of_the_stiffness_matrix<T>::kernel(int x) { return x + 1; }
template struct assembly_of_the_stiffness_matrix<element_of_the_unstructured_mesh<two, two>>;
extern \"C\" int flux(int x) { return x - 1; }
";
/// The source's file: its name is longer than a telephone is wide.
const FILE: &str = "discretization_of_the_navier_stokes_equations_on_unstructured_meshes.cpp";

/// What a row of the page says: share of the time, line, function.
pub type Row = (&'static str, String, String);

/// Where a function begins, and what the linker calls it.
fn function(library: &Path, part: &str) -> (u64, String) {
    let bytes = std::fs::read(library).unwrap();
    let object = object::File::parse(&*bytes).unwrap();
    let mut symbols = object.symbols();
    let found = symbols.find(|symbol| symbol.is_definition() && symbol.name().is_ok_and(|name| name.contains(part)));
    let found = found.unwrap();
    (found.address(), found.name().unwrap().to_owned())
}

fn module(library: &Path) -> Module {
    let bytes = std::fs::read(library).unwrap();
    let object = object::File::parse(&*bytes).unwrap();
    let segment = |segment: object::Segment<'_, '_>| Segment {
        address: segment.address(),
        size: segment.size(),
        offset: segment.file_range().0,
    };
    Module {
        path: library.to_owned(),
        build_id: object.build_id().unwrap().unwrap().to_owned(),
        segments: object.segments().map(segment).collect(),
        ..Module::default()
    }
}

/// Two loops of two threads, each thread 40 ms in each; only in the first one stacks were sampled. Gives the trace and the rows of the
/// first one's hot lines.
pub fn trace(directory: &Path) -> (PathBuf, Vec<Row>) {
    std::fs::write(directory.join(FILE), SOURCE).unwrap();
    let library = directory.join("libapp.so");
    let mut clang = clean(format!("clang-{}", majors()[0]));
    clang.args(["-g", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id", "-o"]);
    succeed(clang.arg(&library).arg(FILE).current_dir(directory));
    let (kernel, symbol) = function(&library, "kernel");
    let (flux, _) = function(&library, "flux");

    let trace = directory.join("app");
    std::fs::create_dir(&trace).unwrap();
    let mut maker = Maker::new(&trace, "pid-7", &meta(None));
    maker.threads(2, &[definition(0, 12, "assemble"), definition(1, 40, "advance")]);
    let even: &[_] = &[(40_000, 0)];
    let at = maker.execute(1000, 1, 0, &[even, even]);
    let at = maker.execute(at + 100, 2, 1, &[even, even]);
    let part = maker.finish(at + 100);

    let mut writer = StackWriter::create(&path_beside(&part), &StackMeta::default()).unwrap();
    writer.module(&module(&library)).unwrap();
    // The first thread has 30 ms in one and 10 ms in the other, the second one 24 ms in the other and 16 ms nobody knows where.
    let samples = [(0, 5_000, 30, kernel), (0, 35_000, 10, flux), (1, 5_000, 6, flux), (1, 35_000, 4, 0xdead_0000)];
    for (thread, time, ms, address) in samples {
        let sample = Sample {
            thread,
            time,
            cpu_ns: ms * 1_000_000,
            state: 1,
            wait_id: 0,
            region: 1,
            the_loop: NOBODY,
            frames: &[address],
            cut: None,
        };
        writer.sample(&sample).unwrap();
    }
    writer.finish().unwrap();
    let line = |number: u32| format!("{FILE}:{number}");
    assert!(ompchunk_trace_format::name::demangle(&symbol, FILE).len() > 300);
    let rows = vec![
        ("42.5 %", line(9), "flux".to_owned()),
        ("37.5 %", line(7), "assembly_of_the_stiffness_matrix<...>::kernel".to_owned()),
        ("20.0 %", "not known".to_owned(), "not known".to_owned()),
    ];
    (trace, rows)
}
