//! Names in C.

/// What C++ and CUDA keep for themselves and Rust does not, and what Rust lets a program name with an `r#`.
const KEPT: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "unix",
    "linux",
];

/// A name that C++ takes: `name` where it does.
pub(crate) fn c_identifier(name: &str) -> String {
    let known = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let spell = |letter: char| if known(letter) { letter.to_string() } else { format!("u{:04x}", u32::from(letter)) };
    let mut text: String = name.chars().map(spell).collect();
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if KEPT.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// A name for each of `names` that C++ takes, all different.
pub(super) fn c_identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let mut text = c_identifier(name);
        while taken.contains(&text) {
            text.push('_');
        }
        taken.push(text);
    }
    taken
}
