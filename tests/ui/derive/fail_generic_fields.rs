use memcore::DeviceCopy;

#[derive(DeviceCopy)]
#[repr(C, packed)]
struct Record<T> {
    value: T,
    name: &'static str,
    text: String,
    flag: bool,
}

#[derive(DeviceCopy)]
#[repr(transparent)]
struct NotCopy<T>(T);

fn main() {}
