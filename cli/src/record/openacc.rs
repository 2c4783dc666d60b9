//! OpenACC's profiling interface: the runtime loads the libraries that `ACC_PROFLIB` names, and the recorder is one. Who has
//! named another one keeps it: not every runtime takes a list.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The variable.
const LIST: &str = "ACC_PROFLIB";

/// Names the recorder, or says why not and what to do about it.
pub(super) fn attach(command: &mut Command, recorder: &Path) -> Option<String> {
    beside(command, recorder, std::env::var_os(LIST).as_deref())
}

fn beside(command: &mut Command, recorder: &Path, already: Option<&OsStr>) -> Option<String> {
    let Some(already) = already else {
        command.env(LIST, recorder);
        return None;
    };
    let name = recorder.file_name()?.to_string_lossy();
    let already = already.to_string_lossy();
    // Empty: nothing shall listen.
    if already.is_empty() || already.contains(&*name) {
        return None;
    }
    Some(format!(
        "{LIST} names {already}, which stays alone: OpenACC is not recorded; to have both, where the OpenACC runtime takes a list as \
         GCC's does: {LIST}='{already};{}'",
        recorder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(already: Option<&str>) -> (Option<String>, bool) {
        let mut command = Command::new("true");
        let recorder = Path::new("/l/libompchunk_trace.so");
        let said = beside(&mut command, recorder, already.map(OsStr::new));
        let is_set = command.get_envs().any(|(name, _)| name == LIST);
        (said, is_set)
    }

    #[test]
    fn a_users_own_library_stays() {
        assert_eq!(set(None), (None, true));
        assert_eq!(set(Some("")), (None, false));
        assert_eq!(set(Some("/o/libompchunk_trace.so")), (None, false));
        let (said, is_set) = set(Some("/u/lib.so"));
        assert!(!is_set);
        let said = said.unwrap();
        assert!(said.contains("ACC_PROFLIB='/u/lib.so;/l/libompchunk_trace.so'"), "{said}");
    }
}
