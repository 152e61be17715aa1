//! Tests of retrieval that look into it: what is done between two looks at the time, chains, and both searches at once.

mod chains;
mod deadlines;
mod searches;
mod world;
