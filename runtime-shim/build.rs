//! Link flags of the shared library, and the name of the configuration that runs the loom models.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    // Programs linked with the file's full path must not record that path.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libompchunk_rt.so");
    // Runtimes `dlclose` their tool at exit, while other threads may still be in a loop that calls
    // the shim.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
