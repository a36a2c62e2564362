//! Scopes: asynchronous copies that safe code cannot break.
//!
//! The shape is `std::thread::scope`'s. What an operation reads or writes is borrowed for `'env`, which outlives the
//! call of [`Stream::scope`], and that call returns only when the stream is done with all of it, whatever the closure
//! does. A guard that waits in `Drop` would not do: it can be forgotten.

mod array;
mod copy;
mod fill;
mod lend;
mod lent;
mod many;
mod register;
mod take_over;
mod temporary;
mod unscoped;
mod view;
mod within;

pub use lend::{Lend, LendMut};
pub use lent::{HostSlice, Lent, LentChunks, LentChunksMut, LentMemory};
pub use many::{Scopes, scope};
pub use view::LendView;

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::context::{Bound, Exposed, Relaxed, prove, settle};
use crate::copy::{Mode, has_managed_memory};
use crate::error::{Error, Result, Status};
use crate::stream::Stream;
use register::Registrations;
use temporary::Temporaries;

/// Neither longer nor shorter: a lifetime that is a name.
type Brand<'a> = PhantomData<fn(&'a ()) -> &'a ()>;

/// A stream on which operations are in flight until the scope ends; see [`Stream::scope`].
///
/// `'scope` names this scope: what is [lent](Self::lend) to it is used on its stream alone. `'env` is what is borrowed
/// by its operations: it outlives the scope.
pub struct Scope<'scope, 'env: 'scope> {
    stream: &'scope Stream,
    state: &'scope State,
    brand: Brand<'scope>,
    env: Brand<'env>,
}

/// What has to be known when the stream is waited for.
#[derive(Default)]
struct State {
    /// Whether anything queued writes what the host, or another device, can see.
    exposes: AtomicBool,
    /// Whether someone else may queue work here, which writes what is lent.
    is_shared: AtomicBool,
    /// Memory that was allocated for the scope.
    temporaries: Temporaries,
    /// Host memory that was page-locked for the scope.
    registrations: Registrations,
}

impl Stream {
    /// Runs `f`, in which operations on this stream are queued and not waited for, and then waits for all of them, also
    /// when `f` panics or returns an error.
    ///
    /// In the scope, `copy!(d <- s, scope)` and `fill!(d <- v, scope)` queue one operation: one driver call, no wait,
    /// no lock. Host memory, and device memory used by a single operation, goes in directly, and stays borrowed until
    /// the scope ends. Device memory used by several operations is [lent](Scope::lend).
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let source = locked_vec![1.5f32; 1024]?;
    /// let mut back = locked_vec![0.0f32; 1024]?;
    /// let mut dev = device_vec![0.0f32; 1024]?;
    /// stream.scope(|s| {
    ///     let dev = s.lend(&mut dev);
    ///     copy!(dev <- source, s)?;
    ///     fill!(dev[..10] <- 2.5, s)?;
    ///     copy!(back <- dev, s) // `source`, `back` and `dev` are in use until the scope ends
    /// })?;
    /// assert_eq!((back[9], back[10]), (2.5, 1.5));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// The closure may return any error type that memcore's [`Error`] converts to. Where a `?` converts the scope's result
    /// once more, as in a `main` that returns `Box<dyn Error>`, nothing else says which: the closure does.
    ///
    /// ```
    /// # use memcore::prelude::*;
    /// use std::error::Error;
    ///
    /// fn main() -> Result<(), Box<dyn Error>> {
    ///     let stream = Stream::new()?;
    ///     let (source, mut dev) = ([1.5f32; 8], device_vec![0.0f32; 8]?);
    ///     stream.scope(|s| -> memcore::Result<_> { copy!(dev <- source, s) })?;
    ///     assert_eq!(dev.to_vec()?, source);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// Driver functions: the operations'; at the end `cuStreamWriteValue32_v2`, if host memory was written, then
    /// `cuMemFreeAsync` for each [temporary](Scope::device_vec), and `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// What `f` returns; else [`Error::StreamCapturing`], before `f` is called, and the driver's code: of the wait, or
    /// of work that failed. If both `f` and the wait fail, it is `f`'s error, unless the context is dead.
    ///
    /// # Panics
    ///
    /// If `f` does, after the wait.
    #[track_caller]
    pub fn scope<'env, R, E: From<Error>>(
        &self,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, E>,
    ) -> Result<R, E> {
        let state = State::begin(self)?;
        let end = End { stream: self, state: &state };
        let result = f(&Scope { stream: self, state: &state, brand: PhantomData, env: PhantomData });
        join(result, end.wait())
    }
}

/// The scope's result: its closure's error before its wait's, unless the wait says that the context is dead.
fn join<R, E: From<Error>>(result: Result<R, E>, waited: Result<()>) -> Result<R, E> {
    match (result, waited) {
        (result, Ok(())) => result,
        (Ok(_), Err(error)) => Err(error.into()),
        (Err(_), Err(error)) if error.status().is_some_and(Status::is_sticky) => Err(error.into()),
        (Err(error), Err(_)) => Err(error),
    }
}

impl State {
    /// Makes ready for operations on the stream.
    #[track_caller]
    fn begin(stream: &Stream) -> Result<Self> {
        let bound = stream.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        stream.raw().prepare_ticket(bound.driver())?;
        Ok(Self::default())
    }
}

/// Waits for the scope's stream, once: where it ends, or where it unwinds.
struct End<'s> {
    stream: &'s Stream,
    state: &'s State,
}

impl<'s> End<'s> {
    #[track_caller]
    fn wait(self) -> Result<()> {
        let proof = proof(self.stream, self.state);
        self.wait_with(proof)
    }

    #[track_caller]
    fn wait_with(self, proof: Exposed<'s>) -> Result<()> {
        let waited = self.settle(proof);
        core::mem::forget(self);
        waited
    }

    #[track_caller]
    fn settle(&self, proof: Exposed<'s>) -> Result<()> {
        let context = &*self.stream.context().inner;
        // Behind the proof, which a context that dies here would refuse.
        self.state.temporaries.free_in_order(self.stream);
        let waited = match bind(self.stream) {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                settle(context, self.stream.handle(), proof)
            }
            Err(error) => {
                prove(context, self.stream.handle(), &error, proof);
                Err(error)
            }
        };
        self.state.temporaries.free_waited(context);
        // After the wait. Where that has not shown that the device is done with them, ending them ends the process.
        let unregistered = self.state.registrations.end();
        waited.and(unregistered)
    }
}

/// What proves that the stream is done where waits fail, if that has to be proved: queued behind the scope's
/// operations.
#[track_caller]
fn proof<'s>(stream: &'s Stream, state: &State) -> Exposed<'s> {
    // What others queue may write unified memory that is lent.
    let by_others = state.is_shared.load(Ordering::Acquire) && has_managed_memory();
    if !state.exposes.load(Ordering::Acquire) && !by_others {
        return Exposed::Nothing;
    }
    let ticket = bind(stream).ok().and_then(|bound| {
        let _relaxed = Relaxed::new(bound.driver());
        stream.raw().ticket(bound.driver())
    });
    Exposed::HostVisible(ticket)
}

/// Binds the stream's context, which was bound for every operation: a failure that passes is none.
#[track_caller]
fn bind(stream: &Stream) -> Result<Bound<'_>> {
    let context = &*stream.context().inner;
    let bound = (0..BINDS).find_map(|_| context.bind().ok());
    bound.map_or_else(|| context.bind(), Ok)
}

/// How often a context that cannot be bound at the end of a scope is tried once more.
const BINDS: u32 = 16;

impl Drop for End<'_> {
    fn drop(&mut self) {
        // The panic that unwinds is the one to be seen.
        let _ = self.settle(proof(self.stream, self.state));
    }
}

impl<'scope> Scope<'scope, '_> {
    /// The stream: for a function of the host behind what is queued here
    /// ([`s.stream().launch_host_function(..)`](Stream::launch_host_function)), and for events
    /// ([`s.stream().record(..)`](Stream::record)). For kernels of other libraries take the handle from
    /// [`as_raw`](Self::as_raw) of the scope, which then knows of them.
    #[must_use]
    pub fn stream(&self) -> &'scope Stream {
        self.stream
    }

    /// The driver's handle of the stream (`CUstream`), for kernels of other libraries. What they use of lent memory
    /// ([`Lent::as_device_ptr`]) is in order with what is queued here, and done when the scope ends.
    ///
    /// In a process that has unified memory the scope's end then draws a ticket (`cuStreamWriteValue32_v2`), as it does
    /// where the scope's own operations write host memory: the kernels may write unified memory that is lent.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.state.is_shared.store(true, Ordering::Release);
        self.stream.as_raw()
    }

    /// How operations are queued here.
    fn mode(&self) -> Mode<'scope> {
        Mode::Raw(self.stream)
    }

    /// Says that something queued writes what the host, or another device, can see.
    fn expose(&self) {
        self.state.exposes.store(true, Ordering::Release);
    }

    /// Comes before one call that queues what [exposes](Self::expose), if that is so. A guard and no closure, which would
    /// hide from the call where it was made.
    fn exposing(&self, exposes: bool) -> Exposing<'_> {
        Exposing(exposes.then_some(self.state))
    }
}

/// Says that what was queued [exposes](Scope::expose), also where the call unwinds.
#[must_use = "it ends with the call"]
struct Exposing<'s>(Option<&'s State>);

impl Exposing<'_> {
    /// The call's result. Of refused work no byte ever lands, so that it exposes nothing.
    fn ends_with(mut self, queued: Result<()>) -> Result<()> {
        if queued.is_err() {
            self.0 = None;
        }
        queued
    }
}

impl Drop for Exposing<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.0 {
            state.exposes.store(true, Ordering::Release);
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(self.stream).finish()
    }
}
