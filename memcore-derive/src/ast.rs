//! The item as the later steps see it. Each node keeps the tokens it came from, for errors to point at.

use proc_macro2::Span;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Index, Member, Token, Type, spanned::Spanned};

use crate::{
    attr::{self, Attributes},
    report::Report,
};

/// The item that carries the derive.
pub(crate) struct Item<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attributes: Attributes,
    pub(crate) shape: Shape<'a>,
}

/// What kind of item it is.
pub(crate) enum Shape<'a> {
    Struct(Vec<Field<'a>>),
    Enum(Vec<Variant<'a>>),
    Union(Token![union], Vec<Field<'a>>),
}

/// A field of a struct or a union.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// As the program writes it: `position`, `r#type`, `0`.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    original: &'a syn::Field,
}

/// A variant of an enum.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) fields: &'a Fields,
    attributes: &'a [Attribute],
}

impl<'a> Item<'a> {
    pub(crate) fn read(original: &'a DeriveInput, report: &mut Report) -> Self {
        let attributes = Attributes::read(&original.attrs, report);
        let shape = match &original.data {
            Data::Struct(data) => Shape::Struct(Field::read_all(&data.fields, report)),
            Data::Enum(data) => {
                Shape::Enum(data.variants.iter().map(|variant| Variant::read(variant, report)).collect())
            }
            Data::Union(data) => {
                let fields = data.fields.named.iter().enumerate();
                Shape::Union(
                    data.union_token,
                    fields.map(|(position, field)| Field::read(position, field, report)).collect(),
                )
            }
        };
        Self { original, attributes, shape }
    }

    pub(crate) fn name(&self) -> &'a Ident {
        &self.original.ident
    }
}

impl<'a> Field<'a> {
    fn read_all(fields: &'a Fields, report: &mut Report) -> Vec<Self> {
        fields.iter().enumerate().map(|(position, field)| Self::read(position, field, report)).collect()
    }

    fn read(position: usize, field: &'a syn::Field, report: &mut Report) -> Self {
        attr::refuse_on_part(&field.attrs, "field", report);
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(position)),
        };
        let name = match &member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        Self { member, name, ty: &field.ty, original: field }
    }

    /// Whether naming the field is a lint.
    pub(crate) fn is_deprecated(&self) -> bool {
        is_deprecated(&self.original.attrs)
    }

    /// The place where the field begins: its name, or the type of a field without one.
    pub(crate) fn start(&self) -> Span {
        self.original.ident.as_ref().map_or_else(|| self.ty.span(), Ident::span)
    }

    /// The field's name at another place in the program.
    pub(crate) fn member_at(&self, span: Span) -> Member {
        let mut member = self.member.clone();
        match &mut member {
            Member::Named(ident) => ident.set_span(span),
            Member::Unnamed(index) => index.span = span,
        }
        member
    }
}

impl<'a> Variant<'a> {
    fn read(variant: &'a syn::Variant, report: &mut Report) -> Self {
        attr::refuse_on_part(&variant.attrs, "variant", report);
        Self { ident: &variant.ident, fields: &variant.fields, attributes: &variant.attrs }
    }

    /// Whether naming the variant is a lint.
    pub(crate) fn is_deprecated(&self) -> bool {
        is_deprecated(self.attributes)
    }

    /// The variant's name at another place in the program.
    pub(crate) fn ident_at(&self, span: Span) -> Ident {
        let mut ident = self.ident.clone();
        ident.set_span(span);
        ident
    }
}

fn is_deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"))
}
