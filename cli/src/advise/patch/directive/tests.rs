//! Directives in all forms, understood and not.

use super::*;

const CLAUSE: &str = "schedule(dynamic,16)";

fn edited(text: &str, line: u32, form: Form) -> Result<String, Refusal> {
    with_clause(text, line, CLAUSE, form)
}

fn becomes(form: Form, cases: &[(&str, &str)]) {
    for (before, after) in cases {
        let found = edited(before, 1, form);
        assert_eq!(found.as_deref(), Ok(*after), "{before}");
    }
}

#[test]
fn a_clause_is_added_behind_the_last_or_replaced() {
    becomes(
        Form::Pragma,
        &[
            ("#pragma omp for\n", "#pragma omp for schedule(dynamic,16)\n"),
            (
                "  # pragma  omp parallel for private(a, b) /* why */ // more\n",
                "  # pragma  omp parallel for private(a, b) schedule(dynamic,16) /* why */ // more\n",
            ),
            (
                "#pragma omp for schedule( monotonic : static , (N+1)/2 ) nowait\n",
                "#pragma omp for schedule(dynamic,16) nowait\n",
            ),
            (
                "#pragma omp parallel for \\\r\n  shared(a) \\\r\n  schedule(static)\r\n",
                "#pragma omp parallel for \\\r\n  shared(a) \\\r\n  schedule(dynamic,16)\r\n",
            ),
            (
                "#pragma omp parallel for sched\\\nule(static) if(f(x)(1))\n",
                "#pragma omp parallel for schedule(dynamic,16) if(f(x)(1))\n",
            ),
            (
                "#pragma omp for reduction(+: /* ) */ s) \\\n\n",
                "#pragma omp for reduction(+: /* ) */ s) schedule(dynamic,16) \\\n\n",
            ),
            ("#pragma omp for", "#pragma omp for schedule(dynamic,16)"),
        ],
    );
    let third = "int a;\nint b;\n#pragma omp for\nfor (;;) {}\n";
    let changed = edited(third, 3, Form::Pragma).unwrap();
    assert_eq!(changed, third.replace("omp for", "omp for schedule(dynamic,16)"));
}

#[test]
fn what_is_not_understood_is_refused() {
    let unknown = |name: &str| Refusal::Unknown(name.to_owned());
    for (text, line, why) in [
        ("#pragma omp for\n", 2, Refusal::NoLine),
        ("#pragma omp for\n", 0, Refusal::NoLine),
        ("  PARALLEL_FOR\n", 1, Refusal::NoDirective),
        ("_Pragma(\"omp for\") for (;;) {}\n", 1, Refusal::NoDirective),
        ("#pragma ompx for\n", 1, Refusal::NoDirective),
        ("#pragma omp for MY_SCHEDULE\n", 1, unknown("my_schedule")),
        ("#pragma omp parallel for private(a) ADDED(1)\n", 1, unknown("added")),
        ("#pragma omp for #\n", 1, unknown("#")),
        ("#pragma omp parallel\n", 1, Refusal::NoLoop),
        ("#pragma omp distribute\n", 1, Refusal::NoLoop),
        ("#pragma omp loop\n", 1, unknown("loop")),
        ("#pragma omp sections\n", 1, unknown("sections")),
        ("#pragma omp for private(a\nfoo)\n", 1, Refusal::NoEnd),
        ("#pragma omp for /* ...\n", 1, Refusal::NoEnd),
    ] {
        assert_eq!(edited(text, line, Form::Pragma), Err(why), "{text}");
    }
}

#[test]
fn free_form() {
    becomes(
        Form::Free,
        &[
            ("  !$OMP PARALLEL DO ! why\n", "  !$OMP PARALLEL DO schedule(dynamic,16) ! why\n"),
            (
                "!$omp paralleldo &\n!$omp& shared(a) &   ! more\n!$omp  Schedule(Static, n/2)\n",
                "!$omp paralleldo &\n!$omp& shared(a) &   ! more\n!$omp  schedule(dynamic,16)\n",
            ),
            ("!$omp do &\n!$omp & private(x)\n", "!$omp do &\n!$omp & private(x) schedule(dynamic,16)\n"),
        ],
    );
    let long = format!("  !$omp do private({})\n", "x".repeat(100));
    let changed = edited(&long, 1, Form::Free).unwrap();
    assert_eq!(changed, format!("{} &\n  !$omp {CLAUSE}\n", long.trim_end()));
    for (text, why) in [
        ("!$omp do &\nx = 1\n", Refusal::NoEnd),
        ("do i = 1, n\n", Refusal::NoDirective),
        ("!$omp workshare\n", Refusal::Unknown("workshare".to_owned())),
        ("!$omp parallel\n", Refusal::NoLoop),
    ] {
        assert_eq!(edited(text, 1, Form::Free), Err(why), "{text}");
    }
    let replaced = format!("!$omp do schedule(static) private({})\n", "x".repeat(96));
    assert_eq!(edited(&replaced, 1, Form::Free), Err(Refusal::TooLong(FREE_COLUMNS)));
}

#[test]
fn fixed_form() {
    becomes(
        Form::Fixed,
        &[
            ("c$omp parallel do\n", "c$omp parallel do schedule(dynamic,16)\n"),
            (
                "!$OMP PARALLELDO SHARED(A)\n!$OMP& SCHEDULE(STATIC)\n      DO I = 1, N\n",
                "!$OMP PARALLELDO SHARED(A)\n!$OMP& schedule(dynamic,16)\n      DO I = 1, N\n",
            ),
            (
                "!$omp parallel do private(aaaaaaaaaaaaaaaaaaa,bbbbbbbbbbbbbbbbbb)\n",
                "!$omp parallel do private(aaaaaaaaaaaaaaaaaaa,bbbbbbbbbbbbbbbbbb)\n!$omp+ schedule(dynamic,16)\n",
            ),
        ],
    );
    assert_eq!(edited("      DO I = 1, N\n", 1, Form::Fixed), Err(Refusal::NoDirective));
}

#[test]
fn forms_by_name() {
    for (name, form) in [
        ("a.c", Form::Pragma),
        ("a.b/x.H", Form::Pragma),
        ("a.F90", Form::Free),
        ("a.f", Form::Fixed),
        ("no extension", Form::Pragma),
    ] {
        assert_eq!(Form::from_name(name), form, "{name}");
    }
}

/// Whatever stands in a file, nothing panics, and the rest of the text stays.
#[test]
fn any_text_is_edited_or_refused() {
    let pieces = [
        "#pragma omp for", "!$omp do", "c$omp", "schedule(", ")", "&", "\\\n", "\n", "\r\n", "/*", "*/", "//", "!",
        "\u{e9}", " ", "(", ",", "schedule", "parallel", "x",
    ];
    let random = fastrand::Rng::with_seed(7);
    let mut random = random;
    for _ in 0..20_000 {
        let count = random.usize(1..12);
        let text: String = (0..count).map(|_| pieces[random.usize(..pieces.len())]).collect();
        for form in [Form::Pragma, Form::Free, Form::Fixed] {
            for line in 0..3 {
                if let Ok(changed) = edited(&text, line, form) {
                    assert_eq!(changed.matches(CLAUSE).count(), 1, "{text:?}");
                }
            }
        }
    }
}
