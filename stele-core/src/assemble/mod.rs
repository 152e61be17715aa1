//! What goes into a context beside the window of the record, and what is said at the moments of a session. Decides what is shown of each and counts
//! it; how that looks stands in `render/`.

mod assembly;
mod builtin;
pub(crate) mod channels;
mod context;
mod delivered;
mod driver;
mod finish;
mod moment;
mod options;
mod outcome;
mod plan;
mod provider;
pub(crate) mod session;
#[cfg(test)]
mod tests;
pub(crate) mod turn;
mod writing;

pub use assembly::{Asked, Assembly};
pub(crate) use builtin::KeptSkills;
pub use channels::{Channel, Methodology, MethodologyEntry, MethodologyOptions, Obligations, Point, Pointed, RuleEntry, RulesOptions};
pub use context::{Context, Section};
pub(crate) use driver::LeftBehind;
pub use moment::{Moment, MomentKind};
pub use options::AssembleOptions;
pub use outcome::{Outcome, OutcomeKind};
pub(crate) use plan::Rules;
pub use provider::{Declaration, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest, Supply, TurnPolicy, provider};
pub use session::{Aggressiveness, Delivered, Session, SessionOptions};
pub use turn::{ResumeAction, Resumed, TranscriptItem};
pub(crate) use writing::Writing;
