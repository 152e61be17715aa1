//! From text to vectors: the trait that a host may implement, the embedder that ships with stele, and the wrapper
//! that trusts neither.
//!
//! What an embedder does wrong is a value ([`EmbedFault`]), never an error of a call: text search goes on, health
//! says what happened. Which texts are embedded, and when, is decided elsewhere.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::simd::dot_exact;
use super::vectors::MAX_DIMENSIONS;

/// The longest name of an embedder, in bytes.
const NAME_BYTES: usize = 200;
/// The weight and the floor of the embedder that ships with stele, tuned over all development sets.
const BUILTIN_WEIGHT: f32 = 1.0;
const BUILTIN_FLOOR: f32 = 0.46;

/// Turns texts into vectors whose cosine says how near two texts are in meaning.
///
/// Called from threads of the handle, never while the record is locked. The same text must give the same vector as
/// long as the name stays the same.
pub trait Embedder: Send + Sync {
    /// Names model and version; vectors of different names are never compared. 1 to 200 bytes.
    fn name(&self) -> &str;

    /// Gives the length of every vector, 1 to 16,384.
    fn dimensions(&self) -> usize;

    /// Gives one vector for each text, in order; they need not be of unit length. A vector of zeros says that the
    /// text means nothing to this embedder.
    ///
    /// # Errors
    /// Whatever the host likes; the texts stay without vectors until a later call succeeds.
    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>>;

    /// Gives the weight of the cosine beside the score of text search, 0 to 10.
    fn weight(&self) -> f32 {
        <dyn Embedder>::WEIGHT
    }

    /// Gives the cosine below which two texts count as unrelated, -1 to 1.
    fn floor(&self) -> f32 {
        <dyn Embedder>::FLOOR
    }

    /// True if embedding a text costs no more than reading its vector from disk.
    fn cheap(&self) -> bool {
        false
    }
}

impl dyn Embedder {
    /// How much the cosine of an embedder that nobody measured counts beside the score of text search.
    pub const WEIGHT: f32 = 0.4;
    /// The cosine below which nothing is taken to be related, for an embedder that nobody measured.
    pub const FLOOR: f32 = 0.35;
}

/// The embedder that is part of the library: a static table, no download, some ten microseconds a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltinEmbedder;

impl Embedder for BuiltinEmbedder {
    fn name(&self) -> &str {
        stele_model::WEIGHTED_NAME
    }

    fn dimensions(&self) -> usize {
        stele_model::DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(texts.iter().map(|text| stele_model::embed_weighted(text).to_vec()).collect())
    }

    fn weight(&self) -> f32 {
        BUILTIN_WEIGHT
    }

    fn floor(&self) -> f32 {
        BUILTIN_FLOOR
    }

    fn cheap(&self) -> bool {
        true
    }
}

/// What an embedder did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EmbedFault {
    /// Its name or dimensions are outside the limits.
    Unusable(String),
    /// It returned an error; the message is the host's.
    Failed(String),
    /// It panicked.
    Panicked(String),
    /// It returned another number of vectors than texts.
    Count { texts: usize, vectors: usize },
    /// A vector has another length than announced.
    Dimensions { expected: usize, got: usize },
    /// A vector holds something that is no finite number.
    NotFinite,
}

impl fmt::Display for EmbedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(why) => write!(f, "the embedder cannot be used: {why}"),
            Self::Failed(message) => write!(f, "the embedder failed: {message}"),
            Self::Panicked(message) => write!(f, "the embedder panicked: {message}"),
            Self::Count { texts, vectors } => write!(f, "the embedder gave {vectors} vectors for {texts} texts"),
            Self::Dimensions { expected, got } => write!(f, "the embedder gave {got} dimensions, announced {expected}"),
            Self::NotFinite => f.write_str("the embedder gave a vector that is not finite"),
        }
    }
}

/// An embedder whose answers are checked and brought to unit length; name and numbers are read once.
#[derive(Clone)]
pub(crate) struct CheckedEmbedder {
    inner: Arc<dyn Embedder>,
    name: String,
    dimensions: usize,
    weight: f32,
    floor: f32,
    cheap: bool,
}

impl fmt::Debug for CheckedEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedEmbedder").field("name", &self.name).field("dimensions", &self.dimensions).finish_non_exhaustive()
    }
}

impl CheckedEmbedder {
    /// Wraps an embedder.
    ///
    /// # Errors
    /// The fault, if its name, dimensions, weight or floor are outside the limits or asking for them panics.
    pub(crate) fn new(inner: Arc<dyn Embedder>) -> Result<Self, EmbedFault> {
        let asked = caught(|| (inner.name().to_owned(), inner.dimensions(), inner.weight(), inner.floor(), inner.cheap()));
        let (name, dimensions, weight, floor, cheap) = asked?;
        let unusable = |why: &str| Err(EmbedFault::Unusable(why.to_owned()));
        if name.is_empty() || name.len() > NAME_BYTES || name.chars().any(char::is_control) {
            return unusable("its name must have 1 to 200 bytes and no control characters");
        }
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return unusable("its vectors must have 1 to 16384 dimensions");
        }
        if !(0.0..=10.0).contains(&weight) || !(-1.0..=1.0).contains(&floor) {
            return unusable("its weight must be from 0 to 10, its floor from -1 to 1");
        }
        Ok(Self { inner, name, dimensions, weight, floor, cheap })
    }

    /// The embedder that ships with stele.
    pub(crate) fn builtin() -> Self {
        Self::new(Arc::new(BuiltinEmbedder)).expect("the built-in embedder keeps the limits")
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn weight(&self) -> f32 {
        self.weight
    }

    pub(crate) fn floor(&self) -> f32 {
        self.floor
    }

    pub(crate) fn cheap(&self) -> bool {
        self.cheap
    }

    /// Tells how near a vector lies to what is written everywhere, where the embedder knows: only that which ships with
    /// stele does.
    pub(crate) fn nearness_to_common(&self, vector: &[f32]) -> Option<f32> {
        let vector = vector.try_into().ok().filter(|_| self.name == stele_model::WEIGHTED_NAME)?;
        Some(super::common::nearness(vector))
    }

    /// Gives one vector for each text, of unit length or all zeros. No text, no call.
    ///
    /// # Errors
    /// The fault; no vector of a faulty answer is used.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFault> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let answer = caught(|| self.inner.embed(texts).map_err(|error| EmbedFault::Failed(describe(&*error))))?;
        let mut vectors = answer?;
        if vectors.len() != texts.len() {
            return Err(EmbedFault::Count { texts: texts.len(), vectors: vectors.len() });
        }
        for vector in &mut vectors {
            if vector.len() != self.dimensions {
                return Err(EmbedFault::Dimensions { expected: self.dimensions, got: vector.len() });
            }
            normalise(vector)?;
        }
        Ok(vectors)
    }
}

/// Brings a vector to unit length; zeros stay zeros. The sum runs in order, in double precision, so the result is
/// the same on every machine.
/// The cosines of a text to others by the built-in embedder; none where there are no others.
pub(crate) fn builtin_cosines(text: &str, others: &[String]) -> Vec<f32> {
    let texts: Vec<&str> = std::iter::once(text).chain(others.iter().map(String::as_str)).collect();
    let vectors = CheckedEmbedder::builtin().embed(&texts).expect("invariant: the built-in embedder takes any text");
    vectors[1..].iter().map(|other| dot_exact(&vectors[0], other)).collect()
}

fn normalise(vector: &mut [f32]) -> Result<(), EmbedFault> {
    if !vector.iter().all(|x| x.is_finite()) {
        return Err(EmbedFault::NotFinite);
    }
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 1 in size")]
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
    Ok(())
}

/// Calls into the host; a panic becomes a fault. The host's own state after its panic is the host's matter.
fn caught<T>(call: impl FnOnce() -> T) -> Result<T, EmbedFault> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        // A payload may panic again while it is dropped; then it is left where it is.
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(panic)));
        if let Err(again) = dropped {
            std::mem::forget(again);
        }
        EmbedFault::Panicked(message.unwrap_or_else(|| "without a message".to_owned()))
    })
}

/// The host's message; a `Display` that panics is the host's fault as well, not ours to fall over.
fn describe(error: &(dyn std::error::Error + Send + Sync)) -> String {
    caught(|| error.to_string()).unwrap_or_else(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Answer = std::result::Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>>;

    struct Host {
        name: &'static str,
        dimensions: usize,
        answer: fn(usize) -> Answer,
    }

    impl Embedder for Host {
        fn name(&self) -> &str {
            self.name
        }

        fn dimensions(&self) -> usize {
            self.dimensions
        }

        fn embed(&self, texts: &[&str]) -> Answer {
            (self.answer)(texts.len())
        }
    }

    fn host(answer: fn(usize) -> Answer) -> CheckedEmbedder {
        CheckedEmbedder::new(Arc::new(Host { name: "host", dimensions: 2, answer })).expect("within the limits")
    }

    #[test]
    fn an_answer_is_brought_to_unit_length_and_zeros_stay() {
        let embedder = host(|_| Ok(vec![vec![3.0 * 2.0_f32.powi(100), 4.0 * 2.0_f32.powi(100)], vec![0.0, 0.0], vec![1.0e-40, 0.0]]));
        let vectors = embedder.embed(&["a", "b", "c"]).expect("a good answer");
        assert_eq!(vectors, [vec![0.6, 0.8], vec![0.0, 0.0], vec![1.0, 0.0]]);
    }

    #[test]
    fn every_wrong_answer_is_a_fault_and_nothing_of_it_is_used() {
        let one = |answer| host(answer).embed(&["a"]).expect_err("a wrong answer");
        assert_eq!(one(|_| Ok(vec![])), EmbedFault::Count { texts: 1, vectors: 0 });
        assert_eq!(one(|_| Ok(vec![vec![1.0, 0.0]; 2])), EmbedFault::Count { texts: 1, vectors: 2 });
        assert_eq!(one(|_| Ok(vec![vec![1.0]])), EmbedFault::Dimensions { expected: 2, got: 1 });
        assert_eq!(one(|_| Ok(vec![vec![f32::NAN, 0.0]])), EmbedFault::NotFinite);
        assert_eq!(one(|_| Ok(vec![vec![f32::INFINITY, 0.0]])), EmbedFault::NotFinite);
        assert_eq!(one(|_| Err("no model".into())), EmbedFault::Failed("no model".into()));
        assert_eq!(one(|_| panic!("broken {}", 7)), EmbedFault::Panicked("broken 7".into()));
        assert_eq!(one(|_| std::panic::panic_any(7)), EmbedFault::Panicked("without a message".into()));
    }

    #[test]
    fn names_and_dimensions_outside_the_limits_are_refused() {
        let make = |name, dimensions| CheckedEmbedder::new(Arc::new(Host { name, dimensions, answer: |_| Ok(vec![]) })).map(|_| ());
        for (name, dimensions) in [("", 2), ("a\nb", 2), ("a", 0), ("a", MAX_DIMENSIONS + 1)] {
            let fault = make(name, dimensions).expect_err("outside the limits");
            assert!(fault.to_string().starts_with("the embedder cannot be used"), "{fault}");
        }
        make("a", MAX_DIMENSIONS).expect("within the limits");
    }

    #[test]
    fn only_the_builtin_embedder_knows_what_is_written_everywhere() {
        let embedder = CheckedEmbedder::builtin();
        let of = |text| embedder.nearness_to_common(&embedder.embed(&[text]).expect("the built-in embedder answers")[0]).expect("it knows");
        assert!(of("return the length of a list") > of("the sherpa crossed the glacier at dawn") + 0.1);
        assert_eq!(host(|_| Ok(vec![])).nearness_to_common(&[1.0, 0.0]), None);
    }

    #[test]
    fn the_builtin_embedder_gives_near_texts_a_higher_cosine() {
        let embedder = CheckedEmbedder::builtin();
        let texts = ["retry with exponential backoff", "wait longer after each failed attempt", "colour palette of the page"];
        let vectors = embedder.embed(&texts).expect("the built-in embedder answers");
        let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
        assert!((cosine(0, 0) - 1.0).abs() < 1e-5);
        assert!(cosine(0, 1) > cosine(0, 2));
    }
}
