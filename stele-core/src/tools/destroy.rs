//! The tools that take away, overrule others or decide for them. A host gives them to few.

use super::arguments::arguments;
use super::form::Form;
use super::results::{self, id_of};
use super::{DestructiveTool, Row, ToolCall, Writes, destroying};
use crate::base::error::Result;
use crate::record::edge::Relation;

pub(super) static TOOLS: &[Row] = &[
    destroying::<Unlink>("unlink", "Takes an edge away. To undo a retirement use demote."),
    destroying::<Demote>("demote", "Undoes a retirement: supersedes becomes relates-to and older is live again, unless another node still retires it."),
    destroying::<Archive>("archive", "Puts a node away: found no more, served only when named."),
    destroying::<Purge>(
        "purge",
        "Takes a node's text out for good, for secrets and law; literals are further words to take out, such as the secret itself. Nothing brings it back.",
    ),
    destroying::<ForceRelease>("force_release", "Takes a task from its holder; it is open then."),
    destroying::<Promote>("promote", "Makes a proposed rule that is ready a rule; approval is kept in the history."),
    destroying::<SweepAll>(
        "sweep",
        "Judges every retirement: holds, fails, unsure. With apply those that fail are undone and the buried facts live again; look first.",
    ),
    destroying::<Compact>("compact", "Writes the record's file anew without free pages, and ends a purge that was held up."),
    destroying::<RebuildIndexes>("rebuild_indexes", "Makes the search indexes anew."),
];

arguments! {
    Unlink { from: String, relation: Relation, to: String, why: String, }
    Demote { newer: String, older: String, why: String, }
    Archive { id: String, why: String, }
    Purge { id: String, why: String, literals: Vec<String>, }
    ForceRelease { task: String, why: String, }
    Promote { rule: String, approval: String, }
    SweepAll { apply: Option<bool>, }
    Compact {}
    RebuildIndexes {}
}

impl DestructiveTool for Unlink {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        host.recorder(call)?.unlink(&self.from, self.relation, &self.to, &self.why)?;
        Ok(results::edge(&self.from, self.relation, &self.to))
    }
}

impl DestructiveTool for Demote {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        host.recorder(call)?.demote(&self.newer, &self.older, &self.why)?;
        Ok(results::edge(&self.newer, Relation::RelatesTo, &self.older))
    }
}

impl DestructiveTool for Archive {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        host.recorder(call)?.archive(&self.id, &self.why).map(id_of)
    }
}

impl DestructiveTool for Purge {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        let literals: Vec<&str> = self.literals.iter().map(String::as_str).collect();
        let purged = host.recorder(call)?.purge(&self.id, &self.why, &literals)?;
        let form = id_of(purged.id).with("operations", purged.operations).with("others", purged.others.as_slice());
        Ok(form.with("complete", purged.complete))
    }
}

impl DestructiveTool for ForceRelease {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        host.recorder(call)?.force_release(&self.task, &self.why).map(id_of)
    }
}

impl DestructiveTool for Promote {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        host.recorder(call)?.allowing_promotion().promote(&self.rule, &self.approval).map(id_of)
    }
}

impl DestructiveTool for SweepAll {
    fn destroy(self, host: &dyn Writes, call: &ToolCall) -> Result<Form> {
        let mut sweep = host.sweep()?;
        if self.apply == Some(true) {
            host.apply_sweep(&mut sweep, call)?;
        }
        Ok(results::sweep(&sweep))
    }
}

impl DestructiveTool for Compact {
    fn destroy(self, host: &dyn Writes, _: &ToolCall) -> Result<Form> {
        host.compact().map(|done| Form::new().with("done", done))
    }
}

impl DestructiveTool for RebuildIndexes {
    fn destroy(self, host: &dyn Writes, _: &ToolCall) -> Result<Form> {
        host.rebuild_indexes()?;
        Ok(Form::new().with("done", true))
    }
}
