//! What a system may be short of: disks that are small or read-only, and limits on the size of files, on how many are open, and on threads.
//!
//! Each call changes the process that makes it, for good: call them only in a process of their own with one thread.
#![expect(unsafe_code, reason = "the system's own calls")]

use std::ffi::CString;
use std::path::Path;
use std::ptr;

// SAFETY: declared as POSIX and Linux declare them.
unsafe extern "C" {
    fn unshare(flags: i32) -> i32;
    fn mount(source: *const i8, target: *const i8, kind: *const i8, flags: u64, data: *const i8) -> i32;
    fn setrlimit(resource: i32, limit: *const [u64; 2]) -> i32;
    fn signal(number: i32, handler: usize) -> usize;
    fn geteuid() -> u32;
    fn getegid() -> u32;
    fn setgid(group: u32) -> i32;
    fn setuid(user: u32) -> i32;
}

const NEW_MOUNTS: i32 = 0x0002_0000;
const NEW_USER: i32 = 0x1000_0000;
const PRIVATE: u64 = 1 << 18 | 1 << 14;
const REMOUNT_READ_ONLY: u64 = 32 | 1;
const FILE_SIZE: i32 = 1;
const OPEN_FILES: i32 = 7;
const PROCESSES: i32 = 6;
const NOBODY: u32 = 65_534;
/// As many files as a process may always have open.
const ENOUGH_FILES: u64 = 1_024;
const SIZE_EXCEEDED: i32 = 25;
const IGNORE: usize = 1;

fn text(text: &str) -> CString {
    CString::new(text).expect("no NUL in it")
}

/// Mounts an empty file system of so many bytes, which no other process sees; false where that is not allowed.
#[must_use]
pub fn mount_small(place: &Path, bytes: u64) -> bool {
    // SAFETY: these take and give numbers only.
    let (user, group) = unsafe { (geteuid(), getegid()) };
    // SAFETY: the process has one thread, so nothing else sees its name spaces change.
    let own = unsafe { unshare(NEW_MOUNTS) == 0 || unshare(NEW_USER | NEW_MOUNTS) == 0 };
    if !own {
        return false;
    }
    if user != 0 {
        let _ = std::fs::write("/proc/self/setgroups", "deny");
        let _ = std::fs::write("/proc/self/uid_map", format!("0 {user} 1"));
        let _ = std::fs::write("/proc/self/gid_map", format!("0 {group} 1"));
    }
    let (root, kind, target, data) = (text("/"), text("tmpfs"), text(&place.to_string_lossy()), text(&format!("size={bytes},mode=700")));
    // SAFETY: every pointer is null or a C string that lives until the call returns.
    unsafe {
        mount(ptr::null(), root.as_ptr().cast(), ptr::null(), PRIVATE, ptr::null()) == 0
            && mount(kind.as_ptr().cast(), target.as_ptr().cast(), kind.as_ptr().cast(), 0, data.as_ptr().cast()) == 0
    }
}

/// Makes a mounted file system read-only; nothing may be open on it for writing.
#[must_use]
pub fn make_read_only(place: &Path) -> bool {
    let target = text(&place.to_string_lossy());
    // SAFETY: every pointer is null or a C string that lives until the call returns.
    unsafe { mount(ptr::null(), target.as_ptr().cast(), ptr::null(), REMOUNT_READ_ONLY, ptr::null()) == 0 }
}

/// Lets no file of this process grow beyond so many bytes, until called again with more.
pub fn limit_files(bytes: u64) {
    // SAFETY: the pointer is to two numbers that live until the call returns; the handler is the system's own.
    let done = unsafe {
        signal(SIZE_EXCEEDED, IGNORE);
        setrlimit(FILE_SIZE, &raw const *&[bytes, u64::MAX])
    };
    assert_eq!(done, 0, "the limit is set");
}

/// Lets this process open so many files more than it has open, or as many as it likes again.
pub fn limit_open_files(spare: Option<u64>) {
    let open = || std::fs::read_dir("/proc/self/fd").expect("the system's list").count() as u64 - 1;
    let most = spare.map_or(ENOUGH_FILES, |spare| open() + spare);
    // SAFETY: the pointer is to two numbers that live until the call returns.
    let done = unsafe { setrlimit(OPEN_FILES, &raw const *&[most, ENOUGH_FILES]) };
    assert_eq!(done, 0, "the limit is set");
}

/// Lets this process start no thread; false where that cannot be. The superuser, whom no such limit binds, becomes nobody.
#[must_use]
pub fn forbid_threads() -> bool {
    // SAFETY: the pointer is to two numbers that live until the call returns.
    let done = unsafe { (geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)) && setrlimit(PROCESSES, &raw const *&[1, 1]) == 0 };
    done && std::thread::scope(|scope| std::thread::Builder::new().spawn_scoped(scope, || ()).is_err())
}
