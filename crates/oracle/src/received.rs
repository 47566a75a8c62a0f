//! Where the client received which id.
//!
//! Owns a look-up that only two oracles need, and only once a cursor is not the one expected; it
//! is built then, so that an ordinary run pays nothing for it.

use seamstress_trace::What;

use crate::view::View;

/// Every id received, with its session, stream and record; sorted by id, then record.
pub(crate) struct Received<'a> {
    ids: Vec<(&'a str, usize, Option<usize>, Option<usize>)>,
}

/// Where an id was received before, the nearest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// Nowhere.
    Nowhere,
    /// Only in another session.
    OtherSession,
    /// On another stream of the same session.
    OtherStream,
    /// On the same stream of the same session.
    SameStream,
}

impl<'a> Received<'a> {
    pub(crate) fn of(view: &View<'a>) -> Received<'a> {
        let mut ids = Vec::new();
        for (record, at) in view.records.iter().enumerate() {
            if let What::Event { exchange, id: Some(id), .. } = &at.what
                && let Some(exchange) = view.exchange_numbered(*exchange)
            {
                let exchange = &view.exchanges[exchange];
                ids.push((id.as_str(), record, exchange.session, exchange.stream));
            }
        }
        ids.sort_unstable();
        Received { ids }
    }

    /// Where this id was received before `record`, as seen from a stream of a session: the
    /// nearest place.
    pub(crate) fn source(
        &self,
        id: &str,
        record: usize,
        session: Option<usize>,
        stream: Option<usize>,
    ) -> Source {
        let from = self.ids.partition_point(|(known, ..)| *known < id);
        let before =
            self.ids[from..].iter().take_while(|(known, at, ..)| *known == id && *at < record);
        let source = |(_, _, in_session, on_stream): &(_, _, _, _)| {
            if *in_session != session {
                Source::OtherSession
            } else if *on_stream != stream {
                Source::OtherStream
            } else {
                Source::SameStream
            }
        };
        before.map(source).max().unwrap_or(Source::Nowhere)
    }
}
