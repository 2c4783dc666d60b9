//! Programs that no tool is loaded into, or that have one already.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ompchunk_toolchain::needs;

/// Why nothing can be recorded of it, and what to do.
pub fn why(path: &Path, shown: &str) -> Option<(String, String)> {
    let found = path.metadata().ok()?;
    let ours = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    if gets_rights(found.mode(), (found.uid(), found.gid()), ours) {
        return Some((
            format!(
                "{shown} runs with the rights of its owner or group (set-user-ID, set-group-ID); such programs are not recorded, \
                 since whoever starts one would decide which files it writes"
            ),
            format!("a copy without these rights: cp {shown} copy && ompchunk record ./copy"),
        ));
    }
    has_own_tool(path).then(|| (
        format!(
            "{shown} has an OMPT tool of its own (ompt_start_tool), and the runtime asks that one before the recorder"
        ),
        "link it without that tool".to_owned(),
    ))
}

/// Whether a program of this mode, owner and group has other rights than who starts it.
fn gets_rights(mode: u32, (owner, group): (u32, u32), (user, users_group): (u32, u32)) -> bool {
    (mode & libc::S_ISUID != 0 && owner != user) || (mode & libc::S_ISGID != 0 && group != users_group)
}

/// Whether a program has the function by which a runtime finds its tool.
fn has_own_tool(path: &Path) -> bool {
    !needs::symbols(path, false, |name| name == "ompt_start_tool").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_rights_a_program_has() {
        let of = |mode| gets_rights(mode, (0, 0), (1000, 1000));
        assert!(of(0o104_755) && of(0o102_755));
        assert!(!of(0o100_755));
        assert!(!gets_rights(0o104_755, (1000, 0), (1000, 1000)));
    }
}
