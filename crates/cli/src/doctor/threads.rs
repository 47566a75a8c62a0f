//! One seed twice in this process, each time in a thread that has never played before.
//!
//! Owns the fresh threads: whatever a run may have left in a thread, the next does not find it.
//! What is kept for the whole process it does find, and so the two part. It must not know how
//! seeds are chosen, nor what is said of them.

use std::panic::resume_unwind;
use std::thread;

use seamstress_plan::Plan;
use seamstress_report::{Divergence, SeedResult};

use crate::error::CommandError;
use crate::playing::Played;

/// Two runs of a seed.
pub struct Twice {
    /// What is kept of the first.
    pub result: SeedResult,
    /// How many records both begin with.
    pub records: u64,
    /// Where they part, if they do.
    pub divergence: Option<Divergence>,
}

/// Makes a plan and plays it, twice, and compares.
///
/// # Errors
/// [`CommandError`] if it cannot be played, or no thread can be started.
pub fn twice(plan: impl Fn() -> Plan + Sync) -> Result<Twice, CommandError> {
    let (first, second) = (alone(&plan)?, alone(&plan)?);
    let divergence = Divergence::between(&first.as_play(), &second.as_play());
    let both = first.trace.records.iter().zip(&second.trace.records);
    let records = both.take_while(|(one, other)| one == other).count() as u64;
    Ok(Twice { result: first.result(), records, divergence })
}

/// Makes a plan and plays it in a fresh thread.
///
/// # Errors
/// [`CommandError`] if it cannot be played, or no thread can be started.
pub fn alone(plan: impl Fn() -> Plan + Sync) -> Result<Played, CommandError> {
    thread::scope(|scope| {
        let run = thread::Builder::new().name("run".to_owned());
        let started = run.spawn_scoped(scope, || Played::of(plan()));
        match started.map_err(|problem| CommandError::NoThread { problem })?.join() {
            Ok(played) => Ok(played?),
            Err(panic) => resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use seamstress_report::Part;

    use super::*;
    use crate::args::TrioArguments;
    use crate::target;

    fn compare(server: &str) -> Twice {
        let trio = TrioArguments { server: Some(server.to_owned()), ..TrioArguments::default() };
        let named = target::plan("drop@3", &trio).expect("a plan");
        twice(|| named.plan.clone()).expect("played")
    }

    #[test]
    fn the_reference_gives_the_same_records_twice() {
        let twice = compare("reference");
        assert_eq!(twice.divergence, None);
        assert!(twice.records > 50, "{} records", twice.records);
    }

    #[test]
    fn a_counter_of_the_process_parts_two_threads_and_no_other_canary_does() {
        let found = compare("canary:run-counter").divergence.expect("they part");
        assert_eq!(found.part, Part::Records);
        for unseen in ["canary:warm-thread", "canary:process-id", "canary:time-zone"] {
            assert_eq!(compare(unseen).divergence, None, "{unseen}");
        }
    }

    #[test]
    fn no_run_finds_what_another_left_in_its_thread() {
        let results = [(); 3].map(|()| compare("canary:warm-thread").result);
        assert!(results.iter().all(|result| *result == results[0]));
    }
}
