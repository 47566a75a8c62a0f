//! Results of a sweep that outlive the process.
//!
//! Owns the file: nobody else writes it, nothing is overwritten, and each result is handed to the
//! system in one write as soon as it is known, so that a process that is killed loses no more than
//! the seeds under way. It must not know what a result says (`contents` reads them, `header` says
//! whose they are), nor why a sweep goes on.

mod contents;
mod header;
#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use seamstress_plan::Trio;
use seamstress_report::SeedResult;

pub use self::contents::ContentsError;
pub use self::header::Header;
use crate::seeds::SeedRange;
use crate::trio;

/// How many results may be lost if the power fails; a process that is killed loses none of them.
const RESULTS_PER_SYNC: u64 = 1_000;

/// Why a file of results cannot be used. Each names the file and the way out.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error(
        "{path} is there already and is not overwritten; go on with it with --resume, or name \
         another file"
    )]
    Exists { path: String },
    #[error("{path} is no file; name one with --results")]
    NoFile { path: String },
    #[error("{path} cannot be opened: {problem}; name another file with --results")]
    Unopenable { path: String, problem: io::Error },
    #[error(
        "{path} is being written by another sweep; wait for it, or name another file with --results"
    )]
    Busy { path: String },
    #[error("{path} cannot be locked: {problem}; name a file on another disk with --results")]
    Unlockable { path: String, problem: io::Error },
    #[error("{path}{problem}")]
    Contents { path: String, problem: ContentsError },
    #[error(
        "{path} holds the seeds {held} and may have no hole; begin at {} to {}, or name another \
         file with --results",
        held.from,
        held.until
    )]
    Elsewhere { path: String, held: SeedRange },
    #[error(
        "{path} cannot be written: {problem}; what stands in it is good: make room, and go on with \
         --resume"
    )]
    Unwritable { path: String, problem: io::Error },
    #[error("this program cannot be read, so that results could not be told from another's: {0}")]
    UnknownBuild(io::Error),
}

/// A file of results that is open for more.
pub struct Results {
    path: String,
    file: File,
    unsynced: u64,
}

impl Results {
    /// Opens a file for the results of these seeds, which the header tells more of, and hands every
    /// result that is in it to `each`. A last line that was cut off is removed.
    ///
    /// A file that is there is gone on with if `resume` says so; one that is not is begun.
    ///
    /// # Errors
    /// [`ResultsError`]; then the file is as it was.
    pub fn open(
        path: &Path,
        resume: bool,
        header: &Header,
        seeds: SeedRange,
        each: impl FnMut(SeedResult),
    ) -> Result<Results, ResultsError> {
        let results =
            Results { path: path.display().to_string(), file: lock(path, resume)?, unsynced: 0 };
        let path = || results.path.clone();
        let contents = contents::read(BufReader::new(&results.file), header, each)
            .map_err(|problem| ResultsError::Contents { path: path(), problem })?;
        if let Some(held) = contents.seeds.filter(|held| !held.is_continued_by(seeds)) {
            return Err(ResultsError::Elsewhere { path: path(), held });
        }
        results.cut_to(contents.whole_bytes)?;
        if contents.whole_bytes == 0 {
            results.append(&header.line())?;
        }
        Ok(results)
    }

    /// The file, as it was typed.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Adds the result of the next seed.
    ///
    /// # Errors
    /// [`ResultsError::Unwritable`]; what was added before is kept.
    pub fn add(&mut self, result: &SeedResult) -> Result<(), ResultsError> {
        self.append(&seamstress_report::seed_line(result))?;
        self.unsynced += 1;
        if self.unsynced == RESULTS_PER_SYNC { self.sync() } else { Ok(()) }
    }

    /// Makes sure that what was added survives a power failure.
    ///
    /// # Errors
    /// [`ResultsError::Unwritable`].
    pub fn sync(&mut self) -> Result<(), ResultsError> {
        self.unsynced = 0;
        self.file.sync_data().map_err(|problem| self.unwritable(problem))
    }

    fn append(&self, line: &str) -> Result<(), ResultsError> {
        let written = (&self.file).write_all(format!("{line}\n").as_bytes());
        written.map_err(|problem| self.unwritable(problem))
    }

    fn cut_to(&self, bytes: u64) -> Result<(), ResultsError> {
        let is_longer = self.file.metadata().map(|found| found.len() > bytes);
        let cut = is_longer.and_then(|it_is| if it_is { self.file.set_len(bytes) } else { Ok(()) });
        cut.map_err(|problem| self.unwritable(problem))
    }

    fn unwritable(&self, problem: io::Error) -> ResultsError {
        ResultsError::Unwritable { path: self.path.clone(), problem }
    }
}

/// Opens the file so that no other process can do so before this one has ended.
fn lock(path: &Path, resume: bool) -> Result<File, ResultsError> {
    let name = || path.display().to_string();
    // A pipe would be waited for, and a device cannot be read again.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(ResultsError::NoFile { path: name() });
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(resume).create_new(!resume);
    let file = options.open(path).map_err(|problem| match problem.kind() {
        io::ErrorKind::AlreadyExists => ResultsError::Exists { path: name() },
        _ => ResultsError::Unopenable { path: name(), problem },
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ResultsError::Busy { path: name() }),
        Err(TryLockError::Error(problem)) => {
            Err(ResultsError::Unlockable { path: name(), problem })
        }
    }
}

/// The file that is meant if none is named: in the working directory, named after the scenario and
/// those implementations that are not the reference.
pub fn usual_file(scenario: &str, trio: &Trio) -> PathBuf {
    let usual = Trio::default();
    let others = trio::different_from(trio, &usual);
    let parts: String = others.map(|(role, name)| format!("-{}-{name}", role.name())).collect();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let plain = |letter: char| if is_plain(letter) { letter } else { '+' };
    let name: String = format!("{scenario}{parts}").chars().map(plain).collect();
    PathBuf::from(format!("{name}.results.jsonl"))
}
