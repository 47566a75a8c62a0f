//! `foreign-session`: a session carries only its own messages.
//!
//! Rests on `basic/transports`, Resumability and Redelivery: ids, and the streams behind them, are
//! scoped to the session; a cursor carried into a new one means nothing. Judged on what the
//! application got: the mark's origin against the origin of the session that the client is in.
//! A message of the old session that is handed over after a new one began is foreign too, since
//! the loss of the old one was declared.
//! Near misses: a rotated public id (it is never compared with an origin); a delivery between the
//! end of the old session and the beginning of the new one; a session whose origin nobody told; a
//! message that came on an exchange of its own session, of which no loss was declared.

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::{Arrival, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let foreign = |arrival: &Arrival| {
        let mark = arrival.message.mark.as_ref();
        let own = view.session_at(arrival.record).and_then(|session| session.origin);
        mark.zip(own).is_some_and(|(mark, own)| mark.origin != own && !is_late(view, arrival))
    };
    let of_exchange = view.exchanges.iter().map(|exchange| &exchange.delivered);
    let runs = of_exchange.flat_map(|delivered| runs(&view.delivered, delivered, foreign));
    runs.map(|run| finding(view, &run)).collect()
}

/// Whether a message came in its own session, which another one has followed without a word.
fn is_late(view: &View, arrival: &Arrival) -> bool {
    let session = view.exchanges[arrival.exchange].session.map(|index| &view.sessions[index]);
    let origin = arrival.message.mark.as_ref().map(|mark| &*mark.origin);
    session.is_some_and(|session| session.origin == origin && session.lost.is_none())
}

fn finding(view: &View, run: &Run) -> Finding {
    let exchange = &view.exchanges[run.exchange];
    let arrival = &view.delivered[run.first];
    let origin = arrival.message.mark.as_ref().map_or("", |mark| &mark.origin);
    let own = view.session_at(arrival.record).and_then(|session| session.origin).unwrap_or("");
    let sentence = format!(
        "{} of session {origin} reached the application in session {own}, by {}",
        run.span.text(),
        words::exchange(exchange),
    );
    run.finding(view, &view.delivered, Oracle::ForeignSession, sentence)
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Content, End, Host, Mark, Message, What};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn second_session() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").notify("standalone-1");
        script.cut(1, End::Left).declare_loss("not-found").session("s2")
    }

    #[test]
    fn a_message_of_the_old_session_replayed_in_the_new_one_is_foreign() {
        let script = || {
            let script = second_session().resume(2, "standalone", "s1.standalone-1.1");
            script.resumes(2, "standalone-1", 1).open(2).take(2, "s1.standalone-1.2")
        };
        assert_eq!(
            script().sentences_of(Oracle::ForeignSession),
            ["notification 2 of standalone-1 of session s1 reached the application in session \
              s2, by exchange 2, the resumption with cursor s1.standalone-1.1 that the server \
              answered with resume"]
        );
        let keys = script().keys_of(Oracle::ForeignSession);
        assert_eq!(keys, ["foreign-session/notification/resumed:resume"]);
    }

    #[test]
    fn a_message_that_came_in_its_own_session_is_only_late_unless_the_loss_was_declared() {
        let begun = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let late = begun.session("s2").take(1, "s1.standalone-1.1");
        assert_eq!(late.keys_of(Oracle::ForeignSession), NOTHING);
        let begun = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let lost = begun.declare_loss("not-found").session("s2").take(1, "s1.standalone-1.1");
        assert_eq!(lost.keys_of(Oracle::ForeignSession), ["foreign-session/notification/fresh"]);
    }

    #[test]
    fn a_foreign_message_is_not_measured_against_the_order_of_its_own_session() {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.take(1, "s1.standalone-1.1").notify("standalone-1");
        let script = script.notify("standalone-1").leave(1).declare_loss("not-found");
        let script = script.session("s2").listen(2).open(2).take(2, "s1.standalone-1.3");
        assert_eq!(script.keys(), ["foreign-session/notification/fresh"]);
        let content = Content::Progress { call: "c1".into(), progress: 4 };
        let mark = Mark { origin: "s9".into(), stream: "c1".into(), ordinal: 4 };
        let fourth = Message { content, mark: Some(mark) };
        let script = Script::new().session("s1").post(1, "c1").open(1);
        let script = script.deliver_to(1, "c1", fourth);
        assert_eq!(script.keys(), ["foreign-session/progress/fresh"]);
    }

    #[test]
    fn an_old_exchange_that_still_hands_over_after_a_new_session_began_is_foreign() {
        let script = second_session().take(1, "s1.standalone-1.2");
        let keys = script.keys_of(Oracle::ForeignSession);
        assert_eq!(keys, ["foreign-session/notification/fresh"]);
    }

    #[test]
    fn messages_of_the_new_session_and_a_rotated_public_id_are_none() {
        let rotation = What::Rotate { from: "S2".into(), to: "S3".into(), keeps_old: true };
        let script = second_session().listen(2).open(2).record(Host::Proxy, rotation);
        let script = script.notify("standalone-1").take(2, "s2.standalone-1.1");
        assert_eq!(script.keys_of(Oracle::ForeignSession), NOTHING);
    }

    #[test]
    fn a_delivery_before_the_new_session_began_is_none() {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        let script = script.declare_loss("not-found").take(1, "s1.standalone-1.1").session("s2");
        assert_eq!(script.keys_of(Oracle::ForeignSession), NOTHING);
    }

    #[test]
    fn a_session_of_which_nobody_told_the_origin_takes_any_mark() {
        let script = Script::new().captured().session("s1").listen(1).open(1);
        let script = script.notify("standalone-1").take(1, "s1.standalone-1.1");
        assert_eq!(script.keys_of(Oracle::ForeignSession), NOTHING);
    }
}
