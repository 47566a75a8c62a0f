//! What ARCHITECTURE.md promises, checked over the sources themselves.
//!
//! Owns the invariants that are written as absences: who must not name whom, what no file may
//! contain, how long files may be. It exists so that the page stays true.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates, and what each must not depend on (design section 2).
const MUST_NOT_DEPEND_ON: &[(&str, &[&str])] = &[
    ("resumption", &["seamstress-", "tokio", "http", "hyper", "serde_json", "rand", "turmoil"]),
    ("mcp", &["seamstress-", "tokio", "hyper", "turmoil"]),
    ("defects", &["seamstress-", "tokio", "hyper", "http", "turmoil"]),
    ("net", &["seamstress-", "hyper", "http", "turmoil"]),
    ("server", &["seamstress-proxy", "seamstress-plan", "seamstress-client", "turmoil"]),
    ("proxy", &["seamstress-server", "seamstress-resumption", "seamstress-client", "turmoil"]),
    ("client", &["seamstress-server", "seamstress-proxy", "turmoil"]),
    ("plan", &["seamstress-net", "seamstress-oracle", "seamstress-sim", "tokio", "hyper"]),
    ("trace", &["seamstress-", "tokio", "hyper", "turmoil"]),
    ("oracle", &["seamstress-plan", "seamstress-sim", "seamstress-net", "tokio", "hyper"]),
    ("report", &["seamstress-sim", "seamstress-net", "tokio", "hyper", "turmoil"]),
    ("sim", &["seamstress-oracle", "seamstress-report"]),
];

/// Files may be this long; a longer one is split.
const LINES_MAX: usize = 400;
/// Files that may be longer, and why.
const MAY_BE_LONGER: &[(&str, &str)] = &[
    ("crates/trace/src/record.rs", "one closed enum, a sentence for each field"),
    ("crates/oracle/src/script.rs", "the one vocabulary in which tests write traces"),
];
/// Lines may be this wide, as in rustfmt.toml. Lines with texts that cannot be broken are exempt.
const COLUMNS_MAX: usize = 100;
/// What no source file may contain.
const BANNED: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "FIXME", "#[ignore"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crates() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates are there");
    let mut crates: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    crates.sort();
    crates
}

fn name_of(folder: &Path) -> String {
    folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn all_rust_files() -> Vec<(PathBuf, String)> {
    let files = crates().into_iter().flat_map(|folder| rust_files(&folder));
    let read = files.map(|path| {
        let text = fs::read_to_string(&path).expect("readable");
        (path, text)
    });
    read.filter(|(path, _)| !path.ends_with("cli/tests/tidy.rs")).collect()
}

/// The names in the `[dependencies]` section of a crate's manifest.
fn dependencies(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().skip(1);
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn no_crate_depends_on_what_it_must_not_know() {
    let rules: BTreeMap<_, _> = MUST_NOT_DEPEND_ON.iter().copied().collect();
    let mut broken = Vec::new();
    for folder in crates() {
        let name = name_of(&folder);
        let Some(banned) = rules.get(name.as_str()) else { continue };
        for dependency in dependencies(&folder) {
            if banned.iter().any(|banned| dependency.starts_with(banned)) {
                broken.push(format!("{name} depends on {dependency}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn only_sim_names_turmoil_and_builds_a_simulation_in_one_place() {
    let mut builders = 0;
    for (path, text) in all_rust_files() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let names = code.filter(|line| line.contains("turmoil::")).count();
        let in_sim = path.starts_with(root().join("crates/sim"));
        assert!(names == 0 || in_sim, "{} names turmoil", path.display());
        if path.starts_with(root().join("crates/sim/src")) {
            builders += text.matches("turmoil::Builder::new").count();
        }
    }
    assert_eq!(builders, 1, "one constructor sets seed, epoch, latency and capacity");
}

#[test]
fn only_foreign_uses_foreign_implementations_and_the_judge_knows_none_by_name() {
    for (path, text) in all_rust_files() {
        let in_crate = |name: &str| path.starts_with(root().join("crates").join(name));
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let uses = ["rmcp::", "tower_mcp::", "rust_mcp_sdk::"].iter().any(|name| {
                line.contains(name) && !line.contains(&format!("seamstress_foreign::{name}"))
            });
            assert!(!uses || in_crate("foreign"), "{}: {line}", path.display());
        }
        let is_named = ["rmcp", "tower-mcp", "rust-mcp-sdk"].iter().any(|name| text.contains(name));
        assert!(!is_named || !in_crate("oracle"), "{} names an implementation", path.display());
    }
}

#[test]
fn every_file_opens_with_its_contract() {
    for (path, text) in all_rust_files() {
        assert!(text.starts_with("//!"), "{} does not open with //!", path.display());
    }
}

#[test]
fn files_and_lines_stay_short() {
    let mut long = Vec::new();
    for (path, text) in all_rust_files() {
        let lines = text.lines().count();
        let is_test = name_of(&path).contains("tests")
            || path.components().any(|part| part.as_os_str() == "tests");
        let is_exempt = MAY_BE_LONGER.iter().any(|(file, _)| path.ends_with(file));
        if lines > LINES_MAX && !is_test && !is_exempt {
            long.push(format!("{} has {lines} lines", path.display()));
        }
        if is_test {
            // Snapshots in tests are as wide as what people see.
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let breakable = !line.contains('"') && !line.trim_start().starts_with("//! |");
            if breakable && line.chars().count() > COLUMNS_MAX {
                long.push(format!("{}:{} is too wide", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn nothing_unfinished_is_left_behind() {
    for (path, text) in all_rust_files() {
        for banned in BANNED {
            assert!(!text.contains(banned), "{} contains {banned}", path.display());
        }
    }
}

#[test]
fn no_unbiased_select_stands_in_our_own_code() {
    for (path, text) in all_rust_files() {
        for (start, select) in text.match_indices("select! {") {
            let rest = text[start + select.len()..].trim_start();
            assert!(rest.starts_with("biased;"), "{}: an unbiased select!", path.display());
        }
    }
}

/// The crates whose code runs while a plan is made, played or judged.
const IN_A_RUN: &[&str] = &[
    "resumption",
    "mcp",
    "plan",
    "defects",
    "net",
    "server",
    "proxy",
    "client",
    "sim",
    "trace",
    "oracle",
];
/// The one file there that may look at what no plan fixes, so that it can be found out.
const CANARIES: &str = "crates/sim/src/canary.rs";

#[test]
fn only_canaries_look_at_the_process_or_its_environment_in_a_run() {
    let mut seen = false;
    for (path, text) in all_rust_files() {
        let is_in_a_run = IN_A_RUN
            .iter()
            .any(|name| path.starts_with(root().join("crates").join(name).join("src")));
        let looks = ["process::id", "std::env", "env::var"].iter().any(|look| text.contains(look));
        let is_canary = path.ends_with(CANARIES);
        seen |= is_canary && looks;
        assert!(!is_in_a_run || !looks || is_canary, "{} looks outside", path.display());
    }
    assert!(seen, "{CANARIES} is the exception, and the rule sees it");
}

/// Up to this version `getrandom` makes raw system calls, so that nobody can put seeded bytes in
/// the place of random ones; later ones can be made to ask a function of ours.
const UNTAMED: &str = "getrandom v0.2";
/// Who may bring it along, if a feature that is off by default asks for them: TLS, which no run
/// gets to.
const MAY_BE_UNTAMED: &[&str] = &["ring"];

#[test]
fn nothing_in_the_default_build_asks_a_random_source_that_cannot_be_tamed() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--offline", "-p", "seamstress", "-e", "normal"]);
    let output = cargo.current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    // A tree that shows nothing proves nothing.
    assert!(tree.contains("getrandom v0."), "{tree}");
    assert!(!tree.contains(UNTAMED), "{UNTAMED} makes raw system calls: {tree}");
}

#[test]
fn a_random_source_that_cannot_be_tamed_has_no_other_user_than_tls() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    let wanted = format!("\"{}", UNTAMED.replace(" v", " "));
    let users = lock.split("[[package]]").filter(|package| package.contains(&wanted));
    let names =
        users.filter_map(|package| package.trim().strip_prefix("name = \"")?.split('"').next());
    let strangers: Vec<&str> = names.filter(|name| !MAY_BE_UNTAMED.contains(name)).collect();
    assert!(strangers.is_empty(), "{strangers:?} ask {UNTAMED}");
}

#[test]
fn every_crate_stands_in_the_architecture_page() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for folder in crates() {
        let name = name_of(&folder);
        assert!(page.contains(&format!("`crates/{name}`")), "{name} is not on the page");
    }
}
