//! An OpenMP directive in its source text: a row of characters without continuations and comments, each with its place. What is
//! no directive or clause of a loop may be a macro that hides a schedule, so such a directive stays as it is.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the file has no such line")]
    NoLine,
    /// Another text than the compiler saw, or a macro.
    #[error("there is no OpenMP directive in the line; a macro may make it")]
    NoDirective,
    #[error("the directive has no end")]
    NoEnd,
    #[error("'{0}' is not a directive or clause of a loop, and may be a macro that contains a schedule")]
    Unknown(String),
    /// `sections`, `loop`, `distribute` alone ...
    #[error("the directive is not a 'for' or 'do', so it takes no schedule clause")]
    NoLoop,
    #[error("the line would be longer than the {0} columns that the compiler reads")]
    TooLong(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Pragma,
    Free,
    Fixed,
}

/// Columns of a line that Fortran compilers read.
const FREE_COLUMNS: usize = 132;
const FIXED_COLUMNS: usize = 72;

/// Names of directives that a directive with a worksharing loop may be composed of.
const DIRECTIVES: [&str; 7] = ["parallel", "for", "do", "simd", "distribute", "teams", "target"];
const CLAUSES: [&str; 38] = [
    "private", "firstprivate", "lastprivate", "shared", "default", "reduction", "num_threads", "if", "proc_bind",
    "copyin", "collapse", "ordered", "nowait", "allocate", "linear", "aligned", "safelen", "simdlen", "nontemporal",
    "order", "dist_schedule", "num_teams", "thread_limit", "map", "device", "depend", "is_device_ptr",
    "has_device_addr", "defaultmap", "uses_allocators", "in_reduction", "schedule", "message", "severity", "safesync",
    "induction", "looprange", "apply",
];

impl Form {
    /// By the name of the file, as compilers do.
    pub fn from_name(name: &str) -> Form {
        let extension = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        match extension.as_str() {
            "f" | "for" | "ftn" | "f77" | "fpp" => Form::Fixed,
            "f90" | "f95" | "f03" | "f08" | "f18" | "cuf" => Form::Free,
            _ => Form::Pragma,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Letter {
    character: char,
    place: usize,
}

/// The text with `clause` (`schedule(dynamic,16)`) in the directive that begins in a line, counted from 1.
pub fn with_clause(text: &str, line: u32, clause: &str, form: Form) -> Result<String, Refusal> {
    let begin = begin_of_line(text, line).ok_or(Refusal::NoLine)?;
    let letters = match form {
        Form::Pragma => pragma(text, begin)?,
        Form::Free => free_form(text, begin)?,
        Form::Fixed => fixed_form(text, begin)?,
    };
    let mut changed = text.to_owned();
    match schedule(&letters)? {
        Some(old) => changed.replace_range(old, clause),
        None => insert(&mut changed, end(&letters)?, clause, form),
    }
    let columns = match form {
        Form::Pragma => return Ok(changed),
        Form::Free => FREE_COLUMNS,
        Form::Fixed => FIXED_COLUMNS,
    };
    let last = end(&letters)? + changed.len() - text.len();
    let is_within = changed[begin..last.min(changed.len())].lines().all(|line| line.chars().count() <= columns);
    if is_within { Ok(changed) } else { Err(Refusal::TooLong(columns)) }
}

fn begin_of_line(text: &str, line: u32) -> Option<usize> {
    let before = (line as usize).checked_sub(1)?;
    let mut begins = std::iter::once(0).chain(text.match_indices('\n').map(|(place, _)| place + 1));
    begins.nth(before).filter(|begin| *begin < text.len())
}

fn end(letters: &[Letter]) -> Result<usize, Refusal> {
    let last = letters.iter().rfind(|letter| !letter.character.is_whitespace()).ok_or(Refusal::NoDirective)?;
    Ok(last.place + last.character.len_utf8())
}

/// In a line of its own where Fortran reads no further.
fn insert(text: &mut String, place: usize, clause: &str, form: Form) {
    let begin = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let columns = text[begin..place].chars().count() + 1 + clause.len();
    let is_crlf = text[place..].split('\n').next().is_some_and(|rest| rest.ends_with('\r'));
    let end_of_line = if is_crlf { "\r\n" } else { "\n" };
    let indent = &text[begin..begin + text[begin..].len() - text[begin..].trim_start().len()];
    let inserted = match form {
        Form::Free if columns > FREE_COLUMNS - 2 => format!(" &{end_of_line}{indent}!$omp {clause}"),
        Form::Fixed if columns > FIXED_COLUMNS => format!("{end_of_line}!$omp+ {clause}"),
        _ => format!(" {clause}"),
    };
    text.insert_str(place, &inserted);
}

/// What follows `#pragma omp`.
fn pragma(text: &str, begin: usize) -> Result<Vec<Letter>, Refusal> {
    let letters = logical_line(text, begin)?;
    let rest = ["#", "pragma", "omp"].iter().try_fold(&letters[..], |rest, word| after(rest, word));
    let rest = rest.filter(|rest| !rest.first().is_some_and(|letter| is_of_word(letter.character)));
    rest.map(<[Letter]>::to_vec).ok_or(Refusal::NoDirective)
}

/// A line of C without its continuations, and blanks for its comments.
fn logical_line(text: &str, begin: usize) -> Result<Vec<Letter>, Refusal> {
    let mut letters = Vec::new();
    let mut place = begin;
    while let Some(character) = text[place..].chars().next() {
        let rest = &text[place..];
        if let Some(continued) = ["\\\n", "\\\r\n"].into_iter().find(|end| rest.starts_with(end)) {
            place += continued.len();
            continue;
        }
        if character == '\n' || rest.starts_with("//") {
            break;
        }
        if rest.starts_with("/*") {
            letters.push(Letter { character: ' ', place });
            place += rest.find("*/").ok_or(Refusal::NoEnd)? + 2;
            continue;
        }
        letters.push(Letter { character, place });
        place += character.len_utf8();
    }
    Ok(letters)
}

/// What follows a word, blanks before it left out.
fn after<'l>(letters: &'l [Letter], word: &str) -> Option<&'l [Letter]> {
    let blanks = letters.iter().take_while(|letter| letter.character.is_whitespace()).count();
    let rest = &letters[blanks..];
    let is_it = rest.len() >= word.len()
        && rest.iter().zip(word.chars()).all(|(letter, character)| letter.character == character);
    is_it.then(|| &rest[word.len()..])
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn free_form(text: &str, begin: usize) -> Result<Vec<Letter>, Refusal> {
    let mut letters = Vec::new();
    let mut place = begin;
    loop {
        let line = text[place..].split('\n').next().unwrap_or("");
        let indent = line.len() - line.trim_start().len();
        let content = indent + "!$omp".len();
        if !line.get(indent..content).is_some_and(|sentinel| sentinel.eq_ignore_ascii_case("!$omp")) {
            return Err(if letters.is_empty() { Refusal::NoDirective } else { Refusal::NoEnd });
        }
        let code = without_comment(&line[content..]).trim_end();
        let (code, continues) = code.strip_suffix('&').map_or((code, false), |code| (code, true));
        let first = usize::from(!letters.is_empty() && code.trim_start().starts_with('&'))
            * (code.len() - code.trim_start().len() + 1);
        push(&mut letters, &code[first.min(code.len())..], place + content + first);
        if !continues {
            return Ok(letters);
        }
        letters.push(Letter { character: ' ', place: place + content + code.len() });
        place += line.len() + 1;
        if place > text.len() {
            return Err(Refusal::NoEnd);
        }
    }
}

/// In fixed form a character in column 6 continues the line before.
fn fixed_form(text: &str, begin: usize) -> Result<Vec<Letter>, Refusal> {
    let mut letters = Vec::new();
    let mut place = begin;
    while place < text.len() {
        let line = text[place..].split('\n').next().unwrap_or("");
        let sentinel = line.get(..5).map(str::to_ascii_lowercase);
        let is_directive = sentinel.is_some_and(|words| ["!$omp", "c$omp", "*$omp"].contains(&words.as_str()));
        let continues = !matches!(line.as_bytes().get(5), None | Some(b' ' | b'0' | b'\r'));
        if !is_directive || continues == letters.is_empty() {
            break;
        }
        letters.push(Letter { character: ' ', place: place + 5 });
        let code = line.get(6..).unwrap_or("");
        push(&mut letters, without_comment(code).trim_end(), place + 6);
        place += line.len() + 1;
    }
    if letters.is_empty() { Err(Refusal::NoDirective) } else { Ok(letters) }
}

/// Directives have no character constants in which there may be a `!`.
fn without_comment(code: &str) -> &str {
    code.split('!').next().unwrap_or("")
}

fn push(letters: &mut Vec<Letter>, code: &str, begin: usize) {
    letters.extend(code.char_indices().map(|(place, character)| Letter { character, place: begin + place }));
}

/// Where the schedule clause stands, in bytes; `None`: there is none. An error: the directive must stay as it is.
fn schedule(letters: &[Letter]) -> Result<Option<Range<usize>>, Refusal> {
    let mut found = None;
    let mut is_loop = false;
    let mut rest = letters;
    while let Some(letter) = rest.first() {
        if letter.character.is_whitespace() || letter.character == ',' {
            rest = &rest[1..];
            continue;
        }
        let length = rest.iter().take_while(|letter| is_of_word(letter.character)).count();
        let name: String = rest[..length.max(1)].iter().map(|letter| letter.character).collect();
        let name = name.to_ascii_lowercase();
        match has_loop(&name) {
            Some(has_loop) => is_loop |= has_loop,
            None if CLAUSES.contains(&name.as_str()) => {}
            None => return Err(Refusal::Unknown(name)),
        }
        let argument = argument(&rest[length..])?;
        if name == "schedule" {
            let end = rest[length + argument - 1].place + 1;
            found = Some(letter.place..end);
        }
        rest = &rest[length + argument..];
    }
    if is_loop { Ok(found) } else { Err(Refusal::NoLoop) }
}

/// Whether one of the directives that a word names is a loop: Fortran's `paralleldo` is two. `None`: it is something else.
fn has_loop(word: &str) -> Option<bool> {
    if word.is_empty() {
        return Some(false);
    }
    DIRECTIVES.iter().find_map(|name| Some(has_loop(word.strip_prefix(name)?)? || matches!(*name, "for" | "do")))
}

/// How many characters the parentheses behind a word take, blanks before them included; 0: there are none.
fn argument(letters: &[Letter]) -> Result<usize, Refusal> {
    let blanks = letters.iter().take_while(|letter| letter.character.is_whitespace()).count();
    if letters.get(blanks).is_none_or(|letter| letter.character != '(') {
        return Ok(0);
    }
    let mut depth = 0usize;
    let end = letters.iter().skip(blanks).position(|letter| {
        match letter.character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map(|end| blanks + end + 1).ok_or(Refusal::NoEnd)
}

#[cfg(test)]
mod tests;
