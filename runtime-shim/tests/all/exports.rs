//! The library's face: its symbols.

use std::process::Command;

use crate::common::shim;

#[test]
fn exports_exactly_three_functions() {
    let result = Command::new("nm").args(["-D", "--defined-only"]).arg(shim()).output().expect("nm: install binutils");
    let text = String::from_utf8_lossy(&result.stdout);
    let mut symbols: Vec<_> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    symbols.sort_unstable();
    assert_eq!(symbols, ["__omp_collector_api", ompchunk_abi::CONNECT_SYMBOL, "ompt_start_tool"]);
}
