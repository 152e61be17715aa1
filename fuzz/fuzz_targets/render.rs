//! Hostile text in every field that is rendered.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stele_tests::fuzzing::render(input));
