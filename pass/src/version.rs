//! What differs between LLVM majors on the Rust side. (In the glue: one header's place, see
//! `glue/plugin.cpp`.)

use std::ffi::{c_char, c_void};

/// `llvm::PassPluginLibraryInfo`, returned by value to LLVM. LLVM 22 added the last member.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    plugin_name: *const c_char,
    plugin_version: *const c_char,
    register_pass_builder_callbacks: *const c_void,
    #[cfg(any(feature = "llvm22", feature = "llvm23"))]
    pre_code_gen_callback: *const c_void,
}
