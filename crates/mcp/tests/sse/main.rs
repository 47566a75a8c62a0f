//! Server-sent events across crates: what this crate encodes and scans, held against `sse-stream`,
//! the decoder of the client, and against the web-platform-tests.

mod decoder;
mod properties;
mod support;
mod web_platform_tests;
