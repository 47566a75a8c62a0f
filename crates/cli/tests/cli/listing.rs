//! The lists, as people see them.

use crate::support::{Folder, RING};

/// Lines of lists are long, so that each row stays on one; so they lie in files.
#[track_caller]
fn assert_list(what: &str) {
    let ran = Folder::new(&format!("list-{what}")).run(&format!("list {what}"));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("list-{what}"), ran.stdout));
}

#[test]
#[cfg(feature = "rmcp")]
fn servers_are_listed_with_how_they_are_named() {
    assert_list("servers");
}

#[test]
#[cfg(feature = "rmcp")]
fn clients_are_listed_with_how_they_are_named() {
    assert_list("clients");
}

#[test]
fn defects_are_listed_with_the_option_that_plants_them() {
    assert_list("defects");
}

#[test]
fn scenarios_are_listed_in_their_order() {
    assert_list("scenarios");
}

#[test]
fn faults_are_listed_family_by_family() {
    assert_list("faults");
}

#[test]
fn oracles_are_listed_with_class_and_clause() {
    assert_list("oracles");
}

#[test]
fn the_parts_of_protocol_states_are_listed_in_the_order_of_their_names() {
    assert_list("states");
}

#[test]
fn scenarios_in_the_folder_sims_are_listed_too() {
    let folder = Folder::new("list-sims");
    folder.write("sims/ring.toml", RING);
    let ran = folder.run("list scenarios");
    let last = ran.stdout.lines().last().unwrap();
    assert!(last.starts_with("ring  ") && last.ends_with("has already."), "{ran:?}");
}
