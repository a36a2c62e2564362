//! How tests check in a way that lets a driver call fail, as each does in turn in the sweep: what the failure changes, a
//! test returns as its error.

use std::error::Error;
use std::fmt::Debug;
use std::thread::ScopedJoinHandle;

use memcore::prelude::*;

/// What a test returns: any error fails it, unless the sweep made the call fail that the error names.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Why an error lacks how much memory there is: the calls that could not be made.
pub(crate) const NOT_SAID: &str =
    "one of these failed: cuMemGetInfo_v2, cuMemPoolGetAttribute, cuCtxGetCurrent, cuCtxSetCurrent";

/// Expects that a call is refused with this error. Another error is returned.
///
/// # Panics
///
/// If it is not refused.
#[track_caller]
pub(crate) fn refused<T: Debug>(result: memcore::Result<T>, expected: &memcore::Error) -> memcore::Result<()> {
    match result {
        Err(error) if error == *expected => Ok(()),
        Err(error) => Err(error),
        Ok(value) => panic!("got {value:?} and no error, which should be: {expected}"),
    }
}

/// Runs what queues raw operations on a stream, and then waits for the stream, whatever came of it: until it is waited for
/// nothing that they use may go. A later wait that succeeds proves that all is done.
pub(crate) fn waited(stream: &Stream, queue: impl FnOnce() -> memcore::Result<()>) -> memcore::Result<()> {
    let queued = queue();
    let waited = again_and_again(|| stream.synchronize());
    queued.and(waited)
}

/// Expects that no free has failed; else the first one's error is returned.
pub(crate) fn all_freed(context: &Context) -> memcore::Result<()> {
    context.take_drop_errors().into_iter().next().map_or(Ok(()), Err)
}

/// Waits until that succeeds, but not for ever; the first error.
fn again_and_again(wait: impl Fn() -> memcore::Result<()>) -> memcore::Result<()> {
    let first = wait();
    let _ = first.is_ok() || (0..16).any(|_| wait().is_ok());
    first
}

/// As [`waited`], for all streams of a context.
pub(crate) fn all_waited(context: &Context, queue: impl FnOnce() -> memcore::Result<()>) -> memcore::Result<()> {
    let queued = queue();
    let waited = again_and_again(|| context.synchronize());
    queued.and(waited)
}

/// Waits for threads, and says the first error of any.
pub(crate) fn joined<'s>(
    threads: impl IntoIterator<Item = ScopedJoinHandle<'s, memcore::Result<()>>>,
) -> memcore::Result<()> {
    let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
    results.into_iter().try_for_each(Result::unwrap)
}
