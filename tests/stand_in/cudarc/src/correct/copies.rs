//! Device memory: allocated, set and copied every way, whole and in parts.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    assert_eq!(context.name()?, "memcore simulated device");
    for stream in [context.default_stream(), context.per_thread_stream(), context.new_stream()?] {
        let source: Vec<u32> = (0..1000).collect();
        let mut device = stream.clone_htod(&source)?;
        assert_eq!(download(&stream, &device)?, source);

        let copy = device.try_clone()?;
        stream.memset_zeros(&mut device)?;
        assert_eq!(download(&stream, &copy)?, source);
        assert_eq!(download(&stream, &device)?, [0; 1000]);

        // Parts of it.
        let marks = [7u32, 8, 9];
        stream.memcpy_htod(&marks, &mut device.slice_mut(10..13))?;
        stream.memcpy_dtod(&copy.slice(100..200), &mut device.slice_mut(500..600))?;
        let (mut low, mut high) = device.split_at_mut(900);
        stream.memset_zeros(&mut low.slice_mut(..5))?;
        stream.memcpy_dtod(&low.slice(10..13), &mut high.slice_mut(97..))?;
        let mut back = vec![1u32; 1000];
        stream.memcpy_dtoh(&device, &mut back)?;
        stream.synchronize()?;
        let mut expected = vec![0u32; 1000];
        expected[10..13].copy_from_slice(&marks);
        expected[500..600].copy_from_slice(&source[100..200]);
        expected[997..].copy_from_slice(&marks);
        assert_eq!(back, expected);

        let mut chunks = Vec::new();
        for chunk in copy.as_view().chunks_exact(250) {
            chunks.extend(download(&stream, &chunk)?);
        }
        assert_eq!(chunks, source);
        let zeros = stream.alloc_zeros::<f64>(17)?;
        assert_eq!(download(&stream, &zeros)?, [0.0; 17]);
    }
    let (free, total) = context.mem_get_info()?;
    assert!(free <= total && total == context.total_mem()?);
    context.synchronize()?;
    Ok(())
}
