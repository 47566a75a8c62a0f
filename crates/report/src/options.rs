//! What was played, in a few lines: the head of every story and of every failure.
//!
//! Owns the block of drawn options and the command that plays them again. It must not know what
//! came of it. It exists because the first question about any run is how to have it again.

use seamstress_plan::{
    Family, Phases, Plan, Scenario, ServerOptions, Trio, builtin_named, generate,
};
use seamstress_trace::Digest;

use crate::foreign;
use crate::words::{count, list};

/// The drawn options of a plan, one subject a line; with the digest of its trace if it was played.
///
/// The command to replay it stands first if the plan's name alone is enough to have it again, which
/// is when a scenario of this build generates exactly this plan.
#[must_use]
pub fn options_block(plan: &Plan, digest: Option<Digest>) -> String {
    let replay = replay_target(plan).map(|target| format!("seamstress replay {target}"));
    block(plan, digest, replay.as_deref())
}

/// The block with the replay command, if there is one.
pub(crate) fn block(plan: &Plan, digest: Option<Digest>, replay: Option<&str>) -> String {
    let topology = &plan.topology;
    let replicas = match topology.replicas {
        1 => "1 server".to_owned(),
        replicas => format!("{replicas} server replicas"),
    };
    let mut lines = vec![
        ("options", options(plan)),
        ("server", server(&plan.trio.server, &topology.server)),
        (
            "network",
            format!(
                "{replicas} behind the proxy, {} ms latency a link, {} ms a tick",
                topology.latency_ms, topology.tick_ms
            ),
        ),
        ("faults", families(plan)),
        ("phases", phases(plan.phases)),
    ];
    if !plan.trio.is_reference() {
        let Trio { server, proxy, client } = &plan.trio;
        let trio = format!("server {server}, proxy {proxy}, client {client}");
        lines.insert(0, ("played by", trio));
    }
    if let Some(command) = replay {
        lines.insert(0, ("replay", command.to_owned()));
    }
    if let Some(digest) = digest {
        lines.push(("digest", digest.to_string()));
    }
    lines.iter().map(|(name, text)| format!("{name:<9} {}\n", foreign::plain(text))).collect()
}

fn options(plan: &Plan) -> String {
    let operations = count(plan.workload.len() as u64, "operation");
    let faults = count(plan.faults.len() as u64, "fault");
    let revision = plan.topology.revision.as_str();
    format!("seed {}, {operations}, {faults}, protocol {revision}", plan.seed)
}

/// What a server is set to, as far as it looks at it.
fn server(name: &str, options: &ServerOptions) -> String {
    match name {
        "reference" => reference(options),
        _ if name.starts_with("reference:") || name.starts_with("canary:") => reference(options),
        "rmcp" => rmcp(options),
        _ => "its own settings".to_owned(),
    }
}

fn rmcp(options: &ServerOptions) -> String {
    let primes = match options.retry_ms {
        Some(retry_ms) => format!("primes with retry {retry_ms} ms"),
        None => "does not prime".to_owned(),
    };
    let keeps = match options.rmcp.stateful {
        true => format!(
            "caches {} a stream, ends a session after {} ms without traffic",
            count(options.rmcp.channel_capacity, "event"),
            options.session_idle_ms
        ),
        false => "keeps no sessions".to_owned(),
    };
    format!("{keeps}, {primes}")
}

fn reference(options: &ServerOptions) -> String {
    let mut limits: Vec<String> = Vec::new();
    limits
        .extend(options.session_events_max.map(|max| format!("{} a session", count(max, "event"))));
    limits.extend(options.stream_events_max.map(|max| format!("{} a stream", count(max, "event"))));
    limits.extend(options.event_age_ms_max.map(|max| format!("events for {max} ms")));
    let keeps = if limits.is_empty() { "every event".to_owned() } else { list(&limits) };
    format!(
        "ids {} from {}, floor {}, keeps {keeps}, refuses with {}",
        options.id_scheme,
        options.first_event_id,
        options.floor,
        options.refusal.name(),
    )
}

fn families(plan: &Plan) -> String {
    let has = |family: &Family| plan.faults.iter().any(|fault| fault.family == *family);
    let (on, off): (Vec<Family>, Vec<Family>) = Family::ALL.into_iter().partition(has);
    let names = |families: &[Family]| {
        let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!("on: {}   off: {}", names(&on), names(&off))
}

fn phases(phases: Phases) -> String {
    let Phases { chaos_from_ms: chaos, chaos_until_ms: tail, deadline_ms: end } = phases;
    format!("quiet 0 to {chaos}, chaos {chaos} to {tail}, tail {tail} to {end} (ms)")
}

/// What to replay, if the plan's name says it: a generated plan is called `SCENARIO@SEED`, but one
/// that was shrunk or edited since may bear that name too.
fn replay_target(plan: &Plan) -> Option<String> {
    let (name, seed) = plan.name.rsplit_once('@')?;
    let builtin = builtin_named(name)?;
    let scenario = Scenario::from_toml(builtin.name, builtin.text).ok()?;
    let generated = generate(&scenario, name, seed.parse().ok()?);
    let is_same = Plan { trio: plan.trio.clone(), ..generated } == *plan;
    is_same.then(|| format!("{}{}", plan.name, trio_arguments(&plan.trio)))
}

/// The options of the command line that choose these implementations, each with a space before it.
pub(crate) fn trio_arguments(trio: &Trio) -> String {
    let chosen = trio.by_role().into_iter().filter(|(_, name)| *name != "reference");
    chosen.map(|(role, name)| format!(" --{} {}", role.name(), shell_word(name))).collect()
}

/// A text as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:,@+=%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_options_of_a_plan_stand_one_subject_a_line() {
        insta::assert_snapshot!(options_block(&sample::plan(), None), @r#"
        options   seed 3, 2 operations, 3 faults, protocol 2025-11-25
        server    ids namespaced from 1, floor strict, keeps 8 events a session, refuses with 404-and-end-session
        network   1 server behind the proxy, 1 ms latency a link, 1 ms a tick
        faults    on: drop, rotation   off: eviction, silence, routing, concurrency, shape
        phases    quiet 0 to 10, chaos 10 to 60, tail 60 to 500 (ms)
        "#);
    }

    #[test]
    fn a_plan_that_a_scenario_of_this_build_generates_can_be_replayed_by_name() {
        let builtin = builtin_named("drop").expect("built in");
        let scenario = Scenario::from_toml("drop.toml", builtin.text).expect("a scenario");
        let mut plan = generate(&scenario, "drop", 7);
        plan.trio.server = "reference:replay-whole-ring".into();
        let first = |plan: &Plan| options_block(plan, None).lines().next().map(str::to_owned);
        assert_eq!(
            first(&plan).as_deref(),
            Some("replay    seamstress replay drop@7 --server reference:replay-whole-ring")
        );
        plan.phases.deadline_ms += 1;
        let text = options_block(&plan, None);
        assert!(!text.contains("seamstress replay"), "another plan of that name is not it: {text}");
    }

    #[test]
    fn a_name_that_is_no_shell_word_is_quoted() {
        let trio = Trio { client: "it's mine".into(), ..Trio::default() };
        assert_eq!(trio_arguments(&trio), r" --client 'it'\''s mine'");
    }
}
