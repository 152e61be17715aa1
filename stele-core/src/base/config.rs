//! Every default number, once. Those called fixed can be lowered by a host and not raised.

use std::time::Duration;

/// A default as a host reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Number {
    /// A count, or a size in the unit of its name.
    Whole(u64),
    /// A share, or a length of time in seconds.
    Decimal(f64),
}

/// What can be a default.
trait Shown {
    fn shown(self) -> Number;
}

macro_rules! whole {
    ($($name:ty),*) => { $(
        impl Shown for $name {
            fn shown(self) -> Number {
                Number::Whole(self as u64)
            }
        }
    )* };
}
whole!(usize, u64, u32, i64);

impl Shown for f64 {
    fn shown(self) -> Number {
        Number::Decimal(self)
    }
}

impl Shown for f32 {
    fn shown(self) -> Number {
        // The decimal that is written in this file, not its neighbour in the wider type.
        Number::Decimal(self.to_string().parse().unwrap_or(f64::from(self)))
    }
}

impl Shown for Duration {
    fn shown(self) -> Number {
        Number::Decimal(self.as_secs_f64())
    }
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*

        /// Every default by its name in lower case, in the order of this file.
        #[must_use]
        pub fn all() -> Vec<(String, Number)> {
            vec![$((stringify!($name).to_ascii_lowercase(), $name.shown())),*]
        }
    };
}

numbers! {
    /// Longest title, in characters.
    TITLE_CHARS: usize = 500;
    /// Longest body of a node that is no document, in bytes.
    BODY_BYTES: usize = 64 * 1024;
    /// Longest body of a document, in bytes.
    DOCUMENT_BYTES: usize = 2 * 1024 * 1024;
    /// Longest reason, evidence, note, summary or other single field, in bytes.
    FIELD_BYTES: usize = 16 * 1024;
    /// Most tags, anchors, keywords or aliases of one node.
    LIST_ITEMS: usize = 200;
    /// Longest passage of a document, in estimated tokens.
    PASSAGE_TOKENS: usize = 250;
    /// Longest excerpt kept of a source text that carried evidence, in characters.
    EXCERPT_CHARS: usize = 200;

    /// A shorter prompt that names nothing is not looked up, in characters of Latin text.
    GATE_CHARS: usize = 25;
    /// Most seeds of a retrieval (fixed).
    SEEDS: usize = 10;
    /// Most entries of a window (fixed).
    WINDOW_ENTRIES: usize = 20;
    /// Most entries of a window in quiet mode, callouts among them.
    QUIET_ENTRIES: usize = 5;
    /// Best fused seeds that always keep a place in the window.
    KEPT_SEEDS: usize = 5;
    /// Most edges followed from one node.
    EDGES_PER_NODE: usize = 12;
    /// Hops of a walk where the call names none.
    HOPS: u32 = 1;
    /// Most hops of a walk.
    MAX_HOPS: u32 = 3;
    /// Most callouts shown in full.
    CALLOUTS: usize = 5;
    /// Longest body of an entry that was not named, in characters, where no token limit is given.
    ENTRY_BODY_CHARS: usize = 1_200;
    /// Time for one whole retrieval.
    DEADLINE: Duration = Duration::from_secs(8);
    /// Time for the walk inside it.
    WALK_BUDGET: Duration = Duration::from_secs(6);

    /// Tokens of a session below which nothing is left for a window: its frame and one line.
    FRAME_TOKENS: u64 = 64;
    /// How long a session is kept after it was last heard of.
    SESSION_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
    /// How many turns of a session are kept, and for how many it counts as served what it was given.
    SESSION_TURNS: u64 = 50;
    /// Longest text of a turn that is kept, in bytes; of a longer one only the digest is.
    TURN_TEXT_BYTES: usize = 1024 * 1024;

    /// Cosine from which two facts say nearly the same.
    NEAR_DUPLICATE: f32 = 0.92;

    /// Most facts, the newest, that a full health check compares with all others by meaning.
    COMPARED_FACTS: usize = 2_000;
    /// Days after which a contradiction that is still open wants a look.
    CONTRADICTION_DAYS: i64 = 14;
    /// Days from which a fact that nobody confirmed counts as unverified.
    UNVERIFIED_DAYS: i64 = 30;
    /// Days after which a claim that still stands wants a look.
    CLAIM_DAYS: i64 = 7;

    /// Hits of a search where the call names no number.
    SEARCH_HITS: usize = 10;
    /// Neighbours of a node where the call names no number.
    NEIGHBOURS: usize = 50;
    /// Seeds per channel of a recall where the call names no number.
    USUAL_RECALL_SEEDS: usize = 10;
    /// Hops of a recall where the call names none.
    RECALL_DEPTH: u32 = 2;
    /// Entries of a recall where the call names no number.
    USUAL_RECALL_ENTRIES: usize = 30;
    /// Most seeds per channel of a recall.
    RECALL_SEEDS: usize = 50;
    /// Most entries of a recall.
    RECALL_ENTRIES: usize = 100;

    /// Longest path, and longest symbol, that an edit can be of, in bytes.
    EDIT_BYTES: usize = 4_096;

    /// Tokens that the obligations of a turn are meant to take.
    OBLIGATION_TOKENS: usize = 5_000;
    /// Tokens that methodology may take.
    METHODOLOGY_TOKENS: usize = 2_000;

    /// Cosine from which a proposed rule is a duplicate.
    RULE_DUPLICATE: f32 = 0.95;
    /// Cosine from which a proposed rule says nothing new.
    RULE_KNOWN: f32 = 0.85;
    /// Observations that a proposed rule needs before it can be promoted.
    PROMOTION_OBSERVATIONS: u64 = 50;
    /// Lower bound of the 95 % Wilson interval of the share that helped from which it can be.
    PROMOTION_LOWER_BOUND: f64 = 0.65;

    /// Tokens that one assembly may take.
    ASSEMBLY_TOKENS: usize = 8_000;
    /// Tokens that the entries of one provider may take.
    PROVIDER_TOKENS: usize = 2_000;
    /// How long one provider may take.
    PROVIDER_TIMEOUT: Duration = Duration::from_secs(2);
    /// Longest time that a provider can ask for.
    PROVIDER_TIMEOUT_LIMIT: Duration = Duration::from_secs(3_600);
    /// Most tokens that a provider can ask for.
    PROVIDER_TOKENS_LIMIT: usize = 1_000_000;
    /// Most providers of one assembly.
    MOST_PROVIDERS: usize = 1_000;
    /// Longest warning of a provider, in characters.
    WARNING_CHARS: usize = 300;
    /// Most warnings that one provider can give.
    PROVIDER_WARNINGS: usize = 20;

    /// Bytes of a file of repository rules; a longer one is not read.
    RULE_FILE_BYTES: u64 = 262_144;
    /// Files of repository rules that are read.
    RULE_FILES: usize = 200;
    /// Folders of a repository that are searched for rules.
    RULE_FOLDERS: usize = 100_000;

    /// How long a writer waits for another.
    BUSY_TIMEOUT: Duration = Duration::from_secs(5);
    /// Longest time that a transaction may hold the write lock.
    TRANSACTION_LIMIT: Duration = Duration::from_secs(2);
    /// How far ahead of the last operation a clock may be that sees a lease ended.
    CLOCK_AHEAD: Duration = Duration::from_secs(5 * 60);
    /// Tasks that one look at what is ready lists where the call names no number.
    USUAL_READY_TASKS: usize = 20;
    /// Most tasks that one look at what is ready lists.
    READY_TASKS: usize = 1_000;
    /// Operations after which whoever writes brings the indexes up to date.
    TAIL_BOUND: u64 = 256;
    /// Age from which a handle counts as long-lived: it keeps the write-ahead log short.
    LONG_LIVED: Duration = Duration::from_secs(1);
    /// How long closing waits for a catch-up that is under way.
    CLOSE_WAIT: Duration = Duration::from_millis(20);
    /// Size of the write-ahead log from which a long-lived writer truncates it, in bytes.
    WAL_LONG_LIVED_BYTES: u64 = 16 * 1024 * 1024;
    /// Size of the write-ahead log from which any writer truncates it, in bytes.
    WAL_ANY_BYTES: u64 = 64 * 1024 * 1024;
}
