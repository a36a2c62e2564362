//! The contexts entered on a thread, and the one that is used where none is.

use std::cell::RefCell;
use std::env;
use std::marker::PhantomData;
use std::sync::OnceLock;

use super::Context;
use super::binding::{current_of, restore, set_current};
use super::registry::open_contexts;
use crate::device::Device;
use crate::driver::ffi::CUcontext;
use crate::error::{Error, Result};

/// The variable that names the device used where no context is entered.
const VARIABLE: &str = "MEMCORE_DEVICE";

/// One context entered on this thread.
struct Entry {
    guard: u64,
    context: Context,
    /// What was current for the driver before: made current again when this is left. INVARIANT: it is not an entered
    /// context that has been left since, which could be closed.
    previous: CUcontext,
}

#[derive(Default)]
struct Entries {
    /// The innermost last.
    list: Vec<Entry>,
    next_guard: u64,
}

impl Entries {
    /// Takes an entry out, and makes its driver's current context what it would be had it never been entered.
    fn leave(&mut self, guard: u64) -> Option<Entry> {
        let place = self.list.iter().position(|entry| entry.guard == guard)?;
        let left = self.list.remove(place);
        let inside = self.list[place..].iter_mut().find(|entry| entry.context.inner.same_driver(&left.context.inner));
        match inside {
            Some(inside) => inside.previous = left.previous,
            None => restore(left.context.inner.driver(), left.previous),
        }
        Some(left)
    }
}

thread_local! {
    static ENTERED: RefCell<Entries> = RefCell::default();
}

/// A context made current on this thread; see [`Context::enter`].
///
/// Dropped, the context entered before is current again. Guards may be dropped in any order; a forgotten one leaves its
/// context entered.
#[derive(Debug)]
#[must_use = "the context is left again when the guard is dropped"]
pub struct Entered<'c> {
    /// `None` if the thread was ending and had no list any more.
    guard: Option<u64>,
    /// What is current belongs to a thread, so the guard stays on it.
    marker: PhantomData<(*mut (), &'c Context)>,
}

pub(super) fn enter(context: &Context) -> Entered<'_> {
    let driver = context.inner.driver();
    // A driver that refuses here refuses the next call too, which can say so.
    let previous = current_of(driver).unwrap_or(core::ptr::null_mut());
    if let Err(error) = set_current(driver, context.inner.raw()) {
        log::warn!("a context was not made current: {error}");
    }
    let guard = ENTERED.try_with(|entered| {
        let mut entered = entered.borrow_mut();
        let guard = entered.next_guard;
        entered.next_guard += 1;
        entered.list.push(Entry { guard, context: context.clone(), previous });
        guard
    });
    Entered { guard: guard.ok(), marker: PhantomData }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let Some(guard) = self.guard else { return };
        // The entry goes only when the list is free again: its context may be closed with it.
        let left = ENTERED.try_with(|entered| entered.borrow_mut().leave(guard));
        drop(left);
    }
}

/// The innermost context entered on this thread, else the default device's; where the thread's locals are gone (in the
/// destructor of another), nothing is entered.
pub(super) fn current() -> Result<Context> {
    entered().map_or_else(|| default_context().map_err(with_contexts), Ok)
}

/// Notes in an error that there is no driver whether a context is open, which the program may believe to be entered.
fn with_contexts(error: Error) -> Error {
    match error {
        Error::NoDriver { tried, .. } => Error::NoDriver { tried, has_contexts: !open_contexts(|_| true).is_empty() },
        other => other,
    }
}

/// The innermost context entered on this thread.
pub(super) fn entered() -> Option<Context> {
    ENTERED.try_with(|entered| entered.borrow().list.last().map(|entry| entry.context.clone())).ok().flatten()
}

/// The context of the device that `MEMCORE_DEVICE` names, 0 unless set. It stays open for the life of the process.
fn default_context() -> Result<Context> {
    static DEFAULT: OnceLock<Context> = OnceLock::new();
    if let Some(context) = DEFAULT.get() {
        return Ok(context.clone());
    }
    let context = Context::new(&default_device()?)?;
    Ok(DEFAULT.get_or_init(|| context).clone())
}

fn default_device() -> Result<Device> {
    let Some(value) = env::var_os(VARIABLE) else { return Device::new(0) };
    let value = value.to_string_lossy().into_owned();
    match value.parse().map(Device::new) {
        Ok(Err(Error::InvalidDevice { .. })) | Err(_) => Err(Error::InvalidVariable {
            variable: VARIABLE,
            value,
            expected: "the number of a device that there is, counted from 0",
        }),
        Ok(device) => device,
    }
}
