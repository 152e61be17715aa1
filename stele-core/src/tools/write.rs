//! The tools that write and take nothing away.

use std::time::Duration;

use super::arguments::{Change, Count, Title, Whole, arguments};
use super::form::Form;
use super::results::{self, advised, id_of};
use super::{Row, WriteTool, writing};
use crate::base::error::Result;
use crate::base::time::Timestamp;
use crate::record::draft::{Draft, Revision};
use crate::record::edge::Relation;
use crate::record::evidence::SourceText;
use crate::record::node::{Anchor, Category, Source, TaskType};
use crate::record::recorder::Recorder;
use crate::record::rule::Helpfulness;

pub(super) static TOOLS: &[Row] = &[
    writing::<RecordFact>(
        "record_fact",
        "Records one atomic fact that stands alone. Search first: revise what is there. In a lesson or risk paste the exact error string, path or command \
         that a sufferer would meet: it is found by that. Anchored files bring it up when edited. Say when it ends.",
    ),
    writing::<RecordTask>("record_task", "Records work. Link blocks for what must come first."),
    writing::<ProposeRule>("propose_rule", "Proposes a rule: name act, place, limit. If mandatory, a body line \"Check: …\"."),
    writing::<Revise>("revise", "Corrects or grows a node; its history stays. null clears."),
    writing::<Link>("link", "effect caused-by cause; blocker blocks blocked; task fulfills goal; a contradicts b: neither ended."),
    writing::<Supersede>(
        "supersede",
        "Retires older only if it was a standing state and that state ended. Additive (\"also\"), continuation (\"still\"), developing (\"was planned, now \
         running\") end nothing: link or revise. evidence: a line, verbatim, of \
         either node or source_text.",
    ),
    writing::<Review>("review", "Confirms that a node holds."),
    writing::<Retag>("retag", "Changes tags."),
    writing::<AnchorTo>("anchor", "Ties a node to a file or glob."),
    writing::<Claim>("claim", "Claim before you begin. granted false: the holder has it, take another. Again renews."),
    writing::<ClaimNext>("claim_next", "Claims the first ready task."),
    writing::<Release>("release", "Gives your task back."),
    writing::<Complete>("complete", "Ends your task and facts that resolve with it. First record what you learned."),
    writing::<Cancel>("cancel", "Gives a task up."),
    writing::<Reopen>("reopen", "Opens an ended task."),
    writing::<Feedback>("feedback", "Counts an occasion (key) of a rule."),
];

arguments! {
    RecordFact {
        category: Category,
        title: Title,
        body: Option<String>,
        tags: Vec<String>,
        anchors: Vec<String>,
        source_uri: Option<String>,
        quote: Option<String>,
        expires_at: Option<Timestamp>,
        resolves_with: Option<String>,
        review_at: Option<Timestamp>,
    }
    RecordTask {
        title: Title,
        body: Option<String>,
        success_criteria: Option<String>,
        r#type: Option<TaskType>,
        priority: Option<Whole<0, 4>>,
        tags: Vec<String>,
    }
    ProposeRule {
        title: Title,
        statement: String,
        trigger: Option<String>,
        body: Option<String>,
        mandatory: Option<bool>,
        keywords: Vec<String>,
    }
    Revise {
        id: String,
        title: Option<String>,
        body: Option<String>,
        statement: Option<String>,
        expires_at: Change<Timestamp>,
        resolves_with: Change<String>,
        review_at: Change<Timestamp>,
    }
    Link { from: String, relation: Relation, to: String, reason: Option<String>, }
    Supersede {
        newer: String,
        older: String,
        reason: String,
        evidence: String,
        source_text: Option<String>,
    }
    Review { id: String, note: Option<String>, }
    Retag { id: String, add: Vec<String>, remove: Vec<String>, }
    AnchorTo { id: String, path: String, symbol: Option<String>, remove: Option<bool>, }
    Claim { task: String, lease_seconds: Option<Count>, }
    ClaimNext { lease_seconds: Option<Count>, }
    Release { task: String, }
    Complete { task: String, summary: String, }
    Cancel { task: String, why: String, }
    Reopen { task: String, why: String, }
    Feedback { rule: String, felt: Helpfulness, key: Option<String>, }
}

/// Sets what facts and tasks share.
fn filled(draft: Draft, body: Option<String>, tags: Vec<String>) -> Draft {
    draft.body(body.unwrap_or_default()).tags(tags)
}

impl WriteTool for RecordFact {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let mut draft = filled(Draft::fact(self.category, self.title.0), self.body, self.tags);
        draft = self.anchors.into_iter().fold(draft, |draft, path| draft.anchor(path, None));
        if self.source_uri.is_some() || self.quote.is_some() {
            draft = draft.source(Source { uri: self.source_uri.unwrap_or_default(), quote: self.quote, ..Source::default() });
        }
        draft = self.expires_at.into_iter().fold(draft, Draft::expires_at);
        draft = self.resolves_with.into_iter().fold(draft, Draft::resolves_with);
        draft = self.review_at.into_iter().fold(draft, Draft::review_at);
        recorder.add(draft).map(|recorded| advised(&recorded))
    }
}

impl WriteTool for RecordTask {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let mut draft = filled(Draft::task(self.title.0), self.body, self.tags);
        draft = self.success_criteria.into_iter().fold(draft, Draft::success_criteria);
        draft = self.r#type.into_iter().fold(draft, Draft::task_type);
        draft = self.priority.into_iter().fold(draft, |draft, priority| draft.priority(priority.0 as u8));
        recorder.add(draft).map(|recorded| advised(&recorded))
    }
}

impl WriteTool for ProposeRule {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let draft = Draft::rule(self.title.0, self.statement).body(self.body.unwrap_or_default()).routing(|rule| {
            rule.trigger = self.trigger.unwrap_or_default();
            rule.mandatory = self.mandatory.unwrap_or_default();
            rule.keywords = self.keywords;
        });
        recorder.propose(draft).map(|proposal| results::proposal(&proposal))
    }
}

impl WriteTool for Revise {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let mut revision = Revision::new();
        revision = self.title.into_iter().fold(revision, |revision, title| revision.title(title));
        revision = self.body.into_iter().fold(revision, Revision::body);
        revision = self.statement.into_iter().fold(revision, Revision::statement);
        if let Change::Set(at) = self.expires_at {
            revision = revision.expires_at(at);
        }
        if let Change::Set(task) = self.resolves_with {
            revision = revision.resolves_with(task.as_deref());
        }
        if let Change::Set(at) = self.review_at {
            revision = revision.review_at(at);
        }
        recorder.revise(&self.id, revision).map(|recorded| advised(&recorded))
    }
}

impl WriteTool for Link {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.link_because(&self.from, self.relation, &self.to, &self.reason.unwrap_or_default(), "")?;
        Ok(results::edge(&self.from, self.relation, &self.to))
    }
}

impl WriteTool for Supersede {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let source = self.source_text.map(|text| SourceText { text, uri: None, revision: None });
        let superseding = recorder.supersede(&self.newer, &self.older).reason(&self.reason).evidence(&self.evidence);
        source.iter().fold(superseding, |superseding, text| superseding.source_text(text)).record()?;
        Ok(results::edge(&self.newer, Relation::Supersedes, &self.older))
    }
}

impl WriteTool for Review {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.review(&self.id, &self.note.unwrap_or_default()).map(id_of)
    }
}

impl WriteTool for Retag {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.retag(&self.id, &texts(&self.add), &texts(&self.remove)).map(id_of)
    }
}

fn texts(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

impl WriteTool for AnchorTo {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let done = match self.remove {
            Some(true) => recorder.anchor(&self.id, &[], &[&self.path]),
            _ => recorder.anchor(&self.id, &[Anchor { path: self.path, symbol: self.symbol }], &[]),
        };
        done.map(id_of)
    }
}

impl WriteTool for Claim {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let claiming = recorder.claim(&self.task);
        let claim = self.lease_seconds.into_iter().fold(claiming, |claiming, lease| claiming.lease(Duration::from_secs(lease.0 as u64))).take()?;
        Ok(results::claim(&claim))
    }
}

impl WriteTool for ClaimNext {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let mut claiming = recorder.claim_next();
        claiming = self.lease_seconds.into_iter().fold(claiming, |claiming, lease| claiming.lease(Duration::from_secs(lease.0 as u64)));
        Ok(claiming.take()?.map_or_else(|| Form::new().with("granted", false), |claim| results::claim(&claim)))
    }
}

impl WriteTool for Release {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.release(&self.task).map(id_of)
    }
}

impl WriteTool for Complete {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.complete(&self.task, &self.summary).map(|change| results::task_change(&change))
    }
}

impl WriteTool for Cancel {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.cancel(&self.task, &self.why).map(|change| results::task_change(&change))
    }
}

impl WriteTool for Reopen {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        recorder.reopen(&self.task, &self.why).map(|change| results::task_change(&change))
    }
}

impl WriteTool for Feedback {
    fn write(self, recorder: &Recorder<'_>) -> Result<Form> {
        let counted = recorder.feedback(&self.rule, self.felt, self.key.as_deref())?;
        let form = Form::new().with("id", counted.rule).with("helped", counted.helped).with("hurt", counted.hurt);
        Ok(form.with("counted", counted.counted).with("ready", counted.ready))
    }
}
