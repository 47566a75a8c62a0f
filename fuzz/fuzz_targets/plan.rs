//! Reads any text as a plan.
//!
//! Owns nothing: what must hold is said in the library beside it, so that all four targets look
//! alike and a text that was found can be tried without a fuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| seamstress_fuzz::plan_reads(text));
