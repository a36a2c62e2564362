#[memcore::test]
struct Copies;

#[memcore::test]
unsafe fn fills() {}

#[memcore::test]
extern "C" fn sets() {}

#[memcore::test]
const fn adds() {}

fn main() {}
