//! What the library's safe code lets pass, and what it should have been. `//~` names what is reported of that line.

#![forbid(unsafe_code)]

programs::mistakes!(array_freed_twice, context_dropped, device_dropped);
