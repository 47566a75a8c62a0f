//! Where text goes: standard output, standard error, files.
//!
//! Owns the two promises about them. A reader of standard output that has had enough (`| head`)
//! ends the command quietly, with the exit code that was due. A file is written whole or not at
//! all: beside its place first, then renamed over it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Standard output.
pub struct Output {
    stdout: io::Stdout,
    is_closed: bool,
}

impl Output {
    /// Standard output of this process.
    pub fn new() -> Output {
        Output { stdout: io::stdout(), is_closed: false }
    }

    /// Whether the reader has gone.
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes a text, with a line end after it unless it has one, and hands it to the reader now.
    ///
    /// # Errors
    /// [`CommandError::StandardOutput`] if it cannot be written, except that a reader that has
    /// gone is no error.
    pub fn text(&mut self, text: &str) -> Result<(), CommandError> {
        if self.is_closed {
            return Ok(());
        }
        let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let mut stdout = self.stdout.lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(line_end.as_bytes()))
            .and_then(|()| stdout.flush());
        match written {
            Err(problem) if problem.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            other => other.map_err(|problem| CommandError::StandardOutput { problem }),
        }
    }
}

/// Says a line on standard error. Nobody may be listening, and then nothing can be done about it.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether texts may carry colours when the choice is left to the terminal.
pub fn is_colour_wanted() -> bool {
    // https://no-color.org: set and not empty means no colour.
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// [`CommandError::Unwritable`]; then what was there before is there still.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let written = match fs::metadata(path) {
        // A pipe or a device cannot be replaced, and must not be.
        Ok(found) if !found.is_file() => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes))
        }
        _ => replace(path, bytes),
    };
    written
        .map_err(|problem| CommandError::Unwritable { path: path.display().to_string(), problem })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Through a link, so that the link stays one.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (unfinished, mut file) = create_beside(&path)?;
    let renamed = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, &path));
    if renamed.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    renamed
}

/// How many left-over names are tried before giving up.
const ATTEMPTS: u32 = 100;

fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_string_lossy();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let unfinished =
            path.with_file_name(format!(".{name}.{}-{attempt}.unfinished", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&unfinished) {
            Err(problem) if problem.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => {}
            opened => return opened.map(|file| (unfinished, file)),
        }
    }
}
