//! `DeviceLayout` and the CUDA headers made from it, compiled by `g++` (or what `CXX` names) and by NVRTC.

#![allow(dead_code, reason = "fields that are there for their layout")]

use std::{
    env, fs,
    io::{self, Write},
    marker::PhantomData,
    num::{NonZeroI16, NonZeroU32, Wrapping},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{LazyLock, Once},
};

use memcore::{
    bytemuck,
    layout::{Layout, NameClash, cuda_asserts, cuda_header},
    prelude::*,
};

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    mass: f32,
    id: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(i16)]
enum Sign {
    Minus = -1,
    #[allow(non_camel_case_types)]
    r#true,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u64)]
enum Large {
    Least = 0,
    Most = u64::MAX,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(i64)]
enum Wide {
    Least = i64::MIN,
    Most = i64::MAX,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u128)]
enum Huge {
    Only = 1 << 100,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    number: f64,
    halves: [u32; 2],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct HalfDense(u16, u64, Particle, glam::Vec2);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Pair<T>(T, T);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Row<T, const N: usize, const SIGNED: i32> {
    values: [T; N],
    marker: PhantomData<String>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>, Mixed<[u8; 4], u16>))]
#[repr(C, packed)]
struct Mixed<T, U> {
    one: T,
    other: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Unit;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C, align(32))]
struct Everything {
    r#struct: Pair<Pair<i32>>,
    class: Row<f64, 2, -3>,
    struct_: [Sign; 4],
    größe: Large,
    node: DevicePointer<Everything>,
    values: UnifiedPointer<f32>,
    bits: DevicePointer<Bits>,
    lists: DevicePointer<DevicePointer<u8>>,
    anything: [DevicePointer<[u8; 2]>; 2],
    wide: Wide,
    key: u64,
    huge: Huge,
    big: u128,
    vector: glam::Vec3,
    _pad: [u8; 4],
    vectors: [glam::Vec4; 2],
    dense: HalfDense,
    mixed: Mixed<f32, u32>,
    unit: Unit,
    marker: PhantomData<[String]>,
    _less: [u8; 6],
    none: [u64; 0],
    union: [Bits; 2],
    wrapped: Wrapping<u16>,
    nonzero: NonZeroI16,
    optional: Option<NonZeroU32>,
    letter: char,
    flag: bool,
    small: i8,
    last: [u8; 42],
}

/// A folder of this test's own, with a header in it.
fn folder(name: &str, header: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("layout-{name}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("records.h"), header).unwrap();
    folder
}

fn gxx(arguments: &[&str], folder: &Path) -> Output {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror"]).args(arguments).current_dir(folder);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn log(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compiles the header of a folder by itself.
fn compile(folder: &Path, standard: &str) -> Output {
    fs::write(folder.join("alone.cpp"), "#include \"records.h\"\n#include \"records.h\"\n").unwrap();
    gxx(&[standard, "-fsyntax-only", "alone.cpp"], folder)
}

/// Compiles a file with NVRTC, if there is one: that of `NVRTC_PYTHON`'s packages, or of `target/nvrtc`, or of the
/// system's Python. Without `NVRTC_PYTHON` it may be missing, which is said.
fn nvrtc(source: &Path, folder: &Path) -> Option<Output> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = env::var_os("NVRTC_PYTHON").map(PathBuf::from);
    let installed = root.join("target/nvrtc/bin/python3");
    let python = match &named {
        Some(python) => root.join(python),
        None if installed.exists() => installed,
        None => "python3".into(),
    };
    let mut command = Command::new(&python);
    let include = format!("-I{}", folder.display());
    command.arg(root.join("scripts/nvrtc.py")).arg(source).arg(include).arg("--gpu-architecture=compute_90");
    let output = command.output();
    let found = output.as_ref().is_ok_and(|output| output.status.code() != Some(77));
    if !found {
        assert!(named.is_none(), "{command:?}: {output:?}");
        // Once, and past the harness, which shows nothing of tests that pass.
        static SAID: Once = Once::new();
        let text = "SKIPPED: no NVRTC; `.ci/run` says how to install it, and NVRTC_PYTHON which Python has it\n";
        SAID.call_once(|| io::stderr().write_all(text.as_bytes()).unwrap());
        return None;
    }
    Some(output.unwrap())
}

/// The header and the records of the example.
static EXAMPLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let (profile, built) = if cfg!(debug_assertions) { ("dev", "debug") } else { ("release", "release") };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--example", "02_cuda_header", "--profile", profile, "--target-dir"]);
    let status = cargo.arg(target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(status.success(), "{cargo:?}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout-example");
    let output = Command::new(target.join(built).join("examples/02_cuda_header")).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", log(&output));
    folder
});

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda_header/reads_every_field.cu");

#[test]
fn layouts_say_where_each_field_is() {
    let layout = Particle::layout();
    assert_eq!((layout.name(), layout.size(), layout.align()), ("Particle", 24, 8));
    let fields: Vec<_> =
        layout.fields().iter().map(|field| (field.name(), field.offset(), field.size(), field.type_name())).collect();
    let field = |name, offset, size, ty: &str| (name, offset, size, ty.to_owned());
    let wanted =
        [field("position", 0, 12, "float[3]"), field("mass", 12, 4, "float"), field("id", 16, 8, "unsigned long long")];
    assert_eq!(fields, wanted);

    let everything = Everything::layout();
    assert_eq!((everything.size(), everything.align()), (size_of::<Everything>(), 32));
    let of = |name: &str| everything.fields().iter().find(|field| field.name() == name).unwrap();
    assert_eq!(of("dense").offset(), std::mem::offset_of!(Everything, dense));
    assert_eq!(of("struct").type_name(), "Pair_Pair_i32");
    assert_eq!(of("class").type_name(), "Row_f64_2_minus_3");
    assert_eq!(of("class").layout().fields()[0].type_name(), "double[2]");
    assert_eq!(of("struct_").type_name(), "Sign[4]");
    assert_eq!(of("node").type_name(), "struct Everything*");
    assert_eq!(of("values").type_name(), "float*");
    assert_eq!(of("bits").type_name(), "union Bits*");
    assert_eq!(of("lists").type_name(), "unsigned char**");
    assert_eq!(of("anything").type_name(), "void*[2]");
    assert_eq!(of("vector").type_name(), "unsigned char[12]");
    assert_eq!(of("mixed").type_name(), "Mixed_f32_u32");
    assert_eq!(of("union").layout().size(), 16);
    assert_eq!(of("optional").type_name(), "unsigned int");
    assert_eq!((of("none").size(), of("unit").size(), of("marker").size()), (0, 0, 0));
    assert_eq!(Mixed::<[u8; 4], u16>::layout().name(), "Mixed_u8_4_u16");
    assert_eq!(HalfDense::layout().fields()[1].offset(), 2);
    assert_eq!(<[Pair<f32>; 3]>::layout().size(), 24);
    assert_eq!(Unit::layout().fields().len(), 0);
}

#[test]
fn headers_compile_with_every_standard() {
    let header =
        cuda_header(&[Everything::layout(), Unit::layout(), <[Particle; 2]>::layout(), f32::layout()]).unwrap();
    let folder = folder("everything", &header);
    for standard in ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"] {
        let output = compile(&folder, standard);
        assert!(output.status.success(), "{standard}: {}\n{header}", log(&output));
    }
    if let Some(output) = nvrtc(&folder.join("records.h"), &folder) {
        assert!(output.status.success(), "{}\n{header}", log(&output));
    }
}

#[test]
fn headers_are_the_same_each_time_and_define_a_type_once() {
    let layouts = [Particle::layout(), <[Particle; 2]>::layout(), Pair::<Particle>::layout(), Particle::layout()];
    let header = cuda_header(&layouts).unwrap();
    assert_eq!(header, cuda_header(&layouts).unwrap());
    assert_eq!(header.matches("struct Particle {").count(), 1);
    let (inner, outer) = (header.find("struct Particle {"), header.find("struct Pair_Particle {"));
    assert!(inner < outer, "{header}");
}

#[test]
fn fields_are_read_right_by_code_compiled_against_the_header() {
    let output = gxx(&["-std=c++17", "-x", "c++", "-I.", READER, "-o", "check"], &EXAMPLE);
    assert!(output.status.success(), "{}", log(&output));
    let output = Command::new(EXAMPLE.join("check")).arg(EXAMPLE.join("records.bin")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert_eq!(text, "host: every field of 1000 records is right\n");
}

#[test]
fn kernels_compile_against_the_header() {
    if let Some(output) = nvrtc(Path::new(READER), &EXAMPLE) {
        assert!(output.status.success(), "{}", log(&output));
    }
}

/// One side changes a field, and the compiler says which.
#[test]
fn a_field_changed_on_one_side_is_named() {
    let header = cuda_header(&[Particle::layout()]).unwrap();
    let (mass, id) = ("    float mass;\n", "    unsigned long long id;\n");
    let changes = [
        ("wider", mass, "    double mass;\n", "Particle.mass: size 4 in Rust"),
        ("integer", mass, "    int mass;\n", "Particle.mass: a floating-point number in Rust"),
        ("float", id, "    double id;\n", "Particle.id: an integer in Rust"),
        ("gone", mass, "", "mass"),
        ("renamed", mass, "    float weight;\n", "mass"),
        ("longer", "position[3]", "position[4]", "Particle.position: size 12 in Rust"),
        ("added", mass, "    float speed;\n    float mass;\n", "Particle.mass: offset 12 in Rust"),
        ("last", id, "    unsigned long long id;\n    int last;\n", "Particle: size 24 in Rust"),
        ("aligned", "struct Particle", "struct alignas(16) Particle", "Particle: alignment 8 in Rust"),
    ];
    for (name, from, to, wanted) in changes {
        let folder = folder(name, &header.replacen(from, to, 1));
        let output = compile(&folder, "-std=c++17");
        assert!(!output.status.success(), "{name}");
        assert!(log(&output).contains(wanted), "{name}: {}", log(&output));
        if let Some(output) = nvrtc(&folder.join("records.h"), &folder) {
            assert!(!output.status.success(), "{name}");
            assert!(log(&output).contains(wanted), "{name}: {}", log(&output));
        }
    }
}

#[test]
fn structs_written_by_hand_are_checked() {
    let vector = "struct float3 { float x, y, z; };\n";
    let same = "struct Particle { float3 position; float mass; unsigned long long id; };\n";
    let union = "union Bits { double number; unsigned int halves[2]; };\n";
    let asserts = cuda_asserts(&[Particle::layout(), Bits::layout(), Unit::layout(), f32::layout()]);
    let compiles = |name: &str, structs: &str| {
        let folder = folder(name, &format!("#pragma once\n{structs}{asserts}"));
        let output = compile(&folder, "-std=c++11");
        (output.status.success(), log(&output))
    };
    let (accepted, text) = compiles("by-hand", &format!("{vector}{same}{union}"));
    assert!(accepted, "{text}");
    let swapped = "struct Particle { float mass; float3 position; unsigned long long id; };\n";
    let (accepted, text) = compiles("by-hand-swapped", &format!("{vector}{swapped}{union}"));
    assert!(!accepted && text.contains("Particle.position: offset 0 in Rust"), "{text}");
    let (accepted, text) = compiles("by-hand-union", &format!("{vector}{same}{}", union.replace("[2]", "[4]")));
    assert!(!accepted && text.contains("Bits: size 8 in Rust"), "{text}");
}

mod other {
    use memcore::prelude::*;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    pub(crate) struct Particle {
        pub(crate) key: u32,
    }

    /// Differs from another type in case only.
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    #[allow(clippy::upper_case_acronyms)]
    pub(crate) struct PARTICLE {
        pub(crate) key: u32,
    }
}

#[test]
fn two_types_of_one_name_are_an_error() {
    let clash = cuda_header(&[Particle::layout(), Pair::<other::Particle>::layout()]).unwrap_err();
    assert_eq!(clash.name, "Particle");
    let text = "two different types of one header are both named Particle: rename one of them";
    assert_eq!(clash.to_string(), text);
    let _: &dyn std::error::Error = &clash;
    let by_case = cuda_header(&[Particle::layout(), other::PARTICLE::layout()]);
    assert!(by_case.is_ok_and(|header| header.contains("struct PARTICLE {")));
    let _: Result<String, NameClash> = cuda_header(&[]);
}

#[test]
fn names_are_those_that_c_takes() {
    let header = cuda_header(&[Everything::layout()]).unwrap();
    for line in [
        "    Pair_Pair_i32 struct_;\n",
        "    Row_f64_2_minus_3 class_;\n",
        "    Sign struct__[4];\n",
        "    Large gru00f6u00dfe;\n",
        "    true_ = 0,\n",
        "    Minus = -1,\n",
        "    Most = 18446744073709551615ULL,\n",
        "    Least = -9223372036854775807LL - 1,\n",
        "    // marker has no bytes.\n",
        "    Bits union_[2];\n",
    ] {
        assert!(header.contains(line), "{line}{header}");
    }
}

/// A type that has `Pod` by hand.
#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct ByHand {
    position: glam::Vec3,
    mass: f32,
}

// SAFETY: numbers without padding, all of which may be 0.
unsafe impl bytemuck::Zeroable for ByHand {}
// SAFETY: numbers without padding.
unsafe impl bytemuck::Pod for ByHand {}

#[test]
fn types_that_are_pod_already_have_a_layout_too() {
    let layout: Layout = ByHand::layout();
    assert_eq!((layout.name(), layout.size()), ("ByHand", 16));
    let folder = folder("pod", &cuda_header(&[layout]).unwrap());
    let output = compile(&folder, "-std=c++11");
    assert!(output.status.success(), "{}", log(&output));
}

mod named_like_numbers {
    use memcore::prelude::*;

    #[allow(non_camel_case_types)]
    type u64 = glam::Vec2;
    #[allow(non_camel_case_types)]
    type u8 = u16;

    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    pub(super) struct Record {
        vectors: [u64; 2],
        wide: [u8; 2],
    }
}

#[test]
fn types_are_described_by_what_they_are_and_not_by_their_names() {
    let layout = named_like_numbers::Record::layout();
    assert_eq!((layout.size(), layout.align()), (20, 4));
    let fields: Vec<_> = layout.fields().iter().map(|field| (field.offset(), field.type_name())).collect();
    assert_eq!(fields, [(0, "unsigned char[16]".to_owned()), (16, "unsigned char[4]".to_owned())]);
    let folder = folder("named-like-numbers", &cuda_header(&[layout]).unwrap());
    let output = compile(&folder, "-std=c++11");
    assert!(output.status.success(), "{}", log(&output));
}
