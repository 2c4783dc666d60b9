//! A program with the shim and the tools in the runtime's list.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::installation::Installation;

pub const LIST: &str = "OMP_TOOL_LIBRARIES";

pub fn find_tool(installation: &Installation, tool: &OsStr) -> Result<PathBuf, Failure> {
    if let Some(path) = tool.to_str().and_then(|name| installation.tool(name)) {
        return Ok(path);
    }
    let path = PathBuf::from(tool);
    if !path.is_file() {
        return Err(Failure::new(
            format!("there is no tool {}: no such file, and no tool of that name came with ompchunk", path.display()),
            format!("--tool /path/to/libtool.so, or --tool with one of: {}", installation.tools().join(", ")),
        ));
    }
    // Absolute: a bare file name would be searched for where the system has its libraries.
    Ok(std::path::absolute(&path).unwrap_or(path))
}

pub fn attach(command: &mut Command, shim: &Path, tools: &[PathBuf], already: Option<&OsStr>) -> Result<(), Failure> {
    command.env(LIST, tool_libraries(shim, tools, already)?);
    // A runtime with OMP_TOOL=disabled asks nobody.
    command.env("OMP_TOOL", "enabled");
    Ok(())
}

/// The shim must be first, and once: a second copy of it would be a tool behind itself.
fn tool_libraries(shim: &Path, tools: &[PathBuf], already: Option<&OsStr>) -> Result<OsString, Failure> {
    let mut entries: Vec<&[u8]> = Vec::new();
    for path in std::iter::once(shim).chain(tools.iter().map(PathBuf::as_path)) {
        let bytes = path.as_os_str().as_bytes();
        if bytes.contains(&b':') {
            return Err(Failure::new(
                format!("{} cannot be in {LIST}: a colon separates its entries", path.display()),
                "make a link to it whose path has no colon",
            ));
        }
        entries.push(bytes);
    }
    for entry in already.map_or(&[][..], OsStr::as_bytes).split(|b| *b == b':') {
        let is_shim = Path::new(OsStr::from_bytes(entry)).file_name() == shim.file_name();
        if !entry.is_empty() && !is_shim && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(OsString::from_vec(entries.join(&b':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: &[&str], already: &str) -> String {
        let tools: Vec<PathBuf> = tools.iter().map(PathBuf::from).collect();
        tool_libraries(Path::new("/l/libompchunk_rt.so"), &tools, Some(already.as_ref()))
            .unwrap()
            .into_string()
            .unwrap()
    }

    #[test]
    fn the_shim_is_first_and_once() {
        assert_eq!(list(&[], ""), "/l/libompchunk_rt.so");
        assert_eq!(list(&["/t/a.so"], "b.so::/old/libompchunk_rt.so:/t/a.so"), "/l/libompchunk_rt.so:/t/a.so:b.so");
    }

    #[test]
    fn no_colon_in_an_entry() {
        let error = tool_libraries(Path::new("/a:b/shim.so"), &[], None).unwrap_err();
        assert!(error.to_string().starts_with("/a:b/shim.so cannot be in"));
    }
}
