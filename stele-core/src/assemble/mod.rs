//! What goes into a context beside the window of the record, and what is said at the moments of a session. Decides what is shown of each and counts
//! it; how that looks stands in `render/`.

pub(crate) mod channels;
mod context;
mod delivered;
mod moment;
mod provider;
pub(crate) mod session;

pub use channels::{Channel, Methodology, MethodologyEntry, MethodologyOptions, Obligations, Point, Pointed, RuleEntry, RulesOptions};
pub use context::{Context, Section, SectionKind};
pub use moment::{Moment, MomentKind};
pub use provider::{Declaration, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest, Supply, TurnPolicy};
pub use session::{Aggressiveness, Delivered, PromptOptions, Session, SessionOptions};
