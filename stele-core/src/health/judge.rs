//! The built-in judge of retirements: was it a standing state, did it end, is the evidence verbatim?

use super::shape::{Shape, shape};
use crate::base::id::NodeId;
use crate::base::names::named_enum;

named_enum! {
    /// What a judge says of a retirement.
    Verdict, UnknownValue, "verdict" {
        /// A standing state ended.
        Holds = 0 "holds",
        /// Nothing ended; the older fact is live again if the verdict is applied.
        Fails = 1 "fails",
        /// It cannot be told; it is listed and left.
        Unsure = 2 "unsure",
    }
}

/// A node as a judge sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its id.
    pub id: NodeId,
    /// Its title.
    pub title: String,
    /// Its body.
    pub body: String,
}

/// What a judge is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retirement {
    /// What replaced the other.
    pub newer: Judged,
    /// What was replaced.
    pub older: Judged,
    /// Which standing state is said to have ended; may be empty in an imported retirement.
    pub reason: String,
    /// The line that is said to show it.
    pub evidence: Option<String>,
    /// Whether that line still stands where it was found; `None` where that cannot be read again.
    pub verbatim: Option<bool>,
}

/// The built-in judge: reads the evidence, then the reason, by the words that tell an ending from an addition, a
/// continuation or a story that goes on ([`shape`]).
///
/// `holds` only for verbatim evidence of an ending; `fails` only where the evidence can be read and says the opposite.
#[must_use]
pub fn built_in_judge(retirement: &Retirement) -> Verdict {
    let Some(evidence) = retirement.evidence.as_deref().filter(|evidence| !evidence.trim().is_empty()) else { return Verdict::Unsure };
    if retirement.verbatim != Some(true) {
        return Verdict::Unsure;
    }
    match (shape(evidence), shape(&retirement.reason)) {
        (Shape::Termination, Shape::Termination | Shape::Unclear) => Verdict::Holds,
        (Shape::Termination | Shape::Unclear, _) => Verdict::Unsure,
        (Shape::Additive | Shape::Continuation | Shape::Developing, _) => Verdict::Fails,
    }
}
