//! Every default number, once. Those called fixed can be lowered by a host and not raised.

use std::time::Duration;

/// Longest title, in characters.
pub const TITLE_CHARS: usize = 500;
/// Longest body of a node that is no document, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// Longest body of a document, in bytes.
pub const DOCUMENT_BYTES: usize = 2 * 1024 * 1024;
/// Longest reason, evidence, note, summary or other single field, in bytes.
pub const FIELD_BYTES: usize = 16 * 1024;
/// Most tags, anchors, keywords or aliases of one node.
pub const LIST_ITEMS: usize = 200;
/// Longest passage of a document, in estimated tokens.
pub const PASSAGE_TOKENS: usize = 250;
/// Longest excerpt kept of a source text that carried evidence, in characters.
pub const EXCERPT_CHARS: usize = 200;

/// A shorter prompt that names nothing is not looked up, in characters of Latin text.
pub const GATE_CHARS: usize = 25;
/// Most seeds of a retrieval (fixed).
pub const SEEDS: usize = 10;
/// Most entries of a window (fixed).
pub const WINDOW_ENTRIES: usize = 20;
/// Most entries of a window in quiet mode, callouts among them.
pub const QUIET_ENTRIES: usize = 5;
/// Best fused seeds that always keep a place in the window.
pub const KEPT_SEEDS: usize = 5;
/// Most edges followed from one node.
pub const EDGES_PER_NODE: usize = 12;
/// Most hops of a walk.
pub const MAX_HOPS: u32 = 3;
/// Most callouts shown in full.
pub const CALLOUTS: usize = 5;
/// Longest body of an entry that was not named, in characters, where no token limit is given.
pub const ENTRY_BODY_CHARS: usize = 1_200;
/// Time for one whole retrieval.
pub const DEADLINE: Duration = Duration::from_secs(8);
/// Time for the walk inside it.
pub const WALK_BUDGET: Duration = Duration::from_secs(6);

/// Tokens of a session below which nothing is left for a window: its frame and one line.
pub const FRAME_TOKENS: u64 = 64;
/// How long a session is kept after it was last heard of.
pub const SESSION_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Cosine from which two facts say nearly the same.
pub const NEAR_DUPLICATE: f32 = 0.92;

/// Most facts, the newest, that a full health check compares with all others by meaning.
pub const COMPARED_FACTS: usize = 2_000;
/// Days after which a contradiction that is still open wants a look.
pub const CONTRADICTION_DAYS: i64 = 14;
/// Days from which a fact that nobody confirmed counts as unverified.
pub const UNVERIFIED_DAYS: i64 = 30;
/// Days after which a claim that still stands wants a look.
pub const CLAIM_DAYS: i64 = 7;

/// Most seeds per channel of a recall.
pub const RECALL_SEEDS: usize = 50;
/// Most entries of a recall.
pub const RECALL_ENTRIES: usize = 100;

/// Longest path, and longest symbol, that an edit can be of, in bytes.
pub const EDIT_BYTES: usize = 4_096;

/// Tokens that the obligations of a turn are meant to take.
pub const OBLIGATION_TOKENS: usize = 5_000;
/// Tokens that methodology may take.
pub const METHODOLOGY_TOKENS: usize = 2_000;

/// Cosine from which a proposed rule is a duplicate.
pub const RULE_DUPLICATE: f32 = 0.95;
/// Cosine from which a proposed rule says nothing new.
pub const RULE_KNOWN: f32 = 0.85;
/// Observations that a proposed rule needs before it can be promoted.
pub const PROMOTION_OBSERVATIONS: u64 = 50;
/// Lower bound of the 95 % Wilson interval of the share that helped from which it can be.
pub const PROMOTION_LOWER_BOUND: f64 = 0.65;

/// Tokens that one assembly may take.
pub const ASSEMBLY_TOKENS: usize = 8_000;
/// Tokens that the entries of one provider may take.
pub const PROVIDER_TOKENS: usize = 2_000;
/// How long one provider may take.
pub const PROVIDER_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a writer waits for another.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time that a transaction may hold the write lock.
pub const TRANSACTION_LIMIT: Duration = Duration::from_secs(2);
/// How far ahead of the last operation a clock may be that sees a lease ended.
pub const CLOCK_AHEAD: Duration = Duration::from_secs(5 * 60);
/// Most tasks that one look at what is ready lists.
pub const READY_TASKS: usize = 1_000;
/// Operations after which a long-lived writer brings the indexes up to date.
pub const TAIL_BOUND: u64 = 256;
/// Operations after which any writer brings the indexes up to date, however young its handle.
pub const TAIL_LIMIT: u64 = 2_048;
/// Age from which a handle counts as long-lived.
pub const LONG_LIVED: Duration = Duration::from_secs(1);
/// How long closing waits for a catch-up that is under way.
pub const CLOSE_WAIT: Duration = Duration::from_millis(20);
/// Size of the write-ahead log from which a long-lived writer truncates it, in bytes.
pub const WAL_LONG_LIVED_BYTES: u64 = 16 * 1024 * 1024;
/// Size of the write-ahead log from which any writer truncates it, in bytes.
pub const WAL_ANY_BYTES: u64 = 64 * 1024 * 1024;
