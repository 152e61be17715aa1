//! The two dot products of the vector index: integers for the scan, floats for the ranking.
//!
//! Integer sums are exact, so every path gives the same number. The float sum has one loop only, with a fixed order of
//! lanes and no fused multiply-add; it is compiled for AVX2 as well. On x86-64 the scan uses AVX2 where the machine has it;
//! elsewhere (NEON among them) the compiler vectorises the portable loop. Nothing here knows about files, filters or hits.
#![expect(unsafe_code, reason = "AVX2 intrinsics behind run-time detection")]

/// Bytes of a quantised row are padded with zeros to a multiple of this.
pub(crate) const ROW_STEP: usize = 32;
/// A coarse row has half a byte a dimension: in so many bytes those of the first half of twice as many dimensions, and in
/// the upper halves of the bytes those of the second.
pub(crate) const COARSE_STEP: usize = 32;

/// How the integer dot products are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// The plain loop, right on every machine.
    Portable,
    /// 16 products an instruction; the token shows that the machine was asked.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

/// Proof that AVX2 was found on this machine.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Kernel {
    /// The fastest kernel that this machine has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            return Self::Avx2(Avx2(()));
        }
        Self::Portable
    }

    /// Multiplies a query with consecutive rows of signed bytes, one sum a row.
    ///
    /// `query.len()` is the width of a row and a multiple of [`ROW_STEP`]; the caller bounds the query so that no sum
    /// leaves 32 bits (see `quantise`).
    pub(crate) fn dots(self, query: &[i16], rows: &[u8], sums: &mut [i32]) {
        assert!(!query.is_empty() && query.len().is_multiple_of(ROW_STEP), "rows are padded");
        assert_eq!(rows.len(), query.len() * sums.len(), "one sum a row");
        match self {
            Self::Portable => portable_dots(query, rows, sums),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the token exists only where AVX2 was detected; lengths were checked above.
            Self::Avx2(_) => unsafe { x86::dots(query, rows, sums) },
        }
    }

    /// Multiplies a query with consecutive coarse rows of numbers from 0 to 15, one sum a row.
    ///
    /// `query.len()` is twice the width of a row, and that a multiple of [`COARSE_STEP`].
    pub(crate) fn coarse_dots(self, query: &[i8], rows: &[u8], sums: &mut [i32]) {
        assert!(!query.is_empty() && query.len().is_multiple_of(2 * COARSE_STEP), "rows are padded");
        assert_eq!(rows.len() * 2, query.len() * sums.len(), "one sum a row");
        match self {
            Self::Portable => portable_coarse_dots(query, rows, sums),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the token exists only where AVX2 was detected; lengths were checked above.
            Self::Avx2(_) => unsafe { x86::coarse_dots(query, rows, sums) },
        }
    }

    /// Puts in place of each factor the score `(sum + doubt) * factor`, notes the places of those that reach `floor`, and
    /// gives the largest factor, at least `largest`.
    pub(crate) fn scores(self, sums: &[i32], doubt: f32, factors: &mut [f32], floor: f32, largest: f32, places: &mut Vec<usize>) -> f32 {
        assert_eq!(sums.len(), factors.len(), "a factor a sum");
        places.clear();
        match self {
            Self::Portable => portable_scores(sums, doubt, factors, floor, largest, places),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the token exists only where AVX2 was detected; lengths were checked above.
            Self::Avx2(_) => unsafe { x86::scores(sums, doubt, factors, floor, largest, places) },
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounding is the same everywhere")]
fn portable_scores(sums: &[i32], doubt: f32, factors: &mut [f32], floor: f32, mut largest: f32, places: &mut Vec<usize>) -> f32 {
    for (place, (sum, factor)) in sums.iter().zip(factors).enumerate() {
        largest = largest.max(*factor);
        *factor *= *sum as f32 + doubt;
        if *factor >= floor {
            places.push(place);
        }
    }
    largest
}

fn portable_coarse_dots(query: &[i8], rows: &[u8], sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(query.len() / 2).zip(sums) {
        *sum = 0;
        for (bytes, factors) in row.chunks_exact(COARSE_STEP).zip(query.chunks_exact(2 * COARSE_STEP)) {
            let (first, second) = factors.split_at(COARSE_STEP);
            *sum += bytes.iter().zip(first).map(|(&byte, &factor)| i32::from(byte & 15) * i32::from(factor)).sum::<i32>();
            *sum += bytes.iter().zip(second).map(|(&byte, &factor)| i32::from(byte >> 4) * i32::from(factor)).sum::<i32>();
        }
    }
}

fn portable_dots(query: &[i16], rows: &[u8], sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(query.len()).zip(sums) {
        *sum = row.iter().zip(query).map(|(&byte, &factor)| i32::from(byte.cast_signed()) * i32::from(factor)).sum();
    }
}

/// The dot product of two float vectors of one length, bit-equal on every machine: eight running sums, lane by lane,
/// then a fixed tree.
pub(crate) fn dot_exact(a: &[f32], b: &[f32]) -> f32 {
    match Kernel::best() {
        Kernel::Portable => dot(a, b),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the token exists only where AVX2 was detected.
        Kernel::Avx2(_) => unsafe { x86::dot(a, b) },
    }
}

/// As [`dot_exact`], with the second vector as little-endian bytes.
pub(crate) fn dot_exact_bytes(a: &[f32], b: &[u8]) -> f32 {
    match Kernel::best() {
        Kernel::Portable => dot_bytes(a, b),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the token exists only where AVX2 was detected.
        Kernel::Avx2(_) => unsafe { x86::dot_bytes(a, b) },
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (left, left_rest) = a.as_chunks::<8>();
    let (right, right_rest) = b.as_chunks::<8>();
    let mut lanes = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        add_products(&mut lanes, x, y);
    }
    end_of(lanes, left_rest, right_rest.iter().copied())
}

#[inline(always)]
fn dot_bytes(a: &[f32], b: &[u8]) -> f32 {
    let (left, left_rest) = a.as_chunks::<8>();
    let (right, right_rest) = b.as_chunks::<32>();
    let mut lanes = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        let mut eight = [0.0_f32; 8];
        for (number, bytes) in eight.iter_mut().zip(y.as_chunks::<4>().0) {
            *number = f32::from_le_bytes(*bytes);
        }
        add_products(&mut lanes, x, &eight);
    }
    end_of(lanes, left_rest, right_rest.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes))
}

#[inline(always)]
fn add_products(lanes: &mut [f32; 8], x: &[f32; 8], y: &[f32; 8]) {
    for lane in 0..8 {
        lanes[lane] += x[lane] * y[lane];
    }
}

/// Adds the products of what is left over, then all lanes.
#[inline(always)]
fn end_of(mut lanes: [f32; 8], left: &[f32], right: impl Iterator<Item = f32>) -> f32 {
    for (lane, (x, y)) in lanes.iter_mut().zip(left.iter().zip(right)) {
        *lane += x * y;
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _CMP_GE_OQ, _mm_add_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
        _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi8_epi16, _mm256_cvtepi32_ps, _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_epi8, _mm256_set1_epi16,
        _mm256_set1_ps, _mm256_setzero_si256, _mm256_srli_epi16, _mm256_storeu_ps, _mm256_storeu_si256,
    };

    use super::COARSE_STEP;

    const LANES: usize = 16;
    const ROWS_AT_ONCE: usize = 4;
    /// Steps of a coarse row whose sums fit into 16 bits: each adds two products of two pairs, at most 15 times 128.
    const COARSE_AT_ONCE: usize = 4;

    /// # Safety
    /// AVX2 is there.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dot(a: &[f32], b: &[f32]) -> f32 {
        super::dot(a, b)
    }

    /// # Safety
    /// AVX2 is there.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dot_bytes(a: &[f32], b: &[u8]) -> f32 {
        super::dot_bytes(a, b)
    }

    /// # Safety
    /// AVX2 is there, `query.len()` is a multiple of 16 and `rows` holds `sums.len()` rows of that width.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots(query: &[i16], rows: &[u8], sums: &mut [i32]) {
        let width = query.len();
        let mut groups = sums.chunks_exact_mut(ROWS_AT_ONCE);
        let mut row = rows.as_ptr();
        for group in &mut groups {
            // SAFETY: four rows of `width` bytes start at `row`; four sums fit into `group`.
            unsafe {
                let four = four_rows(query, row);
                _mm_storeu_si128(group.as_mut_ptr().cast::<__m128i>(), four);
                row = row.add(ROWS_AT_ONCE * width);
            }
        }
        for sum in groups.into_remainder() {
            // SAFETY: one row of `width` bytes starts at `row`.
            unsafe {
                *sum = one_row(query, row);
                row = row.add(width);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn four_rows(query: &[i16], row: *const u8) -> __m128i {
        let width = query.len();
        let mut sums = [_mm256_setzero_si256(); ROWS_AT_ONCE];
        for at in (0..width).step_by(LANES) {
            // SAFETY: `at + 16 <= width`, the width of the query and of each of the four rows.
            unsafe {
                let factors = _mm256_loadu_si256(query.as_ptr().add(at).cast::<__m256i>());
                for (nth, sum) in sums.iter_mut().enumerate() {
                    let bytes = _mm_loadu_si128(row.add(nth * width + at).cast::<__m128i>());
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), factors));
                }
            }
        }
        let pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
        _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs))
    }

    #[target_feature(enable = "avx2")]
    unsafe fn one_row(query: &[i16], row: *const u8) -> i32 {
        let mut sum = _mm256_setzero_si256();
        for at in (0..query.len()).step_by(LANES) {
            // SAFETY: `at + 16 <= width`, the width of the query and of the row.
            unsafe {
                let factors = _mm256_loadu_si256(query.as_ptr().add(at).cast::<__m256i>());
                let bytes = _mm_loadu_si128(row.add(at).cast::<__m128i>());
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), factors));
            }
        }
        add_lanes(sum)
    }

    /// # Safety
    /// AVX2 is there, `query.len()` is a multiple of 64 and `rows` holds `sums.len()` rows of half that width.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn coarse_dots(query: &[i8], rows: &[u8], sums: &mut [i32]) {
        let width = query.len() / 2;
        let mut groups = sums.chunks_exact_mut(ROWS_AT_ONCE);
        let mut row = rows.as_ptr();
        for group in &mut groups {
            // SAFETY: four rows of `width` bytes start at `row`; four sums fit into `group`.
            unsafe {
                let sums = coarse_rows::<ROWS_AT_ONCE>(query, row);
                let pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
                let four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
                _mm_storeu_si128(group.as_mut_ptr().cast::<__m128i>(), four);
                row = row.add(ROWS_AT_ONCE * width);
            }
        }
        for sum in groups.into_remainder() {
            // SAFETY: one row of `width` bytes starts at `row`.
            unsafe {
                *sum = add_lanes(coarse_rows::<1>(query, row)[0]);
                row = row.add(width);
            }
        }
    }

    /// The sums of some coarse rows, in eight lanes each.
    #[target_feature(enable = "avx2")]
    unsafe fn coarse_rows<const ROWS: usize>(query: &[i8], row: *const u8) -> [__m256i; ROWS] {
        let width = query.len() / 2;
        let (low, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
        let mut sums = [_mm256_setzero_si256(); ROWS];
        for from in (0..width).step_by(COARSE_AT_ONCE * COARSE_STEP) {
            let mut small = [_mm256_setzero_si256(); ROWS];
            for at in (from..width.min(from + COARSE_AT_ONCE * COARSE_STEP)).step_by(COARSE_STEP) {
                // SAFETY: `at + 32 <= width`, the width of each row, and twice that is the length of the query.
                unsafe {
                    let first = _mm256_loadu_si256(query.as_ptr().add(2 * at).cast::<__m256i>());
                    let second = _mm256_loadu_si256(query.as_ptr().add(2 * at + COARSE_STEP).cast::<__m256i>());
                    for (nth, sum) in small.iter_mut().enumerate() {
                        let bytes = _mm256_loadu_si256(row.add(nth * width + at).cast::<__m256i>());
                        let lower = _mm256_maddubs_epi16(_mm256_and_si256(bytes, low), first);
                        let upper = _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low), second);
                        *sum = _mm256_add_epi16(*sum, _mm256_add_epi16(lower, upper));
                    }
                }
            }
            for (sum, small) in sums.iter_mut().zip(small) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(small, ones));
            }
        }
        sums
    }

    /// # Safety
    /// AVX2 is there, and there are as many factors as sums.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn scores(sums: &[i32], doubt: f32, factors: &mut [f32], floor: f32, largest: f32, places: &mut Vec<usize>) -> f32 {
        let whole = sums.len() / 8 * 8;
        let (doubts, floors) = (_mm256_set1_ps(doubt), _mm256_set1_ps(floor));
        let mut most = _mm256_set1_ps(largest);
        for at in (0..whole).step_by(8) {
            // SAFETY: `at + 8 <= sums.len()`, which is how many factors there are.
            let reached = unsafe {
                let sum = _mm256_cvtepi32_ps(_mm256_loadu_si256(sums.as_ptr().add(at).cast::<__m256i>()));
                let factor = _mm256_loadu_ps(factors.as_ptr().add(at));
                // Of a factor that is no number the second operand is taken.
                most = _mm256_max_ps(factor, most);
                let score = _mm256_mul_ps(factor, _mm256_add_ps(sum, doubts));
                _mm256_storeu_ps(factors.as_mut_ptr().add(at), score);
                _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(score, floors))
            };
            let mut reached = reached.cast_unsigned();
            while reached != 0 {
                places.push(at + reached.trailing_zeros() as usize);
                reached &= reached - 1;
            }
        }
        let mut lanes = [0.0_f32; 8];
        // SAFETY: eight floats fit into `lanes`.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), most) };
        let largest = lanes.into_iter().fold(largest, f32::max);
        let before = places.len();
        let largest = super::portable_scores(&sums[whole..], doubt, &mut factors[whole..], floor, largest, places);
        places[before..].iter_mut().for_each(|place| *place += whole);
        largest
    }

    #[target_feature(enable = "avx2")]
    fn add_lanes(sum: __m256i) -> i32 {
        let mut lanes = [0_i32; 8];
        // SAFETY: eight 32-bit lanes fit into `lanes`.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast::<__m256i>(), sum) };
        lanes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(seed: u64, count: usize) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn every_kernel_gives_the_same_sums() {
        for width in [32, 64, 256, 384, 1536] {
            for count in [0, 1, 3, 4, 5, 33] {
                let rows = bytes(width as u64 + 1, width * count);
                let query: Vec<i16> = bytes(7, width).iter().zip(bytes(8, width)).map(|(&a, b)| i16::from_le_bytes([a, b]) / 8).collect();
                let (mut plain, mut best) = (vec![0; count], vec![1; count]);
                Kernel::Portable.dots(&query, &rows, &mut plain);
                Kernel::best().dots(&query, &rows, &mut best);
                assert_eq!(plain, best, "width {width}, {count} rows");
                let query: Vec<i8> = bytes(9, 2 * width).into_iter().map(u8::cast_signed).collect();
                Kernel::Portable.coarse_dots(&query, &rows, &mut plain);
                Kernel::best().coarse_dots(&query, &rows, &mut best);
                assert_eq!(plain, best, "coarse, width {width}, {count} rows");
                let (query, rows) = (vec![i8::MIN; 2 * width], vec![u8::MAX; width * count]);
                Kernel::best().coarse_dots(&query, &rows, &mut best);
                assert!(best.iter().all(|sum| *sum == -128 * 15 * 2 * width as i32), "no sum leaves its lane");
            }
        }
    }

    #[test]
    fn every_kernel_gives_the_same_scores_and_the_same_places() {
        for count in [0, 1, 7, 8, 9, 64, 1_023] {
            let sums: Vec<i32> = bytes(5, 4 * count).as_chunks::<4>().0.iter().map(|four| i32::from_le_bytes(*four) / 3).collect();
            let mut factors: Vec<f32> = bytes(6, count).iter().map(|byte| f32::from(*byte) / 7.0).collect();
            factors.iter_mut().skip(3).step_by(50).for_each(|factor| *factor = f32::NAN);
            // The last two floors are scores themselves, of a whole step and of what is left over.
            let score = |place: usize| sums.get(place).map_or(0.0, |sum| factors[place] * (*sum as f32 + 1_234.5));
            let reached = [score(0), score(count.saturating_sub(1))].map(|floor| (1_234.5, floor));
            for (doubt, floor) in [(0.0, f32::NEG_INFINITY), (1_234.5, 9e8), (0.0, f32::INFINITY)].into_iter().chain(reached) {
                let (mut plain, mut best) = (factors.clone(), factors.clone());
                let (mut of_plain, mut of_best) = (vec![9], vec![7]);
                let largest = Kernel::Portable.scores(&sums, doubt, &mut plain, floor, 0.5, &mut of_plain);
                assert_eq!(Kernel::best().scores(&sums, doubt, &mut best, floor, 0.5, &mut of_best), largest);
                let bits = |scores: &[f32]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&plain), bits(&best));
                assert_eq!(of_plain, of_best);
                assert_eq!(of_plain, (0..count).filter(|place| plain[*place] >= floor).collect::<Vec<_>>());
                assert_eq!(largest, factors.iter().copied().fold(0.5, f32::max));
            }
        }
    }

    #[test]
    fn the_float_sum_has_a_fixed_order() {
        let a: Vec<f32> = (1..=19).map(|n| 10.0_f32.powi(n * 5 % 9) / n as f32).collect();
        let b: Vec<f32> = (1..=19).map(|n| if n % 3 == 0 { -1.0 } else { (n as f32).sqrt() }).collect();
        let mut lanes = [0.0_f32; 8];
        for (at, (x, y)) in a.iter().zip(&b).enumerate() {
            lanes[at % 8] += x * y;
        }
        let expected = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        assert_eq!(dot_exact(&a, &b).to_bits(), expected.to_bits());
        let bytes: Vec<u8> = b.iter().flat_map(|float| float.to_le_bytes()).collect();
        assert_eq!(dot_exact_bytes(&a, &bytes).to_bits(), expected.to_bits());
        // Any other tree loses the ones beside the hundred millions.
        assert_eq!(dot_exact(&[1e8, 1.0, -1e8, 1.0, 0.0, 0.0, 0.0, 0.0], &[1.0; 8]), 2.0);
    }
}
