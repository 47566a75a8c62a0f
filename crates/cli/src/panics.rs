//! Panics of the tool itself, kept instead of printed.
//!
//! Owns the hook of this process and the words for a panic. A user must never see a panic's own
//! text; what they get is one line and exit code 70. What panics inside a run is kept by the
//! player, and its trace says so.

use std::any::Any;
use std::panic;
use std::sync::{Mutex, PoisonError};

/// Where the first panic of this process happened.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the place of the first panic, and prints none.
pub fn silence() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
        let mut first = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        *first = first.take().or(place);
    }));
}

/// What a caught panic says, on one line, and where it happened if that is known.
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match &*PLACE.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(place) => format!("{line} ({place})"),
        None => line,
    }
}
