//! From the answers of a plan to a context: order, budgets, warnings, outcomes. A function of the answers alone.
//!
//! Budgets apply one after the other:
//! 1. Obligations have no limit; what they take is taken from the assembly's.
//! 2. Each provider keeps its own: entries leave whole, from the end. The text of its entries counts, not what is written
//!    around it.
//! 3. What is left of the assembly's goes to the providers in the order in which they stand; what does not fit leaves whole,
//!    from the end of each. The window of the record is fitted into what is left instead.
//!
//! Warnings are never dropped: what they take is taken off before the third step, which is done again where its own warnings
//! leave no room for what it let in.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Deref;

use super::channels::{Methodology, Obligations};
use super::context::{Context, Section};
use super::outcome::{Outcome, OutcomeKind};
use super::plan::{Answer, Facts, NAME_CHARS, Plan, Planned, Rules, Standing};
use super::provider::{Declaration, ProviderCategory, Supply};
use super::turn::item_id;
use super::writing::Writing;
use crate::base::config::{PROVIDER_WARNINGS, WARNING_CHARS};
use crate::base::digest::digest;
use crate::base::id::NodeId;
use crate::base::text::cut;
use crate::base::tokens::TokenCounter;
use crate::retrieve::result::{Entry, GapKind, Retrieval, Role, Status};

/// The name of the section of obligations, and of their outcome.
pub(crate) const OBLIGATIONS: &str = "obligations";
/// The name of the provider of the window.
pub(crate) const RECORD: &str = "record";
/// The name of the section of warnings.
const WARNINGS: &str = "warnings";
/// An entry may take so many bytes for each token of its provider's budget; more is white space or no text.
const BYTES_A_TOKEN: usize = 32;

/// What a provider may contribute once its own budget is kept.
enum Content {
    /// Written entries, each with what it takes of the provider's budget and what it takes as written.
    Entries(Vec<(String, usize, usize)>),
    Methodology(Methodology),
    Record(Box<Retrieval>),
}

/// What of it stands in the context.
enum Shown {
    Nothing,
    Entries,
    Methodology(Methodology),
    Record(Box<Retrieval>),
}

/// A section as far as it is decided.
struct Part {
    section: Option<Section>,
    shown: Shown,
    entries: usize,
    cut: usize,
    tokens: usize,
}

impl Part {
    fn nothing(cut: usize) -> Self {
        Self { section: None, shown: Shown::Nothing, entries: 0, cut, tokens: 0 }
    }
}

/// What writes the parts of a context, and counts them.
struct Counted<'c> {
    writing: &'c dyn Writing,
    counter: &'c TokenCounter,
}

impl Counted<'_> {
    fn tokens(&self, text: &str) -> usize {
        self.counter.count(text)
    }
}

impl<'c> Deref for Counted<'c> {
    type Target = dyn Writing + 'c;

    fn deref(&self) -> &Self::Target {
        self.writing
    }
}

impl Plan {
    /// Puts the context together; who has not answered was late.
    pub(crate) fn finish(self, writing: &dyn Writing) -> Context {
        let Self { facts, rules, mut planned } = self;
        let writing = &Counted { writing, counter: &facts.counter };
        let mut order: Vec<usize> = (0..planned.len()).collect();
        order.sort_by(|a, b| in_order(&planned[*a].declaration, &planned[*b].declaration).then(a.cmp(b)));

        let mut lines = Vec::new();
        let (obligations, ruling, rules_outcome) = obligations(rules, writing, &mut lines);
        let mut outcomes: Vec<Outcome> = rules_outcome.into_iter().collect();
        let ruled = outcomes.len();
        let mut contents = Vec::with_capacity(order.len());
        for at in &order {
            let planned = &mut planned[*at];
            let (outcome, content) = own_budget(planned, &facts, writing, &mut lines);
            outcomes.push(outcome);
            contents.push(content);
        }

        let fault = |lines: &[String]| facts.counter.fault().map(str::to_owned).filter(|fault| !lines.contains(fault));
        lines.extend(fault(&lines));
        let taken = ruling.as_ref().map_or(0, |section| section.tokens);
        let mut reserve = warnings(&lines, writing).map_or(0, |section| section.tokens);
        let (parts, noted, warned) = loop {
            let room = facts.token_budget.saturating_sub(taken + reserve);
            let parts = allot(&order, &planned, &contents, room, writing);
            let mut noted = lines.clone();
            let cuts = order.iter().zip(&parts).zip(&outcomes[ruled..]);
            // A window says in its own last line what it left out.
            let silent = |part: &Part| part.section.is_some() && matches!(part.shown, Shown::Record(_));
            let cuts = cuts.filter(|((_, part), _)| !silent(part));
            noted.extend(cuts.filter_map(|((at, part), outcome)| cut_line(&planned[*at].declaration, part.cut + outcome.cut)));
            let warned = warnings(&noted, writing);
            let sections = parts.iter().filter_map(|part| part.section.as_ref()).chain(&ruling).chain(&warned);
            let total: usize = sections.map(|section| section.tokens).sum();
            // Without room there stands only what counts nothing, as a host counts: none of it can make way.
            if total <= facts.token_budget || room == 0 {
                break (parts, noted, warned);
            }
            // As a host counts, sections may take more than their parts; then the room shrinks in few steps.
            let step = if facts.counter.is_host() { facts.token_budget / 8 } else { 0 };
            reserve += (total - facts.token_budget).max(step);
        };

        let mut context = Context {
            turn: facts.turn,
            text: String::new(),
            sections: ruling.into_iter().collect(),
            outcomes: Vec::new(),
            warnings: Vec::new(),
            digest: String::new(),
            chars: 0,
            tokens: 0,
            item_id: None,
            obligations,
            methodology: Methodology::default(),
            record: Retrieval::nothing(Status::Abstained, facts.now),
        };
        for ((part, content), outcome) in parts.into_iter().zip(contents).zip(&mut outcomes[ruled..]) {
            settle(&mut context, part, content, outcome);
        }
        if outcomes.iter().any(|outcome| outcome.provider == RECORD && matches!(outcome.result, OutcomeKind::TimedOut | OutcomeKind::Failed)) {
            context.record.status = Status::Late;
        }
        context.sections.extend(warned);
        context.warnings = noted;
        context.warnings.extend(context.obligations.warning());
        context.warnings.extend(context.methodology.warning());
        context.warnings.extend(context.record.gaps.iter().filter(|gap| gap.kind == GapKind::Session).map(|gap| gap.note.clone()));
        context.warnings.extend(fault(&context.warnings));
        context.outcomes = outcomes;
        context.text = context.sections.iter().map(|section| section.text.as_str()).collect();
        context.digest = digest(context.text.as_bytes());
        context.chars = context.text.chars().count();
        context.tokens = writing.tokens(&context.text);
        context.item_id = item_id(facts.turn).filter(|_| !context.text.is_empty());
        context
    }
}

/// By category, position and name.
fn in_order(a: &Declaration, b: &Declaration) -> Ordering {
    (a.category, a.position, &a.name).cmp(&(b.category, b.position, &b.name))
}

/// The obligations with their section and their outcome, and the line that says so if there are none to be had.
fn obligations(rules: Rules, writing: &Counted<'_>, lines: &mut Vec<String>) -> (Obligations, Option<Section>, Option<Outcome>) {
    let mut outcome = outcome(OBLIGATIONS, ProviderCategory::Rules);
    let (obligations, text) = match rules {
        Rules::Off => return (Obligations::default(), None, None),
        Rules::Read(obligations) => {
            let text = writing.obligations(&obligations, None);
            (obligations, text)
        }
        Rules::LastGood { obligations, sequence, why } => {
            outcome.reason = format!("as of operation {sequence}; the record could not be read: {}", cut(&writing.line(&why), WARNING_CHARS));
            let text = writing.obligations(&obligations, Some(&outcome.reason));
            lines.push(format!("provider {OBLIGATIONS}: {}", outcome.reason));
            (obligations, text)
        }
        Rules::Unavailable { why } => {
            outcome.reason = format!("the record could not be read: {}", cut(&writing.line(&why), WARNING_CHARS));
            outcome.result = OutcomeKind::Failed;
            (Obligations::default(), writing.unavailable(&outcome.reason))
        }
    };
    outcome.entries = obligations.entries.len() + obligations.pointers.len();
    outcome.tokens = obligations.tokens;
    if outcome.entries > 0 {
        outcome.result = OutcomeKind::Included;
    }
    (obligations, section(OBLIGATIONS, ProviderCategory::Rules, text, writing), Some(outcome))
}

/// An outcome in which nothing stands yet.
fn outcome(name: &str, category: ProviderCategory) -> Outcome {
    Outcome {
        provider: cut(name, NAME_CHARS).to_owned(),
        category,
        result: OutcomeKind::Empty,
        reason: String::new(),
        entries: 0,
        cut: 0,
        elsewhere: 0,
        tokens: 0,
        ms: 0,
        fault: None,
    }
}

fn section(name: &str, category: ProviderCategory, text: String, writing: &Counted<'_>) -> Option<Section> {
    (!text.is_empty()).then(|| Section { provider: name.to_owned(), category, tokens: writing.tokens(&text), text })
}

fn warnings(lines: &[String], writing: &Counted<'_>) -> Option<Section> {
    if lines.is_empty() { None } else { section(WARNINGS, ProviderCategory::System, writing.warnings(lines), writing) }
}

/// The line that says how much of a provider had no room.
fn cut_line(declaration: &Declaration, count: usize) -> Option<String> {
    let entries = if count == 1 { "entry" } else { "entries" };
    (count > 0).then(|| format!("provider {}: {count} {entries} left out for want of room", declaration.name))
}

/// How a provider ended as far as its own answer tells, and what it may contribute.
fn own_budget(planned: &mut Planned, facts: &Facts, writing: &Counted<'_>, lines: &mut Vec<String>) -> (Outcome, Option<Content>) {
    let declaration = &planned.declaration;
    let mut outcome = outcome(&declaration.name, declaration.category);
    outcome.ms = u64::try_from(planned.took.as_millis()).unwrap_or(u64::MAX);
    let standing = std::mem::replace(&mut planned.standing, Standing::Late);
    let answer = match standing {
        Standing::Answered(answer) => answer,
        Standing::Gated(result, reason) | Standing::Watching(result, reason) => {
            warn(&declaration.name, &planned.seen, writing, lines);
            (outcome.result, outcome.reason) = (result, reason);
            return ended(outcome, writing, lines);
        }
        Standing::Faulted(fault) => {
            (outcome.result, outcome.reason) = (OutcomeKind::Failed, cut(&writing.line(&fault.message), WARNING_CHARS).to_owned());
            outcome.fault = Some(fault);
            return ended(outcome, writing, lines);
        }
        Standing::Late | Standing::Asked => {
            // The time it had is not the same from run to run, and this line stands in the text.
            (outcome.result, outcome.reason) = (OutcomeKind::TimedOut, "no answer in time".to_owned());
            return ended(outcome, writing, lines);
        }
    };
    let content = match answer {
        Answer::Entries(supply) => {
            warn(&declaration.name, &supply.warnings, writing, lines);
            entries(declaration, supply, facts, writing, &mut outcome)
        }
        Answer::Methodology(methodology) => Some(Content::Methodology(methodology)),
        Answer::Record(record) if record.status == Status::Found => Some(Content::Record(record)),
        Answer::Record(record) => {
            outcome.reason = record.status.as_str().to_owned();
            if record.status == Status::Late {
                outcome.result = OutcomeKind::TimedOut;
                ended_line(&outcome, writing, lines);
            }
            Some(Content::Record(record))
        }
    };
    (outcome, content)
}

fn ended(outcome: Outcome, writing: &Counted<'_>, lines: &mut Vec<String>) -> (Outcome, Option<Content>) {
    if outcome.result.is_fault() {
        ended_line(&outcome, writing, lines);
    }
    (outcome, None)
}

/// Adds the line of a provider that gives nothing because something went wrong.
fn ended_line(outcome: &Outcome, writing: &Counted<'_>, lines: &mut Vec<String>) {
    let words = match outcome.result {
        OutcomeKind::TimedOut => "timed out",
        OutcomeKind::Invalid => "is not valid and was not asked",
        _ => "failed",
    };
    let name = writing.line(&outcome.provider);
    let name = if name.is_empty() { "without a name" } else { &name };
    lines.push(format!("provider {name} {words}: {}", outcome.reason));
}

/// Adds what a provider wants to be seen.
fn warn(name: &str, warnings: &[String], writing: &Counted<'_>, lines: &mut Vec<String>) {
    let said = warnings.iter().take(PROVIDER_WARNINGS).map(|warning| writing.line(cut(warning, WARNING_CHARS))).filter(|line| !line.is_empty());
    lines.extend(said.map(|line| format!("provider {name}: {line}")));
    if warnings.len() > PROVIDER_WARNINGS {
        lines.push(format!("provider {name}: {} further warnings", warnings.len() - PROVIDER_WARNINGS));
    }
}

/// The entries of a provider that bear on the request and keep its budget.
fn entries(declaration: &Declaration, supply: Supply, facts: &Facts, writing: &Counted<'_>, outcome: &mut Outcome) -> Option<Content> {
    let mut kept: Vec<(String, usize, usize)> = Vec::new();
    let mut left = declaration.token_budget;
    let most_bytes = declaration.token_budget.saturating_mul(BYTES_A_TOKEN);
    for entry in supply.entries {
        if entry.applies_to.as_deref().is_some_and(|limit| !bears_on(facts, limit)) {
            outcome.elsewhere += 1;
            continue;
        }
        if outcome.cut == 0 && entry.text.len() <= most_bytes {
            let text = writing.entry(&entry, facts.now);
            if text.is_empty() {
                continue;
            }
            let own = writing.tokens(&entry.text);
            if own <= left {
                left -= own;
                let written = writing.tokens(&text);
                kept.push((text, own, written));
                continue;
            }
        } else if entry.text.trim().is_empty() {
            continue;
        }
        outcome.cut += 1;
    }
    if outcome.elsewhere > 0 {
        outcome.reason = format!("limited to something else: {}", outcome.elsewhere);
    }
    if kept.is_empty() && outcome.cut > 0 {
        outcome.result = OutcomeKind::BudgetExcluded;
        outcome.reason = format!("no entry fits into {} tokens", declaration.token_budget);
    }
    (!kept.is_empty()).then_some(Content::Entries(kept))
}

/// True if the request is about what an entry is limited to.
fn bears_on(facts: &Facts, limit: &str) -> bool {
    let limit = limit.trim();
    limit.is_empty() || facts.about.iter().any(|about| about.trim().to_lowercase() == limit.to_lowercase())
}

/// Shares the room among the contents, in order.
fn allot(order: &[usize], planned: &[Planned], contents: &[Option<Content>], mut room: usize, writing: &Counted<'_>) -> Vec<Part> {
    let mut parts = Vec::with_capacity(order.len());
    let mut told = BTreeSet::new();
    for (at, content) in order.iter().zip(contents) {
        let Declaration { name, category, .. } = &planned[*at].declaration;
        let part = match content {
            None => Part::nothing(0),
            Some(Content::Entries(entries)) => allot_entries(name, *category, entries, room, writing),
            Some(Content::Methodology(methodology)) => allot_methodology(name, *category, methodology, room, writing),
            Some(Content::Record(record)) => match untold(record, &told) {
                record if record.status == Status::Found => allot_record(name, *category, &record, room, writing),
                record => Part { shown: Shown::Record(Box::new(record.into_owned())), ..Part::nothing(0) },
            },
        };
        if let Shown::Methodology(shown) = &part.shown {
            told.extend(shown.entries.iter().map(|entry| &entry.rule).filter(|rule| rule.pointed.is_none()).map(|rule| rule.id));
        }
        room = room.saturating_sub(part.section.as_ref().map_or(0, |section| section.tokens));
        parts.push(part);
    }
    parts
}

/// The window without the rules that stand in full further up already. What is named stays, and what another entry needs.
fn untold<'r>(record: &'r Retrieval, told: &BTreeSet<NodeId>) -> Cow<'r, Retrieval> {
    let again = |entry: &Entry| told.contains(&entry.id) && entry.role != Role::Named && entry.replaces.is_empty() && entry.conflicts.is_empty();
    if !record.entries.iter().any(again) {
        return Cow::Borrowed(record);
    }
    let mut rest = record.clone();
    rest.entries.retain(|entry| !again(entry));
    if rest.entries.is_empty() && rest.callouts.is_empty() && rest.callout_lines.is_empty() {
        rest.status = Status::Served;
    }
    Cow::Owned(rest)
}

fn allot_entries(name: &str, category: ProviderCategory, entries: &[(String, usize, usize)], room: usize, writing: &Counted<'_>) -> Part {
    let mut used = writing.tokens(&writing.section(name, category, &[]));
    let fitting = entries.iter().take_while(|(_, _, written)| {
        used += written;
        used <= room
    });
    let kept: Vec<&(String, usize, usize)> = fitting.collect();
    let cut = entries.len() - kept.len();
    if kept.is_empty() {
        return Part::nothing(cut);
    }
    let texts: Vec<String> = kept.iter().map(|(text, _, _)| text.clone()).collect();
    Part {
        section: section(name, category, writing.section(name, category, &texts), writing),
        shown: Shown::Entries,
        entries: kept.len(),
        cut,
        tokens: kept.iter().map(|(_, own, _)| own).sum(),
    }
}

fn allot_methodology(name: &str, category: ProviderCategory, methodology: &Methodology, room: usize, writing: &Counted<'_>) -> Part {
    let mut kept = methodology.clone();
    let mut text = writing.methodology(&kept);
    // Counted once a round: a host may count the same text in two ways.
    while let mut over @ 1.. = writing.tokens(&text).saturating_sub(room) {
        while over > 0
            && let Some(last) = kept.entries.pop()
        {
            over = over.saturating_sub(last.rule.tokens);
            kept.tokens -= last.rule.tokens;
            kept.left += 1;
        }
        kept.over_budget = kept.tokens > kept.max_tokens;
        text = writing.methodology(&kept);
    }
    let (entries, own) = (kept.entries.len(), kept.tokens);
    Part { section: section(name, category, text, writing), shown: Shown::Methodology(kept), entries, cut: methodology.entries.len() - entries, tokens: own }
}

fn allot_record(name: &str, category: ProviderCategory, record: &Retrieval, room: usize, writing: &Counted<'_>) -> Part {
    let mut fitted = Box::new(Retrieval { counter: writing.counter.clone(), ..record.clone() });
    writing.fit(&mut fitted);
    if fitted.tokens > room {
        *fitted = Retrieval { max_tokens: Some(record.max_tokens.map_or(room, |asked| asked.min(room))), counter: writing.counter.clone(), ..record.clone() };
        writing.fit(&mut fitted);
    }
    let count = |found: &Retrieval| found.entries.len() + found.callouts.len() + found.callout_lines.len();
    let text = writing.record(&fitted);
    if text.is_empty() {
        return Part { shown: Shown::Record(fitted), ..Part::nothing(count(record)) };
    }
    let (entries, own) = (count(&fitted), fitted.tokens);
    Part { section: section(name, category, text, writing), shown: Shown::Record(fitted), entries, cut: count(record) - entries, tokens: own }
}

/// Puts a part into the context and ends its outcome.
fn settle(context: &mut Context, part: Part, content: Option<Content>, outcome: &mut Outcome) {
    outcome.cut += part.cut;
    (outcome.entries, outcome.tokens) = (part.entries, part.tokens);
    match () {
        () if part.section.is_some() => {
            outcome.result = OutcomeKind::Included;
            if outcome.cut > 0 {
                outcome.reason = format!("left out for want of room: {}", outcome.cut);
            }
        }
        () if content.is_some() && outcome.cut > 0 => {
            (outcome.result, outcome.reason) = (OutcomeKind::BudgetExcluded, "the assembly had no room for it".to_owned());
        }
        () => {
            if let Shown::Record(record) = &part.shown
                && outcome.reason.is_empty()
            {
                outcome.reason = record.status.as_str().to_owned();
            }
        }
    }
    context.sections.extend(part.section);
    match part.shown {
        Shown::Nothing | Shown::Entries => {}
        Shown::Methodology(methodology) => context.methodology = methodology,
        Shown::Record(record) => context.record = *record,
    }
}
