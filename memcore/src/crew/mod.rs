//! A few threads that are kept, for work on host memory that one core is too slow for.
//!
//! Whoever has work does it, and idle threads help. So work never waits for a thread: where all are busy, or none could be
//! started, the caller does all of it.

mod job;
#[cfg(test)]
mod tests;

use core::mem::forget;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::VecDeque;
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::spin::appears_within;
use job::{Job, JobPointer};

/// How long a thread that has nothing to do looks out for work before it sleeps: to wake one takes about as long.
const ALERT: Duration = Duration::from_micros(50);

/// Work for several threads.
pub(crate) trait Teamwork: Sync {
    type Output;

    /// What the thread does whose work it is. It gets on without help too.
    #[track_caller]
    fn lead(&self) -> Self::Output;

    /// What each thread does that helps, until there is nothing more to do. It ends also where `lead` panics.
    fn help(&self);
}

/// The threads, which start when there is work for them and end with this.
#[derive(Debug, Default)]
pub(crate) struct Crew {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// There is work to help with, or threads are to end.
    changed: Condvar,
    /// How often there has been.
    changes: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    /// Work that can still be joined. INVARIANT: each is alive; whoever opened it takes it out before it goes.
    open: VecDeque<JobPointer>,
    threads: Vec<JoinHandle<()>>,
    /// The process that they are in: one that it forks has none of them.
    process: u32,
    /// Of the threads, those that have nothing to do.
    idle: usize,
    /// Of the idle threads, those that are to end.
    leaving: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crew {
    /// Leads the work on this thread, with as many helpers, at most `helpers`, as are free or can be started; returns when
    /// all have ended.
    ///
    /// # Panics
    ///
    /// If leading it panics, or else a helper does, with what that panicked with.
    #[track_caller]
    pub(crate) fn share<W: Teamwork>(&self, helpers: usize, work: &W) -> W::Output {
        if helpers == 0 {
            return work.lead();
        }
        let help = || work.help();
        let job = Job::new(helpers, &help);
        let open = self.open(&job);
        let output = work.lead();
        drop(open);
        job.resume_panic();
        output
    }

    /// Calls `part` with 0 to `parts - 1`, each once, on this thread and at most `threads - 1` others.
    ///
    /// # Panics
    ///
    /// If a call does.
    pub(crate) fn run(&self, threads: usize, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        let helpers = threads.min(parts).saturating_sub(1);
        self.share(helpers, &Parts { next: AtomicUsize::new(0), count: parts, part });
    }

    /// Opens a job to helpers, of which so many are there then as it wants, if they can be started.
    fn open<'j>(&'j self, job: &'j Job<'j>) -> Open<'j> {
        let mut state = self.shared.lock();
        state.threads.retain(|thread| !thread.is_finished());
        let waiting = state.idle.saturating_sub(state.leaving);
        while state.threads.len() < job.wanted() && waiting < job.wanted() {
            let shared = Arc::clone(&self.shared);
            let builder = thread::Builder::new().name("memcore-crew".to_owned());
            // A thread that is new looks for work before it is idle.
            match builder.spawn(move || shared.serve()) {
                Ok(thread) => {
                    state.process = process::id();
                    state.threads.push(thread);
                }
                // No log here, where a lock is held: those that are there do the work.
                Err(_) => break,
            }
        }
        state.open.push_back(job.pointer());
        drop(state);
        self.shared.changes.fetch_add(1, Ordering::Release);
        for _ in 0..job.wanted() {
            self.shared.changed.notify_one();
        }
        Open { crew: self, job }
    }

    /// Ends the threads that have nothing to do. Work goes on, and new work starts new ones.
    pub(crate) fn dismiss(&self) {
        let mut state = self.shared.lock();
        state.leaving = state.idle;
        drop(state);
        self.shared.changes.fetch_add(1, Ordering::Release);
        self.shared.changed.notify_all();
    }

    /// How many threads there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let mut state = self.shared.lock();
        state.threads.retain(|thread| !thread.is_finished());
        state.threads.len()
    }
}

/// A job that helpers may join. Dropped, also in a panic, none may any more, and all have ended.
struct Open<'j> {
    crew: &'j Crew,
    job: &'j Job<'j>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.crew.shared.lock().open.retain(|open| !open.is(self.job));
        self.job.wait_for_helpers();
    }
}

impl Shared {
    /// What each thread does.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let changes = self.changes.load(Ordering::Acquire);
            if let Some(job) = Self::join_one(&mut state) {
                drop(state);
                // SAFETY: `join_one` has noted that this thread helps, and the job's owner waits for that to end.
                unsafe { job.help_and_leave() };
                state = self.lock();
                continue;
            }
            if state.leaving > 0 {
                state.leaving -= 1;
                return;
            }
            state.idle += 1;
            drop(state);
            let has_changed = appears_within(ALERT, || self.changes.load(Ordering::Acquire) != changes);
            state = self.lock();
            if !has_changed && state.open.is_empty() && state.leaving == 0 {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.idle -= 1;
        }
    }

    /// A job that wants helpers, joined while the lock shows that it is alive.
    fn join_one(state: &mut State) -> Option<JobPointer> {
        while let Some(job) = state.open.front() {
            // SAFETY: by the invariant of `open` the job is alive, and the lock keeps it so.
            if unsafe { job.join() } {
                return Some(*job);
            }
            state.open.pop_front();
        }
        None
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        // Nothing is open: whoever has work borrows this.
        let threads = {
            let mut state = self.shared.lock();
            state.leaving = usize::MAX;
            core::mem::take(&mut state.threads)
        };
        self.shared.changes.fetch_add(1, Ordering::Release);
        self.shared.changed.notify_all();
        let is_here = self.shared.lock().process == process::id();
        for thread in threads {
            if is_here {
                // Panics of work do not end threads.
                let _ = thread.join();
            } else {
                forget(thread);
            }
        }
    }
}

/// Work in parts, which each thread takes one after the other.
struct Parts<'p> {
    next: AtomicUsize,
    count: usize,
    part: &'p (dyn Fn(usize) + Sync),
}

impl Teamwork for Parts<'_> {
    type Output = ();

    fn lead(&self) {
        self.help();
    }

    fn help(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return;
            }
            (self.part)(number);
        }
    }
}
