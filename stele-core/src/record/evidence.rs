//! Where a quoted line stands: evidence is believed only if it was found word for word.

use super::edge::Found;
use super::node::{Content, Node};
use crate::base::config::EXCERPT_CHARS;
use crate::base::digest::digest;
use crate::base::text::{cut, fold_space};

/// A text that came with a call, to look for evidence in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub uri: Option<String>,
    /// The revision of it.
    pub revision: Option<String>,
}

/// Looks for a quote, white space folded, in the nodes' texts, then in the quoted lines of their sources, then in a
/// text that came with the call.
pub(crate) fn find(quote: &str, nodes: [&(Content, Node); 2], text: Option<&SourceText>) -> Option<Found> {
    let quote = fold_space(quote);
    for (content, node) in nodes {
        if text_holds(content, &quote) {
            return Some(Found::Node { number: node.id.number, revision: node.revision });
        }
    }
    for (content, node) in nodes {
        if let Some(source) = content.source.as_ref().filter(|_| source_holds(content, &quote)) {
            return Some(Found::Quote { number: node.id.number, uri: source.uri.clone(), revision: source.revision.clone() });
        }
    }
    let source = text?;
    let folded = fold_space(&source.text);
    let at = folded.find(&quote)?;
    Some(Found::Text {
        sha256: digest(source.text.as_bytes()),
        excerpt: cut(&folded[at..], EXCERPT_CHARS).to_owned(),
        uri: source.uri.clone(),
        revision: source.revision.clone(),
    })
}

/// True if a quote, its white space folded, stands in a content: in its text, or in the quoted line of its source.
pub(crate) fn holds(content: &Content, quote: &str) -> bool {
    text_holds(content, quote) || source_holds(content, quote)
}

fn text_holds(content: &Content, quote: &str) -> bool {
    [content.title.as_str(), &content.searched_body()].iter().any(|text| fold_space(text).contains(quote))
}

fn source_holds(content: &Content, quote: &str) -> bool {
    content.source.as_ref().and_then(|source| source.quote.as_deref()).is_some_and(|line| fold_space(line).contains(quote))
}
