//! Types in CUDA C++.

use std::fmt::Write;

use super::{
    FieldLayout, Kind, Layout,
    asserts::{SUPPORT, field_names, write_asserts},
    name::c_identifier,
};

/// Two different types would have one name in C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two different types of one header are both named {name}: rename one of them")]
#[non_exhaustive]
pub struct NameClash {
    /// The name.
    pub name: String,
}

/// Writes a CUDA C++ header with a type for each of `layouts`, and for each type inside them, with assertions that the
/// compiler lays them out as Rust does.
///
/// # Errors
///
/// [`NameClash`] if two different types have one name.
pub fn cuda_header(layouts: &[Layout]) -> Result<String, NameClash> {
    let mut types = Vec::new();
    for layout in layouts {
        collect(layout, &mut types)?;
    }
    let mut text = format!("// Written by memcore from the Rust types of the same names.\n#pragma once\n{SUPPORT}");
    for layout in types {
        text.push('\n');
        write_type(layout, &mut text);
        write_asserts(layout, &mut text);
    }
    Ok(text)
}

/// Adds the types of a layout that need a definition, each after those it holds.
fn collect<'a>(layout: &'a Layout, types: &mut Vec<&'a Layout>) -> Result<(), NameClash> {
    match &layout.kind {
        Kind::Array(element, _) => return collect(element, types),
        Kind::Struct(fields) | Kind::Union(fields) => {
            for field in fields {
                collect(&field.layout, types)?;
            }
        }
        Kind::Enum(..) => {}
        Kind::Scalar(_) | Kind::Pointer(_) | Kind::Bytes => return Ok(()),
    }
    match types.iter().find(|known| known.name == layout.name) {
        Some(known) if *known == layout => Ok(()),
        Some(_) => Err(NameClash { name: layout.name.clone() }),
        None => {
            types.push(layout);
            Ok(())
        }
    }
}

/// The definition of one type.
fn write_type(layout: &Layout, text: &mut String) {
    let name = &layout.name;
    if layout.size == 0 {
        add(text, format_args!("// {name} has no bytes in Rust, and no type here.\n"));
        return;
    }
    match &layout.kind {
        Kind::Struct(fields) => write_fields("struct", layout, fields, text),
        Kind::Union(fields) => write_fields("union", layout, fields, text),
        Kind::Enum(integer, variants) => {
            add(text, format_args!("enum class {name} : {integer} {{\n"));
            for (variant, value) in variants {
                add(text, format_args!("    {} = {},\n", c_identifier(variant), number(*value)));
            }
            text.push_str("};\n");
        }
        Kind::Scalar(_) | Kind::Pointer(_) | Kind::Array(..) | Kind::Bytes => {}
    }
}

/// The definition of a struct or a union.
fn write_fields(keyword: &str, layout: &Layout, fields: &[FieldLayout], text: &mut String) {
    let (name, align) = (&layout.name, layout.align);
    // What the compiler would align it to by itself.
    let natural = fields.iter().filter(|field| field.size() > 0).map(|field| field.layout.align).max().unwrap_or(1);
    let packed = align < natural;
    if packed {
        add(text, format_args!("#pragma pack(push, {align})\n"));
    }
    match align.cmp(&natural) {
        std::cmp::Ordering::Greater => add(text, format_args!("{keyword} alignas({align}) {name} {{\n")),
        _ => add(text, format_args!("{keyword} {name} {{\n")),
    }
    for (field, field_name) in fields.iter().zip(field_names(layout)) {
        if field.size() == 0 {
            add(text, format_args!("    // {field_name} has no bytes.\n"));
        } else {
            add(text, format_args!("    {};\n", field.layout.declaration(&field_name, align)));
        }
    }
    text.push_str("};\n");
    if packed {
        text.push_str("#pragma pack(pop)\n");
    }
}

impl Layout {
    /// The element of an array of arrays, or the type itself.
    pub(super) fn element(&self) -> &Layout {
        match &self.kind {
            Kind::Array(element, _) => element.element(),
            _ => self,
        }
    }

    /// The type of a variable without its dimensions, and those.
    fn parts(&self) -> (String, String) {
        match &self.kind {
            Kind::Scalar(spelling) => ((*spelling).to_owned(), String::new()),
            Kind::Pointer(pointee) => (format!("{pointee}*"), String::new()),
            Kind::Array(element, len) => {
                let (spelling, dimensions) = element.parts();
                (spelling, format!("[{len}]{dimensions}"))
            }
            Kind::Struct(_) | Kind::Union(_) | Kind::Enum(..) => (self.name.clone(), String::new()),
            Kind::Bytes => ("unsigned char".to_owned(), format!("[{}]", self.size)),
        }
    }

    /// The type as C spells it.
    pub(super) fn spelling(&self) -> String {
        let (spelling, dimensions) = self.parts();
        format!("{spelling}{dimensions}")
    }

    /// A field of this type, in a struct that is aligned to `limit`.
    fn declaration(&self, name: &str, limit: usize) -> String {
        let (spelling, dimensions) = self.parts();
        let align = self.element().align.min(limit);
        let is_bytes = matches!(self.element().kind, Kind::Bytes);
        let alignas = if is_bytes && align > 1 { format!("alignas({align}) ") } else { String::new() };
        format!("{alignas}{spelling} {name}{dimensions}")
    }
}

/// A number as C++ takes it for an enumerator.
fn number(value: i128) -> String {
    if value == i128::from(i64::MIN) {
        // The literal would be of a positive number that has no type.
        format!("{}LL - 1", value + 1)
    } else if value > i128::from(i64::MAX) {
        format!("{value}ULL")
    } else if i32::try_from(value).is_err() {
        format!("{value}LL")
    } else {
        value.to_string()
    }
}

fn add(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a `String` takes all");
}
