#[derive(Clone, Copy)]
struct Mine(bool);

impl memcore::__private::derive::PlainData for Mine {}

impl memcore::__private::derive::Unfit for Mine {
    type Reason = ();
}

impl memcore::__private::derive::CheckedData for Mine {}

impl memcore::__private::derive::CopyData for Mine {}

impl memcore::__private::derive::DeviceData for Mine {}

impl memcore::__private::derive::SameAs<u8> for Mine {}

impl memcore::layout::DeviceLayout for Mine {
    fn name() -> String {
        String::new()
    }
    fn layout() -> memcore::layout::Layout {
        <f32 as memcore::layout::DeviceLayout>::layout()
    }
}

fn main() {}
