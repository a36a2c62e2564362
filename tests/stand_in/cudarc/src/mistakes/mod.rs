//! What the library's safe code lets pass, and what it should have been. `//~` names what is reported of that line.

#![forbid(unsafe_code)]

programs::mistakes!(
    contexts_apart,
    destination_changed,
    destination_longer,
    failed_wait,
    locked_as_slice,
    locked_dropped,
    locked_one_stream,
    managed_one_stream,
    one_read_event,
    one_read_event_freed,
    peer_source,
    source_changed,
    source_dropped,
    streams_dropped,
    unsealed_trait,
);
