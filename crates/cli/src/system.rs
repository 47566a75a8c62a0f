//! What the operating system tells of this process: CPU time, its program, and how wide the
//! terminal is.
//!
//! Owns everything here that differs between systems. None of it may influence what is played.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use seamstress_trace::Digest;

/// How wide text is set where nobody looks at it on a terminal, in columns.
const COLUMNS: usize = 100;
/// Columns narrower than this make no text.
const COLUMNS_MIN: usize = 60;
/// Lines longer than this are hard to read.
const COLUMNS_MAX: usize = 160;

/// How much CPU time this process has used, in seconds; 0 where the system does not tell.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let nanoseconds = i128::from(used.tv_sec) * 1_000_000_000 + i128::from(used.tv_nsec);
        // Exact for the first three months of CPU time.
        nanoseconds as f64 / 1e9
    }
    #[cfg(not(unix))]
    {
        0.0
    }
}

/// What tells this build from any other: the digest of the program itself.
///
/// # Errors
/// What the system says if the program cannot be read.
pub fn program_digest() -> io::Result<Digest> {
    // On Linux this is the program that runs, even if another one was put in its place.
    let path = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe()?
    };
    Digest::of_reader(File::open(path)?)
}

/// How wide text on standard output may be, in columns.
pub fn columns() -> usize {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(std::io::stdout());
        size.map_or(COLUMNS, |size| usize::from(size.ws_col)).clamp(COLUMNS_MIN, COLUMNS_MAX)
    }
    #[cfg(not(unix))]
    {
        COLUMNS.clamp(COLUMNS_MIN, COLUMNS_MAX)
    }
}
