//! Ways of working: rules that the mode, the action or the words of the prompt call.

use std::sync::Arc;

use super::Ground;
use crate::assemble::channels::MethodologyOptions;
use crate::assemble::driver::Fetch;
use crate::assemble::plan::Answer;
use crate::assemble::provider::{Declaration, ProviderCategory, ProviderFault, TurnPolicy};
use crate::assemble::session::shown;
use crate::base::config::METHODOLOGY_TOKENS;
use crate::retrieve::Retriever;
use crate::retrieve::source::Source;

pub(super) const NAME: &str = "methodology";
/// Behind the index of skills.
const POSITION: i64 = 1;

pub(super) fn provider(ground: &Ground<'_>) -> (Declaration, Fetch) {
    let declaration = Declaration::new(NAME).category(ProviderCategory::Skills).turns(TurnPolicy::All).token_budget(METHODOLOGY_TOKENS).position(POSITION);
    let mut options = MethodologyOptions::new(ground.mode).text(ground.prompt);
    if let Some(loaded) = ground.loaded {
        options = options.shown(shown(&loaded.state));
    }
    options.now = ground.options.retrieve.now;
    if let Some(action) = &ground.options.action {
        options = options.action(action);
    }
    let retriever = Retriever::new(Arc::clone(ground.host) as Arc<dyn Source>, None);
    (declaration, Fetch::call(move |_| retriever.methodology(&options).map(Answer::Methodology).map_err(ProviderFault::from)))
}
