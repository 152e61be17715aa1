//! The window of the record. It takes what is left of the call's time and is fitted into its tokens by the plan.

use std::sync::Arc;
use std::time::Duration;

use super::Ground;
use crate::assemble::driver::Fetch;
use crate::assemble::finish::RECORD;
use crate::assemble::plan::Answer;
use crate::assemble::provider::{Declaration, ProviderFault, ProviderRequest, TurnPolicy};
use crate::base::time::Deadline;
use crate::retrieve::Retriever;
use crate::retrieve::source::Source;

/// The share of its time, and the most of it, that the window leaves for handing over what it has found until then.
const HAND_OVER: (u32, Duration) = (8, Duration::from_millis(50));

pub(super) fn provider(ground: &Ground<'_>) -> (Declaration, Fetch) {
    let left = ground.deadline.remaining().unwrap_or(Duration::MAX);
    let declaration = Declaration::new(RECORD).turns(TurnPolicy::All).timeout(left).token_budget(ground.options.token_budget);
    let retriever = Retriever::new(Arc::clone(ground.host) as Arc<dyn Source>, None);
    let (options, loaded, prompt) = (ground.options.retrieve.clone(), ground.loaded.cloned(), ground.prompt.to_owned());
    let fetch = move |request: &ProviderRequest| {
        let left = request.remaining();
        let deadline = Deadline::after(left.saturating_sub((left / HAND_OVER.0).min(HAND_OVER.1)));
        let found = retriever.find_for(&prompt, &options, loaded.as_ref(), deadline);
        found.map(|found| Answer::Record(Box::new(found))).map_err(ProviderFault::from)
    };
    (declaration, Fetch::call(fetch))
}
