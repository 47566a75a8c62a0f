//! The defects that can be planted in the references, and those that stand for a half of the rule
//! being off.
//!
//! Owns the one list over all roles, made of the lists of the implementations, so that a new defect
//! is forgotten nowhere. It must not know what any of them does.

use seamstress_defects::Defect;
use seamstress_plan::{Role, Trio};
use seamstress_report::PlantedDefect;

use crate::target::{TargetError, did_you_mean};

/// A server with its half of the rule off: it accepts cursors for which it cannot prove continuity.
pub const SERVER_RULE_OFF: &str = "reference:clamp-to-floor,accept-ahead,accept-unknown-as-fresh";
/// A client with its half of the rule off: it takes whatever follows a resumption.
pub const CLIENT_CHECK_OFF: &str = "reference:no-continuity-check";

/// A defect of the list.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// Whose, and its name.
    pub defect: PlantedDefect,
    /// What it does and who reported its like.
    pub about: &'static str,
}

impl Planted {
    /// How an implementation with this defect is named on the command line.
    pub fn implementation(&self) -> String {
        format!("reference:{}", self.defect.name)
    }

    /// The reference trio with this defect.
    pub fn trio(&self) -> Trio {
        Trio::default().with(self.defect.role, &self.implementation())
    }
}

/// All of them, in the order in which they are listed and played.
pub fn all() -> Vec<Planted> {
    let server = of_role::<seamstress_server::Defect>(Role::Server);
    let proxy = of_role::<seamstress_proxy::Defect>(Role::Proxy);
    let client = of_role::<seamstress_client::Defect>(Role::Client);
    server.chain(proxy).chain(client).collect()
}

fn of_role<D: Defect>(role: Role) -> impl Iterator<Item = Planted> {
    let planted = move |defect: &D| Planted {
        defect: PlantedDefect { role, name: defect.name() },
        about: defect.about(),
    };
    D::ALL.iter().map(planted)
}

/// Those of these names, in the order of the list; all of them if none is named.
///
/// # Errors
/// [`TargetError::UnknownDefect`] says which name, and what was probably meant.
pub fn named(names: &[String]) -> Result<Vec<Planted>, TargetError> {
    let all = all();
    let is_known = |name: &String| all.iter().any(|planted| planted.defect.name == name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known = all.iter().map(|planted| planted.defect.name.to_owned()).collect();
        let way_out = did_you_mean(name, known);
        return Err(TargetError::UnknownDefect { name: name.clone(), way_out });
    }
    let is_wanted = |planted: &Planted| {
        names.is_empty() || names.iter().any(|name| name == planted.defect.name)
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trio;

    #[test]
    fn every_defect_and_both_halves_of_the_rule_can_be_played() {
        for planted in all() {
            assert!(trio::check(&planted.trio()).is_ok(), "{planted:?}");
        }
        let off = Trio::default().with(Role::Server, SERVER_RULE_OFF);
        assert!(trio::check(&off.with(Role::Client, CLIENT_CHECK_OFF)).is_ok());
    }

    #[test]
    fn defects_are_taken_in_the_order_of_the_list_however_they_are_named() {
        let names = ["no-continuity-check".to_owned(), "replay-whole-ring".to_owned()];
        let found = named(&names).expect("known");
        let found: Vec<_> = found.iter().map(|planted| planted.defect.name).collect();
        assert_eq!(found, ["replay-whole-ring", "no-continuity-check"]);
        assert_eq!(named(&[]).expect("all").len(), all().len());
    }

    #[test]
    fn a_slip_in_a_name_is_answered_with_what_was_meant() {
        let error = named(&["replay-whole-rign".to_owned()]).expect_err("unknown").to_string();
        assert_eq!(
            error,
            "there is no defect `replay-whole-rign`; did you mean `replay-whole-ring`?"
        );
    }
}
