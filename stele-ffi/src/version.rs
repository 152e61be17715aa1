//! What the library says of itself.

use crate::guard;

/// The version of this interface: it rises when a function or a field leaves or changes its meaning.
pub const STELE_ABI_VERSION: u32 = 1;

/// The interface that the library has; compare it with STELE_ABI_VERSION, which the program was compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn stele_abi_version() -> u32 {
    guard::value(0, || STELE_ABI_VERSION)
}

/// The release, such as "0.1.0"; it is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn stele_version() -> *const std::ffi::c_char {
    guard::value(c"".as_ptr(), || concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast())
}
