//! Device memory: allocated, set and copied every way, whole and in parts.

use cudarc::driver::CudaContext;
use programs::Outcome;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    assert_eq!(context.name()?, "memcore simulated device");
    for stream in [context.default_stream(), context.per_thread_stream(), context.new_stream()?] {
        let source: Vec<u32> = (0..1000).collect();
        let mut device = stream.clone_htod(&source)?;
        assert_eq!(stream.clone_dtoh(&device)?, source);

        let copy = device.try_clone()?;
        stream.memset_zeros(&mut device)?;
        assert_eq!(stream.clone_dtoh(&copy)?, source);
        assert_eq!(stream.clone_dtoh(&device)?, [0; 1000]);

        // Parts of it.
        stream.memcpy_htod(&[7u32, 8, 9], &mut device.slice_mut(10..13))?;
        stream.memcpy_dtod(&copy.slice(100..200), &mut device.slice_mut(500..600))?;
        let (mut low, mut high) = device.split_at_mut(900);
        stream.memset_zeros(&mut low.slice_mut(..5))?;
        stream.memcpy_dtod(&low.slice(10..13), &mut high.slice_mut(97..))?;
        let mut back = vec![1u32; 1000];
        stream.memcpy_dtoh(&device, &mut back)?;
        stream.synchronize()?;
        let mut expected = vec![0u32; 1000];
        expected[10..13].copy_from_slice(&[7, 8, 9]);
        expected[500..600].copy_from_slice(&source[100..200]);
        expected[997..].copy_from_slice(&[7, 8, 9]);
        assert_eq!(back, expected);

        let chunks: Vec<Vec<u32>> =
            copy.as_view().chunks_exact(250).map(|chunk| stream.clone_dtoh(&chunk)).collect::<Result<_, _>>()?;
        assert_eq!(chunks.concat(), source);
        let zeros = stream.alloc_zeros::<f64>(17)?;
        assert_eq!(stream.clone_dtoh(&zeros)?, [0.0; 17]);
        stream.synchronize()?;
    }
    let (free, total) = context.mem_get_info()?;
    assert!(free <= total && total == context.total_mem()?);
    context.synchronize()?;
    Ok(())
}
