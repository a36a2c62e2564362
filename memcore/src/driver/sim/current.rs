//! What a host thread has of its own: the context that is current on it, for each simulator, with those that are below it,
//! and its capture mode.

use core::cell::{Cell, RefCell};
use core::mem::ManuallyDrop;
use std::process;
use std::sync::{Arc, Weak};

/// Marks a simulator; a thread's entry for it is dropped once the simulator is gone.
pub(super) type Token = Arc<()>;

/// The contexts of a thread, by simulator: the last is current.
type Stacks = RefCell<Vec<(Weak<()>, Vec<u64>)>>;

thread_local! {
    /// Not dropped with a thread's other variables: as long as the thread runs, also while the process ends, it has contexts.
    static CURRENT: ManuallyDrop<Stacks> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
    static LAST: Last = const { Last };
    static CAPTURE_MODE: Cell<u32> = const { Cell::new(0) };
    static HOST_FUNCTION_OF: Cell<*const ()> = const { Cell::new(core::ptr::null()) };
}

/// Dropped as a thread ends: gives back what it had of its own. The first thread of a process ends with it, and what runs then
/// (exit handlers, destructors of C++) has contexts as before.
struct Last;

impl Drop for Last {
    fn drop(&mut self) {
        // SAFETY: no conditions.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        if u32::try_from(thread) != Ok(process::id()) {
            let _ = CURRENT.try_with(|entries| entries.take());
        }
    }
}

/// The handle of the context that is current on this thread; 0 for none.
pub(super) fn get(driver: &Token) -> u64 {
    let find = |entries: &ManuallyDrop<Stacks>| {
        let entries = entries.try_borrow().ok()?;
        let (_, stack) = entries.iter().find(|(of, _)| core::ptr::eq(of.as_ptr(), Arc::as_ptr(driver)))?;
        stack.last().copied()
    };
    CURRENT.try_with(find).ok().flatten().unwrap_or(0)
}

/// Makes a context current on this thread, in the place of the current one; 0 for none in its place.
pub(super) fn set(driver: &Token, context: u64) {
    change(driver, |stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
}

/// Makes a context current on this thread, above the current one.
#[cfg(feature = "libcuda")]
pub(super) fn push(driver: &Token, context: u64) {
    change(driver, |stack| stack.push(context));
}

/// Makes the context below the current one current in its place; the one that was.
#[cfg(feature = "libcuda")]
pub(super) fn pop(driver: &Token) -> Option<u64> {
    change(driver, Vec::pop).flatten()
}

/// Changes this thread's stack of contexts, and forgets those of simulators that are gone.
fn change<R>(driver: &Token, change: impl FnOnce(&mut Vec<u64>) -> R) -> Option<R> {
    let _ = LAST.try_with(|_| ());
    let this = Arc::as_ptr(driver);
    let change = |entries: &ManuallyDrop<Stacks>| {
        let mut entries = entries.try_borrow_mut().ok()?;
        let known = entries.iter().position(|(of, _)| core::ptr::eq(of.as_ptr(), this));
        let index = known.unwrap_or_else(|| {
            entries.retain(|(of, stack)| of.strong_count() > 0 && !stack.is_empty());
            entries.push((Arc::downgrade(driver), Vec::new()));
            entries.len() - 1
        });
        entries.get_mut(index).map(|(_, stack)| change(stack))
    };
    CURRENT.try_with(change).ok().flatten()
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
