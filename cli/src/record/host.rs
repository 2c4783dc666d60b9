//! The machine that this is.

/// Its name, as parts have it.
pub fn name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
