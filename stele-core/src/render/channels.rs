//! The text and JSON of rules that are delivered without being ranked.
//!
//! The head line of a rule stands at the margin and all its other lines are indented, so nothing stored can stand where a
//! head stands. A rule as one line is its head, and for a mandatory one its statement.

use std::fmt::Write as _;

use serde::Serialize;

use super::frame::{neutral, neutral_line};
use crate::assemble::{Channel, Methodology, Obligations, Pointed, RuleEntry};
use crate::base::frame::{CLOSING, METHODOLOGY_OPENING, RULES_OPENING};
use crate::base::id::NodeId;
use crate::record::node::Severity;
use crate::retrieve::result::Format;

/// The version of the JSON form; it rises when a field leaves or changes its meaning.
const VERSION: u32 = 1;

/// The lines of one rule, without a line end after the last.
pub(crate) fn rule_text(entry: &RuleEntry) -> String {
    let title = neutral_line(&entry.title);
    let mut out = if entry.mandatory { format!("{}  mandatory", entry.id) } else { entry.id.to_string() };
    if entry.pointed.is_some() {
        let _ = write!(out, "  {title}");
        let statement = neutral_line(&entry.statement);
        if entry.mandatory && statement != title {
            let _ = write!(out, ": {statement}");
        }
        return out;
    }
    let joint = if entry.mandatory { " · " } else { "  " };
    let _ = write!(out, "{joint}{}", entry.severity);
    if let Some(methodology) = &entry.methodology {
        let _ = write!(out, " · {}", neutral_line(methodology));
    }
    let _ = write!(out, "  {title}");
    if neutral_line(&entry.trigger) != title {
        indented(&mut out, "When: ", &entry.trigger);
    }
    if neutral_line(&entry.statement) != title {
        indented(&mut out, "", &entry.statement);
    }
    if !entry.forbidden.is_empty() {
        let phrases: Vec<String> = entry.forbidden.iter().map(|phrase| format!("\"{}\"", neutral_line(phrase))).collect();
        let _ = write!(out, "\n  Never say: {}", phrases.join("; "));
    }
    if !entry.instead.trim().is_empty() {
        let _ = write!(out, "\n  Say instead: {}", neutral_line(&entry.instead));
    }
    if entry.has_body {
        let _ = write!(out, "\n  (more of it in {})", entry.id);
    }
    out
}

/// Adds stored text as lines of its own, after a label; nothing for a blank one.
fn indented(out: &mut String, label: &str, text: &str) {
    let text = neutral(text);
    for (at, line) in text.trim().lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let _ = write!(out, "\n  {}{}", if at == 0 { label } else { "" }, line.trim_end());
    }
}

/// Entries between the lines of the frame, after a warning if there is one; nothing where there are none.
fn framed<'e>(opening: &str, warning: Option<String>, entries: impl Iterator<Item = &'e RuleEntry>) -> String {
    let mut out = String::new();
    for entry in entries {
        out.push_str(&entry.text);
        out.push('\n');
    }
    if out.is_empty() {
        return out;
    }
    let warning = warning.map(|warning| format!("{warning}\n")).unwrap_or_default();
    format!("{opening}\n{warning}{out}{CLOSING}\n")
}

impl Obligations {
    /// The line that says that the obligations take more tokens than they are meant to, if they do.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let said = || format!("⚠ OVER BUDGET  these rules take {} tokens, {} are meant for them; none is left out", self.tokens, self.cap);
        self.over_budget.then(said)
    }

    /// Writes them out, mandatory ones first whether in full or not; the same obligations give the same bytes. Text is
    /// empty where there are none; JSON is an object with `"version": 1`.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => framed(RULES_OPENING, self.warning(), self.in_order().into_iter()),
            Format::Json => json(&ObligationsForm {
                version: VERSION,
                entries: self.entries.iter().map(RuleForm::of).collect(),
                pointers: self.pointers.iter().map(RuleForm::of).collect(),
                tokens: self.tokens,
                cap: self.cap,
                over_budget: self.over_budget,
            }),
        }
    }
}

impl Methodology {
    /// The line that says that what mode and action call takes more tokens than it is meant to, if it does.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let said = || format!("⚠ OVER BUDGET  what mode and action call takes {} tokens, {} are meant for it; none is left out", self.tokens, self.max_tokens);
        self.over_budget.then(said)
    }

    /// Writes it out; the same methodology gives the same bytes. Text is empty where nothing is called; JSON is an object
    /// with `"version": 1`.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => framed(METHODOLOGY_OPENING, self.warning(), self.entries.iter().map(|entry| &entry.rule)),
            Format::Json => json(&MethodologyForm {
                version: VERSION,
                entries: self
                    .entries
                    .iter()
                    .map(|entry| CalledForm { channel: entry.channel, matched: entry.matched, rule: RuleForm::of(&entry.rule) })
                    .collect(),
                left: self.left,
                tokens: self.tokens,
                max_tokens: self.max_tokens,
                over_budget: self.over_budget,
            }),
        }
    }
}

fn json(form: &impl Serialize) -> String {
    serde_json::to_string(form).expect("invariant: every key is a string and no value can fail")
}

#[derive(Serialize)]
struct ObligationsForm {
    version: u32,
    entries: Vec<RuleForm>,
    pointers: Vec<RuleForm>,
    tokens: usize,
    cap: usize,
    over_budget: bool,
}

#[derive(Serialize)]
struct MethodologyForm {
    version: u32,
    entries: Vec<CalledForm>,
    left: usize,
    tokens: usize,
    max_tokens: usize,
    over_budget: bool,
}

#[derive(Serialize)]
struct CalledForm {
    channel: Channel,
    matched: usize,
    #[serde(flatten)]
    rule: RuleForm,
}

#[derive(Serialize)]
struct RuleForm {
    id: NodeId,
    revision: u64,
    title: String,
    trigger: String,
    statement: String,
    mandatory: bool,
    always_on: bool,
    forbidden: Vec<String>,
    instead: String,
    domain: Option<String>,
    severity: Severity,
    methodology: Option<String>,
    has_body: bool,
    pointed: Option<&'static str>,
    tokens: usize,
}

impl RuleForm {
    fn of(entry: &RuleEntry) -> Self {
        Self {
            id: entry.id,
            revision: entry.revision,
            title: neutral_line(&entry.title),
            trigger: neutral(&entry.trigger).into_owned(),
            statement: neutral(&entry.statement).into_owned(),
            mandatory: entry.mandatory,
            always_on: entry.always_on,
            forbidden: entry.forbidden.iter().map(|phrase| neutral_line(phrase)).collect(),
            instead: neutral_line(&entry.instead),
            domain: entry.domain.as_deref().map(neutral_line),
            severity: entry.severity,
            methodology: entry.methodology.as_deref().map(neutral_line),
            has_body: entry.has_body,
            pointed: entry.pointed.map(|pointed| match pointed {
                Pointed::Shown => "shown",
                Pointed::NotHere => "not_here",
            }),
            tokens: entry.tokens,
        }
    }
}
