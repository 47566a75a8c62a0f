//! The curve as a picture: one SVG file that needs nothing else, without scripts.
//!
//! Owns where things stand and what they look like, in light and in dark. Colours are those of
//! Okabe and Ito, or near them, which colour-blind people can tell apart, and never say anything
//! alone: lines differ in their strokes, and every fault has its name. It must not compute shares.
//! Points stand at equal distances, since most of what happens in a run happens in a small part of
//! its time.

use super::{Likelihood, Mark, Measured, Share};
use crate::foreign;
use crate::likelihood::text::told;
use crate::wrap::wrap;

const WIDTH: usize = 960;
/// The left and the right edge of the plot. Names of faults stand to the right of their lines.
const LEFT: usize = 60;
const RIGHT: usize = 780;
const PLOT_HEIGHT: usize = 280;
/// Where the first row of names of faults stands, and how high a row is.
const NAMES_TOP: usize = 122;
const ROW_HEIGHT: usize = 16;
/// Room for a character of bold text: more than most take.
const CHARACTER_WIDTH: usize = 8;
/// Characters of a fault's name in the plot.
const NAME_CHARACTERS_MAX: usize = 20;
/// Characters of a line of text.
const LINE_CHARACTERS_MAX: usize = 115;
/// Room for a time below the plot.
const TIME_WIDTH: usize = 40;

const STYLE: &str = "\
  <style>
    svg { background: #ffffff; font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }
    text { fill: #1b1f24; }
    .title { font-size: 17px; font-weight: 600; }
    .faint { fill: #57606a; }
    .bold { font-weight: 600; }
    .grid { stroke: #d8dee4; }
    .curve { stroke: #0072b2; stroke-width: 2.5; fill: none; }
    .to-the-end { stroke: #0072b2; stroke-width: 1.5; stroke-dasharray: 1 4; fill: none; }
    .dot { fill: #0072b2; }
    .range { fill: #0072b2; fill-opacity: 0.16; }
    .other { stroke: #a86400; stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
    .fault { stroke: #57606a; stroke-dasharray: 2 3; }
    .steepest { stroke: #b5307a; stroke-width: 2.5; }
    .finding { stroke: #1b1f24; stroke-width: 2; }
    .diamond { fill: #1b1f24; }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117; }
      text { fill: #e6edf3; }
      .faint { fill: #9da7b1; }
      .grid { stroke: #30363d; }
      .curve, .to-the-end { stroke: #56b4e9; }
      .dot, .range { fill: #56b4e9; }
      .other { stroke: #e69f00; }
      .fault { stroke: #9da7b1; }
      .steepest { stroke: #e78ac3; }
      .finding { stroke: #e6edf3; }
      .diamond { fill: #e6edf3; }
    }
  </style>
";

/// The curve as a file of its own.
#[must_use]
pub fn likelihood_svg(likelihood: &Likelihood) -> String {
    let names = names(likelihood);
    let rows = names.iter().map(|name| name.row + 1).max().unwrap_or(0);
    let plot = Plot { top: NAMES_TOP + rows * ROW_HEIGHT + 6, steps: likelihood.curve.len() };
    let mut body = head(likelihood);
    body.push_str(&grid(likelihood, &plot));
    body.push_str(&names.iter().map(|name| name.drawn(&plot)).collect::<String>());
    body.push_str(&end(likelihood, &plot));
    body.push_str(&curves(likelihood, &plot));
    let (below, height) = below(likelihood, &plot);
    body.push_str(&below);
    let (title, description) = (escaped(&title(likelihood)), escaped(&description(likelihood)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n  \
         <title id=\"title\">{title}</title>\n  <desc id=\"desc\">{description}</desc>\n\
         {STYLE}{body}</svg>\n"
    )
}

/// Where the points stand.
struct Plot {
    top: usize,
    /// From the first point to the finding.
    steps: usize,
}

impl Plot {
    fn bottom(&self) -> usize {
        self.top + PLOT_HEIGHT
    }

    /// Where a point stands; the one after the last is the finding.
    fn x(&self, point: usize) -> usize {
        LEFT + point * (RIGHT - LEFT) / self.steps.max(1)
    }

    fn y(&self, per_mille: u64) -> usize {
        let height = usize::try_from(per_mille).unwrap_or(1_000) * PLOT_HEIGHT / 1_000;
        self.bottom() - height.min(PLOT_HEIGHT)
    }
}

/// A fault's name, with the line that stands where it happens.
struct Name<'a> {
    mark: &'a Mark,
    x: usize,
    row: usize,
    is_steepest: bool,
}

/// The names of all faults. A name stands to the right of its line; a line begins at its name, so
/// one that a name to the left reaches over begins in a row below it.
fn names(likelihood: &Likelihood) -> Vec<Name<'_>> {
    let plot = Plot { top: 0, steps: likelihood.curve.len() };
    let steepest = likelihood.steepest().map(|step| step.from_point);
    let mut names: Vec<Name> = Vec::new();
    for point in 0..likelihood.curve.len() {
        let marks: Vec<&Mark> = likelihood.between(point).collect();
        let (from, until) = (plot.x(point), plot.x(point + 1));
        for (number, mark) in marks.iter().copied().enumerate() {
            let x = from + (until - from) * (number + 1) / (marks.len() + 1);
            let over = names.iter().filter(|name| name.until() > x);
            let row = over.map(|name| name.row + 1).max().unwrap_or(0);
            names.push(Name { mark, x, row, is_steepest: steepest == Some(point) });
        }
    }
    names
}

impl Name<'_> {
    fn text(&self) -> String {
        shortened(&self.mark.fault, NAME_CHARACTERS_MAX)
    }

    fn until(&self) -> usize {
        self.x + 6 + CHARACTER_WIDTH * self.text().chars().count()
    }

    fn drawn(&self, plot: &Plot) -> String {
        let (x, baseline) = (self.x, NAMES_TOP + self.row * ROW_HEIGHT);
        let (class, weight) =
            if self.is_steepest { ("steepest", " class=\"bold\"") } else { ("fault", "") };
        let (above, bottom) = (baseline - 10, plot.bottom());
        let (name, beside) = (escaped(&self.text()), x + 4);
        let Mark { fault, words, at_ms, .. } = self.mark;
        let told = escaped(&format!("{fault}: {words}, at {at_ms} ms"));
        format!(
            "  <g><title>{told}</title><line class=\"{class}\" x1=\"{x}\" y1=\"{above}\" \
             x2=\"{x}\" y2=\"{bottom}\"/>\n    \
             <text{weight} x=\"{beside}\" y=\"{baseline}\">{name}</text></g>\n"
        )
    }
}

fn title(likelihood: &Likelihood) -> String {
    format!("How likely {} is, from each point of {} on", likelihood.key, likelihood.target)
}

fn description(likelihood: &Likelihood) -> String {
    let percent = |measured: &Measured| measured.seen.finding().per_cent();
    let ends = [likelihood.curve.first(), likelihood.curve.last()];
    let [first, last] = ends.map(|measured| measured.map_or(0, percent));
    let found_ms = likelihood.found_ms;
    let ends = format!(
        "{first} % at the beginning, {last} % just before the finding is seen at {found_ms} ms"
    );
    format!("{ends}. {}.", steepest(likelihood))
}

fn steepest(likelihood: &Likelihood) -> String {
    let Some(step) = likelihood.steepest() else {
        return "Nothing raises it".to_owned();
    };
    let (from, to) = (step.from.per_cent(), step.to.per_cent());
    let chance = if step.is_clear() { "" } else { " (within chance)" };
    format!("Steepest rise: from {from} % to {to} %{chance}: {}", told(likelihood, &step))
}

fn head(likelihood: &Likelihood) -> String {
    let Likelihood { target, key, drawn, reseeds, .. } = likelihood;
    let drawn = format!("{reseeds} reseeds from each point; drawn anew: {drawn}");
    let lines = [
        ("title", 28, "How likely the finding is if the rest is drawn anew".to_owned()),
        ("bold", 48, key.clone()),
        ("faint", 66, format!("in {target}")),
        ("faint", 84, drawn),
    ];
    let line = |(class, y, told): &(&str, usize, String)| {
        text(class, 20, *y, &shortened(told, LINE_CHARACTERS_MAX))
    };
    lines.iter().map(line).collect()
}

/// Lines at every quarter, times below the points, the names of both axes.
fn grid(likelihood: &Likelihood, plot: &Plot) -> String {
    let mut drawn = String::new();
    for quarter in 0..=4_u64 {
        let (y, percent) = (plot.y(quarter * 250), quarter * 25);
        drawn.push_str(&format!(
            "  <line class=\"grid\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{RIGHT}\" y2=\"{y}\"/>\n  \
             <text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{percent} %</text>\n",
            LEFT - 8,
            y + 4
        ));
    }
    let y = plot.bottom() + 18;
    let mut free_from = 0;
    // The last one's place is the finding's, which is told in any case.
    let until = plot.x(plot.steps) - TIME_WIDTH;
    for (point, measured) in likelihood.curve.iter().enumerate() {
        let x = plot.x(point);
        if x >= free_from && (x <= until || point == 0) {
            let at_ms = measured.point.at_ms.unwrap_or(0);
            drawn.push_str(&centred("faint", x, y, &at_ms.to_string()));
            free_from = x + TIME_WIDTH;
        }
    }
    let (middle, below) = ((LEFT + RIGHT) / 2, y + 20);
    drawn + &centred("faint", middle, below, "points of the run, by simulated time in milliseconds")
}

/// The finding at the end of the curve.
fn end(likelihood: &Likelihood, plot: &Plot) -> String {
    let (x, top, bottom) = (plot.x(plot.steps), plot.top, plot.bottom());
    let found_ms = likelihood.found_ms;
    let oracle = likelihood.key.split('/').next().unwrap_or(&likelihood.key);
    let mut drawn = format!(
        "  <line class=\"finding\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\"/>\n  \
         <path class=\"diamond\" d=\"M{x} {} l6 6 l-6 6 l-6 -6 z\"/>\n",
        top - 6
    );
    drawn.push_str(&text("bold", x + 10, top + 5, "the run itself:"));
    let told = shortened(oracle, NAME_CHARACTERS_MAX);
    drawn.push_str(&text("bold", x + 10, top + 21, &told));
    drawn + &centred("bold", x, bottom + 18, &found_ms.to_string())
}

/// The range, both curves, and a dot for each point that tells what had happened.
fn curves(likelihood: &Likelihood, plot: &Plot) -> String {
    let finding = |measured: &Measured| measured.seen.finding();
    let line = |share: fn(&Measured) -> Share| -> String {
        let place = |(point, measured): (usize, &Measured)| {
            format!("{},{}", plot.x(point), plot.y(share(measured).per_mille()))
        };
        let places: Vec<String> = likelihood.curve.iter().enumerate().map(place).collect();
        places.join(" ")
    };
    let edge = |upper: bool| {
        let place = move |(point, measured): (usize, &Measured)| {
            let (low, high) = finding(measured).range_per_mille();
            format!("{},{}", plot.x(point), plot.y(if upper { high } else { low }))
        };
        likelihood.curve.iter().enumerate().map(place)
    };
    let around: Vec<String> =
        edge(true).chain(edge(false).collect::<Vec<_>>().into_iter().rev()).collect();
    let mut drawn = format!(
        "  <polygon class=\"range\" points=\"{}\"/>\n  <polyline class=\"other\" points=\"{}\"/>\n  \
         <polyline class=\"curve\" points=\"{}\"/>\n",
        around.join(" "),
        line(|measured| measured.seen.other()),
        line(|measured| measured.seen.finding())
    );
    if let Some(last) = likelihood.curve.last() {
        let from = (plot.x(plot.steps - 1), plot.y(finding(last).per_mille()));
        let to = (plot.x(plot.steps), plot.y(1_000));
        drawn.push_str(&format!(
            "  <path class=\"to-the-end\" d=\"M{} {} L{} {}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }
    for (point, measured) in likelihood.curve.iter().enumerate() {
        let share = finding(measured);
        let (x, y) = (plot.x(point), plot.y(share.per_mille()));
        let (at_ms, after) = (measured.point.at_ms.unwrap_or(0), &measured.point.after);
        let Share { hits, of } = share;
        let told = escaped(&format!("{at_ms} ms, {after}: {hits} of {of}"));
        drawn.push_str(&format!(
            "  <circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3.5\"><title>{told}</title></circle>\n"
        ));
    }
    drawn
}

/// What stands below the plot, and where the picture ends.
fn below(likelihood: &Likelihood, plot: &Plot) -> (String, usize) {
    let mut y = plot.bottom() + 70;
    let mut drawn = legend(y);
    y += 30;
    for line in wrap(&steepest(likelihood), LINE_CHARACTERS_MAX, 0) {
        drawn.push_str(&text("bold", 20, y, &line));
        y += ROW_HEIGHT + 2;
    }
    for Mark { fault, words, at_ms, .. } in &likelihood.faults {
        let told = format!("{at_ms} ms  {fault}: {words}");
        drawn.push_str(&text("faint", 20, y, &shortened(&told, LINE_CHARACTERS_MAX)));
        y += ROW_HEIGHT + 2;
    }
    (drawn, y)
}

/// What each kind of line means: its class, how it is drawn, and where the next one stands.
fn legend(y: usize) -> String {
    let entries = [
        ("curve", "shows this finding (band: 95 % sure)", 290),
        ("other", "shows another one", 150),
        ("fault", "a fault of the run", 160),
        ("steepest", "in the steepest rise", 0),
    ];
    let mut drawn =
        format!("  <rect class=\"range\" x=\"20\" y=\"{}\" width=\"28\" height=\"14\"/>\n", y - 11);
    let mut x = 20;
    for (class, told, width) in entries {
        let (middle, until) = (y - 4, x + 28);
        drawn.push_str(&format!(
            "  <line class=\"{class}\" x1=\"{x}\" y1=\"{middle}\" x2=\"{until}\" y2=\"{middle}\"/>\n"
        ));
        drawn.push_str(&text("faint", until + 6, y, told));
        x = until + width;
    }
    drawn
}

fn text(class: &str, x: usize, y: usize, told: &str) -> String {
    format!("  <text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(told))
}

fn centred(class: &str, x: usize, y: usize, told: &str) -> String {
    let told = escaped(told);
    format!("  <text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{told}</text>\n")
}

/// At most so many characters, with what was left out marked.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Fit for the text of an element: control characters may not stand in XML at all.
fn escaped(text: &str) -> String {
    foreign::plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
