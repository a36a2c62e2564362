//! A number of streams known only at run time.

use core::fmt;
use core::marker::PhantomData;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Brand, End, Scope, State, join, proof};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// Scopes on any number of streams, which all end together; see [`scope`].
pub struct Scopes<'env> {
    /// The streams used, each with what has to be known when it is waited for.
    used: Mutex<VecDeque<(&'env Stream, Arc<State>)>>,
    env: Brand<'env>,
}

/// Runs `f`, in which [`Scopes::on`] queues operations on any streams, and then waits for all of them, also when `f`
/// panics or returns an error.
///
/// ```
/// use memcore::prelude::*;
///
/// let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
/// let source: Vec<u32> = (0..3000).collect();
/// let mut dev = device_vec![0u32; 3000]?;
/// memcore::scope(|all| {
///     let parts = dev.chunks_mut(1000).zip(source.chunks(1000));
///     for ((dev, source), stream) in parts.zip(&streams) {
///         all.on(stream, |s| copy!(dev <- source, s))?;
///     }
///     Ok(())
/// })?;
/// assert_eq!(dev.to_vec()?, source);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// What `f` returns; else the driver's code of the first wait that failed. If both fail, it is `f`'s error, unless a
/// context is dead.
///
/// # Panics
///
/// If `f` does, after the waits.
#[track_caller]
pub fn scope<'env, R, E: From<Error>>(f: impl FnOnce(&Scopes<'env>) -> Result<R, E>) -> Result<R, E> {
    let scopes = Scopes { used: Mutex::default(), env: PhantomData };
    let ends = Ends(&scopes);
    let result = f(&scopes);
    let waited = ends.settle();
    core::mem::forget(ends);
    join(result, waited)
}

impl<'env> Scopes<'env> {
    /// Runs `f` with a scope on `stream`: its operations are in flight until the outer call ends. What is lent in it is
    /// used in it alone; its [temporaries](Scope::device_vec) are freed in the stream's order when `f` has returned. Does
    /// not wait. Driver functions: the operations', and `cuMemFreeAsync` for each temporary.
    ///
    /// # Errors
    ///
    /// What `f` returns; else [`Error::StreamCapturing`], before `f` is called.
    #[track_caller]
    pub fn on<R, E: From<Error>>(
        &self,
        stream: &'env Stream,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, E>,
    ) -> Result<R, E> {
        let state = Arc::new(State::begin(stream)?);
        // Noted before anything is queued, so that it is waited for whatever `f` does.
        self.lock().push_back((stream, Arc::clone(&state)));
        let result = f(&Scope { stream, state: &state, brand: PhantomData, env: PhantomData });
        // What is lent in `f` has not left it. Where `f` unwinds, the outer call frees them.
        state.temporaries.free_in_order(stream);
        result
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(&'env Stream, Arc<State>)>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for all streams used, once: where the scopes end, or where they unwind.
struct Ends<'s, 'env>(&'s Scopes<'env>);

impl Ends<'_, '_> {
    #[track_caller]
    fn settle(&self) -> Result<()> {
        let used: Vec<_> = self.0.lock().iter().map(|(stream, state)| (*stream, Arc::clone(state))).collect();
        // Before the first wait, which may find that the context is dead, and then it is too late.
        let proofs: Vec<_> = used.iter().map(|(stream, state)| proof(stream, state)).collect();
        let mut first = Ok(());
        for ((stream, state), proof) in used.iter().zip(proofs) {
            let end = End { stream, state };
            // From here on `end` answers for the stream. What unwinds leaves the others to the next call.
            self.0.lock().pop_front();
            first = first.and(end.wait_with(proof));
        }
        first
    }
}

impl Drop for Ends<'_, '_> {
    fn drop(&mut self) {
        // The panic that unwinds is the one to be seen.
        let _ = self.settle();
    }
}

impl fmt::Debug for Scopes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scopes").field("streams", &self.lock().len()).finish()
    }
}
