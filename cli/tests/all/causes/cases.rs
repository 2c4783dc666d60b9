//! The programs: what all begin with, work that no compiler leaves out; then each below its name and what the first cause says, that
//! is its name or a part of its sentence; of several between `|`, one.

const TEXT: &str = include_str!("cases.c");

pub struct Case {
    pub name: &'static str,
    pub body: &'static str,
    pub cause: &'static str,
}

pub fn work() -> &'static str {
    &TEXT[..TEXT.find("//= ").expect("a case")]
}

pub fn cases() -> impl Iterator<Item = Case> {
    TEXT.split("//= ").skip(1).map(|text| {
        let (head, body) = text.split_once('\n').expect("a head");
        let (name, cause) = head.split_once(" => ").expect("its cause");
        Case { name, body, cause }
    })
}

pub fn case(name: &str) -> Case {
    cases().find(|case| case.name == name).expect("a case of that name")
}
