//! Structs that begin with their own size, so that fields can be added at their end.
//!
//! A size below that of the first release is refused, and so is a larger one than ours whose surplus is not zero: the host
//! asks for something that this library does not know.

use std::mem::{MaybeUninit, size_of};
use std::ops::Range;

use stele_core::Result;

use crate::guard::unfit;

/// A struct whose first field is its size as `u32`, for which any bytes are a value.
///
/// # Safety
/// It is `repr(C)`, begins with a `u32`, and holds only numbers and pointers.
pub(crate) unsafe trait HasSize: Copy {
    /// The size that it had in the first release.
    const FIRST: usize;
    /// The bytes that are kept for later use. A host that leaves something there could not be told from a newer one.
    const KEPT: Range<usize> = 0..0;
}

/// The place of a field that is kept for later use.
macro_rules! kept {
    ($field:ident: $type:ty) => {
        std::mem::offset_of!(Self, $field)..std::mem::offset_of!(Self, $field) + size_of::<$type>()
    };
}
pub(crate) use kept;

/// Largest size that is looked at.
const MOST: usize = 4096;

fn size_of_host<T: HasSize>(size: u32, name: &str) -> Result<usize> {
    let size = size as usize;
    if size < T::FIRST || size > MOST {
        return Err(unfit(name, &format!("has the struct_size {size}, which no release has; it is {} here", size_of::<T>())));
    }
    Ok(size)
}

/// Reads what a host filled; fields that it does not know are zero.
///
/// # Safety
/// `given` is NULL or points to a struct of that type as large as its first field says.
pub(crate) unsafe fn read<T: HasSize>(given: *const T, name: &str) -> Result<T> {
    if given.is_null() {
        return Err(unfit(name, "is NULL"));
    }
    // SAFETY: a struct begins with its size.
    let size = size_of_host::<T>(unsafe { given.cast::<u32>().read_unaligned() }, name)?;
    let mut value = MaybeUninit::<T>::zeroed();
    let known = size.min(size_of::<T>());
    // SAFETY: the host's struct has `size` bytes, ours has room for `known`.
    unsafe { given.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr().cast(), known) };
    for at in T::KEPT.filter(|at| *at < size).chain(known..size) {
        // SAFETY: the host's struct has `size` bytes.
        if unsafe { given.cast::<u8>().add(at).read() } != 0 {
            return Err(unfit(name, "has something set that this release does not know: begin with all bytes 0"));
        }
    }
    // SAFETY: any bytes are a value of the type, and all of them were set.
    Ok(unsafe { value.assume_init() })
}

/// Reads an array of a host, whose members are as far apart as the first of them is large.
///
/// # Safety
/// `first` is NULL or points to `len` structs of that type, each as large as the first field of the first one says.
pub(crate) unsafe fn read_many<T: HasSize>(first: *const T, len: usize, name: &str) -> Result<Vec<T>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    if first.is_null() || len > MOST {
        return Err(unfit(name, &format!("is NULL, or longer than {MOST}: {len} members")));
    }
    // SAFETY: a struct begins with its size.
    let apart = size_of_host::<T>(unsafe { first.cast::<u32>().read_unaligned() }, name)?;
    (0..len)
        .map(|at| {
            // SAFETY: the array has `len` members that are `apart` bytes large.
            let member = unsafe { first.cast::<u8>().add(at * apart) }.cast::<T>();
            // SAFETY: a struct begins with its size.
            if unsafe { member.cast::<u32>().read_unaligned() } as usize != apart {
                return Err(unfit(name, &format!("has members of different struct_size, the first of which is {apart}")));
            }
            // SAFETY: the member is as large as it says.
            unsafe { read(member, name) }
        })
        .collect()
}

/// Checks that a struct which a host wants filled is one, before the work begins.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn check<T: HasSize>(out: *const T, name: &str) -> Result<()> {
    if out.is_null() {
        return Err(unfit(name, "is NULL"));
    }
    // SAFETY: a struct begins with its size.
    size_of_host::<T>(unsafe { out.cast::<u32>().read_unaligned() }, name).map(drop)
}

/// Fills a host's struct as far as it knows the fields; its size stays.
///
/// # Safety
/// `out` points to a struct that [`check`] found fit.
pub(crate) unsafe fn fill<T: HasSize>(out: *mut T, value: &T) {
    // SAFETY: it was checked.
    let size = unsafe { out.cast::<u32>().read_unaligned() } as usize;
    let (first, known) = (size_of::<u32>(), size.min(size_of::<T>()));
    // SAFETY: both structs have `known` bytes, and they do not overlap: `value` is ours.
    unsafe { std::ptr::from_ref(value).cast::<u8>().add(first).copy_to_nonoverlapping(out.cast::<u8>().add(first), known - first) };
}

/// A flag: 0 or 1.
pub(crate) fn flag(value: u8, name: &str) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(unfit(name, &format!("is {value}, neither 0 nor 1"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Kept {
        struct_size: u32,
        flag: u8,
        reserved: [u8; 3],
        second: u64,
    }

    // SAFETY: it is as the trait says.
    unsafe impl HasSize for Kept {
        const FIRST: usize = 8;
        const KEPT: Range<usize> = kept!(reserved: [u8; 3]);
    }

    #[test]
    fn what_is_kept_for_later_use_must_be_zero() {
        for at in 4..16 {
            let mut bytes = [0_u64; 2].map(u64::to_ne_bytes).concat();
            bytes[..4].copy_from_slice(&16_u32.to_ne_bytes());
            bytes[at] = 1;
            // SAFETY: the bytes are as many as they say.
            let read = unsafe { read::<Kept>(bytes.as_ptr().cast(), "it") };
            assert_eq!(read.is_err(), (5..8).contains(&at), "{at}");
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Newer {
        struct_size: u32,
        first: u32,
        second: u64,
    }

    // SAFETY: it is as the trait says.
    unsafe impl HasSize for Newer {
        const FIRST: usize = 8;
    }

    fn of(bytes: &mut [u8], size: u32) -> Result<Newer> {
        bytes[..4].copy_from_slice(&size.to_ne_bytes());
        // SAFETY: every size that is tried here is one that the bytes have, or is refused before they are read.
        unsafe { read(bytes.as_ptr().cast(), "it") }
    }

    #[test]
    fn an_older_host_leaves_new_fields_zero_and_a_newer_one_must_not_use_its_own() {
        assert_eq!(of(&mut [7; 32], 16).expect("ours"), Newer { struct_size: 16, first: 0x0707_0707, second: 0x0707_0707_0707_0707 });
        assert_eq!(of(&mut [7; 32], 8).expect("older"), Newer { struct_size: 8, first: 0x0707_0707, second: 0 });
        let mut longer = [0; 32];
        longer[..16].fill(7);
        assert_eq!(of(&mut longer, 24).expect("newer, unused").second, 0x0707_0707_0707_0707);
        for size in [0, 4, 7, 24, 5000, u32::MAX] {
            assert!(of(&mut [7; 32], size).is_err(), "{size}");
        }
    }

    #[test]
    fn members_of_an_array_are_as_far_apart_as_its_host_compiled_them() {
        let older: Vec<u32> = vec![8, 1, 8, 2, 8, 3];
        // SAFETY: three members of 8 bytes each.
        let read = unsafe { read_many(older.as_ptr().cast::<Newer>(), 3, "it") }.expect("an array");
        assert_eq!(read.iter().map(|member| (member.first, member.second)).collect::<Vec<_>>(), [(1, 0), (2, 0), (3, 0)]);
        let mixed: Vec<u32> = vec![8, 1, 16, 2, 0, 0];
        // SAFETY: the second member is refused before more than its size is read.
        assert!(unsafe { read_many(mixed.as_ptr().cast::<Newer>(), 2, "it") }.is_err());
        // SAFETY: NULL is looked at and nothing more.
        assert!(unsafe { read_many(std::ptr::null::<Newer>(), 1, "it") }.is_err());
    }

    #[test]
    fn a_struct_is_filled_as_far_as_its_host_knows_it() {
        let value = Newer { struct_size: 0, first: 1, second: 2 };
        let mut older = Newer { struct_size: 8, first: 9, second: 9 };
        // SAFETY: the struct is larger than its size says.
        unsafe { fill(&raw mut older, &value) };
        assert_eq!(older, Newer { struct_size: 8, first: 1, second: 9 });
    }
}
