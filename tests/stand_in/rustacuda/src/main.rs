fn main() { rustacuda::quick_init().unwrap(); }
