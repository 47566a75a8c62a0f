//! What holds for every history, every option and every cursor, shown with random cases against a
//! model that is too simple to share the mistakes of the crate. Cases are the same in every run;
//! set `PROPTEST_CASES` to explore new ones.

mod client;
mod histories;
mod log;
mod model;
