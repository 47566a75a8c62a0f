//! What is shown while a table is made, and where.
//!
//! Owns the three formats: people see stories at once and the table at the end, programs a line as
//! soon as it is known, a page nothing but the table. It must not know what the table says.

use seamstress_report::Style;

use crate::args::{Format, TableFormat};
use crate::error::CommandError;
use crate::output::{Output, say};
use crate::progress::Progress;

/// Standard output and error of one table.
pub struct Screen<'a> {
    format: TableFormat,
    pub style: Style,
    output: &'a mut Output,
    progress: Progress,
}

impl<'a> Screen<'a> {
    /// With progress towards this many; `units` is the plural of what they are.
    pub fn new(
        format: TableFormat,
        style: Style,
        output: &'a mut Output,
        total: u64,
        units: &'static str,
    ) -> Screen<'a> {
        Screen { format, style, output, progress: progress(format, total, units) }
    }

    /// Whether the reader has gone.
    pub fn is_closed(&self) -> bool {
        self.output.is_closed()
    }

    /// One more is done.
    pub fn advance(&self) {
        self.progress.advance();
    }

    /// From here on it goes towards something else.
    pub fn turn_to(&mut self, total: u64, units: &'static str) {
        let next = progress(self.format, total, units);
        std::mem::replace(&mut self.progress, next).finish();
    }

    /// Writes text for people.
    pub fn people(&mut self, text: &str) -> Result<(), CommandError> {
        if self.format != TableFormat::Human {
            return Ok(());
        }
        let output = &mut *self.output;
        self.progress.aside(|| output.text(text))
    }

    /// Writes a line for programs.
    pub fn programs(&mut self, line: &str) -> Result<(), CommandError> {
        if self.format == TableFormat::Json { self.output.text(line) } else { Ok(()) }
    }

    /// Tells a failure to people; those who make a page see it on standard error.
    pub fn story(&mut self, block: &str) -> Result<(), CommandError> {
        match self.format {
            TableFormat::Human => self.people(&format!("\n{block}")),
            TableFormat::Markdown => {
                self.say(block.trim_end());
                Ok(())
            }
            TableFormat::Json => Ok(()),
        }
    }

    /// Says a line on standard error.
    pub fn say(&self, line: &str) {
        self.progress.aside(|| say(line));
    }

    /// The end: what the format asks for.
    pub fn end(
        self,
        human: impl FnOnce(Style) -> String,
        json: impl FnOnce() -> String,
        markdown: impl FnOnce() -> String,
    ) -> Result<(), CommandError> {
        self.progress.finish();
        self.output.text(&match self.format {
            TableFormat::Human => format!("\n{}", human(self.style)),
            TableFormat::Json => json(),
            TableFormat::Markdown => markdown(),
        })
    }
}

fn progress(format: TableFormat, total: u64, units: &'static str) -> Progress {
    let format = match format {
        TableFormat::Human | TableFormat::Markdown => Format::Human,
        TableFormat::Json => Format::Json,
    };
    Progress::towards_units(total, units, format)
}
