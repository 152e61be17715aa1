//! The door to the tools of an agent.

use super::Record;
use crate::base::error::Result;
use crate::health::{Health, Sweep};
use crate::record::recorder::Recorder;
use crate::retrieve::Retriever;
use crate::tools::{Reads, Tier, Tool, ToolCall, Writes, call, tools};

impl Reads for Record {
    fn retriever(&self) -> Retriever {
        self.retriever()
    }

    fn health(&self) -> Result<Health> {
        self.health()
    }
}

impl Writes for Record {
    fn recorder(&self, call: &ToolCall) -> Result<Recorder<'static>> {
        match &call.session {
            Some(session) => self.recorder_in(&call.actor, session),
            None => self.recorder(&call.actor),
        }
    }

    fn sweep(&self) -> Result<Sweep> {
        self.sweep()
    }

    fn apply_sweep(&self, sweep: &mut Sweep, call: &ToolCall) -> Result<()> {
        self.apply_sweep(sweep, &call.actor)
    }

    fn compact(&self) -> Result<bool> {
        self.compact()
    }

    fn rebuild_indexes(&self) -> Result<()> {
        self.rebuild_indexes()
    }
}

impl Record {
    /// The tools for an agent that may go up to a tier, in a fixed order: names, descriptions and schemas for its model.
    #[must_use]
    pub fn tools(&self, tier: Tier) -> Vec<Tool> {
        tools(tier)
    }

    /// Calls a tool with a JSON object of arguments, for an actor, and gives its result as a JSON object. Losing a claim and
    /// finding nothing are results. [`Error::json`](crate::Error::json) writes an error out for the model.
    ///
    /// A tool of [`Tier::Read`] changes nothing, whatever it is sent; what it shows is not noted as served.
    ///
    /// # Errors
    /// `not_permitted` above the call's tier; `unknown_value` for another name; `bad_argument` and `out_of_range`, naming the
    /// argument; those of the verb that the tool stands for.
    pub fn call_tool(&self, name: &str, arguments: &str, by: &ToolCall) -> Result<String> {
        call(self, name, arguments, by)
    }
}
