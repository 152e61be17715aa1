//! Retrieval over small dense graphs.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stele_tests::fuzzing::window(input));
