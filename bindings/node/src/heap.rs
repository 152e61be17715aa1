//! How a program that ends soon takes its memory: from the heap that is there. By default every thread that it starts has a
//! heap of its own made, which grows and shrinks by pages; for a hook that is half a millisecond of five. And a page is made
//! when it is first touched, which takes a microsecond each; the thread that waits for an answer makes them beside.
#![expect(unsafe_code, reason = "allocator and pages are told through the C interface of the system")]

/// The memory in which what is allocated next will lie.
pub(crate) struct Ahead {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    at: *mut std::ffi::c_void,
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod system {
    use std::ffi::{c_int, c_void};

    // SAFETY: the allocator takes any two numbers, at any time, and says whether it knew them; the declarations are those of
    // the C library.
    unsafe extern "C" {
        pub(super) safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
        pub(super) safe fn malloc(bytes: usize) -> *mut c_void;
        pub(super) fn free(at: *mut c_void);
        pub(super) fn madvise(at: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    pub(super) const TRIM_THRESHOLD: c_int = -1;
    pub(super) const TOP_PAD: c_int = -2;
    pub(super) const MMAP_THRESHOLD: c_int = -3;
    pub(super) const ARENA_MAX: c_int = -8;
    pub(super) const POPULATE_WRITE: c_int = 23;
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod sizes {
    pub(super) const MIB: i32 = 1_024 * 1_024;
    /// What a hook takes of a heap that Node has left; more is made as it is touched.
    pub(super) const AHEAD: usize = 1_280 * 1_024;
    pub(super) const PAGE: usize = 4_096;
}

/// Has threads share the heaps there are, and has those grow in large steps and never shrink. For programs of our own only.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn shared() -> Ahead {
    use sizes::{AHEAD, MIB};
    use system::{ARENA_MAX, MMAP_THRESHOLD, TOP_PAD, TRIM_THRESHOLD, free, malloc, mallopt};

    // What it does not know it leaves.
    for (parameter, value) in [(ARENA_MAX, 1), (TOP_PAD, MIB), (TRIM_THRESHOLD, 64 * MIB), (MMAP_THRESHOLD, 4 * MIB)] {
        mallopt(parameter, value);
    }
    // Somebody may look at it: else the compiler knows of a block that nobody does, and has none allocated.
    let at = std::hint::black_box(malloc(AHEAD));
    // SAFETY: it was just allocated, and nobody has it.
    unsafe { free(at) };
    Ahead { at }
}

impl Ahead {
    /// Has the pages made. What others have in them meanwhile stays.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    pub(crate) fn make(self) {
        use sizes::{AHEAD, PAGE};

        let first = self.at.wrapping_byte_sub(self.at.addr() % PAGE);
        // SAFETY: making pages changes none that is there; where there are no pages of the process, or the system does not
        // know the word, it is refused.
        let _ = unsafe { system::madvise(first, AHEAD, system::POPULATE_WRITE) };
    }
}

/// Nothing is known of other systems.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn shared() -> Ahead {
    Ahead {}
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
impl Ahead {
    pub(crate) fn make(self) {}
}
