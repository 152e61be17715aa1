//! Which text of a unit is embedded, and where its vector is kept.

use super::embed::CheckedEmbedder;
use crate::base::error::Result;
use crate::record::apply::UnitText;
pub(crate) use crate::record::apply::{embedded_text, text_hash};
use crate::record::reader::Snapshot;

/// The name under which the vector of a text is kept.
pub(crate) type TextHash = [u8; 16];

/// Where the vectors of units come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Those that are kept, or that a cheap embedder makes at once; a host's embedder is not called.
    Kept,
    /// All; a host's embedder is called for those that are not kept.
    Host,
}

/// The vectors of some units, `None` for those that have none, and those that were made for them now.
#[derive(Default)]
pub(crate) struct Vectors {
    pub(crate) of_units: Vec<Option<Vec<f32>>>,
    /// Vectors that no one keeps yet.
    pub(crate) made: Vec<(TextHash, Vec<f32>)>,
    /// What the embedder did wrong, if it did.
    pub(crate) fault: Option<String>,
}

/// Finds or makes the vectors of units.
pub(crate) fn vectors_of(snapshot: &Snapshot, embedder: &CheckedEmbedder, units: &[UnitText], asking: Asking) -> Result<Vectors> {
    let texts: Vec<String> = units.iter().map(UnitText::embedded).collect();
    // Making one again costs as much as reading it.
    if embedder.cheap() && units.len() > 1 {
        return Ok(make(embedder, &texts, None));
    }
    let hashes: Vec<TextHash> = texts.iter().map(|text| text_hash(text)).collect();
    let mut found = Vectors::default();
    let mut missing = Vec::new();
    for (at, hash) in hashes.iter().enumerate() {
        let kept = snapshot.vector(embedder.name(), hash)?.filter(|vector| vector.len() == embedder.dimensions());
        if kept.is_none() {
            missing.push(at);
        }
        found.of_units.push(kept);
    }
    if missing.is_empty() || (asking == Asking::Kept && !embedder.cheap()) {
        return Ok(found);
    }
    let wanted: Vec<String> = missing.iter().map(|at| texts[*at].clone()).collect();
    let wanted_hashes: Vec<TextHash> = missing.iter().map(|at| hashes[*at]).collect();
    let made = make(embedder, &wanted, Some(&wanted_hashes));
    for (at, vector) in missing.into_iter().zip(made.of_units) {
        found.of_units[at] = vector;
    }
    (found.made, found.fault) = (made.made, made.fault);
    Ok(found)
}

fn make(embedder: &CheckedEmbedder, texts: &[String], hashes: Option<&[TextHash]>) -> Vectors {
    let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
    match embedder.embed(&asked) {
        Ok(vectors) => {
            let made = hashes.map(|hashes| hashes.iter().copied().zip(vectors.iter().cloned()).collect()).unwrap_or_default();
            Vectors { of_units: vectors.into_iter().map(Some).collect(), made, fault: None }
        }
        Err(fault) => Vectors { of_units: vec![None; texts.len()], made: Vec::new(), fault: Some(fault.to_string()) },
    }
}
