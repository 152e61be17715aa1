//! The text and JSON of a context.
//!
//! A section of a provider opens with a line that names it and ends with a short stroke. Between them an entry begins with
//! `- ` at the margin and all its other lines are indented, so nothing that a provider gives can stand where a line of
//! stele's own begins. Where an entry comes from stands in its first line, before its text.

use std::fmt::Write as _;

use serde::Serialize;

use super::frame::{neutral, neutral_line};
use super::text::{age, short};
use crate::assemble::{Context, Methodology, Obligations, Outcome, OutcomeKind, ProviderCategory, ProviderEntry, Writing};
use crate::base::frame::{CLOSING, END, PROVIDER, RULES_OPENING, WARNINGS_OPENING};
use crate::base::time::Timestamp;
use crate::retrieve::result::{Format, Retrieval};

/// The version of the JSON form; it rises when a field leaves or changes its meaning.
const VERSION: u32 = 1;
/// Longest address of a source, and longest quoted line, in characters.
const SOURCE_CHARS: usize = 300;
/// Longest revision of a source, in characters.
const REVISION_CHARS: usize = 60;

/// Writes contexts as they are written everywhere.
pub(crate) struct ContextWriter;

impl Writing for ContextWriter {
    fn obligations(&self, obligations: &Obligations, notice: Option<&str>) -> String {
        let text = obligations.render(Format::Text);
        let Some(notice) = notice else { return text };
        let notice = format!("⚠ RULES {notice}\n");
        match text.strip_prefix(RULES_OPENING).and_then(|rest| rest.strip_prefix('\n')) {
            Some(rest) => format!("{RULES_OPENING}\n{notice}{rest}"),
            None => format!("{RULES_OPENING}\n{notice}{CLOSING}\n"),
        }
    }

    fn unavailable(&self, why: &str) -> String {
        format!("⚠ RULES UNAVAILABLE  {why}; ask before doing what a rule may forbid\n")
    }

    fn methodology(&self, methodology: &Methodology) -> String {
        methodology.render(Format::Text)
    }

    fn fit(&self, record: &mut Retrieval) {
        super::fit::fit(record);
    }

    fn record(&self, record: &Retrieval) -> String {
        record.render(Format::Text)
    }

    fn entry(&self, entry: &ProviderEntry, now: Timestamp) -> String {
        let text = neutral(&entry.text);
        if text.trim().is_empty() {
            return String::new();
        }
        let origin = origin(entry, now);
        let (mut out, mut blank) = (String::new(), false);
        for line in origin.as_deref().into_iter().chain(text.trim().lines().map(str::trim_end)) {
            if line.is_empty() {
                blank = true;
                continue;
            }
            let margin = if out.is_empty() { "- " } else { "  " };
            if blank {
                out.push('\n');
            }
            blank = false;
            let _ = writeln!(out, "{margin}{line}");
        }
        out
    }

    fn section(&self, provider: &str, category: ProviderCategory, entries: &[String]) -> String {
        let label = match category {
            ProviderCategory::Rules => "rules to keep to",
            ProviderCategory::Skills => "ways of working",
            ProviderCategory::Memory => "what is known",
            ProviderCategory::System => "how things stand",
        };
        format!("{PROVIDER}{} ── {label} ──\n{}{END}\n", neutral_line(provider), entries.concat())
    }

    fn warnings(&self, lines: &[String]) -> String {
        let lines: String = lines.iter().map(|line| format!("⚠ {}\n", neutral_line(line))).collect();
        format!("{WARNINGS_OPENING}\n{lines}{END}\n")
    }

    fn outcomes(&self, outcomes: &[Outcome]) -> String {
        json(&outcomes.iter().map(OutcomeForm::of).collect::<Vec<_>>())
    }

    fn line(&self, text: &str) -> String {
        neutral_line(text)
    }
}

/// Where an entry comes from and how old it is, in one line; `None` if it does not say.
fn origin(entry: &ProviderEntry, now: Timestamp) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(source) = &entry.source {
        let mut from = short(&source.uri, SOURCE_CHARS);
        if let Some(revision) = source.revision.as_deref().map(|revision| short(revision, REVISION_CHARS)).filter(|revision| !revision.is_empty()) {
            from.push_str(if from.is_empty() { "revision " } else { " @ " });
            from.push_str(&revision);
        }
        parts.push(from);
        let quote = source.quote.as_deref().map(|quote| short(quote, SOURCE_CHARS).replace('"', "'"));
        parts.extend(quote.filter(|quote| !quote.is_empty()).map(|quote| format!("\"{quote}\"")));
    }
    parts.extend(entry.fetched_at.map(|at| format!("fetched {}", age(now.since(at)))));
    parts.extend(entry.review_at.filter(|due| *due <= now).map(|_| "read again before acting".to_owned()));
    parts.retain(|part| !part.is_empty());
    // No line of an entry's own text can begin with strokes.
    (!parts.is_empty()).then(|| format!("── {}", parts.join(" · ")))
}

impl Context {
    /// Writes it out: text as it is, JSON as an object with `"version": 1` that holds the text, its sections and how each
    /// provider ended.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.text.clone(),
            Format::Json => json(&ContextForm::of(self)),
        }
    }
}

fn json(form: &impl Serialize) -> String {
    serde_json::to_string(form).expect("invariant: every key is a string and no value can fail")
}

#[derive(Serialize)]
struct ContextForm<'c> {
    version: u32,
    turn: u64,
    text: &'c str,
    sections: Vec<SectionForm<'c>>,
    outcomes: Vec<OutcomeForm>,
    warnings: Vec<String>,
    digest: &'c str,
    chars: usize,
    tokens: usize,
    item_id: Option<&'c str>,
}

#[derive(Serialize)]
struct SectionForm<'c> {
    provider: &'c str,
    category: ProviderCategory,
    text: &'c str,
    tokens: usize,
}

#[derive(Serialize)]
struct OutcomeForm {
    provider: String,
    category: ProviderCategory,
    result: OutcomeKind,
    reason: String,
    entries: usize,
    cut: usize,
    elsewhere: usize,
    tokens: usize,
    ms: u64,
}

impl OutcomeForm {
    fn of(outcome: &Outcome) -> Self {
        Self {
            provider: neutral_line(&outcome.provider),
            category: outcome.category,
            result: outcome.result,
            reason: neutral_line(&outcome.reason),
            entries: outcome.entries,
            cut: outcome.cut,
            elsewhere: outcome.elsewhere,
            tokens: outcome.tokens,
            ms: outcome.ms,
        }
    }
}

impl<'c> ContextForm<'c> {
    fn of(context: &'c Context) -> Self {
        let section = |section: &'c crate::assemble::Section| SectionForm {
            provider: &section.provider,
            category: section.category,
            text: &section.text,
            tokens: section.tokens,
        };
        Self {
            version: VERSION,
            turn: context.turn,
            text: &context.text,
            sections: context.sections.iter().map(section).collect(),
            outcomes: context.outcomes.iter().map(OutcomeForm::of).collect(),
            warnings: context.warnings.iter().map(|line| neutral_line(line)).collect(),
            digest: &context.digest,
            chars: context.chars,
            tokens: context.tokens,
            item_id: context.item_id.as_deref(),
        }
    }
}
