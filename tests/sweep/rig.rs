//! What a test runs on here: smaller sizes and fewer turns than in the conformance suite itself, since each test runs once
//! for every driver call that it makes.

use memcore::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

pub(crate) use crate::check::{NOT_SAID, Outcome, all_freed, all_waited, joined, refused, waited};

/// A test, by name, that runs in the context it is given, which is entered.
pub(crate) type Test = (&'static str, fn(&Context) -> Outcome);

/// Lists the tests of a module under their own names.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) const TESTS: &[$crate::rig::Test] =
            &[$((concat!(module_path!(), "::", stringify!($name)), $name as fn(&memcore::Context) -> $crate::rig::Outcome)),*];
    };
}
pub(crate) use tests;

/// What stands for a mebibyte.
pub(crate) const MIB: usize = 1 << 10;

/// Of so many turns of a loop, some.
pub(crate) const fn turns(all: u32) -> u32 {
    match all {
        0..3 => all,
        3..20 => 2,
        _ => all.div_ceil(20) + 1,
    }
}

/// What runs random programs: the same ones each time.
pub(crate) fn random_programs(config: Config) -> TestRunner {
    let config = Config { max_shrink_iters: 0, ..config };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
