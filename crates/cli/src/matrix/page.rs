//! A page that keeps the table of the day.
//!
//! Owns `--update`: whether the page has a place for the table is asked before anything is played,
//! and nothing in it changes but that place. It must not know what the table says.

use std::fs;
use std::path::{Path, PathBuf};

use seamstress_report::replace_block;

use crate::error::CommandError;
use crate::output::write_file;
use crate::target::TargetError;

/// A page with a place for a table.
pub struct Page {
    path: PathBuf,
    table: &'static str,
}

impl Page {
    /// The page at this path, if one is wanted. `table` names the table.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be read or has no place for the table.
    pub fn open(path: Option<&PathBuf>, table: &'static str) -> Result<Option<Page>, CommandError> {
        let Some(path) = path else { return Ok(None) };
        let page = Page { path: path.clone(), table };
        page.with("")?;
        Ok(Some(page))
    }

    /// Puts the table in its place.
    ///
    /// # Errors
    /// [`CommandError`] if that is no longer possible.
    pub fn put(&self, block: &str) -> Result<(), CommandError> {
        write_file(&self.path, self.with(block)?.as_bytes())
    }

    /// As it is now, with this in the place of the table.
    fn with(&self, block: &str) -> Result<String, CommandError> {
        let path = Path::display(&self.path).to_string();
        match fs::read_to_string(&self.path) {
            Ok(text) => replace_block(&text, self.table, block)
                .ok_or(CommandError::NoPlaceInPage { path, table: self.table }),
            Err(problem) => Err(TargetError::Unreadable { path, problem }.into()),
        }
    }
}
