//! Panics inside a run, kept instead of printed.
//!
//! Owns the hook that keeps the first message of a thread while it plays. turmoil reports a panic
//! in a task with a text that does not say which; the message is what a story needs.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// None: this thread does not play. Some: the first message, if there was a panic.
    static FIRST: RefCell<Option<Option<String>>> = const { RefCell::new(None) };
}

/// Runs `work`; a panic in it, or in a task that it drives, becomes its message.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    done.map_err(|_| {
        let first = FIRST.with_borrow(|first| first.clone().flatten());
        first.unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

/// Runs `work` while this thread keeps its panics for [`catch`] instead of printing them.
pub(crate) fn keeping_messages<T>(work: impl FnOnce() -> T) -> T {
    let _keeping = Keeping::begin();
    work()
}

/// While it lives, this thread keeps its panics.
struct Keeping;

impl Keeping {
    fn begin() -> Keeping {
        install_hook();
        FIRST.with_borrow_mut(|first| *first = Some(None));
        Keeping
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        FIRST.with_borrow_mut(|first| *first = None);
    }
}

fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let kept = FIRST.with_borrow_mut(|first| match first {
                Some(message) => {
                    message.get_or_insert_with(|| info.to_string());
                    true
                }
                None => false,
            });
            if !kept {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_of_a_playing_thread_is_kept() {
        let (first, again) = keeping_messages(|| {
            let first = catch(|| panic!("the first")).expect_err("a panic");
            let again = catch(|| panic!("the second")).expect_err("a panic");
            (first, again)
        });
        assert!(first.contains("the first"), "{first}");
        assert!(again.contains("the first"), "{again}");
    }

    #[test]
    fn a_thread_that_has_played_begins_anew() {
        let _ = keeping_messages(|| catch(|| panic!("of the run before")));
        let next = keeping_messages(|| catch(|| panic!("of this run"))).expect_err("a panic");
        assert!(next.contains("of this run"), "{next}");
        let not_playing = FIRST.with_borrow(Option::is_none);
        assert!(not_playing, "a panic outside of a run is printed");
    }
}
