//! What stands in a file of results.
//!
//! Owns reading it line by line: the header, then the results of one range of seeds in order and
//! without a hole. A last line without its end is one that a crash has cut off: it counts as not
//! written. Anything else that is not as it should be is damage. It must not know files, and keeps
//! no result.

use std::io::{self, BufRead, Read};

use seamstress_report::{SeedLineError, SeedResult, read_seed_line};

use super::header::{Foreign, Header};
use crate::seeds::SeedRange;

/// No header is longer.
const HEADER_BYTES_MAX: u64 = 1 << 16;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The seeds whose results are there; none if there are none.
    pub seeds: Option<SeedRange>,
    /// How much of it is whole lines.
    pub whole_bytes: u64,
}

/// Why it cannot be used. Each text follows the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum ContentsError {
    #[error(" cannot be read: {0}")]
    Unreadable(io::Error),
    #[error(" {0}; name another file with --results, or remove this one")]
    Foreign(Foreign),
    #[error(
        ", line {line}: {problem}; keep the lines before it (`head -n {}`) in another file and go \
         on with that one",
        line - 1
    )]
    Damaged { line: u64, problem: SeedLineError },
    #[error(
        ", line {line}: seed {seed} stands where {due} is due; keep the lines before it \
         (`head -n {}`) in another file and go on with that one",
        line - 1
    )]
    OutOfOrder { line: u64, seed: u64, due: u64 },
}

/// Reads all of it and hands every result to `each`, in order.
///
/// # Errors
/// [`ContentsError`] if it belongs to something else, or is damaged; some results may have been
/// handed on by then.
pub fn read(
    mut reader: impl BufRead,
    header: &Header,
    mut each: impl FnMut(SeedResult),
) -> Result<Contents, ContentsError> {
    let mut contents = Contents { seeds: None, whole_bytes: 0 };
    let mut line = Vec::new();
    let mut first = reader.by_ref().take(HEADER_BYTES_MAX);
    if !is_whole(first.read_until(b'\n', &mut line), &mut line)? {
        // Cut off while it was written, if it is ours: another file must not be touched.
        let is_ours = header.line().as_bytes().starts_with(&line);
        let no_results = || ContentsError::Foreign(Foreign::NoResults);
        return is_ours.then_some(contents).ok_or_else(no_results);
    }
    header.check(&line).map_err(ContentsError::Foreign)?;
    contents.whole_bytes = line.len() as u64 + 1;
    for number in 2_u64.. {
        line.clear();
        if !is_whole(reader.read_until(b'\n', &mut line), &mut line)? {
            break;
        }
        let result = read_seed_line(&line)
            .map_err(|problem| ContentsError::Damaged { line: number, problem })?;
        contents.seeds = Some(with(contents.seeds, result.seed, number)?);
        contents.whole_bytes += line.len() as u64 + 1;
        each(result);
    }
    Ok(contents)
}

/// Whether a line with its end was read; then the end is taken away.
fn is_whole(read: io::Result<usize>, line: &mut Vec<u8>) -> Result<bool, ContentsError> {
    read.map_err(ContentsError::Unreadable)?;
    Ok(line.pop_if(|last| *last == b'\n').is_some())
}

fn with(seeds: Option<SeedRange>, seed: u64, line: u64) -> Result<SeedRange, ContentsError> {
    let due = seeds.map_or(seed, |seeds| seeds.until);
    let from = seeds.map_or(seed, |seeds| seeds.from);
    match seed.checked_add(1) {
        Some(until) if seed == due => Ok(SeedRange { from, until }),
        _ => Err(ContentsError::OutOfOrder { line, seed, due }),
    }
}
