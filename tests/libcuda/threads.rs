//! Programs of several threads, and the functions that streams call on the host.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::children::{compiled, program, said};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("threads::with_contexts_of_their_own", || has_no_errors("many", 0)),
    ("threads::that_end_with_a_context_current", || has_no_errors("ends", 0)),
    ("threads::that_are_cancelled", || has_no_errors("cancel", 1)),
    ("threads::of_host_functions", || has_no_errors("functions", 0)),
];

static THREADS: LazyLock<PathBuf> = LazyLock::new(|| compiled("threads", &["-g"]));

/// The program finds all as it should be, and so many violations are told.
#[track_caller]
fn has_no_errors(what: &str, violations: usize) {
    for order in ["lazy", "random:1"] {
        let output = program(&THREADS, &[what]).env("MEMCORE_SIM_ORDER", order).output().unwrap();
        let text = said(&output);
        assert!(output.status.success() && text.contains("done, 0 errors\n"), "{order}: {text}");
        assert_eq!(text.matches("[kind=").count(), violations, "{order}: {text}");
    }
}
