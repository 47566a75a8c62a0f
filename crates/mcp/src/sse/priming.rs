//! The forms of the event that a server sends first, so that a client has a cursor from the start.
//!
//! Revision 2025-11-25 asks for an id and an empty data field (SEP-1699). Servers in the field send
//! other forms too, and clients stumble over each in its own way, so all of them can be written.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{EncodeError, Event, LineEnding, encode};

/// A form of priming event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priming {
    /// None: before the first real event there is nothing to resume with.
    None,
    /// `id` and an empty `data`: the form of the specification. It *is* dispatched, with empty
    /// data, and clients were seen to run a JSON parser on that (typescript-sdk issue 1184).
    #[default]
    IdAndEmptyData,
    /// `id` alone: never dispatched, and yet it moves the cursor (WHATWG HTML 9.2.6).
    IdOnly,
    /// `id` and `retry`, no data.
    IdAndRetry,
    /// `event: prime`, `id` and an empty `data` (csharp-sdk pull request 1077).
    Typed,
}

impl Priming {
    /// Every form.
    pub const ALL: [Priming; 5] =
        [Self::None, Self::IdAndEmptyData, Self::IdOnly, Self::IdAndRetry, Self::Typed];

    /// The name in scenario files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::IdAndEmptyData => "id-and-empty-data",
            Self::IdOnly => "id-only",
            Self::IdAndRetry => "id-and-retry",
            Self::Typed => "typed",
        }
    }
}

impl fmt::Display for Priming {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A name that no form of priming event has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no form of priming event; \
     use none, id-and-empty-data, id-only, id-and-retry or typed"
)]
pub struct UnknownPriming(pub String);

impl FromStr for Priming {
    type Err = UnknownPriming;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|form| form.as_str() == text)
            .ok_or_else(|| UnknownPriming(text.to_owned()))
    }
}

/// Writes the priming event in the given form; `None` for [`Priming::None`]. `retry_ms` is used by
/// [`Priming::IdAndRetry`] alone.
///
/// # Errors
/// [`EncodeError::Id`] if the id cannot be represented.
pub fn priming_event(
    form: Priming,
    id: &str,
    retry_ms: u64,
    ending: LineEnding,
) -> Result<Option<Bytes>, EncodeError> {
    let id_only = Event { id: Some(id), ..Event::default() };
    let event = match form {
        Priming::None => return Ok(None),
        Priming::IdAndEmptyData => Event { data: Some(""), ..id_only },
        Priming::IdOnly => id_only,
        Priming::IdAndRetry => Event { retry_ms: Some(retry_ms), ..id_only },
        Priming::Typed => Event { event: Some("prime"), data: Some(""), ..id_only },
    };
    encode(&event, ending).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_written_as_it_was_seen() {
        let written = |form| priming_event(form, "7", 500, LineEnding::Lf).unwrap();
        assert_eq!(written(Priming::None), None);
        assert_eq!(written(Priming::IdAndEmptyData).unwrap(), "id: 7\ndata:\n\n");
        assert_eq!(written(Priming::IdOnly).unwrap(), "id: 7\n\n");
        assert_eq!(written(Priming::IdAndRetry).unwrap(), "id: 7\nretry: 500\n\n");
        assert_eq!(written(Priming::Typed).unwrap(), "event: prime\nid: 7\ndata:\n\n");
    }

    #[test]
    fn a_priming_event_ends_its_lines_like_the_rest_of_its_stream() {
        let written = priming_event(Priming::IdOnly, "7", 0, LineEnding::Cr).unwrap();
        assert_eq!(written.unwrap(), "id: 7\r\r");
    }

    #[test]
    fn an_id_that_cannot_be_written_is_an_error() {
        let written = priming_event(Priming::IdOnly, "a\nb", 0, LineEnding::Lf);
        assert_eq!(written, Err(EncodeError::Id));
    }

    #[test]
    fn every_form_reads_back_from_its_name_in_text_and_in_json() {
        for form in Priming::ALL {
            assert_eq!(form.to_string().parse(), Ok(form));
            let json = serde_json::to_string(&form).unwrap();
            assert_eq!(json, format!("\"{form}\""));
            assert_eq!(serde_json::from_str::<Priming>(&json).unwrap(), form);
        }
        assert_eq!("Typed".parse::<Priming>(), Err(UnknownPriming("Typed".to_owned())));
    }
}
