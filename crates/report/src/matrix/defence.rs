//! Which half of the rule protects against each planted defect.
//!
//! Owns the rates with one half off and on, what is concluded from them, and the tables in which
//! that is told. The half in question is the one that the defect leaves whole: the client's
//! continuity check for a server or a proxy, the server's rule for a client. It must not know how
//! the rates were measured.

use seamstress_plan::Role;

use super::{Control, PlantedDefect, Rate, markdown, names};
use crate::style::{Style, Tone};
use crate::table;
use crate::words::count;

/// A half of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The client compares the first event after a resumption with its cursor.
    ClientCheck,
    /// The server refuses every cursor for which it cannot prove continuity.
    ServerRule,
}

impl Half {
    /// Both.
    pub const ALL: [Half; 2] = [Half::ClientCheck, Half::ServerRule];

    /// The half that a defect in this role leaves whole.
    #[must_use]
    pub const fn beside(role: Role) -> Half {
        match role {
            Role::Server | Role::Proxy => Half::ClientCheck,
            Role::Client => Half::ServerRule,
        }
    }

    /// The name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Half::ClientCheck => "client-check",
            Half::ServerRule => "server-rule",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Half::ClientCheck => "client's check",
            Half::ServerRule => "server's rule",
        }
    }

    /// The headings for this half off and on.
    const fn columns(self) -> [&'static str; 2] {
        match self {
            Half::ClientCheck => ["check off", "check on"],
            Half::ServerRule => ["rule off", "rule on"],
        }
    }
}

/// What follows from the two rates of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Something escapes only while the half is off.
    Whole,
    /// While it is on, less than half as much escapes.
    InPart,
    /// Something escapes while it is on as well.
    None,
    /// Nothing escapes either way: whatever is wrong, it is no escape.
    NotAnEscape,
}

impl Protection {
    /// All of them.
    pub(crate) const ALL: [Protection; 4] =
        [Protection::Whole, Protection::InPart, Protection::None, Protection::NotAnEscape];

    /// The name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Protection::Whole => "whole",
            Protection::InPart => "in-part",
            Protection::None => "none",
            Protection::NotAnEscape => "not-an-escape",
        }
    }
}

/// A defect with one half of the rule off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defence {
    /// Which.
    pub defect: PlantedDefect,
    /// With the half off that the defect leaves whole.
    pub off: Rate,
    /// With that half on.
    pub on: Rate,
}

impl Defence {
    /// Which half of the rule this is about.
    #[must_use]
    pub const fn half(&self) -> Half {
        Half::beside(self.defect.role)
    }

    /// What follows, beside the rates without any defect.
    #[must_use]
    pub fn protection(&self, control: &DefenceControl) -> Protection {
        let off = is_beyond(self.off, control.off(self.half()));
        let on = is_beyond(self.on, control.on);
        match (off, on) {
            (false, false) => Protection::NotAnEscape,
            (true, false) => Protection::Whole,
            (_, true) => {
                let is_less = self.off.is_clearly_above(self.on);
                if is_less && self.on.is_at_most_half_of(self.off) {
                    Protection::InPart
                } else {
                    Protection::None
                }
            }
        }
    }
}

/// Whether more escapes than without the defect. Where nothing does without it, one escape is
/// proof; else the difference must be more than chance.
fn is_beyond(with: Rate, without: Rate) -> bool {
    if without.escapes == 0 { with.escapes > 0 } else { with.is_clearly_above(without) }
}

/// The same without any defect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefenceControl {
    /// The reference trio.
    pub on: Rate,
    /// The reference trio with the client's check off.
    pub check_off: Rate,
    /// The reference trio with the server's rule off.
    pub rule_off: Rate,
    /// What the reference trio showed.
    pub reference: Control,
}

impl DefenceControl {
    /// With that half off.
    #[must_use]
    pub const fn off(&self, half: Half) -> Rate {
        match half {
            Half::ClientCheck => self.check_off,
            Half::ServerRule => self.rule_off,
        }
    }
}

/// All defects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefenceMatrix {
    /// A row each.
    pub defences: Vec<Defence>,
    /// The rates without any.
    pub control: DefenceControl,
    /// The seeds of each scenario, half open.
    pub seeds: (u64, u64),
    /// The scenarios.
    pub scenarios: Vec<String>,
    /// How the server's rule is turned off.
    pub server_rule_off: &'static str,
    /// How the client's check is turned off.
    pub client_check_off: &'static str,
}

impl DefenceMatrix {
    /// The verb, which names the block in a page too.
    pub const NAME: &str = "matrix defence";

    /// The defects of which this follows.
    #[must_use]
    pub fn with(&self, protection: Protection) -> Vec<PlantedDefect> {
        let found = self.defences.iter().filter(|row| row.protection(&self.control) == protection);
        found.map(|row| row.defect).collect()
    }

    /// The tables for a terminal, one for each half, with what they came to below.
    #[must_use]
    pub fn table(&self, style: Style) -> String {
        let mut text = String::new();
        for (half, rows) in self.halves() {
            let [off, on] = half.columns();
            let header = ["role", "defect", off, "", on, "", "what protects"];
            let header = header.map(str::to_owned).to_vec();
            let rows = rows.into_iter().map(|Row { role, name, off, on, protects }| {
                let rates = [off.per_thousand(), off.counts(), on.per_thousand(), on.counts()];
                [role, name].map(str::to_owned).into_iter().chain(rates).chain([protects]).collect()
            });
            let rows: Vec<Vec<String>> = [header].into_iter().chain(rows).collect();
            text.push_str(&format!("{}\n", table::aligned(&rows, &[2, 4], 0)));
        }
        for (term, meaning) in self.legend() {
            text.push_str(&format!("{term}: {meaning}\n"));
        }
        text.push_str(&format!("\n{}", self.verdict(style)));
        text
    }

    /// The same as a block of a page. `command` is the one that makes it.
    #[must_use]
    pub fn markdown(&self, command: &str) -> String {
        let mut text = format!("Made by `{command}`.\n\n");
        for (half, rows) in self.halves() {
            let [off, on] = half.columns();
            let header = ["role", "defect", off, on, "what protects"];
            let rows = rows.into_iter().map(|Row { role, name, off, on, protects }| {
                let name = if role.is_empty() { name.to_owned() } else { format!("`{name}`") };
                let [off, on] = [off, on].map(|r| format!("{} ({})", r.per_thousand(), r.counts()));
                vec![role.to_owned(), name, off, on, protects]
            });
            let table = markdown::pipe_table(&header, &rows.collect::<Vec<_>>(), &[2, 3]);
            text.push_str(&format!("{table}\n"));
        }
        text.push_str(&markdown::notes(&self.legend(), &self.verdict(Style::default())));
        markdown::block(Self::NAME, &text)
    }

    /// The rows of each half that any defect leaves whole, the control first.
    fn halves(&self) -> Vec<(Half, Vec<Row>)> {
        let mut halves = Vec::new();
        for half in Half::ALL {
            let defences = self.defences.iter().filter(|defence| defence.half() == half);
            let mut rows: Vec<Row> = defences.map(|defence| self.row(defence)).collect();
            if !rows.is_empty() {
                let (off, on) = (self.control.off(half), self.control.on);
                let protects = String::new();
                rows.insert(0, Row { role: "", name: "no defect", off, on, protects });
                halves.push((half, rows));
            }
        }
        halves
    }

    fn row(&self, defence: &Defence) -> Row {
        let half = defence.half().words();
        let protects = match defence.protection(&self.control) {
            Protection::Whole => half.to_owned(),
            Protection::InPart => format!("{half}, in part"),
            Protection::None => "neither".to_owned(),
            Protection::NotAnEscape => "not an escape".to_owned(),
        };
        let Defence { defect: PlantedDefect { role, name }, off, on } = *defence;
        Row { role: role.name(), name, off, on, protects }
    }

    /// What the words in the tables mean.
    fn legend(&self) -> Vec<(&'static str, String)> {
        let (from, until) = self.seeds;
        let scenarios = self.scenarios.join(", ");
        let rates = "escapes per thousand accepted resumptions, and both counts".to_owned();
        let seeds = format!("{from}..{until} of {scenarios}");
        let mut legend = vec![("rates", rates), ("seeds", seeds)];
        for (half, _) in self.halves() {
            legend.push(match half {
                Half::ClientCheck => ("check off", format!("--client {}", self.client_check_off)),
                Half::ServerRule => ("rule off", format!("--server {}", self.server_rule_off)),
            });
        }
        let Rate { accepted, .. } = self.control.on;
        if accepted > 0 {
            // The rule of three: of n without an event, less than 3/n have it, 95 times of 100.
            let bound = tenths_up(30_000, accepted);
            let nothing =
                format!("in {accepted} is less than {bound} per thousand, with 95 % confidence");
            legend.push(("no escape", nothing));
        }
        legend
    }

    /// What it came to.
    fn verdict(&self, style: Style) -> String {
        let all = self.defences.len() as u64;
        let mut text = String::new();
        let lines = [
            (Protection::Whole, Tone::Good, "one half protects"),
            (Protection::InPart, Tone::Doubtful, "one half protects in part"),
            (Protection::None, Tone::Bad, "neither protects"),
            (Protection::NotAnEscape, Tone::Good, "not an escape"),
        ];
        for (protection, tone, words) in lines {
            let defects = self.with(protection);
            if defects.is_empty() {
                continue;
            }
            let (words, number) = (style.paint(tone, words), defects.len());
            text.push_str(&format!("{words}: {number} of {}", count(all, "defect")));
            let is_named = matches!(protection, Protection::InPart | Protection::None);
            text.push_str(&if is_named { format!(": {}\n", names(&defects)) } else { "\n".into() });
        }
        let Control { failed, .. } = self.control.reference;
        let tone = if failed == 0 { Tone::Good } else { Tone::Bad };
        let sentence = style.paint(tone, &self.control.reference.sentence());
        let lines = self.control.reference.lines();
        text.push_str(&format!("the reference trio: {sentence}\n{lines}"));
        text
    }
}

/// A row of a table.
struct Row {
    /// Empty for the control.
    role: &'static str,
    name: &'static str,
    off: Rate,
    on: Rate,
    protects: String,
}

/// A quotient in tenths, rounded up: `1.3`.
fn tenths_up(tenths: u64, of: u64) -> String {
    let tenths = tenths.div_ceil(of);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests;
