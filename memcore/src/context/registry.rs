//! Every open context, and the way from a device address to its context.
//!
//! A slice is an address and a length; whoever uses it has to find the context again, on every call, in nanoseconds.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use super::current::{current, entered};
use super::inner::Inner;
use crate::device::Device;
use crate::error::{Error, Result};

/// An open context, or one that is being dropped and has not yet taken itself out.
struct Entry {
    device: Device,
    context: Weak<Inner>,
}

impl Entry {
    /// Whether the context has owners: one that is being dropped may be listed beside its successor.
    fn is_alive(&self) -> bool {
        self.context.strong_count() > 0
    }
}

static OPEN: RwLock<Vec<Entry>> = RwLock::new(Vec::new());

/// How many of [`OPEN`] are simulated: with none, no address can be a simulated one.
static SIMULATED: AtomicUsize = AtomicUsize::new(0);

/// The one open context of a GPU, or null where there is none or more than one. INVARIANT: while a GPU's context has
/// owners, this is that context or null.
static ONLY_GPU: AtomicPtr<Inner> = AtomicPtr::new(ptr::null_mut());

fn read() -> RwLockReadGuard<'static, Vec<Entry>> {
    OPEN.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Vec<Entry>> {
    OPEN.write().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the two summaries true; called with the list locked.
fn summarise(open: &[Entry]) {
    let mut gpus = open.iter().filter(|entry| !entry.device.is_simulated());
    let only = match (gpus.next(), gpus.next()) {
        (Some(only), None) => only.context.as_ptr().cast_mut(),
        _ => ptr::null_mut(),
    };
    ONLY_GPU.store(only, Ordering::Release);
    SIMULATED.store(open.iter().filter(|entry| entry.device.is_simulated()).count(), Ordering::Release);
}

/// The open context of `device`, or one that `open` makes.
pub(super) fn get_or_open(device: &Device, open: impl FnOnce() -> Result<Inner>) -> Result<Arc<Inner>> {
    let is_same = |other: &Device| other == device;
    if let Some(inner) = open_contexts(is_same).pop() {
        return Ok(inner);
    }
    // Opened without the lock: drivers log, and a logger may use memcore. Should two threads open one device at once,
    // the second's is closed again.
    let inner = Arc::new(open()?);
    let mut list = write();
    let mut same_device = list.iter().filter(|entry| is_same(&entry.device));
    if let Some(first) = same_device.find_map(|entry| entry.context.upgrade()) {
        drop(list); // Closing a context locks the list.
        return Ok(first);
    }
    list.push(Entry { device: device.clone(), context: Arc::downgrade(&inner) });
    summarise(&list);
    Ok(inner)
}

/// Takes a context that is being dropped out of the list.
pub(super) fn remove(inner: &Inner) {
    let mut list = write();
    list.retain(|entry| !ptr::eq(entry.context.as_ptr(), inner));
    summarise(&list);
}

/// The open contexts whose device `of` accepts.
pub(super) fn open_contexts(mut of: impl FnMut(&Device) -> bool) -> Vec<Arc<Inner>> {
    let list = read();
    list.iter().filter(|entry| of(&entry.device)).filter_map(|entry| entry.context.upgrade()).collect()
}

/// An open context whose driver knows page-locked memory at `address`, which belongs to no one device: the entered one
/// if it does, else any, else the current one.
///
/// # Errors
///
/// Where none knows it, what opening the default context fails with.
pub(crate) fn host_owner_of(address: u64) -> Result<Arc<Inner>> {
    let entered = entered().map(|context| context.inner).filter(|context| context.may_know(address));
    let known = entered.or_else(|| open_contexts(|_| true).into_iter().find(|context| context.may_know(address)));
    known.map_or_else(|| Ok(current()?.inner), Ok)
}

/// Keeps every GPU's context that is open now open for the life of the process.
pub(crate) fn keep_open_contexts() {
    open_contexts(|device| !device.is_simulated()).into_iter().for_each(core::mem::forget);
}

/// The context in whose memory `address` lies.
///
/// The cost: with one GPU context open, two atomic loads; a simulated address, a walk of a short list under a shared
/// lock; with several GPUs, a question to the driver.
///
/// # Errors
///
/// [`Error::UnknownAddress`] where no open context can hold it.
///
/// # Safety
///
/// `address` lies in memory of a context that stays open for `'a`.
#[inline]
pub(crate) unsafe fn context_of<'a>(address: u64) -> Result<&'a Inner> {
    let only = ONLY_GPU.load(Ordering::Acquire);
    if only.is_null() || SIMULATED.load(Ordering::Acquire) > 0 {
        // SAFETY: the caller's contract.
        return unsafe { context_among(address) };
    }
    // SAFETY: the address is not simulated, so its context, which the caller keeps open, is one of a GPU: the only one, by
    // the invariant of `ONLY_GPU`.
    Ok(unsafe { &*only })
}

/// As [`context_of`], where the one context of a GPU is not the only one.
///
/// # Safety
///
/// As [`context_of`].
#[inline(never)]
unsafe fn context_among<'a>(address: u64) -> Result<&'a Inner> {
    if SIMULATED.load(Ordering::Acquire) > 0
        && let Some(inner) = simulated_context_of(address)
    {
        // SAFETY: the address lies in this device's reserved range, so this is the context that the caller keeps open.
        return Ok(unsafe { &*inner });
    }
    let only = ONLY_GPU.load(Ordering::Acquire);
    // The caller's promise keeps the context open when this share of it is dropped again.
    let inner = if only.is_null() { Arc::as_ptr(&gpu_context_of(address)?).cast_mut() } else { only };
    // SAFETY: the address is not simulated, so its context, which the caller keeps open, is one of a GPU: the only one
    // by the invariant of `ONLY_GPU`, or the one of the device that the driver named.
    Ok(unsafe { &*inner })
}

fn simulated_context_of(address: u64) -> Option<*const Inner> {
    let list = read();
    let holds = |entry: &&Entry| reserves(&entry.device, address);
    list.iter().filter(|entry| entry.is_alive()).find(holds).map(|entry| entry.context.as_ptr())
}

fn reserves(device: &Device, address: u64) -> bool {
    device.driver().reserved_by(address) == Some(device.handle())
}

/// The open context that holds memory at `address`, shared: slower than [`context_of`], and asks nothing of the caller.
///
/// # Errors
///
/// [`Error::UnknownAddress`]; the driver's code, where it does not know the address.
pub(crate) fn owner_of(address: u64) -> Result<Arc<Inner>> {
    if let Some(inner) = open_contexts(|device| reserves(device, address)).pop() {
        return Ok(inner);
    }
    gpu_context_of(address)
}

/// The driver says which GPU's the address is. The device's number serves: an address of a memory pool has no context
/// of its own.
fn gpu_context_of(address: u64) -> Result<Arc<Inner>> {
    let mut contexts = open_contexts(|device| !device.is_simulated());
    let unknown = Error::UnknownAddress { address };
    let Some(first) = contexts.first() else { return Err(unknown) };
    let ordinal = first.device_of(address)?;
    let found = contexts.iter().position(|inner| inner.device().handle() == ordinal);
    found.map(|place| contexts.swap_remove(place)).ok_or(unknown)
}
