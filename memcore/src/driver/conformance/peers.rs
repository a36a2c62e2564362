//! Peer access and copies between devices, as two H200 have them (`scripts/probes/peers.py`).

use core::ptr;

use super::pools::{from_pool, get_access, pool, set_access};
use super::program;
use crate::driver::ffi::{
    ACCESS_NONE, ACCESS_READ, ACCESS_READ_WRITE, CUdeviceptr, CUstream, LOCATION_DEVICE, STREAM_NON_BLOCKING,
};
use crate::driver::sim::tests::rig::{Program, call, ok};
use crate::driver::sim::{Sim, SimOptions};
use crate::error::Status;

const BAD: Status = Status::INVALID_VALUE;
const FINE: Status = Status::SUCCESS;

#[test]
fn a_device_is_no_peer_of_itself() {
    let program = program();
    let mut can = 7;
    ok!(program, device_can_access_peer(&raw mut can, 0, 0));
    assert_eq!(can, 0);
    assert_eq!(call!(program, device_can_access_peer(&raw mut can, 0, 99)), Status::INVALID_DEVICE);
    let context = program.context;
    assert_eq!(call!(program, context_enable_peer(context, 0)), Status::PEER_ACCESS_UNSUPPORTED);
    assert_eq!(call!(program, context_disable_peer(context)), Status::PEER_ACCESS_NOT_ENABLED);
    assert_eq!(call!(program, context_enable_peer(ptr::null_mut(), 0)), Status::INVALID_CONTEXT);
    assert_eq!(call!(program, context_disable_peer(ptr::null_mut())), Status::INVALID_CONTEXT);
    ok!(program, context_set_current(ptr::null_mut()));
    assert_eq!(call!(program, context_enable_peer(context, 0)), Status::INVALID_CONTEXT);
    assert_eq!(call!(program, context_disable_peer(context)), Status::INVALID_CONTEXT);
    ok!(program, context_set_current(context));
}

#[test]
fn peer_copies_within_a_device() {
    let program = program();
    let (context, host) = (program.context, [9_u8; 64]);
    let (from, to, pageable) = (program.alloc(64), program.alloc(64), host.as_ptr().expose_provenance() as u64);
    assert_eq!(program.upload(from, &host), FINE);
    ok!(program, memcpy_peer(to, context, from, context, 64));
    assert_eq!(program.bytes(to, 64), host);
    ok!(program, memcpy_peer(to, ptr::null_mut(), from, context, 64));
    ok!(program, memcpy_peer(to, context, from, context, 0));
    ok!(program, memcpy_peer(0, context, 0, context, 0));
    assert_eq!(call!(program, memcpy_peer(to, context, from, context, 4 << 20)), BAD);
    assert_eq!(call!(program, memcpy_peer(to, context, pageable, context, 16)), BAD);
    ok!(program, context_set_current(ptr::null_mut()));
    assert_eq!(call!(program, memcpy_peer(to, context, from, context, 64)), Status::INVALID_CONTEXT);
    ok!(program, context_set_current(context));
    ok!(program, context_synchronize());
    ok!(program, mem_free(from));
    ok!(program, mem_free(to));
}

/// What a stream of the first device may do with memory of the second: set it, copy from it, and copy from it by a peer copy;
/// and a set without a stream.
fn reach(program: &Program, stream: CUstream, near: CUdeviceptr, far: CUdeviceptr, of: [usize; 2]) -> [Status; 4] {
    let contexts = [program.context, program.retain(1)];
    ok!(program, context_set_current(contexts[of[0]]));
    let answers = [
        call!(program, memset_d8_async(far, 1, 64, stream)),
        call!(program, memcpy_dtod_async(near, far, 64, stream)),
        call!(program, memcpy_peer_async(near, contexts[0], far, contexts[of[1]], 64, stream)),
        call!(program, memset_d8(far, 1, 16)),
    ];
    ok!(program, context_synchronize());
    ok!(program, stream_synchronize(stream));
    ok!(program, context_set_current(contexts[0]));
    ok!(program, primary_context_release(1));
    answers
}

/// Access is off, is given and is taken away again, for memory of a pool and other memory apart.
fn access_between_two(program: &Program) {
    let there = program.retain(1);
    let (stream, near) = (program.stream(STREAM_NON_BLOCKING), program.alloc(64));
    ok!(program, context_set_current(there));
    let (far, far_stream, pool) = (program.alloc(64), program.stream(STREAM_NON_BLOCKING), pool(program, 1, 0));
    let (status, pooled) = from_pool(program, pool, 64, far_stream);
    assert_eq!(status, FINE);
    for memory in [far, pooled] {
        ok!(program, memset_d8_async(memory, 0, 64, far_stream));
    }
    ok!(program, stream_synchronize(far_stream));
    ok!(program, context_set_current(program.context));

    // By the current context: for plain memory, then for the pool's.
    let all = || [far, pooled].map(|memory| [0, 1].map(|current| reach(program, stream, near, memory, [current, 1])));
    let nothing = [[[BAD, FINE, FINE, BAD], [BAD, FINE, FINE, FINE]], [[BAD, BAD, FINE, BAD], [BAD, FINE, FINE, FINE]]];
    assert_eq!(all(), nothing);
    assert_eq!(get_access(program, pool, LOCATION_DEVICE, 0), (FINE, ACCESS_NONE));
    let set = |flags| set_access(program, pool, LOCATION_DEVICE, 0, flags);
    assert_eq!(set(ACCESS_READ_WRITE), FINE);
    assert_eq!(get_access(program, pool, LOCATION_DEVICE, 0), (FINE, ACCESS_READ_WRITE));
    assert_eq!(all(), [nothing[0], [[FINE; 4]; 2]]);
    assert_eq!([set(ACCESS_READ), set(ACCESS_NONE), set(ACCESS_NONE)], [Status::NOT_SUPPORTED, FINE, FINE]);
    assert_eq!(all(), nothing);

    assert_eq!(call!(program, context_enable_peer(there, 1)), BAD);
    assert_eq!(call!(program, context_disable_peer(there)), Status::PEER_ACCESS_NOT_ENABLED);
    ok!(program, context_enable_peer(there, 0));
    assert_eq!(call!(program, context_enable_peer(there, 0)), Status::PEER_ACCESS_ALREADY_ENABLED);
    assert_eq!(all(), [[[FINE; 4]; 2], nothing[1]]);
    assert_eq!(get_access(program, pool, LOCATION_DEVICE, 0), (FINE, ACCESS_NONE));
    ok!(program, context_set_current(there));
    // One way alone.
    assert_eq!(call!(program, context_disable_peer(program.context)), Status::PEER_ACCESS_NOT_ENABLED);
    ok!(program, context_set_current(program.context));
    ok!(program, context_disable_peer(there));
    assert_eq!(call!(program, context_disable_peer(there)), Status::PEER_ACCESS_NOT_ENABLED);
    assert_eq!(all(), nothing);

    ok!(program, memcpy_peer(far, there, near, program.context, 64));
    // The contexts are not looked at.
    ok!(program, memcpy_peer(far, program.context, near, there, 64));
    ok!(program, context_synchronize());
    ok!(program, context_set_current(there));
    ok!(program, context_synchronize());
    ok!(program, mem_free_async(pooled, far_stream));
    ok!(program, stream_synchronize(far_stream));
    ok!(program, stream_destroy(far_stream));
    ok!(program, mem_free(far));
    ok!(program, pool_destroy(pool));
    ok!(program, context_set_current(program.context));
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(near));
    ok!(program, primary_context_release(1));
}

#[test]
fn access_between_two_simulated_devices() {
    let sim = Sim::new(SimOptions::default().devices(2));
    access_between_two(&Program::in_context(sim.driver()));
}

#[test]
#[allow(clippy::print_stdout, reason = "a test that is left out says so")]
fn access_between_two_devices() {
    let program = program();
    let mut count = 0;
    ok!(program, device_count(&raw mut count));
    if count < 2 {
        println!("left out: the driver has no second device");
        return;
    }
    access_between_two(&program);
}
