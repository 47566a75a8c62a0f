//! Prints the trace of one run: `cargo run -p seamstress-sim --example trace_of -- storm 7`.

use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "storm".to_owned());
    let seed = arguments.next().map_or(Ok(0), |seed| seed.parse())?;
    let builtin = seamstress_plan::builtin_named(&name).ok_or("there is no such scenario")?;
    let scenario = seamstress_plan::Scenario::from_toml(builtin.name, builtin.text)?;
    let plan = seamstress_plan::generate(&scenario, &name, seed);
    let trace = seamstress_sim::play(&plan)?;
    std::io::stdout().write_all(&trace.to_bytes())?;
    Ok(())
}
