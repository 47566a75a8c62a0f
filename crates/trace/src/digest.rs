//! The digest of a trace: equal digests mean equal bytes.
//!
//! Owns the hash over the canonical text. It must not know what the text says; it exists so that
//! two machines can compare a run without exchanging it.

use std::fmt;
use std::io::{self, Read};

/// A BLAKE3 hash, shortened to its first 128 bits: enough that no two of the runs that will ever
/// be compared collide by chance, short enough to read aloud.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of these bytes.
    ///
    /// ```
    /// let digest = seamstress_trace::Digest::of(b"");
    /// assert_eq!(digest.to_string(), "af1349b9f5f9a1a6a0404dea36dcc949");
    /// ```
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest::shortened(blake3::hash(bytes))
    }

    /// The digest of everything in this reader, such as a large file.
    ///
    /// ```
    /// let digest = seamstress_trace::Digest::of_reader(&b"stitch"[..])?;
    /// assert_eq!(digest, seamstress_trace::Digest::of(b"stitch"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the reader says.
    pub fn of_reader(reader: impl Read) -> io::Result<Digest> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(reader)?;
        Ok(Digest::shortened(hasher.finalize()))
    }

    fn shortened(hash: blake3::Hash) -> Digest {
        let mut short = [0; 16];
        short.copy_from_slice(&hash.as_bytes()[..16]);
        Digest(short)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
