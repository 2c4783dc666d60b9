//! Builds the C++ glue against the headers of the LLVM that the feature names.

fn main() {
    println!("cargo::rerun-if-changed=glue");
    #[cfg(feature = "llvm")]
    glue::build();
}

#[cfg(feature = "llvm")]
mod glue {
    use std::path::PathBuf;
    use std::process::Command;

    const MAJORS: [(u32, u32); 9] =
        [(15, 150), (16, 160), (17, 170), (18, 181), (19, 191), (20, 201), (21, 211), (22, 221), (23, 231)];

    pub fn build() {
        let enabled: Vec<_> = MAJORS
            .into_iter()
            .filter(|(major, _)| std::env::var_os(format!("CARGO_FEATURE_LLVM{major}")).is_some())
            .collect();
        let [(major, sys)] = enabled[..] else {
            panic!("enable exactly one of the features llvm15 to llvm23, e.g. --features llvm22");
        };

        let prefix_variable = format!("LLVM_SYS_{sys}_PREFIX");
        println!("cargo::rerun-if-env-changed={prefix_variable}");
        let config = match std::env::var_os(&prefix_variable) {
            Some(prefix) => PathBuf::from(prefix).join("bin/llvm-config"),
            None => PathBuf::from(format!("llvm-config-{major}")),
        };
        // llvm-sys accepts any prefix when it need not link: a wrong one would give a plugin that lies about its LLVM.
        let version = query(&config, "--version");
        assert!(
            version.split('.').next() == Some(&major.to_string()),
            "feature llvm{major} needs LLVM {major}, but {} is version {version}; \
             set {prefix_variable} to the prefix of an LLVM {major} (Debian: apt install llvm-{major}-dev)",
            config.display(),
        );

        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .files([
                "glue/plugin.cpp", "glue/analysis.cpp", "glue/clone.cpp", "glue/covered.cpp", "glue/emit.cpp",
                "glue/fills.cpp", "glue/lines.cpp", "glue/numerics.cpp", "glue/promises.cpp", "glue/report.cpp",
            ])
            // As distributions' LLVM: with RTTI our subclasses would miss their bases' type information at load.
            .flag("-fno-rtti")
            .flag("-fvisibility=hidden")
            .flag("-isystem")
            .flag(query(&config, "--includedir"))
            .warnings(true)
            .extra_warnings(true)
            .compile("ompchunk_glue");
    }

    fn query(config: &PathBuf, what: &str) -> String {
        let output = Command::new(config).arg(what).output().unwrap_or_else(|error| {
            panic!("cannot run {}: {error} (Debian: apt install llvm-22-dev)", config.display())
        });
        assert!(output.status.success(), "{} {what} failed: {output:?}", config.display());
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}
