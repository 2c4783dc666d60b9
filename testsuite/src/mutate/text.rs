//! LLVM IR as text: functions, blocks, lines, and as much of a line as mutating it needs.
//!
//! Not a parser of the language: what is not understood is kept as it is, and a mutant that came out wrong is thrown away by LLVM's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Debug, Clone, Default)]
pub struct Module {
    /// Lines outside of function bodies.
    pub head: Vec<String>,
    pub functions: Vec<Function>,
}

#[derive(Debug, Clone)]
pub struct Function {
    pub define: String,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its label, without `%`.
    pub label: String,
    /// Its instructions, each on one line and without indentation.
    pub lines: Vec<String>,
}

/// Where a line stands: function, block, line.
pub type At = (usize, usize, usize);

/// Patterns of this module, or for those beside it.
macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(pub(super) static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).expect("a regex"));)*
    };
}
pub(super) use patterns;

patterns! {
    LABEL = r#"^([-\w.$]+|"[^"]*"):"#;
    NAME = r#"%(?:[-\w.$]+|"[^"]*")"#;
    TARGET = r#"label %([-\w.$]+|"[^"]*")"#;
    RESULT = r#"^(%(?:[-\w.$]+|"[^"]*")) = (.*)$"#;
    TYPE = r"^(i\d+|ptr|float|double|token)\b";
    PHI_ENTRY = r#"\[ ([^,\[\]]+), %([-\w.$]+|"[^"]*") \]"#;
    FUNCTION_NAME = r#"@([-\w.$]+|"[^"]*")\("#;
    NUMBERED = r"%(\d+)\b";
    // A start of a loop, or of the creation of a task.
    START = r"\b(?:call|invoke) [^@]*@__kmpc_(?:(?:(?:dist_)?for_static|dispatch)_init_(?:4|8)u?|omp_(?:target_)?task_alloc)\(";
}

impl Module {
    pub fn parse(text: &str) -> Module {
        let mut module = Module::default();
        let mut inside = false;
        for line in text.lines() {
            if !inside {
                if line.starts_with("define ") && line.ends_with('{') {
                    inside = true;
                    module.functions.push(Function { define: line.to_owned(), blocks: Vec::new() });
                } else {
                    module.head.push(line.to_owned());
                }
            } else if line == "}" {
                inside = false;
            } else if let Some(function) = module.functions.last_mut() {
                function.read(line);
            }
        }
        module
    }

    /// Gives names to values and blocks that have numbers, which must follow one another without a gap.
    pub fn name_values(&mut self) {
        let name = |text: &str| NUMBERED.replace_all(text, "%v$1").into_owned();
        for line in self.head.iter_mut().filter(|line| line.contains("blockaddress(")) {
            *line = name(line);
        }
        for function in &mut self.functions {
            function.define = name(&function.define);
            for block in &mut function.blocks {
                if block.label.starts_with(|c: char| c.is_ascii_digit()) {
                    block.label.insert(0, 'v');
                }
                for line in &mut block.lines {
                    *line = name(line);
                }
            }
        }
    }

    pub fn line(&mut self, at: At) -> &mut String {
        &mut self.functions[at.0].blocks[at.1].lines[at.2]
    }

    /// The places of all lines for which `wanted` holds.
    pub fn places(&self, wanted: impl Fn(&str) -> bool) -> Vec<At> {
        let mut places = Vec::new();
        for (f, function) in self.functions.iter().enumerate() {
            for (b, block) in function.blocks.iter().enumerate() {
                let lines = block.lines.iter().enumerate();
                places.extend(lines.filter(|(_, line)| wanted(line)).map(|(l, _)| (f, b, l)));
            }
        }
        places
    }

    /// A name that no value has yet.
    pub fn fresh(&self, stem: &str) -> String {
        let text = self.to_string();
        let mut number = 0;
        loop {
            let name = format!("{stem}.{number}");
            if !text.contains(&name) {
                return name;
            }
            number += 1;
        }
    }
}

impl Function {
    fn read(&mut self, line: &str) {
        if line.trim().is_empty() || line.starts_with(';') {
            return;
        }
        if let Some(found) = LABEL.captures(line) {
            self.blocks.push(Block { label: found[1].to_owned(), lines: Vec::new() });
            return;
        }
        if self.blocks.is_empty() {
            // The entry's label is left out where its name is a number: the first after the parameters'.
            let parameters = NUMBERED.find_iter(&self.define).count();
            self.blocks.push(Block { label: parameters.to_string(), lines: Vec::new() });
        }
        let lines = &mut self.blocks.last_mut().expect("one was pushed").lines;
        // Switches, landing pads and invokes go on, further indented, on the next line.
        let goes_on = (line.starts_with("   ") || line.starts_with("  ]")) && !line.contains("#dbg_");
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None => lines.push(line.trim().to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        let found = FUNCTION_NAME.captures(&self.define);
        found.map_or("", |found| found.get(1).expect("the group").as_str())
    }

    /// Types of all values whose type can be told, by name with `%`.
    pub fn types(&self) -> BTreeMap<String, String> {
        let mut types = BTreeMap::new();
        if let Some((_, parameters)) = self.define.split_once('(') {
            for parameter in parameters.split(", ") {
                let of = TYPE.find(parameter);
                let name = NAME.find_iter(parameter).last();
                if let (Some(of), Some(name)) = (of, name) {
                    types.insert(name.as_str().to_owned(), of.as_str().to_owned());
                }
            }
        }
        for line in self.blocks.iter().flat_map(|block| &block.lines) {
            if let Some((name, of)) = result(line) {
                types.insert(name, of);
            }
        }
        types
    }

    /// For every block, the blocks that jump to it, once per edge.
    pub fn predecessors(&self) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for block in &self.blocks {
            for target in block.targets() {
                found.entry(target).or_default().push(block.label.clone());
            }
        }
        found
    }

    /// Gives every PHI the operands that its block's predecessors ask for; `value` for new edges, or else what it had for another.
    pub fn repair_phis(&mut self, value: Option<&str>) {
        let predecessors = self.predecessors();
        for block in &mut self.blocks {
            let from = predecessors.get(&block.label).cloned().unwrap_or_default();
            for line in &mut block.lines {
                repair_phi(line, &from, value);
            }
        }
    }

    pub fn keep_reachable(&mut self) {
        let reachable = self.reachable();
        self.blocks.retain(|block| reachable.contains(&block.label));
        self.repair_phis(None);
    }

    pub fn reachable(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut work: Vec<String> = self.blocks.iter().take(1).map(|b| b.label.clone()).collect();
        while let Some(label) = work.pop() {
            if let Some(block) = self.blocks.iter().find(|block| block.label == label)
                && found.insert(label)
            {
                work.extend(block.targets());
            }
        }
        found
    }
}

impl Block {
    pub fn targets(&self) -> Vec<String> {
        let last = self.lines.last().map_or("", |line| line.as_str());
        let targets = TARGET.captures_iter(last);
        targets.map(|target| target[1].to_owned()).collect()
    }
}

fn repair_phi(line: &mut String, from: &[String], value: Option<&str>) {
    let Some((name, rest)) = line.split_once(" = phi ") else {
        return;
    };
    let mut entries: Vec<(String, String)> =
        PHI_ENTRY.captures_iter(rest).map(|entry| (entry[1].to_owned(), entry[2].to_owned())).collect();
    let before: Vec<String> = entries.iter().map(|(_, block)| block.clone()).collect();
    let of = rest.split(" [ ").next().unwrap_or("i32").to_owned();
    if from.is_empty() {
        *line = format!("{name} = freeze {of} undef");
        return;
    }
    let mut missing = from.to_vec();
    entries.retain(|(_, block)| match missing.iter().position(|m| m == block) {
        Some(at) => {
            missing.swap_remove(at);
            true
        }
        None => false,
    });
    for block in missing {
        // Several edges from one block must bring the same value.
        let same = entries.iter().find(|(_, other)| *other == block);
        let other = same.or(entries.first()).map(|(value, _)| value.clone());
        let new = match (same, value) {
            (None, Some(value)) => Some(value.to_owned()),
            _ => other,
        };
        entries.push((new.unwrap_or_else(|| "undef".to_owned()), block));
    }
    if entries.iter().map(|(_, block)| block).ne(&before) {
        let entries: Vec<String> = entries.into_iter().map(|(value, block)| format!("[ {value}, %{block} ]")).collect();
        *line = format!("{name} = phi {of} {}", entries.join(", "));
    }
}

/// Name and type of what a line computes, if it can be told.
pub fn result(line: &str) -> Option<(String, String)> {
    let found = RESULT.captures(line)?;
    let (name, rest) = (found[1].to_owned(), &found[2]);
    let (opcode, mut operands) = rest.split_once(' ')?;
    let of = match opcode {
        "alloca" | "getelementptr" => "ptr",
        "icmp" | "fcmp" => "i1",
        "trunc" | "zext" | "sext" | "ptrtoint" | "inttoptr" | "bitcast" => operands.rsplit_once(" to ")?.1,
        "select" => operands.split(", ").nth(1)?,
        "call" | "invoke" | "tail" | "musttail" | "notail" => {
            let before = operands.split(['@', '(']).next()?.trim_end();
            before.rsplit(' ').next()?
        }
        _ => {
            let flags = ["volatile ", "atomic ", "nsw ", "nuw ", "exact ", "disjoint "];
            while let Some(rest) = flags.iter().find_map(|flag| operands.strip_prefix(flag)) {
                operands = rest;
            }
            operands
        }
    };
    Some((name, TYPE.find(of)?.as_str().to_owned()))
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(f, "{line}")?;
        }
        for function in &self.functions {
            writeln!(f, "\n{}", function.define)?;
            for block in &function.blocks {
                writeln!(f, "{}:", block.label)?;
                for line in &block.lines {
                    writeln!(f, "  {line}")?;
                }
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
@g = global i32 0
define void @f(ptr noalias %p, i32 %n) #0 {
entry:
  %a = alloca i32, align 4
  switch i32 %n, label %x [
    i32 0, label %y
  ]

x:                                                ; preds = %entry
  %l = load volatile i32, ptr %a, align 4
  br label %y

y:
  %v = phi i32 [ %l, %x ], [ 0, %entry ]
  %c = call noundef i64 @h(i32 %v)
  ret void
}
declare i64 @h(i32)
";

    #[test]
    fn what_is_read_is_printed_again() {
        let module = Module::parse(TEXT);
        assert_eq!(module.head.len(), 2);
        let function = &module.functions[0];
        assert_eq!((function.name(), function.blocks.len()), ("f", 3));
        assert_eq!(function.blocks[0].targets(), ["x", "y"]);
        let again = Module::parse(&module.to_string());
        assert_eq!(again.functions[0].blocks, function.blocks);
    }

    #[test]
    fn numbers_become_names() {
        let text = "define void @f(ptr %0, i32 %n) {\n  %2 = load i32, ptr %0\n  br label %3\n\n3:\n  %4 = phi i32 [ %2, %1 ]\n  ret void\n}\n";
        let mut module = Module::parse(text);
        module.name_values();
        let function = &module.functions[0];
        assert_eq!(function.blocks[0].label, "v1");
        assert_eq!(function.blocks[1].lines[0], "%v4 = phi i32 [ %v2, %v1 ]");
    }

    #[test]
    fn types_are_found() {
        let types = Module::parse(TEXT).functions[0].types();
        let of = |name: &str| types.get(name).map(String::as_str);
        assert_eq!(of("%p"), Some("ptr"));
        assert_eq!((of("%n"), of("%l"), of("%v")), (Some("i32"), Some("i32"), Some("i32")));
        assert_eq!((of("%a"), of("%c")), (Some("ptr"), Some("i64")));
    }

    #[test]
    fn phis_follow_the_edges() {
        let mut function = Module::parse(TEXT).functions.remove(0);
        *function.blocks[1].lines.last_mut().unwrap() = "unreachable".to_owned();
        function.repair_phis(None);
        assert_eq!(function.blocks[2].lines[0], "%v = phi i32 [ 0, %entry ]");
        *function.blocks[1].lines.last_mut().unwrap() = "br label %y".to_owned();
        function.repair_phis(Some("7"));
        let phi = "%v = phi i32 [ 0, %entry ], [ 7, %x ]";
        assert_eq!(function.blocks[2].lines[0], phi);
    }
}
