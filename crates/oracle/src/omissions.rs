//! Requests that leave out a header which every request after `initialize` must carry.
//!
//! Owns what the two header oracles have in common: which requests are asked, and one finding for
//! each kind of request instead of one for each request. It must not know which header is meant.

use std::collections::BTreeMap;

use seamstress_trace::Method;

use crate::view::{Exchange, View};

/// Requests of one kind, within one session, that leave the header out.
pub(crate) struct Omission<'v, 'a> {
    /// `get`, `resumption`, `post` or `delete`.
    pub state: &'static str,
    pub first: &'v Exchange<'a>,
    count: u64,
}

impl Omission<'_, '_> {
    /// What a sentence about the first of them adds about the others.
    pub(crate) fn more(&self) -> String {
        match self.count {
            1 => String::new(),
            2 => ", and one more of its kind does the same".to_owned(),
            count => format!(", and {} more of its kind do the same", count - 1),
        }
    }
}

/// The omissions among all requests but `initialize`.
pub(crate) fn find<'v, 'a>(
    view: &'v View<'a>,
    is_missing: impl Fn(&Exchange) -> bool,
) -> Vec<Omission<'v, 'a>> {
    let mut found: BTreeMap<(Option<usize>, &'static str), Omission> = BTreeMap::new();
    for exchange in &view.exchanges {
        if exchange.rpc == Some("initialize") || !is_missing(exchange) {
            continue;
        }
        let state = match exchange.method {
            Method::Get if exchange.attempt.is_some() => "resumption",
            Method::Get => "get",
            Method::Post => "post",
            Method::Delete => "delete",
        };
        found
            .entry((exchange.session, state))
            .and_modify(|omission| omission.count += 1)
            .or_insert(Omission { state, first: exchange, count: 1 });
    }
    found.into_values().collect()
}
