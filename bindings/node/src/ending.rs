//! How a program of ours ends at once.
#![expect(unsafe_code, reason = "the process is ended through the C interface of the system")]

/// Ends the process without anything that a library or Node does before; gives back where nothing is known of the system.
pub(crate) fn end(code: u8) {
    #[cfg(unix)]
    {
        // SAFETY: it takes any number, at any time, and does not come back.
        unsafe extern "C" {
            safe fn _exit(code: std::ffi::c_int) -> !;
        }
        _exit(code.into())
    }
    #[cfg(not(unix))]
    let _ = code;
}
