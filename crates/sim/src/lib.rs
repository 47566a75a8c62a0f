//! Plays a plan on a simulated network and returns its trace.
//!
//! Owns turmoil: the hosts, the step loop, the clock, and what faults do to hosts and links. It is
//! the only crate that names turmoil, and the only step of the straight line with a clock, a
//! network or async code. It must not know how findings look.
//!
//! A run is a pure function of its plan and the build: fixed epoch, one latency for every link, no
//! loss, and no draw that the plan does not fix.

#[cfg(not(tokio_unstable))]
compile_error!(
    "build with `--cfg tokio_unstable`: without it the order of select! branches differs from \
     run to run and panics in tasks are lost. The repository sets it in .cargo/config.toml; a \
     RUSTFLAGS variable in the environment replaces that, so add the flag there or unset it."
);

mod canary;
mod clock;
mod convert;
mod foreign;
mod hands;
mod network;
mod panics;
mod play;
mod servers;
mod trio;

pub use clock::simulated_ms;
pub use network::SimNetwork;
pub use play::{play, play_against};
pub use trio::{OWN_SERVER, PlayError, implementations};
