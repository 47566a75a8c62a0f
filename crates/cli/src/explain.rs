//! `seamstress explain`: what happened in one run.
//!
//! Owns the choice of form, and reading a trace of a run that is over. How a run is told lies in
//! the report.

use std::path::Path;

use seamstress_report::{mermaid, story};

use crate::args::{ExplainArguments, ExplainFormat};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say, write_file};
use crate::playing::Played;
use crate::{recorded, target, trio};

/// Carries out `explain`.
///
/// # Errors
/// [`CommandError`] if there is nothing to tell of, or it cannot be written.
pub fn explain(arguments: &ExplainArguments, output: &mut Output) -> Result<Exit, CommandError> {
    let (played, text) = if target::is_trace(&arguments.target) {
        let played = recorded::judged(target::trace(&arguments.target, &arguments.trio)?);
        let text = tell(&played, arguments.format, || recorded::story_of_trace(&played));
        (played, text)
    } else {
        let named = target::plan(&arguments.target, &arguments.trio)?;
        trio::check(&named.plan.trio)?;
        let played = Played::of(named.plan.clone())?;
        let text =
            tell(&played, arguments.format, || named.after_its_command(story(&played.as_play())));
        (played, text)
    };
    match &arguments.output {
        None => output.text(&text)?,
        Some(path) => write(path, text)?,
    }
    Ok(Exit::of_verdict(played.judgement.verdict))
}

fn tell(played: &Played, format: ExplainFormat, story: impl FnOnce() -> String) -> String {
    match format {
        ExplainFormat::Text => story(),
        ExplainFormat::Mermaid => mermaid(&played.as_play()),
        ExplainFormat::Json => String::from_utf8_lossy(&played.trace.to_bytes()).into_owned(),
    }
}

fn write(path: &Path, mut text: String) -> Result<(), CommandError> {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    write_file(path, text.as_bytes())?;
    say(&format!("wrote {}", path.display()));
    Ok(())
}
