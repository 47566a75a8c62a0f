//! The folder of regressions: how a kept plan is named, and where it is written.
//!
//! Owns the file name, which is the same for the same finding of the same implementations, so that
//! a finding that is known is not kept twice. It must not know how plans are shrunk or what comes
//! of them.

use std::fs;
use std::path::{Path, PathBuf};

use seamstress_plan::{Plan, Trio};

use crate::error::CommandError;
use crate::output::write_file;

/// Where `--save` keeps plans, from which `run` plays them first.
pub const REGRESSIONS: &str = "sims/regressions";

/// The longest part of a file name that says whose finding it is.
const NAMES_MAX: usize = 60;

/// The name of the file that keeps a finding of these implementations: oracle, whatever is not the
/// reference, and a hash of both.
pub fn file_name(key: &str, trio: &Trio) -> String {
    let [server, proxy, client] = trio.by_role().map(|(_, name)| name);
    let whole = format!("{key}\n{server}\n{proxy}\n{client}");
    let hash = blake3::hash(whole.as_bytes()).to_hex();
    let oracle = key.split('/').next().unwrap_or_default();
    let names: Vec<String> = [server, proxy, client]
        .into_iter()
        .map(|name| match name.split_once(':') {
            Some((_, defects)) => defects.replace(',', "-"),
            None if name == "reference" => String::new(),
            None => name.to_owned(),
        })
        .filter(|name| !name.is_empty())
        .collect();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut names: String =
        names.join("-").chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    names.truncate(NAMES_MAX);
    let parts = [oracle, &names, &hash[..8]];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.json", parts.join("-"))
}

/// Writes a plan into a folder, which is made if it is not there.
///
/// # Errors
/// [`CommandError::Unwritable`].
pub fn write(folder: &Path, name: &str, plan: &Plan) -> Result<PathBuf, CommandError> {
    fs::create_dir_all(folder).map_err(|problem| CommandError::Unwritable {
        path: folder.display().to_string(),
        problem,
    })?;
    let path = folder.join(name);
    write_file(&path, plan.to_json().as_bytes())?;
    Ok(path)
}

/// Where plans go that nobody gave a place: `target/seamstress` of the build that this program
/// comes from, or a folder for passing things.
pub fn passing_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.map_or_else(std::env::temp_dir, Path::to_path_buf).join("seamstress")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "skip/progress/resumed:resume";

    #[test]
    fn the_name_says_the_oracle_and_whose_finding_it_is() {
        let trio = |server: &str, client: &str| Trio {
            server: server.into(),
            client: client.into(),
            ..Trio::default()
        };
        let name = |trio: &Trio| file_name(KEY, trio);
        assert!(name(&trio("reference:a,b", "rmcp")).starts_with("skip-a-b-rmcp-"));
        assert!(name(&trio("reference", "reference")).starts_with("skip-"));
        assert_eq!(name(&Trio::default()).len(), "skip-01234567.json".len());
        assert!(!name(&trio("../../etc", "reference")).contains('/'));
    }

    #[test]
    fn the_same_finding_of_other_implementations_has_another_name() {
        let other = Trio { server: "rmcp".into(), ..Trio::default() };
        assert_eq!(file_name(KEY, &other), file_name(KEY, &other));
        assert_ne!(file_name(KEY, &other), file_name(KEY, &Trio::default()));
        assert_ne!(file_name(KEY, &other), file_name("skip/result/x", &other));
    }
}
