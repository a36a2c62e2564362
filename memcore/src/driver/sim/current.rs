//! What a host thread has of its own: the context that is current on it, for each simulator, and its capture mode.

use core::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

/// Marks a simulator; a thread's entry for it is dropped once the simulator is gone.
pub(super) type Token = Arc<()>;

thread_local! {
    static CURRENT: RefCell<Vec<(Weak<()>, u64)>> = const { RefCell::new(Vec::new()) };
    static CAPTURE_MODE: Cell<u32> = const { Cell::new(0) };
    static HOST_FUNCTION_OF: Cell<*const ()> = const { Cell::new(core::ptr::null()) };
}

/// The handle of the context that is current on this thread; 0 for none, also while the thread ends.
pub(super) fn get(driver: &Token) -> u64 {
    let find = |entries: &RefCell<Vec<(Weak<()>, u64)>>| {
        let entries = entries.try_borrow().ok()?;
        entries.iter().find(|(of, _)| core::ptr::eq(of.as_ptr(), Arc::as_ptr(driver))).map(|(_, context)| *context)
    };
    CURRENT.try_with(find).ok().flatten().unwrap_or(0)
}

/// Makes a context current on this thread; 0 for none.
pub(super) fn set(driver: &Token, context: u64) {
    // A thread that is ending has no current context any more: there is nothing to remember.
    let _ = CURRENT.try_with(|entries| {
        let Ok(mut entries) = entries.try_borrow_mut() else { return };
        let this = Arc::as_ptr(driver);
        if context != 0
            && let Some((_, current)) = entries.iter_mut().find(|(of, _)| core::ptr::eq(of.as_ptr(), this))
        {
            *current = context;
            return;
        }
        entries.retain(|(of, _)| !core::ptr::eq(of.as_ptr(), this) && of.strong_count() > 0);
        if context != 0 {
            entries.push((Arc::downgrade(driver), context));
        }
    });
}

/// The thread's capture mode.
pub(super) fn capture_mode() -> u32 {
    CAPTURE_MODE.try_with(Cell::get).unwrap_or(0)
}

/// Whether this thread is running a host function of the simulator.
pub(super) fn in_host_function(driver: &Token) -> bool {
    HOST_FUNCTION_OF.try_with(|of| of.get() == Arc::as_ptr(driver)).unwrap_or(false)
}

/// Says that this thread runs host functions of the simulator, and nothing else.
pub(super) fn run_host_functions(driver: &Token) {
    let _ = HOST_FUNCTION_OF.try_with(|of| of.set(Arc::as_ptr(driver)));
}

/// Sets the thread's capture mode; the one before.
pub(super) fn exchange_capture_mode(mode: u32) -> u32 {
    CAPTURE_MODE.try_with(|current| current.replace(mode)).unwrap_or(mode)
}
