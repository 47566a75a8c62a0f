//! Tables as Markdown, and their place in a page.
//!
//! Owns the pipe table and the two comments between which a page keeps a table, so that the table
//! of the day replaces that of yesterday without anybody's hand. It must not know what is in it.

/// Rows as a pipe table. Columns named in `right` are aligned to the right.
pub(super) fn pipe_table(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let rule = |index: usize| if right.contains(&index) { "---:" } else { "---" };
    let rules: Vec<&str> = (0..header.len()).map(rule).collect();
    let mut text = format!("| {} |\n|{}|\n", header.join(" | "), rules.join("|"));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

/// What the words in a table mean, and the lines about what it came to, as a list.
pub(super) fn notes(legend: &[(&'static str, String)], verdict: &str) -> String {
    let legend = legend.iter().map(|(term, meaning)| format!("- *{term}*: {meaning}\n"));
    let lines = verdict.lines().map(str::trim).filter(|line| !line.is_empty());
    legend.chain(lines.map(|line| format!("- {line}\n"))).collect()
}

/// A text between the comments that name it.
pub(super) fn block(name: &str, body: &str) -> String {
    format!("{}\n{body}{}\n", begin(name), end(name))
}

/// The page with this block in the place of the one of the same name, or nothing if the page has
/// none. `name` is the table's: `matrix kill`.
///
/// ```
/// let page = "# Results\n<!-- matrix kill -->\nold\n<!-- end of matrix kill -->\nThe end.\n";
/// let block = "<!-- matrix kill -->\nnew\n<!-- end of matrix kill -->\n";
/// let page = seamstress_report::replace_block(page, "matrix kill", block);
/// let new = "# Results\n<!-- matrix kill -->\nnew\n<!-- end of matrix kill -->\nThe end.\n";
/// assert_eq!(page.as_deref(), Some(new));
/// ```
#[must_use]
pub fn replace_block(page: &str, name: &str, block: &str) -> Option<String> {
    let (before, rest) = page.split_once(&begin(name))?;
    let (_, after) = rest.split_once(&end(name))?;
    Some(format!("{before}{}{after}", block.trim_end()))
}

fn begin(name: &str) -> String {
    format!("<!-- {name} -->")
}

fn end(name: &str) -> String {
    format!("<!-- end of {name} -->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_table_has_a_header_a_rule_and_no_bare_bar_in_a_cell() {
        let rows = [vec!["a|b".to_owned(), "1".to_owned()]];
        assert_eq!(
            pipe_table(&["name", "n"], &rows, &[1]),
            "| name | n |\n|---|---:|\n| a\\|b | 1 |\n"
        );
    }

    #[test]
    fn a_block_replaces_itself_and_nothing_else() {
        let page = format!("a\n\n{}\nb\n{}", block("one", "1\n"), block("two", "2\n"));
        let same = replace_block(&page, "two", &block("two", "2\n"));
        assert_eq!(same.as_ref(), Some(&page));
        let other = replace_block(&page, "one", &block("one", "3\n"));
        assert_eq!(other, Some(page.replace('1', "3")));
    }

    #[test]
    fn a_page_without_both_comments_in_order_has_no_place_for_a_block() {
        for page in ["", "<!-- x -->", "<!-- end of x -->\n<!-- x -->"] {
            assert_eq!(replace_block(page, "x", "new"), None, "{page}");
        }
    }
}
