//! What retrievers give of rules beside windows: those that are delivered without being ranked, and what was counted.

use crate::assemble::channels::{methodology, obligations};
use crate::assemble::{Methodology, MethodologyOptions, Obligations, RulesOptions};
use crate::base::error::{Code, Error, Result};
use crate::base::id::Kind;
use crate::record::rule::RuleFeedback;
use crate::render::channels::rule_text;
use crate::retrieve::Retriever;

impl Retriever {
    /// Gives the rules that a turn must carry: every mandatory one, in full or as a line that keeps its statement, and
    /// what else is an obligation here. No deadline and no budget keeps one away.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn rules(&self, options: &RulesOptions) -> Result<Obligations> {
        let snapshot = self.snapshot()?;
        let book = self.rulebooks().obligations(&snapshot)?;
        Ok(obligations::choose(&book, options.now.unwrap_or(snapshot.now()), options, &rule_text, &self.counter()))
    }

    /// Gives the skills, playbooks, techniques and anti-patterns that a mode, an action or the words of a text call.
    ///
    /// # Errors
    /// As [`Self::rules`].
    pub fn methodology(&self, options: &MethodologyOptions) -> Result<Methodology> {
        let snapshot = self.snapshot()?;
        let book = self.rulebooks().settled(&snapshot)?;
        Ok(methodology::choose(&book, options.now.unwrap_or(snapshot.now()), options, &rule_text, &self.counter()))
    }

    /// Says what was counted for a rule, given by id or alias, since its statement became what it is.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_kind`; else as [`Self::rules`].
    pub fn feedback(&self, rule: &str) -> Result<RuleFeedback> {
        let snapshot = self.snapshot()?;
        let id = snapshot.require(rule)?.id;
        if id.kind != Kind::Rule {
            return Err(Error::new(Code::WrongKind, format!("look for a rule: {id} is a {}", id.kind)).with("field", "rule"));
        }
        snapshot.feedback(id)
    }
}
