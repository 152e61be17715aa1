//! The tools that read.

use super::arguments::{Count, Whole, arguments};
use super::form::{Form, MOST, line, list, rendered};
use super::results;
use super::{ReadTool, Reads, Row, ToolCall, reading};
use crate::assemble::{Point, RulesOptions};
use crate::base::config::MAX_HOPS;
use crate::base::error::Result;
use crate::record::node::{Category, TaskStatus};
use crate::render::channels::rule_text;
use crate::retrieve::{NeighbourOptions, ReadyOptions, RecallOptions, RetrieveOptions, SearchOptions};

pub(super) static TOOLS: &[Row] = &[
    reading::<Search>("search", "Finds nodes. Paste an exact error string, path or identifier: lessons are found by it."),
    reading::<Retrieve>("retrieve", "What bears on a prompt, and why. A starting set: search before assuming."),
    reading::<Recall>("recall", "A deeper look at a question."),
    reading::<Get>("get", "A node, whole, by id or alias."),
    reading::<Neighbours>("neighbours", "What a node is joined to."),
    reading::<History>("history", "Every change of a node."),
    reading::<Why>("why", "What a node rests on and what it replaced."),
    reading::<Ready>("ready", "Tasks to claim, most urgent first."),
    reading::<Tasks>("tasks", "Who does what; what was I doing?"),
    reading::<Handoff>("handoff", "All one needs to continue a task."),
    reading::<Rules>("rules", "Rules that bind you here."),
    reading::<Conflicts>("conflicts", "Live nodes that contradict each other."),
    reading::<HealthCheck>("health", "What is wrong with the record, and what to do."),
];

arguments! {
    Search { query: String, categories: Vec<Category>, tags: Vec<String>, limit: Option<Count>, }
    Retrieve { prompt: String, }
    Recall { question: String, depth: Option<Whole<0, { MAX_HOPS as usize }>>, }
    Get { id: String, }
    Neighbours { id: String, }
    History { id: String, }
    Why { id: String, }
    Ready { tags: Vec<String>, }
    Tasks { holder: Option<String>, status: Option<TaskStatus>, }
    Handoff { task: String, }
    Rules { point: Option<Point>, text: Option<String>, }
    Conflicts {}
    HealthCheck {}
}

/// What is being built with a value set, or as it is without one.
fn with<B, V>(built: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(built, value),
        None => built,
    }
}

impl ReadTool for Search {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        let options = with(SearchOptions::new().tags(self.tags), self.limit, |options, limit| options.limit(limit.0));
        let options = with(options, Some(self.categories).filter(|categories| !categories.is_empty()), SearchOptions::categories);
        Ok(Form::new().listing("hits", list(&from.retriever().search(&self.query, &options)?, results::hit)))
    }
}

impl ReadTool for Retrieve {
    fn read(self, from: &dyn Reads, call: &ToolCall) -> Result<Form> {
        let options = with(RetrieveOptions::new(), call.session.clone(), RetrieveOptions::session);
        from.retriever().retrieve(&self.prompt, &options).map(|found| results::retrieval(&found))
    }
}

impl ReadTool for Recall {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        let options = with(RecallOptions::new(), self.depth, |options, depth| options.depth(depth.0 as u32));
        from.retriever().recall(&self.question, &options).map(|found| results::retrieval(&found))
    }
}

impl ReadTool for Get {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        from.retriever().get(&self.id).map(|node| results::node(&node))
    }
}

impl ReadTool for Neighbours {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        Ok(Form::new().listing("neighbours", list(&from.retriever().neighbours(&self.id, &NeighbourOptions::new())?, results::neighbour)))
    }
}

impl ReadTool for History {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        let history = from.retriever().history(&self.id)?;
        let (earlier, latest) = history.split_at(history.len().saturating_sub(MOST));
        Ok(Form::new().with("earlier", Some(earlier.len() as u64).filter(|earlier| *earlier > 0)).listing("history", list(latest, results::history_item)))
    }
}

impl ReadTool for Why {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        from.retriever().why(&self.id).map(|why| results::why(&why))
    }
}

impl ReadTool for Ready {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        Ok(Form::new().listing("tasks", list(&from.retriever().ready(&ReadyOptions::new().tags(self.tags))?, results::task)))
    }
}

impl ReadTool for Tasks {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        Ok(Form::new().first("tasks", &from.retriever().tasks(self.holder.as_deref(), self.status)?, results::task))
    }
}

impl ReadTool for Handoff {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        from.retriever().handoff(&self.task).map(|text| Form::new().with("text", rendered(text)))
    }
}

impl ReadTool for Rules {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        let options = with(RulesOptions::new(), self.point, RulesOptions::point);
        let options = with(options, self.text, RulesOptions::text);
        let rules = from.retriever().rules(&options)?;
        let rule = |entry: &&crate::assemble::RuleEntry| Form::new().with("id", entry.id).with("text", rendered(rule_text(entry)));
        Ok(Form::new().listing("rules", list(&rules.in_order(), rule)).with("tokens", rules.tokens as u64).with("over_budget", rules.over_budget))
    }
}

impl ReadTool for Conflicts {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        Ok(Form::new().first("conflicts", &from.retriever().conflicts(None)?, results::conflict))
    }
}

impl ReadTool for HealthCheck {
    fn read(self, from: &dyn Reads, _: &ToolCall) -> Result<Form> {
        let health = from.health()?;
        let finding = |finding: &crate::health::Finding| {
            let form = Form::new().with("check", finding.check).with("severity", finding.severity.as_str()).with("ids", finding.ids.as_slice());
            form.with("message", line(&finding.message)).with("remedy", finding.remedy)
        };
        Ok(Form::new().with("ok", health.ok()).first("findings", &health.findings, finding))
    }
}
