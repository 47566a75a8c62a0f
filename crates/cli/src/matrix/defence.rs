//! `seamstress matrix defence`: what escapes with one half of the rule off and on.
//!
//! Owns which trios are played. A defect takes part of one half away; the other half is played off
//! and on. First comes the control, the same three trios without any defect, so that what a missing
//! half lets through by itself is not blamed on a defect.

use std::ops::ControlFlow;

use seamstress_oracle::Cell;
use seamstress_plan::{Role, Trio};
use seamstress_report::{
    Defence, DefenceControl, DefenceMatrix, Half, Rate, SeedResult, Style, defence_control_lines,
    defence_lines, effort_line,
};

use super::control::ControlRuns;
use super::page::Page;
use super::screen::Screen;
use super::{Player, chosen, count};
use crate::args::DefenceArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output::{Output, say};
use crate::planted::{self, CLIENT_CHECK_OFF, Planted, SERVER_RULE_OFF};
use crate::{interrupt, system};

/// The columns of the control: the reference trio, the check off, the rule off.
const CONTROL_COLUMNS: usize = 3;

/// Carries out `matrix defence`.
///
/// # Errors
/// [`CommandError`] if it cannot begin, or cannot go on.
pub fn defence(
    arguments: &DefenceArguments,
    style: Style,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let DefenceArguments { seeds, table } = arguments;
    let defects = planted::named(&table.defects)?;
    let page = Page::open(table.update.as_ref(), DefenceMatrix::NAME)?;
    let player = Player::new(table)?;
    interrupt::install();
    let trios = trios(&defects);
    let runs_per_trio = (player.scenarios.len() as u64).saturating_mul(seeds.count());
    let total = runs_per_trio.saturating_mul(trios.len() as u64);
    let mut screen = Screen::new(table.format, style, output, total, "runs");
    screen.people(&format!(
        "{}   {}   {}   seeds {seeds}   jobs {}",
        DefenceMatrix::NAME,
        count(defects.len() as u64, "defect"),
        count(player.scenarios.len() as u64, "scenario"),
        player.jobs
    ))?;
    let mut measuring = Measuring {
        player: &player,
        defects: &defects,
        rates: vec![Rate::default(); trios.len()],
        runs: ControlRuns::default(),
        matrix: empty_matrix(&player, arguments),
        screen,
    };
    let place = |number: u64| {
        let (trio, run) = (number / runs_per_trio, number % runs_per_trio);
        (trio as usize, (run / seeds.count()) as usize, seeds.from + run % seeds.count())
    };
    let name = |number| {
        let (trio, scenario, seed) = place(number);
        player.typed(scenario, seed, &trios[trio])
    };
    let work = |number| {
        let (trio, scenario, seed) = place(number);
        Run::of(&player, scenario, seed, &trios[trio])
    };
    let ended = player.in_order(total, name, work, |number, run| {
        let (trio, scenario, _) = place(number);
        measuring.add(trio, scenario, &run)?;
        if (number + 1) % runs_per_trio == 0 {
            measuring.close(trio)?;
        }
        let is_enough =
            measuring.screen.is_closed() || measuring.runs.exit == Exit::NotReproducible;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    measuring.end(ended, page, &command(arguments))
}

/// The trios to be played: those of the control, then two for each defect.
fn trios(defects: &[Planted]) -> Vec<Trio> {
    let off = |trio: Trio, half| match half {
        Half::ClientCheck => trio.with(Role::Client, CLIENT_CHECK_OFF),
        Half::ServerRule => trio.with(Role::Server, SERVER_RULE_OFF),
    };
    let reference = Trio::default();
    let mut trios = vec![reference.clone()];
    trios.extend([Half::ClientCheck, Half::ServerRule].map(|half| off(reference.clone(), half)));
    for planted in defects {
        let half = Half::beside(planted.defect.role);
        trios.extend([off(planted.trio(), half), planted.trio()]);
    }
    trios
}

fn empty_matrix(player: &Player, arguments: &DefenceArguments) -> DefenceMatrix {
    DefenceMatrix {
        defences: Vec::new(),
        control: DefenceControl::default(),
        seeds: (arguments.seeds.from, arguments.seeds.until),
        scenarios: player.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        server_rule_off: SERVER_RULE_OFF,
        client_check_off: CLIENT_CHECK_OFF,
    }
}

/// The command that makes the same table.
fn command(arguments: &DefenceArguments) -> String {
    let DefenceArguments { seeds, table } = arguments;
    format!("seamstress {} --seeds {seeds}{}", DefenceMatrix::NAME, chosen(table))
}

/// What is kept of a run.
struct Run {
    rate: Rate,
    /// All that a sweep keeps, of a run of the reference trio.
    reference: Option<SeedResult>,
}

impl Run {
    fn of(player: &Player, scenario: usize, seed: u64, trio: &Trio) -> Result<Run, CommandError> {
        let played = player.play(scenario, seed, trio)?;
        let escapes = played.judgement.count(Cell::Escape);
        let accepted = played.judgement.count(Cell::Sound) + escapes;
        let reference = trio.is_reference().then(|| played.result());
        Ok(Run { rate: Rate { accepted, escapes }, reference })
    }
}

struct Measuring<'a> {
    player: &'a Player,
    defects: &'a [Planted],
    /// In the order of the trios.
    rates: Vec<Rate>,
    runs: ControlRuns,
    matrix: DefenceMatrix,
    screen: Screen<'a>,
}

impl Measuring<'_> {
    fn add(&mut self, trio: usize, scenario: usize, run: &Run) -> Result<(), CommandError> {
        self.rates[trio].add(run.rate);
        self.screen.advance();
        match &run.reference {
            Some(result) => self.runs.take(self.player, scenario, result, &mut self.screen),
            None => Ok(()),
        }
    }

    /// All runs of a trio are in.
    fn close(&mut self, trio: usize) -> Result<(), CommandError> {
        if trio + 1 == CONTROL_COLUMNS {
            let [on, check_off, rule_off] = [self.rates[0], self.rates[1], self.rates[2]];
            let reference = self.runs.control.clone();
            self.matrix.control = DefenceControl { on, check_off, rule_off, reference };
            for line in defence_control_lines(&self.matrix.control) {
                self.screen.programs(&line)?;
            }
        }
        let Some(column) = trio.checked_sub(CONTROL_COLUMNS) else { return Ok(()) };
        if column % 2 == 0 {
            return Ok(());
        }
        let (off, on) = (self.rates[trio - 1], self.rates[trio]);
        let defence = Defence { defect: self.defects[column / 2].defect, off, on };
        for line in defence_lines(&defence, &self.matrix.control) {
            self.screen.programs(&line)?;
        }
        self.matrix.defences.push(defence);
        Ok(())
    }

    /// The summary, and the exit code.
    fn end(
        self,
        ended: Result<bool, CommandError>,
        page: Option<Page>,
        command: &str,
    ) -> Result<Exit, CommandError> {
        let Measuring { player, runs, matrix, screen, .. } = self;
        let is_interrupted = interrupt::is_requested() && !matches!(ended, Ok(true));
        let (played, cpu_seconds) = (player.runs(), system::cpu_seconds());
        let effort = effort_line(played, cpu_seconds);
        screen.end(
            |style| format!("{}\n{effort}", matrix.table(style)),
            || {
                seamstress_report::defence_summary_line(
                    &matrix,
                    played,
                    cpu_seconds,
                    is_interrupted,
                )
            },
            || matrix.markdown(command),
        )?;
        let is_whole = ended?;
        if is_interrupted {
            say(&format!("interrupted after {}", count(matrix.defences.len() as u64, "defect")));
            return Ok(Exit::Interrupted);
        }
        if !is_whole {
            return Ok(runs.exit);
        }
        if matrix.control.on.accepted == 0 {
            say("nothing is proven: no resumption was accepted; play more seeds");
            return Ok(runs.exit.max(Exit::NothingRan));
        }
        if let Some(page) = page {
            page.put(&matrix.markdown(command))?;
        }
        Ok(runs.exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_is_played_with_the_half_off_and_on_that_it_leaves_whole() {
        let defects = planted::named(&["replay-whole-ring".into(), "one-cursor-slot".into()]);
        let trios = trios(&defects.expect("known"));
        let names: Vec<[&str; 2]> =
            trios.iter().map(|trio| [&*trio.server, &*trio.client]).collect();
        let reference = "reference";
        let expected = [
            [reference, reference],
            [reference, CLIENT_CHECK_OFF],
            [SERVER_RULE_OFF, reference],
            ["reference:replay-whole-ring", CLIENT_CHECK_OFF],
            ["reference:replay-whole-ring", reference],
            [SERVER_RULE_OFF, "reference:one-cursor-slot"],
            [reference, "reference:one-cursor-slot"],
        ];
        assert_eq!(names, expected);
    }
}
