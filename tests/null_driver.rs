//! The CUDA driver's way, on a library that does nothing (`benches/null_driver`): it is loaded by its name, each function is
//! looked up when it is first called, and one that the library lacks is an error of its own calls and no others.

use std::env;
use std::path::Path;
use std::process::Command;

use memcore::prelude::*;
use memcore::{AllocatorKind, Error};

/// Set in the process that runs on the library.
const CHILD: &str = "MEMCORE_TEST_CHILD";

#[test]
fn functions_are_looked_up_when_they_are_called() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("null_driver");
    std::fs::create_dir_all(&folder).unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-ftls-model=initial-exec"]);
    command.args(["-Wl,-soname,libcuda.so.1", "-o"]).arg(folder.join("libcuda.so.1"));
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/null_driver/null_driver.c"));
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));

    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "child", "--nocapture"]).env(CHILD, "1").env("MEMCORE_DRIVER", "cuda");
    let output = child.env("LD_LIBRARY_PATH", &folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("ran on the null device"), "{output:?}");
}

#[test]
#[allow(clippy::print_stdout, reason = "the child process says where it ran")]
fn child() {
    if env::var_os(CHILD).is_none() {
        return;
    }
    let device = Device::new(0).unwrap();
    assert!(!device.is_simulated());
    println!("ran on the {}", device.name().unwrap());
    let context = Context::new(&device).unwrap();
    let _entered = context.enter();
    assert_eq!(context.allocator(), AllocatorKind::Pool);
    let stream = Stream::new().unwrap();
    let (mut dev, other) = (device_vec![1_u8, 2, 3].unwrap(), device_vec![7_u32; 3].unwrap());
    let (mut locked, mut host) = (locked_vec![4_u8, 5, 6].unwrap(), [7_u8, 8, 9]);
    let missing = |symbol| Err(Error::MissingSymbol { symbol });
    for _ in 0..3 {
        // Not there, however often it is asked for; what is there goes on.
        assert_eq!(PitchedBuffer::<u8>::zeroed([2, 2]).map(drop), missing("cuMemAllocPitch_v2"));
        assert_eq!(context.stream_priorities().map(drop), missing("cuCtxGetStreamPriorityRange"));
        copy!(dev <- locked).unwrap();
        copy!(dev <- host, stream).unwrap();
        copy!(locked <- dev).unwrap(); // with a ticket
        copy!(host <- dev).unwrap();
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                fill!(dev[..] <- 1, s)?;
                copy!(locked <- dev, s)
            })
            .unwrap();
        assert_eq!(other.copy_to(&mut [0_u32; 2]), Err(Error::LengthMismatch { destination_len: 2, source_len: 3 }));
    }
    // No byte moves on this device.
    assert_eq!((&*locked, host), (&[4, 5, 6][..], [7, 8, 9]));
    drop((dev, other, locked, stream));
    assert_eq!(context.take_drop_errors(), []);
}
