//! Memory that a scope allocates for itself.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, refused, tests};
use crate::scopes::LARGE;

tests!(start_as_zeros, are_given_back, on_other_streams, of_many_streams,);

fn start_as_zeros(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(MIB, 9))?;
    let mut back = locked_vec![1_u8; 3 * MIB]?;
    stream.scope(|s| {
        let zeroed = s.device_vec::<u8>(MIB)?;
        let scratch = s.device_vec::<u8>(3 * MIB)?;
        let (first, rest) = scratch.split_at_mut(MIB);
        copy!(first <- source, s)?;
        copy!(rest[..MIB] <- zeroed, s)?;
        copy!(rest[MIB..] <- first, s)?;
        copy!(back <- scratch, s)
    })?;
    assert!(back[..MIB] == *source && back[MIB..2 * MIB] == vec![0; MIB] && back[2 * MIB..] == *source);
    Ok(())
}

fn are_given_back(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    stream.scope(|s| s.device_vec::<u8>(LARGE).map(drop))?;
    context.trim(0)?;
    let (free, _) = context.memory_info()?;
    for _ in 0..3 {
        stream.scope(|s| fill!(s.device_vec::<u8>(LARGE)? <- 1, s))?;
        let failed = stream.scope(|s| s.device_vec::<u8>(LARGE)?.get(LARGE + 1).map(drop).ok_or(Error::Unsettled));
        refused(failed, &Error::Unsettled)?;
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            stream.scope(|s| -> memcore::Result<()> {
                s.device_vec::<u8>(LARGE)?;
                resume_unwind(Box::new("meant"))
            })
        }));
        if let Ok(returned) = unwound {
            return Ok(returned?);
        }
    }
    context.trim(0)?;
    all_freed(context)?;
    assert_eq!(context.memory_info()?.0, free);
    Ok(())
}

/// Taken over by other streams, one of them the legacy stream, and used again on their own.
fn on_other_streams(_: &Context) -> Outcome {
    let (first, second, legacy) = (Stream::new()?, Stream::new()?, Stream::legacy()?);
    let source = LockedBuffer::from_slice(&pattern(LARGE, 20))?;
    let mut backs = [locked_vec![1_u8; LARGE]?, locked_vec![1_u8; LARGE]?];
    let [early, late] = &mut backs;
    first.scope(|a| {
        let scratch = a.device_vec::<u8>(LARGE)?;
        copy!(scratch[..LARGE / 2] <- source[..LARGE / 2], a)?;
        second.scope(|b| {
            let scratch = b.take_over(scratch, a)?;
            copy!(early <- scratch, b)?;
            let own = b.device_vec::<u8>(LARGE)?;
            legacy.scope(|c| {
                let (own, beside) = (c.take_over(own, b)?, c.device_vec::<u8>(LARGE)?);
                copy!(beside <- source, c)?;
                copy!(own <- beside, c)
            })?;
            copy!(scratch[LARGE / 2..] <- own[LARGE / 2..], b)
        })?;
        copy!(late <- scratch, a)
    })?;
    assert!(backs[0][..LARGE / 2] == source[..LARGE / 2] && backs[0][LARGE / 2..].iter().all(|byte| *byte == 0));
    assert!(*backs[1] == *source);
    Ok(())
}

/// Each round's temporaries may be the last one's memory, which is freed in order and may still be in use.
fn of_many_streams(_: &Context) -> Outcome {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let source = LockedBuffer::from_slice(&pattern(LARGE, 21))?;
    let mut back = locked_vec![0_u8; LARGE]?;
    memcore::scope(|all| {
        let parts = source.chunks(MIB).zip(back.chunks_mut(MIB));
        for ((source, back), stream) in parts.zip(streams.iter().cycle()) {
            all.on(stream, |s| {
                let (through, zeroed) = (s.device_vec::<u8>(source.len())?, s.device_vec::<u8>(source.len())?);
                copy!(through <- source, s)?;
                copy!(through[..9] <- zeroed[..9], s)?;
                fill!(zeroed <- 0xEE, s)?;
                copy!(back <- through, s)
            })?;
        }
        Ok::<(), Error>(())
    })?;
    for (back, source) in back.chunks(MIB).zip(source.chunks(MIB)) {
        assert!(back[..9] == [0; 9] && back[9..] == source[9..]);
    }
    Ok(())
}
