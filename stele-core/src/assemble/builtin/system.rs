//! Facts about the system that the host passes with the call.

use super::Ground;
use crate::assemble::driver::Fetch;
use crate::assemble::provider::{Declaration, ProviderCategory, Supply};

pub(super) const NAME: &str = "system";

pub(super) fn provider(ground: &Ground<'_>) -> (Declaration, Fetch) {
    let facts = Supply::from(ground.options.system.clone());
    (Declaration::new(NAME).category(ProviderCategory::System), Fetch::Known(facts.into()))
}
