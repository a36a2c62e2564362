//! What the library can do, done right.

programs::correct!(arrays, callbacks, contexts, copies, copies_async, events, locked, managed);
