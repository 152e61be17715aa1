//! Tests of retrieval that look into it: what is done between two looks at the time and in records of an odd
//! form, chains, and both searches at once.

mod chains;
mod deadlines;
mod growth;
mod searches;
mod world;
