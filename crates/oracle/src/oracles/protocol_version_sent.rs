//! `protocol-version-sent`: the protocol version goes with every request after `initialize`.
//!
//! Rests on `basic/transports`, Protocol Version Header (from 2025-06-18 on): the client MUST send
//! it on all later requests, resumptions included. Which revision was negotiated shows by the
//! requests that do carry the header; a client that never sends it may have negotiated 2025-03-26
//! and is left alone.
//! Near misses: `initialize` itself; 2025-03-26, which knows no such header.

use crate::finding::{Finding, Oracle};
use crate::omissions::{self, Omission};
use crate::view::{Exchange, View};
use crate::words;

/// The first revision that has the header. Revisions are dates, so their texts compare.
const FIRST_REVISION: &str = "2025-06-18";

pub(crate) fn judge(view: &View) -> Vec<Finding> {
    let versions = view.exchanges.iter().filter_map(|exchange| exchange.protocol_version);
    let Some(version) = versions.max().filter(|version| *version >= FIRST_REVISION) else {
        return Vec::new();
    };
    let is_missing =
        |exchange: &Exchange| exchange.session.is_some() && exchange.protocol_version.is_none();
    let omissions = omissions::find(view, is_missing);
    omissions.iter().map(|omission| finding(view, omission, version)).collect()
}

fn finding(view: &View, omission: &Omission, version: &str) -> Finding {
    Finding {
        oracle: Oracle::ProtocolVersionSent,
        subject: "request",
        state: omission.state.to_owned(),
        sentence: format!(
            "{} carries no protocol version, although {version} is in use{}",
            words::request(omission.first),
            omission.more(),
        ),
        record: omission.first.record,
        related: Vec::new(),
        resumption: words::resumption(view, omission.first),
    }
}

#[cfg(test)]
mod tests {
    use seamstress_trace::{Method, What};

    use crate::Oracle;
    use crate::script::{NOTHING, Script};

    fn with_version(what: &mut What, version: Option<&str>) {
        if let What::Request { protocol_version, .. } = what {
            *protocol_version = version.map(Into::into);
        }
    }

    /// A call with this version, then a resumption with that one.
    fn versions(first: Option<&str>, second: Option<&str>) -> Script {
        let script = Script::new().initialize(1, false).session("s1");
        let script = script.request(2, Method::Post, None, |what| with_version(what, first));
        script.request(3, Method::Get, None, |what| {
            with_version(what, second);
            if let What::Request { cursor, .. } = what {
                *cursor = Some("7".into());
            }
        })
    }

    #[test]
    fn a_resumption_that_forgets_the_version_is_a_finding() {
        let script = || versions(Some("2025-06-18"), None);
        assert_eq!(
            script().keys_of(Oracle::ProtocolVersionSent),
            ["protocol-version-sent/request/resumption"]
        );
        assert_eq!(
            script().sentences_of(Oracle::ProtocolVersionSent),
            ["exchange 3 (GET) carries no protocol version, although 2025-06-18 is in use"]
        );
        let renegotiated = versions(Some("2025-03-26"), Some("2025-11-25"));
        let renegotiated = renegotiated.request(4, Method::Delete, None, |what| {
            with_version(what, None);
        });
        assert_eq!(
            renegotiated.keys_of(Oracle::ProtocolVersionSent),
            ["protocol-version-sent/request/delete"]
        );
        let post = versions(None, Some("2025-11-25")).keys_of(Oracle::ProtocolVersionSent);
        assert_eq!(post, ["protocol-version-sent/request/post"]);
    }

    #[test]
    fn a_revision_without_the_header_and_a_client_that_never_sends_it_are_none() {
        let oldest = versions(Some("2025-03-26"), None);
        assert_eq!(oldest.keys_of(Oracle::ProtocolVersionSent), NOTHING);
        assert_eq!(versions(None, None).keys_of(Oracle::ProtocolVersionSent), NOTHING);
        let always = versions(Some("2025-11-25"), Some("2025-11-25"));
        assert_eq!(always.keys_of(Oracle::ProtocolVersionSent), NOTHING);
    }
}
