//! Benchmarks of stele.
