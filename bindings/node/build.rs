//! Sets how the addon is linked: it is never unloaded, so that a thread of ours may end after the worker that loaded it.
//! Makes the folder in which the macros say what they export.

fn main() {
    napi_build::setup();
    make_folder();
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script in the environment what to do")]
fn make_folder() {
    if let Some(folder) = std::env::var_os("NAPI_TYPE_DEF_TMP_FOLDER") {
        std::fs::create_dir_all(folder).expect("the target folder can be written");
    }
}
