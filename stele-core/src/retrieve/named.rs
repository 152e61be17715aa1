//! Ids and aliases that a prompt names, found in the record.

use std::collections::HashSet;

use super::nodes::in_time;
use crate::base::error::Result;
use crate::base::id::{NodeId, fold_alias, names_in};
use crate::record::reader::Snapshot;

/// A prompt longer than twice this many bytes is read at its beginning and its end only, as search reads it.
const PROMPT_WINDOW: usize = 64 * 1024;
/// Most words with the form of an id that are looked up.
const MOST_IDS: usize = 200;
/// Most other words that are looked up as aliases, half from the beginning and half from the end.
const MOST_ALIASES: usize = 200;

/// What a prompt names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// The nodes in the order in which they are named first.
    pub(crate) numbers: Vec<u64>,
    /// References that named a number under another kind: as written, and what it is.
    pub(crate) corrected: Vec<(String, NodeId)>,
    /// True if time ran out before all words were looked up.
    pub(crate) cut: bool,
}

/// The words of a prompt that could name a node, each once, in order.
pub(crate) fn candidates(prompt: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    let (mut ids, mut words) = (0, 0);
    let mut found: Vec<(&str, bool)> = Vec::new();
    let mut take = |word| {
        if !seen.insert(fold_alias(word)) {
            return;
        }
        let is_id = NodeId::parse(word).is_some();
        ids += usize::from(is_id);
        words += usize::from(!is_id);
        if !is_id || ids <= MOST_IDS {
            found.push((word, is_id));
        }
    };
    if prompt.len() <= 2 * PROMPT_WINDOW {
        names_in(prompt, &mut take);
    } else {
        names_in(&prompt[..prompt.floor_char_boundary(PROMPT_WINDOW)], &mut take);
        names_in(&prompt[prompt.ceil_char_boundary(prompt.len() - PROMPT_WINDOW)..], &mut take);
    }
    let mut nth = 0;
    found.retain(|(_, is_id)| {
        nth += usize::from(!is_id);
        *is_id || nth <= MOST_ALIASES / 2 || words - nth < MOST_ALIASES / 2
    });
    found.into_iter().map(|(word, _)| word).collect()
}

/// Looks the words up, as far as time goes.
pub(crate) fn resolve(snapshot: &Snapshot, words: &[&str]) -> Result<Named> {
    let mut named = Named::default();
    for word in words {
        let Some(resolved) = in_time(snapshot.resolve(word))? else {
            named.cut = true;
            break;
        };
        let Some(resolved) = resolved else { continue };
        if resolved.corrected {
            named.corrected.push(((*word).to_owned(), resolved.id));
        }
        if !named.numbers.contains(&resolved.id.number) {
            named.numbers.push(resolved.id.number);
        }
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_once_in_order_and_their_number_is_bounded() {
        assert_eq!(candidates("see know-3, ADR-0007 and KNOW-3 again"), ["know-3", "ADR-0007"]);
        assert_eq!(candidates("nothing is named here"), Vec::<&str>::new());
        let many: String = (0..5_000).map(|n| format!("x{n} ")).collect();
        let found = candidates(&many);
        assert_eq!(found.len(), MOST_ALIASES);
        assert_eq!((found[0], found[MOST_ALIASES - 1]), ("x0", "x4999"));
    }

    #[test]
    fn the_end_of_a_prompt_of_ten_megabytes_is_read() {
        let prompt = format!("{} KNOW-7", "lorem ipsum ".repeat(900_000));
        assert_eq!(candidates(&prompt), ["KNOW-7"]);
    }
}
