//! All tests.

use crate::rig::Test;

/// Those that need one device. (`devices::TESTS` and `peers::TESTS` need two.)
pub(crate) fn one_device() -> Vec<Test> {
    let suites = [
        crate::array_copies::TESTS,
        crate::advice::TESTS,
        crate::array_model::TESTS,
        crate::arrays::TESTS,
        crate::boxes::TESTS,
        crate::buffers::TESTS,
        crate::contexts::TESTS,
        crate::copies::TESTS,
        crate::fills::TESTS,
        crate::functions::TESTS,
        crate::in_order::TESTS,
        crate::lists::TESTS,
        crate::locked::TESTS,
        crate::locked_large::TESTS,
        crate::model::TESTS,
        crate::registered::TESTS,
        crate::moves::TESTS,
        crate::pools::TESTS,
        crate::questions::TESTS,
        crate::scope_endings::TESTS,
        crate::scopes::TESTS,
        crate::slices::TESTS,
        crate::staging::TESTS,
        crate::streams::TESTS,
        crate::temporaries::TESTS,
        crate::threads::TESTS,
        crate::traits::TESTS,
        crate::transfers::TESTS,
        crate::unified::TESTS,
        crate::unified_copies::TESTS,
        crate::variable::TESTS,
        crate::view_model::TESTS,
        crate::views::TESTS,
    ];
    suites.concat()
}
