//! The one pure apply: brings the views from before an operation to after it.
//!
//! It looks at nothing but the views and the operation: no clock, no randomness, no index, no host. Applying the same
//! operations in the same order to empty views gives the same rows, byte for byte.

mod rules;
mod tasks;

use std::cell::RefCell;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cues;
use super::database::{Trouble, number_in};
use super::deferred::{Adjacent, Deferred, Tally, insert};
use super::edge::{Evidence, Found, Relation};
use super::ends::{End, Ends};
use super::node::{Anchor, Class, Content, Detail, Lifecycle, Source, TaskStatus};
use super::operation::{Change, Create, Link, Operation, Revise};
use super::prepared::Prepared;
use super::purge::Purge;
use super::schema::{FLAG_ARCHIVED, FLAG_PROVISIONAL, FLAG_PURGED, FLAG_RESOLVED, FLAG_UNSEARCHED, OPEN, node_columns};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{NodeId, fold_alias, names_in};
use crate::base::passages::{Passage, passages};
use crate::base::terms::Tokeniser;
use crate::base::text::title_form;

/// The part of a content that no query asks for by column.
#[derive(Serialize, Deserialize)]
pub(crate) struct Rest {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) detail: Detail,
}

/// A piece of a node that search finds by itself: the node, or one passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnitText {
    pub(crate) ordinal: u32,
    pub(crate) title: String,
    pub(crate) body: String,
}

impl UnitText {
    /// The text as an embedder sees it.
    pub(crate) fn embedded(&self) -> String {
        embedded_text(&self.title, &self.body)
    }

    /// The name under which its vector is kept.
    pub(crate) fn vector_key(&self) -> [u8; 16] {
        text_hash(&self.embedded())
    }
}

/// A title and a body as an embedder sees them.
pub(crate) fn embedded_text(title: &str, body: &str) -> String {
    if body.is_empty() { title.to_owned() } else { format!("{title}. {body}") }
}

/// The name under which the vector of an embedded text is kept.
pub(crate) fn text_hash(text: &str) -> [u8; 16] {
    let digest = Sha256::digest(text.as_bytes());
    digest[..16].try_into().expect("a digest has 32 bytes")
}

/// The pieces in which a node of that content is searched.
pub(crate) fn units_of(content: &Content) -> Vec<UnitText> {
    if matches!(content.detail, Detail::Document) {
        return (0u32..).zip(passages(&content.body)).map(|(ordinal, piece)| unit_of_piece(&content.title, ordinal, piece)).collect();
    }
    let mut body = content.searched_body().into_owned();
    if let Detail::Rule(rule) = &content.detail
        && !rule.keywords.is_empty()
    {
        // What calls a rule finds it too, and is no part of what it says.
        body.push('\n');
        body.push_str(&rule.keywords.join("\n"));
    }
    vec![UnitText { ordinal: 0, title: content.title.clone(), body }]
}

fn unit_of_piece(title: &str, ordinal: u32, piece: Passage) -> UnitText {
    let title = if piece.path.is_empty() { title.to_owned() } else { format!("{title} > {}", piece.path) };
    UnitText { ordinal, title, body: piece.text }
}

/// The number under which titles of one form are found.
pub(crate) fn title_key(title: &str) -> i64 {
    let digest = Sha256::digest(title_form(title).as_bytes());
    i64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

/// Every word of a node's text that could name another node, folded, each once, in order; an id without zeros before
/// its number, as the node's name is looked for.
pub(crate) fn references(title: &str, body: &str) -> Vec<String> {
    let mut words = Vec::new();
    for text in [title, body] {
        names_in(text, &mut |word| words.push(NodeId::parse(word).map_or_else(|| fold_alias(word), |id| fold_alias(&id.to_string()))));
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// What is kept from one operation to the next, to save work and for nothing else.
pub(crate) struct Kept {
    pub(crate) tokeniser: RefCell<Tokeniser>,
    pub(crate) ends: Ends,
    /// What was put off; the caller has it written before anybody else reads, at the latest before the commit.
    pub(crate) deferred: Deferred,
}

impl Kept {
    pub(crate) fn new() -> Self {
        Self { tokeniser: RefCell::new(Tokeniser::new()), ends: Ends::default(), deferred: Deferred::default() }
    }
}

/// Applies one operation.
///
/// # Errors
/// `damaged` if the views do not allow it, which a settled operation never meets; `storage` and its like.
pub(crate) fn apply(conn: &Connection, operation: &Operation, kept: &Kept) -> Result<()> {
    let step = Step::of(conn, operation, kept);
    match &operation.change {
        Change::Create(create) => step.create(create, &Prepared::of(&create.content, &mut kept.tokeniser.borrow_mut())),
        Change::Revise(revise) => step.revise(revise, &Prepared::of(&revise.content, &mut kept.tokeniser.borrow_mut())),
        Change::Alias { number, alias, mentioned_by } => {
            match alias.as_str() {
                // The row alone: the history of the node is read from its rows.
                "" => step.touch(*number, "updated_ms = updated_ms", params![number_in(*number)])?,
                alias => step.alias(*number, alias)?,
            }
            mentioned_by.iter().try_for_each(|from| step.mention(*from, *number))
        }
        Change::Link(link) => step.link(link),
        Change::Unlink { from, relation, to, why } => step.end_edge(*from, *relation, *to, why),
        Change::Demote { newer, older, why } => step.demote(*newer, *older, why),
        Change::Review { number, .. } => step.touch(*number, "verified_ms = ?2", params![number_in(*number), step.at_ms]),
        Change::Archive { number, .. } => step.archive(*number),
        Change::Purge(purge) => step.purge(purge),
        Change::Claim(take) => step.claim(take),
        Change::Release { number, .. } => step.release(*number),
        Change::Complete { number, .. } => step.close(*number, TaskStatus::Completed),
        Change::Cancel { number, .. } => step.close(*number, TaskStatus::Cancelled),
        Change::Reopen { number, .. } => step.reopen(*number),
        Change::Feedback { number, helped, key } => step.feedback(*number, *helped, key.as_deref()),
        Change::Promote { revise, .. } => step.revise(revise, &Prepared::of(&revise.content, &mut kept.tokeniser.borrow_mut())),
    }
}

/// Applies the operation that makes a node whose content was prepared ahead; as [`apply`] for every other one.
///
/// # Errors
/// As [`apply`].
pub(crate) fn apply_prepared(conn: &Connection, operation: &Operation, kept: &Kept, prepared: &Prepared) -> Result<()> {
    match &operation.change {
        Change::Create(create) => Step::of(conn, operation, kept).create(create, prepared),
        _ => apply(conn, operation, kept),
    }
}

struct Step<'c> {
    conn: &'c Connection,
    kept: &'c Kept,
    seq: i64,
    at_ms: i64,
    operation: &'c Operation,
}

/// What a revision needs of the row that it changes.
struct Before {
    flags: i64,
    units: i64,
    length: i64,
    class: i64,
    title: String,
    body: String,
    rest: String,
}

impl Before {
    /// What the row said, as far as it is looked up by.
    fn content(&self) -> Result<Content> {
        let rest: Rest = serde_json::from_str(&self.rest).map_err(|cause| Error::new(Code::Damaged, format!("apply a revision: {cause}")))?;
        Ok(Content {
            title: self.title.clone(),
            body: self.body.clone(),
            tags: rest.tags,
            component: None,
            source: rest.source,
            anchors: rest.anchors,
            lifecycle: Lifecycle::default(),
            detail: rest.detail,
        })
    }
}

/// What search counts of a node.
struct Searched {
    flags: i64,
    units: i64,
    length: i64,
}

impl Searched {
    fn of(content: &Content, archived: bool, prepared: &Prepared) -> Self {
        let provisional = matches!(&content.detail, Detail::Rule(rule) if rule.provisional);
        let mut flags = if provisional { FLAG_PROVISIONAL } else { 0 };
        if archived {
            flags |= FLAG_ARCHIVED;
        }
        if archived || !content.is_ranked() {
            return Self { flags: flags | FLAG_UNSEARCHED, units: 0, length: 0 };
        }
        Self { flags, units: prepared.units, length: prepared.length }
    }
}

impl<'c> Step<'c> {
    fn of(conn: &'c Connection, operation: &'c Operation, kept: &'c Kept) -> Self {
        Self { conn, kept, seq: number_in(operation.sequence), at_ms: operation.at.unix_ms(), operation }
    }

    fn run(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<usize> {
        self.conn.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map_err(Trouble::during("apply an operation"))
    }

    fn create(&self, create: &Create, prepared: &Prepared) -> Result<()> {
        let content = &create.content;
        let searched = Searched::of(content, false, prepared);
        let class = i64::from(Class::of(&content.detail).number());
        let status = match &content.detail {
            Detail::Task(task) => Some(i64::from(task.status.number())),
            _ => None,
        };
        let number = number_in(create.number);
        self.run(
            concat!("INSERT INTO node(", node_columns!(), ") VALUES (?1,?2,?3,0,?4,?5,?6,?7,?8,NULL,1,?9,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)"),
            params![
                number,
                class,
                status,
                searched.flags,
                create.created_at.unix_ms(),
                self.at_ms,
                content.lifecycle.expires_at.map(|at| at.unix_ms()),
                content.lifecycle.review_at.map(|at| at.unix_ms()),
                self.seq,
                searched.units,
                searched.length,
                prepared.title_key,
                content.component.map(number_in),
                content.lifecycle.resolves_with.map(number_in),
                self.operation.actor,
                self.operation.session,
                content.title,
                rest(content),
                content.body
            ],
        )?;
        self.kept.ends.remember(create.number, End { class, created_ms: create.created_at.unix_ms() });
        for alias in &create.aliases {
            self.alias(create.number, alias)?;
        }
        self.tag(number, &content.tags)?;
        self.refer(number, &prepared.words)?;
        let cued = cues::write(self.conn, number, content, &prepared.triggers)?;
        self.kept.deferred.count(Tally { nodes: 1, units: searched.units, terms: searched.length, cued, last_number: number });
        for to in &create.mentions {
            self.mention(create.number, *to)?;
        }
        for from in &create.mentioned_by {
            self.mention(*from, create.number)?;
        }
        if content.lifecycle.resolves_with.is_some() {
            self.settle_end(create.number)?;
        }
        Ok(())
    }

    fn revise(&self, revise: &Revise, prepared: &Prepared) -> Result<()> {
        let content = &revise.content;
        let number = number_in(revise.number);
        let before = self
            .conn
            .prepare_cached("SELECT flags, units, length, class, title, body, rest FROM node WHERE number = ?1")
            .and_then(|mut statement| {
                statement.query_row([number], |row| {
                    Ok(Before {
                        flags: row.get(0)?,
                        units: row.get(1)?,
                        length: row.get(2)?,
                        class: row.get(3)?,
                        title: row.get(4)?,
                        body: row.get(5)?,
                        rest: row.get(6)?,
                    })
                })
            })
            .map_err(Trouble::during("apply a revision"))?;
        if let Detail::Rule(rule) = &content.detail {
            self.reset_feedback(revise.number, rule)?;
        }
        let class = i64::from(Class::of(&content.detail).number());
        let searched = Searched::of(content, before.flags & FLAG_ARCHIVED != 0, prepared);
        self.touch(
            revise.number,
            "class = ?2, flags = ?3, updated_ms = ?4, expires_ms = ?5, review_ms = ?6, revision = revision + 1, text_seq = ?7, units = ?8, length = ?9, \
             title_key = ?10, component = ?11, resolves_with = ?12, title = ?13, rest = ?14, body = ?15",
            params![
                number,
                class,
                searched.flags | before.flags & FLAG_RESOLVED,
                self.at_ms,
                content.lifecycle.expires_at.map(|at| at.unix_ms()),
                content.lifecycle.review_at.map(|at| at.unix_ms()),
                self.seq,
                searched.units,
                searched.length,
                prepared.title_key,
                content.component.map(number_in),
                content.lifecycle.resolves_with.map(number_in),
                content.title,
                rest(content),
                content.body
            ],
        )?;
        self.tag(number, &content.tags)?;
        for word in references(&before.title, &before.body) {
            self.run("DELETE FROM reference WHERE word = ?1 AND number = ?2", params![word, number])?;
        }
        self.refer(number, &prepared.words)?;
        let gone = cues::erase(self.conn, number, &before.content()?)?;
        let cued = cues::write(self.conn, number, content, &prepared.triggers)? - gone;
        let (units, terms) = (searched.units - before.units, searched.length - before.length);
        self.kept.deferred.count(Tally { units, terms, cued, ..Tally::default() });
        if class != before.class {
            self.kept.deferred.write_rows(self.conn)?;
            self.kept.ends.forget(revise.number);
            self.run(
                "UPDATE adjacent SET class = ?2 WHERE neighbour = ?1 AND node IN (SELECT neighbour FROM adjacent WHERE node = ?1)",
                params![number, class],
            )?;
        }
        for to in &revise.mentions {
            self.mention(revise.number, *to)?;
        }
        for to in &revise.unmentions {
            self.end_edge(revise.number, Relation::Mentions, *to, "the text no longer names it")?;
        }
        if before.flags & FLAG_RESOLVED != 0 || content.lifecycle.resolves_with.is_some() {
            self.settle_end(revise.number)?;
        }
        Ok(())
    }

    fn archive(&self, number: u64) -> Result<()> {
        let row = number_in(number);
        let (units, length): (i64, i64) = self
            .conn
            .prepare_cached("SELECT units, length FROM node WHERE number = ?1")
            .and_then(|mut statement| statement.query_row([row], |row| Ok((row.get(0)?, row.get(1)?))))
            .map_err(Trouble::during("apply an archiving"))?;
        self.touch(
            number,
            "flags = flags | ?2, updated_ms = ?3, text_seq = ?4, units = 0, length = 0",
            params![row, FLAG_ARCHIVED | FLAG_UNSEARCHED, self.at_ms, self.seq],
        )?;
        self.kept.deferred.count(Tally { units: -units, terms: -length, ..Tally::default() });
        Ok(())
    }

    /// Puts the tombstone away, and lets the indexes take up anew whatever was cleaned.
    fn purge(&self, purge: &Purge) -> Result<()> {
        self.archive(purge.number)?;
        self.run("UPDATE node SET flags = flags | ?2 WHERE number = ?1", params![number_in(purge.number), FLAG_PURGED])?;
        for skeleton in &purge.skeletons {
            let Some((number, _)) = skeleton.change.content() else { continue };
            self.run("UPDATE node SET text_seq = ?2 WHERE number = ?1", params![number_in(number), self.seq])?;
        }
        Ok(())
    }

    /// Keeps the node's row as it was and changes the present one; twice within one operation keeps one past row.
    fn touch(&self, number: u64, set: &str, values: &[&dyn rusqlite::ToSql]) -> Result<()> {
        let row = number_in(number);
        self.run(
            concat!("INSERT INTO node_past(", node_columns!(), ", to_seq) SELECT ", node_columns!(), ", ?2 FROM node WHERE number = ?1 AND from_seq < ?2"),
            params![row, self.seq],
        )?;
        if self.run("UPDATE node SET from_seq = ?2 WHERE number = ?1", params![row, self.seq])? != 1 {
            return Err(Error::new(Code::Damaged, format!("apply operation {}: node {number} is not in the views", self.seq)));
        }
        self.run(&format!("UPDATE node SET {set} WHERE number = ?1"), values)?;
        Ok(())
    }

    fn alias(&self, number: u64, alias: &str) -> Result<()> {
        self.run("INSERT INTO alias(folded, alias, number, from_seq) VALUES (?1, ?2, ?3, ?4)", params![fold_alias(alias), alias, number_in(number), self.seq])?;
        Ok(())
    }

    fn tag(&self, number: i64, tags: &[String]) -> Result<()> {
        let mut statement = self.conn.prepare_cached("SELECT tag FROM tag WHERE number = ?1 AND to_seq = ?2").map_err(Trouble::during("apply tags"))?;
        let old: Vec<String> = match self.operation.change {
            Change::Create(_) => Vec::new(),
            _ => statement.query_map(params![number, OPEN], |row| row.get(0)).and_then(Iterator::collect).map_err(Trouble::during("apply tags"))?,
        };
        for gone in old.iter().filter(|tag| !tags.contains(tag)) {
            self.run("UPDATE tag SET to_seq = ?3 WHERE tag = ?1 AND number = ?2 AND to_seq = 9223372036854775807", params![gone, number, self.seq])?;
        }
        for new in tags.iter().filter(|tag| !old.contains(tag)) {
            self.run("INSERT INTO tag(tag, number, from_seq, to_seq) VALUES (?1, ?2, ?3, ?4)", params![new, number, self.seq, OPEN])?;
        }
        Ok(())
    }

    fn refer(&self, number: i64, words: &[String]) -> Result<()> {
        for word in words {
            self.run("INSERT INTO reference(word, number) VALUES (?1, ?2)", params![word, number])?;
        }
        Ok(())
    }

    fn mention(&self, from: u64, to: u64) -> Result<()> {
        self.add_edge(&Link { from, relation: Relation::Mentions, to, reason: String::new(), evidence: None }, true)
    }

    fn link(&self, link: &Link) -> Result<()> {
        // An explicit mention takes the place of one that was drawn from the text.
        if link.relation == Relation::Mentions && self.live_edge(link.from, link.relation, link.to)?.is_some() {
            self.end_edge(link.from, link.relation, link.to, "stated by itself")?;
        }
        self.add_edge(link, false)
    }

    fn demote(&self, newer: u64, older: u64, why: &str) -> Result<()> {
        self.end_edge(newer, Relation::Supersedes, older, why)?;
        if self.live_edge(newer, Relation::RelatesTo, older)?.is_some() {
            return Ok(());
        }
        self.add_edge(&Link { from: newer, relation: Relation::RelatesTo, to: older, reason: why.to_owned(), evidence: None }, false)
    }

    fn live_edge(&self, from: u64, relation: Relation, to: u64) -> Result<Option<i64>> {
        self.conn
            .prepare_cached("SELECT id FROM edge WHERE src = ?1 AND relation = ?2 AND dst = ?3 AND to_seq = 9223372036854775807")
            .and_then(|mut statement| statement.query_row(params![number_in(from), relation.number(), number_in(to)], |row| row.get(0)).optional())
            .map_err(Trouble::during("apply an edge"))
    }

    fn add_edge(&self, link: &Link, automatic: bool) -> Result<()> {
        let (src, dst) = (number_in(link.from), number_in(link.to));
        let verified = matches!(&link.evidence, Some(Evidence { found, .. }) if *found != Found::Unverified);
        let unverified = link.relation == Relation::Supersedes && (link.reason.is_empty() || !verified);
        let evidence = link.evidence.as_ref().map(|evidence| serde_json::to_string(evidence).expect("evidence has only string keys"));
        self.run(
            "INSERT INTO edge(src, relation, dst, from_seq, to_seq, at_ms, actor, automatic, unverified, reason, evidence) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
            params![src, link.relation.number(), dst, self.seq, OPEN, self.at_ms, self.operation.actor, automatic, unverified, link.reason, evidence],
        )?;
        let id = self.conn.last_insert_rowid();
        for (node, direction, neighbour) in [(link.from, 0, link.to), (link.to, 1, link.from)] {
            let Some(end) = self.kept.ends.of(self.conn, neighbour)? else {
                return Err(Error::new(Code::Damaged, format!("apply operation {}: node {neighbour} is not in the views", self.seq)));
            };
            let row = Adjacent {
                node: number_in(node),
                relation: link.relation.number(),
                direction,
                class: end.class,
                created_ms: end.created_ms,
                neighbour: number_in(neighbour),
                from_seq: self.seq,
                edge: id,
            };
            // Whoever looks for a cycle, and whatever ends with a task, reads them.
            if link.relation.is_acyclic() || link.relation == Relation::ExpiresOn {
                insert(self.conn, &[row])?;
            } else {
                self.kept.deferred.join(self.conn, row)?;
            }
        }
        match link.relation {
            Relation::Supersedes => self.touch(link.to, "retired = retired + 1", params![dst]),
            Relation::ExpiresOn => self.settle_end(link.from),
            _ => Ok(()),
        }
    }

    fn end_edge(&self, from: u64, relation: Relation, to: u64, why: &str) -> Result<()> {
        let Some(id) = self.live_edge(from, relation, to)? else {
            return Err(Error::new(Code::Damaged, format!("apply operation {}: the edge {from} {relation} {to} is not in the views", self.seq)));
        };
        self.kept.deferred.write_rows(self.conn)?;
        self.run("UPDATE edge SET to_seq = ?2, ended = ?3 WHERE id = ?1", params![id, self.seq, why])?;
        for (node, direction) in [(from, 0), (to, 1)] {
            self.run(
                "UPDATE adjacent SET to_seq = ?4 WHERE node = ?1 AND relation = ?2 AND direction = ?3 AND edge = ?5",
                params![number_in(node), relation.number(), direction, self.seq, id],
            )?;
        }
        match relation {
            Relation::Supersedes => self.touch(to, "retired = retired - 1", params![number_in(to)]),
            Relation::ExpiresOn => self.settle_end(from),
            _ => Ok(()),
        }
    }
}

fn rest(content: &Content) -> String {
    let rest = Rest { tags: content.tags.clone(), source: content.source.clone(), anchors: content.anchors.clone(), detail: content.detail.clone() };
    serde_json::to_string(&rest).expect("the rest of a content has only string keys")
}
