//! Which field of a value has bytes that are none of its type's.
//!
//! `CheckedBitPattern` says yes or no and nothing else. Whoever wants to know more asks once more, under [`explain`]:
//! each derived check on the way from the bad bytes out then adds its field's name.

use std::{cell::RefCell, thread_local};

thread_local! {
    /// The path so far, where somebody asks for it.
    static PATH: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a check, and returns the path of the field that it finds invalid, if it is in a derived struct.
pub(crate) fn explain(is_valid: impl FnOnce() -> bool) -> Option<String> {
    PATH.set(Some(String::new()));
    let valid = is_valid();
    let path = PATH.take();
    path.filter(|path| !valid && !path.is_empty())
}

/// Notes that the field of this name, in whichever struct, is or contains the invalid one.
#[cold]
pub(super) fn came_through(name: impl FnOnce() -> String) {
    // A thread that is ending has nobody who asks.
    let _ = PATH.try_with(|path| {
        if let Some(path) = path.borrow_mut().as_mut() {
            let name = name();
            *path = if path.is_empty() { name } else { format!("{name}.{path}") };
        }
    });
}
