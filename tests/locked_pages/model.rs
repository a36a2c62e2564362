//! Random programs against a plain model.

use memcore::LockedStatistics;
use memcore::prelude::*;
use memcore::sim::SimOptions;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

use super::{LARGE, open, zeroed};

#[derive(Clone, Debug)]
enum Step {
    Allocate { quarters: usize, zeroed: bool },
    Free(usize),
    TakeApart(usize),
    Trim(usize),
    Limit(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let allocate = (1..24_usize, any::<bool>()).prop_map(|(quarters, zeroed)| Step::Allocate { quarters, zeroed });
    let bytes = || (0..12_usize).prop_map(|times| times * LARGE);
    prop_oneof![
        4 => allocate,
        4 => any::<usize>().prop_map(Step::Free),
        1 => any::<usize>().prop_map(Step::TakeApart),
        1 => bytes().prop_map(Step::Trim),
        1 => bytes().prop_map(Step::Limit),
    ]
}

/// Whatever is kept and given back: every buffer has its own bytes, zeros are zeros, and no more is kept than is said.
#[test]
fn random_programs_agree_with_a_plain_model() {
    let config = Config { cases: 40, ..Config::default() };
    proptest!(config, |(steps in vec(step(), 1..60))| {
        let (sim, context) = open(SimOptions::default());
        let (mut buffers, mut limit, mut large, mut number) = (Vec::new(), usize::MAX, 0, 0_u8);
        for step in steps {
            match step {
                Step::Allocate { quarters, zeroed: is_zeroed } => {
                    let len = quarters * LARGE / 4 + quarters % 3;
                    number = number % 250 + 1;
                    large += u64::from(len >= LARGE);
                    let locked = if is_zeroed {
                        let mut locked = zeroed(&context, len).unwrap();
                        prop_assert!(locked.iter().all(|byte| *byte == 0));
                        locked.fill(number);
                        locked
                    } else {
                        LockedBuffer::filled_in(&context, number, len).unwrap()
                    };
                    buffers.push((locked, number, len));
                }
                Step::Free(at) if !buffers.is_empty() => {
                    let (locked, number, _) = buffers.swap_remove(at % buffers.len());
                    prop_assert!(locked.iter().all(|byte| *byte == number));
                    locked.try_free().unwrap();
                }
                Step::TakeApart(at) if !buffers.is_empty() => {
                    let (locked, number, len) = buffers.swap_remove(at % buffers.len());
                    let (pointer, _) = locked.into_raw_parts();
                    // SAFETY: the parts of a buffer that was just taken apart.
                    buffers.push((unsafe { LockedBuffer::from_raw_parts(pointer, len) }, number, len));
                }
                Step::Trim(keep) => {
                    context.trim(keep).unwrap();
                    prop_assert!(context.locked_statistics().kept_bytes <= keep as u64);
                }
                Step::Limit(bytes) => {
                    limit = bytes;
                    context.keep_locked_memory(bytes).unwrap();
                }
                Step::Free(_) | Step::TakeApart(_) => {}
            }
            let LockedStatistics { kept_bytes, kept_limit, reused, mapped, refused, .. } = context.locked_statistics();
            prop_assert!(kept_bytes <= kept_limit && kept_limit <= limit as u64);
            prop_assert_eq!((reused + mapped, refused), (large, 0));
            for (locked, number, len) in &buffers {
                prop_assert!(locked.len() == *len && locked[0] == *number && locked[len - 1] == *number);
            }
        }
        drop(buffers);
        prop_assert_eq!(context.take_drop_errors(), vec![]);
        drop(context);
        prop_assert!(sim.finish().is_empty());
    });
}
