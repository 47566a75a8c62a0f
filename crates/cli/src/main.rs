//! The binary: everything is in the library beside it.

fn main() -> std::process::ExitCode {
    seamstress::main()
}
