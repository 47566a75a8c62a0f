//! `seamstress explain`: what happened in one run.
//!
//! Owns the choice of form, and reading a trace of a run that is over. How a run is told lies in
//! the report, and how likely its end was in `likelihood`.

use std::path::Path;

use seamstress_report::{mermaid, story};

use crate::args::{ExplainArguments, ExplainFormat};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say, write_file};
use crate::playing::Played;
use crate::{likelihood, recorded, target, trio};

/// Carries out `explain`.
///
/// # Errors
/// [`CommandError`] if there is nothing to tell of, or it cannot be written.
pub fn explain(arguments: &ExplainArguments, output: &mut Output) -> Result<Exit, CommandError> {
    let (exit, text) = if arguments.likelihood.likelihood {
        likelihood::explain(arguments)?
    } else {
        let (played, text) = story_of(arguments)?;
        (Exit::of_verdict(played.judgement.verdict), Some(text))
    };
    match (text, &arguments.output) {
        (None, _) => {}
        (Some(text), None) => output.text(&text)?,
        (Some(text), Some(path)) => write(path, text)?,
    }
    Ok(exit)
}

fn story_of(arguments: &ExplainArguments) -> Result<(Played, String), CommandError> {
    if target::is_trace(&arguments.target) {
        let played = recorded::judged(target::trace(&arguments.target, &arguments.trio)?);
        let text = tell(&played, arguments.format, || recorded::story_of_trace(&played))?;
        return Ok((played, text));
    }
    let named = target::plan(&arguments.target, &arguments.trio)?;
    trio::check(&named.plan.trio)?;
    let played = Played::of(named.plan.clone())?;
    let story = || named.after_its_command(story(&played.as_play()));
    let text = tell(&played, arguments.format, story)?;
    Ok((played, text))
}

fn tell(
    played: &Played,
    format: ExplainFormat,
    story: impl FnOnce() -> String,
) -> Result<String, CommandError> {
    match format {
        ExplainFormat::Text => Ok(story()),
        ExplainFormat::Mermaid => Ok(mermaid(&played.as_play())),
        ExplainFormat::Json => Ok(String::from_utf8_lossy(&played.trace.to_bytes()).into_owned()),
        ExplainFormat::Svg => Err(CommandError::NoPictureOfARun),
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
