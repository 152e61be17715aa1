//! Verbs against the record and a model of it.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stele_tests::fuzzing::operations(input));
