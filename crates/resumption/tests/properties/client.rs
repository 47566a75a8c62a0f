//! The client's check held against ground truth: for any two ids of one log, the positions say
//! whether one event is the successor of the other, and the check must say the same wherever the
//! ids allow it to know.

use proptest::prelude::*;
use seamstress_resumption::{Continuity, Counters, IdScheme, LogOptions, validate_resume};

use crate::histories::{Op, config, ops, options, play};
use crate::model::{Issued, Model};

/// The history as it runs with the scheme asked for.
fn history(options: &LogOptions, scheme: IdScheme, ops: &[Op]) -> Model {
    play(&LogOptions { scheme, ..options.clone() }, ops).1
}

fn without_restarts(ops: Vec<Op>) -> Vec<Op> {
    ops.into_iter().filter(|op| !matches!(op, Op::Rebase(Counters::Restarted))).collect()
}

fn stream_count(model: &Model) -> u64 {
    let mut streams: Vec<_> = model.events.iter().map(|event| event.stream).collect();
    streams.sort_unstable();
    streams.dedup();
    streams.len() as u64
}

fn pairs(model: &Model) -> impl Iterator<Item = (&Issued, &Issued)> {
    let events = model.events.iter();
    events.flat_map(|last| model.events.iter().map(move |first| (last, first)))
}

/// What the positions say.
fn truth(last: &Issued, first: &Issued) -> Continuity {
    if first.stream != last.stream || first.position <= last.position {
        Continuity::RebasedOrReplayed
    } else if first.position == last.position + 1 {
        Continuity::Continuous
    } else {
        Continuity::Gap
    }
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn namespaced_ids_with_persisted_counters_tell_the_truth(options in options(), ops in ops()) {
        let model = history(&options, IdScheme::Namespaced, &without_restarts(ops));
        let streams = stream_count(&model);
        for (last, first) in pairs(&model) {
            let found = validate_resume(Some(IdScheme::Namespaced), streams, &last.id, &first.id);
            prop_assert_eq!(found, truth(last, first), "{} then {}", last.id, first.id);
        }
    }

    #[test]
    fn epoch_namespaced_ids_tell_the_truth_and_every_rebase(options in options(), ops in ops()) {
        let model = history(&options, IdScheme::EpochNamespaced, &ops);
        let streams = stream_count(&model);
        for (last, first) in pairs(&model) {
            let scheme = Some(IdScheme::EpochNamespaced);
            let found = validate_resume(scheme, streams, &last.id, &first.id);
            let expected = if last.epoch == first.epoch {
                truth(last, first)
            } else {
                Continuity::RebasedOrReplayed
            };
            prop_assert_eq!(found, expected, "{} then {}", last.id, first.id);
        }
    }

    #[test]
    fn a_session_counter_tells_the_truth_of_one_stream_and_claims_nothing_about_several(
        options in options(), ops in ops(),
    ) {
        let model = history(&options, IdScheme::SessionCounter, &without_restarts(ops));
        let streams = stream_count(&model);
        for (last, first) in pairs(&model) {
            let scheme = Some(IdScheme::SessionCounter);
            let found = validate_resume(scheme, streams, &last.id, &first.id);
            if streams == 1 {
                prop_assert_eq!(found, truth(last, first));
            } else if found == Continuity::RebasedOrReplayed {
                prop_assert_eq!(truth(last, first), Continuity::RebasedOrReplayed);
            } else {
                prop_assert_eq!(found, Continuity::Unverifiable);
            }
        }
    }

    #[test]
    fn opaque_ids_show_nothing(
        last in "[a-z0-9.]{1,8}", first in "[a-z0-9.]{1,8}", streams in 0..4_u64,
    ) {
        prop_assert_eq!(validate_resume(None, streams, &last, &first), Continuity::Unverifiable);
        prop_assert_eq!(validate_resume(None, streams, &last, &last), Continuity::Unverifiable);
    }

    #[test]
    fn ids_without_the_declared_form_show_a_redelivery_and_nothing_else(
        last in "[a-z][a-z0-9]{0,7}", other in "[a-z][a-z0-9]{0,7}", redelivered in any::<bool>(),
        streams in 0..4_u64, scheme in prop::sample::select(IdScheme::ALL),
    ) {
        prop_assume!(last != other);
        let (first, expected) = if redelivered {
            (&last, Continuity::RebasedOrReplayed)
        } else {
            (&other, Continuity::Unverifiable)
        };
        prop_assert_eq!(validate_resume(Some(scheme), streams, &last, first), expected);
    }
}
