//! The library's name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Where its path has a blank, it is preloaded by its name.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libompchunk_stock.so");
}
