//! Which grains are beyond the thresholds of the authors' prototype (its `grain-problems.cfg`).

/// What such grains are drawn in, as there.
pub(super) const COLOR: &str = "#FF0000";

enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// Those for which a trace has the metric, but for that of scatter, which depends on the machine. That of instantaneous parallelism is for a median, and a node has the mean.
const LIMITS: [(&str, Limit); 4] = [
    ("parallel_benefit", Limit::AtLeast(1.0)),
    ("load_balance", Limit::AtMost(2.0)),
    ("load_balance_threads", Limit::AtMost(2.0)),
    ("work_deviation", Limit::AtMost(2.0)),
];

/// The metrics of a node that are beyond their thresholds, that of scatter among them if one is given; `None`: none is.
pub(super) fn problems(data: &[(&'static str, String)], scatter: Option<u32>) -> Option<String> {
    let of_machine = scatter.map(|most| ("scatter", Limit::AtMost(most.into())));
    let is_beyond = |name: &str, value: &str| {
        let mut limits = LIMITS.iter().chain(&of_machine);
        limits.find(|(metric, _)| *metric == name).zip(value.parse::<f64>().ok()).is_some_and(|((_, limit), value)| {
            match limit {
                Limit::AtLeast(least) => value < *least,
                Limit::AtMost(most) => value > *most,
            }
        })
    };
    let beyond = data.iter().filter(|(name, value)| is_beyond(name, value));
    let names: Vec<&str> = beyond.map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_beyond() {
        let of = |values: &[(&'static str, &str)]| {
            let data = values.iter().map(|(name, value)| (*name, (*value).to_owned()));
            problems(&data.collect::<Vec<_>>(), None)
        };
        assert_eq!(of(&[("parallel_benefit", "1"), ("load_balance", "2")]), None);
        assert_eq!(of(&[("exec_ns", "0.5"), ("label", "3")]), None);
        let two = of(&[("parallel_benefit", "0.99"), ("work_deviation", "2.01")]);
        assert_eq!(two.as_deref(), Some("parallel_benefit work_deviation"));
    }

    #[test]
    fn scatter_is_beyond_what_is_given() {
        let data = [("scatter", "8.5".to_owned())];
        assert_eq!(problems(&data, None), None);
        assert_eq!(problems(&data, Some(9)), None);
        assert_eq!(problems(&data, Some(8)).as_deref(), Some("scatter"));
        assert_eq!(problems(&[("scatter", "8".to_owned())], Some(8)), None);
    }
}
