//! Purging: takes a node's text out of every operation that carries it and leaves a tombstone.
//!
//! The erased operations keep their hashes, so that the chain still verifies, and lose payload and salt, so that no
//! guess can be confirmed. What they did without their texts stands in the purging operation, as one skeleton for each:
//! replaying the log applies the skeletons in their place.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::apply::units_of;
use super::database::{Database, Trouble, number_in, number_out};
use super::log;
use super::node::{Content, Detail};
use super::operation::{Change, Create, Revise};
use super::replay;
use super::writer::Write;
use crate::base::config::FIELD_BYTES;
use crate::base::erase::{ERASED, Eraser};
use crate::base::error::{Code, Error, Result};
use crate::base::fail_points::fail_point;
use crate::base::id::NodeId;
use crate::base::text::check_filled;

/// The row of `meta` that stands while files still hold what was purged; its value is what a [`Pending`] holds.
const PENDING: &str = "purge_pending";

/// Fields of an operation on the purged node that somebody wrote about it.
const ABOUT: &[&str] = &["reason", "quote", "excerpt", "why", "note", "summary"];

/// Fields that hold a word of the form, a name of a field, a digest or an instant, and never what somebody wrote.
const FORM: &[&str] = &[
    "at",
    "category",
    "changed",
    "created_at",
    "expires_at",
    "in",
    "kind",
    "known",
    "relation",
    "review_at",
    "severity",
    "sha256",
    "since",
    "status",
    "task_type",
    "until",
];

/// An erased operation without its texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Skeleton {
    pub(crate) sequence: u64,
    pub(crate) change: Change,
}

/// A node's text goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Purge {
    pub(crate) number: u64,
    pub(crate) why: String,
    pub(crate) skeletons: Vec<Skeleton>,
}

/// What a purge did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Purged {
    /// The node, of which a tombstone is left.
    pub id: NodeId,
    /// How many operations lost their payload.
    pub operations: u64,
    /// Other nodes that carried parts of the text, which now read `[purged]` there.
    pub others: Vec<NodeId>,
    /// True if no file of the record's folder holds the text any more. Else another handle is in the way: the rest
    /// happens when a handle is opened for writing, or on `compact`, and the health check says so meanwhile.
    pub complete: bool,
}

impl Write {
    /// Takes a node's text out of the log and the views, and literals beside it; gives what knows them, too.
    ///
    /// # Errors
    /// `empty_field` without a reason; `secret` for a reason that would put one into the log; `unknown_node`; `wrong_state` if it
    /// is purged already.
    pub(crate) fn purge(&mut self, reference: &str, why: &str, literals: &[String]) -> Result<(Purged, Eraser)> {
        check_filled("why", why, FIELD_BYTES)?;
        let id = self.views().require(reference)?.id;
        if self.views().is_purged(id.number)? {
            return Err(Error::new(Code::WrongState, format!("purge {id}: it is purged")));
        }
        self.begin_bulk()?;
        let eraser = Eraser::new(&texts_of(self.views().conn(), id.number)?, literals);
        let why = eraser.clean(why).unwrap_or_else(|| why.trim().to_owned());
        self.check_secret("why", &why)?;
        let erased = erase(self.views().conn(), id.number, &eraser)?;
        fail_point!(OperationsErased);
        self.sign_without(&eraser);
        let cleaned = erased.iter().filter(|erased| erased.cleaned);
        let mut others: Vec<u64> =
            cleaned.filter_map(|erased| erased.change.content()).map(|(number, _)| number).filter(|number| *number != id.number).collect();
        others.sort_unstable();
        others.dedup();
        let purge =
            Purge { number: id.number, why, skeletons: erased.into_iter().map(|Erased { sequence, change, .. }| Skeleton { sequence, change }).collect() };
        let operations = purge.skeletons.len() as u64;
        self.append(Change::Purge(Box::new(purge)))?;
        let conn = self.views().conn();
        conn.execute(
            "INSERT INTO meta(name, value) VALUES (?1, 1) ON CONFLICT DO UPDATE SET value = CASE value WHEN 2 THEN 1 WHEN 1 THEN 3 ELSE value + 1 END",
            [PENDING],
        )
        .map_err(Trouble::during("purge"))?;
        replay::remake(conn)?;
        let others =
            others.into_iter().filter_map(|number| self.views().brief(number).transpose()).map(|brief| brief.map(|brief| brief.id())).collect::<Result<_>>()?;
        Ok((Purged { id, operations, others, complete: false }, eraser))
    }
}

/// What is left to do of purges: 1, everything of one; 2, all but the sessions, which are clean; above, everything of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending(i64);

impl Pending {
    const ONE: Self = Self(1);
    const FILES: Self = Self(2);

    /// What is left to do; `None` if no file holds anything that was purged.
    pub(crate) fn of(conn: &Connection) -> Result<Option<Self>> {
        let mark =
            conn.prepare_cached("SELECT value FROM meta WHERE name = ?1").and_then(|mut statement| statement.query_row([PENDING], |row| row.get(0)).optional());
        mark.map(|mark| mark.map(Self)).map_err(Trouble::during("look for a purge"))
    }

    /// True if it is one purge, whose sessions may still quote what it took.
    pub(crate) fn is_one(self) -> bool {
        self == Self::ONE
    }

    /// True if the sessions quote nothing of it.
    pub(crate) fn sessions_are_clean(self) -> bool {
        self == Self::FILES
    }

    /// Notes that the sessions are clean, unless more was purged since.
    pub(crate) fn note_clean_sessions(self, database: &Database) -> Result<()> {
        database.write_outside(|conn| {
            let changed = conn.execute("UPDATE meta SET value = ?3 WHERE name = ?1 AND value = ?2", params![PENDING, self.0, Self::FILES.0]);
            changed.map(drop).map_err(Trouble::during("note how far a purge is"))
        })
    }

    /// Notes that nothing is left to do.
    pub(crate) fn end(database: &Database) -> Result<()> {
        database.forget_mark(PENDING)
    }
}

/// What stands in place of erased operations, by sequence. A later purge says last what an operation is.
pub(crate) fn skeletons(conn: &Connection) -> Result<BTreeMap<u64, Change>> {
    let during = "read what was purged";
    let mut found: BTreeMap<u64, Change> = BTreeMap::new();
    let mut statement = conn.prepare("SELECT seq, payload FROM log WHERE kind = 'purge' ORDER BY seq DESC").map_err(Trouble::during(during))?;
    let mut rows = statement.query([]).map_err(Trouble::during(during))?;
    while let Some(row) = rows.next().map_err(Trouble::during(during))? {
        let sequence = number_out(row.get(0).map_err(Trouble::during(during))?);
        let change = match row.get::<_, Option<String>>(1).map_err(Trouble::during(during))? {
            Some(payload) => Some(Change::from_payload(sequence, &payload)?),
            None => found.get(&sequence).cloned(),
        };
        if let Some(Change::Purge(purge)) = change {
            for skeleton in purge.skeletons {
                found.entry(skeleton.sequence).or_insert(skeleton.change);
            }
        }
    }
    Ok(found)
}

/// Every text that any revision of a node held.
fn texts_of(conn: &Connection, number: u64) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    log::read(conn, 1, u64::MAX, &mut |operation| {
        if let Some((_, content)) = operation.change.content().filter(|(owner, _)| *owner == number) {
            texts.extend([content.title.clone(), content.body.clone(), content.searched_body().into_owned()]);
            if let Some(quote) = content.source.as_ref().and_then(|source| source.quote.clone()) {
                texts.push(quote);
            }
            if let Detail::Rule(rule) = &content.detail {
                texts.extend(rule.forbidden.iter().cloned().chain([rule.instead.clone()]));
            }
        }
        Ok(())
    })?;
    Ok(texts)
}

/// An operation whose payload goes.
struct Erased {
    sequence: u64,
    /// What is left of it.
    change: Change,
    /// True if the text stood in it, not only a literal in the names under which it was written.
    cleaned: bool,
    /// The names under which it was written, where they are others now.
    actor: Option<String>,
    session: Option<String>,
}

/// Erases payload and salt of every operation that carries the text, and the kept vectors of what it said; gives what
/// is left of each.
fn erase(conn: &Connection, number: u64, eraser: &Eraser) -> Result<Vec<Erased>> {
    let mut erased = Vec::new();
    let mut vectors = Vec::new();
    log::read(conn, 1, u64::MAX, &mut |operation| {
        // A word that the text shares with a name tells nothing by standing there; a literal is meant wherever it stands.
        let actor = eraser.clean_literals(&operation.actor);
        let session = operation.session.as_deref().and_then(|session| eraser.clean_literals(session));
        let left = without(&operation.change, number, eraser)?;
        let cleaned = left.is_some();
        if cleaned && let Some((_, content)) = operation.change.content() {
            vectors.extend(units_of(content).iter().map(super::apply::UnitText::vector_key));
        }
        // Its hash is of the names, too.
        if cleaned || actor.is_some() || session.is_some() {
            erased.push(Erased { sequence: operation.sequence, change: left.unwrap_or(operation.change), cleaned, actor, session });
        }
        Ok(())
    })?;
    // Each operation's skeleton stands in one purge, or a chain of purges would grow without bound.
    let sequences: BTreeSet<u64> = erased.iter().map(|erased| erased.sequence).collect();
    for erased in &mut erased {
        if let Change::Purge(purge) = &mut erased.change {
            purge.skeletons.retain(|skeleton| !sequences.contains(&skeleton.sequence));
        }
    }
    let during = "erase what is purged";
    let mut statement = conn
        .prepare("UPDATE log SET payload = NULL, salt = NULL, actor = ifnull(?2, actor), session = ifnull(?3, session) WHERE seq = ?1")
        .map_err(Trouble::during(during))?;
    for Erased { sequence, actor, session, .. } in &erased {
        statement.execute(params![number_in(*sequence), actor, session]).map_err(Trouble::during(during))?;
    }
    let mut statement = conn.prepare("DELETE FROM vector WHERE text_hash = ?1").map_err(Trouble::during(during))?;
    for key in vectors {
        statement.execute(params![key]).map_err(Trouble::during(during))?;
    }
    Ok(erased)
}

/// An operation without what must go; `None` if it carries nothing of it.
fn without(change: &Change, number: u64, eraser: &Eraser) -> Result<Option<Change>> {
    match change {
        Change::Create(create) if create.number == number => {
            let aliases = create.aliases.iter().filter(|alias| eraser.clean(alias).is_none()).cloned().collect();
            Ok(Some(Change::Create(Box::new(Create { aliases, content: tombstone(&create.content), ..(**create).clone() }))))
        }
        Change::Revise(revise) if revise.number == number => {
            Ok(Some(Change::Revise(Box::new(Revise { content: tombstone(&revise.content), ..(**revise).clone() }))))
        }
        Change::Promote { revise, .. } if revise.number == number => {
            let revise = Box::new(Revise { content: tombstone(&revise.content), ..(**revise).clone() });
            Ok(Some(Change::Promote { revise, approval: ERASED.to_owned() }))
        }
        // An earlier purge lets go of a name, a tag or a place as the operation itself would.
        Change::Purge(purge) => {
            let mut left = Purge { why: eraser.clean(&purge.why).unwrap_or_else(|| purge.why.clone()), ..(**purge).clone() };
            for skeleton in &mut left.skeletons {
                if let Some(change) = without(&skeleton.change, number, eraser)? {
                    skeleton.change = change;
                }
            }
            Ok((left != **purge).then(|| Change::Purge(Box::new(left))))
        }
        // Two keys that are cleaned into one would be one occasion.
        Change::Feedback { number: rule, helped, key: Some(key) } if *rule == number || eraser.clean(key).is_some() => {
            Ok(Some(Change::Feedback { number: *rule, helped: *helped, key: None }))
        }
        Change::Alias { alias, .. } if eraser.clean(alias).is_none() => Ok(None),
        // A name that says what must go is no name any more; the edges that it drew stay, for later operations end them.
        Change::Alias { number, mentioned_by, .. } => Ok(Some(Change::Alias { number: *number, alias: String::new(), mentioned_by: mentioned_by.clone() })),
        other => cleaned(other, number, eraser),
    }
}

/// What is left of a node's content: its kind and where it hangs.
fn tombstone(content: &Content) -> Content {
    let mut detail = content.detail.clone();
    match &mut detail {
        Detail::Rule(rule) => {
            rule.statement = ERASED.to_owned();
            rule.trigger.clear();
            rule.instead.clear();
            (rule.domain, rule.methodology) = (None, None);
            for words in [&mut rule.forbidden, &mut rule.points, &mut rule.keywords, &mut rule.floor_modes, &mut rule.action_triggers] {
                words.clear();
            }
        }
        Detail::Task(task) => task.success_criteria.clear(),
        _ => {}
    }
    Content {
        title: ERASED.to_owned(),
        body: String::new(),
        tags: Vec::new(),
        component: content.component,
        source: None,
        anchors: Vec::new(),
        lifecycle: content.lifecycle.clone(),
        detail,
    }
}

/// Takes the names, tags and places that carry what must go out of an operation, each as a whole: cleaned, two of them
/// could become one, and a path a pattern. True if there were any.
fn without_names(change: &mut Change, eraser: &Eraser) -> bool {
    let keeps = |text: &str| eraser.clean(text).is_none();
    let (aliases, content) = match change {
        Change::Create(create) => (Some(&mut create.aliases), &mut create.content),
        Change::Revise(revise) | Change::Promote { revise, .. } => (None, &mut revise.content),
        _ => return false,
    };
    let names = |content: &Content| content.tags.len() + content.anchors.len();
    let before = names(content) + aliases.as_ref().map_or(0, |aliases| aliases.len());
    content.tags.retain(|tag| keeps(tag));
    content.anchors.retain(|anchor| keeps(&anchor.path) && anchor.symbol.as_deref().is_none_or(keeps));
    let aliases = aliases.map_or(0, |aliases| {
        aliases.retain(|alias| keeps(alias));
        aliases.len()
    });
    before != names(content) + aliases
}

/// Cleans every string of an operation; of one about the purged node, what somebody wrote about it goes as a whole.
fn cleaned(change: &Change, number: u64, eraser: &Eraser) -> Result<Option<Change>> {
    let trouble = |cause: serde_json::Error| Error::new(Code::Internal, format!("purge: {cause}"));
    let mut change = change.clone();
    let unnamed = without_names(&mut change, eraser);
    let mut value = serde_json::to_value(&change).map_err(trouble)?;
    let about = value.as_object().and_then(|tagged| tagged.values().next()).is_some_and(|fields| {
        ["number", "from", "to", "newer", "older", "task", "node"].iter().any(|field| fields.get(field).and_then(Value::as_u64) == Some(number))
    });
    if !(scrub(&mut value, about, eraser) | unnamed) {
        return Ok(None);
    }
    serde_json::from_value(value).map(Some).map_err(trouble)
}

/// True if something was taken out.
fn scrub(value: &mut Value, about: bool, eraser: &Eraser) -> bool {
    match value {
        Value::String(text) => match eraser.clean(text) {
            Some(clean) => {
                *text = clean;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| scrub(item, about, eraser) | changed),
        Value::Object(fields) => {
            let mut changed = false;
            if about && let Some(found) = fields.get_mut("found").filter(|found| found["in"] != "unverified") {
                // Where evidence was found tells a digest or a place of the text that is gone.
                *found = serde_json::json!({ "in": "unverified" });
                changed = true;
            }
            for (name, field) in fields.iter_mut().filter(|(name, _)| !FORM.contains(&name.as_str())) {
                changed |= match field {
                    Value::String(text) if about && ABOUT.contains(&name.as_str()) && !text.is_empty() && text != ERASED => {
                        ERASED.clone_into(text);
                        true
                    }
                    _ => scrub(field, about, eraser),
                };
            }
            changed
        }
        _ => false,
    }
}
