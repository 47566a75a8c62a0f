//! What the client's application got, call by call.
//!
//! Owns the account of deliveries and outcomes, and of what was emitted and never handed over. It
//! must not know how it came to that. It exists because this is all that users of a client see.

use std::collections::{BTreeMap, BTreeSet};

use seamstress_trace::{Content, Mark, Message, Outcome, Record, What};

use crate::Play;
use crate::messages::Messages;
use crate::unfold::client_name;

/// What one operation got.
pub(crate) struct Got<'a> {
    /// The operation's label, or `standalone`.
    pub label: &'a str,
    outcome: Option<Outcome>,
    messages: Messages<'a>,
    /// Emitted for it, and never handed over.
    missing: Messages<'a>,
}

impl<'a> Got<'a> {
    fn nothing(label: &'a str) -> Got<'a> {
        let (messages, missing) = (Messages::default(), Messages::default());
        Got { label, outcome: None, messages, missing }
    }

    /// How it ended for the application; empty for the standalone stream, which never does.
    pub(crate) fn outcome(&self) -> &'static str {
        match self.outcome {
            None => "",
            Some(Outcome::Done) => "done",
            Some(Outcome::Failed) => "failed",
            Some(Outcome::Unknown) => "unknown",
        }
    }

    /// For example `progress 1 to 9 and the result`.
    pub(crate) fn messages(&self) -> String {
        if self.messages.is_empty() && self.outcome == Some(Outcome::Done) {
            // A ping or a list is answered without a stream, and its answer bears no mark.
            return "an answer".to_owned();
        }
        self.messages.text(Some(self.label))
    }

    /// What never came, if anything.
    pub(crate) fn missing(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| self.missing.text(Some(self.label)))
    }
}

/// What each operation got: in the order of the plan, then whatever else got something.
pub(crate) fn got<'a>(play: &Play<'a>) -> Vec<Got<'a>> {
    let mut all = All::default();
    for operation in &play.plan.workload {
        all.of(&operation.id);
    }
    let delivered: BTreeSet<&Mark> = play.trace.records.iter().filter_map(delivered).collect();
    for record in &play.trace.records {
        match &record.what {
            What::Deliver { to, message, .. } => all.of(to).messages.add(message),
            What::Outcome { call, outcome } => all.of(call).outcome = Some(*outcome),
            What::Emit { message: Some(message), .. } => {
                // A message without a mark cannot be told from its likes.
                if let Some(mark) = &message.mark
                    && !delivered.contains(mark)
                {
                    all.of(addressee(message, mark)).missing.add(message);
                }
            }
            _ => {}
        }
    }
    let is_empty =
        |got: &Got| got.outcome.is_none() && got.messages.is_empty() && got.missing.is_empty();
    all.in_order.retain(|got| !is_empty(got));
    all.in_order
}

/// Everybody who got something, in the order of first mention.
#[derive(Default)]
struct All<'a> {
    in_order: Vec<Got<'a>>,
    index_by_label: BTreeMap<&'a str, usize>,
}

impl<'a> All<'a> {
    fn of(&mut self, label: &'a str) -> &mut Got<'a> {
        let index = *self.index_by_label.entry(label).or_insert(self.in_order.len());
        if index == self.in_order.len() {
            self.in_order.push(Got::nothing(label));
        }
        &mut self.in_order[index]
    }
}

/// Whom a message was for.
fn addressee<'a>(message: &'a Message, mark: &'a Mark) -> &'a str {
    match &message.content {
        Content::Progress { call, .. } | Content::Result { call: Some(call), .. } => call,
        _ => client_name(&mark.stream),
    }
}

fn delivered(record: &Record) -> Option<&Mark> {
    match &record.what {
        What::Deliver { message, .. } => message.mark.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn every_operation_says_how_it_ended_what_came_and_what_never_came() {
        let sample = sample::skipping();
        let got = got(&sample.play());
        let told: Vec<_> = got
            .iter()
            .map(|got| (got.label, got.outcome(), got.messages(), got.missing()))
            .collect();
        let expected = [
            ("standalone", "", "notification 1".to_owned(), None),
            (
                "c1",
                "done",
                "progress 1 to 2, progress 5 and the result".to_owned(),
                Some("progress 3 to 4".to_owned()),
            ),
        ];
        assert_eq!(told, expected);
    }
}
