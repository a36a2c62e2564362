#[repr(u8)]
enum Kind {
    First,
    #[deprecated]
    Second = 7,
}
