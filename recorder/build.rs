//! The recorder's name as a library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    // It is opened by its name from a directory of the system's libraries, all of which have one.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libompchunk_trace.so");
}
