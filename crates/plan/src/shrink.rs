//! From a plan that fails to the smallest plan that fails in the same way.
//!
//! Owns the search: which passes there are, their order, the fixpoint, the budget and the honest
//! reason to stop. A candidate counts only if it is smaller (`size`), possible
//! ([`validate`](crate::validate())) and shows what the first plan showed. It must not know how a
//! plan is played or judged: a [`Trial`] is asked. So the search is a pure function of the plan,
//! the budget and the answers, and shrinking the result again gives the result.

mod ddmin;
mod extents;
mod faults;
mod numbers;
mod operations;
mod search;
mod size;
mod times;
mod topology;
mod triggers;

use search::Search;

use crate::Plan;

/// One kind of step, in the order in which they are tried: cheap ones, which take much away, first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// Whole families of faults go.
    Families,
    /// Faults go (delta debugging).
    Faults,
    /// Operations go (delta debugging), and faults move over to the streams that stay.
    Operations,
    /// Faults do less, or something weaker of their family.
    Extents,
    /// Hosts go, and options return to what is usual.
    Topology,
    /// The end comes earlier; fewer events, earlier places, rounder times.
    Times,
    /// A fault at a time becomes one at a place in the protocol.
    Triggers,
}

impl Pass {
    /// All of them, in order.
    pub const ALL: [Pass; 7] = [
        Pass::Families,
        Pass::Faults,
        Pass::Operations,
        Pass::Extents,
        Pass::Topology,
        Pass::Times,
        Pass::Triggers,
    ];

    /// What a progress line calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pass::Families => "families of faults",
            Pass::Faults => "faults",
            Pass::Operations => "operations",
            Pass::Extents => "extents",
            Pass::Topology => "hosts and options",
            Pass::Times => "times and places",
            Pass::Triggers => "triggers",
        }
    }
}

/// What a failing plan shows, as far as shrinking needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// When it is seen, in milliseconds since the start of the run: nothing after it matters.
    pub at_ms: u64,
}

/// What a [`Trial`] says of some candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// This one is the first that still fails in the same way.
    Found {
        /// Its number in the list.
        index: usize,
        /// What it shows.
        shown: Shown,
    },
    /// None of them does.
    Nothing,
    /// Somebody wants an end.
    Interrupted,
}

/// Who plays candidates and says whether they still fail in the same way.
pub trait Trial {
    /// The first of these plans that fails in the same way as the plan that is shrunk. Only the
    /// order decides, however many are played at once.
    fn first(&mut self, candidates: &[Plan]) -> Tried;

    /// A smaller plan was found, after so many runs.
    fn is_smaller(&mut self, pass: Pass, best: &Plan, runs: u64);
}

/// Why shrinking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No step that there is makes the plan smaller.
    OneMinimal,
    /// The runs are used up.
    Budget,
    /// Somebody wanted an end.
    Interrupted,
}

/// What came of shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The smallest plan found.
    pub plan: Plan,
    /// How many candidates were played.
    pub runs: u64,
    /// Why it ended.
    pub stop: Stop,
}

/// Shrinks a plan that shows something, with at most this many runs.
///
/// The passes are those of delta debugging (Zeller and Hildebrandt, 2002) and its neighbours, over
/// and over until none of them finds anything. `plan` is taken at its word: that it fails is for
/// the caller to know.
///
/// ```
/// use seamstress_plan::{Pass, Plan, Scenario, Shown, Stop, Trial, Tried, builtin_named, generate};
/// use seamstress_plan::shrink;
///
/// /// Fails whenever anything is counted.
/// struct Counts;
///
/// impl Trial for Counts {
///     fn first(&mut self, candidates: &[Plan]) -> Tried {
///         let counts =
///             |plan: &Plan| plan.workload.iter().any(|asked| asked.ask.name() == "count");
///         match candidates.iter().position(counts) {
///             Some(index) => Tried::Found { index, shown: Shown { at_ms: 10 } },
///             None => Tried::Nothing,
///         }
///     }
///     fn is_smaller(&mut self, _: Pass, _: &Plan, _: u64) {}
/// }
///
/// let storm = builtin_named("storm").expect("a scenario of this build");
/// let scenario = Scenario::from_toml("storm.toml", storm.text)?;
/// let plan = generate(&scenario, "storm", 7);
/// let shrunk = shrink(&plan, Shown { at_ms: 50 }, 10_000, &mut Counts);
/// assert_eq!(shrunk.stop, Stop::OneMinimal);
/// assert_eq!((shrunk.plan.workload.len(), shrunk.plan.faults.len()), (1, 0));
/// # Ok::<(), seamstress_plan::ReadError>(())
/// ```
#[must_use]
pub fn shrink(plan: &Plan, shown: Shown, runs_max: u64, trial: &mut impl Trial) -> Shrunk {
    let mut search = Search::new(plan.clone(), shown, runs_max, trial);
    let stop = to_a_fixpoint(&mut search);
    let (plan, runs) = search.finish();
    Shrunk { plan, runs, stop }
}

fn to_a_fixpoint<T: Trial>(search: &mut Search<'_, T>) -> Stop {
    loop {
        let runs_before = search.steps();
        for pass in Pass::ALL {
            if let Err(stop) = carry_out(pass, search) {
                return stop;
            }
        }
        if search.steps() == runs_before {
            return Stop::OneMinimal;
        }
    }
}

fn carry_out<T: Trial>(pass: Pass, search: &mut Search<'_, T>) -> Result<(), Stop> {
    match pass {
        Pass::Families => faults::families(search),
        Pass::Faults => faults::each(search),
        Pass::Operations => operations::fewer(search),
        Pass::Extents => extents::weaker(search),
        Pass::Topology => topology::plainer(search),
        Pass::Times => times::earlier(search),
        Pass::Triggers => triggers::places(search),
    }
}

#[cfg(test)]
mod tests;
