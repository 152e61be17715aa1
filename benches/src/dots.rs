//! The two things of the bare floor that need `unsafe`: a map of a file and the dot products of the scan.
#![expect(unsafe_code, reason = "a memory map, and AVX2 behind run-time detection")]

use std::fs::File;

/// Maps the beginning of a file that nobody changes meanwhile.
pub(crate) fn map(file: &File, bytes: usize) -> memmap2::Mmap {
    // SAFETY: the benchmark's own corpus, which nothing writes while it is measured.
    unsafe { memmap2::MmapOptions::new().len(bytes).map(file) }.expect("a map")
}

/// Multiplies a query with rows of signed bytes, one sum a row.
pub(crate) fn dots(query: &[i16], rows: &[u8], sums: &mut [i32]) {
    assert!(query.len().is_multiple_of(16) && rows.len() == query.len() * sums.len());
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was detected, and the lengths were compared above.
        return unsafe { x86::dots(query, rows, sums) };
    }
    for (row, sum) in rows.chunks_exact(query.len()).zip(sums) {
        *sum = row.iter().zip(query).map(|(&byte, &factor)| i32::from(byte.cast_signed()) * i32::from(factor)).sum();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
        _mm256_storeu_si256,
    };

    /// # Safety
    /// AVX2 is there, and `rows` holds `sums.len()` rows of the query's length, a multiple of 16.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots(query: &[i16], rows: &[u8], sums: &mut [i32]) {
        for (row, sum) in rows.chunks_exact(query.len()).zip(sums) {
            let mut lanes = _mm256_setzero_si256();
            for at in (0..query.len()).step_by(16) {
                // SAFETY: sixteen factors and sixteen bytes of the row begin at `at`.
                unsafe {
                    let factors = _mm256_loadu_si256(query.as_ptr().add(at).cast::<__m256i>());
                    let bytes = _mm_loadu_si128(row.as_ptr().add(at).cast::<__m128i>());
                    lanes = _mm256_add_epi32(lanes, _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), factors));
                }
            }
            let mut parts = [0_i32; 8];
            // SAFETY: eight lanes of 32 bits fit into `parts`.
            unsafe { _mm256_storeu_si256(parts.as_mut_ptr().cast::<__m256i>(), lanes) };
            *sum = parts.iter().sum();
        }
    }
}
