//! A kernel of another library among memcore's copies: memcore allocates and copies, cudarc loads and launches, and one
//! scope keeps all of it in order and waits once.
//!
//! `cargo run --release --example 04_cudarc_kernel`. It needs a GPU: the simulated device runs no kernels. Without one it
//! says so, and sends the data through the simulated device, past the kernel.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program does")]

use std::error::Error;
use std::process::ExitCode;

use cudarc::driver::{CudaContext, CudaFunction, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use memcore::Lent;
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

/// Elements of each vector.
const COUNT: usize = 1_000_003;

const FACTOR: f32 = 1.5;

/// `y[i] = a * x[i] + y[i]`, rounded once, for each `i` below `n`.
const PTX: &str = r"
.version 7.0
.target sm_50
.address_size 64

.visible .entry axpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %out;
    .reg .b32 %block, %width, %i, %n;
    .reg .b64 %x, %y, %offset;
    .reg .f32 %a, %xi, %yi;

    mov.u32 %block, %ctaid.x;
    mov.u32 %width, %ntid.x;
    mov.u32 %i, %tid.x;
    mad.lo.u32 %i, %block, %width, %i;
    ld.param.u32 %n, [n];
    setp.ge.u32 %out, %i, %n;
    @%out ret;

    mul.wide.u32 %offset, %i, 4;
    ld.param.u64 %x, [x];
    cvta.to.global.u64 %x, %x;
    add.u64 %x, %x, %offset;
    ld.param.u64 %y, [y];
    cvta.to.global.u64 %y, %y;
    add.u64 %y, %y, %offset;

    ld.param.f32 %a, [a];
    ld.global.f32 %xi, [%x];
    ld.global.f32 %yi, [%y];
    fma.rn.f32 %yi, %a, %xi, %yi;
    st.global.f32 [%y], %yi;
    ret;
}
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("04_cudarc_kernel: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let device = device()?;
    let context = Context::new(&device)?;
    let _entered = context.enter();
    println!("device    {}", device.name()?);
    let axpy = if device.is_simulated() { None } else { Some(Axpy::load(&context)?) };

    let stream = Stream::new()?;
    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..COUNT).map(|i| 0.25 * (i % 7) as f32).collect();
    let (x, y) = (LockedBuffer::from_slice(&x)?, LockedBuffer::from_slice(&y)?);
    let mut dev = DeviceBuffer::<f32>::zeroed(COUNT)?;
    let mut result = LockedBuffer::<f32>::zeroed(COUNT)?;
    stream.scope(|s| -> Result<(), Box<dyn Error>> {
        let (dev_x, dev_y) = (s.device_vec::<f32>(COUNT)?, s.lend(&mut dev));
        copy!(dev_x <- x, s)?;
        copy!(dev_y <- y, s)?;
        if let Some(axpy) = &axpy {
            axpy.queue(s, FACTOR, dev_x, dev_y)?; // behind the uploads, before the download, and nobody waits
        }
        Ok(copy!(result <- dev_y, s)?)
    })?;

    for (i, result) in result.iter().enumerate() {
        let expected = if axpy.is_some() { FACTOR.mul_add(x[i], y[i]) } else { y[i] };
        if result.to_bits() != expected.to_bits() {
            return Err(format!("element {i} is {result}, and not {expected}").into());
        }
    }
    let what = if axpy.is_some() { "cudarc's kernel worked on it" } else { "no kernel worked on it" };
    println!("verified  every element of {COUNT}: {what}");
    Ok(())
}

/// Device 0, the GPU or a simulated one as `MEMCORE_DRIVER` says; a simulated one also where there is no GPU.
fn device() -> memcore::Result<Device> {
    use memcore::Error::{NoDevice, NoDriver};
    let (device, why) = match Device::new(0) {
        Ok(device) if device.is_simulated() => (device, "the simulated device runs no kernels".to_owned()),
        Ok(device) => return Ok(device),
        Err(error @ (NoDriver { .. } | NoDevice { .. })) => {
            (Sim::new(SimOptions::default()).device(0)?, error.to_string())
        }
        Err(error) => return Err(error),
    };
    println!("kernel    none: it needs a GPU, and {why}");
    println!("          the copies alone are tried, on the simulated device");
    Ok(device)
}

/// The kernel, as cudarc has it.
struct Axpy {
    function: CudaFunction,
    cudarc: std::sync::Arc<CudaContext>,
    memcore: Context,
}

impl Axpy {
    /// Loads it in the context of the device. Both libraries use the device's primary context, so addresses and streams
    /// of the one are good in the other.
    fn load(context: &Context) -> Result<Self, DriverError> {
        let cudarc = CudaContext::new(context.device().ordinal() as usize)?;
        let function = cudarc.load_module(Ptx::from_src(PTX))?.load_function("axpy")?;
        Ok(Self { function, cudarc, memcore: context.clone() })
    }

    /// Queues `y = a * x + y` in a scope. The types say what the launch asks for: both vectors are lent to this scope,
    /// one of them to be written, and the kernel is borrowed until the scope has ended.
    fn queue<'scope, 'env>(
        &'env self,
        scope: &Scope<'scope, 'env>,
        a: f32,
        x: &Lent<'scope, DeviceSlice<f32>>,
        y: &mut Lent<'scope, DeviceSlice<f32>>,
    ) -> Result<(), Box<dyn Error>> {
        if *scope.stream().context() != self.memcore {
            return Err("the scope's stream is of another context than the kernel".into());
        }
        if x.len() != y.len() {
            return Err(memcore::Error::LengthMismatch { destination_len: y.len(), source_len: x.len() }.into());
        }
        let (n, x, y) = (u32::try_from(x.len())?, x.as_device_ptr().as_raw(), y.as_device_ptr().as_raw());
        if n == 0 {
            return Ok(()); // a launch of no blocks is an error
        }
        // SAFETY: a stream of the same context, which its scope keeps alive for longer than this wrapper.
        let stream = unsafe { self.cudarc.wrap_borrowed_stream(scope.as_raw().cast()) };
        let mut launch = stream.launch_builder(&self.function);
        launch.arg(&a).arg(&x).arg(&y).arg(&n);
        // SAFETY: the kernel's four parameters. It reads `n` elements of `x` and writes `n` of `y`, which overlap nowhere
        // and are lent to this scope, on its stream; the kernel is borrowed until it has run. No memory of this program
        // is unified, so the host sees none of it before.
        unsafe { launch.launch(LaunchConfig::for_num_elems(n))? };
        Ok(())
    }
}
