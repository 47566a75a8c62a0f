//! Surroundings other than ours: variables and a working directory.
//!
//! Owns the choice of what is different around a process, such that each of two processes differs
//! from this one in everything that can differ, whatever it is here. It must not know what the
//! processes do. Nothing of it may change what is played.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::log;

/// A variable, with what it is for the first and for the second process: the first of the two
/// values that is not ours. None: it is not set.
type Choice = (&'static str, [Option<&'static str>; 2], [Option<&'static str>; 2]);

const CHOICES: &[Choice] = &[
    (
        "TZ",
        [Some("Asia/Kathmandu"), Some("Pacific/Chatham")],
        [Some("America/St_Johns"), Some("UTC")],
    ),
    // Turkish has letters of its own for the case of an i.
    ("LANG", [Some("tr_TR.UTF-8"), Some("ja_JP.UTF-8")], [Some("C"), Some("POSIX")]),
    ("LC_ALL", [Some("tr_TR.UTF-8"), Some("ja_JP.UTF-8")], [None, Some("C")]),
    ("HOME", [Some("/nonexistent"), Some("/nowhere")], [None, Some("/")]),
    ("RUST_BACKTRACE", [Some("full"), Some("1")], [Some("0"), None]),
    ("SEAMSTRESS_DOCTOR", [Some("first"), Some("other")], [None, Some("second")]),
];

/// What is around a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    variables: Vec<(&'static str, Option<&'static str>)>,
    folder: PathBuf,
}

impl Surroundings {
    /// Those of the two processes. `ours` tells our variables; `folders` are where a process may
    /// work, the one where we do last.
    pub fn two(ours: impl Fn(&str) -> Option<String>, folders: &[PathBuf]) -> [Surroundings; 2] {
        let variables = |number: usize| {
            let choose = |(name, first, second): &Choice| {
                let [one, other] = [first, second][number];
                let is_ours = ours(name).as_deref() == *one;
                (*name, if is_ours { *other } else { *one })
            };
            CHOICES.iter().map(choose).collect()
        };
        let folder = |number: usize| {
            let found = folders.get(number).or(folders.last());
            found.cloned().unwrap_or_default()
        };
        [0, 1].map(|number| Surroundings { variables: variables(number), folder: folder(number) })
    }

    /// Puts a process into them. It writes no log, which nobody would read.
    pub fn put_around(&self, command: &mut Command) {
        command.current_dir(&self.folder).env_remove(log::VARIABLE);
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }

    /// The working directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The variables, as in `TZ=UTC` and `no HOME`.
    pub fn environment(&self) -> Vec<String> {
        let tell = |(name, value): &(&str, Option<&str>)| match value {
            Some(value) => format!("{name}={value}"),
            None => format!("no {name}"),
        };
        self.variables.iter().map(tell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> [PathBuf; 3] {
        ["/", "/tmp", "/home/me"].map(PathBuf::from)
    }

    fn value(around: &Surroundings, name: &str) -> Option<&'static str> {
        let found = around.variables.iter().find(|(variable, _)| *variable == name);
        found.expect("a variable of the list").1
    }

    #[test]
    fn both_processes_differ_from_us_in_every_variable_whatever_ours_are() {
        for (name, first, second) in CHOICES {
            for ours in first.iter().chain(second).chain([&None]) {
                let lookup = |asked: &str| (asked == *name).then(|| ours.map(str::to_owned))?;
                for around in Surroundings::two(lookup, &folders()) {
                    assert_ne!(value(&around, name), *ours, "{name}");
                }
            }
        }
    }

    #[test]
    fn the_two_differ_from_each_other_too() {
        let [first, second] = Surroundings::two(|_| None, &folders());
        for (name, ..) in CHOICES {
            assert_ne!(value(&first, name), value(&second, name), "{name}");
        }
        assert_ne!(first.folder(), second.folder());
    }

    #[test]
    fn with_nowhere_else_to_go_a_process_works_where_we_do() {
        let around = Surroundings::two(|_| None, &folders()[2..]);
        assert!(around.iter().all(|around| around.folder() == Path::new("/home/me")));
    }

    #[test]
    fn what_is_different_is_told_as_one_would_type_it() {
        let [_, second] = Surroundings::two(|_| None, &folders());
        let told = second.environment();
        assert!(told.contains(&"TZ=America/St_Johns".to_owned()), "{told:?}");
    }
}
