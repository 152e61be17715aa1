//! Snapshots: the record as it stands, or stood, at one sequence. Every read of the views is a method here.

mod edges;
mod together;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::apply::{Rest, UnitText, units_of};
use super::database::{Database, Trouble, check_format, number_in, number_out};
use super::log;
use super::node::{Class, Content, Detail, Lifecycle, Node, State, TaskStatus};
use super::schema::{FLAG_ARCHIVED, FLAG_PROVISIONAL, FLAG_RESOLVED, FLAG_UNSEARCHED, column, node_columns};
use crate::base::error::{Code, Error, Result};
use crate::base::id::{ALIAS_BYTES, NodeId, fold_alias};
use crate::base::node_set::NodeSet;
use crate::base::time::{Deadline, Timestamp};

pub(crate) use edges::Step;
pub(crate) use together::Text;

/// A moment of the record at which reads look. What had expired by then has, whatever the clock says now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// After the operation of that sequence.
    Sequence(u64),
    /// After the last operation such that it and all before it are not later than that instant.
    Time(Timestamp),
}

/// The record at one sequence: a read transaction that no writer disturbs.
pub(crate) struct Snapshot {
    pub(super) conn: Option<Connection>,
    database: Arc<Database>,
    /// True if the connection is the writer's, inside its own transaction.
    lent: bool,
    /// True once reads may go on past the deadline.
    pub(super) lifted: Arc<AtomicBool>,
    at: u64,
    head: u64,
    /// The hash of the log's chain at the head; none while a writer may still take back what is read.
    chain: Option<log::Hash>,
    now: Timestamp,
}

/// What ranking needs of a node; reading it touches no body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Brief {
    pub(crate) number: u64,
    pub(crate) class: Class,
    pub(crate) status: Option<TaskStatus>,
    pub(crate) state: State,
    /// True if another node retired it, whatever its state is called.
    pub(crate) retired: bool,
    pub(crate) provisional: bool,
    pub(crate) searched: bool,
    pub(crate) created_ms: i64,
    pub(crate) expires_ms: Option<i64>,
    pub(crate) revision: u64,
    pub(crate) title_key: i64,
    pub(crate) title: String,
    /// How many passages search finds of it.
    pub(crate) units: u64,
}

impl Brief {
    /// The node's id.
    pub(crate) fn id(&self) -> NodeId {
        NodeId { kind: self.class.kind(), number: self.number }
    }

    /// What its state is at another instant of the same moment of the record.
    pub(crate) fn state_at(&self, now: Timestamp) -> State {
        match self.state {
            State::Live | State::Expired => state_of(0, false, self.expires_ms, now),
            ended => ended,
        }
    }
}

/// What a reference in a text or a call resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) id: NodeId,
    /// True if the reference named the number under another kind.
    pub(crate) corrected: bool,
}

/// Counts over all that search finds, exact at the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) nodes: u64,
    pub(crate) units: u64,
    pub(crate) terms: u64,
    pub(crate) last_number: u64,
}

/// What a read asks of nodes before they are ranked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    pub(crate) classes: Option<Vec<Class>>,
    pub(crate) states: Option<Vec<State>>,
    pub(crate) tags: Vec<String>,
    /// Numbers of components; a node under any of them, however deep, passes.
    pub(crate) component: Option<u64>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
}

impl Filter {
    /// True if it lets everything pass.
    pub(crate) fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

const DURING: &str = "read the record";

macro_rules! brief_columns {
    () => {
        "number, class, status, retired, flags, created_ms, expires_ms, revision, title_key, title, units"
    };
}
use brief_columns;

impl Snapshot {
    /// Begins to read at the head, or as of an earlier moment.
    ///
    /// # Errors
    /// `out_of_range` for a sequence past the head; `closed`, `gone`, `storage` and their like.
    pub(crate) fn open(database: &Arc<Database>, as_of: Option<AsOf>, now: Timestamp, deadline: Deadline) -> Result<Self> {
        let conn = database.reader()?;
        let mut snapshot = Self { conn: Some(conn), database: Arc::clone(database), lent: false, lifted: Arc::default(), at: 0, head: 0, chain: None, now };
        snapshot.keep_deadline(deadline)?;
        snapshot.conn().execute_batch("BEGIN").map_err(Trouble::during(DURING))?;
        check_format(snapshot.conn())?;
        let head = log::head(snapshot.conn())?;
        (snapshot.head, snapshot.chain) = (head.sequence, Some(head.chain));
        snapshot.at = match as_of {
            None => snapshot.head,
            Some(AsOf::Sequence(sequence)) if sequence <= snapshot.head => {
                snapshot.now = snapshot.time_of(sequence)?.unwrap_or(now);
                sequence
            }
            Some(AsOf::Sequence(sequence)) => {
                return Err(Error::new(Code::OutOfRange, format!("read as of sequence {sequence}: the head is {}", snapshot.head)).with("limit", snapshot.head));
            }
            Some(AsOf::Time(at)) => {
                snapshot.now = at;
                snapshot.sequence_at(at)?
            }
        };
        Ok(snapshot)
    }

    /// Reads inside the writer's own transaction, whose connection is lent until [`Self::take_back`].
    pub(crate) fn lend(database: &Arc<Database>, conn: Connection, head: u64, now: Timestamp) -> Self {
        Self { conn: Some(conn), database: Arc::clone(database), lent: true, lifted: Arc::default(), at: head, head, chain: None, now }
    }

    /// Moves on to the head that the writer has appended up to.
    pub(crate) fn advance(&mut self, head: u64) {
        (self.at, self.head) = (head, head);
    }

    /// Gives the writer's connection back.
    pub(crate) fn take_back(mut self) -> Option<Connection> {
        self.conn.take()
    }

    /// When an operation was written; `None` if there is none of that sequence.
    fn time_of(&self, sequence: u64) -> Result<Option<Timestamp>> {
        let at = self.conn().query_row("SELECT at_ms FROM log WHERE seq = ?1", [number_in(sequence)], |row| row.get(0)).optional();
        Ok(at.map_err(Trouble::during(DURING))?.map(Timestamp::from_unix_ms))
    }

    fn sequence_at(&self, at: Timestamp) -> Result<u64> {
        let later: Option<i64> =
            self.conn().query_row("SELECT min(seq) FROM log WHERE at_ms > ?1", [at.unix_ms()], |row| row.get(0)).map_err(Trouble::during(DURING))?;
        Ok(later.map_or(self.head, |first| number_out(first).saturating_sub(1)))
    }

    pub(crate) fn conn(&self) -> &Connection {
        self.conn.as_ref().expect("the connection is given back only on drop")
    }

    /// The sequence that is read at.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// The head of the log.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// The committed head, if that is what is read.
    pub(crate) fn present(&self) -> Option<log::Head> {
        self.chain.filter(|_| !self.is_past()).map(|chain| log::Head { sequence: self.head, chain })
    }

    pub(super) fn chain_at(&self, sequence: u64) -> Result<Option<log::Hash>> {
        match self.chain {
            Some(chain) if sequence == self.head => Ok(Some(chain)),
            _ => log::chain_at(self.conn(), sequence),
        }
    }

    /// True if an earlier moment than the head is read.
    pub(crate) fn is_past(&self) -> bool {
        self.at < self.head
    }

    /// The instant that states are told at.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Counts at the head; for an earlier moment only `last_number` is told.
    pub(crate) fn counts(&self) -> Result<Counts> {
        let mut counts = Counts::default();
        let mut statement = self.conn().prepare_cached("SELECT name, value FROM stat").map_err(Trouble::during(DURING))?;
        let mut rows = statement.query([]).map_err(Trouble::during(DURING))?;
        while let Some(row) = rows.next().map_err(Trouble::during(DURING))? {
            let value = number_out(row.get(1).map_err(Trouble::during(DURING))?);
            match row.get_ref(0).map_err(Trouble::during(DURING))?.as_str().unwrap_or_default() {
                "nodes" => counts.nodes = value,
                "units" => counts.units = value,
                "terms" => counts.terms = value,
                "last_number" => counts.last_number = value,
                _ => {}
            }
        }
        Ok(counts)
    }

    /// The number of the newest node; 0 if there is none.
    pub(crate) fn last_number(&self) -> Result<u64> {
        self.conn()
            .prepare_cached("SELECT value FROM stat WHERE name = 'last_number'")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map(number_out)
            .map_err(Trouble::during(DURING))
    }

    /// Reads rows of nodes at the snapshot's sequence: the present rows, and past ones where an earlier moment is read.
    pub(super) fn nodes<T>(
        &self,
        columns: &str,
        condition: &str,
        value: &dyn rusqlite::ToSql,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        if !self.is_past() {
            return self.nodes_now(columns, condition, value, map);
        }
        let at = number_in(self.at);
        // Of one node only the last row by then may hold, and those before it are not gone through.
        let last = "AND from_seq = (SELECT max(from_seq) FROM node_past WHERE number = ?1 AND from_seq <= ?2)";
        let last = if condition.ends_with("number = ?1") { last } else { "" };
        let sql = format!(
            "SELECT {columns} FROM node WHERE from_seq <= ?2 AND {condition} \
             UNION ALL SELECT {columns} FROM node_past WHERE from_seq <= ?2 AND to_seq > ?2 AND {condition} {last}"
        );
        let mut statement = self.conn().prepare_cached(&sql).map_err(Trouble::during(DURING))?;
        statement.query_map([value, &at], map).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// The same at the head, whatever the snapshot's sequence.
    fn nodes_now<T>(&self, columns: &str, condition: &str, value: &dyn rusqlite::ToSql, map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
        let sql = format!("SELECT {columns} FROM node WHERE {condition}");
        let mut statement = self.conn().prepare_cached(&sql).map_err(Trouble::during(DURING))?;
        statement.query_map([value], map).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// What ranking needs of a node.
    pub(crate) fn brief(&self, number: u64) -> Result<Option<Brief>> {
        let found = self.nodes(brief_columns!(), "number = ?1", &number_in(number), |row| self.brief_in(row))?;
        Ok(found.into_iter().next())
    }

    /// A row of [`brief_columns`].
    fn brief_in(&self, row: &Row<'_>) -> rusqlite::Result<Brief> {
        let flags: i64 = row.get(4)?;
        let retired = row.get::<_, i64>(3)? > 0;
        let expires_ms = row.get(6)?;
        Ok(Brief {
            number: number_out(row.get(0)?),
            class: class_in(row, 1)?,
            status: status_in(row, 2)?,
            state: self.state(flags, retired, expires_ms),
            retired,
            provisional: flags & FLAG_PROVISIONAL != 0,
            searched: flags & FLAG_UNSEARCHED == 0,
            created_ms: row.get(5)?,
            expires_ms,
            revision: number_out(row.get(7)?),
            title_key: row.get(8)?,
            title: row.get(9)?,
            units: number_out(row.get(10)?),
        })
    }

    pub(super) fn state(&self, flags: i64, retired: bool, expires_ms: Option<i64>) -> State {
        state_of(flags, retired, expires_ms, self.now)
    }

    /// A node whole.
    pub(crate) fn node(&self, number: u64) -> Result<Option<Node>> {
        let Some((content, mut node)) = self.content(number)? else { return Ok(None) };
        let component = match content.component {
            Some(component) => self.brief(component)?.map(|brief| brief.id()),
            None => None,
        };
        node.component = component;
        node.aliases = self.aliases(number)?;
        node.claim = self.claim_note(number, node.status)?;
        node.retired_by = self.successors(number)?.into_iter().map(|(id, _)| id).collect();
        Ok(Some(node))
    }

    /// What a node's revision says, and the node without its component, aliases, claim and successors.
    pub(crate) fn content(&self, number: u64) -> Result<Option<(Content, Node)>> {
        let found = self.nodes(node_columns!(), "number = ?1", &number_in(number), |row| {
            let Text { content, created_at, verified_at, revision, .. } = text_in(row)?;
            let node = Node {
                id: NodeId { kind: content.detail.kind(), number },
                aliases: Vec::new(),
                title: content.title.clone(),
                body: content.body.clone(),
                tags: content.tags.clone(),
                component: None,
                source: content.source.clone(),
                anchors: content.anchors.clone(),
                lifecycle: content.lifecycle.clone(),
                detail: content.detail.clone(),
                state: self.state(row.get(column::FLAGS)?, row.get::<_, i64>(column::RETIRED)? > 0, row.get(column::EXPIRES_MS)?),
                created_at,
                updated_at: Timestamp::from_unix_ms(row.get(column::UPDATED_MS)?),
                verified_at,
                actor: row.get(column::ACTOR)?,
                session: row.get(column::SESSION)?,
                revision,
                status: status_in(row, column::STATUS)?,
                claim: None,
                retired_by: Vec::new(),
            };
            Ok((content, node))
        })?;
        Ok(found.into_iter().next())
    }

    /// A node's other names, in the order in which they were given.
    pub(crate) fn aliases(&self, number: u64) -> Result<Vec<String>> {
        let mut statement = self
            .conn()
            .prepare_cached("SELECT alias FROM alias WHERE number = ?1 AND from_seq <= ?2 ORDER BY from_seq, folded")
            .map_err(Trouble::during(DURING))?;
        statement.query_map(params![number_in(number), number_in(self.at)], |row| row.get(0)).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// What an id or alias stands for; a number under another kind resolves, and says so.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Option<Resolved>> {
        let reference = reference.trim();
        if reference.len() > ALIAS_BYTES {
            return Ok(None);
        }
        if let Some(id) = NodeId::parse(reference) {
            return Ok(self.brief(id.number)?.map(|brief| Resolved { id: brief.id(), corrected: brief.id() != id }));
        }
        let number: Option<i64> = self
            .conn()
            .prepare_cached("SELECT number FROM alias WHERE folded = ?1 AND from_seq <= ?2")
            .and_then(|mut statement| statement.query_row(params![fold_alias(reference), number_in(self.at)], |row| row.get(0)).optional())
            .map_err(Trouble::during(DURING))?;
        match number {
            Some(number) => Ok(self.brief(number_out(number))?.map(|brief| Resolved { id: brief.id(), corrected: false })),
            None => Ok(None),
        }
    }

    /// What an id or alias stands for.
    ///
    /// # Errors
    /// `unknown_node`.
    pub(crate) fn require(&self, reference: &str) -> Result<Resolved> {
        self.resolve(reference)?.ok_or_else(|| unknown(reference))
    }

    /// The numbers and sequences of the nodes whose searched text changed after a sequence, in the order of numbers.
    pub(crate) fn changed_numbers(&self, sequence: u64) -> Result<Vec<(u64, u64)>> {
        let mut numbers =
            self.nodes("number, text_seq", "text_seq > ?1", &number_in(sequence), |row| Ok((number_out(row.get(0)?), number_out(row.get(1)?))))?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The first of them in the order of their sequences, at most `limit`, unless more than that changed in one operation.
    pub(crate) fn changed_first(&self, sequence: u64, limit: usize) -> Result<Vec<(u64, u64)>> {
        let read = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
            let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
            let found = statement.query_map(values, |row| Ok((number_out(row.get(0)?), number_out(row.get(1)?))));
            found.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>).map_err(Trouble::during(DURING))
        };
        let first = "SELECT number, text_seq FROM node WHERE text_seq > ?1 ORDER BY text_seq, number LIMIT ?2";
        let mut found = read(first, &[&number_in(sequence), &(limit as i64)])?;
        if let (Some((_, first)), Some((_, last)), true) = (found.first().copied(), found.last().copied(), found.len() == limit) {
            // The last operation may have changed more.
            if first == last {
                return read("SELECT number, text_seq FROM node WHERE text_seq = ?1 ORDER BY number", &[&number_in(first)]);
            }
            found.retain(|(_, sequence)| *sequence < last);
        }
        Ok(found)
    }

    /// The numbers of the nodes whose searched text changed after a sequence, up to the head; `None` if there are more than that.
    pub(crate) fn changed_at_most(&self, sequence: u64, most: usize) -> Result<Option<Vec<u64>>> {
        let mut statement = self.conn().prepare_cached("SELECT number FROM node WHERE text_seq > ?1 LIMIT ?2").map_err(Trouble::during(DURING))?;
        let found = statement.query_map([number_in(sequence), most as i64 + 1], |row| row.get(0).map(number_out));
        let found: Vec<u64> = found.and_then(Iterator::collect).map_err(Trouble::during(DURING))?;
        Ok((found.len() <= most).then_some(found))
    }

    /// The pieces in which a node is searched; none if search does not find it.
    pub(crate) fn units(&self, number: u64) -> Result<Vec<UnitText>> {
        let found = self.nodes(SEARCHED_COLUMNS, "number = ?1", &number_in(number), searched_columns)?;
        Ok(searched(number, found)?.map_or_else(Vec::new, |content| units_of(&content)))
    }

    /// The same at the head, whatever the snapshot's sequence.
    pub(crate) fn units_now(&self, number: u64) -> Result<Vec<UnitText>> {
        let found = self.nodes_now(SEARCHED_COLUMNS, "number = ?1", &number_in(number), searched_columns)?;
        Ok(searched(number, found)?.map_or_else(Vec::new, |content| units_of(&content)))
    }

    /// A node's body; empty if there is no such node.
    pub(crate) fn body(&self, number: u64) -> Result<String> {
        Ok(self.nodes("body", "number = ?1", &number_in(number), |row| row.get(0))?.pop().unwrap_or_default())
    }

    /// The numbers of all nodes that a filter lets pass.
    pub(crate) fn passing(&self, filter: &Filter) -> Result<NodeSet> {
        let components = filter.component.map(|root| self.under(root)).transpose()?;
        let tagged: Option<NodeSet> = if filter.tags.is_empty() { None } else { Some(self.tagged(&filter.tags)?) };
        let rows = self.nodes("number, class, retired, flags, component, created_ms, expires_ms", "?1 = ?1", &0, |row| {
            Ok((
                number_out(row.get(0)?),
                class_in(row, 1)?,
                row.get::<_, i64>(2)? > 0,
                row.get::<_, i64>(3)?,
                row.get::<_, Option<i64>>(4)?.map(number_out),
                row.get::<_, i64>(5)?,
                row.get::<_, Option<i64>>(6)?,
            ))
        })?;
        Ok(rows
            .into_iter()
            .filter(|(number, class, retired, flags, component, created_ms, expires_ms)| {
                filter.classes.as_ref().is_none_or(|classes| classes.contains(class))
                    && filter.states.as_ref().is_none_or(|states| states.contains(&self.state(*flags, *retired, *expires_ms)))
                    && components.as_ref().is_none_or(|set| component.is_some_and(|component| set.contains(component)))
                    && tagged.as_ref().is_none_or(|set| set.contains(*number))
                    && filter.since.is_none_or(|since| *created_ms >= since.unix_ms())
                    && filter.until.is_none_or(|until| *created_ms < until.unix_ms())
            })
            .map(|row| row.0)
            .collect())
    }

    /// A component and every component under it.
    pub(super) fn under(&self, root: u64) -> Result<NodeSet> {
        // Read once for all: no index leads from a component to those under it, so each would look at all of them.
        let condition = "class = 14 AND component IS NOT NULL AND ?1 = ?1";
        let mut below = self.nodes("component, number", condition, &0, |row| Ok((number_out(row.get(0)?), number_out(row.get(1)?))))?;
        below.sort_unstable();
        let mut set: NodeSet = [root].into_iter().collect();
        let mut open = vec![root];
        while let Some(parent) = open.pop() {
            let first = below.partition_point(|(component, _)| *component < parent);
            for (_, child) in below[first..].iter().take_while(|(component, _)| *component == parent) {
                if !set.contains(*child) {
                    set.insert(*child);
                    open.push(*child);
                }
            }
        }
        Ok(set)
    }

    pub(super) fn tagged(&self, tags: &[String]) -> Result<NodeSet> {
        let mut set = NodeSet::new();
        let mut statement =
            self.conn().prepare_cached("SELECT number FROM tag WHERE tag = ?1 AND from_seq <= ?2 AND to_seq > ?2").map_err(Trouble::during(DURING))?;
        for tag in tags {
            let numbers = statement
                .query_map(params![tag, number_in(self.at)], |row| row.get::<_, i64>(0))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
                .map_err(Trouble::during(DURING))?;
            numbers.into_iter().for_each(|number| set.insert(number_out(number)));
        }
        Ok(set)
    }

    /// Live nodes of a class whose title has that form, in the order of their numbers, at most `limit`.
    pub(crate) fn same_title(&self, title_key: i64, class: Class, limit: usize) -> Result<Vec<Brief>> {
        let mut numbers = self.nodes("number", "title_key = ?1", &title_key, |row| Ok(number_out(row.get(0)?)))?;
        numbers.sort_unstable();
        let mut found = Vec::new();
        for number in numbers {
            if let Some(brief) = self.brief(number)?.filter(|brief| brief.state == State::Live && brief.class == class) {
                found.push(brief);
                if found.len() == limit {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Nodes whose title or body holds one of the folded words, in the order of their numbers, at most `limit`.
    pub(crate) fn naming(&self, words: &[String], limit: usize) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        let mut statement = self.conn().prepare_cached("SELECT number FROM reference WHERE word = ?1 LIMIT ?2").map_err(Trouble::during(DURING))?;
        for word in words {
            let found = statement
                .query_map(params![word, limit as i64], |row| row.get::<_, i64>(0))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
                .map_err(Trouble::during(DURING))?;
            numbers.extend(found.into_iter().map(number_out));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.truncate(limit);
        Ok(numbers)
    }

    /// The numbers of all nodes at the snapshot's sequence, in order.
    pub(crate) fn all_numbers(&self) -> Result<Vec<u64>> {
        let mut numbers = self.nodes("number", "?1 = ?1", &0, |row| Ok(number_out(row.get(0)?)))?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The number of the node that was the newest at the snapshot's sequence; 0 if there was none.
    pub(crate) fn last_number_then(&self) -> Result<u64> {
        // Numbers are given in the order of the log, and no node ever goes.
        let (mut there, mut not_there) = (0, self.last_number()? + 1);
        while not_there - there > 1 {
            let middle = there + (not_there - there) / 2;
            let is_there = !self.nodes("number", "number = ?1", &number_in(middle), |_| Ok(()))?.is_empty();
            *(if is_there { &mut there } else { &mut not_there }) = middle;
        }
        Ok(there)
    }

    /// The last row in which a vector of one embedder is kept; 0 if there is none.
    pub(crate) fn last_vector(&self, embedder: &str) -> Result<i64> {
        self.conn().query_row("SELECT ifnull(max(id), 0) FROM vector WHERE embedder = ?1", [embedder], |row| row.get(0)).map_err(Trouble::during(DURING))
    }

    /// An embedder other than the given one of which vectors are kept.
    pub(crate) fn other_embedder(&self, embedder: &str) -> Result<Option<String>> {
        self.conn().query_row("SELECT min(embedder) FROM vector WHERE embedder <> ?1", [embedder], |row| row.get(0)).map_err(Trouble::during(DURING))
    }

    /// The vectors kept for texts of one embedder, by hash, `None` where there is none.
    pub(crate) fn vector(&self, embedder: &str, text_hash: &[u8]) -> Result<Option<Vec<f32>>> {
        let data: Option<Vec<u8>> = self
            .conn()
            .prepare_cached("SELECT data FROM vector WHERE embedder = ?1 AND text_hash = ?2")
            .and_then(|mut statement| statement.query_row(params![embedder, text_hash], |row| row.get(0)).optional())
            .map_err(Trouble::during(DURING))?;
        Ok(data.map(|bytes| bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("a chunk of four"))).collect()))
    }
}

/// What [`searched`] reads.
const SEARCHED_COLUMNS: &str = "title, body, rest, flags";

fn searched_columns(row: &Row<'_>) -> rusqlite::Result<(String, String, String, i64)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

/// What search looks at of a node, of which at most one row was found; `None` if search does not find it.
fn searched(number: u64, found: Vec<(String, String, String, i64)>) -> Result<Option<Content>> {
    let Some((title, body, rest, _)) = found.into_iter().next().filter(|(.., flags)| flags & FLAG_UNSEARCHED == 0) else { return Ok(None) };
    let detail = detail_in(number, &rest)?;
    Ok(Some(Content { title, body, tags: Vec::new(), component: None, source: None, anchors: Vec::new(), lifecycle: Lifecycle::default(), detail }))
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(mut conn) = self.conn.take()
            && !self.lent
            && conn.progress_handler(0, None::<fn() -> bool>).is_ok()
            && conn.execute_batch("COMMIT").is_ok()
        {
            self.database.give_back(conn);
        }
    }
}

/// The state that a node's row stands for at an instant.
pub(crate) fn state_of(flags: i64, retired: bool, expires_ms: Option<i64>, now: Timestamp) -> State {
    if flags & FLAG_ARCHIVED != 0 {
        State::Archived
    } else if retired {
        State::Retired
    } else if flags & FLAG_RESOLVED != 0 {
        State::Resolved
    } else if expires_ms.is_some_and(|at| at <= now.unix_ms()) {
        State::Expired
    } else {
        State::Live
    }
}

/// What depends on a node's kind, as its row holds it.
pub(crate) fn detail_in(number: u64, rest: &str) -> Result<Detail> {
    let rest: Rest = serde_json::from_str(rest).map_err(|cause| Error::new(Code::Damaged, format!("read node {number}: {cause}")))?;
    Ok(rest.detail)
}

/// The error for a reference that stands for nothing.
pub(crate) fn unknown(reference: &str) -> Error {
    let shown = crate::base::text::cut(reference, 80);
    Error::new(Code::UnknownNode, format!("look for {shown:?}: no node has that id or alias")).with("id", shown)
}

/// A row of [`node_columns`].
fn text_in(row: &Row<'_>) -> rusqlite::Result<Text> {
    let rest = row.get_ref(column::REST)?.as_str()?;
    let rest: Rest = serde_json::from_str(rest).map_err(|cause| rusqlite::Error::FromSqlConversionFailure(21, rusqlite::types::Type::Text, Box::new(cause)))?;
    let content = Content {
        title: row.get(column::TITLE)?,
        body: row.get(column::BODY)?,
        tags: rest.tags,
        component: row.get::<_, Option<i64>>(column::COMPONENT)?.map(number_out),
        source: rest.source,
        anchors: rest.anchors,
        lifecycle: Lifecycle {
            expires_at: row.get::<_, Option<i64>>(column::EXPIRES_MS)?.map(Timestamp::from_unix_ms),
            resolves_with: row.get::<_, Option<i64>>(column::RESOLVES_WITH)?.map(number_out),
            review_at: row.get::<_, Option<i64>>(column::REVIEW_MS)?.map(Timestamp::from_unix_ms),
        },
        detail: rest.detail,
    };
    Ok(Text {
        content,
        created_at: Timestamp::from_unix_ms(row.get(column::CREATED_MS)?),
        verified_at: row.get::<_, Option<i64>>(column::VERIFIED_MS)?.map(Timestamp::from_unix_ms),
        revision: number_out(row.get(column::REVISION)?),
        actor: row.get(column::ACTOR)?,
    })
}

fn class_in(row: &Row<'_>, at: usize) -> rusqlite::Result<Class> {
    let number: i64 = row.get(at)?;
    u8::try_from(number).ok().and_then(Class::from_number).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, number))
}

fn status_in(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<TaskStatus>> {
    let number: Option<u8> = row.get(at)?;
    number.map(|number| TaskStatus::from_number(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, i64::from(number)))).transpose()
}
