//! Compilers that others build of clang. None of them is here: scripts say what they say, and run Debian's clang.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{HUNDRED, directory, fail, majors, must_say, ompchunk, script, succeed};

/// A clang, by this name, that says this of itself.
fn imitated(directory: &Path, name: &str, says: &str) -> PathBuf {
    let (major, driver) = (majors()[0], if name.contains('p') { "clang++" } else { "clang" });
    let text =
        format!("#!/bin/sh\n[ \"$*\" != --version ] || {{ printf '{says}'; exit; }}\nexec {driver}-{major} \"$@\"\n");
    script(directory, name, &text)
}

/// As the compilers say it, with the major of the clang that is run.
fn intel() -> String {
    "Intel(R) oneAPI DPC++/C++ Compiler 2025.3.0 (2025.3.0.20251010)\\nTarget: x86_64-unknown-linux-gnu\\n\
     Thread model: posix\\nInstalledDir: /opt/intel/oneapi/compiler/2025.3/bin/compiler\\n"
        .to_owned()
}

fn amd(major: u32, installed: &Path) -> String {
    format!(
        "AMD clang version {major}.0.0git (https://github.com/RadeonOpenCompute/llvm-project roc-7.0.2 25385 0dda)\\n\
         Target: x86_64-unknown-linux-gnu\\nThread model: posix\\nInstalledDir: {}\\n",
        installed.display()
    )
}

fn hip(major: u32, installed: &Path) -> String {
    format!("HIP version: 7.0.51831\\n{}", amd(major, installed))
}

fn loops(program: &Path) -> usize {
    let listed = succeed(ompchunk(&["loops", "--json"]).arg(program));
    let listed: Value = serde_json::from_str(&listed).expect(&listed);
    listed["loops"].as_array().expect("loops").len()
}

#[test]
fn each_takes_the_plugin_that_fits() {
    let directory = directory("app.c", HUNDRED);
    let at = directory.path();
    let major = majors()[0];
    std::fs::copy(at.join("app.c"), at.join("app.cpp")).unwrap();
    for (command, variable, name, says) in [
        ("cc", "OMPCHUNK_CC", "icx", intel()),
        ("c++", "OMPCHUNK_CXX", "icpx", intel()),
        ("cc", "OMPCHUNK_CC", "amdclang", amd(major, at)),
        ("c++", "OMPCHUNK_CXX", "hipcc", hip(major, at)),
    ] {
        let compiler = imitated(at, name, &says);
        let source = if command == "cc" { "app.c" } else { "app.cpp" };
        let mut compile = ompchunk(&[command, "-O1", "-g", "-fopenmp", source, "-o", "app"]);
        succeed(compile.env(variable, &compiler).current_dir(at));
        assert_eq!(loops(&at.join("app")), 1, "{name}");
        // With no plugin, it is the compiler as it is.
        let mut plain = ompchunk(&[command, "-fopenmp", source, "-o", "plain"]);
        succeed(plain.env(variable, &compiler).env("OMPCHUNK", "off").current_dir(at));
    }
}

#[test]
fn one_is_found_where_there_is_no_clang() {
    let directory = directory("app.c", HUNDRED);
    let at = directory.path();
    let clang = format!("clang-{}", majors()[0]);
    let usual = std::env::var("PATH").unwrap();
    let place = usual.split(':').map(|place| Path::new(place).join(&clang)).find(|path| path.exists());
    let place = place.unwrap().canonicalize().unwrap();
    let text = format!(
        "#!/bin/sh\n[ \"$*\" != --version ] || {{ printf '{}'; exit; }}\nexec '{}' \"$@\"\n",
        intel(),
        place.display()
    );
    script(at, "icx", &text);
    let mut compile = ompchunk(&["cc", "-c", "-O1", "-fopenmp", "app.c", "-o", "app.o"]);
    succeed(compile.env("PATH", at).current_dir(at));
    assert_eq!(loops(&at.join("app.o")), 1);
    let mut doctor = ompchunk(&["doctor", "--json"]);
    let said = doctor.env("PATH", at).output().unwrap();
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let of_icx = checks.iter().filter_map(|check| check["seen"].as_str());
    assert!(of_icx.clone().any(|seen| seen.starts_with("icx, LLVM ")), "{report:#}");
}

#[test]
fn without_a_plugin_it_says_which_llvm_would_do() {
    let directory = directory("app.c", HUNDRED);
    let at = directory.path();
    script(at, "llvm-config", "#!/bin/sh\n");
    let compiler = imitated(at, "amdclang", &amd(14, at));
    let mut compile = ompchunk(&["cc", "-c", "app.c"]);
    let (_, said) = fail(compile.env("OMPCHUNK_CC", &compiler).current_dir(at));
    must_say(&said, "is of LLVM 14");
    must_say(&said, &format!("make LLVM_CONFIG={}/llvm-config", at.display()));
    std::fs::remove_file(at.join("llvm-config")).unwrap();
    let (_, said) = fail(&mut compile);
    must_say(&said, "make LLVM_CONFIG=llvm-config-14");
}

/// Made of LLVM, and no clang: what it says begins with an empty line.
#[test]
fn nvc_is_none() {
    let directory = directory("app.c", HUNDRED);
    let text = "#!/bin/sh\n[ \"$*\" = --version ] || { echo 'nvc-Error-Unknown switch' >&2; exit 1; }\n\
                printf '\\nnvc 24.9-0 64-bit target on x86-64 Linux -tp zen3 \\nNVIDIA Compilers and Tools\\n'\n";
    let compiler = script(directory.path(), "nvc", text);
    let mut compile = ompchunk(&["cc", "-c", "app.c"]);
    let (_, said) = fail(compile.env("OMPCHUNK_CC", &compiler).current_dir(&directory));
    must_say(&said, "is no clang or flang (its version: nvc 24.9-0 64-bit target");
}
