//! Any text as a query, a prompt and an id.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stele_tests::fuzzing::query(input));
