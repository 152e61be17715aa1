//! What writes about rules: proposing, feedback, promotion.

use super::Write;
use crate::base::config::FIELD_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::text::check_filled;
use crate::record::draft::Draft;
use crate::record::node::{Content, Detail, Node, RuleDetail};
use crate::record::operation::{Change, Revise};
use crate::record::proposal::{Cosines, Refusal, refusals};
use crate::record::rule::{RuleFeedback, Which};

/// Longest replay key, in bytes.
const KEY_BYTES: usize = 200;

impl Write {
    /// Records a proposed rule whose content was checked before, or says why not.
    pub(crate) fn propose(&mut self, content: Content, draft: &Draft, cosines: Cosines<'_>) -> Result<std::result::Result<NodeId, Vec<Refusal>>> {
        let against = refusals(&content, &self.views().live_rules(Which::All)?, cosines);
        if against.is_empty() { self.create_settled(content, draft).map(Ok) } else { Ok(Err(against)) }
    }

    fn load_rule(&self, reference: &str) -> Result<(Content, Node, RuleDetail)> {
        let (content, node) = self.load(reference)?;
        match &content.detail {
            Detail::Rule(rule) => {
                let rule = (**rule).clone();
                Ok((content, node, rule))
            }
            _ => Err(Error::new(Code::WrongKind, format!("look for a rule: {} is a {}", node.id, node.id.kind)).with("field", "rule")),
        }
    }

    /// Counts what a rule did, once for each key.
    pub(crate) fn feedback(&mut self, reference: &str, helped: bool, key: Option<&str>) -> Result<RuleFeedback> {
        let (_, node, _) = self.load_rule(reference)?;
        let number = node.id.number;
        if let Some(key) = key {
            check_filled("key", key, KEY_BYTES)?;
            self.check_secret("key", key)?;
        }
        let known = match key {
            Some(key) => self.views().has_feedback(number, key)?,
            None => false,
        };
        if !known {
            self.append(Change::Feedback { number, helped, key: key.map(Into::into) })?;
        }
        let counted = self.views().feedback(node.id)?;
        Ok(RuleFeedback { counted: !known, ..counted })
    }

    /// Makes a proposed rule a rule, on somebody's approval.
    pub(crate) fn promote(&mut self, reference: &str, approval: &str) -> Result<NodeId> {
        check_filled("approval", approval, FIELD_BYTES)?;
        self.check_secret("approval", approval)?;
        let (mut content, node, mut rule) = self.load_rule(reference)?;
        if !rule.provisional {
            return Err(Error::new(Code::WrongState, format!("promote {}: it is not only proposed", node.id)));
        }
        let counted = self.views().feedback(node.id)?;
        if !counted.ready {
            let RuleFeedback { helped, hurt, lower_bound, .. } = counted;
            return Err(Error::new(
                Code::WrongState,
                format!("promote {}: it helped {helped} times and hurt {hurt} times, lower bound {lower_bound:.2}, which is not enough", node.id),
            ));
        }
        rule.provisional = false;
        content.detail = Detail::Rule(Box::new(rule));
        let number = node.id.number;
        let revise = Revise { number, content, changed: vec!["detail".to_owned()], mentions: Vec::new(), unmentions: Vec::new() };
        self.append(Change::Promote { revise: Box::new(revise), approval: approval.trim().to_owned() })?;
        Ok(node.id)
    }
}
