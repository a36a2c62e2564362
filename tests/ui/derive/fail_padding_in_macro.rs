use memcore::DeviceCopy;

macro_rules! record {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        #[derive(Clone, Copy, DeviceCopy)]
        #[repr(C)]
        struct $name {
            $($field: $type,)*
        }
    };
}

record!(Record {
    kind: u8,
    key: u64
});

fn main() {}
