//! Panics inside a run, kept instead of printed.
//!
//! Owns the hook that keeps the first message of each thread that plays. turmoil reports a panic
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

/// Makes this thread keep its panics.
pub(crate) fn keep_messages() {
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
    FIRST.with_borrow_mut(|first| *first = Some(None));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_of_a_playing_thread_is_kept() {
        let message = std::thread::spawn(|| {
            keep_messages();
            let first = catch(|| panic!("the first")).expect_err("a panic");
            let again = catch(|| panic!("the second")).expect_err("a panic");
            (first, again)
        });
        let (first, again) = message.join().expect("caught");
        assert!(first.contains("the first"), "{first}");
        assert!(again.contains("the first"), "{again}");
    }
}
