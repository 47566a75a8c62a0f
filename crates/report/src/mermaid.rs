//! The story of a run as a Mermaid sequence diagram.
//!
//! Owns the syntax: participants, arrows, notes, bands for faults, and the escapes. GitHub and most
//! viewers render at most 50,000 characters, which no diagram can raise by itself, so there are at
//! most 200 arrows and notes; what is left out is counted in a note. It must not choose words.

use std::collections::BTreeSet;

use seamstress_trace::{End, Host};

use crate::moment::{Moment, Scene};
use crate::telling::{main_finding, remarks, shown_by};
use crate::unfold::unfold;
use crate::{Play, elide, foreign, words};

/// Arrows and notes at most.
const ARROWS_MAX: usize = 200;
/// Characters of one label at most: with as many arrows as there may be, the diagram stays below
/// what is rendered.
const LABEL_CHARACTERS_MAX: usize = 160;

/// A `sequenceDiagram`, in the order of the moments and not to scale.
#[must_use]
pub fn mermaid(play: &Play) -> String {
    let moments = unfold(play);
    let told: Vec<&Moment> = moments.iter().filter(|moment| !moment.quiet).collect();
    let hosts = Hosts::of(&told);
    let remarks = remarks(play, &told);
    let focus = main_finding(play.plan, play.judgement).and_then(|f| shown_by(&told, f.record));
    let mut text = format!("sequenceDiagram\n{}", hosts.participants());
    let mut next = 0;
    // Three are for notes: what was left out in up to two places, and the verdict.
    for range in elide::kept(told.len(), ARROWS_MAX - 3, focus) {
        if range.start > next {
            let left_out = format!("{} moments left out", range.start - next);
            text.push_str(&hosts.note_over_all(&left_out));
        }
        for index in range.clone() {
            let label = label(told[index], remarks.get(&index).map(String::as_str));
            text.push_str(&hosts.draw(told[index], &label));
        }
        next = range.end;
    }
    let verdict = format!("verdict: {}", play.judgement.verdict.name());
    text.push_str(&hosts.note_over_all(&verdict));
    text
}

fn label(moment: &Moment, remark: Option<&str>) -> String {
    let stream = moment.stream.map(|stream| format!("{stream}: ")).unwrap_or_default();
    let remark = remark.map(|remark| format!(" {remark}")).unwrap_or_default();
    let stream = foreign::plain(&stream);
    let text = format!("{} ms {stream}{}", moment.at_ms, words::sentence(moment));
    let kept = LABEL_CHARACTERS_MAX.saturating_sub(remark.chars().count());
    format!("{}{remark}", cut(&text, kept))
}

fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Who takes part.
struct Hosts {
    servers: BTreeSet<Host>,
}

impl Hosts {
    fn of(told: &[&Moment]) -> Hosts {
        let is_server = |host: &Host| matches!(host, Host::Server | Host::Server2 | Host::Server3);
        let mut servers: BTreeSet<Host> = told.iter().map(|m| m.host).filter(is_server).collect();
        servers.insert(Host::Server);
        Hosts { servers }
    }

    fn participants(&self) -> String {
        let all = [Host::Client, Host::Proxy].into_iter().chain(self.servers.iter().copied());
        all.map(|host| format!("    participant {}\n", id(host))).collect()
    }

    /// An arrow, a note, or a band with a note.
    fn draw(&self, moment: &Moment, label: &str) -> String {
        let (client, proxy, here) = (id(Host::Client), id(Host::Proxy), id(moment.host));
        match &moment.scene {
            Scene::Asks { .. } | Scene::Resumes { .. } => arrow(client, "->>", proxy, label),
            Scene::Executes => arrow(proxy, "->>", here, label),
            Scene::Decides(_) => arrow(here, "-->>", proxy, label),
            Scene::Answers { .. } | Scene::Arrives { .. } | Scene::ArrivesEmpty { .. } => {
                arrow(proxy, "-->>", client, label)
            }
            Scene::Ends(End::Clean | End::Left) => arrow(proxy, "-->>", client, label),
            Scene::Ends(_) => arrow(proxy, "--x", client, label),
            Scene::Fires { .. } => {
                format!("    rect rgb(255, 228, 225)\n{}    end\n", note(proxy, label))
            }
            Scene::Phase(_) | Scene::RunEnds { .. } => self.note_over_all(label),
            Scene::SessionBegins { .. }
            | Scene::Stores { .. }
            | Scene::Checks { .. }
            | Scene::CallsEnd { .. }
            | Scene::Loses { .. }
            | Scene::Rotates { .. }
            | Scene::SessionEnds { .. }
            | Scene::LeftOver { .. } => note(here, label),
        }
    }

    fn note_over_all(&self, label: &str) -> String {
        let last = self.servers.last().copied().unwrap_or(Host::Server);
        note(&format!("{},{}", id(Host::Client), id(last)), label)
    }
}

/// The id of a participant. The run itself has none: its moments are noted over all.
fn id(host: Host) -> &'static str {
    match host {
        Host::Client => "client",
        Host::Proxy | Host::Run => "proxy",
        Host::Server => "server",
        Host::Server2 => "server2",
        Host::Server3 => "server3",
    }
}

fn arrow(from: &str, line: &str, to: &str, label: &str) -> String {
    format!("    {from}{line}{to}: {}\n", escape(label))
}

fn note(over: &str, label: &str) -> String {
    format!("    Note over {over}: {}\n", escape(label))
}

/// A text as a label: `;` ends a statement, `#` begins an entity, the word `end` closes a block,
/// `<` and `>` are markup, and a line break ends the label.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut word = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        push_word(&mut escaped, &mut word);
        match character {
            ';' => escaped.push_str("#59;"),
            '#' => escaped.push_str("#35;"),
            '<' => escaped.push_str("#lt;"),
            '>' => escaped.push_str("#gt;"),
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    push_word(&mut escaped, &mut word);
    escaped
}

fn push_word(escaped: &mut String, word: &mut String) {
    if word.eq_ignore_ascii_case("end") {
        escaped.push_str(&format!("({word})"));
    } else {
        escaped.push_str(word);
    }
    word.clear();
}

#[cfg(test)]
mod tests;
