//! Do all sides of the ABI say the same? The crate `abi/`, the C header for tools, what the plugin
//! emits (as IR and as bytes on disk), and what shim and plugin export.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, ObjectSymbol};
use ompchunk_abi::{
    CONNECT_SYMBOL, CONSTRUCT_DISTRIBUTE, CONSTRUCT_FOR, CONSTRUCT_SECTIONS, ENTER_ASKING_SYMBOL, ENTER_SYMBOLS,
    FRAME_ALIGN, FRAME_SIZE, Frame, GroupLoop, LISTENING, LOOP_CHANGEABLE, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT,
    LOOP_DIVISIBLE, LOOP_FREE, LOOP_MAPPED, LOOP_REASSOCIATED, LOOP_SIGNED, LOOP_START_KNOWN, LOOP_START_PASSED,
    LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LOOP_TOLD, LOOPS_SECTION, LoopRecord, MAGIC, MODULE_SYMBOL, ModuleRecord,
    NOTE_MODULE, NOTE_NAME, NOTE_SECTION, Note, RESOLVER_SYMBOL, VERSION,
};
use ompchunk_testsuite::layout::StructType;
use ompchunk_testsuite::records::{self, Record};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};
use regex::Regex;

pub fn trials(suite: &mut Suite) {
    suite.test("shim_exports", shim_exports);
    for (number, (major, llvm)) in Llvm::all().into_iter().enumerate() {
        suite.needs(&format!("ABI of LLVM {major}"), llvm, |suite, llvm| {
            let mut add = |name: &str, test: fn(&Llvm, &Path) -> Result<()>| {
                let llvm = llvm.clone();
                suite.scoped(format!("{name}/{major}"), move |dir| test(&llvm, dir));
            };
            // Only the newest clang of a Debian machine has the omp-tools.h that the header includes.
            if number == 0 {
                add("header", header);
            }
            add("module_record_in_ir", module_record_in_ir);
            add("loop_record_in_ir", loop_record_in_ir);
            add("frame_in_ir", frame_in_ir);
            add("module_record_on_disk", module_record_on_disk);
            add("loop_records_after_strip", loop_records_after_strip);
            add("plugin_links_no_llvm", plugin_links_no_llvm);
        });
    }
}

/// Name, offset and size of each field.
macro_rules! fields {
    ($type:ty: $($field:ident),*) => {
        [$((stringify!($field), offset_of!($type, $field), {
            fn size<T, F>(_: fn(&T) -> &F) -> usize { size_of::<F>() }
            size(|record: &$type| &record.$field)
        })),*]
    };
}

fn loop_fields() -> [(&'static str, usize, usize); 18] {
    fields!(LoopRecord: size, abi_version, construct, bits, flags, schedule, chunk, start, step, line,
        function, file, column, variable_bits, fixed, bound, reserved, group)
}

fn module_fields() -> [(&'static str, usize, usize); 12] {
    fields!(ModuleRecord: magic, abi_version, size, state, begin, unresolved, nobody, runtime, deinit, entries, enter, begin_trampoline)
}

fn header(llvm: &Llvm, dir: &Path) -> Result<()> {
    let asserts = asserts();
    let mut in_c = asserts.clone();
    // The event numbers have the type of an enumeration that ends below them; C++ refuses that in a constant expression, C does not.
    for (event, number) in EVENTS {
        writeln!(in_c, "_Static_assert(ompt_callback_{event} == {number}, \"{event}\");")?;
    }
    let in_cpp = asserts.replace("_Static_assert", "static_assert");
    for (language, file, source) in [("c++17", "asserts.cpp", in_cpp), ("c11", "asserts.c", in_c)] {
        let path = dir.join(file);
        std::fs::write(&path, source)?;
        let mut clang = child::command(llvm.driver(&path));
        clang.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", &format!("-std={language}"), "-I"]);
        child::succeed(clang.arg(dist::include()).arg(path))?;
    }
    Ok(())
}

const EVENTS: [(&str, u32); 6] =
    [("loop", 81), ("chunk", 82), ("tool_time", 83), ("task_creation", 84), ("sub_block", 85), ("wanted", 86)];

/// What both languages can be asked: sizes, offsets and constants.
fn asserts() -> String {
    let mut source = String::from("#include <stddef.h>\n#include <ompt-chunk.h>\n");
    let mut same = |c: &str, rust: u64| {
        writeln!(source, "_Static_assert({c} == {rust}u, \"{c}\");").expect("writing to a string");
    };
    same("sizeof(ompt_chunk_loop_t)", size_of::<LoopRecord>() as u64);
    for (field, offset, size) in loop_fields() {
        same(&format!("offsetof(ompt_chunk_loop_t, {field})"), offset as u64);
        same(&format!("sizeof(((ompt_chunk_loop_t *)0)->{field})"), size as u64);
    }
    same("OMPT_CHUNK_ABI_VERSION", VERSION.into());
    same("ompt_chunk_for", CONSTRUCT_FOR.into());
    same("ompt_chunk_distribute", CONSTRUCT_DISTRIBUTE.into());
    same("ompt_chunk_sections", CONSTRUCT_SECTIONS.into());
    same("ompt_chunk_signed", LOOP_SIGNED.into());
    same("ompt_chunk_chunked", LOOP_CHUNKED.into());
    same("ompt_chunk_chunk_known", LOOP_CHUNK_KNOWN.into());
    same("ompt_chunk_start_known", LOOP_START_KNOWN.into());
    same("ompt_chunk_step_known", LOOP_STEP_KNOWN.into());
    same("ompt_chunk_start_passed", LOOP_START_PASSED.into());
    same("ompt_chunk_step_passed", LOOP_STEP_PASSED.into());
    same("ompt_chunk_dealt", LOOP_DEALT.into());
    same("ompt_chunk_divisible", LOOP_DIVISIBLE.into());
    same("ompt_chunk_reassociated", LOOP_REASSOCIATED.into());
    same("ompt_chunk_free", LOOP_FREE.into());
    same("ompt_chunk_mapped", LOOP_MAPPED.into());
    same("ompt_chunk_told", LOOP_TOLD.into());
    let member = size_of::<GroupLoop>() as u64;
    same("sizeof(ompt_chunk_group_loop_t)", member);
    source
}

/// A loop with everything a record can know.
const SOURCE: &str = "void use(int);
void f(void) {
#pragma omp parallel for schedule(static, 7)
  for (int i = 100; i < 200; i += 3) use(i);
}
";

fn instrumented_ir(llvm: &Llvm, dir: &Path, flags: &[&str]) -> Result<String> {
    let source = dir.join("loop.c");
    std::fs::write(&source, SOURCE)?;
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    clang.args(["-S", "-emit-llvm", "-o", "-"]).args(flags);
    Ok(child::succeed(clang.arg(source))?.stdout)
}

/// The line of IR that defines a global whose line matches `pattern`, as type and initialiser.
fn global(ir: &str, pattern: &str) -> Result<(String, StructType, Vec<String>)> {
    let regex = Regex::new(pattern)?;
    let line = ir.lines().find(|line| regex.is_match(line)).with_context(|| format!("no {pattern} in\n{ir}"))?;
    let groups = Regex::new(r"\{ ([^{}]*) \} \{ (.*?) \}")?;
    let found = groups.captures(line).with_context(|| format!("no struct in {line}"))?;
    let values = Regex::new(r"(?:i\d+|ptr|\[\d+ x i8\]) (getelementptr[^)]*\)|[^,]+)")?;
    let values = values.captures_iter(&found[2]).map(|value| value[1].to_owned()).collect();
    Ok((line.to_owned(), StructType::parse(&found[1])?, values))
}

fn module_record_in_ir(llvm: &Llvm, dir: &Path) -> Result<()> {
    let ir = instrumented_ir(llvm, dir, &["-O1"])?;
    let (line, layout, values) = global(&ir, &format!("^@{MODULE_SYMBOL} = "))?;
    ensure!(layout.fields == module_fields().map(|(_, offset, size)| (offset, size)), "{line}");
    ensure!(layout.size == size_of::<ModuleRecord>(), "{line}");
    let state =
        format!("getelementptr inbounds (i8, ptr @{MODULE_SYMBOL}, i64 {})", offset_of!(ModuleRecord, unresolved));
    let size = size_of::<ModuleRecord>().to_string();
    let right = [
        &MAGIC.to_string(),
        &VERSION.to_string(),
        &size,
        &state,
        &format!("@{RESOLVER_SYMBOL}"),
        &LISTENING.to_string(),
        "0",
    ];
    let values: Vec<String> = values.iter().map(|v| v.replace("inbounds nuw", "inbounds")).collect();
    // The runtime's functions follow.
    ensure!(values[..right.len()] == right, "{values:?} does not begin with {right:?}");
    ensure!(line.contains("linkonce_odr hidden global") && line.contains("comdat"), "{line}");
    for symbol in [CONNECT_SYMBOL, "__kmpc_dispatch_next_8u", "__kmpc_dispatch_deinit"] {
        let weak = Regex::new(&format!(r"(?m)^declare extern_weak .*@{symbol}\("))?;
        ensure!(weak.is_match(&ir), "no weak declaration of {symbol}");
    }
    for symbol in [ENTER_SYMBOLS[0], RESOLVER_SYMBOL, ENTER_ASKING_SYMBOL] {
        let stub = Regex::new(&format!(r"(?m)^define linkonce_odr hidden (ptr|void) @{symbol}\(.*comdat"))?;
        ensure!(stub.is_match(&ir), "no definition of {symbol}");
    }
    Ok(())
}

fn loop_record_in_ir(llvm: &Llvm, dir: &Path) -> Result<()> {
    let ir = instrumented_ir(llvm, dir, &["-O1", "-g"])?;
    let (line, layout, values) = global(&ir, &format!("ompchunk.loop = .*section \"{LOOPS_SECTION}\""))?;
    let (group, fields) = layout.fields.split_last().context("an empty struct")?;
    ensure!(fields == loop_fields().map(|(_, offset, size)| (offset, size)), "{line}");
    ensure!(group.0 == size_of::<LoopRecord>(), "what follows is at {} in {line}", group.0);
    ensure!(layout.size % 8 == 0 && values[0] == layout.size.to_string(), "{line}");
    ensure!(line.contains("align 8") && line.contains(" constant "), "{line}");
    Ok(())
}

fn frame_in_ir(llvm: &Llvm, dir: &Path) -> Result<()> {
    let ir = instrumented_ir(llvm, dir, &["-O0"])?;
    let alloca = format!("alloca [{FRAME_SIZE} x i8], align {FRAME_ALIGN}");
    ensure!(ir.contains(&alloca), "no `{alloca}` in\n{ir}");
    // The first entry point is read through the frame's own address, the others at their offsets.
    for offset in [offset_of!(Frame, advance), offset_of!(Frame, leave)] {
        let reads = Regex::new(&format!(r"getelementptr (inbounds )?(nuw )?i8, ptr %\d+, i64 {offset}\b"))?;
        ensure!(reads.is_match(&ir), "nothing reads the frame at {offset}");
    }
    Ok(())
}

fn object_file(llvm: &Llvm, dir: &Path, flags: &[&str]) -> Result<PathBuf> {
    let (source, to) = (dir.join("loop.c"), dir.join("loop.so"));
    std::fs::write(&source, SOURCE)?;
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    child::succeed(clang.args(["-shared", "-fPIC"]).args(flags).arg(source).arg("-o").arg(&to))?;
    Ok(to)
}

fn module_record_on_disk(llvm: &Llvm, dir: &Path) -> Result<()> {
    let bytes = std::fs::read(object_file(llvm, dir, &["-O2"])?)?;
    let file = object::File::parse(&*bytes)?;
    let symbol = file.symbols().find(|s| s.name() == Ok(MODULE_SYMBOL)).context("no module record")?;
    ensure!(symbol.size() == size_of::<ModuleRecord>() as u64, "{} bytes", symbol.size());
    ensure!(!file.dynamic_symbols().any(|s| s.name() == Ok(MODULE_SYMBOL)), "the module record is exported");
    let section = file.section_by_index(symbol.section_index().context("no section")?)?;
    let record = section.data_range(symbol.address(), symbol.size())?.context("no bytes")?;
    ensure!(record.starts_with(b"ompchunk"), "{record:?}");
    let version = offset_of!(ModuleRecord, abi_version);
    ensure!(record[version..version + 4] == VERSION.to_le_bytes(), "{record:?}");
    // The shim finds the record by the note.
    let note = file.section_by_name(NOTE_SECTION).context("no note")?;
    let bytes = note.data()?;
    ensure!(bytes.len() == size_of::<Note>(), "{bytes:?}");
    let head = [NOTE_NAME.len() as u32, 8, NOTE_MODULE].map(u32::to_le_bytes);
    ensure!(bytes.starts_with(&head.concat()), "{bytes:?}");
    ensure!(bytes[offset_of!(Note, name)..].starts_with(NOTE_NAME), "{bytes:?}");
    let at = offset_of!(Note, module);
    let distance = i64::from_le_bytes(bytes[at..at + 8].try_into()?);
    let from = note.address() + at as u64;
    ensure!(from.wrapping_add_signed(distance) == symbol.address(), "{bytes:?}");
    Ok(())
}

fn loop_records_after_strip(llvm: &Llvm, dir: &Path) -> Result<()> {
    let library = object_file(llvm, dir, &["-O2", "-g"])?;
    child::succeed(child::command("strip").arg(&library))?;
    let [record] = &records::of_file(&library)?[..] else { anyhow::bail!("not one record") };
    let right = Record {
        construct: CONSTRUCT_FOR,
        bits: 32,
        flags: LOOP_SIGNED
            | LOOP_CHUNKED
            | LOOP_CHUNK_KNOWN
            | LOOP_START_KNOWN
            | LOOP_STEP_KNOWN
            | LOOP_CHANGEABLE
            | LOOP_DIVISIBLE
            | LOOP_FREE
            | LOOP_TOLD,
        schedule: 33,
        chunk: 7,
        start: 100,
        step: 3,
        variable_bits: 32,
        fixed: 0,
        bound: 0,
        group: Vec::new(),
        line: 3,
        column: record.column,
        function: "f".into(),
        file: dir.join("loop.c").display().to_string(),
    };
    ensure!(*record == right && record.column > 0, "{record:?} is not {right:?}");
    // Nothing for the dynamic linker to do: the section reads the same from the file and in memory.
    let bytes = std::fs::read(&library)?;
    let file = object::File::parse(&*bytes)?;
    let section = file.section_by_name(LOOPS_SECTION).context("no section")?;
    let range = section.address()..section.address() + section.size();
    let relocated = file.dynamic_relocations().into_iter().flatten().any(|(at, _)| range.contains(&at));
    ensure!(!relocated, "the loop records need relocations");
    Ok(())
}

fn shim_exports() -> Result<()> {
    let right: BTreeSet<String> = ["ompt_start_tool", CONNECT_SYMBOL, "__omp_collector_api"].map(str::to_owned).into();
    let exported = exports(&dist::shim()?)?;
    ensure!(exported == right, "the shim exports {exported:?}");
    Ok(())
}

fn plugin_links_no_llvm(llvm: &Llvm, _: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let dynamic = child::succeed(child::command("readelf").arg("-dW").arg(&plugin))?.stdout;
    let needed: Vec<&str> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    ensure!(!needed.is_empty(), "nothing needed in\n{dynamic}");
    ensure!(!needed.iter().any(|line| line.contains("LLVM")), "the plugin links LLVM: {needed:?}");
    let exported = exports(&plugin)?;
    ensure!(exported.contains("llvmGetPassPluginInfo"), "the plugin exports {exported:?}");
    Ok(())
}

/// The dynamic symbols that a library defines.
fn exports(library: &Path) -> Result<BTreeSet<String>> {
    let bytes = std::fs::read(library)?;
    let file = object::File::parse(&*bytes)?;
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    defined.map(|symbol| Ok(symbol.name()?.to_owned())).collect()
}
