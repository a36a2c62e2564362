//! The code of `docs/migration.md`, compiled and run: each call of the other library as a comment, memcore's below it.

use memcore::memory::array::ArrayShape;
use memcore::memory::{
    MemoryAdvise, cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, mem_get_info, memcpy_dtoh, memcpy_htod,
};
use memcore::prelude::*;
use memcore::{Error, Event, Status};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The page's tables: their call, our snippets, what changes.
fn rows() -> Vec<[Vec<String>; 3]> {
    let text = include_str!("../docs/migration.md");
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    let rows = rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let cells: [&str; 3] = cells.try_into().unwrap_or_else(|cells| panic!("a row has three cells: {cells:?}"));
        cells.map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect())
    });
    // A table's head has no code.
    rows.filter(|cells: &[Vec<String>; 3]| !cells[0].is_empty()).collect()
}

/// This file's code, without comments and white space.
fn code() -> String {
    let lines = include_str!("migration.rs").lines();
    lines.map(|line| line.split("//").next().unwrap_or_default()).flat_map(str::split_whitespace).collect()
}

#[test]
fn every_snippet_of_the_page_is_compiled_here() {
    let (rows, code) = (rows(), code());
    assert!(rows.len() > 70, "{} rows", rows.len());
    for [theirs, ours, _] in rows {
        for snippet in ours {
            let packed: String = snippet.split_whitespace().collect();
            assert!(packed.len() > 3 && code.contains(&packed), "{theirs:?}: {snippet} is not in tests/migration.rs");
        }
    }
}

#[test]
fn every_call_of_theirs_stands_beside_ours() {
    let comments: String = include_str!("migration.rs")
        .lines()
        .filter_map(|line| line.split_once("// "))
        .map(|(_, comment)| comment)
        .flat_map(str::split_whitespace)
        .collect();
    for [theirs, ours, _] in rows() {
        // What has no counterpart yet has none in the code either.
        for call in theirs.iter().filter(|_| !ours.is_empty()) {
            let packed: String = call.split_whitespace().collect();
            assert!(comments.contains(&packed), "{call} is not in tests/migration.rs, beside {ours:?}");
        }
    }
}

mod from_cust {
    use super::*;

    // #[derive(Clone, Copy, DeviceCopy)]
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Body {
        place: [f32; 3],
        mass: f32,
    }

    #[test]
    fn contexts_and_streams() -> Outcome {
        // quick_init()?
        let context = Context::current()?;
        // Context::new(Device::get_device(0)?)?
        let same = Context::new(&Device::new(0)?)?;
        // CurrentContext::set_current(&context)?
        let entered = context.enter();
        // CurrentContext::synchronize()?
        context.synchronize()?;
        // Stream::new(StreamFlags::NON_BLOCKING, None)?
        let stream = Stream::new()?;
        // Event::new(EventFlags::DEFAULT)?
        let event = Event::new()?;
        // event.query()?
        assert!(event.query()?);
        let (start, stop) = (Event::new()?, Event::new()?);
        stream.record(&start)?;
        stream.record(&stop)?;
        stop.synchronize()?;
        // stop.elapsed_time_f32(&start)?
        let _took = stop.elapsed_since(&start)?;
        // Device::num_devices()?
        assert!(Device::count()? > 0);
        // event.record(&stream)?
        stream.record(&event)?;
        // stream.wait_event(event, StreamWaitEventFlags::DEFAULT)?
        stream.wait_event(&event)?;
        // stream.synchronize()?
        stream.synchronize()?;
        assert_eq!(same.device(), context.device());
        drop(entered);
        Ok(())
    }

    #[test]
    fn device_memory() -> Outcome {
        let (n, host, stream) = (4, [1.0_f32, 2.0, 3.0, 4.0], Stream::new()?);
        let locked = LockedBuffer::from_slice(&host)?;
        // DeviceBuffer::from_slice(&host)?
        let mut dev = DeviceBuffer::from_slice(&host)?;
        // host.as_slice().as_dbuf()?
        assert_eq!(DeviceBuffer::from_slice(&host)?.len(), n);
        // DeviceBuffer::<f32>::zeroed(n)?
        let mut other = DeviceBuffer::<f32>::zeroed(n)?;
        // unsafe { DeviceBuffer::<f32>::uninitialized(n)? }
        // SAFETY: it is written before it is read.
        let mut fresh = unsafe { DeviceBuffer::<f32>::uninitialized(n)? };
        // unsafe { DeviceBuffer::from_slice_async(&host, &stream)? }
        // SAFETY: both live, and are used by nothing else, until the wait has succeeded.
        unsafe { fresh.copy_from_async(&locked, &stream)? };
        stream.synchronize()?;

        // dev.copy_from(&host)?
        dev.copy_from(&host)?;
        let mut back = [0.0; 4];
        // dev.copy_to(&mut back)?
        dev.copy_to(&mut back)?;
        // other.copy_from(&dev)?
        copy!(other <- dev)?;
        // unsafe { dev.async_copy_from(&locked, &stream)? }
        // SAFETY: as above.
        unsafe { copy!(dev <- locked, async stream)? };
        stream.synchronize()?;
        // dev.as_host_vec()?
        assert_eq!(dev.to_vec()?, back);

        // dev.index(1..3)
        let part = &dev[1..3];
        assert_eq!(part.to_vec()?, [2.0, 3.0]);
        // dev.split_at_mut(2)
        let (left, right) = dev.split_at_mut(2);
        copy!(left <- right)?;
        // dev.set_8(1)?
        dev.set_8(1)?;
        // dev.set_16(1)?
        dev.set_16(1)?;
        // dev.set_zero()?
        dev.set_zero()?;
        // unsafe { dev.set_32_async(1, &stream)? }
        // SAFETY: as above.
        unsafe { dev.set_32_async(1, &stream)? };
        stream.synchronize()?;

        // dev.cast::<u32>()
        let bits = dev.cast::<u32>().map_err(|(error, _)| error)?;
        // bits.as_device_ptr()
        let pointer = bits.as_device_ptr();
        // unsafe { DeviceSlice::from_raw_parts(pointer, n) }
        // SAFETY: the buffer's elements, which nothing writes meanwhile.
        let slice = unsafe { DeviceSlice::from_raw_parts(pointer, n) };
        assert_eq!(slice.to_vec()?, [1; 4]);
        std::mem::forget(bits);
        // unsafe { DeviceBuffer::from_raw_parts(pointer, n) }
        // SAFETY: the memory of a buffer that was just forgotten.
        let again = unsafe { DeviceBuffer::from_raw_parts(pointer, n) };
        // again.drop_async(&stream)?
        // SAFETY: nothing else uses the memory: its work is done.
        unsafe { cuda_free_async(&stream, again.into_raw_parts().0)? };
        // DeviceBuffer::drop(fresh)
        assert!(fresh.try_free().is_ok());
        let bodies = device_vec![Body { place: [0.0; 3], mass: 1.0 }; 2]?;
        assert_eq!(bodies[1].to_value()?.place[2] + bodies[0].to_value()?.mass, 1.0);
        Ok(())
    }

    #[test]
    fn boxes_variables_and_pointers() -> Outcome {
        // DeviceBox::new(&5)?
        let boxed = DeviceBox::new(&5)?;
        // 5.as_dbox()?
        assert_eq!(device_box![5]?.len(), 1);
        // boxed.as_host_value()?
        assert_eq!(boxed.to_value()?, 5);
        // DeviceBox::into_device(boxed)
        let pointer = boxed.into_raw();
        // unsafe { DeviceBox::from_device(pointer) }
        // SAFETY: the pointer of a box that was just taken apart.
        let boxed = unsafe { DeviceBox::from_raw(pointer) };
        // DeviceBox::drop(boxed)
        assert!(boxed.try_free().is_ok());
        // DeviceVariable::new(5)?
        let mut variable = DeviceVariable::new(5)?;
        *variable = 6;
        // variable.copy_htod()?
        variable.copy_htod()?;
        // variable.copy_dtoh()?
        variable.copy_dtoh()?;
        assert_eq!(*variable, 6);
        // unsafe { pointer.add(1) }
        // pointer.wrapping_add(1)
        let next = pointer.add(1);
        assert_eq!(next.as_raw(), pointer.as_raw() + 4);
        Ok(())
    }

    #[test]
    fn page_locked_memory() -> Outcome {
        let (n, host) = (4, [1.0_f32, 2.0]);
        // LockedBuffer::new(&0.0f32, n)?
        let mut locked = LockedBuffer::filled(0.0_f32, n)?;
        // LockedBuffer::from_slice(&host)?
        assert_eq!(*LockedBuffer::from_slice(&host)?, host);
        // locked.as_mut_slice()
        locked.as_mut_slice()[0] = 1.0;
        // LockedBox::new(&5)?
        let boxed = LockedBox::new(&5)?;
        // boxed.into_raw()
        let pointer = boxed.into_raw();
        // unsafe { LockedBox::from_raw(pointer) }
        // SAFETY: the pointer of a box that was just taken apart.
        assert_eq!(*unsafe { LockedBox::from_raw(pointer) }, 5);
        Ok(())
    }

    #[test]
    fn unified_memory() -> Outcome {
        let (n, stream, context) = (4, Stream::new()?, Context::current()?);
        let device = context.device();
        // UnifiedBox::new(5)?
        let boxed = UnifiedBox::new(&5)?;
        // UnifiedBox::into_unified(boxed)
        let pointer = boxed.into_raw();
        // unsafe { UnifiedBox::from_unified(pointer) }
        // SAFETY: the pointer of a box that was just taken apart.
        let boxed = unsafe { UnifiedBox::from_raw(pointer) };
        assert_eq!(*boxed, 5);
        // UnifiedBuffer::new(&0u32, n)?
        let mut unified = UnifiedBuffer::filled(0_u32, n)?;
        // [1u32, 2].as_slice().as_unified_buf()?
        assert_eq!(*unified_vec![1_u32, 2]?, [1, 2]);
        // unified.as_unified_ptr()
        let pointer = unified.as_unified_ptr();
        // pointer.as_raw()
        assert_eq!(pointer.as_ptr(), unified.as_ptr());
        // unsafe { UnifiedPointer::wrap(unified.as_mut_ptr()) }
        let wrapped = UnifiedPointer::from_mut_ptr(unified.as_mut_ptr());
        // wrapped.as_raw_mut()
        // SAFETY: the first element, which nothing else uses meanwhile.
        unsafe { wrapped.as_mut_ptr().write(3) };
        // unified.prefetch_to_device(&stream, &device)?
        unified.prefetch_device(&stream, device)?;
        // unified.prefetch_to_host(&stream)?
        unified.prefetch_host(&stream)?;
        stream.synchronize()?;
        // unified.advise_read_mostly(true)?
        unified.advise_read_mostly(true)?;
        // unified.preferred_location(Some(device))?
        unified.preferred_location(Some(device))?;
        // unified.unset_preferred_location()?
        unified.unset_preferred_location()?;
        // unsafe { UnifiedBuffer::from_raw_parts(pointer, n) }
        std::mem::forget(unified);
        // SAFETY: the memory of a buffer that was just forgotten.
        let unified = unsafe { UnifiedBuffer::from_raw_parts(pointer, n) };
        assert_eq!(*unified, [3, 0, 0, 0]);
        Ok(())
    }

    #[test]
    fn arrays() -> Outcome {
        let texels = [[1.0_f32; 4]; 192];
        // ArrayObject::new_2d([8, 24], ArrayFormat::F32, 4)?
        let mut image = ArrayObject::<[f32; 4]>::zeroed([24, 8])?;
        // ArrayObject::new_cubemap(4, ArrayFormat::F32, 1)?
        let cubemap = ArrayObject::<f32>::zeroed(ArrayShape::new_cubemap(4))?;
        assert_eq!(cubemap.extents(), [6, 4, 4]);
        // array.copy_from(&texels)?
        image.copy_from(&texels)?;
        copy!(image[..2, ..] <- texels[..16])?;
        assert_eq!(image.to_vec()?, texels);
        Ok(())
    }

    #[test]
    fn functions() -> Outcome {
        let (n, stream, source, mut back) = (3, Stream::new()?, [1_u32, 2, 3], [0_u32; 3]);
        // mem_get_info()?
        let (free, total) = mem_get_info()?;
        assert!(free <= total);
        // unsafe { cuda_malloc::<u32>(n)? }
        // SAFETY: of all that follows: written before it is read, within its length, and freed once, unused by then.
        let pointer = unsafe { cuda_malloc::<u32>(n)? };
        // unsafe { memcpy_htod(pointer.as_raw(), source.as_ptr().cast(), 12)? }
        // SAFETY: as above.
        unsafe { memcpy_htod(pointer.as_raw(), source.as_ptr().cast(), 12)? };
        // SAFETY: as above.
        unsafe { memcpy_dtoh(back.as_mut_ptr().cast(), pointer.as_raw(), 12)? };
        assert_eq!(back, source);
        // unsafe { cuda_free(pointer)? }
        // SAFETY: as above.
        unsafe { cuda_free(pointer)? };
        // unsafe { cuda_malloc_async::<u32>(&stream, n)? }
        // SAFETY: as above.
        let pointer = unsafe { cuda_malloc_async::<u32>(&stream, n)? };
        // unsafe { cuda_free_async(&stream, pointer)? }
        // SAFETY: as above.
        unsafe { cuda_free_async(&stream, pointer)? };
        stream.synchronize()?;
        // unsafe { cuda_malloc_unified::<u32>(n)? }
        // SAFETY: as above.
        let pointer = unsafe { cuda_malloc_unified::<u32>(n)? };
        // unsafe { cuda_free_unified(pointer)? }
        // SAFETY: as above.
        unsafe { cuda_free_unified(pointer)? };
        // unsafe { cuda_malloc_locked::<u32>(n)? }
        // SAFETY: as above.
        let pointer = unsafe { cuda_malloc_locked::<u32>(n)? };
        // unsafe { cuda_free_locked(pointer)? }
        // SAFETY: as above.
        unsafe { cuda_free_locked(pointer)? };
        Ok(())
    }

    #[test]
    fn errors() -> Outcome {
        let mut dev = device_vec![1_u8, 2]?;
        let error = dev.copy_from(&[1]).unwrap_err();
        // CudaError::InvalidValue
        assert_ne!(error.status(), Some(Status::INVALID_VALUE));
        // Err(CudaError::OutOfMemory)
        assert!(!error.is_out_of_memory());
        Ok(())
    }
}

mod from_cudarc {
    use super::*;

    // unsafe impl DeviceRepr for Pair {}
    // unsafe impl ValidAsZeroBits for Pair {}
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Pair {
        a: f32,
        b: f32,
    }

    #[test]
    fn contexts_and_streams() -> Outcome {
        // CudaContext::new(0)?
        let context = Context::new(&Device::new(0)?)?;
        // context.bind_to_thread()?
        let entered = context.enter();
        // context.default_stream()
        let legacy = Stream::legacy_in(&context);
        // context.new_stream()?
        let (stream, other) = (Stream::new_in(&context)?, Stream::new()?);
        // context.new_event(None)?
        let event = Event::new_in(&context)?;
        let (start, stop) = (Event::new_in(&context)?, Event::new_in(&context)?);
        stream.record(&start)?;
        stream.record(&stop)?;
        stop.synchronize()?;
        // start.elapsed_ms(&stop)?
        let _took = stop.elapsed_since(&start)?;
        // CudaContext::device_count()?
        assert!(Device::count()? > 0);
        // other.join(&stream)?
        stream.record(&event)?;
        other.wait_event(&event)?;
        // event.is_complete()
        while !event.query()? {}
        // stream.synchronize()?
        stream.synchronize()?;
        // context.synchronize()?
        context.synchronize()?;
        // context.mem_get_info()?
        let (free, total) = context.memory_info()?;
        assert!(free <= total && legacy.query()?);
        // context.check_err()?
        assert_eq!(context.take_drop_errors(), []);
        // context.has_async_alloc()
        assert!(!format!("{:?}", context.allocator()).is_empty());
        drop(entered);
        Ok(())
    }

    #[test]
    fn device_memory() -> Outcome {
        let (n, stream, host) = (4, Stream::new()?, [1.0_f32, 2.0, 3.0, 4.0]);
        // stream.clone_htod(&host)?
        let mut dev = DeviceBuffer::from_slice(&host)?;
        // stream.alloc_zeros::<f32>(n)?
        let mut other = DeviceBuffer::<f32>::zeroed(n)?;
        // unsafe { stream.alloc::<f32>(n)? }
        // SAFETY: it is written before it is read.
        let mut fresh = unsafe { DeviceBuffer::<f32>::uninitialized(n)? };
        fresh.fill(5.0)?;
        // stream.null::<f32>()?
        assert!(DeviceBuffer::<f32>::default().is_empty());
        // stream.memcpy_htod(&host, &mut dev)?
        copy!(dev <- host, stream)?;
        let mut back = [0.0; 4];
        // stream.memcpy_dtoh(&dev, &mut back)?
        copy!(back <- dev, stream)?;
        // stream.memcpy_dtod(&dev, &mut other)?
        copy!(other <- dev, stream)?;
        // stream.clone_dtoh(&dev)?
        assert_eq!(dev.to_vec()?, back);
        // stream.clone_dtod(&dev)?
        let mut twin = DeviceBuffer::<f32>::zeroed(dev.len())?;
        twin.copy_from(&dev)?;
        // stream.memset_zeros(&mut other)?
        other.set_zero()?;

        // dev.slice(1..3)
        let part = &dev[1..3];
        assert_eq!(part.to_vec()?, [2.0, 3.0]);
        // dev.try_slice(1..9)
        assert!(dev.get(1..9).is_none());
        // dev.slice_mut(..2)
        copy!(dev[..2] <- [7.0, 8.0])?;
        // dev.split_at_mut(2)
        let (left, right) = dev.split_at_mut(2);
        copy!(left <- right)?;
        // dev.as_view().chunks_exact(2)
        assert_eq!(dev.chunks_exact(2).count(), 2);
        // unsafe { dev.transmute::<u32>(n) }
        assert_eq!(dev.view_as::<u32>()?.len(), n);
        // dev.num_bytes()
        assert_eq!(dev.size_in_bytes(), 16);
        // dev.device_ptr(&stream)
        let pointer = dev.as_device_ptr();
        assert!(!pointer.is_null());
        // dev.leak()
        let (pointer, n) = dev.into_raw_parts();
        // unsafe { stream.upgrade_device_ptr::<f32>(pointer, n) }
        // SAFETY: the parts of a buffer that was just taken apart.
        let dev = unsafe { DeviceBuffer::from_raw_parts(pointer, n) };
        assert_eq!(dev.to_vec()?, [3.0, 4.0, 3.0, 4.0]);
        let pairs = DeviceBuffer::from_slice(&[Pair { a: 1.0, b: 2.0 }])?;
        assert_eq!(pairs[0].to_value()?.a + pairs[0].to_value()?.b, 3.0);
        Ok(())
    }

    #[test]
    fn host_memory() -> Outcome {
        let (n, stream, context) = (4, Stream::new()?, Context::current()?);
        // unsafe { context.alloc_pinned::<f32>(n)? }
        let mut locked = LockedBuffer::<f32>::zeroed(n)?;
        // locked.as_mut_slice()?
        locked.as_mut_slice()[0] = 1.0;
        // unsafe { context.alloc_unified::<f32>(n, true)? }
        let mut unified = UnifiedBuffer::<f32>::zeroed(n)?;
        // unified.as_mut_slice()?
        unified.as_mut_slice()[0] = 2.0;
        // unified.prefetch()?
        unified.prefetch_device(&stream, context.device())?;
        stream.synchronize()?;
        // unified.slice_mut(1..)
        fill!(unified.as_device_slice_mut()[1..] <- 3.0)?;
        assert_eq!((locked[0], &*unified), (1.0, [2.0, 3.0, 3.0, 3.0].as_slice()));
        Ok(())
    }

    #[test]
    fn errors() -> Outcome {
        let dev = device_vec![1_u8, 2]?;
        // assert!(dst.len() >= src.len());
        let error = dev.copy_to(&mut [0; 3]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { destination_len: 3, source_len: 2 });
        // DriverError(code)
        assert_eq!(error.status(), None);
        Ok(())
    }
}
