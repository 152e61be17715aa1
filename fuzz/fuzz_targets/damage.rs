//! Records whose files are damaged before they are opened.
#![no_main]

// A panic of the index library that stele turns into an error is no finding; one that comes out still ends the run.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))), |input: &[u8]| stele_tests::fuzzing::damage(input));
