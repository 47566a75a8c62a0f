//! Runs the binary in a folder of its own, and small scenarios whose outcome is known.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A folder that is empty when a test begins.
pub struct Folder(PathBuf);

/// What came of a run of the binary.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// `name` is that of the test.
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, text: &str) -> &Folder {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
        fs::write(path, text).expect("written");
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a text file")
    }

    /// The names of everything in it, hidden files too, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("readable");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into())
            .collect();
        names.sort();
        names
    }

    /// The binary, to be run here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_seamstress"));
        command.current_dir(&self.0).args(arguments).env_remove("NO_COLOR");
        command
    }

    /// Runs the binary here. Arguments are separated by spaces.
    pub fn run(&self, arguments: &str) -> Ran {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        Ran::of(&mut self.command(&arguments))
    }
}

impl Ran {
    pub fn of(command: &mut Command) -> Ran {
        let output = command.output().expect("the binary starts");
        let ran = Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: without_progress(&String::from_utf8(output.stderr).expect("UTF-8")),
        };
        for trace_of_a_panic in ["panicked at", "RUST_BACKTRACE"] {
            assert!(!ran.stderr.contains(trace_of_a_panic), "{ran:?}");
        }
        ran
    }

    /// The lines of standard output, read as JSON.
    pub fn json(&self) -> Vec<serde_json::Value> {
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}"));
        self.stdout.lines().map(read).collect()
    }
}

/// The binary while it runs.
pub struct UnderWay {
    pub child: Child,
    pub stdout: BufReader<ChildStdout>,
}

impl UnderWay {
    /// Starts it.
    pub fn of(command: &mut Command) -> UnderWay {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        UnderWay { child, stdout }
    }

    /// The next line that it says.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        line
    }

    /// Sends it a signal: `-INT`, say.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let killed = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
    }

    /// Ends it as a crash would.
    pub fn kill(mut self) {
        self.child.kill().expect("it is still running");
        self.child.wait().expect("it is gone");
    }

    /// The rest of what it says, once it has ended.
    pub fn rest(mut self) -> Ran {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("UTF-8");
        let mut piped = self.child.stderr.take().expect("piped");
        piped.read_to_string(&mut stderr).expect("UTF-8");
        let code = self.child.wait().expect("it ends").code();
        Ran { code, stdout, stderr: without_progress(&stderr) }
    }
}

/// Standard error without the lines of progress, which come every ten seconds: how many of them
/// depends on the machine. They begin with a number, as no message does.
fn without_progress(stderr: &str) -> String {
    let is_progress = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    stderr.lines().filter(|line| !is_progress(line)).map(|line| format!("{line}\n")).collect()
}

/// A stream is cut after its third event. With a server that replays its whole ring and a client
/// that does not check, the application gets what it has already.
pub const RING: &str = r#"
about = "A server that replays its whole ring gives the application what it has already."
[topology]
id_scheme = "session-counter"
[[workload.operation]]
id = "standalone"
at_ms = 0
ask = "listen"
[[workload.operation]]
id = "a1"
at_ms = 10
ask = { announce = { events = 6, interval_ms = 2 } }
[[storm.fault]]
id = "cut"
family = "drop"
trigger = { on = "event", stream = "standalone", nth = 3 }
action = "cut-reset"
"#;

/// The options that make [`RING`] fail.
pub const RING_DEFECTS: &str =
    "--server reference:replay-whole-ring --client reference:no-continuity-check";

/// Bytes vanish, and both sides are too patient to notice before the deadline.
pub const HOLE: &str = r#"
about = "Nobody notices that nothing comes."
[topology]
keep_alive_ms = 90000
idle_timeout_ms = 100000
[[workload.operation]]
id = "c1"
at_ms = 10
ask = { count = { events = 3, interval_ms = 5 } }
[[storm.fault]]
id = "hole"
family = "silence"
trigger = { on = "event", stream = "c1", nth = 1 }
action = "black-hole"
"#;

/// Faults are drawn, and there is no time for any of them.
pub const TOO_EARLY: &str = r#"
about = "The chaos is over before anything begins."
seeds = 20
[workload]
events = 3
[storm]
families = ["drop"]
chaos_from_ms = 1
chaos_until_ms = 2
"#;
