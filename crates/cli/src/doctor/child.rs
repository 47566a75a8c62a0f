//! Another process: starting it, reading its lines, and how it ended.
//!
//! Owns everything that can go wrong with it, so that whoever reads gets lines or an error and
//! never waits for ever: a process that falls silent, dies or says what is no text is an error, and
//! a process that nobody reads any more is ended. It must not know what the lines mean.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child as Process, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// What came of a process that was not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    #[error("could not be started: {0}")]
    NotStarted(io::Error),
    #[error("ended before it was done, with {end}")]
    Died { end: End },
    #[error("said what cannot be read: {said}")]
    Unreadable { said: String },
    #[error("said nothing for {} s and was ended", .0.as_secs())]
    Silent(Duration),
}

/// How a process ended.
#[derive(Debug)]
pub struct End {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    status: ExitStatus,
    /// The last line that it said on standard error; empty if none.
    pub last_line: String,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "exit code {code}")?,
            None => write!(f, "{}", self.status)?,
        }
        if self.last_line.is_empty() {
            return Ok(());
        }
        write!(f, "; the last it said: {}", self.last_line)
    }
}

/// A process whose standard output is read line by line.
pub struct Child {
    process: Process,
    lines: Receiver<io::Result<String>>,
    last_words: Receiver<String>,
    silence_max: Duration,
}

impl Child {
    /// Starts a process. It may be silent for `silence_max` between two lines.
    ///
    /// # Errors
    /// [`ChildError::NotStarted`].
    pub fn start(command: &mut Command, silence_max: Duration) -> Result<Child, ChildError> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(ChildError::NotStarted)?;
        let (stdout, stderr) = (process.stdout.take(), process.stderr.take());
        let (line, lines) = mpsc::channel();
        let (last, last_words) = mpsc::channel();
        let child = Child { process, lines, last_words, silence_max };
        reading("lines of a process", stdout, move |stdout| hand_on_lines(stdout, &line))?;
        reading("errors of a process", stderr, move |stderr| {
            // Nobody asks if it was ended before.
            let _ = last.send(last_line(stderr));
        })?;
        Ok(child)
    }

    /// The next line of its standard output; none once it has closed that.
    ///
    /// # Errors
    /// [`ChildError::Silent`] and [`ChildError::Unreadable`].
    pub fn next_line(&mut self) -> Result<Option<String>, ChildError> {
        match self.lines.recv_timeout(self.silence_max) {
            Ok(Ok(line)) => Ok(Some(line)),
            Ok(Err(problem)) => Err(ChildError::Unreadable { said: problem.to_string() }),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(ChildError::Silent(self.silence_max)),
        }
    }

    /// Waits for its end, which is near: it has closed its standard output.
    ///
    /// # Errors
    /// [`ChildError::Silent`] if it does not close its standard error as well, and what the system
    /// says.
    pub fn end(mut self) -> Result<End, ChildError> {
        let last_line = match self.last_words.recv_timeout(self.silence_max) {
            Ok(last_line) => last_line,
            Err(RecvTimeoutError::Disconnected) => String::new(),
            Err(RecvTimeoutError::Timeout) => return Err(ChildError::Silent(self.silence_max)),
        };
        let status = self.process.wait();
        let status =
            status.map_err(|problem| ChildError::Unreadable { said: problem.to_string() })?;
        Ok(End { code: status.code(), status, last_line })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both fail for a process that has ended, which is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn reading<R: Read + Send + 'static>(
    name: &str,
    pipe: Option<R>,
    read: impl FnOnce(BufReader<R>) + Send + 'static,
) -> Result<(), ChildError> {
    let Some(pipe) = pipe else { return Ok(()) };
    let started = thread::Builder::new().name(name.to_owned()).spawn(|| read(BufReader::new(pipe)));
    started.map(drop).map_err(ChildError::NotStarted)
}

fn hand_on_lines(stdout: impl BufRead, lines: &Sender<io::Result<String>>) {
    for line in stdout.lines() {
        let is_last = line.is_err();
        if lines.send(line).is_err() || is_last {
            return;
        }
    }
}

/// The last line with anything on it; what is no UTF-8 is replaced.
fn last_line(stderr: impl BufRead) -> String {
    let lines = stderr.split(b'\n').map_while(Result::ok);
    let texts = lines.map(|line| String::from_utf8_lossy(&line).trim().to_owned());
    texts.filter(|line| !line.is_empty()).last().unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str, silence_max: Duration) -> Child {
        let mut command = Command::new("sh");
        Child::start(command.args(["-c", script]), silence_max).expect("a shell")
    }

    fn lines(child: &mut Child) -> Vec<String> {
        std::iter::from_fn(|| child.next_line().expect("a line or the end")).collect()
    }

    #[test]
    fn lines_come_in_order_and_then_the_exit_code_with_the_last_words() {
        let mut child = shell("echo one; echo two; echo first >&2; echo last >&2; exit 7", LONG);
        assert_eq!(lines(&mut child), ["one", "two"]);
        let end = child.end().expect("an end");
        assert_eq!((end.code, &*end.last_line), (Some(7), "last"));
        assert_eq!(end.to_string(), "exit code 7; the last it said: last");
    }

    #[test]
    fn a_process_that_a_signal_ended_has_no_code_and_says_which() {
        let mut child = shell("echo one; kill -9 $$", LONG);
        assert_eq!(lines(&mut child), ["one"]);
        let end = child.end().expect("an end");
        assert_eq!(end.code, None);
        assert!(end.to_string().contains('9'), "{end}");
    }

    #[test]
    fn a_process_that_falls_silent_is_an_error_and_is_ended() {
        let mut child = shell("echo one; exec sleep 600", Duration::from_millis(300));
        assert_eq!(child.next_line().expect("a line").as_deref(), Some("one"));
        assert!(matches!(child.next_line(), Err(ChildError::Silent(_))));
        // Would take ten minutes if it were not killed.
        drop(child);
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        let mut child = shell(r"printf '\377\n'", LONG);
        assert!(matches!(child.next_line(), Err(ChildError::Unreadable { .. })));
    }

    #[test]
    fn what_is_not_there_cannot_be_started() {
        let started = Child::start(&mut Command::new("/no/such/file"), LONG);
        assert!(matches!(started, Err(ChildError::NotStarted(_))));
    }

    #[test]
    fn a_process_that_says_much_on_both_sides_is_not_held_up() {
        let script = "for i in $(seq 20000); do echo a long line number $i; \
                      echo another long line $i >&2; done";
        let mut child = shell(script, LONG);
        assert_eq!(lines(&mut child).len(), 20_000);
        assert_eq!(child.end().expect("an end").last_line, "another long line 20000");
    }
}
