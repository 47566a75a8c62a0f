//! Writing a plan file.
//!
//! Owns the text of a plan: JSON in the order of the plan's fields, one line for each operation
//! and each fault, the same bytes for the same plan in every build. It must not know where the
//! text goes. People read and edit these files, so a small plan stays under 40 lines.

use serde::Serialize;

use crate::Plan;

/// Where a line is broken, as in the sources.
const WIDTH: usize = 100;

impl Plan {
    /// The plan as a JSON file, with a line end at its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Plan { kind, schema, name, seed, topology, .. } = self;
        let Plan { workload, faults, phases, trio, regression, .. } = self;
        let mut text = String::from("{\n");
        push(&mut text, 2, "type", &compact(kind), ",");
        push(&mut text, 2, "schema", &compact(schema), ",");
        push(&mut text, 2, "name", &compact(name), ",");
        push(&mut text, 2, "seed", &compact(seed), ",");
        text.push_str("  \"topology\": {\n");
        push(&mut text, 4, "tick_ms", &compact(&topology.tick_ms), ",");
        push(&mut text, 4, "latency_ms", &compact(&topology.latency_ms), ",");
        push(&mut text, 4, "replicas", &compact(&topology.replicas), ",");
        push(&mut text, 4, "revision", &compact(&topology.revision), ",");
        push(&mut text, 4, "server", &compact(&topology.server), ",");
        push(&mut text, 4, "client", &compact(&topology.client), "\n  },");
        push_list(&mut text, "workload", workload);
        push_list(&mut text, "faults", faults);
        let trio = (!trio.is_reference()).then(|| compact(trio));
        let regression = regression.as_ref().map(compact);
        let last = [("trio", trio), ("regression", regression)];
        let mut last = last.into_iter().filter_map(|(key, value)| Some((key, value?))).peekable();
        let comma = |is_more: bool| if is_more { "," } else { "" };
        push(&mut text, 2, "phases", &compact(phases), comma(last.peek().is_some()));
        while let Some((key, value)) = last.next() {
            push(&mut text, 2, key, &value, comma(last.peek().is_some()));
        }
        text.push_str("}\n");
        text
    }

    /// The first 16 hexadecimal digits of the BLAKE3 hash of [`Plan::to_json`]: equal digests mean
    /// equal plans.
    #[must_use]
    pub fn digest(&self) -> String {
        let hash = blake3::hash(self.to_json().as_bytes());
        hash.to_hex()[..16].to_owned()
    }
}

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers, words and structs of them are always JSON")
}

/// Writes one member on one line, or on more where it is too long.
fn push(text: &mut String, indent: usize, key: &str, compact: &str, after: &str) {
    let mut line = format!("{:indent$}\"{key}\":", "");
    for piece in pieces(compact) {
        if line.chars().count() + 1 + piece.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent + 1);
        }
        line.push(' ');
        line.push_str(&piece);
    }
    text.push_str(&line);
    text.push_str(after);
    text.push('\n');
}

/// Writes a list with one item a line, which is never broken.
fn push_list(text: &mut String, key: &str, items: &[impl Serialize]) {
    let line = |item| format!("\n    {}", pieces(&compact(item)).join(" "));
    let lines: Vec<String> = items.iter().map(line).collect();
    let end = if lines.is_empty() { "" } else { "\n  " };
    text.push_str(&format!("  \"{key}\": [{}{end}],\n", lines.join(",")));
}

/// Cuts compact JSON after each comma that is not inside a text, where a line may be broken, and
/// sets a space after each such colon.
fn pieces(compact: &str) -> Vec<String> {
    let mut pieces = vec![];
    let mut piece = String::new();
    let (mut in_text, mut escaped) = (false, false);
    for character in compact.chars() {
        piece.push(character);
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_text = !in_text,
            ',' if !in_text => pieces.push(std::mem::take(&mut piece)),
            ':' if !in_text => piece.push(' '),
            _ => {}
        }
    }
    pieces.push(piece);
    pieces
}
