//! The tables of `record.db`: the log, its views, and what is kept beside them.

/// The format that this release writes, and the only one that it reads.
///
/// One more whenever a release changes [`TABLES`], what `apply` puts into them, or what an operation can say. Nothing
/// else is needed: an older record is migrated by making every table but those of [`KEPT`] anew from the log.
pub(crate) const FORMAT: i64 = 2;

/// The tables that a migration keeps. One that a release changes needs a step of its own in `record/migrate.rs`.
pub(crate) const KEPT: [&str; 3] = ["meta", "log", "vector"];

/// The sequence that stands for "still so" at the end of a range.
pub(crate) const OPEN: i64 = i64::MAX;

macro_rules! node_columns {
    () => {
        "number, class, status, retired, flags, created_ms, updated_ms, expires_ms, review_ms, verified_ms, revision, \
         from_seq, text_seq, units, length, title_key, component, resolves_with, actor, session, title, rest, body"
    };
}
pub(crate) use node_columns;

/// The places of columns in [`node_columns`]; looking them up by name costs more than reading them.
pub(crate) mod column {
    pub(crate) const STATUS: usize = 2;
    pub(crate) const RETIRED: usize = 3;
    pub(crate) const FLAGS: usize = 4;
    pub(crate) const CREATED_MS: usize = 5;
    pub(crate) const UPDATED_MS: usize = 6;
    pub(crate) const EXPIRES_MS: usize = 7;
    pub(crate) const REVIEW_MS: usize = 8;
    pub(crate) const VERIFIED_MS: usize = 9;
    pub(crate) const REVISION: usize = 10;
    pub(crate) const COMPONENT: usize = 16;
    pub(crate) const RESOLVES_WITH: usize = 17;
    pub(crate) const ACTOR: usize = 18;
    pub(crate) const SESSION: usize = 19;
    pub(crate) const TITLE: usize = 20;
    pub(crate) const REST: usize = 21;
    pub(crate) const BODY: usize = 22;
}

/// Makes the tables of an empty database, or those that are missing beside the ones of [`KEPT`].
///
/// `log` is the truth. `node` holds each node as it stands, `node_past` what it was between two operations. `adjacent`
/// holds every edge from both of its ends, in the order in which a walk takes them. `claim` holds who had which task, under
/// the sequence of the claim's operation, `feedback` what rules did. `reference` holds the words of titles and bodies that
/// could name a node. `anchor` and `anchor_glob` hold the places that nodes are about, `cue` the literal triggers of lessons
/// and risks, all as they stand now. `stat` holds counts over the nodes that search finds. `vector` is derived
/// and no view.
pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS log(
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, actor TEXT NOT NULL, session TEXT, kind TEXT NOT NULL,
  payload TEXT, salt BLOB, op_hash BLOB NOT NULL, chain_hash BLOB NOT NULL) STRICT;
CREATE TABLE node(
  number INTEGER PRIMARY KEY, class INTEGER NOT NULL, status INTEGER, retired INTEGER NOT NULL, flags INTEGER NOT NULL,
  created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, expires_ms INTEGER, review_ms INTEGER, verified_ms INTEGER,
  revision INTEGER NOT NULL, from_seq INTEGER NOT NULL, text_seq INTEGER NOT NULL, units INTEGER NOT NULL, length INTEGER NOT NULL,
  title_key INTEGER NOT NULL, component INTEGER, resolves_with INTEGER, actor TEXT NOT NULL, session TEXT,
  title TEXT NOT NULL, rest TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX node_text ON node(text_seq);
CREATE INDEX node_title ON node(title_key);
CREATE INDEX node_facets ON node(class, retired, flags, component, created_ms, expires_ms);
CREATE TABLE node_past(
  number INTEGER NOT NULL, class INTEGER NOT NULL, status INTEGER, retired INTEGER NOT NULL, flags INTEGER NOT NULL,
  created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, expires_ms INTEGER, review_ms INTEGER, verified_ms INTEGER,
  revision INTEGER NOT NULL, from_seq INTEGER NOT NULL, text_seq INTEGER NOT NULL, units INTEGER NOT NULL, length INTEGER NOT NULL,
  title_key INTEGER NOT NULL, component INTEGER, resolves_with INTEGER, actor TEXT NOT NULL, session TEXT,
  title TEXT NOT NULL, rest TEXT NOT NULL, body TEXT NOT NULL, to_seq INTEGER NOT NULL, PRIMARY KEY(number, from_seq)) STRICT;
CREATE INDEX node_hanging ON node(resolves_with) WHERE resolves_with IS NOT NULL;
CREATE INDEX node_open ON node(json_extract(rest, '$.detail.priority'), created_ms, number, component, flags, retired, expires_ms)
  WHERE status = 0 AND class = 9;
CREATE TABLE claim(
  task INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL, holder TEXT NOT NULL, since_ms INTEGER NOT NULL, until_ms INTEGER,
  lease_ms INTEGER, PRIMARY KEY(task, from_seq)) STRICT, WITHOUT ROWID;
CREATE INDEX claim_holder ON claim(holder);
CREATE INDEX claim_lease ON claim(until_ms) WHERE to_seq = 9223372036854775807 AND until_ms IS NOT NULL;
CREATE TABLE edge(
  id INTEGER PRIMARY KEY, src INTEGER NOT NULL, relation INTEGER NOT NULL, dst INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL, actor TEXT NOT NULL, automatic INTEGER NOT NULL, unverified INTEGER NOT NULL, reason TEXT NOT NULL, evidence TEXT, ended TEXT) STRICT;
CREATE UNIQUE INDEX edge_live ON edge(src, relation, dst) WHERE to_seq = 9223372036854775807;
CREATE TABLE adjacent(
  node INTEGER NOT NULL, relation INTEGER NOT NULL, direction INTEGER NOT NULL, class INTEGER NOT NULL, created_ms INTEGER NOT NULL,
  neighbour INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL, edge INTEGER NOT NULL,
  PRIMARY KEY(node, relation, direction, class, created_ms DESC, neighbour, from_seq)) STRICT, WITHOUT ROWID;
CREATE TABLE feedback(
  rule INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL, helped INTEGER NOT NULL, key TEXT, PRIMARY KEY(rule, from_seq)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX feedback_key ON feedback(rule, key) WHERE key IS NOT NULL;
CREATE TABLE alias(folded TEXT PRIMARY KEY, alias TEXT NOT NULL, number INTEGER NOT NULL, from_seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX alias_number ON alias(number);
CREATE TABLE tag(tag TEXT NOT NULL, number INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL, PRIMARY KEY(tag, number, from_seq)) STRICT, WITHOUT ROWID;
CREATE TABLE reference(word TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(word, number)) STRICT, WITHOUT ROWID;
CREATE TABLE anchor(path TEXT NOT NULL, class INTEGER NOT NULL, number INTEGER NOT NULL, symbol TEXT NOT NULL, PRIMARY KEY(path, class, number, symbol)) STRICT, WITHOUT ROWID;
CREATE TABLE anchor_glob(
  folder TEXT NOT NULL, glob TEXT NOT NULL, class INTEGER NOT NULL, number INTEGER NOT NULL, symbol TEXT NOT NULL,
  PRIMARY KEY(folder, glob, class, number, symbol)) STRICT, WITHOUT ROWID;
CREATE TABLE cue(first INTEGER NOT NULL, words INTEGER NOT NULL, key INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(first, words, key, number)) STRICT, WITHOUT ROWID;
CREATE TABLE stat(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO stat VALUES ('last_number', 0), ('nodes', 0), ('units', 0), ('terms', 0), ('cued', 0);
CREATE TABLE IF NOT EXISTS vector(id INTEGER PRIMARY KEY, embedder TEXT NOT NULL, text_hash BLOB NOT NULL, data BLOB NOT NULL, UNIQUE(embedder, text_hash)) STRICT;
";

/// A node is put away.
pub(crate) const FLAG_ARCHIVED: i64 = 1;
/// The task that it hung on is done.
pub(crate) const FLAG_RESOLVED: i64 = 2;
/// Search does not find it: archived, or delivered with the obligations.
pub(crate) const FLAG_UNSEARCHED: i64 = 4;
/// A rule that is only proposed.
pub(crate) const FLAG_PROVISIONAL: i64 = 8;
/// Its text is gone for good.
pub(crate) const FLAG_PURGED: i64 = 64;
