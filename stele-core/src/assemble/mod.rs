//! What goes into a context beside the window of the record, and how much of it. Decides what is shown of each and counts
//! it; how that looks stands in `render/`.

pub(crate) mod channels;

pub use channels::{Channel, Methodology, MethodologyEntry, MethodologyOptions, Obligations, Point, Pointed, RuleEntry, RulesOptions};
