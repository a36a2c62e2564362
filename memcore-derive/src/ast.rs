//! The item as the later steps see it. Each node keeps the tokens it came from, for errors to point at.

use proc_macro2::Span;
use syn::{Data, DeriveInput, Fields, Ident, Index, Member, Token, Type, spanned::Spanned};

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
    Enum(Token![enum]),
    Union(Token![union]),
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// As the program writes it: `position`, `r#type`, `0`.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    original: &'a syn::Field,
}

impl<'a> Item<'a> {
    pub(crate) fn read(original: &'a DeriveInput, report: &mut Report) -> Self {
        let attributes = Attributes::read(&original.attrs, report);
        let shape = match &original.data {
            Data::Struct(data) => Shape::Struct(Field::read_all(&data.fields, report)),
            Data::Enum(data) => Shape::Enum(data.enum_token),
            Data::Union(data) => Shape::Union(data.union_token),
        };
        Self { original, attributes, shape }
    }

    pub(crate) fn name(&self) -> &'a Ident {
        &self.original.ident
    }
}

impl<'a> Field<'a> {
    fn read_all(fields: &'a Fields, report: &mut Report) -> Vec<Self> {
        let read = |(position, field): (usize, &'a syn::Field)| {
            attr::refuse_on_field(&field.attrs, report);
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index::from(position)),
            };
            let name = match &member {
                Member::Named(ident) => ident.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Self { member, name, ty: &field.ty, original: field }
        };
        fields.iter().enumerate().map(read).collect()
    }

    /// Whether naming the field is a lint.
    pub(crate) fn is_deprecated(&self) -> bool {
        self.original.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated"))
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
