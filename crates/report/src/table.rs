//! Tables as aligned plain text.
//!
//! Owns how rows become columns, for every table that Seamstress prints, and the table of cells
//! that heads every report. It must not know where the numbers come from.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use seamstress_oracle::Cell;

use crate::words;

/// Rows as aligned columns, two spaces apart, with `indent` spaces before each line. Columns named
/// in `right` are aligned to the right. Ends with a line break unless there are no rows.
pub(crate) fn aligned(rows: &[Vec<String>], right: &[usize], indent: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.add_rows(rows.iter().map(|row| row.iter().collect::<Vec<_>>()));
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines().map(|line| format!("{:indent$}{}\n", "", line.trim_end()));
    lines.collect()
}

/// Two aligned columns, a line each.
///
/// ```
/// let rows = [("drop".into(), "Ends.".into()), ("rotation".into(), "New id.".into())];
/// assert_eq!(seamstress_report::list_table(&rows), "drop      Ends.\nrotation  New id.\n");
/// ```
#[must_use]
pub fn list_table(rows: &[(String, String)]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(name, about)| vec![name.clone(), about.clone()]).collect();
    aligned(&rows, &[], 0)
}

/// The table of cells of design section 7, with the attempts below it that nobody answered.
/// `cells` are counts in the order of [`Cell::ALL`].
///
/// ```
/// let text = seamstress_report::resumption_table([12, 0, 1, 3, 0]);
/// assert_eq!(text.lines().nth(1), Some("accepted  sound    12      escape 0"));
/// ```
#[must_use]
pub fn resumption_table(cells: [u64; 5]) -> String {
    let [sound, escape, needed, needless, unanswered] = cells;
    let held = pair([(Cell::Sound, sound), (Cell::Needless, needless)]);
    let not_held = pair([(Cell::Escape, escape), (Cell::Needed, needed)]);
    let rows = [
        ["".into(), "continuity held".into(), "continuity did not hold".into()],
        ["accepted".into(), held[0].clone(), not_held[0].clone()],
        ["refused".into(), held[1].clone(), not_held[1].clone()],
    ];
    let mut text = aligned(&rows.map(Vec::from), &[], 0);
    if unanswered > 0 {
        let attempts = words::count(unanswered, "more attempt");
        text.push_str(&format!("{attempts} got no answer: the connection was lost first\n"));
    }
    text
}

/// Two cells of one column, their counts under each other.
fn pair(cells: [(Cell, u64); 2]) -> [String; 2] {
    let digits = cells.map(|(_, count)| count.to_string().len()).into_iter().max().unwrap_or(1);
    let name = cells.map(|(cell, _)| cell.name().len()).into_iter().max().unwrap_or(1);
    cells.map(|(cell, count)| format!("{:name$} {count:>digits$}", cell.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_stand_in_the_table_of_the_design_with_their_counts_in_line() {
        insta::assert_snapshot!(resumption_table([1203, 2, 17, 5, 1]), @r#"
                  continuity held  continuity did not hold
        accepted  sound    1203    escape  2
        refused   needless    5    needed 17
        1 more attempt got no answer: the connection was lost first
        "#);
    }

    #[test]
    fn attempts_without_an_answer_are_named_only_if_there_are_any() {
        assert!(!resumption_table([1, 0, 0, 0, 0]).contains("no answer"));
        assert!(resumption_table([1, 0, 0, 0, 2]).contains("2 more attempts got no answer"));
    }

    #[test]
    fn rows_are_aligned_and_no_line_ends_in_spaces() {
        let rows =
            [vec!["a".into(), "1".into(), "x".into()], vec!["bbb".into(), "22".into(), "".into()]];
        assert_eq!(aligned(&rows, &[1], 2), "  a     1  x\n  bbb  22\n");
        assert_eq!(aligned(&[], &[], 2), "");
    }
}
