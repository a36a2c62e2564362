//! What the library can do, done right.

programs::correct!(copies, events, locked, managed, peers, streams, threads);
