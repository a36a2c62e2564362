//! Moves within device memory, beside those of a host slice.

use std::ops::Bound;

use memcore::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, random_programs, tests, turns};

tests!(
    every_small_move,
    random_moves,
    large_moves,
    moves_larger_than_their_scratch_memory,
    moves_of_other_types,
    moves_of_unified_memory,
    moves_in_a_scope,
    random_moves_in_a_scope,
);

fn every_small_move(_: &Context) -> Outcome {
    let host = pattern(6, 60);
    let dev = DeviceBuffer::from_slice(&host)?;
    let mut moved = DeviceBuffer::<u8>::zeroed(6)?;
    for start in 0..=6 {
        for end in start..=6 {
            for to in 0..=6 - (end - start) {
                copy!(moved <- dev)?;
                moved.copy_within(start..end, to)?;
                let mut expected = host.clone();
                expected.copy_within(start..end, to);
                assert_eq!(moved.to_vec()?, expected, "{start}..{end} to {to}");
            }
        }
    }
    moved.copy_within(.., 0)?;
    moved.copy_within(6.., 0)?;
    moved.copy_within((Bound::Excluded(3), Bound::Unbounded), 0)?;
    moved.copy_within(5, 0)?;
    Ok(())
}

/// A length, and of that a range and where it goes.
fn a_move(most: usize) -> impl Strategy<Value = (usize, usize, usize, usize)> {
    (1..=most).prop_flat_map(|len| (Just(len), 0..=len)).prop_flat_map(|(len, start)| {
        (start..=len).prop_flat_map(move |end| (Just(len), Just(start), Just(end), 0..=len - (end - start)))
    })
}

/// What a failure is to a random program.
fn failed(error: memcore::Error) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn random_moves(_: &Context) -> Outcome {
    let mut runner = random_programs(Config { cases: turns(200), failure_persistence: None, ..Config::default() });
    runner.run(&a_move(5000), |(len, start, end, to)| {
        let host: Vec<u32> = (0..len as u32).collect();
        let mut expected = host.clone();
        expected.copy_within(start..end, to);
        let mut dev = DeviceBuffer::from_slice(&host).map_err(failed)?;
        dev.copy_within(start..end, to).map_err(failed)?;
        prop_assert!(dev.to_vec().map_err(failed)? == expected, "{start}..{end} to {to} of {len}");
        Ok(())
    })?;
    Ok(())
}

/// By one copy, by a few and through scratch memory, to either side.
fn large_moves(_: &Context) -> Outcome {
    let host = pattern(4 * MIB, 61);
    let mut dev = DeviceBuffer::from_slice(&host)?;
    let mut expected = host;
    for (range, to) in [
        (0..2 * MIB, 2 * MIB),
        (MIB..4 * MIB, 0),
        (0..3 * MIB, MIB),
        (1..4 * MIB, 0),
        (0..4 * MIB - 1, 1),
        (7..4 * MIB - 7, 8),
        (MIB / 2..4 * MIB, MIB / 2 - 100),
    ] {
        dev.copy_within(range.clone(), to)?;
        expected.copy_within(range, to);
        assert!(dev.to_vec()? == expected);
    }
    Ok(())
}

/// In parts of 32 MiB.
fn moves_larger_than_their_scratch_memory(_: &Context) -> Outcome {
    let mut expected = pattern(70 * MIB, 63);
    let mut dev = DeviceBuffer::from_slice(&expected)?;
    for (range, to) in [(..70 * MIB - 3, 3), (..66 * MIB, MIB)] {
        dev.copy_within(range, to)?;
        expected.copy_within(range, to);
        assert!(dev.to_vec()? == expected);
    }
    dev.copy_within(5.., 0)?;
    expected.copy_within(5.., 0);
    assert!(dev.to_vec()? == expected);
    Ok(())
}

fn moves_of_other_types(_: &Context) -> Outcome {
    let mut flags = device_vec![true, false, false, true, true]?;
    flags.copy_within(..4, 1)?;
    assert_eq!(flags.to_vec()?, [true, true, false, false, true]);
    let mut wide = DeviceBuffer::from_slice(&[[1_u64; 3], [2; 3], [3; 3], [4; 3]])?;
    wide[1..].copy_within(1.., 0)?;
    assert_eq!(wide.to_vec()?, [[1; 3], [3; 3], [4; 3], [4; 3]]);
    let mut units = device_vec![(); 5]?;
    units.copy_within(1..3, 2)?;
    Ok(())
}

fn moves_of_unified_memory(_: &Context) -> Outcome {
    let mut unified = unified_vec![1_u16, 2, 3, 4, 5]?;
    unified.as_device_slice_mut().copy_within(..4, 1)?;
    assert_eq!(*unified, [1, 1, 2, 3, 4]);
    Ok(())
}

fn moves_in_a_scope(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(2 * MIB, 62);
    let mut dev = DeviceBuffer::<u8>::zeroed(2 * MIB)?;
    let mut back = locked_vec![0_u8; 2 * MIB]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- host, s)?;
        dev.copy_within(1.., 0, s)?;
        dev.copy_within(..MIB, MIB, s)?;
        dev[..MIB].copy_within(..MIB - 100, 100, s)?;
        dev.copy_within(..0, 5, s)?;
        copy!(back <- dev, s)
    })?;
    let mut expected = host;
    expected.copy_within(1.., 0);
    expected.copy_within(..MIB, MIB);
    expected[..MIB].copy_within(..MIB - 100, 100);
    assert!(*back == *expected);
    Ok(())
}

fn random_moves_in_a_scope(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let moves = prop::collection::vec(a_move(300), 1..6);
    let mut runner = random_programs(Config { cases: turns(60), failure_persistence: None, ..Config::default() });
    runner.run(&moves, |moves| {
        let mut expected: Vec<u16> = (0..300).collect();
        let mut dev = DeviceBuffer::from_slice(&expected).map_err(failed)?;
        let moved = stream.scope(|s| {
            let dev = s.lend(&mut dev);
            moves.iter().try_for_each(|(len, start, end, to)| dev[..*len].copy_within(*start..*end, *to, s))
        });
        moved.map_err(failed)?;
        for (len, start, end, to) in moves {
            expected[..len].copy_within(start..end, to);
        }
        prop_assert!(dev.to_vec().map_err(failed)? == expected);
        Ok(())
    })?;
    Ok(())
}
