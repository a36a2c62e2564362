//! What the library can do, done right.

programs::correct!(copies, events, graphs, locked, managed, peers, streams, threads);
