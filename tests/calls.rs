//! `docs/calls.md` against the driver calls that each form really makes.

use std::collections::BTreeMap;

use memcore::memory::MemoryAdvise;
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
use memcore::{AttachFlag, LockedFlags, RegisterFlags};
use memcore::{MemoryPool, PoolOptions};

/// Calls that queue no work, which the table leaves out.
const QUESTIONS: [&str; 5] = [
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuThreadExchangeStreamCaptureMode",
    "cuStreamIsCapturing",
    "cuPointerGetAttribute",
];

/// The table: the calls of each form.
fn documented() -> BTreeMap<String, Vec<String>> {
    let text = include_str!("../docs/calls.md");
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" |").map(str::trim).collect();
        let [form, calls] = cells[..] else { panic!("a row has two cells: {row}") };
        let mut names = Vec::new();
        let mut times = 1;
        for word in calls.split_whitespace() {
            match (word, word.parse()) {
                ("×", _) => {}
                (_, Ok(number)) => times = number,
                (name, _) => {
                    names.extend(std::iter::repeat_n(name.trim_matches('`').to_owned(), times));
                    times = 1;
                }
            }
        }
        (form.to_owned(), names)
    })
    .collect()
}

/// Records forms on a simulated machine with two devices.
struct Recorder {
    sim: Sim,
    recorded: BTreeMap<String, Vec<String>>,
}

impl Recorder {
    fn record<R>(&mut self, form: &str, run: impl FnOnce() -> memcore::Result<R>) -> R {
        self.sim.clear_calls();
        let result = run().unwrap_or_else(|error| panic!("{form}: {error}"));
        self.keep(form);
        result
    }

    /// Keeps the calls since they were last cleared as those of a form.
    fn keep(&mut self, form: &str) {
        let calls = self.sim.calls().into_iter().filter(|name| !QUESTIONS.contains(name)).map(str::to_owned).collect();
        assert!(self.recorded.insert(form.to_owned(), calls).is_none(), "{form} is recorded twice");
    }
}

/// What scopes call, in a process that has no unified memory yet, and then in one that has.
fn scopes(r: &mut Recorder, other: &Context) -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (mut dev, mut dev2, far) = (device_vec![0_u32; 8]?, device_vec![1_u32; 8]?, device_vec![in other; 2_u32; 8]?);
    let (mut bytes, mut wide) = (device_vec![0_u8; 8]?, device_vec![0_u64; 8]?);
    let host = [3_u32; 8];
    let (mut back, mut locked, locked_source) = ([0_u32; 8], locked_vec![4_u32; 8]?, locked_vec![5_u32; 8]?);
    // The first scope of a stream makes its ticket's word.
    first.scope(|_| memcore::Result::Ok(()))?;
    second.scope(|_| memcore::Result::Ok(()))?;

    r.sim.clear_calls();
    first.scope(|outer| {
        r.keep("start of a scope");
        let scope = outer;
        let dev = r.record("`scope.lend(&mut dev)`, its parts, `scope.lend_ref(&host)`", || {
            let dev = scope.lend(&mut dev);
            assert_eq!(dev.split_at(3).1[1..].len() + dev.chunks(2).len(), scope.lend_ref(&host).len());
            Ok(dev)
        });
        r.record("`copy!(dev <- host, scope)`", || copy!(dev <- host, scope));
        r.record("`copy!(dev <- locked, scope)`", || copy!(dev <- locked_source, scope));
        r.record("`copy!(dev <- dev2, scope)`", || copy!(dev <- dev2, scope));
        r.record("`copy!(dev[..0] <- host[..0], scope)`", || copy!(dev[..0] <- host[..0], scope));
        r.record("`fill!(dev <- u, scope)`, 1 byte", || fill!(bytes <- 7, scope));
        r.record("`fill!(dev <- u, scope)`, 4 bytes", || fill!(dev <- 0x0102_0304, scope));
        r.record("`fill!(dev <- w, scope)`, `m` elements", || fill!(wide <- 0x0102_0304_0506_0708, scope));
        second.scope(|inner| {
            let (left, right) = dev.split_at_mut(4);
            let taken = r.record("`inner.take_over(lent, outer)`", || inner.take_over(left, outer));
            r.record("`inner.take_over_ref(lent, outer)`", || inner.take_over_ref(&*right, outer).map(drop));
            fill!(taken <- 1, inner)?;
            r.sim.clear_calls();
            memcore::Result::Ok(())
        })?;
        r.keep("end of a scope that wrote device memory alone");
        r.record("`copy!(host <- dev, scope)`", || copy!(back <- dev, scope));
        r.record("`copy!(locked <- dev, scope)`", || copy!(locked <- dev, scope));
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of a scope that wrote host memory");
    first.scope(|scope| {
        r.record("`scope.device_vec::<u32>(m)`", || scope.device_vec::<u32>(8).map(drop));
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of a scope with a temporary");
    first.scope(|scope| {
        copy!(back <- scope.device_vec::<u32>(8)?, scope)?;
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of a scope with a temporary that wrote host memory");
    first.scope(|scope| {
        r.record("`copy!(dev <- far, scope)`", || copy!(dev <- far, scope));
        memcore::Result::Ok(())
    })?;
    memcore::scope(|all| {
        all.on(&first, |scope| {
            scope.device_vec::<u32>(8)?;
            r.sim.clear_calls();
            memcore::Result::Ok(())
        })?;
        r.keep("end of `all.on(&stream, ..)` with a temporary");
        memcore::Result::Ok(())
    })?;
    memcore::scope(|all| {
        all.on(&first, |scope| fill!(dev <- 1, scope))?;
        all.on(&second, |scope| fill!(dev2 <- 1, scope))?;
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of `memcore::scope` after `on` two streams");
    memcore::scope(|all| {
        all.on(&first, |scope| copy!(back <- dev, scope))?;
        all.on(&second, |scope| copy!(locked <- dev2, scope))?;
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of `memcore::scope` after downloads on two streams");

    let (mut unified, mut lent_unified) = (unified_vec![5_u32; 8]?, unified_vec![6_u32; 8]?);
    first.scope(|scope| {
        let lent_unified = scope.lend(&mut lent_unified);
        r.record("`copy!(unified <- dev, scope)`", || copy!(unified <- dev, scope));
        r.record("`copy!(lent_unified <- dev, scope)`", || copy!(lent_unified <- dev, scope));
        memcore::Result::Ok(())
    })
}

/// What page-locking and attaching call.
fn host_memory(r: &mut Recorder, context: &Context, stream: &Stream) -> memcore::Result<()> {
    let flags = LockedFlags::PORTABLE;
    let locked = r.record("`LockedBuffer::zeroed_with(&context, flags, m)`", || {
        LockedBuffer::<u32>::zeroed_with(context, flags, 8)
    });
    r.record("`locked.device_ptr()`", || locked.device_ptr());
    large_locked_memory(r, context)?;
    let registered = r.record("`RegisteredBuffer::new(vec)`", || RegisteredBuffer::new(vec![1_u32; 8]));
    r.record("`registered.unregister()`", || registered.unregister().map_err(|(error, _)| error));
    let mut host = [1_u32; 8];
    r.record("`context.with_registered(&mut host, flags, f)`", || {
        context.with_registered(&mut host, RegisterFlags::empty(), |_| Ok(()))
    });
    stream.scope(|scope| {
        r.record("`scope.register(&mut host, flags)`", || scope.register(&mut host, RegisterFlags::empty()).map(drop));
        r.sim.clear_calls();
        memcore::Result::Ok(())
    })?;
    r.keep("end of a scope with a registration");
    let mut unified = unified_vec![1_u32; 8]?;
    r.record("`unified.attach(&stream, flag)`", || unified.attach(stream, AttachFlag::Host));
    // SAFETY: the device does not use the memory.
    r.record("`unsafe { unified.attach_single(&stream) }`", || unsafe { unified.attach_single(stream) });
    r.record("`unified.query_read_mostly()`", || unified.query_read_mostly());
    stream.synchronize()
}

/// What page-locked memory calls that memcore maps, and keeps.
fn large_locked_memory(r: &mut Recorder, context: &Context) -> memcore::Result<()> {
    const LARGE: usize = 256 << 10;
    let mut dropped = |form: &str, locked: LockedBuffer<u8>| {
        r.record(form, || {
            drop(locked);
            Ok(())
        });
    };
    dropped("drop of page-locked memory of 256 KiB or more, which the context keeps", locked_vec![1_u8; 2 * LARGE]?);
    let kept = context.locked_statistics().kept_limit as usize;
    context.keep_locked_memory(0)?;
    dropped("the same, which it does not keep", locked_vec![1_u8; LARGE]?);
    context.keep_locked_memory(kept)?;
    drop(r.record("`locked_vec![u; m]`, 256 KiB or more", || locked_vec![1_u8; LARGE]));
    drop(r.record("the same, while the context keeps pages of that size", || locked_vec![1_u8; LARGE]));
    let combined = "`LockedBuffer::zeroed_with(&context, LockedFlags::WRITE_COMBINED, m)`, of any size";
    drop(r.record(combined, || LockedBuffer::<u8>::zeroed_with(context, LockedFlags::WRITE_COMBINED, LARGE)));
    Ok(())
}

/// What pools call, and what their memory is freed by.
fn pools(r: &mut Recorder, context: &Context, other: &Context) -> memcore::Result<()> {
    let stream = Stream::new_in(context)?;
    let pool = r.record("`MemoryPool::new(options)`", || MemoryPool::new(PoolOptions::default()));
    drop(r.record("`device_vec![in &pool; u; m]`, 4 bytes", || device_vec![in &pool; 0x0102_0304_u32; 8]));
    r.record("`pool.statistics()`", || pool.statistics());
    r.record("`pool.trim(0)`", || pool.trim(0));
    r.record("`pool.allow_access(&device)`", || pool.allow_access(other.device()));
    r.record("drop of a pool", || {
        drop(pool);
        Ok(())
    });
    let form = "`unsafe { DeviceBuffer::<u32>::uninitialized_on(&stream, m) }`";
    // SAFETY: it is freed on the same stream, and not used.
    let dev = r.record(form, || unsafe { DeviceBuffer::<u32>::uninitialized_on(&stream, 8) });
    r.record("`dev.drop_on(&stream)`", || dev.drop_on(&stream).map_err(|(error, _)| error));
    assert!(r.record("`context.enable_peer_access(&other)`", || context.enable_peer_access(other)));
    Ok(())
}

/// What moves, iterators and vectors call.
fn moves_and_lists(r: &mut Recorder, dev: &mut DeviceSlice<u32>) -> memcore::Result<()> {
    let (stream, mut long, mut vec) = (Stream::new()?, device_vec![0_u32; 100]?, Vec::new());
    stream.scope(|_| memcore::Result::Ok(()))?;
    drop(r.record("`DeviceBuffer::try_from_iter(values)`", || DeviceBuffer::try_from_iter(0..8_u32)));
    r.record("`dev.copy_from_iter(values)`", || dev.copy_from_iter(0..8));
    r.record("`dev.append_to(&mut vec)`", || dev.append_to(&mut vec));
    r.record("`dev.copy_within(..4, 4)`", || dev.copy_within(..4, 4));
    r.record("`dev.copy_within(2.., 0)`", || dev.copy_within(2.., 0));
    r.record("`long.copy_within(1.., 0)`", || long.copy_within(1.., 0));
    r.record("`context.address_range(pointer)`", || Context::current()?.address_range(dev.as_device_ptr()));
    stream.scope(|scope| {
        let lent = scope.lend(dev);
        r.record("`lent.copy_within(2.., 0, scope)`", || lent.copy_within(2.., 0, scope));
        r.record("`scope.device_vec_from(values)`", || scope.device_vec_from(0..8_u32).map(drop));
        memcore::Result::Ok(())
    })
}

/// What arrays call.
fn arrays(r: &mut Recorder, other: &Context) -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![1_u32; 8]?;
    let (mut host, mut locked) = ([3_u32; 8], locked_vec![4_u32; 8]?);
    let (z, y, x) = (|| 0..2, || 0..2, || 1..2);
    let mut image = r.record("`ArrayObject::<u32>::zeroed([2, 4])`", || ArrayObject::<u32>::zeroed([2, 4]));
    let mut volume = r.record("`ArrayObject::<u32>::zeroed([2, 2, 2])`", || ArrayObject::<u32>::zeroed([2, 2, 2]));
    drop(r.record("`ArrayObject::from_slice(&host, [2, 4])`", || ArrayObject::from_slice(&host, [2, 4])));
    let far = ArrayObject::<u32>::zeroed_in(other, [2, 4])?;
    r.record("`copy!(image <- host)`", || copy!(image <- host));
    r.record("`copy!(host <- image)`", || copy!(host <- image));
    r.record("`copy!(locked <- image)`", || copy!(locked <- image));
    r.record("`copy!(image[y, x] <- dev.as_2d(4)?[y, x])`", || copy!(image[y(), x()] <- dev.as_2d(4)?[y(), x()]));
    r.record("`copy!(dev <- image)`", || copy!(dev <- image));
    r.record(
        "`copy!(volume[z, y, x] <- host.as_3d([2, 2])?[z, y, x])`",
        || copy!(volume[z(), y(), x()] <- host.as_3d([2, 2])?[z(), y(), x()]),
    );
    r.record("`copy!(volume[1, .., ..] <- host[..4])`", || copy!(volume[1, .., ..] <- host[..4]));
    r.record("`copy!(image <- far)`", || copy!(image <- far));
    r.record("`copy!(image <- host, stream)`", || copy!(image <- host, stream));
    r.record("`unsafe { copy!(image <- locked, async stream) }`", || {
        // SAFETY: both live to the end, and are used again only after the wait below.
        unsafe { copy!(image <- locked, async stream) }
    });
    stream.synchronize()?;
    // The first scope of a stream makes its ticket's word.
    stream.scope(|_| memcore::Result::Ok(()))?;
    stream.scope(|scope| {
        r.record("`copy!(image <- host, scope)`", || copy!(image <- host, scope));
        memcore::Result::Ok(())
    })?;
    r.record("`fill!(image[y, x] <- u)`", || fill!(image[y(), x()] <- 5));
    r.record("`image.descriptor()`", || image.descriptor());
    r.record("drop of an array", || {
        drop(image);
        Ok(())
    });
    drop(volume);
    Ok(())
}

/// What copies and fills of windows call.
fn windows(r: &mut Recorder, other: &Context) -> memcore::Result<()> {
    let stream = Stream::new()?;
    let (mut rows, mut dev) = (PitchedBuffer::<u32>::zeroed([2, 4])?, device_vec![1_u32; 8]?);
    let (far, mut wide) = (device_vec![in other; 2_u32; 8]?, device_vec![0_u64; 8]?);
    let (mut host, mut locked) = ([3_u32; 8], locked_vec![4_u32; 8]?);
    // The first scope of a stream makes its ticket's word.
    stream.scope(|_| memcore::Result::Ok(()))?;
    let (z, y, x) = (|| 0..2, || 0..2, || 1..2);
    r.record("`copy!(rows[y, x] <- host.as_2d(4)?[y, x])`", || copy!(rows[y(), x()] <- host.as_2d(4)?[y(), x()]));
    r.record("`copy!(rows[y, x] <- dev.as_2d(4)?[y, x])`", || copy!(rows[y(), x()] <- dev.as_2d(4)?[y(), x()]));
    r.record(
        "`copy!(host.as_2d_mut(4)?[y, x] <- rows[y, x])`",
        || copy!(host.as_2d_mut(4)?[y(), x()] <- rows[y(), x()]),
    );
    r.record(
        "`copy!(locked.as_2d_mut(4)?[y, x] <- rows[y, x])`",
        || copy!(locked.as_2d_mut(4)?[y(), x()] <- rows[y(), x()]),
    );
    r.record("`copy!(rows <- far.as_2d(4)?)`", || copy!(rows <- far.as_2d(4)?));
    r.record(
        "`copy!(dev.as_3d_mut([2, 2])?[z, y, x] <- host.as_3d([2, 2])?[z, y, x])`",
        || copy!(dev.as_3d_mut([2, 2])?[z(), y(), x()] <- host.as_3d([2, 2])?[z(), y(), x()]),
    );
    r.record("`copy!(host.as_2d_mut(4)? <- locked.as_2d(4)?)`", || copy!(host.as_2d_mut(4)? <- locked.as_2d(4)?));
    r.record("`copy!(rows[..0, ..] <- host.as_2d(4)?[..0, ..])`", || copy!(rows[..0, ..] <- host.as_2d(4)?[..0, ..]));
    r.record(
        "`copy!(rows[y, x] <- dev.as_2d(4)?[y, x], stream)`",
        || copy!(rows[y(), x()] <- dev.as_2d(4)?[y(), x()], stream),
    );
    r.record("`unsafe { copy!(rows[y, x] <- locked.as_2d(4)?[y, x], async stream) }`", || {
        // SAFETY: both live to the end, and are used again only after the wait below.
        unsafe { copy!(rows[y(), x()] <- locked.as_2d(4)?[y(), x()], async stream) }
    });
    stream.synchronize()?;
    stream.scope(|scope| {
        r.record(
            "`copy!(rows[y, x] <- host.as_2d(4)?[y, x], scope)`",
            || copy!(rows[y(), x()] <- host.as_2d(4)?[y(), x()], scope),
        );
        memcore::Result::Ok(())
    })?;
    r.record("`fill!(rows[y, x] <- u)`, 4 bytes", || fill!(rows[y(), x()] <- 0x0102_0304));
    r.record("`fill!(dev.as_3d_mut([2, 2])? <- u)`, 4 bytes", || fill!(dev.as_3d_mut([2, 2])? <- 0x0102_0304));
    r.record(
        "`fill!(dev.as_3d_mut([2, 2])?[.., 0, ..] <- u)`, 4 bytes",
        || fill!(dev.as_3d_mut([2, 2])?[.., 0, ..] <- 0x0102_0304),
    );
    r.record(
        "`fill!(wide.as_2d_mut(4)?[y, x] <- w)`, 2 × 2 elements",
        || fill!(wide.as_2d_mut(4)?[y(), 1..3] <- 0x0102_0304_0506_0708),
    );
    drop(r.record("`PitchedBuffer::from_slice(&host, 4)`", || PitchedBuffer::from_slice(&host, 4)));
    drop(r.record("`PitchedBuffer::<u32>::zeroed([2, 4])`", || PitchedBuffer::<u32>::zeroed([2, 4])));
    r.record("drop of pitched memory", || {
        drop(rows);
        Ok(())
    });
    Ok(())
}

#[test]
fn every_form_makes_the_documented_calls() -> memcore::Result<()> {
    let sim = Sim::new(SimOptions::default().devices(2));
    let (context, other) = (Context::new(&sim.device(0)?)?, Context::new(&sim.device(1)?)?);
    let _entered = context.enter();
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u32; 8]?;
    let dev2 = device_vec![1_u32; 8]?;
    let far = device_vec![in &other; 2_u32; 8]?;
    let mut host = [3_u32; 8];
    let mut locked = locked_vec![4_u32; 8]?;
    // The first operations make the streams, the tickets' words and the page-locked memory for small copies.
    copy!(locked <- dev)?;
    copy!(locked <- dev, stream)?;
    copy!(host <- dev)?;
    let mut r = Recorder { sim, recorded: BTreeMap::new() };

    r.record("`copy!(dev <- host)`", || copy!(dev <- host));
    r.record("`copy!(dev <- locked)`", || copy!(dev <- locked));
    r.record("`copy!(host <- dev)`", || copy!(host <- dev));
    r.record("`copy!(locked <- dev)`", || copy!(locked <- dev));
    r.record("`copy!(locked[1..] <- dev[1..])`", || copy!(locked[1..] <- dev[1..]));
    r.record("`copy!(dev <- dev2)`", || copy!(dev <- dev2));
    r.record("`copy!(dev <- far)`", || copy!(dev <- far));
    r.record("`copy!(host <- locked)`", || copy!(host <- locked));
    r.record("`copy!(dev[..0] <- host[..0])`", || copy!(dev[..0] <- host[..0]));
    r.record("`copy!(dev <- host, stream)`", || copy!(dev <- host, stream));
    r.record("`copy!(host <- dev, stream)`", || copy!(host <- dev, stream));
    r.record("`copy!(locked <- dev, stream)`", || copy!(locked <- dev, stream));
    r.record("`copy!(dev <- dev2, stream)`", || copy!(dev <- dev2, stream));
    // SAFETY: both live to the end, and are used again only after the wait below.
    r.record("`unsafe { copy!(dev <- locked, async stream) }`", || unsafe { copy!(dev <- locked, async stream) });
    stream.synchronize()?;
    // SAFETY: as above.
    r.record("`unsafe { copy!(locked <- dev, async stream) }`", || unsafe { copy!(locked <- dev, async stream) });
    stream.synchronize()?;
    // SAFETY: as above.
    r.record("`unsafe { copy!(dev <- dev2, async stream) }`", || unsafe { copy!(dev <- dev2, async stream) });
    stream.synchronize()?;

    windows(&mut r, &other)?;
    arrays(&mut r, &other)?;
    scopes(&mut r, &other)?;

    let mut bytes = device_vec![0_u8; 8]?;
    let mut halves = device_vec![0_u16; 8]?;
    let mut wide = device_vec![0_u64; 8]?;
    r.record("`fill!(dev <- u)`, 1 byte", || fill!(bytes <- 7));
    r.record("`fill!(dev <- u)`, 2 bytes", || fill!(halves <- 0x0102));
    r.record("`fill!(dev <- u)`, 4 bytes", || fill!(dev <- 0x0102_0304));
    r.record("`fill!(dev <- w)`, `m` elements", || fill!(wide <- 0x0102_0304_0506_0708));
    r.record("`fill!(dev[..1] <- u, stream)`, 4 bytes", || fill!(dev[..1] <- 0x0102_0304, stream));
    r.record("`fill!(host <- u)`", || fill!(host <- 5));

    drop(r.record("`device_vec![a, b, c]`", || device_vec![1_u32, 2, 3]));
    drop(r.record("`device_vec![u; m]`, 4 bytes", || device_vec![0x0102_0304_u32; 8]));
    drop(r.record("`device_vec![w; m]`", || device_vec![0x0102_0304_0506_0708_u64; 8]));
    drop(r.record("`device_vec![in &context; u; m]`, 4 bytes", || device_vec![in &context; 0x0102_0304_u32; 8]));
    pools(&mut r, &context, &other)?;
    moves_and_lists(&mut r, &mut dev)?;
    drop(r.record("`device_vec![]`", || {
        let empty: memcore::Result<DeviceBuffer<u32>> = device_vec![];
        empty
    }));
    drop(r.record("`device_box![u]`", || device_box![7_u32]));
    drop(r.record("`locked_vec![a, b, c]`", || locked_vec![1_u32, 2, 3]));
    drop(r.record("`locked_vec![u; m]`", || locked_vec![1_u32; 8]));
    drop(r.record("`locked_box![u]`", || locked_box![7_u32]));
    drop(r.record("`unified_vec![a, b, c]`", || unified_vec![1_u32, 2, 3]));
    drop(r.record("`unified_vec![u; m]`", || unified_vec![1_u32; 8]));
    drop(r.record("`unified_box![u]`", || unified_box![7_u32]));
    drop(r.record("`unified_vec![]`", || {
        let empty: memcore::Result<UnifiedBuffer<u32>> = unified_vec![];
        empty
    }));

    host_memory(&mut r, &context, &stream)?;
    let mut unified = unified_vec![5_u32; 8]?;
    r.record("`copy!(dev <- unified)`", || copy!(dev <- unified));
    r.record("`copy!(unified <- dev)`", || copy!(unified <- dev));
    r.record("`copy!(unified <- host)`", || copy!(unified <- host));
    r.record("`copy!(locked <- unified)`", || copy!(locked <- unified));
    r.record("`copy!(dev <- unified.as_device_slice())`", || copy!(dev <- unified.as_device_slice()));
    r.record("`copy!(unified.as_device_slice_mut() <- dev)`", || copy!(unified.as_device_slice_mut() <- dev));
    r.record("`copy!(unified.as_device_slice_mut() <- host)`", || copy!(unified.as_device_slice_mut() <- host));
    // SAFETY: both live to the end, and are used again only after the wait below.
    r.record("`unsafe { copy!(unified <- dev, async stream) }`", || unsafe { copy!(unified <- dev, async stream) });
    stream.synchronize()?;
    r.record("`fill!(unified <- u)`", || fill!(unified <- 5));
    r.record(
        "`fill!(unified.as_device_slice_mut() <- u)`, 4 bytes",
        || fill!(unified.as_device_slice_mut() <- 0x0102_0304),
    );
    r.record("drop of unified memory", || {
        drop(unified);
        Ok(())
    });
    r.record("drop of device memory", || {
        drop(dev);
        Ok(())
    });
    r.record("drop of page-locked memory", || {
        drop(locked);
        Ok(())
    });

    r.record("`context.trim(0)`, with page-locked memory kept for copies and for buffers", || context.trim(0));

    let documented = documented();
    for (form, calls) in &r.recorded {
        assert_eq!(documented.get(form), Some(calls), "{form}");
    }
    let unrecorded: Vec<_> = documented.keys().filter(|form| !r.recorded.contains_key(*form)).collect();
    assert!(unrecorded.is_empty(), "documented, but not recorded: {unrecorded:?}");
    drop((dev2, far, bytes, halves, wide));
    assert!(r.sim.finish().is_empty());
    Ok(())
}
