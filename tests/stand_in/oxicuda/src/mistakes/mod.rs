//! What the library's safe code lets pass, and what it should have been. `//~` names what is reported of that line.

#![forbid(unsafe_code)]

programs::mistakes!(
    address_freed,
    copy_beside_stream,
    destination_changed,
    device_dropped,
    failed_wait,
    locked_changed,
    locked_dropped,
    managed_touched,
    pool_freed_twice,
    pool_freed_unordered,
    registered_dropped,
    source_changed,
    source_dropped,
    stream_dropped,
    streams_unordered,
);
