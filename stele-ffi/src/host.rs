//! What a host brings along and a record keeps: its embedder, its clock, its counter of tokens. They are called on any
//! thread, and dropped once when nothing calls them any more.

use std::error::Error as StdError;
use std::ffi::c_void;
use std::mem::size_of;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stele_core::{Clock, CountTokens, Embedder, RecordOptions, Result, Timestamp};

use crate::errors::{stele_error_t, stele_status_t};
use crate::guard::{handle, status, unfit};
use crate::record::stele_t;
use crate::sized::{self, HasSize, flag};
use crate::text::stele_str_t;

/// Where the vectors of texts come from instead of the built-in embedder; kept, see law 10. Its functions are called on any
/// thread, also several at once. The same text must give the same vector as long as the name stays the same.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_embedder_t {
    /// sizeof(stele_embedder_t).
    pub struct_size: u32,
    /// How many numbers a vector has, 1 to 16,384.
    pub dimensions: u32,
    /// Model and version; vectors of different names are never compared. It is copied.
    pub name: stele_str_t,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Puts a vector for each text into `vectors`, one behind the other, which has room for them all and begins with zeros; a
    /// vector of zeros says that a text means nothing. Gives 0, or another number if it failed: then search goes by words,
    /// which the result tells as a gap, and the texts are asked for again later.
    pub embed: Option<unsafe extern "C" fn(ctx: *mut c_void, texts: *const stele_str_t, texts_len: usize, vectors: *mut f32) -> i32>,
    /// Takes ctx back; may be NULL.
    pub drop: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    /// How much the cosine counts beside the score of text search, 0 to 10, if has_weight is 1; 0.4 otherwise.
    pub weight: f32,
    /// The cosine below which two texts count as unrelated, -1 to 1, if has_floor is 1; 0.35 otherwise.
    pub floor: f32,
    /// 1 if the weight is given.
    pub has_weight: u8,
    /// 1 if the floor is given.
    pub has_floor: u8,
    /// 0. For later use.
    pub reserved: [u8; 6],
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_embedder_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: [u8; 6]);
}

/// Where the time of what is written comes from instead of the system's clock; kept, see law 10. It is called on any thread,
/// also several at once.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_clock_t {
    /// sizeof(stele_clock_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Gives the present in milliseconds since 1970.
    pub now_unix_ms: Option<unsafe extern "C" fn(ctx: *mut c_void) -> i64>,
    /// Takes ctx back; may be NULL.
    pub drop: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_clock_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// Counts tokens as the host's model does; kept, see law 10. It is called on any thread, also several at once.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct stele_token_counter_t {
    /// sizeof(stele_token_counter_t).
    pub struct_size: u32,
    /// 0. For later use.
    pub reserved: u32,
    /// Whatever the host likes.
    pub ctx: *mut c_void,
    /// Puts into `tokens` how many a text of at most 16 KiB has. Gives 0, or another number if it failed: then the rest of that
    /// answer is estimated, which it tells among its gaps or warnings.
    pub count: Option<unsafe extern "C" fn(ctx: *mut c_void, text: stele_str_t, tokens: *mut usize) -> i32>,
    /// Takes ctx back; may be NULL.
    pub drop: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
}

// SAFETY: it begins with its size and holds only numbers and pointers, of which none is what any bytes may be.
unsafe impl HasSize for stele_token_counter_t {
    const FIRST: usize = size_of::<Self>();
    const KEPT: Range<usize> = sized::kept!(reserved: u32);
}

/// The ctx of something that is kept. It is the host's until it was taken; then it is given back when this is dropped.
struct Kept {
    ctx: *mut c_void,
    drop: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    taken: AtomicBool,
}

// SAFETY: the pointer is passed back to the host's functions and never read here; that any thread may do so is said at them.
unsafe impl Send for Kept {}
// SAFETY: as above.
unsafe impl Sync for Kept {}

impl Kept {
    fn new(ctx: *mut c_void, drop: Option<unsafe extern "C" fn(ctx: *mut c_void)>) -> Arc<Self> {
        Arc::new(Self { ctx, drop, taken: AtomicBool::new(false) })
    }

    fn take(&self) {
        self.taken.store(true, Ordering::SeqCst);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(drop) = self.drop.filter(|_| self.taken.load(Ordering::SeqCst)) {
            // SAFETY: by the laws it takes the ctx that came with it, once, on any thread.
            unsafe { drop(self.ctx) };
        }
    }
}

/// What an embedder or a clock brought along, which becomes the library's when the record is open.
#[derive(Default)]
pub(crate) struct Brought(Vec<Arc<Kept>>);

impl Brought {
    pub(crate) fn take(&self) {
        self.0.iter().for_each(|kept| kept.take());
    }

    /// The options with a host's embedder, unless there is none.
    ///
    /// # Safety
    /// It is NULL or a struct of its size, with text and functions as the laws say.
    pub(crate) unsafe fn embedder(&mut self, options: RecordOptions, given: *const stele_embedder_t) -> Result<RecordOptions> {
        if given.is_null() {
            return Ok(options);
        }
        // SAFETY: the caller says so.
        let given = unsafe { sized::read(given, "embedder") }?;
        let host = HostEmbedder {
            // SAFETY: the caller says so.
            name: unsafe { given.name.get("name") }?.to_owned(),
            dimensions: given.dimensions as usize,
            embed: given.embed.ok_or_else(|| unfit("embed", "is NULL"))?,
            weight: flag(given.has_weight, "has_weight")?.then_some(given.weight),
            floor: flag(given.has_floor, "has_floor")?.then_some(given.floor),
            kept: Kept::new(given.ctx, given.drop),
        };
        self.0.push(Arc::clone(&host.kept));
        Ok(options.embedder(Arc::new(host)))
    }

    /// The options with a host's clock, unless there is none.
    ///
    /// # Safety
    /// As [`Self::embedder`].
    pub(crate) unsafe fn clock(&mut self, options: RecordOptions, given: *const stele_clock_t) -> Result<RecordOptions> {
        if given.is_null() {
            return Ok(options);
        }
        // SAFETY: the caller says so.
        let given = unsafe { sized::read(given, "clock") }?;
        let host = HostClock { now: given.now_unix_ms.ok_or_else(|| unfit("now_unix_ms", "is NULL"))?, kept: Kept::new(given.ctx, given.drop) };
        self.0.push(Arc::clone(&host.kept));
        Ok(options.clock(Arc::new(host)))
    }
}

struct HostEmbedder {
    name: String,
    dimensions: usize,
    embed: unsafe extern "C" fn(ctx: *mut c_void, texts: *const stele_str_t, texts_len: usize, vectors: *mut f32) -> i32,
    weight: Option<f32>,
    floor: Option<f32>,
    kept: Arc<Kept>,
}

impl Embedder for HostEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        let given: Vec<stele_str_t> = texts.iter().map(|text| stele_str_t::of(text)).collect();
        let mut vectors = vec![0.0; given.len() * self.dimensions];
        // SAFETY: by the laws it is a function of that signature which lets no exception out; texts and vectors live until it returns.
        match unsafe { (self.embed)(self.kept.ctx, given.as_ptr(), given.len(), vectors.as_mut_ptr()) } {
            0 => Ok(vectors.chunks_exact(self.dimensions).map(<[f32]>::to_vec).collect()),
            number => Err(format!("its function gave {number}").into()),
        }
    }

    fn weight(&self) -> f32 {
        self.weight.unwrap_or(<dyn Embedder>::WEIGHT)
    }

    fn floor(&self) -> f32 {
        self.floor.unwrap_or(<dyn Embedder>::FLOOR)
    }
}

struct HostClock {
    now: unsafe extern "C" fn(ctx: *mut c_void) -> i64,
    kept: Arc<Kept>,
}

impl Clock for HostClock {
    fn now(&self) -> Timestamp {
        // SAFETY: by the laws it is a function of that signature which lets no exception out.
        Timestamp::from_unix_ms(unsafe { (self.now)(self.kept.ctx) })
    }
}

/// Counts tokens with the host's own counter wherever this handle keeps a budget, from the next call on. One that was set
/// before is given back when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stele_set_token_counter(
    record: *const stele_t,
    counter: *const stele_token_counter_t,
    err: *mut *mut stele_error_t,
) -> stele_status_t {
    status(err, || {
        // SAFETY: by the laws these are NULL, or a record and a struct of its size.
        let (record, given) = unsafe { (handle(record, "record")?, sized::read(counter, "counter")?) };
        let count = given.count.ok_or_else(|| unfit("count", "is NULL"))?;
        let kept = Kept::new(given.ctx, given.drop);
        kept.take();
        let counter: Arc<CountTokens> = Arc::new(move |text| {
            let mut tokens = 0;
            // SAFETY: by the laws it is a function of that signature which lets no exception out; the text lives until it returns.
            match unsafe { count(kept.ctx, stele_str_t::of(text), &raw mut tokens) } {
                0 => tokens,
                // The core takes a panic as the counter's word that it cannot; resumed, it tells no panic hook.
                number => resume_unwind(Box::new(format!("its function gave {number}"))),
            }
        });
        record.record.set_token_counter(counter);
        Ok(())
    })
}
