//! `cross-stream`: a stream carries only its own messages.
//!
//! Rests on `basic/transports`, Resumability and Redelivery (all revisions): the server MUST NOT
//! replay messages of a different stream. Judged on what the application got, by the mark: the
//! stream that a message was emitted on against the stream of the exchange that carried it. The
//! client's `standalone` is any `standalone-k` of the server.
//! Near misses: progress of a call that was emitted on the standalone stream and came there;
//! messages of another session (`foreign-session`).

use crate::finding::{Finding, Oracle};
use crate::runs::{Run, runs};
use crate::view::{Arrival, View, client_name};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for exchange in &view.exchanges {
        let Some(name) = exchange.stream_name else { continue };
        let origin = view.origin(exchange);
        let strays = |arrival: &Arrival| {
            let mark = arrival.message.mark.as_ref();
            mark.is_some_and(|mark| {
                client_name(&mark.stream) != name
                    && origin.is_none_or(|origin| origin == mark.origin)
            })
        };
        let runs = runs(&view.delivered, &exchange.delivered, strays);
        findings.extend(runs.iter().map(|run| finding(view, name, run)));
    }
    findings
}

fn finding(view: &View, name: &str, run: &Run) -> Finding {
    let exchange = &view.exchanges[run.exchange];
    let arrival = &view.delivered[run.first];
    let emitted_on = arrival.message.mark.as_ref().map_or("", |mark| &mark.stream);
    let sentence = format!(
        "{} was emitted on stream {emitted_on} and reached the application on stream {name}, \
             by {}",
        run.span.text(),
        words::exchange(exchange),
    );
    run.finding(view, &view.delivered, Oracle::CrossStream, sentence)
}

#[cfg(test)]
mod tests {
    use crate::script::{NOTHING, Script};
    use crate::{Cell, Oracle};

    fn listening() -> Script {
        let script = Script::new().session("s1").listen(1).open(1).notify("standalone-1");
        script.take(1, "s1.standalone-1.1").drop(1).post(2, "c1").open(2).progresses("c1", 2)
    }

    #[test]
    fn replaying_a_calls_messages_to_the_standalone_stream_is_one_finding() {
        let judgement = listening()
            .resume(3, "standalone", "s1.standalone-1.1")
            .resumes(3, "c1", 2)
            .open(3)
            .take_all(3, &["s1.c1.1", "s1.c1.2"])
            .judge();
        let findings: Vec<_> =
            judgement.findings.iter().filter(|f| f.oracle == Oracle::CrossStream).collect();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].key(), "cross-stream/progress/resumed:resume");
        assert_eq!(
            findings[0].sentence,
            "progress 1 to 2 of c1 was emitted on stream c1 and reached the application on stream \
             standalone, by exchange 3, the resumption with cursor s1.standalone-1.1 that the \
             server answered with resume"
        );
        assert_eq!(judgement.resumptions[0].cell, Cell::Escape);
    }

    #[test]
    fn progress_of_a_call_that_was_emitted_on_the_standalone_stream_belongs_there() {
        let keys = listening()
            .progress_on("standalone-1", "c1")
            .resume(3, "standalone", "s1.standalone-1.1")
            .resumes(3, "standalone-1", 1)
            .open(3)
            .take(3, "s1.standalone-1.2")
            .keys_of(Oracle::CrossStream);
        assert_eq!(keys, NOTHING);
    }

    #[test]
    fn a_later_standalone_stream_of_the_server_is_the_clients_standalone_stream() {
        let script = listening().listen(3).open(3).notify("standalone-2");
        assert_eq!(script.take(3, "s1.standalone-2.1").keys_of(Oracle::CrossStream), NOTHING);
    }

    #[test]
    fn a_capture_that_does_not_tell_the_origin_shows_strays_all_the_same() {
        let script = Script::new().captured().session("s1").listen(1).open(1).progress("c1");
        let keys = script.take(1, "s1.c1.1").keys_of(Oracle::CrossStream);
        assert_eq!(keys, ["cross-stream/progress/fresh"]);
    }

    #[test]
    fn a_message_of_another_session_is_left_to_that_oracle() {
        let script = listening().declare_loss("not-found").session("s2").listen(3).open(3);
        assert_eq!(script.take(3, "s1.c1.1").keys_of(Oracle::CrossStream), NOTHING);
    }
}
