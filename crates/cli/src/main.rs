//! The binary: everything is in the library beside it, but for the allocator.

/// A run makes and frees some ten thousand small blocks, which this one does a tenth faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    seamstress::main()
}
