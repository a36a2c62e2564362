use super::Crew;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Barrier, Mutex};
use std::thread;

/// Runs `parts`, and says how often each was called.
fn calls(crew: &Crew, parts: usize) -> Vec<usize> {
    let counts: Vec<_> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
    crew.run(parts, parts, &|part| {
        counts[part].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

#[test]
fn every_part_is_done_once() {
    let crew = Crew::default();
    for parts in [0, 1, 2, 3, 8, 20, 1] {
        assert_eq!(calls(&crew, parts), vec![1; parts]);
    }
}

#[test]
fn one_part_needs_no_thread() {
    let crew = Crew::default();
    calls(&crew, 1);
    assert_eq!(crew.len(), 0);
}

#[test]
fn threads_take_part_and_are_kept() {
    let crew = Crew::default();
    let seen = Mutex::new(HashSet::new());
    for _ in 0..2 {
        let all_are_here = Barrier::new(4);
        crew.run(4, 4, &|_| {
            all_are_here.wait();
            seen.lock().unwrap().insert(thread::current().id());
        });
    }
    assert_eq!((seen.into_inner().unwrap().len(), crew.len()), (4, 3));
}

#[test]
fn dismissed_threads_end_and_new_work_starts_new_ones() {
    let crew = Crew::default();
    let meet = |crew: &Crew| {
        let all_are_here = Barrier::new(3);
        crew.run(3, 3, &|_| {
            all_are_here.wait();
        });
    };
    meet(&crew);
    // A thread that has just left work may not be idle yet.
    while crew.len() > 0 {
        crew.dismiss();
        thread::yield_now();
    }
    meet(&crew);
    assert_eq!(crew.len(), 2);
}

#[test]
fn a_panic_comes_to_the_caller_when_all_have_ended() {
    let crew = Crew::default();
    let (ended, begun) = (AtomicUsize::new(0), Barrier::new(4));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        crew.run(4, 4, &|part| {
            begun.wait();
            assert!(part != 2, "part {part}");
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }));
    assert_eq!(*panicked.unwrap_err().downcast::<String>().unwrap(), "part 2");
    assert_eq!(ended.into_inner(), 3);
    // The threads are there as before.
    assert_eq!((calls(&crew, 4), crew.len()), (vec![1; 4], 3));
}

/// The threads are all held by one caller, and another's work is done all the same.
#[test]
fn work_does_not_wait_for_other_work() {
    let crew = Crew::default();
    let (held, release) = (Barrier::new(3), Barrier::new(3));
    thread::scope(|scope| {
        scope.spawn(|| {
            crew.run(2, 2, &|_| {
                held.wait();
                release.wait();
            });
        });
        held.wait();
        assert_eq!(calls(&crew, 2), [1, 1]);
        release.wait();
    });
}

#[test]
fn many_callers_at_once() {
    let crew = Crew::default();
    thread::scope(|scope| {
        for parts in 1..=8 {
            let crew = &crew;
            scope.spawn(move || {
                for _ in 0..200 {
                    assert_eq!(calls(crew, parts), vec![1; parts]);
                }
            });
        }
    });
    assert!(crew.len() <= 7 + 7);
}
