//! A naive event log that keeps every event for ever and marks the evicted ones, and a second
//! definition of the rule on top of it: sets and filters over the whole history, no queues, no
//! look-up, nothing shared with the crate but its vocabulary.
//! It exists so that the fast log can be held against something too simple to be wrong in the same
//! way.

use std::collections::BTreeSet;

use seamstress_resumption::{Counters, Floor, IdScheme, LogOptions, Reason, Resolution, Retention};

use crate::histories::{Op, STREAMS};

/// An event as it was issued, never removed.
#[derive(Debug, Clone)]
pub struct Issued {
    pub stream: &'static str,
    pub position: u64,
    pub epoch: u64,
    pub id: String,
    pub at_ms: u64,
    pub evicted: bool,
    /// The number in the token.
    pub number: u64,
}

/// What the reference expects of a resolution; `replay` are positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    Accepted { stream: String, after: u64, replay: Vec<u64> },
    Refused(Reason),
}

impl Expected {
    pub fn of<P>(resolution: &Resolution<P>) -> Self {
        let accepted = |stream: &str, after: &u64, replay: Vec<u64>| Self::Accepted {
            stream: stream.to_owned(),
            after: *after,
            replay,
        };
        match resolution {
            Resolution::Resume { stream, after, replay } => {
                assert!(!replay.is_empty(), "a resumption without a replay is called caught up");
                accepted(stream, after, replay.iter().map(|event| event.position).collect())
            }
            Resolution::CaughtUp { stream, after } => accepted(stream, after, Vec::new()),
            Resolution::Refused(reason) => Self::Refused(*reason),
        }
    }
}

/// What a token says, read by taking it apart at the full stops.
struct Reading<'a> {
    tag: Option<&'a str>,
    epoch: Option<u64>,
    stream: Option<&'a str>,
    number: u64,
}

/// The naive log.
#[derive(Debug, Clone)]
pub struct Model {
    pub options: LogOptions,
    pub events: Vec<Issued>,
    pub now_ms: u64,
    pub epoch: u64,
    streams: Vec<(&'static str, u64)>,
    /// How many events had been issued when the counters were last restarted.
    counting_from: usize,
}

impl Model {
    pub fn new(options: LogOptions) -> Self {
        Self { options, events: vec![], now_ms: 0, epoch: 1, streams: vec![], counting_from: 0 }
    }

    pub fn apply(&mut self, op: &Op) {
        match *op {
            Op::Burst { stream, events, step_ms } => {
                for _ in 0..events {
                    self.now_ms += step_ms;
                    self.issue(stream);
                    self.evict();
                }
            }
            Op::Open(stream) => self.open(stream),
            Op::Wait { step_ms } => self.now_ms += step_ms,
            Op::Retain(retention) => self.options.retention = retention,
            Op::Rebase(counters) => {
                self.epoch += 1;
                if counters == Counters::Restarted {
                    self.counting_from = self.events.len();
                }
            }
        }
        self.evict();
    }

    fn open(&mut self, stream: &'static str) {
        if self.streams.iter().all(|(known, _)| *known != stream) {
            self.streams.push((stream, self.now_ms));
        }
    }

    fn issue(&mut self, stream: &'static str) {
        self.open(stream);
        let number = match self.options.scheme {
            IdScheme::SessionCounter => self.next_number(None),
            _ => self.next_number(Some(stream)),
        };
        let epoch = self.epoch;
        let id = match self.options.scheme {
            IdScheme::SessionCounter | IdScheme::StreamCounter => format!("{number}"),
            IdScheme::Namespaced => format!("s1.{stream}.{number}"),
            IdScheme::EpochNamespaced => format!("s1.{epoch}.{stream}.{number}"),
        };
        let position = 1 + self.events.iter().filter(|event| event.stream == stream).count() as u64;
        let at_ms = self.now_ms;
        let evicted = false;
        self.events.push(Issued { stream, position, epoch, id, at_ms, evicted, number });
    }

    /// The number of the next event of a stream, or of the session.
    fn next_number(&self, stream: Option<&str>) -> u64 {
        let counted = self.events[self.counting_from..].iter();
        let counted = counted.filter(|event| stream.is_none_or(|stream| event.stream == stream));
        self.options.first_counter + counted.count() as u64
    }

    fn evict(&mut self) {
        let Retention { session_events_max, stream_events_max, age_ms_max } =
            self.options.retention;
        for index in 0..self.events.len() {
            let age_ms = self.now_ms - self.events[index].at_ms;
            self.events[index].evicted |= age_ms_max.is_some_and(|max| age_ms > max);
        }
        for stream in STREAMS {
            self.evict_to(stream_events_max, |event| event.stream == stream);
        }
        self.evict_to(session_events_max, |_| true);
    }

    fn evict_to(&mut self, events_max: Option<u64>, concerned: impl Fn(&Issued) -> bool) {
        let retained = |model: &Self| -> Vec<usize> {
            let all = 0..model.events.len();
            all.filter(|&at| model.is_retained(&model.events[at]) && concerned(&model.events[at]))
                .collect()
        };
        while events_max.is_some_and(|max| retained(self).len() as u64 > max) {
            let oldest = retained(self)[0];
            self.events[oldest].evicted = true;
        }
    }

    pub fn is_retained(&self, event: &Issued) -> bool {
        event.epoch == self.epoch && !event.evicted
    }

    /// Retained positions of a stream.
    pub fn retained(&self, stream: &str) -> Vec<u64> {
        let of_stream = self.events.iter().filter(|event| event.stream == stream);
        of_stream.filter(|event| self.is_retained(event)).map(|event| event.position).collect()
    }

    /// The rule, a second time: the first reason that applies, or the missing suffix.
    pub fn resolve(&self, cursor: &str, as_of_ms: u64) -> Expected {
        let Some(reading) = self.read(cursor) else { return Expected::Refused(Reason::Malformed) };
        let streams: Vec<&str> = (self.streams.iter())
            .filter(|(_, opened_at_ms)| *opened_at_ms <= as_of_ms)
            .map(|(stream, _)| *stream)
            .collect();
        let windows = self.windows(&reading, &streams, as_of_ms);
        let proven: Vec<&Issued> = (self.events.iter())
            .filter(|event| event.id == cursor && event.at_ms <= as_of_ms)
            .filter(|event| self.everything_after_is_retained(event))
            .collect();
        let excused = self.options.floor == Floor::Predecessor && !proven.is_empty();
        let bare = self.options.scheme == IdScheme::StreamCounter;
        let table = [
            (Reason::OtherSession, reading.tag.is_some_and(|tag| tag != "s1")),
            (Reason::OtherEpoch, reading.epoch.is_some_and(|epoch| epoch != self.epoch)),
            (Reason::UnknownStream, reading.stream.is_some_and(|name| !streams.contains(&name))),
            (Reason::BelowFloor, windows.iter().all(|w| reading.number < w.0) && !excused),
            (Reason::Ahead, windows.iter().all(|w| reading.number >= w.1)),
            (Reason::NotRetained, proven.is_empty()),
            (Reason::Ambiguous, bare && streams.len() > 1),
        ];
        if let Some((reason, _)) = table.into_iter().find(|(_, applies)| *applies) {
            return Expected::Refused(reason);
        }
        assert_eq!(proven.len(), 1, "an accepted cursor names one event");
        let Issued { stream, position: after, .. } = *proven[0];
        let replay = self.suffix(stream, after, as_of_ms);
        Expected::Accepted { stream: stream.to_owned(), after, replay }
    }

    /// Every event of the stream after the cursor, retained or not, that a reader can know of.
    pub fn suffix(&self, stream: &str, after: u64, as_of_ms: u64) -> Vec<u64> {
        (self.events.iter())
            .filter(|event| event.stream == stream && event.position > after)
            .filter(|event| event.at_ms <= as_of_ms)
            .map(|event| event.position)
            .collect()
    }

    fn everything_after_is_retained(&self, cursor: &Issued) -> bool {
        let later = (self.events.iter())
            .filter(|event| event.stream == cursor.stream && event.position > cursor.position);
        cursor.epoch == self.epoch && later.into_iter().all(|event| self.is_retained(event))
    }

    /// The windows with which a number is compared, as (floor, first number not issued).
    fn windows(&self, reading: &Reading<'_>, streams: &[&str], as_of_ms: u64) -> Vec<(u64, u64)> {
        if self.options.scheme == IdScheme::StreamCounter && streams.is_empty() {
            return vec![(self.options.first_counter, self.options.first_counter)];
        }
        let concerned: Vec<Option<&str>> = match (self.options.scheme, reading.stream) {
            (IdScheme::StreamCounter, _) => streams.iter().copied().map(Some).collect(),
            (_, stream) => vec![stream],
        };
        let window = |stream: Option<&str>| {
            let retained = (self.events.iter()).filter(|event| {
                self.is_retained(event) && stream.is_none_or(|stream| event.stream == stream)
            });
            let next = self.next_number(stream);
            let floor = retained.clone().map(|event| event.number).min().unwrap_or(next);
            let hidden = retained.filter(|event| event.at_ms > as_of_ms);
            (floor, hidden.map(|event| event.number).min().unwrap_or(next))
        };
        concerned.into_iter().map(window).collect()
    }

    fn read<'a>(&self, cursor: &'a str) -> Option<Reading<'a>> {
        let number =
            |text: &str| text.parse().ok().filter(|number: &u64| number.to_string() == text);
        let name = |text: &str| {
            let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            !text.is_empty() && text.len() <= 64 && text.chars().all(fits)
        };
        let parts: Vec<&str> = cursor.split('.').collect();
        let (tag, epoch, stream, last) = match (self.options.scheme, &parts[..]) {
            (IdScheme::SessionCounter | IdScheme::StreamCounter, [last]) => {
                (None, None, None, last)
            }
            (IdScheme::Namespaced, [tag, stream, last]) => (Some(*tag), None, Some(*stream), last),
            (IdScheme::EpochNamespaced, [tag, epoch, stream, last]) => {
                (Some(*tag), Some(number(epoch)?), Some(*stream), last)
            }
            _ => return None,
        };
        let names_fit = tag.is_none_or(name) && stream.is_none_or(name);
        names_fit.then_some(Reading { tag, epoch, stream, number: number(last)? })
    }

    /// Every id ever issued here and everything that resembles one: neighbours, second spellings,
    /// the same place in other sessions, epochs and streams.
    pub fn cursors(&self, garbage: Vec<String>) -> BTreeSet<String> {
        let mut cursors: BTreeSet<String> = garbage.into_iter().collect();
        let issued = self.events.iter().map(|event| event.id.clone());
        let never_issued = ["1", "0", "s1.get.1", "s1.1.get.1"].map(str::to_owned);
        for id in issued.chain(never_issued) {
            let (place, number) = id.rsplit_once('.').map_or(("", &*id), |(place, n)| (place, n));
            let at = |number: &str| match place {
                "" => number.to_owned(),
                _ => format!("{place}.{number}"),
            };
            let value: u64 = number.parse().expect("every token ends in its number");
            for neighbour in [0, value.saturating_sub(1), value + 1, value + 2, value + 50] {
                cursors.insert(at(&neighbour.to_string()));
            }
            cursors.insert(at(&format!("0{number}")));
            cursors.insert(at(&format!("+{number}")));
            cursors.insert(format!("{id}."));
            cursors.insert(id.replacen("s1", "s2", 1));
            cursors.insert(id.replacen("s1.", "", 1));
            for epoch in 0..=self.epoch + 1 {
                cursors.insert(id.replacen(".1.", &format!(".{epoch}."), 1));
            }
            for stream in STREAMS.iter().chain(&["never-opened"]) {
                cursors.insert(id.replace("get", stream));
            }
            cursors.insert(id);
        }
        cursors
    }
}
