//! Lines of an import, raw and made of fields.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| stele_tests::fuzzing::import(input));
