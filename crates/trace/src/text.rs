//! The text of a trace: JSON Lines, a header first, then one record a line in the order in which
//! they happened.
//!
//! Owns writing and reading that text. Reading is strict about what it cannot understand and says
//! the line; it must not judge what the records mean.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::{Digest, Record};

/// The version of the trace format that this build writes, and the newest it reads.
pub const SCHEMA: u32 = 1;

/// The first line of a trace: what was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Always `trace`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The version of the format.
    pub schema: u32,
    /// The name of the plan.
    pub plan: String,
    /// The three implementations, as named on the command line.
    pub server: String,
    /// See `server`.
    pub proxy: String,
    /// See `server`.
    pub client: String,
    /// What one step of simulated time is: times are exact to this, in milliseconds.
    pub tick_ms: u64,
    /// Within how long an event must reach a client whose stream is open, once the faults have
    /// ended, in milliseconds.
    pub live_within_ms: u64,
    /// The id scheme that the server declares, by its name in the rule; none if ids are opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_scheme: Option<String>,
    /// The answer to a refused cursor that the server declares, by its name in plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What was played.
    pub header: Header,
    /// What happened, in order.
    pub records: Vec<Record>,
}

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error("line {line}: {source}")]
    Io {
        /// The line, counted from 1.
        line: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file holds no line at all.
    #[error("the file is empty; a trace begins with a line of type \"trace\"")]
    Empty,
    /// The first line is not a header.
    #[error("line 1 is not the header of a trace: {}", on_one_line(source))]
    Header {
        /// What the JSON reader said.
        source: serde_json::Error,
    },
    /// The first line is of another kind, a plan for instance.
    #[error("line 1 has type {found:?}; a trace begins with a line of type \"trace\"")]
    OtherKind {
        /// The type found.
        found: String,
    },
    /// A newer format.
    #[error("the trace has schema {found}, this build reads up to {SCHEMA}; use a newer build")]
    Newer {
        /// The schema found.
        found: u32,
    },
    /// A line that is no record; a trace that was cut off shows itself here.
    #[error(
        "line {line} is not a record ({records} records before it are whole): {}",
        on_one_line(source)
    )]
    Record {
        /// The line, counted from 1.
        line: usize,
        /// How many records were read before it.
        records: usize,
        /// What the JSON reader said.
        source: serde_json::Error,
    },
    /// The last record is not the end of the run.
    #[error(
        "the trace ends at line {line} without a `run-end` record: it was cut off; record it again"
    )]
    CutOff {
        /// The last line, counted from 1.
        line: usize,
    },
}

/// What the JSON reader said, with escapes for what would break the line or steer a terminal: it
/// quotes words of the file.
fn on_one_line(source: &serde_json::Error) -> String {
    let mut line = String::new();
    for character in source.to_string().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

impl Trace {
    /// The canonical bytes: what is hashed, stored and compared.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.records.len() * 192 + 256);
        self.write_to(&mut bytes);
        bytes
    }

    /// The digest over the canonical bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// Reads a trace, line by line.
    ///
    /// # Errors
    ///
    /// Every variant of [`ReadError`]; each names the line.
    pub fn read(source: impl BufRead) -> Result<Trace, ReadError> {
        let mut lines = source.lines().zip(1_usize..);
        let header = match lines.next() {
            None => return Err(ReadError::Empty),
            Some((line, number)) => read_header(line, number)?,
        };
        let mut records: Vec<Record> = Vec::new();
        let mut last_line = 1;
        for (line, number) in lines {
            let line = line.map_err(|source| ReadError::Io { line: number, source })?;
            let record = serde_json::from_str(&line).map_err(|source| ReadError::Record {
                line: number,
                records: records.len(),
                source,
            })?;
            records.push(record);
            last_line = number;
        }
        match records.last() {
            Some(Record { what: crate::What::RunEnd { .. }, .. }) => Ok(Trace { header, records }),
            _ => Err(ReadError::CutOff { line: last_line }),
        }
    }

    fn write_to(&self, bytes: &mut Vec<u8>) {
        write_json(bytes, &self.header);
        bytes.push(b'\n');
        for record in &self.records {
            write_record(bytes, record);
        }
    }
}

fn read_header(line: std::io::Result<String>, number: usize) -> Result<Header, ReadError> {
    let line = line.map_err(|source| ReadError::Io { line: number, source })?;
    let header: Header =
        serde_json::from_str(&line).map_err(|source| ReadError::Header { source })?;
    if header.kind != "trace" {
        return Err(ReadError::OtherKind { found: header.kind });
    }
    if header.schema > SCHEMA {
        return Err(ReadError::Newer { found: header.schema });
    }
    Ok(header)
}

/// Writes one record as a line. The text is what its `Serialize` gives (a test compares them);
/// writing the two parts one after the other costs half as much as flattening them into one.
fn write_record(bytes: &mut Vec<u8>, record: &Record) {
    let host = record.host.name();
    // Writing to memory cannot fail.
    let _ = write!(bytes, r#"{{"at_ms":{},"host":"{host}""#, record.at_ms);
    let what = bytes.len();
    write_json(bytes, &record.what);
    bytes[what] = b',';
    bytes.push(b'\n');
}

fn write_json(bytes: &mut Vec<u8>, value: &impl Serialize) {
    // Records hold only strings, integers and lists: neither serialising them nor writing to
    // memory can fail.
    serde_json::to_writer(bytes, value).expect("records serialise into memory");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Host, Mark, Message, RunEnd, What};

    fn trace() -> Trace {
        let header = Header {
            kind: "trace".into(),
            schema: SCHEMA,
            plan: "drop@7".into(),
            server: "reference".into(),
            proxy: "reference".into(),
            client: "reference".into(),
            tick_ms: 1,
            live_within_ms: 100,
            id_scheme: Some("namespaced".into()),
            refusal: None,
        };
        let mark = Mark { origin: "s1".into(), stream: "c1".into(), ordinal: 2 };
        let deliver = What::Deliver {
            exchange: 3,
            to: "c1".into(),
            message: Message {
                content: Content::Progress { call: "c1".into(), progress: 2 },
                mark: Some(mark),
            },
        };
        let end = What::RunEnd { why: RunEnd::Finished, detail: None, next_draws: vec![] };
        let records = vec![
            Record { at_ms: 4, host: Host::Client, what: deliver },
            Record { at_ms: 9, host: Host::Run, what: end },
        ];
        Trace { header, records }
    }

    #[test]
    fn a_written_trace_reads_back_as_it_was_with_the_same_digest() {
        let trace = trace();
        let again = Trace::read(trace.to_bytes().as_slice()).expect("whole trace");
        assert_eq!(again, trace);
        assert_eq!(again.digest(), trace.digest());
    }

    #[test]
    fn a_record_is_written_as_it_serialises() {
        for record in &trace().records {
            let mut bytes = Vec::new();
            write_record(&mut bytes, record);
            let serialised = serde_json::to_string(record).expect("serialises");
            assert_eq!(String::from_utf8(bytes).expect("UTF-8"), serialised + "\n");
        }
    }

    #[test]
    fn the_text_of_a_record_is_flat_and_stable() {
        let text = String::from_utf8(trace().to_bytes()).expect("UTF-8");
        let line = text.lines().nth(1).expect("a record");
        assert_eq!(
            line,
            r#"{"at_ms":4,"host":"client","kind":"deliver","exchange":3,"to":"c1","message":{"type":"progress","call":"c1","progress":2,"mark":{"origin":"s1","stream":"c1","ordinal":2}}}"#
        );
    }

    #[test]
    fn any_change_of_a_record_changes_the_digest() {
        let mut other = trace();
        other.records[0].at_ms += 1;
        assert_ne!(other.digest(), trace().digest());
    }

    #[test]
    fn a_trace_cut_inside_a_line_names_the_line_and_what_was_whole_before_it() {
        let bytes = trace().to_bytes();
        let cut = &bytes[..bytes.len() - 20];
        let error = Trace::read(cut).expect_err("cut");
        assert!(matches!(error, ReadError::Record { line: 3, records: 1, .. }), "{error}");
    }

    #[test]
    fn a_trace_cut_between_two_lines_is_told_from_a_whole_one() {
        let bytes = trace().to_bytes();
        let second_line_end =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).expect("lines").0;
        let error = Trace::read(&bytes[..=second_line_end]).expect_err("cut");
        assert!(matches!(error, ReadError::CutOff { line: 2 }), "{error}");
    }

    #[test]
    fn what_is_quoted_of_a_trace_stays_on_one_line_and_steers_no_terminal() {
        let text = String::from_utf8(trace().to_bytes()).expect("UTF-8");
        for (from, to) in [("\"deliver\"", r#""\n\u001b[2K""#), ("\"plan\"", r#""type":"\n""#)] {
            let text = text.replacen(from, to, 1);
            let error = Trace::read(text.as_bytes()).expect_err("an unknown word");
            assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }

    #[test]
    fn a_trace_of_a_newer_schema_is_refused_with_a_way_out() {
        let mut newer = trace();
        newer.header.schema = SCHEMA + 1;
        let error = Trace::read(newer.to_bytes().as_slice()).expect_err("newer");
        assert!(error.to_string().contains("use a newer build"), "{error}");
    }
}
