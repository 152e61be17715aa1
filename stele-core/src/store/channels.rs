//! What retrievers give beside windows: the rules that are delivered without being ranked.

use crate::assemble::channels::{methodology, obligations};
use crate::assemble::{Methodology, MethodologyOptions, Obligations, RulesOptions};
use crate::base::error::Result;
use crate::record::rule::Which;
use crate::render::channels::rule_text;
use crate::retrieve::Retriever;

impl Retriever {
    /// Gives the rules that a turn must carry: every mandatory one, in full or as a line that keeps its statement, and
    /// what else is an obligation here. No deadline and no budget keeps one away.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn rules(&self, options: &RulesOptions) -> Result<Obligations> {
        let rules = self.snapshot()?.live_rules(Which::Obligations)?;
        Ok(obligations::choose(rules, options, &rule_text))
    }

    /// Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call.
    ///
    /// # Errors
    /// As [`Self::rules`].
    pub fn methodology(&self, options: &MethodologyOptions) -> Result<Methodology> {
        let rules = self.snapshot()?.live_rules(Which::Settled)?;
        Ok(methodology::choose(rules, options, &rule_text))
    }
}
