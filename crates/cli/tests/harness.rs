//! The library face as somebody's own test uses it: what it proves, and what it says when it
//! cannot.

use axum::Router;
use axum::http::StatusCode;
use seamstress::{Harness, HarnessError, Probes, Process};

/// A server that does not speak the protocol.
fn out_of_order() -> Harness {
    Harness::new(|_: &Probes| {
        let router = Router::new().fallback(async || StatusCode::INTERNAL_SERVER_ERROR);
        Process::new(router)
    })
}

#[test]
fn a_server_with_which_nothing_is_resumed_proves_nothing() {
    let error = out_of_order().seeds(0..3).check().expect_err("nothing is proven");
    let HarnessError::NothingResumed { scenario, runs } = &error else { panic!("{error}") };
    assert_eq!((&**scenario, *runs), ("storm", 3));
    assert!(error.to_string().contains("does the server offer the probe tools"), "{error}");
}

#[test]
#[should_panic(expected = "nothing is proven: in 2 runs of drop no stream was resumed")]
fn asserting_fails_with_the_same_sentence() {
    out_of_order().scenario("drop").seeds(0..2).assert_holds();
}

#[test]
fn a_scenario_that_is_not_there_is_answered_with_the_one_that_was_meant() {
    let error = out_of_order().scenario("strom").check().expect_err("there is none");
    let HarnessError::Scenario(says) = &error else { panic!("{error}") };
    assert_eq!(says, "there is no scenario `strom`; did you mean `storm`?");
}

#[test]
fn a_client_that_is_not_there_is_answered_with_what_there_is() {
    let error = out_of_order().client("refrence").seeds(0..1).check().expect_err("there is none");
    assert!(matches!(error, HarnessError::Play(_)), "{error}");
    assert!(error.to_string().contains("there is no client \"refrence\"; there is: "), "{error}");
}

/// With the server of the official Rust SDK as one that fails in the storm.
#[cfg(feature = "rmcp")]
mod plan_files {
    use std::path::Path;
    use std::process::Command;

    use seamstress::{Failure, PLAN_VARIABLE};
    use seamstress_foreign::rmcp::{RmcpServer, ServerOptions};

    use super::*;

    fn harness() -> Harness {
        let options = ServerOptions {
            channel_capacity: 16,
            session_keep_alive_ms: 300_000,
            retry_ms: None,
            stateful: true,
        };
        Harness::new(RmcpServer(options)).seeds(0..20)
    }

    fn failure(error: HarnessError) -> Failure {
        match error {
            HarnessError::Failed(failure) => *failure,
            other => panic!("{other}"),
        }
    }

    /// Runs one of these tests in a process of its own, whose environment names a plan; what it
    /// says. The environment belongs to the whole process, so this one's is left alone.
    fn told_with_plan(plan: &Path, test: &str) -> String {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", &format!("plan_files::{test}"), "--nocapture"]);
        let ran = command.env(PLAN_VARIABLE, plan).output().expect("it starts");
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{told}\n{}", String::from_utf8_lossy(&ran.stderr));
        assert!(told.contains("1 passed"), "there is such a test: {told}");
        told
    }

    #[test]
    fn the_plan_file_of_a_failure_can_be_played_again() {
        let is_child = std::env::var_os(PLAN_VARIABLE).is_some();
        let failed = failure(harness().check().expect_err("the storm finds something"));
        if is_child {
            assert_eq!(failed.runs, (1, 1), "that plan, and nothing else");
            println!("{}", failed.stories.join("\n"));
            return;
        }
        assert_eq!(failed.runs.0, 20);
        assert_eq!(failed.plans.len(), failed.stories.len());
        let test = "the_plan_file_of_a_failure_can_be_played_again";
        for (plan, story) in failed.plans.iter().zip(&failed.stories) {
            let plays = format!("{PLAN_VARIABLE}={} cargo test plan_files::{test}", plan.display());
            assert!(story.contains(&plays), "{story}");
            let told = told_with_plan(plan, test);
            let fails = story.lines().find(|line| line.starts_with("FAIL ")).expect("a headline");
            assert!(told.lines().any(|line| line == fails), "{fails}\n{told}");
        }
    }

    #[test]
    fn a_plan_file_that_is_not_there_is_named_with_its_variable() {
        if std::env::var_os(PLAN_VARIABLE).is_some() {
            let error = harness().check().expect_err("there is no such file");
            assert!(matches!(error, HarnessError::Plan { .. }), "{error}");
            println!("{error}");
            return;
        }
        let test = "a_plan_file_that_is_not_there_is_named_with_its_variable";
        let told = told_with_plan(Path::new("no-such-plan.json"), test);
        assert!(told.contains("SEAMSTRESS_PLAN=no-such-plan.json: "), "{told}");
    }
}
