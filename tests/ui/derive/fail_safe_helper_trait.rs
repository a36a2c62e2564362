#[derive(Clone, Copy)]
struct Mine(bool);

impl memcore::__private::derive::PlainData for Mine {}

impl memcore::__private::derive::Unfit for Mine {
    type Reason = ();
}

fn main() {}
