//! How a program that ends soon takes its memory: from the heap that is there. By default every thread that it starts has a
//! heap of its own made, which grows and shrinks by pages; for a hook that is half a millisecond of five.
#![expect(unsafe_code, reason = "the allocator of the C library is told through its C interface")]

/// Has threads share the heaps there are, and has those grow in large steps and never shrink. For programs of our own only.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn shared() {
    use std::ffi::c_int;

    // SAFETY: the allocator takes any two numbers, at any time, and says whether it knew them.
    unsafe extern "C" {
        safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const TRIM_THRESHOLD: c_int = -1;
    const TOP_PAD: c_int = -2;
    const ARENA_MAX: c_int = -8;
    const MIB: c_int = 1_024 * 1_024;
    // What it does not know it leaves.
    for (parameter, value) in [(ARENA_MAX, 1), (TOP_PAD, MIB), (TRIM_THRESHOLD, 64 * MIB)] {
        mallopt(parameter, value);
    }
}

/// Nothing is known of other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn shared() {}
