//! `DevicePointer<T>` and `UnifiedPointer<T>` are `T*` to C: by value, in structs and in arrays. The C side is compiled by
//! the system's compiler, or the one that `CC` names.

#![cfg(unix)]

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use libloading::{Library, Symbol};
use memcore::prelude::*;

/// The compiled `tests/c_abi/pointers.c`.
static C: LazyLock<Library> = LazyLock::new(|| {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/c_abi/pointers.c");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pointers-{}.so", std::process::id()));
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    // SAFETY: the library has no initialisers.
    let loaded = unsafe { Library::new(&library) }.unwrap();
    std::fs::remove_file(&library).unwrap();
    loaded
});

/// The C function of this name.
///
/// # Safety
///
/// `F` is its type.
unsafe fn function<F>(name: &str) -> Symbol<'static, F> {
    // SAFETY: the caller's contract.
    unsafe { C.get(name) }.unwrap()
}

/// A C function without arguments that returns a number.
fn number(name: &str) -> usize {
    // SAFETY: all such functions of the library have this type.
    let function = unsafe { function::<extern "C" fn() -> u64>(name) };
    usize::try_from(function()).unwrap()
}

/// The C side's `struct arguments`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Arguments {
    device: DevicePointer<f32>,
    tag: u8,
    unified: UnifiedPointer<u32>,
    both: [DevicePointer<f32>; 2],
}

#[test]
fn sizes_and_alignments_are_those_of_a_pointer() {
    fn is_a_pointer<T>() {
        let pointer = (size_of::<*mut T>(), align_of::<*mut T>());
        assert_eq!((size_of::<DevicePointer<T>>(), align_of::<DevicePointer<T>>()), pointer);
        assert_eq!((size_of::<UnifiedPointer<T>>(), align_of::<UnifiedPointer<T>>()), pointer);
        assert_eq!(pointer, (number("size_of_pointer"), number("align_of_pointer")));
    }
    is_a_pointer::<()>();
    is_a_pointer::<u8>();
    is_a_pointer::<f32>();
    is_a_pointer::<[u64; 100]>();
    is_a_pointer::<DevicePointer<UnifiedPointer<u8>>>();
    assert_eq!(size_of::<Arguments>(), number("size_of_arguments"));
    assert_eq!(std::mem::offset_of!(Arguments, unified), number("offset_of_unified"));
}

#[test]
fn a_device_pointer_goes_by_value() -> memcore::Result<()> {
    let dev = device_vec![1.0_f32, 2.0, 3.0]?;
    let pointer = dev.as_device_ptr();
    // SAFETY: the C function takes a `float *` and returns a `uint64_t`.
    let address_of = unsafe { function::<extern "C" fn(DevicePointer<f32>) -> u64>("address_of") };
    assert_eq!(address_of(pointer), pointer.as_raw());
    assert_eq!(address_of(DevicePointer::null()), 0);
    assert_eq!(address_of(DevicePointer::from_raw(u64::MAX)), u64::MAX);
    // SAFETY: the C function takes a `float *` and a `uint64_t`, and returns a `float *`.
    let after = unsafe { function::<extern "C" fn(DevicePointer<f32>, u64) -> DevicePointer<f32>>("after") };
    assert_eq!(after(pointer, 2), dev[2].as_device_ptr());
    type Eight = extern "C" fn(
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
        DevicePointer<f32>,
    ) -> u64;
    // SAFETY: the C function takes eight `float *` and returns a `uint64_t`.
    let last_of = unsafe { function::<Eight>("last_of") };
    let first = pointer;
    assert_eq!(last_of(first, first, first, first, first, first, first, first.add(1)), first.as_raw() + 4);
    Ok(())
}

#[test]
fn a_unified_pointer_is_read_and_written_through() -> memcore::Result<()> {
    let mut unified = unified_vec![10_u32, 20, 30]?;
    fill!(unified.as_device_slice_mut()[2..] <- 31)?;
    // SAFETY: the C function takes a `const uint32_t *` and a `uint64_t`, and returns a `uint32_t`.
    let read_at = unsafe { function::<unsafe extern "C" fn(UnifiedPointer<u32>, u64) -> u32>("read_at") };
    let pointer = unified.as_unified_ptr();
    // SAFETY: the element lies in the buffer, which nothing writes meanwhile.
    assert_eq!(unsafe { read_at(pointer, 1) }, 20);
    // SAFETY: as above.
    assert_eq!(unsafe { read_at(pointer.add(1), 1) }, 31);
    // SAFETY: the C function takes a `uint32_t *`, a `uint64_t` and a `uint32_t`.
    let write_at = unsafe { function::<unsafe extern "C" fn(UnifiedPointer<u32>, u64, u32)>("write_at") };
    // SAFETY: the element lies in the buffer, which nothing else uses meanwhile.
    unsafe { write_at(UnifiedPointer::from_mut_ptr(unified.as_mut_ptr()), 0, 11) };
    assert_eq!(*unified, [11, 20, 31]);
    assert_eq!(unified.as_device_slice().to_vec()?, [11, 20, 31]);
    Ok(())
}

#[test]
fn pointers_go_in_a_struct() -> memcore::Result<()> {
    let (dev, unified) = (device_vec![1.0_f32, 2.0, 3.0]?, unified_vec![10_u32, 20]?);
    let (device, unified_ptr) = (dev.as_device_ptr(), unified.as_unified_ptr());
    let arguments = Arguments { device, tag: 5, unified: unified_ptr, both: [device, device.add(2)] };
    // SAFETY: the C function takes a `struct arguments` and returns a `uint64_t`.
    let of_struct = unsafe { function::<unsafe extern "C" fn(Arguments) -> u64>("of_struct") };
    // SAFETY: the unified pointer is that of two elements, which nothing writes meanwhile.
    let sum = unsafe { of_struct(arguments) };
    assert_eq!(sum, device.as_raw().wrapping_add(device.add(2).as_raw()).wrapping_add(20 + 5));
    type Returned = extern "C" fn(DevicePointer<f32>, UnifiedPointer<u32>) -> Arguments;
    // SAFETY: the C function takes a `float *` and a `const uint32_t *`, and returns a `struct arguments`.
    let made = unsafe { function::<Returned>("returned") }(device, unified_ptr);
    assert_eq!((made.device, made.tag, made.unified), (device, 9, unified_ptr));
    assert_eq!(made.both, [device.add(1), device.add(2)]);
    Ok(())
}

#[test]
fn pointers_go_in_an_array() -> memcore::Result<()> {
    let (dev, mut unified) = (device_vec![1.0_f32; 4]?, unified_vec![1_u32, 2, 3]?);
    let device = [0, 1, 3].map(|i| dev[i].as_device_ptr());
    // SAFETY: the C function takes a `float *const *` and a `uint64_t`, and returns a `uint64_t`.
    let of_array = unsafe { function::<unsafe extern "C" fn(*const DevicePointer<f32>, u64) -> u64>("of_array") };
    // SAFETY: three pointers lie there, and the C function does not follow them.
    let sum = unsafe { of_array(device.as_ptr(), 3) };
    assert_eq!(sum, device.iter().fold(0_u64, |sum, pointer| sum.wrapping_add(pointer.as_raw())));
    let mut filled = [UnifiedPointer::null(); 3];
    type Fill = unsafe extern "C" fn(*mut UnifiedPointer<u32>, u64, UnifiedPointer<u32>);
    // SAFETY: the C function takes a `uint32_t **`, a `uint64_t` and a `uint32_t *`.
    let fill_array = unsafe { function::<Fill>("fill_array") };
    let first = UnifiedPointer::from_mut_ptr(unified.as_mut_ptr());
    // SAFETY: there is room for three pointers.
    unsafe { fill_array(filled.as_mut_ptr(), 3, first) };
    assert_eq!(filled, [first, first.add(1), first.add(2)]);
    // SAFETY: the element lies in the buffer, which nothing writes meanwhile.
    assert_eq!(unsafe { filled[2].as_ptr().read() }, 3);
    Ok(())
}

/// What a kernel gets of a struct in device memory: the pointers' bytes, as C would have written them.
#[test]
fn pointers_go_to_the_device_as_c_lays_them_out() -> memcore::Result<()> {
    let (dev, unified) = (device_vec![1.0_f32; 4]?, unified_vec![1_u32, 2, 3]?);
    let pointers = device_vec![dev.as_device_ptr(), dev[1].as_device_ptr()]?;
    let addresses = pointers.view_as::<u64>()?.to_vec()?;
    assert_eq!(addresses, [dev.as_device_ptr().as_raw(), dev.as_device_ptr().as_raw() + 4]);
    let boxed = device_box![unified.as_unified_ptr()]?;
    assert_eq!(boxed.view_as::<usize>()?.to_value()?, unified.as_ptr().addr());
    Ok(())
}
