//! Threads that share a context, each with a stream of its own.

use std::thread;

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    let elevens = vec![11u32; 512];
    let shared = context.default_stream().clone_htod(&elevens)?;
    context.synchronize()?;
    thread::scope(|scope| {
        for number in 0..8u32 {
            let (context, shared) = (&context, &shared);
            scope.spawn(move || {
                let stream = context.new_stream().unwrap();
                let source = vec![number; 512];
                for _ in 0..20 {
                    let mut device = stream.clone_htod(&source).unwrap();
                    assert_eq!(download(&stream, &device).unwrap(), source);
                    stream.memcpy_dtod(shared, &mut device).unwrap();
                    assert_eq!(download(&stream, &device).unwrap(), [11; 512]);
                }
            });
        }
    });
    Ok(())
}
