//! Edges as a snapshot has them: from one end for walks, whole for who asks for one.

use rusqlite::{OptionalExtension, Row, params};

use super::{DURING, Snapshot, class_in};
use crate::base::error::{Code, Error, Result};
use crate::base::id::NodeId;
use crate::base::time::Timestamp;
use crate::record::database::{Trouble, number_in, number_out};
use crate::record::edge::{Edge, Evidence, Relation, is_unverified};
use crate::record::node::Class;

/// An edge as a walk sees it from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) relation: Relation,
    /// True if the edge starts at the node that one stands on.
    pub(crate) outgoing: bool,
    pub(crate) class: Class,
    pub(crate) created_ms: i64,
    pub(crate) neighbour: u64,
    pub(crate) edge: i64,
}

impl Snapshot {
    /// At most `limit` edges of a node in stored order: by relation, direction, class, then newest neighbour first.
    pub(crate) fn steps(&self, number: u64, limit: usize) -> Result<Vec<Step>> {
        let sql = "SELECT relation, direction, class, created_ms, neighbour, edge FROM adjacent \
                   WHERE node = ?1 AND from_seq <= ?2 AND to_seq > ?2 LIMIT ?3";
        self.read_steps(sql, &[&number_in(number), &number_in(self.at), &(limit as i64)])
    }

    /// At most `limit` edges of one relation, direction and class, newest neighbour first.
    pub(crate) fn steps_of(&self, number: u64, group: (Relation, bool, Class), limit: usize) -> Result<Vec<Step>> {
        let (relation, outgoing, class) = group;
        let sql = "SELECT relation, direction, class, created_ms, neighbour, edge FROM adjacent \
                   WHERE node = ?1 AND relation = ?4 AND direction = ?5 AND class = ?6 AND from_seq <= ?2 AND to_seq > ?2 \
                   ORDER BY created_ms DESC, neighbour LIMIT ?3";
        let values: [&dyn rusqlite::ToSql; 6] =
            [&number_in(number), &number_in(self.at), &(limit as i64), &relation.number(), &i64::from(!outgoing), &class.number()];
        self.read_steps(sql, &values)
    }

    fn read_steps(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Step>> {
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        statement.query_map(values, step_in).and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// The relations, directions and classes in which a node has edges, without reading the edges.
    pub(crate) fn step_groups(&self, number: u64) -> Result<Vec<(Relation, bool, Class)>> {
        // One comparison of all three columns at once would read every edge of a relation, so each column has its seek.
        const SEEKS: [&str; 3] = [
            "SELECT relation, direction, class FROM adjacent WHERE node = ?1 AND relation = ?2 AND direction = ?3 AND class > ?4 ORDER BY class LIMIT 1",
            "SELECT relation, direction, class FROM adjacent WHERE node = ?1 AND relation = ?2 AND direction > ?3 ORDER BY direction, class LIMIT 1",
            "SELECT relation, direction, class FROM adjacent WHERE node = ?1 AND relation > ?2 ORDER BY relation, direction, class LIMIT 1",
        ];
        let number = number_in(number);
        let mut groups = Vec::new();
        let mut after: [i64; 3] = [-1; 3];
        'next: loop {
            for (bound, seek) in SEEKS.iter().enumerate() {
                let known = &after[..3 - bound];
                let found = self
                    .conn()
                    .prepare_cached(seek)
                    .and_then(|mut statement| {
                        let values = std::iter::once(&number).chain(known);
                        statement
                            .query_row(rusqlite::params_from_iter(values), |row| {
                                let key: [i64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
                                Ok((key, (relation_in(row, 0)?, key[1] == 0, class_in(row, 2)?)))
                            })
                            .optional()
                    })
                    .map_err(Trouble::during(DURING))?;
                if let Some((key, group)) = found {
                    groups.push(group);
                    after = key;
                    continue 'next;
                }
            }
            return Ok(groups);
        }
    }

    /// How many edges a node has, counted up to `most`.
    pub(crate) fn degree(&self, number: u64, most: usize) -> Result<u64> {
        self.conn()
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM adjacent WHERE node = ?1 AND from_seq <= ?2 AND to_seq > ?2 LIMIT ?3)")
            .and_then(|mut statement| statement.query_row(params![number_in(number), number_in(self.at), most as i64], |row| row.get(0)))
            .map(number_out)
            .map_err(Trouble::during(DURING))
    }

    /// An edge with its reason and evidence.
    pub(crate) fn edge(&self, edge: i64) -> Result<Edge> {
        let (from, relation, to, mut found) = self
            .conn()
            .prepare_cached("SELECT src, relation, dst, reason, evidence, actor, at_ms, automatic FROM edge WHERE id = ?1")
            .and_then(|mut statement| {
                statement.query_row([edge], |row| {
                    let evidence = evidence_in(row, 4)?;
                    let nobody = NodeId { kind: crate::base::id::Kind::Knowledge, number: 0 };
                    let edge = Edge {
                        from: nobody,
                        relation: relation_in(row, 1)?,
                        to: nobody,
                        reason: row.get(3)?,
                        evidence,
                        actor: row.get(5)?,
                        at: Timestamp::from_unix_ms(row.get(6)?),
                        automatic: row.get(7)?,
                    };
                    Ok((number_out(row.get(0)?), edge.relation, number_out(row.get(2)?), edge))
                })
            })
            .map_err(Trouble::during(DURING))?;
        let _ = relation;
        found.from = self.id_of(from)?;
        found.to = self.id_of(to)?;
        Ok(found)
    }

    /// The reason of an edge, what it rests on, and whether that is unverified.
    pub(crate) fn grounds(&self, edge: i64) -> Result<(String, Option<Evidence>, bool)> {
        self.conn()
            .prepare_cached("SELECT reason, evidence FROM edge WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([edge], |row| Ok((row.get::<_, String>(0)?, evidence_in(row, 1)?))))
            .map(|(reason, evidence)| {
                let unverified = is_unverified(&reason, evidence.as_ref());
                (reason, evidence, unverified)
            })
            .map_err(Trouble::during(DURING))
    }

    fn id_of(&self, number: u64) -> Result<NodeId> {
        self.brief(number)?
            .map(|brief| brief.id())
            .ok_or_else(|| Error::new(Code::Damaged, format!("read the record: an edge leads to node {number}, which is not there")))
    }

    /// The edge of that triple, if it is live.
    pub(crate) fn find_edge(&self, from: u64, relation: Relation, to: u64) -> Result<Option<Edge>> {
        // Only the literal lets SQLite use the index of live edges.
        let sql = if self.is_past() {
            "SELECT edge FROM adjacent WHERE node = ?1 AND relation = ?2 AND direction = 0 AND neighbour = ?3 AND from_seq <= ?4 AND to_seq > ?4"
        } else {
            "SELECT id FROM edge WHERE src = ?1 AND relation = ?2 AND dst = ?3 AND from_seq <= ?4 AND to_seq = 9223372036854775807"
        };
        let id: Option<i64> = self
            .conn()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement.query_row(params![number_in(from), relation.number(), number_in(to), number_in(self.at)], |row| row.get(0)).optional()
            })
            .map_err(Trouble::during(DURING))?;
        id.map(|id| self.edge(id)).transpose()
    }

    /// What the last edge of that triple said that somebody drew and that was taken away since, at the head.
    pub(crate) fn last_ended(&self, from: u64, relation: Relation, to: NodeId) -> Result<Option<(String, Option<Evidence>)>> {
        let Some(end) = self.brief(to.number)? else { return Ok(None) };
        // The whole key, so that of a node with many edges one is looked at.
        let sql = "SELECT reason, evidence FROM adjacent JOIN edge ON edge.id = adjacent.edge \
                   WHERE node = ?1 AND adjacent.relation = ?2 AND direction = 0 AND class = ?3 AND created_ms = ?4 AND neighbour = ?5 \
                   AND adjacent.to_seq < 9223372036854775807 AND NOT automatic ORDER BY adjacent.from_seq DESC LIMIT 1";
        self.conn()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                let values = params![number_in(from), relation.number(), end.class.number(), end.created_ms, number_in(to.number)];
                statement.query_row(values, |row| Ok((row.get(0)?, evidence_in(row, 1)?))).optional()
            })
            .map_err(Trouble::during(DURING))
    }

    /// The nodes that a node's text was joined with because it names them, at the head, in the order of their numbers.
    pub(crate) fn drawn_mentions(&self, number: u64) -> Result<Vec<u64>> {
        let sql = "SELECT dst FROM edge WHERE src = ?1 AND relation = ?2 AND to_seq = 9223372036854775807 AND automatic ORDER BY dst";
        let mut statement = self.conn().prepare_cached(sql).map_err(Trouble::during(DURING))?;
        let found = statement.query_map(params![number_in(number), Relation::Mentions.number()], |row| row.get(0).map(number_out));
        found.and_then(Iterator::collect).map_err(Trouble::during(DURING))
    }

    /// The nodes that retire a node directly, in the order of their numbers, with the edge that says so.
    pub(crate) fn successors(&self, number: u64) -> Result<Vec<(NodeId, i64)>> {
        let mut found = Vec::new();
        for step in self.steps_in(number, Relation::Supersedes, false)? {
            found.push((NodeId { kind: step.class.kind(), number: step.neighbour }, step.edge));
        }
        found.sort_by_key(|(id, _)| id.number);
        Ok(found)
    }

    /// Every edge of one relation and direction.
    pub(crate) fn steps_in(&self, number: u64, relation: Relation, outgoing: bool) -> Result<Vec<Step>> {
        let sql = "SELECT relation, direction, class, created_ms, neighbour, edge FROM adjacent \
                   WHERE node = ?1 AND relation = ?3 AND direction = ?4 AND from_seq <= ?2 AND to_seq > ?2";
        self.read_steps(sql, &[&number_in(number), &number_in(self.at), &relation.number(), &i64::from(!outgoing)])
    }
}

fn evidence_in(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Evidence>> {
    let evidence: Option<String> = row.get(at)?;
    evidence
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|cause| rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(cause)))
}

/// A row that begins with relation, direction, class, created_ms, neighbour, edge.
pub(super) fn step_in(row: &Row<'_>) -> rusqlite::Result<Step> {
    Ok(Step {
        relation: relation_in(row, 0)?,
        outgoing: row.get::<_, i64>(1)? == 0,
        class: class_in(row, 2)?,
        created_ms: row.get(3)?,
        neighbour: number_out(row.get(4)?),
        edge: row.get(5)?,
    })
}

fn relation_in(row: &Row<'_>, at: usize) -> rusqlite::Result<Relation> {
    let number: u8 = row.get(at)?;
    Relation::from_number(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, i64::from(number)))
}
