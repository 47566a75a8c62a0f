//! The three implementations under test: which are meant, and how they are typed again.
//!
//! Owns the options `--server`, `--proxy` and `--client`. It must not know which implementations
//! there are: the player does, and is asked before anything else is played.

use seamstress_plan::{Plan, Role, Scenario, Trio, generate};
use seamstress_sim::PlayError;

use crate::args::TrioArguments;

/// What was asked for, and for the rest what is there already.
pub fn choose(arguments: &TrioArguments, otherwise: &Trio) -> Trio {
    let choose =
        |asked: &Option<String>, otherwise: &String| asked.as_ref().unwrap_or(otherwise).clone();
    Trio {
        server: choose(&arguments.server, &otherwise.server),
        proxy: choose(&arguments.proxy, &otherwise.proxy),
        client: choose(&arguments.client, &otherwise.client),
    }
}

/// The options that choose this trio, each with a space before it; nothing for the reference.
pub fn as_arguments(trio: &Trio) -> String {
    as_arguments_beside(trio, &Trio::default())
}

/// The options that make this trio of that other one.
pub fn as_arguments_beside(trio: &Trio, other: &Trio) -> String {
    different_from(trio, other)
        .map(|(role, name)| format!(" --{} {}", role.name(), shell_word(name)))
        .collect()
}

/// The roles that somebody else plays than in that other trio, and who does.
pub fn different_from<'t>(
    trio: &'t Trio,
    other: &'t Trio,
) -> impl Iterator<Item = (Role, &'t str)> {
    let both = trio.by_role().into_iter().zip(other.by_role());
    both.filter(|(one, other)| one != other).map(|(one, _)| one)
}

/// Whether defects were planted in any of the three on purpose.
pub fn has_defects(trio: &Trio) -> bool {
    let has = |name: &str| name.strip_prefix("reference:").is_some_and(|found| !found.is_empty());
    trio.by_role().iter().any(|(_, name)| has(name))
}

/// A text as one word of a POSIX shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:,@+=%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The shortest run there is: somebody says hello, pings and leaves.
const HELLO: &str = r#"
about = "Whether these three can be played at all."
[[workload.operation]]
id = "hello"
at_ms = 0
ask = "ping"
"#;

/// Refuses names that the player does not know, before anything is said or played.
///
/// # Errors
/// [`PlayError`] says which name, and what there is.
pub fn check(trio: &Trio) -> Result<(), PlayError> {
    if trio.is_reference() {
        return Ok(());
    }
    let plan = Plan { trio: trio.clone(), ..shortest_plan() };
    seamstress_sim::play(&plan).map(drop)
}

/// The plan of the shortest run there is, with every option as usual.
pub fn shortest_plan() -> Plan {
    let scenario = Scenario::from_toml("hello.toml", HELLO);
    // A constant that the tests below read as well.
    let scenario = scenario.expect("the shortest scenario is one");
    generate(&scenario, "hello", 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trio(server: &str) -> Trio {
        Trio { server: server.into(), ..Trio::default() }
    }

    #[test]
    fn what_is_typed_again_is_only_what_differs() {
        assert_eq!(as_arguments(&Trio::default()), "");
        assert_eq!(as_arguments(&trio("reference:a,b")), " --server reference:a,b");
        let back = as_arguments_beside(&Trio::default(), &trio("reference:a"));
        assert_eq!(back, " --server reference");
    }

    #[test]
    fn a_word_with_anything_else_in_it_is_quoted_for_the_shell() {
        assert_eq!(shell_word("sims/storm.toml@7"), "sims/storm.toml@7");
        assert_eq!(shell_word("my plan.json"), "'my plan.json'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }

    #[test]
    fn unknown_names_are_refused_before_anything_is_played() {
        assert!(check(&Trio::default()).is_ok());
        assert!(check(&trio("reference:replay-whole-ring")).is_ok());
        assert!(matches!(check(&trio("rmpc")), Err(PlayError::UnknownImplementation { .. })));
        assert!(matches!(check(&trio("reference:x")), Err(PlayError::UnknownDefect { .. })));
    }

    #[test]
    fn a_colon_without_a_defect_after_it_plants_none() {
        assert!(!has_defects(&trio("reference:")));
        assert!(has_defects(&trio("reference:replay-whole-ring")));
        assert!(!has_defects(&trio("canary:run-counter")), "a canary is no defect");
    }
}
