//! `leak`: streams, sessions and connections are gone when everyone has gone.
//!
//! Rests on the field's `no-leak-at-quiescence`. The hosts say what they still hold once the
//! client has gone and all timers have run; anything above nought is a finding, one for each host.
//! Near misses: a host that holds nothing; what a host held while the run was going on, which no
//! record tells.

use seamstress_trace::{Host, What};

use crate::finding::{Finding, Oracle};
use crate::view::View;

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    // Leftovers stand at the end of a trace, but nothing obliges them to.
    let mut findings = Vec::new();
    for (record, at) in view.records.iter().enumerate() {
        if let What::Leftover { sessions, streams, connections } = at.what {
            findings.extend(finding(record, at.host, [sessions, streams, connections]));
        }
    }
    findings
}

fn finding(record: usize, host: Host, counts: [u64; 3]) -> Option<Finding> {
    let kinds = ["session", "stream", "connection"];
    let left = || kinds.iter().zip(counts).filter(|(_, count)| *count > 0);
    let (subject, _) = left().next()?;
    let listed: Vec<String> = left()
        .map(|(kind, count)| format!("{count} {kind}{}", if count == 1 { "" } else { "s" }))
        .collect();
    // Replicas are interchangeable: which of them it was is no part of the key.
    let state = match host {
        Host::Server2 | Host::Server3 => Host::Server.name(),
        host => host.name(),
    };
    Some(Finding {
        oracle: Oracle::Leak,
        subject,
        state: state.to_owned(),
        sentence: format!("{host} still holds {} after everyone has gone", listed.join(", ")),
        record,
        related: Vec::new(),
        resumption: None,
    })
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Host, What};

    use crate::script::{NOTHING, Script};
    use crate::{Oracle, Verdict};

    fn leftover(host: Host, [sessions, streams, connections]: [u64; 3]) -> Script {
        let script = Script::new().session("s1");
        script.record(host, What::Leftover { sessions, streams, connections }).finish()
    }

    #[test]
    fn anything_left_is_a_finding_named_after_the_largest_thing() {
        let script = || leftover(Host::Server2, [1, 2, 0]);
        assert_eq!(script().keys_of(Oracle::Leak), ["leak/session/server"]);
        assert_eq!(
            script().sentences_of(Oracle::Leak),
            ["server-2 still holds 1 session, 2 streams after everyone has gone"]
        );
        assert_eq!(script().judge().verdict, Verdict::Violated);
        assert_eq!(
            leftover(Host::Proxy, [0, 0, 3]).keys_of(Oracle::Leak),
            ["leak/connection/proxy"]
        );
    }

    #[test]
    fn hosts_that_hold_nothing_leak_nothing() {
        assert_eq!(leftover(Host::Client, [0, 0, 0]).keys(), NOTHING);
    }
}
