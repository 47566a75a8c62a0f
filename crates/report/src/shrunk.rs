//! What came of shrinking a plan, in a few lines.
//!
//! Owns the numbers before and after, the honest reason to stop and the list of what else was met.
//! It must not know how plans are shrunk. The story of the shrunk run is told by `failure`.

use seamstress_plan::Plan;

use crate::words::count;

/// How many keys that were met on the way are named.
const MET_MAX: usize = 6;

/// What came of shrinking one plan.
#[derive(Clone, Debug)]
pub struct Shrinking<'a> {
    /// The key of the finding that stayed.
    pub key: &'a str,
    /// The plan that it was shrunk from.
    pub from: &'a Plan,
    /// The smallest plan.
    pub to: &'a Plan,
    /// How many candidates were played.
    pub runs: u64,
    /// Why it ended: `1-minimal`, `budget`, `unstable` or `interrupted`.
    pub stop: &'a str,
    /// Whether the smallest plan was played again in three fresh threads and a fresh process, and
    /// gave the same bytes.
    pub is_confirmed: bool,
    /// Where the smallest plan was written.
    pub path: &'a str,
    /// Other keys that candidates showed, in order.
    pub met: &'a [MetKey],
}

/// A finding that was met while shrinking for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetKey {
    /// Its key.
    pub key: String,
    /// How many candidates showed it.
    pub count: u64,
    /// Where the smallest plan that showed it was written, if it was.
    pub path: Option<String>,
}

/// The block for people.
#[must_use]
pub fn shrunk_block(shrinking: &Shrinking) -> String {
    let Shrinking { from, to, runs, stop, path, .. } = shrinking;
    let faults = count(from.faults.len() as u64, "fault");
    let operations = count(from.workload.len() as u64, "operation");
    let lines = to.to_json().lines().count() as u64;
    let mut text = format!(
        "shrunk    {}: {faults} to {}, {operations} to {}, in {}\n",
        from.name,
        to.faults.len(),
        to.workload.len(),
        count(*runs, "run"),
    );
    let why = match *stop {
        "1-minimal" => "1-minimal: no single step makes it smaller",
        "budget" => "the budget of runs is used up: it may get smaller with a larger one",
        "interrupted" => "interrupted: this is the smallest so far",
        _ => "unstable: the same plan did not give the same trace again",
    };
    text.push_str(&format!("{:<9} {why}\n", ""));
    if shrinking.is_confirmed {
        text.push_str("confirmed in three fresh threads and a fresh process\n");
    }
    text.push_str(&format!("saved     {path} ({})\n", count(lines, "line")));
    text.push_str(&met(shrinking.met));
    text
}

/// The other keys, each with how many candidates showed it.
fn met(met: &[MetKey]) -> String {
    let mut text = String::new();
    for (index, MetKey { key, count, path }) in met.iter().take(MET_MAX).enumerate() {
        let name = if index == 0 { "also met" } else { "" };
        let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
        let kept = path.as_ref().map_or_else(String::new, |path| format!(", kept as {path}"));
        text.push_str(&format!("{name:<9} {key}{times}{kept}\n"));
    }
    if met.len() > MET_MAX {
        let more = count((met.len() - MET_MAX) as u64, "key");
        text.push_str(&format!("{:<9} and {more} more\n", ""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn block(stop: &str, met: &[MetKey]) -> String {
        let (from, mut to) = (sample::plan(), sample::plan());
        to.faults.truncate(1);
        shrunk_block(&Shrinking {
            key: "skip/progress/resumed:resume",
            from: &from,
            to: &to,
            runs: 231,
            stop,
            is_confirmed: stop != "unstable",
            path: "skip-1f3c.json",
            met,
        })
    }

    #[test]
    fn every_reason_to_stop_is_said_in_words_of_its_own() {
        let firsts = ["1-minimal", "budget", "interrupted", "unstable"].map(|stop| {
            let text = block(stop, &[]);
            text.lines().nth(1).map(str::to_owned).unwrap_or_default()
        });
        for (index, first) in firsts.iter().enumerate() {
            assert!(!firsts[..index].contains(first), "{first}");
        }
        assert!(!block("unstable", &[]).contains("confirmed"));
    }

    #[test]
    fn other_findings_are_named_and_a_long_list_of_them_is_cut() {
        let met = |number: u64| MetKey { key: format!("leak/{number}"), count: number, path: None };
        let text = block("1-minimal", &(1..=8).map(met).collect::<Vec<_>>());
        assert!(text.contains("also met  leak/1\n"), "{text}");
        assert!(text.contains("          leak/6 (6 times)\n"), "{text}");
        assert!(!text.contains("leak/7"), "{text}");
        assert!(text.ends_with("and 2 keys more\n"), "{text}");
    }
}
