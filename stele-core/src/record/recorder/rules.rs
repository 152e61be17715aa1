//! The part of the writing API that concerns the life of rules.

use super::{Adding, Recorder};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::record::draft::{Draft, DraftKind};
use crate::record::proposal::Proposal;
use crate::record::rule::{Helpfulness, RuleFeedback};
use crate::record::settle::content_of;

impl Recorder<'_> {
    /// Lets this recorder promote proposed rules. A host gives that right to the actors that may decide, and to no agent
    /// that proposes.
    #[must_use]
    pub fn allowing_promotion(mut self) -> Self {
        self.may_promote = true;
        self
    }

    /// Proposes a rule: it is stored as provisional, or refused with every reason, which is no error.
    ///
    /// # Errors
    /// As [`Self::add`]; `wrong_kind` for a draft that is no rule.
    pub fn propose(&self, draft: Draft) -> Result<Proposal> {
        let mut draft = draft.routing(|rule| rule.provisional = true);
        if !matches!(draft.kind, DraftKind::Rule(_)) {
            return Err(Error::new(Code::WrongKind, "propose: only a rule can be proposed").with("field", "kind"));
        }
        draft.allow_secrets |= self.allow_secrets;
        let content = content_of(&draft)?;
        let follower = std::sync::Arc::clone(&self.writing.follower);
        let settled = self.run(|write| write.propose(content, &draft, &|text, others| follower.cosines(text, others)))?;
        Ok(match settled {
            Ok(id) => Proposal { id: Some(id), refused: Vec::new() },
            Err(refused) => Proposal { id: None, refused },
        })
    }

    /// Counts that a rule helped or hurt. A key says which occasion that was: the same key counts once for a rule, whoever
    /// gives it and however often.
    ///
    /// # Errors
    /// `unknown_node`, `wrong_kind`; Invalid for a blank or overlong key.
    pub fn feedback(&self, rule: &str, felt: Helpfulness, key: Option<&str>) -> Result<RuleFeedback> {
        self.run(|write| write.feedback(rule, felt == Helpfulness::Helped, key))
    }

    /// Makes a proposed rule a rule. `approval` is whatever the host's approver signed, and is kept in the history.
    ///
    /// # Errors
    /// `not_permitted` without [`Self::allowing_promotion`]; `wrong_state` for a rule that is not proposed or not ready;
    /// `unknown_node`, `wrong_kind`; `empty_field` for a blank approval.
    pub fn promote(&self, rule: &str, approval: &str) -> Result<NodeId> {
        if !self.may_promote {
            return Err(Error::new(Code::NotPermitted, format!("promote {}: {} may not promote rules", crate::base::text::cut(rule, 80), self.actor)));
        }
        self.run(|write| write.promote(rule, approval))
    }
}

impl Adding<'_> {
    /// Proposes it instead of recording it.
    ///
    /// # Errors
    /// As [`Recorder::propose`].
    pub fn propose(self) -> Result<Proposal> {
        self.recorder.propose(self.draft)
    }
}
