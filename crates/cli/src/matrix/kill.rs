//! `seamstress matrix kill`: who sees each planted defect, and after how many seeds.
//!
//! Owns what is said and when, and the exit code. It must not know how a defect is hunted.

mod choice;
mod hunt;

use seamstress_report::{KillMatrix, Style, defect_line, effort_line};

use super::control::ControlRuns;
use super::page::Page;
use super::screen::Screen;
use super::{Player, chosen, count};
use crate::args::KillArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say};
use crate::planted::{self, Planted, SERVER_RULE_OFF};
use crate::{interrupt, system};
use hunt::Hunt;

/// Carries out `matrix kill`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn kill(
    arguments: &KillArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let table = &arguments.table;
    let defects = planted::named(&table.defects)?;
    let page = Page::open(table.update.as_ref(), KillMatrix::NAME)?;
    let player = Player::new(table)?;
    interrupt::install();
    let total = defects.len() as u64;
    let mut screen = Screen::new(table.format, style, output, total, "defects");
    let KillArguments { ranges, seeds_per_range, .. } = *arguments;
    screen.people(&format!(
        "{}   {}   {}   {} of {}   jobs {}",
        KillMatrix::NAME,
        count(total, "defect"),
        count(player.scenarios.len() as u64, "scenario"),
        count(ranges, "range"),
        count(seeds_per_range, "seed"),
        player.jobs
    ))?;
    let mut hunt = Hunt::new(&player, ranges, seeds_per_range);
    let mut matrix = KillMatrix {
        kills: Vec::new(),
        ranges,
        seeds_per_range,
        server_rule_off: SERVER_RULE_OFF,
        control: None,
    };
    let mut runs = ControlRuns::default();
    let ended = hunt_all(&mut hunt, &defects, &mut matrix, &mut runs, &mut screen);
    end(&player, &matrix, &runs, ended, screen, page, &command(arguments))
}

/// Hunts every defect and plays the control. Answers whether all of it was done.
fn hunt_all(
    hunt: &mut Hunt,
    defects: &[Planted],
    matrix: &mut KillMatrix,
    runs: &mut ControlRuns,
    screen: &mut Screen,
) -> Result<bool, CommandError> {
    for planted in defects {
        let Some(kill) = hunt.defect(planted)? else { return Ok(false) };
        screen.advance();
        screen.programs(&defect_line(&kill, matrix.seeds_per_range, matrix.ranges))?;
        matrix.kills.push(kill);
        if screen.is_closed() {
            return Ok(false);
        }
    }
    let is_whole = hunt.control(runs, screen)?;
    matrix.control = Some(runs.control.clone());
    screen.programs(&seamstress_report::control_line(&runs.control))?;
    Ok(is_whole)
}

/// The command that makes the same table.
fn command(arguments: &KillArguments) -> String {
    let KillArguments { ranges, seeds_per_range, table } = arguments;
    format!(
        "seamstress {} --ranges {ranges} --seeds-per-range {seeds_per_range}{}",
        KillMatrix::NAME,
        chosen(table)
    )
}

/// The summary, and the exit code.
fn end(
    player: &Player,
    matrix: &KillMatrix,
    runs: &ControlRuns,
    ended: Result<bool, CommandError>,
    screen: Screen,
    page: Option<Page>,
    command: &str,
) -> Result<Exit, CommandError> {
    let is_interrupted = interrupt::is_requested() && !matches!(ended, Ok(true));
    let (played, cpu_seconds) = (player.runs(), system::cpu_seconds());
    let effort = effort_line(played, cpu_seconds);
    screen.end(
        |style| format!("{}\n{effort}", matrix.table(style)),
        || seamstress_report::kill_summary_line(matrix, played, cpu_seconds, is_interrupted),
        || matrix.markdown(command),
    )?;
    let is_whole = ended?;
    if is_interrupted {
        say(&format!("interrupted after {}", count(matrix.kills.len() as u64, "defect")));
        return Ok(Exit::Interrupted);
    }
    if let Some(page) = page.filter(|_| is_whole) {
        page.put(&matrix.markdown(command))?;
    }
    let all_killed = if matrix.not_killed().is_empty() { Exit::Holds } else { Exit::Violated };
    Ok(runs.exit.max(all_killed))
}
