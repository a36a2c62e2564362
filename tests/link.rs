//! How memcore links and finds its driver, shown by programs outside this workspace: they are built with cargo, and run as
//! processes of their own, each with its own environment.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{LazyLock, Mutex, PoisonError};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What names a CUDA installation to build scripts and linkers.
const INSTALLATIONS: [&str; 7] = [
    "CUDA_LIBRARY_PATH",
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
    "CONDA_PREFIX",
    "LIBRARY_PATH",
];

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a command that must succeed.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", text(&output.stderr));
    text(&output.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

/// The manifest of an outside crate, with the versions that this workspace has locked: cargo needs no network for them.
static OUTSIDE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = folder("outside");
    let manifest = folder.join("Cargo.toml");
    let text = format!(
        "
        [package]
        name = 'outside'
        version = '0.0.0'
        edition = '2024'
        [workspace]
        [[bin]]
        name = 'probe'
        path = '{ROOT}/tests/link/probe.rs'
        [[bin]]
        name = 'linked'
        path = '{ROOT}/tests/link/linked.rs'
        required-features = ['truly-links']
        [dependencies]
        memcore = {{ path = '{ROOT}/memcore' }}
        log = '0.4'
        truly-links = {{ path = '{ROOT}/tests/link/truly-links', optional = true }}
        "
    );
    fs::write(&manifest, text).unwrap();
    fs::copy(format!("{ROOT}/Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    manifest
});

/// Builds a program of the outside crate with no CUDA installation named but by `variable`, and returns a copy of it that
/// the next build leaves alone.
fn build(program: &str, copy: &str, variable: Option<(&str, &Path)>) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _until_copied = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let target = folder("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--bin", program, "--manifest-path"]).arg(&*OUTSIDE);
    cargo.arg("--target-dir").arg(&target);
    if program == "linked" {
        cargo.args(["--features", "truly-links"]);
    }
    for name in INSTALLATIONS {
        cargo.env_remove(name);
    }
    cargo.envs(variable);
    succeed(&mut cargo);
    let copy = folder("programs").join(copy);
    fs::copy(target.join("debug").join(program), &copy).unwrap();
    copy
}

/// Builds a `libcuda` at `path`.
fn stub(path: &Path, defines: &[&str]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let source = format!("{ROOT}/tests/link/stub.c");
    succeed(
        Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"])
            .arg(path)
            .args(defines)
            .arg(source),
    );
}

/// The libraries that the system loads before a program starts.
fn needed(program: &Path) -> String {
    let dynamic = succeed(Command::new("readelf").arg("-d").arg(program));
    let needed: Vec<&str> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    assert!(!needed.is_empty(), "{dynamic}");
    needed.join("\n")
}

/// A program, to be run in an environment that names no driver or device.
fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_remove("MEMCORE_DRIVER").env_remove("MEMCORE_DEVICE").env_remove("LD_LIBRARY_PATH");
    command
}

/// What the probe says to a question.
fn ask<'v>(question: &str, variables: impl IntoIterator<Item = (&'v str, &'v OsStr)>) -> Output {
    static PROBE: LazyLock<PathBuf> = LazyLock::new(|| build("probe", "probe", None));
    program(&PROBE).arg(question).envs(variables).output().unwrap()
}

/// What the probe says where `library` is what is found as `libcuda.so.1`.
fn ask_with(library: &Path, driver: Option<&str>, question: &str) -> Output {
    let mut variables = vec![("LD_LIBRARY_PATH", library.parent().unwrap().as_os_str())];
    variables.extend(driver.map(|driver| ("MEMCORE_DRIVER", OsStr::new(driver))));
    ask(question, variables)
}

/// The answer, of a probe that must have one.
#[track_caller]
fn answer(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

/// The error as text, of a probe that must fail, and say nothing else.
#[track_caller]
fn error(output: &Output) -> String {
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""), "{output:?}");
    text(&output.stderr)
}

/// A `libcuda.so.1` of its own folder, made by `stub.c` with these definitions.
fn driver(name: &str, defines: &[&str]) -> PathBuf {
    let path = folder(name).join("libcuda.so.1");
    stub(&path, defines);
    path
}

/// A file of that name which is no library: with it first, the system finds no other.
fn damaged_driver() -> PathBuf {
    let path = folder("damaged").join("libcuda.so.1");
    fs::write(&path, "not a library").unwrap();
    path
}

#[test]
fn a_program_links_and_runs_with_no_cuda() {
    assert_eq!(
        answer(&ask("copy", [("MEMCORE_DRIVER", OsStr::new("sim"))])),
        "[1, 2, 3] by simulated device 0: memcore simulated device"
    );
    let needed = needed(&folder("programs").join("probe"));
    assert!(!needed.contains("libcuda"), "{needed}");
}

/// Builds and runs a crate that really links `libcuda`, where `variable` names an installation that has it in `part`.
#[track_caller]
fn check_linked(name: &str, variable: &str, part: &str) {
    let base = folder(name);
    let defines = ["-DINIT=4242", "-DDEVICES=1"];
    stub(&base.join(part).join("libcuda.so"), &defines);
    let running = driver(&format!("{name}-running"), &defines);
    let linked = build("linked", name, Some((variable, &base)));
    let needed = needed(&linked);
    assert!(needed.contains("[libcuda.so.1]"), "{needed}");
    let mut run = program(&linked);
    run.env("MEMCORE_DRIVER", "sim").env("LD_LIBRARY_PATH", running.parent().unwrap());
    assert_eq!(succeed(&mut run), "linked 4242, copied [1, 2, 3]");
}

#[test]
fn a_crate_that_links_libcuda_gets_it_where_cuda_driver_sys_looks() {
    check_linked("linked-by-sys", "CUDA_LIBRARY_PATH", "lib64/stubs");
}

/// `cuda-driver-sys` passes over this folder, since the installation has no `include/cuda.h`.
#[test]
fn a_crate_that_links_libcuda_gets_it_where_cuda_driver_sys_does_not_look() {
    check_linked("linked-no-header", "CUDA_LIBRARY_PATH", "targets/x86_64-linux/lib/stubs");
}

#[test]
fn a_crate_that_links_libcuda_gets_it_where_only_that_crate_looks() {
    check_linked("linked-by-rules-of-its-own", "CUDA_PATH", "lib64/stubs");
}

#[test]
fn a_missing_function_fails_its_own_call_only() {
    let library = driver("missing", &["-DINIT=0", "-DDEVICES=1"]);
    assert_eq!(answer(&ask_with(&library, Some("cuda"), "device")), "CUDA device 0: a stub");
    assert_eq!(answer(&ask_with(&library, Some("auto"), "device")), "CUDA device 0: a stub");
    assert_eq!(
        answer(&ask_with(&library, Some("cuda"), "name uuid name")),
        r#"Ok("a stub"), Err(the CUDA driver has no function cuDeviceGetUuid: it is too old for this call), Ok("a stub")"#
    );
    let text = error(&ask_with(&library, Some("cuda"), "copy"));
    assert_eq!(text, "the CUDA driver has no function cuDevicePrimaryCtxRetain: it is too old for this call");
}

#[test]
fn a_driver_without_cu_init_says_so() {
    let library = driver("no-init", &["-DDEVICES=1"]);
    let text = error(&ask_with(&library, Some("cuda"), "device"));
    assert_eq!(text, "the CUDA driver has no function cuInit: it is too old for this call");
}

#[test]
fn no_device_is_an_error_of_its_own() {
    for (name, defines) in [("code-100", ["-DINIT=100", "-DDEVICES=1"]), ("none-of-it", ["-DINIT=0", "-DDEVICES=0"])] {
        let library = driver(name, &defines);
        let text = error(&ask_with(&library, Some("cuda"), "device"));
        assert_eq!(text, "the CUDA driver has no device; set MEMCORE_DRIVER=sim to run on the simulated device");
        assert!(answer(&ask_with(&library, Some("auto"), "device")).starts_with("simulated device 0"));
    }
}

/// A driver that is there and does not work is never worked around.
#[test]
fn a_broken_driver_is_an_error_under_auto_too() {
    let library = driver("code-803", &["-DINIT=803", "-DDEVICES=1"]);
    for choice in ["cuda", "auto"] {
        let text = error(&ask_with(&library, Some(choice), "device"));
        assert!(text.starts_with("cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"), "{text}");
    }
}

#[test]
fn a_code_without_a_name_travels_as_its_number() {
    let library = driver("code-4242", &["-DINIT=4242", "-DDEVICES=1"]);
    let text = error(&ask_with(&library, Some("cuda"), "device"));
    assert_eq!(text, "cuInit failed: unknown CUDA driver code (4242)");
}

#[test]
fn without_a_driver_the_error_names_the_files_tried() {
    let library = damaged_driver();
    for question in ["device", "context", "copy"] {
        let text = error(&ask_with(&library, Some("cuda"), question));
        assert!(text.contains("tried libcuda.so.1: "), "{text}");
        assert!(text.contains("/usr/lib/wsl/lib/libcuda.so.1: "), "{text}");
        assert!(text.contains("set MEMCORE_DRIVER=sim"), "{text}");
        // Unset is `cuda`: the simulator is never taken without being asked for.
        assert_eq!(error(&ask_with(&library, None, question)), text);
        assert!(answer(&ask_with(&library, Some("auto"), question)).contains("simulated device 0"));
        assert!(!text.contains("entered"), "{text}");
    }
    let text = error(&ask_with(&library, Some("cuda"), "on another thread"));
    assert!(text.contains("), and of the contexts that are open none is entered on this thread; install"), "{text}");
}

/// The log says why it is the simulated device, and nothing of what has been done already.
#[test]
fn auto_says_why_it_is_the_simulated_device() {
    let said = |library: &Path| {
        let output = ask_with(library, Some("auto"), "log");
        assert!(output.status.success(), "{output:?}");
        text(&output.stderr)
    };
    let text = said(&damaged_driver());
    assert!(text.starts_with("INFO running on the simulated device: no CUDA driver was found (tried "), "{text}");
    assert!(text.ends_with(')') && !text.contains("MEMCORE_DRIVER"), "{text}");
    let library = driver("none-to-log", &["-DINIT=0", "-DDEVICES=0"]);
    assert_eq!(said(&library), "INFO running on the simulated device: the CUDA driver has no device");
}

/// The same with what this machine has: no library, or a real one.
#[test]
fn this_machine_never_takes_the_simulator_silently() {
    let output = ask("device", []);
    if output.status.success() {
        assert!(text(&output.stdout).starts_with("CUDA device 0: "), "{output:?}");
    } else {
        let text = error(&output);
        let known =
            ["no CUDA driver was found (tried libcuda.so.1: ", "the CUDA driver has no device", "cuInit failed"];
        assert!(known.iter().any(|start| text.starts_with(start)), "{text}");
    }
}

#[test]
fn variables_that_mean_nothing_are_errors_with_what_is_accepted() {
    let text = error(&ask("device", [("MEMCORE_DRIVER", OsStr::new("banana"))]));
    assert_eq!(text, r#"MEMCORE_DRIVER="banana" is not valid: expected cuda, sim or auto"#);
    let on_device = |number| {
        ask("context", [("MEMCORE_DRIVER", "sim"), ("MEMCORE_DEVICE", number)].map(|(n, v)| (n, OsStr::new(v))))
    };
    let text = error(&on_device("x"));
    assert_eq!(
        text,
        r#"MEMCORE_DEVICE="x" is not valid: expected the number of a device that there is, counted from 0"#
    );
    assert!(error(&on_device("7")).starts_with(r#"MEMCORE_DEVICE="7" is not valid"#));
    assert_eq!(answer(&on_device("0")), "simulated device 0: memcore simulated device");
}
