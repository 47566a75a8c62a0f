//! Files are written whole or not at all.

use crate::support::Folder;

#[test]
fn a_file_that_is_written_is_all_that_is_left_beside_the_others() {
    let folder = Folder::new("written");
    folder.write("story.txt", "an older story");
    let ran = folder.run("explain drop@3 --output story.txt");
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""), "{ran:?}");
    assert!(folder.read("story.txt").contains("verdict   holds"));
    assert_eq!(folder.names(), ["story.txt"]);
}

#[test]
fn a_plan_is_saved_as_the_generator_made_it() {
    let folder = Folder::new("plan");
    assert_eq!(folder.run("replay drop@3 --save plan.json").code, Some(0));
    let plan = folder.read("plan.json");
    assert!(
        plan.starts_with("{\n  \"type\": \"plan\",\n  \"schema\": 1,\n  \"name\": \"drop@3\",")
    );
    assert_eq!(folder.names(), ["plan.json"]);
}

#[test]
fn an_error_leaves_no_file_behind_and_an_older_one_untouched() {
    let folder = Folder::new("error");
    folder.write("plan.json", "an older plan");
    assert_eq!(folder.run("replay drop@3 --server x --save plan.json").code, Some(2));
    assert_eq!(folder.run("explain drop@3 --server x --output story.txt").code, Some(2));
    assert_eq!(folder.read("plan.json"), "an older plan");
    assert_eq!(folder.names(), ["plan.json"]);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_of_the_user() {
    let folder = Folder::new("unwritable");
    let ran = folder.run("replay drop@3 --save no/such/folder/plan.json");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("no/such/folder/plan.json cannot be written"), "{ran:?}");
    folder.write("taken/file", "");
    let ran = folder.run("explain drop@3 --output taken");
    assert_eq!(ran.code, Some(2), "a folder is no file: {ran:?}");
    assert_eq!(folder.names(), ["taken"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_is_written_to() {
    let folder = Folder::new("links");
    folder.write("real.txt", "before");
    std::os::unix::fs::symlink("real.txt", folder.path().join("link.txt")).unwrap();
    assert_eq!(folder.run("explain drop@3 --output link.txt").code, Some(0));
    assert!(folder.read("real.txt").contains("verdict   holds"));
    assert_eq!(folder.names(), ["link.txt", "real.txt"]);
    let ran = folder.run("explain drop@3 --output /dev/stdout");
    assert!(ran.stdout.contains("verdict   holds"), "{ran:?}");
}
