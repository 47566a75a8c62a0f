//! The names that plan and trace files carry. A change here breaks saved files, so it must be seen.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use seamstress_resumption::{
    Continuity, Counters, Floor, IdScheme, Reason, Retention, SessionVerdict, UnverifiablePolicy,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn the_file_name_is_the_displayed_name<T>(all: &[T])
where
    T: Copy + Debug + Display + FromStr + PartialEq + Serialize + DeserializeOwned,
{
    for &value in all {
        let written = serde_json::to_string(&value).expect("a unit variant");
        assert_eq!(written, format!("\"{value}\""));
        assert_eq!(serde_json::from_str::<T>(&written).ok(), Some(value));
        assert_eq!(value.to_string().parse::<T>().ok(), Some(value));
    }
}

#[test]
fn every_closed_enum_is_written_by_its_displayed_name() {
    the_file_name_is_the_displayed_name(IdScheme::ALL);
    the_file_name_is_the_displayed_name(Floor::ALL);
    the_file_name_is_the_displayed_name(Counters::ALL);
    the_file_name_is_the_displayed_name(Reason::ALL);
    the_file_name_is_the_displayed_name(SessionVerdict::ALL);
    the_file_name_is_the_displayed_name(Continuity::ALL);
    the_file_name_is_the_displayed_name(UnverifiablePolicy::ALL);
}

#[test]
fn a_retention_names_only_the_limits_it_sets() {
    let retention = Retention { session_events_max: Some(71), ..Retention::UNBOUNDED };
    let written = serde_json::to_string(&retention).unwrap();
    assert_eq!(written, r#"{"session-events-max":71}"#);
    assert_eq!(serde_json::from_str::<Retention>(&written).unwrap(), retention);
    assert_eq!(serde_json::from_str::<Retention>("{}").unwrap(), Retention::UNBOUNDED);
}

#[test]
fn a_misspelt_limit_is_an_error_and_not_an_unbounded_log() {
    assert!(serde_json::from_str::<Retention>(r#"{"session-event-max":71}"#).is_err());
}
