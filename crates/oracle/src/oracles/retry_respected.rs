//! `retry-respected`: between the end of a stream and its resumption lies at least its last
//! `retry`.
//!
//! Rests on `basic/transports`, Listening for Messages (2025-11-25: the client MUST wait), and on
//! the reconnection time of WHATWG HTML 9.2. Measured from the end of the stream's exchange before
//! the resumption, against the newest `retry` received on the stream; times are exact to a tick,
//! which is allowed for.
//! Near misses: a stream without `retry`; a stream begun anew, which does not resume; a `retry` of
//! another stream.

use crate::finding::{Finding, Oracle};
use crate::view::{Exchange, View};
use crate::words;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    view.exchanges.iter().filter_map(|exchange| finding(view, exchange)).collect()
}

fn finding(view: &View, exchange: &Exchange) -> Option<Finding> {
    exchange.attempt?;
    let retry_ms = exchange.known_retry_ms?;
    let waited_ms = exchange.at_ms.saturating_sub(exchange.previous_end_ms?);
    (waited_ms.saturating_add(view.header.tick_ms) < retry_ms).then(|| Finding {
        oracle: Oracle::RetryRespected,
        subject: words::stream_subject(exchange.stream_name),
        state: "reconnecting".to_owned(),
        sentence: format!(
            "{} came {waited_ms} ms after the end of its stream, which had asked for {retry_ms} ms",
            words::request(exchange),
        ),
        record: exchange.record,
        related: Vec::new(),
        resumption: words::resumption(view, exchange),
    })
}

#[cfg(test)]
mod tests {
    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    /// A call whose stream asks for 50 ms and breaks; the next step comes a millisecond later.
    fn call() -> Script {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        script.take(1, "s1.c1.1").retry(1, 50).drop(1)
    }

    fn after(waited_ms: u64) -> Script {
        call().wait(waited_ms - 1).resume(2, "c1", "s1.c1.1")
    }

    #[test]
    fn a_resumption_before_the_retry_is_over_is_a_finding() {
        let script = || after(48);
        assert_eq!(script().keys_of(Oracle::RetryRespected), ["retry-respected/call/reconnecting"]);
        assert_eq!(
            script().sentences_of(Oracle::RetryRespected),
            ["exchange 2 (GET) came 48 ms after the end of its stream, which had asked for 50 ms"]
        );
    }

    #[test]
    fn a_tick_is_allowed_for() {
        assert_eq!(after(49).keys_of(Oracle::RetryRespected), NOTHING);
        assert_eq!(after(50).keys_of(Oracle::RetryRespected), NOTHING);
    }

    #[test]
    fn the_newest_retry_counts_also_after_an_attempt_that_failed() {
        let script = Script::new().session("s1").post(1, "c1").open(1).progress("c1");
        let script = script.take(1, "s1.c1.1").retry(1, 50).retry(1, 5).drop(1).wait(9);
        let newest = script.resume(2, "c1", "s1.c1.1");
        assert_eq!(newest.keys_of(Oracle::RetryRespected), NOTHING);
        let failed = after(60).drop(2).resume(3, "c1", "s1.c1.1");
        assert_eq!(failed.keys_of(Oracle::RetryRespected).len(), 1);
    }

    #[test]
    fn another_stream_and_a_stream_begun_anew_owe_nothing() {
        let other = call().listen(2).open(2).prime("standalone-1");
        let other = other.event(2, "s1.standalone-1.1").drop(2);
        let other = other.resume(3, "standalone", "s1.standalone-1.1");
        assert_eq!(other.keys_of(Oracle::RetryRespected), NOTHING);
        let script = Script::new().session("s1").listen(1).open(1).retry(1, 50).drop(1);
        let anew = script.listen(2).open(2).prime("standalone-1").event(2, "s1.standalone-1.1");
        let anew = anew.drop(2).resume(3, "standalone", "s1.standalone-1.1");
        assert_eq!(anew.keys_of(Oracle::RetryRespected), NOTHING);
    }
}
