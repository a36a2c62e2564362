//! Work on the stack of whoever has it, and the threads that help.

use core::any::Any;
use core::ptr::NonNull;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Work that wants helpers.
pub(super) struct Job<'w> {
    help: &'w (dyn Fn() + Sync),
    wanted: usize,
    /// Shared, since the last helper to leave is still unlocking it when the job may be gone.
    helpers: Arc<Helpers>,
}

/// The threads that help.
#[derive(Default)]
struct Helpers {
    present: Mutex<Present>,
    /// None is present any more.
    left: Condvar,
}

#[derive(Default)]
struct Present {
    joined: usize,
    left: usize,
    panic: Option<Box<dyn Any + Send>>,
}

impl Helpers {
    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job whose lifetime is not in its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobPointer(NonNull<Job<'static>>);

// SAFETY: a job is shared between threads by design: its work is `Sync`, all else locked.
unsafe impl Send for JobPointer {}

impl<'w> Job<'w> {
    pub(super) fn new(wanted: usize, help: &'w (dyn Fn() + Sync)) -> Self {
        Self { help, wanted, helpers: Arc::default() }
    }

    pub(super) fn wanted(&self) -> usize {
        self.wanted
    }

    pub(super) fn pointer(&self) -> JobPointer {
        JobPointer(NonNull::from(self).cast())
    }

    /// Waits until no thread helps; none may join any more.
    pub(super) fn wait_for_helpers(&self) {
        let mut present = self.helpers.lock();
        while present.left < present.joined {
            present = self.helpers.left.wait(present).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Goes on with a helper's panic, if there was one.
    pub(super) fn resume_panic(&self) {
        let panic = self.helpers.lock().panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl JobPointer {
    pub(super) fn is(self, job: &Job<'_>) -> bool {
        core::ptr::addr_eq(self.0.as_ptr(), job)
    }

    /// Joins it, if it wants helpers.
    ///
    /// # Safety
    ///
    /// The job is alive for the call.
    pub(super) unsafe fn join(self) -> bool {
        // SAFETY: the caller's contract.
        let job = unsafe { self.0.as_ref() };
        let mut present = job.helpers.lock();
        let is_wanted = present.joined < job.wanted;
        if is_wanted {
            present.joined += 1;
        }
        is_wanted
    }

    /// Helps, and leaves.
    ///
    /// # Safety
    ///
    /// This thread has joined and not left, so that the job is alive until it has.
    pub(super) unsafe fn help_and_leave(self) {
        // SAFETY: the caller's contract.
        let job = unsafe { self.0.as_ref() };
        let helpers = Arc::clone(&job.helpers);
        let helped = catch_unwind(AssertUnwindSafe(|| (job.help)()));
        let mut present = helpers.lock();
        if let Err(panic) = helped {
            present.panic.get_or_insert(panic);
        }
        present.left += 1;
        if present.left == present.joined {
            helpers.left.notify_all();
        }
    }
}
