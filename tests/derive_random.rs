//! Random types: the derive accepts exactly those that the compiler lays out without padding and whose fields are fit.
//!
//! One program holds all of them without the derive, and prints what the compiler has made of each; the other has the
//! derive on every one, and the compiler's errors say which are refused. `DERIVE_RANDOM_SEED` makes other types.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// How many types are made.
const COUNT: usize = 300;

/// A small generator (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What a field may be part of.
#[derive(Clone, Copy, PartialEq)]
enum Fitness {
    Plain,
    /// Of checked structs alone.
    Checked,
    Unfit,
}

/// A type, as the derive must judge it once the compiler has said whether it is padded.
struct Item {
    /// Everything but the derive.
    attributes: String,
    definition: String,
    /// An expression that says whether there is padding.
    is_padded: String,
    /// Whether everything else is as it must be.
    fit: bool,
}

/// The types that fields are made of, derived themselves where they are no number.
const NESTED: &str = "
#[derive(Clone, Copy, memcore::DeviceCopy)] #[repr(C)] pub struct Three { bytes: [u8; 3] }
#[derive(Clone, Copy, memcore::DeviceCopy)] #[repr(C)] pub struct Eight { key: u64 }
#[derive(Clone, Copy, memcore::DeviceCopy)] #[repr(C)] pub struct Of<T> { one: T, two: T }
#[derive(Clone, Copy, memcore::DeviceCopy)] #[repr(u16)] pub enum Kind { First, Second }
#[derive(Clone, Copy, memcore::DeviceCopy)] #[device_copy(checked)] #[repr(C)] pub struct Flagged { flags: [bool; 2] }
#[derive(Clone, Copy)] #[repr(C)] pub struct Bare { key: u32 }
";

fn element(random: &mut Random) -> (String, Fitness) {
    const PLAIN: [&str; 16] = [
        "u8",
        "u8",
        "u16",
        "u32",
        "u64",
        "f32",
        "f64",
        "i16",
        "u128",
        "usize",
        "Three",
        "Eight",
        "Of<u16>",
        "Of<u32>",
        "Option<std::num::NonZeroU32>",
        "memcore::DevicePointer<Bare>",
    ];
    const CHECKED: [&str; 5] = ["bool", "char", "Kind", "Flagged", "std::num::NonZero<u16>"];
    const UNFIT: [&str; 6] =
        ["*const u8", "&'static u8", "std::mem::MaybeUninit<u32>", "Bare", "fn(u8)", "std::num::Wrapping<bool>"];
    match random.below(40) {
        0 => (random.pick(&UNFIT).to_owned(), Fitness::Unfit),
        1..=4 => (random.pick(&CHECKED).to_owned(), Fitness::Checked),
        _ => (random.pick(&PLAIN).to_owned(), Fitness::Plain),
    }
}

/// A field's type, perhaps an array.
fn field(random: &mut Random) -> (String, Fitness) {
    let (element, fitness) = element(random);
    let ty = match random.below(8) {
        0 => format!("[{element}; {}]", random.below(5)),
        1 => format!("[[{element}; {}]; 2]", 1 + random.below(4)),
        _ => element,
    };
    (ty, fitness)
}

/// `(A, B)`, as the text of a sum of sizes.
fn sum_of_sizes<'a>(types: impl IntoIterator<Item = &'a str>) -> String {
    types.into_iter().fold("0".to_owned(), |sum, ty| format!("{sum} + size_of::<{ty}>()"))
}

fn structure(name: &str, random: &mut Random) -> Item {
    const REPRS: [&str; 9] =
        ["C", "C", "C", "C", "C, packed", "C, packed(2)", "packed(4), C", "C, align(8)", "C, align(16)"];
    let mut fields: Vec<_> = (0..1 + random.below(4)).map(|_| field(random)).collect();
    let mut repr = random.pick(&REPRS);
    if random.one_in(10) {
        repr = "transparent";
        fields.truncate(1);
    }
    let has_repr = !random.one_in(14);
    let needs_check = fields.iter().any(|(_, fitness)| *fitness == Fitness::Checked);
    let checked = if needs_check { !random.one_in(3) } else { random.one_in(8) };
    let mut attributes = String::new();
    if has_repr {
        write!(attributes, "#[repr({repr})] ").unwrap();
    }
    if checked {
        attributes.push_str("#[device_copy(checked)] ");
    }
    let fit = fields.iter().all(|(_, fitness)| match fitness {
        Fitness::Plain => true,
        Fitness::Checked => checked,
        Fitness::Unfit => false,
    });
    let types = || fields.iter().map(|(ty, _)| ty.as_str());
    let body: String = if random.one_in(4) {
        format!("({});", types().map(|ty| format!("pub {ty}, ")).collect::<String>())
    } else {
        let named = types().enumerate().map(|(index, ty)| format!("pub field_{index}: {ty}, "));
        format!("{{ {}}}", named.collect::<String>())
    };
    Item {
        attributes,
        definition: format!("pub struct {name} {body}"),
        is_padded: format!("size_of::<{name}>() != {}", sum_of_sizes(types())),
        fit: fit && has_repr,
    }
}

fn union(name: &str, random: &mut Random) -> Item {
    const FOUR: [&str; 5] = ["u32", "f32", "[u8; 4]", "[u16; 2]", "Of<u16>"];
    let types: Vec<_> = (0..1 + random.below(3))
        .map(|_| if random.one_in(5) { field(random) } else { (random.pick(&FOUR).to_owned(), Fitness::Plain) })
        .collect();
    let repr = random.pick(&["C", "C", "C", "C, packed", "C, align(8)"]);
    let fields = types.iter().enumerate().map(|(index, (ty, _))| format!("field_{index}: {ty}, "));
    let padded = types.iter().map(|(ty, _)| format!("size_of::<{ty}>() != size_of::<{name}>()"));
    Item {
        attributes: format!("#[repr({repr})] "),
        definition: format!("pub union {name} {{ {}}}", fields.collect::<String>()),
        is_padded: padded.collect::<Vec<_>>().join(" || "),
        fit: types.iter().all(|(_, fitness)| *fitness == Fitness::Plain),
    }
}

/// A struct with parameters, all of whose instances must be without padding.
fn generic(name: &str, random: &mut Random) -> Item {
    const FIELDS: [&str; 9] =
        ["T", "T", "T", "[T; N]", "[[T; 2]; N]", "U", "[U; 2]", "u8", "std::marker::PhantomData<U>"];
    const INSTANCES: [(&str, &str, usize); 7] = [
        ("u8", "u64", 1),
        ("u64", "u8", 3),
        ("u16", "Three", 0),
        ("u128", "u32", 2),
        ("u8", "u16", 0),
        ("u16", "u8", 4),
        ("u8", "u32", 2),
    ];
    let fields: Vec<_> = (0..1 + random.below(3)).map(|_| random.pick(&FIELDS)).collect();
    let repr = random.pick(&["C", "C", "C", "C, packed", "C, packed(4)"]);
    let body: String = fields.iter().map(|ty| format!("pub {ty}, ")).collect();
    // The parameters that the fields do not use are used here, by what takes no room.
    let body = format!("{body}pub std::marker::PhantomData<(T, U, [(); N])>");
    let mut padded = Vec::new();
    for (t, u, n) in INSTANCES {
        let types: Vec<_> = fields
            .iter()
            .map(|ty| if ty.contains("Phantom") { "()".to_owned() } else { ty.replace('T', t).replace('U', u) })
            .map(|ty| ty.replace('N', &n.to_string()))
            .collect();
        let sum = sum_of_sizes(types.iter().map(String::as_str));
        padded.push(format!("size_of::<{name}<{t}, {u}, {n}>>() != {sum}"));
    }
    Item {
        attributes: format!("#[repr({repr})] "),
        definition: format!("pub struct {name}<T, U, const N: usize>({body});"),
        is_padded: padded.join(" || "),
        fit: true,
    }
}

/// A struct with parameters that lists its instances.
fn listed(name: &str, random: &mut Random) -> Item {
    let mut instances: Vec<_> = (0..1 + random.below(2)).map(|_| (field(random), field(random))).collect();
    instances.dedup_by(|((one, _), (other, _)), ((first, _), (second, _))| one == first && other == second);
    let list: Vec<_> = instances.iter().map(|((one, _), (other, _))| format!("{name}<{one}, {other}>")).collect();
    let padded = instances.iter().zip(&list).map(|(((one, _), (other, _)), instance)| {
        format!("size_of::<{instance}>() != {}", sum_of_sizes([one.as_str(), other]))
    });
    Item {
        attributes: format!("#[repr(C)] #[device_copy(instances({}))] ", list.join(", ")),
        definition: format!("pub struct {name}<T, U> {{ one: T, other: U }}"),
        is_padded: padded.collect::<Vec<_>>().join(" || "),
        fit: instances
            .iter()
            .all(|((_, one), (_, other))| [one, other].iter().all(|fitness| **fitness == Fitness::Plain)),
    }
}

fn enumeration(name: &str, random: &mut Random) -> Item {
    let integer = random.pick(&["u8", "i16", "u32", "i64"]);
    let repr = match random.below(4) {
        0 => format!("{integer}, align(4)"),
        _ => integer.to_owned(),
    };
    let data = random.one_in(5);
    let variants = if data { "First(u8), Second" } else { "First, Second = 5, Third" };
    Item {
        attributes: format!("#[repr({repr})] "),
        definition: format!("pub enum {name} {{ {variants} }}"),
        is_padded: format!("size_of::<{name}>() != size_of::<{integer}>()"),
        fit: !data,
    }
}

/// The compiled `memcore` that this test is linked with, and the folder of what it needs.
fn memcore() -> (PathBuf, PathBuf) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--no-run", "--offline", "--quiet", "--message-format=json", "--test", "derive_random"]);
    cargo.args(if cfg!(debug_assertions) { &[][..] } else { &["--release"] });
    let output = cargo.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    let artifact =
        messages.lines().find(|line| line.contains(r#""name":"memcore","#) && line.contains(".rlib")).unwrap();
    let path = artifact.split('"').find(|part| part.ends_with(".rlib")).unwrap();
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    (path.into(), target.join(profile).join("deps"))
}

/// The lines of a program on which the compiler finds errors, with the errors.
fn errors_of(name: &str, source: &str) -> BTreeMap<usize, Vec<String>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("derive-random");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.rs"));
    fs::write(&path, source).unwrap();
    let (library, dependencies) = memcore();
    let output = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=short", "--cap-lints=allow"])
        .arg("--out-dir")
        .arg(&folder)
        .arg(format!("--extern=memcore={}", library.display()))
        .arg(format!("-Ldependency={}", dependencies.display()))
        .arg(&path)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let mut errors: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let place = format!("{name}.rs:");
    for line in text.lines().filter(|line| line.contains(": error") || line.starts_with("error")) {
        match line.split_once(&place) {
            Some((_, rest)) => {
                let number = rest.split(':').next().unwrap().parse().unwrap();
                errors.entry(number).or_default().push(line.to_owned());
            }
            None => assert!(line.starts_with("error: aborting"), "{text}"),
        }
    }
    errors
}

/// A program with an item on each line, and the number of the first of those.
fn program(items: &[Item], write_item: impl Fn(&Item) -> String) -> (String, usize) {
    let mut text = format!("use std::mem::size_of;\n{NESTED}");
    let first_line = text.lines().count() + 1;
    for item in items {
        writeln!(text, "{}", write_item(item)).unwrap();
    }
    (text, first_line)
}

#[test]
fn the_derive_judges_random_types_as_the_compiler_lays_them_out() {
    let seed = env::var("DERIVE_RANDOM_SEED").map_or(4, |seed| seed.parse().expect("a number"));
    let mut random = Random(seed);
    let items: Vec<_> = (0..COUNT)
        .map(|index| {
            let name = format!("Item{index}");
            match random.below(10) {
                0 => union(&name, &mut random),
                1 | 2 => generic(&name, &mut random),
                3 => listed(&name, &mut random),
                4 => enumeration(&name, &mut random),
                _ => structure(&name, &mut random),
            }
        })
        .collect();

    let (truth, first_line) = program(&items, |item| {
        // The derive's own attribute means nothing without it.
        let attributes = item.attributes.split("#[device_copy").next().unwrap();
        let Item { definition, is_padded, .. } = item;
        format!("#[derive(Clone, Copy)] {attributes}{definition} const _: () = assert!(!({is_padded}));")
    });
    let padded = errors_of("truth", &truth);
    for error in padded.values().flatten() {
        assert!(error.contains("E0080"), "seed {seed}: {error}");
    }
    let (derived, _) = program(&items, |Item { attributes, definition, .. }| {
        format!("#[derive(Clone, Copy, memcore::DeviceCopy)] {attributes}{definition}")
    });
    let refused = errors_of("derived", &derived);

    for (line, item) in (first_line..).zip(&items) {
        let padded = padded.contains_key(&line);
        let said = refused.get(&line);
        let text = format!("seed {seed}: {}{} (padded: {padded}): {said:#?}", item.attributes, item.definition);
        assert_eq!(item.fit && !padded, said.is_none(), "{text}");
    }
    let accepted = COUNT - refused.len();
    let least = COUNT * 3 / 10;
    assert!(accepted >= least && refused.len() >= least, "seed {seed}: {accepted} of {COUNT} are accepted");
}
