//! What README.md promises about the planted defects.
//!
//! Owns the check that its two tables name every defect there is: a defect that is added or renamed
//! makes the tables of the day stale. `cargo run --release -- matrix kill --update README.md`, and
//! the same with `defence`, make them anew.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The role and the name of every defect, as `list` has them: `--server reference:NAME  ...`.
fn defects() -> Vec<(String, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seamstress"));
    let output = command.args(["list", "defects"]).output().expect("the binary starts");
    let list = String::from_utf8(output.stdout).expect("UTF-8");
    let read = |line: &str| {
        let (role, rest) = line.strip_prefix("--")?.split_once(" reference:")?;
        Some((role.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    let defects = list.lines().map(|line| read(line).unwrap_or_else(|| panic!("{line}")));
    defects.collect()
}

#[track_caller]
fn assert_every_defect_has_its_row(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let page = fs::read_to_string(path).expect("README.md");
    let after = page.split_once(&format!("<!-- {table} -->")).expect("the table begins").1;
    let block = after.split_once(&format!("<!-- end of {table} -->")).expect("the table ends").0;
    let has_row =
        |(role, name): &(String, String)| block.contains(&format!("| {role} | `{name}` |"));
    let missing: Vec<_> = defects().into_iter().filter(|defect| !has_row(defect)).collect();
    let way_out = format!("cargo run --release -- {table} --update README.md");
    assert!(missing.is_empty(), "the table is stale, `{way_out}` makes it anew: {missing:?}");
    let rows = block.lines().filter(|line| line.contains(" | `")).count();
    assert_eq!(rows, defects().len(), "a row of a defect that is gone; `{way_out}`");
}

#[test]
fn the_table_of_kills_has_a_row_for_every_defect() {
    assert_every_defect_has_its_row("matrix kill");
}

#[test]
fn the_table_of_defences_has_a_row_for_every_defect() {
    assert_every_defect_has_its_row("matrix defence");
}
