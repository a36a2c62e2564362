//! What the library can do, done right.

programs::correct!(copies, copies_async, events, graphs, locked, managed, peers, pitched, pools, sets, staging);
