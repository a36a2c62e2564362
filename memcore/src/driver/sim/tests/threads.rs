//! Several host threads.

use core::ptr;
use std::sync::Arc;

use super::super::{Order, SimOptions};
use super::rig::{Program, Rig, ok};
use crate::driver::Driver;
use crate::driver::ffi::{CUcontext, Handle};

#[test]
fn each_thread_has_its_own_current_context() {
    let (rig, other) = (Rig::new(SimOptions::default()), Rig::new(SimOptions::default()));
    let current = |driver: &Arc<dyn Driver>| {
        let program = Program::new(Arc::clone(driver));
        let mut context = ptr::null_mut();
        ok!(program, context_current(&mut context));
        context
    };
    assert_eq!((current(&rig.driver), current(&other.driver)), (rig.context, other.context));
    let driver = Arc::clone(&rig.driver);
    let elsewhere = std::thread::spawn(move || {
        let program = Program::new(driver);
        let mut context: CUcontext = ptr::null_mut();
        ok!(program, context_current(&mut context));
        context.is_null()
    });
    assert_eq!(elsewhere.join().ok(), Some(true));
    ok!(rig, context_set_current(ptr::null_mut()));
    assert_eq!((current(&rig.driver), current(&other.driver)), (ptr::null_mut(), other.context));
}

#[test]
fn threads_work_side_by_side() {
    for order in [Order::Lazy, Order::Eager, Order::Random(3)] {
        let rig = Rig::new(SimOptions::default().order(order));
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let driver = Arc::clone(&rig.driver);
                scope.spawn(move || {
                    let program = Program::new(driver);
                    let (mut context, mut stream) = (ptr::null_mut(), ptr::null_mut());
                    ok!(program, primary_context_retain(&mut context, 0));
                    ok!(program, context_set_current(context));
                    ok!(program, stream_create(&mut stream, 1, 0));
                    for round in 0..50u8 {
                        let (mut dev, mut out) = (0, [0u8; 300]);
                        ok!(program, mem_alloc_async(&mut dev, 300, stream));
                        ok!(program, memset_d8_async(dev, thread ^ round, 300, stream));
                        ok!(program, memcpy_dtoh_async(out.as_mut_ptr().cast(), dev, 300, stream));
                        ok!(program, mem_free_async(dev, stream));
                        ok!(program, stream_synchronize(stream));
                        assert_eq!(out, [thread ^ round; 300]);
                    }
                    ok!(program, stream_destroy(stream));
                    ok!(program, primary_context_release(0));
                });
            }
        });
        assert!(rig.kinds().is_empty());
    }
}

#[test]
fn the_per_thread_default_stream_is_each_thread_s_own() {
    let rig = Rig::new(SimOptions::default());
    let per_thread = || ptr::without_provenance_mut(2);
    let (dev, host) = (rig.alloc(4), rig.locked(4));
    ok!(rig, memset_d8_async(dev, 7, 4, per_thread()));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, per_thread()));
    let (driver, context) = (Arc::clone(&rig.driver), Handle(rig.context));
    let elsewhere = std::thread::spawn(move || {
        let program = Program::new(driver);
        ok!(program, context_set_current({ context }.0));
        // A wait for the same handle is a wait for another stream: as on an H200 it returns with the copy not done.
        ok!(program, stream_synchronize(ptr::without_provenance_mut(2)));
    });
    elsewhere.join().unwrap();
    assert_ne!(host.read(), [7; 4]);
    ok!(rig, stream_synchronize(per_thread()));
    assert_eq!(host.read(), [7; 4]);
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free_host(host.pointer));
    assert!(rig.kinds().is_empty());
}
