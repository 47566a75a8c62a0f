//! Proves the medians, which oracle is named first, and what the table says.
//!
//! Owns a matrix written by hand: a defect that is seen soon, one that is seen only in front of a
//! server whose rule is off, and one that nobody sees.

use super::*;

const NOTHING: &[Oracle] = &[];

fn seen(seeds: &[&[Oracle]]) -> Vec<BTreeSet<Oracle>> {
    seeds.iter().map(|oracles| oracles.iter().copied().collect()).collect()
}

fn kill(role: Role, name: &'static str, killed: Option<Killed>) -> Kill {
    Kill { defect: PlantedDefect { role, name }, killed }
}

pub(crate) fn matrix() -> KillMatrix {
    use Oracle::{Duplicate, Leak, ReplayAfterCursor, Skip};
    let sound = [&[Skip][..], &[Skip, Duplicate, ReplayAfterCursor, Leak], NOTHING, &[Skip, Leak]];
    let mut sound = Killed::of_first_range("storm", None, &seen(&sound)).expect("killed");
    sound.ranges.extend([Some(3), Some(2)]);
    let off = Some("reference:clamp-to-floor");
    let off =
        Killed::of_first_range("drop", off, &seen(&[NOTHING, NOTHING, &[Duplicate], NOTHING]));
    let mut off = off.expect("killed");
    off.ranges.extend([None, Some(4)]);
    let control = Control { runs: 1_400, failed: 0, first_runs: BTreeMap::new() };
    KillMatrix {
        kills: vec![
            kill(Role::Server, "inclusive-replay", Some(sound)),
            kill(Role::Proxy, "invisible", None),
            kill(Role::Client, "no-continuity-check", Some(off)),
        ],
        ranges: 3,
        seeds_per_range: 4,
        server_rule_off: "reference:clamp-to-floor",
        control: Some(control),
    }
}

#[test]
fn a_first_range_without_any_finding_is_no_kill() {
    assert_eq!(Killed::of_first_range("storm", None, &seen(&[NOTHING, NOTHING])), None);
    assert_eq!(Killed::of_first_range("storm", None, &[]), None);
}

#[test]
fn oracles_are_counted_by_seed_and_the_most_frequent_stands_first() {
    let KillMatrix { kills, .. } = matrix();
    let killed = kills[0].killed.as_ref().expect("killed");
    let first: Vec<(&str, u64)> = killed.oracles.iter().map(|(o, n)| (o.name(), *n)).collect();
    // Of two that are as frequent, the order of the list of oracles decides.
    assert_eq!(first, [("skip", 3), ("leak", 2), ("duplicate", 1), ("replay-after-cursor", 1)]);
    assert_eq!((killed.seeds_that_kill, killed.seeds), (3, 4));
}

#[test]
fn the_seed_that_kills_is_one_of_the_seeds_it_took() {
    let killed = Killed::of_first_range("a", None, &seen(&[NOTHING, &[Oracle::Skip]]));
    let killed = killed.expect("killed");
    assert_eq!((killed.median(), killed.first_seed()), (Some(2), 1));
}

#[test]
fn of_two_middle_ranges_the_greater_is_the_median() {
    assert_eq!(median(&[Some(1), Some(9), Some(2), Some(4)]), Some(4));
    assert_eq!(median(&[Some(3), Some(1), Some(2)]), Some(2));
    assert_eq!(median(&[]), None);
}

#[test]
fn a_range_without_a_kill_counts_as_more_seeds_than_any() {
    assert_eq!(median(&[Some(1), None, Some(200)]), Some(200));
    assert_eq!(median(&[Some(1), None]), None);
    let KillMatrix { kills, .. } = matrix();
    let killed = kills[2].killed.as_ref().expect("killed");
    assert_eq!((killed.median(), killed.most()), (Some(4), None));
}

#[test]
fn the_table_for_a_terminal() {
    insta::assert_snapshot!(matrix().table(Style::default()), @r#"
    role    defect               against    first kill     median  worst  share  seen by
    server  inclusive-replay     reference  storm@0             2      3   75 %  skip 3, leak 2, duplicate 1, 1 more
    proxy   invisible                       nobody saw it
    client  no-continuity-check  rule off   drop@2              4     >4   25 %  duplicate 1

    median, worst: seeds to the first kill, over 3 ranges of 4 seeds, where it comes soonest
    share: of the seeds 0..4 that kill there
    seen by: the oracles that find anything, with the number of those seeds
    rule off: a sound server hides it; these are escapes with --server reference:clamp-to-floor that the reference client does not let through
    look at one: seamstress explain storm@0 --server reference:inclusive-replay

    2 of 3 defects killed; seeds to kill the median defect: 4, the hardest: >4
    NOT KILLED  proxy invisible
    the reference trio: no finding in 1400 runs of the same seeds
    "#);
}

#[test]
fn the_block_of_a_page() {
    insta::assert_snapshot!(matrix().markdown("seamstress matrix kill"), @r#"
    <!-- matrix kill -->
    Made by `seamstress matrix kill`.

    | role | defect | against | first kill | median | worst | share | seen by |
    |---|---|---|---|---:|---:|---:|---|
    | server | `inclusive-replay` | reference | `storm@0` | 2 | 3 | 75 % | skip 3, leak 2, duplicate 1, 1 more |
    | proxy | `invisible` |  | nobody saw it |  |  |  |  |
    | client | `no-continuity-check` | rule off | `drop@2` | 4 | >4 | 25 % | duplicate 1 |

    - *median, worst*: seeds to the first kill, over 3 ranges of 4 seeds, where it comes soonest
    - *share*: of the seeds 0..4 that kill there
    - *seen by*: the oracles that find anything, with the number of those seeds
    - *rule off*: a sound server hides it; these are escapes with --server reference:clamp-to-floor that the reference client does not let through
    - 2 of 3 defects killed; seeds to kill the median defect: 4, the hardest: >4
    - NOT KILLED  proxy invisible
    - the reference trio: no finding in 1400 runs of the same seeds
    <!-- end of matrix kill -->
    "#);
}

#[test]
fn findings_of_the_reference_trio_are_named_with_the_run_that_shows_them() {
    let mut matrix = matrix();
    let first_runs = BTreeMap::from([("skip/progress/fresh".to_owned(), "storm@7".to_owned())]);
    matrix.control = Some(Control { runs: 1_400, failed: 2, first_runs });
    let text = matrix.table(Style::default());
    let said = "findings in 2 of 1400 runs of the same seeds\n  storm@7  skip/progress/fresh\n";
    assert!(text.ends_with(said), "{text}");
    matrix.control = None;
    let text = matrix.table(Style::default());
    assert!(text.ends_with("the reference trio was not played\n"), "{text}");
}

#[test]
fn a_share_that_is_not_0_does_not_look_like_0() {
    assert_eq!(percent(1, 1_000), "<1 %");
    assert_eq!(percent(0, 1_000), "0 %");
    assert_eq!(percent(82, 200), "41 %");
    assert_eq!(percent(1, 200), "1 %");
}
