//! Where things are: the repository, and the development sets beside it.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies one folder below the root").to_path_buf()
}

/// Where the development sets are unless a command says otherwise: `../shared/data` seen from the root.
///
/// They are no part of the repository; a command that wants them says so when they are absent.
pub(crate) fn sets() -> PathBuf {
    root().join("..").join("shared").join("data")
}
