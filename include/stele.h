/*
 * stele: the project record that coding agents embed.
 *
 * Made by `cargo xtask header` from stele-ffi/src; change the sources, not this file.
 *
 * THE LAWS, for every function unless it says otherwise
 *
 * 1. What comes through `T **out` is yours: free it once, with the one function for its type. Every such function takes
 *    NULL. All else is borrowed from what it was read from, and good until that is freed.
 * 2. `*out` is untouched unless the status is STELE_OK. An `out` for a plain value may be NULL where the value is not
 *    wanted; an `out` for something that has to be freed may not.
 * 3. A fallible function gives STELE_OK or the kind of its error, and then puts an error object into `*err`, unless `err` is
 *    NULL. Pass the address of a pointer; it is overwritten, not freed. The object owns its message.
 * 4. Strings go in as pointer and length, UTF-8, without a NUL; { NULL, 0 } is empty, and empty stands for "not given" where
 *    a value may be left out. They are not kept: what they point to is yours again when the call returns. What is no UTF-8 is
 *    refused as "bad_text", naming the argument; within JSON half of a surrogate pair, as an escape, stands for U+FFFD.
 * 5. Structs that you fill, and structs that you have filled, begin with `struct_size`: set it to their sizeof. Fields that
 *    a newer release added are zero for an older program, and zero is always the default; what is kept for later use must be
 *    zero. A newer program may run with an older library as long as it leaves those fields zero. In an array of them all have
 *    one size.
 * 6. Flags are 0 or 1. Enumerations cross as int32_t; their numbers are never given to another member, and one that does
 *    not exist is refused.
 * 7. NULL for a handle is refused with STELE_INVALID; accessors give 0, false, -1 or an empty string for it.
 * 8. A handle may be used by any number of threads at once, if its type says so, and may move between threads. It must not
 *    be freed while a call on it runs.
 * 9. No panic, signal handler, logger or global state crosses this interface. A fault of the library is STELE_INTERNAL.
 * 10. Callbacks run on the thread of the call unless they say so, with no lock held, and keep nothing that they are given.
 *     They may call any function of this header, and must return normally: no exception, no longjmp. What is kept says so
 *     at its struct: from STELE_OK on it is the library's, which calls its `drop` once, on any thread, when it calls nothing
 *     else of it any more: after the record and all that was made from it are freed. Where the call that takes it fails,
 *     nothing is kept and `drop` is not called.
 * 11. Do not use in a child process what was opened before a fork: it answers STELE_CLOSED. Open the record again there.
 * 12. Losing a claim, running out of time and finding nothing are results, not errors.
 */

#ifndef STELE_H
#define STELE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a call ended: well, or with an error of a kind.
enum {
  STELE_OK = 0,
  STELE_INVALID = 1,
  STELE_NOT_FOUND = 2,
  STELE_CONFLICT = 3,
  STELE_BUSY = 4,
  STELE_CLOSED = 5,
  STELE_IO = 6,
  STELE_CORRUPT = 7,
  STELE_INCOMPATIBLE = 8,
  STELE_PROVIDER = 9,
  STELE_INTERNAL = 10
};

enum {
  STELE_ADVICE_KIND_NEAR_DUPLICATE = 0,
  STELE_ADVICE_KIND_MAY_CONTRADICT = 1,
  STELE_ADVICE_KIND_NO_TRIGGER = 2,
  STELE_ADVICE_KIND_NO_END = 3,
  STELE_ADVICE_KIND_OWN_OUTPUT = 4
};

enum {
  STELE_AGGRESSIVENESS_QUIET = 0,
  STELE_AGGRESSIVENESS_NORMAL = 1
};

enum {
  STELE_CATEGORY_DECISION = 0,
  STELE_CATEGORY_ARCHITECTURE = 1,
  STELE_CATEGORY_GOAL = 2,
  STELE_CATEGORY_RISK = 3,
  STELE_CATEGORY_LESSON = 4,
  STELE_CATEGORY_PRIORITY = 5,
  STELE_CATEGORY_GAP = 6,
  STELE_CATEGORY_FYI = 7,
  STELE_CATEGORY_OPPORTUNITY = 8
};

enum {
  STELE_CHANNEL_FLOOR = 0,
  STELE_CHANNEL_PUSH = 1,
  STELE_CHANNEL_PULL = 2
};

enum {
  STELE_DETAIL_FULL = 0,
  STELE_DETAIL_CUT = 1,
  STELE_DETAIL_LINE = 2
};

enum {
  STELE_DIRECTION_BOTH = 0,
  STELE_DIRECTION_OUT = 1,
  STELE_DIRECTION_IN = 2
};

enum {
  STELE_DURABILITY_FULL = 0,
  STELE_DURABILITY_NORMAL = 1
};

enum {
  STELE_FEEDBACK_HELPED = 0,
  STELE_FEEDBACK_HURT = 1
};

enum {
  STELE_FORMAT_TEXT = 0,
  STELE_FORMAT_JSON = 1
};

enum {
  STELE_GAP_KIND_TEXT = 0,
  STELE_GAP_KIND_MEANING = 1,
  STELE_GAP_KIND_WALK = 2,
  STELE_GAP_KIND_EDGES = 3,
  STELE_GAP_KIND_ENTRIES = 4,
  STELE_GAP_KIND_NAMED = 5,
  STELE_GAP_KIND_CALLOUTS = 6,
  STELE_GAP_KIND_BODIES = 7,
  STELE_GAP_KIND_SESSION = 8,
  STELE_GAP_KIND_TOKENS = 9
};

enum {
  STELE_IMPORT_PHASE_READING = 0,
  STELE_IMPORT_PHASE_CHECKING = 1,
  STELE_IMPORT_PHASE_APPENDING = 2,
  STELE_IMPORT_PHASE_DONE = 3
};

enum {
  STELE_KIND_KNOWLEDGE = 0,
  STELE_KIND_TASK = 1,
  STELE_KIND_RULE = 2,
  STELE_KIND_DOCUMENT = 3,
  STELE_KIND_DIAGRAM = 4,
  STELE_KIND_COMPONENT = 5
};

enum {
  STELE_KNOWN_STATED = 0,
  STELE_KNOWN_OBSERVED = 1,
  STELE_KNOWN_INFERRED = 2,
  STELE_KNOWN_IMPORTED = 3
};

enum {
  STELE_MOMENT_KIND_START = 0,
  STELE_MOMENT_KIND_EDIT = 1,
  STELE_MOMENT_KIND_OUTPUT = 2,
  STELE_MOMENT_KIND_COMPLETE = 3
};

enum {
  STELE_OUTCOME_INCLUDED = 0,
  STELE_OUTCOME_EMPTY = 1,
  STELE_OUTCOME_TURN_GATED = 2,
  STELE_OUTCOME_CAPABILITY_GATED = 3,
  STELE_OUTCOME_TIMED_OUT = 4,
  STELE_OUTCOME_FAILED = 5,
  STELE_OUTCOME_BUDGET_EXCLUDED = 6,
  STELE_OUTCOME_INVALID = 7
};

enum {
  STELE_POINT_PROMPT = 0,
  STELE_POINT_WRITE = 1,
  STELE_POINT_BASH = 2,
  STELE_POINT_STOP = 3
};

enum {
  STELE_PROVIDER_CATEGORY_RULES = 0,
  STELE_PROVIDER_CATEGORY_SKILLS = 1,
  STELE_PROVIDER_CATEGORY_MEMORY = 2,
  STELE_PROVIDER_CATEGORY_SYSTEM = 3
};

enum {
  STELE_REFUSAL_REASON_DUPLICATE = 0,
  STELE_REFUSAL_REASON_NOT_NOVEL = 1,
  STELE_REFUSAL_REASON_VAGUE = 2,
  STELE_REFUSAL_REASON_UNCHECKED = 3
};

enum {
  STELE_RELATION_FULFILLS = 0,
  STELE_RELATION_BLOCKS = 1,
  STELE_RELATION_SUPERSEDES = 2,
  STELE_RELATION_CAUSED_BY = 3,
  STELE_RELATION_CONTRADICTS = 4,
  STELE_RELATION_RELATES_TO = 5,
  STELE_RELATION_MENTIONS = 6,
  STELE_RELATION_EMBEDS = 7,
  STELE_RELATION_EXPIRES_ON = 8
};

enum {
  STELE_RESUME_ACTION_SKIP = 0,
  STELE_RESUME_ACTION_APPEND = 1,
  STELE_RESUME_ACTION_RUN = 2
};

enum {
  STELE_ROLE_CALLOUT = 0,
  STELE_ROLE_NAMED = 1,
  STELE_ROLE_HEAD = 2,
  STELE_ROLE_SEED = 3,
  STELE_ROLE_WALKED = 4,
  STELE_ROLE_CUED = 5
};

enum {
  STELE_RULE_SEVERITY_CRITICAL = 0,
  STELE_RULE_SEVERITY_HIGH = 1,
  STELE_RULE_SEVERITY_MEDIUM = 2,
  STELE_RULE_SEVERITY_LOW = 3
};

enum {
  STELE_SEARCH_MODE_HYBRID = 0,
  STELE_SEARCH_MODE_TEXT = 1,
  STELE_SEARCH_MODE_SEMANTIC = 2
};

enum {
  STELE_SEVERITY_ERROR = 0,
  STELE_SEVERITY_WARN = 1,
  STELE_SEVERITY_INFO = 2
};

enum {
  STELE_STATE_LIVE = 0,
  STELE_STATE_RETIRED = 1,
  STELE_STATE_EXPIRED = 2,
  STELE_STATE_RESOLVED = 3,
  STELE_STATE_ARCHIVED = 4
};

enum {
  STELE_STATUS_FOUND = 0,
  STELE_STATUS_ABSTAINED = 1,
  STELE_STATUS_EMPTY = 2,
  STELE_STATUS_SERVED = 3,
  STELE_STATUS_TOO_SHORT = 4,
  STELE_STATUS_PAUSED = 5,
  STELE_STATUS_LATE = 6
};

enum {
  STELE_TASK_STATUS_OPEN = 0,
  STELE_TASK_STATUS_CLAIMED = 1,
  STELE_TASK_STATUS_COMPLETED = 2,
  STELE_TASK_STATUS_CANCELLED = 3
};

enum {
  STELE_TASK_TYPE_TASK = 0,
  STELE_TASK_TYPE_EPIC = 1,
  STELE_TASK_TYPE_OBJECTIVE = 2,
  STELE_TASK_TYPE_MILESTONE = 3
};

enum {
  STELE_TIER_READ = 0,
  STELE_TIER_WRITE = 1,
  STELE_TIER_DESTRUCTIVE = 2
};

enum {
  STELE_TURN_POLICY_FIRST = 0,
  STELE_TURN_POLICY_ALL = 1
};

enum {
  STELE_VERDICT_HOLDS = 0,
  STELE_VERDICT_FAILS = 1,
  STELE_VERDICT_UNSURE = 2
};


// The version of this interface: it rises when a function or a field leaves or changes its meaning.
#define STELE_ABI_VERSION 1

// What a prompt gets. It outlives the record, and any number of threads may read it.
typedef struct stele_context_t stele_context_t;

// What went wrong. Any thread may read it.
typedef struct stele_error_t stele_error_t;

// The hits of a search. They outlive the record, and any number of threads may read them.
typedef struct stele_hits_t stele_hits_t;

// What the record says at a moment of a session. It outlives the record, and any number of threads may read it.
typedef struct stele_moment_t stele_moment_t;

// One node, whole. It outlives the record, and any number of threads may read it.
typedef struct stele_node_t stele_node_t;

// An assembly under way. One thread at a time: a second one gets STELE_INVALID.
typedef struct stele_plan_t stele_plan_t;

// The writing side of a record, bound to an actor and perhaps a session. Every verb is one operation, durable when it
// returns. Any number of threads may use it at once.
typedef struct stele_recorder_t stele_recorder_t;

// What a prompt or a question found. It outlives the record, and any number of threads may read it.
typedef struct stele_retrieval_t stele_retrieval_t;

// The reading side of a record: it cannot write, whatever is called on it. Any number of threads may use it at once.
typedef struct stele_retriever_t stele_retriever_t;

// The moments of one agent session: what the record has to say, and when. Any number of threads may use it at once, and
// processes may share the session.
typedef struct stele_session_t stele_session_t;

// Takes what a provider answers. It lives inside one callback, on one thread.
typedef struct stele_sink_t stele_sink_t;

// An open record. Any number of threads may use it at once. What is made from it keeps it in memory, and answers
// STELE_CLOSED once it is closed.
typedef struct stele_t stele_t;

// Text that somebody else owns: UTF-8 of `len` bytes, without a NUL at its end. `{ NULL, 0 }` is the empty text, which
// stands for "not given" where a value may be left out.
typedef struct {
  // The first byte; may be NULL if `len` is 0.
  const char *ptr;
  // How many bytes there are.
  size_t len;
} stele_str_t;

// The id of a node by value, such as "KNOW-12", with a NUL behind it; empty for none.
typedef struct {
  // The text with its NUL.
  char text[32];
} stele_id_t;

// Text that is the caller's, with a NUL behind its `len` bytes; freed with stele_buf_free.
typedef struct {
  // The first byte; NULL if it is empty.
  char *ptr;
  // How many bytes there are before the NUL.
  size_t len;
} stele_buf_t;

// How a call ended: STELE_OK, or the kind of its error.
typedef int32_t stele_status_t;

// Counts tokens as the host's model does; kept, see law 10. It is called on any thread, also several at once.
typedef struct {
  // sizeof(stele_token_counter_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // Whatever the host likes.
  void *ctx;
  // Puts into `tokens` how many a text of at most 16 KiB has. Gives 0, or another number if it failed: then the rest of that
  // answer is estimated, which it tells among its gaps or warnings.
  int32_t (*count)(void *ctx, stele_str_t text, size_t *tokens);
  // Takes ctx back; may be NULL.
  void (*drop)(void *ctx);
} stele_token_counter_t;

// Where the vectors of texts come from instead of the built-in embedder; kept, see law 10. Its functions are called on any
// thread, also several at once. The same text must give the same vector as long as the name stays the same.
typedef struct {
  // sizeof(stele_embedder_t).
  uint32_t struct_size;
  // How many numbers a vector has, 1 to 16,384.
  uint32_t dimensions;
  // Model and version; vectors of different names are never compared. It is copied.
  stele_str_t name;
  // Whatever the host likes.
  void *ctx;
  // Puts a vector for each text into `vectors`, one behind the other, which has room for them all and begins with zeros; a
  // vector of zeros says that a text means nothing. Gives 0, or another number if it failed: then search goes by words,
  // which the result tells as a gap, and the texts are asked for again later.
  int32_t (*embed)(void *ctx, const stele_str_t *texts, size_t texts_len, float *vectors);
  // Takes ctx back; may be NULL.
  void (*drop)(void *ctx);
  // How much the cosine counts beside the score of text search, 0 to 10, if has_weight is 1; 0.4 otherwise.
  float weight;
  // The cosine below which two texts count as unrelated, -1 to 1, if has_floor is 1; 0.35 otherwise.
  float floor;
  // 1 if the weight is given.
  uint8_t has_weight;
  // 1 if the floor is given.
  uint8_t has_floor;
  // 0. For later use.
  uint8_t reserved[6];
} stele_embedder_t;

// Where the time of what is written comes from instead of the system's clock; kept, see law 10. It is called on any thread,
// also several at once.
typedef struct {
  // sizeof(stele_clock_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // Whatever the host likes.
  void *ctx;
  // Gives the present in milliseconds since 1970.
  int64_t (*now_unix_ms)(void *ctx);
  // Takes ctx back; may be NULL.
  void (*drop)(void *ctx);
} stele_clock_t;

// How a record is opened; all zero is the default but for the path.
typedef struct {
  // sizeof(stele_open_options_t).
  uint32_t struct_size;
  // How long a writer waits for another, in milliseconds; 0: 5,000.
  uint32_t busy_timeout_ms;
  // The folder of the record; empty: ".stele".
  stele_str_t path;
  // 1: it is an error if there is no record yet.
  uint8_t no_create;
  // 1: nothing can be written through this handle.
  uint8_t read_only;
  // 1: search by words only, without the built-in embedder.
  uint8_t no_embedder;
  // 0. For later use.
  uint8_t reserved;
  // STELE_DURABILITY_...: what an acknowledged write survives.
  int32_t durability;
  // Gives the vectors instead of the built-in embedder; NULL for that.
  const stele_embedder_t *embedder;
  // Gives the time of what is written; NULL: the system's clock.
  const stele_clock_t *clock;
} stele_open_options_t;

// The condition of a record, in numbers. `stele_call(record, "health", ...)` says what was found.
typedef struct {
  // sizeof(stele_health_t), set by the caller.
  uint32_t struct_size;
  // 1 if nothing is worse than good to know.
  uint8_t ok;
  // 0. For later use.
  uint8_t reserved[3];
  // Findings that say that something cannot be relied on.
  uint32_t errors;
  // Findings that want a look.
  uint32_t warnings;
  // Findings that are good to know.
  uint32_t infos;
  // 0. For later use.
  uint32_t reserved2;
  // The number of operations in the log.
  uint64_t head;
} stele_health_t;

// How far an import has come.
typedef struct {
  // sizeof(stele_progress_t), set by the library.
  uint32_t struct_size;
  // STELE_IMPORT_PHASE_...: what is being done.
  int32_t phase;
  // Lines or files read so far.
  uint64_t lines;
  // Bytes read so far.
  uint64_t bytes;
  // Bytes that there are, if has_total_bytes is 1.
  uint64_t total_bytes;
  // Faults found so far.
  uint64_t faults;
  // 1 if it is known how many bytes there are.
  uint8_t has_total_bytes;
  // 0. For later use.
  uint8_t reserved[7];
} stele_progress_t;

// Follows an import: it is called back on the thread of the call, about every 1,000 lines or 100 files, with no lock held. `watch` gives 0,
// or another number to stop the import, which then calls no more; it may call anything of this header, closing the record
// among it.
typedef struct {
  // sizeof(stele_watcher_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // Whatever the host likes.
  void *ctx;
  // Hears how far it is.
  int32_t (*watch)(void *ctx, const stele_progress_t *progress);
} stele_watcher_t;

// What a judge is asked about: a node that is said to have replaced another. Texts are borrowed until the judge returns.
typedef struct {
  // sizeof(stele_retirement_t), set by the library.
  uint32_t struct_size;
  // Whether the evidence still stands where it was found: 1 it does, 0 it does not; -1: that cannot be read again.
  int32_t verbatim;
  // What replaced the other.
  stele_id_t newer;
  // What was replaced.
  stele_id_t older;
  // The title of the newer.
  stele_str_t newer_title;
  // Its body.
  stele_str_t newer_body;
  // The title of the older.
  stele_str_t older_title;
  // Its body.
  stele_str_t older_body;
  // Which standing state is said to have ended; may be empty.
  stele_str_t reason;
  // The line that is said to show it; may be empty.
  stele_str_t evidence;
} stele_retirement_t;

// Says whether a retirement holds: it is called back on the thread of the call, for one after another, with no lock held.
// `judge` puts STELE_VERDICT_... into `verdict` and gives 0, or another number if it failed; then it is asked no more, the sweep
// is STELE_PROVIDER and nothing is applied. It may call anything of this header, closing the record among it.
typedef struct {
  // sizeof(stele_judge_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // Whatever the host likes.
  void *ctx;
  // Judges one retirement; the verdict is STELE_VERDICT_UNSURE unless it says another.
  int32_t (*judge)(void *ctx, const stele_retirement_t *retirement, int32_t *verdict);
} stele_judge_t;

// A place in the project.
typedef struct {
  // A file or glob, relative to the project, with forward slashes.
  stele_str_t path;
  // A symbol in that file; may be empty.
  stele_str_t symbol;
} stele_anchor_t;

// A fact to be recorded; all zero but the category and the title is a fact.
typedef struct {
  // sizeof(stele_fact_t).
  uint32_t struct_size;
  // STELE_CATEGORY_....
  int32_t category;
  // 1 to 500 characters.
  stele_str_t title;
  // At most 64 KiB.
  stele_str_t body;
  // Another name for it.
  stele_str_t alias;
  // The component that it sits under, by id or alias.
  stele_str_t component;
  // Where it comes from.
  stele_str_t source_uri;
  // The line there that says it, word for word.
  stele_str_t source_quote;
  // The revision of it that was read.
  stele_str_t source_revision;
  // The task whose completion resolves it, by id or alias.
  stele_str_t resolves_with;
  // Its tags.
  const stele_str_t *tags;
  // How many there are.
  size_t tags_len;
  // The places that it is about.
  const stele_anchor_t *anchors;
  // How many there are.
  size_t anchors_len;
  // When it came to be, where that was not now; 0: now.
  int64_t created_at_unix_ms;
  // From when on it is expired; 0: never.
  int64_t expires_at_unix_ms;
  // From when on it wants a look; 0: never.
  int64_t review_at_unix_ms;
  // 1 accepts text that looks like a credential.
  uint8_t allow_secrets;
  // 0. For later use.
  uint8_t reserved[7];
} stele_fact_t;

// A task to be recorded; all zero but the title is a task.
typedef struct {
  // sizeof(stele_task_t).
  uint32_t struct_size;
  // STELE_TASK_TYPE_....
  int32_t type;
  // 1 to 500 characters.
  stele_str_t title;
  // At most 64 KiB.
  stele_str_t body;
  // How one can tell that it is done.
  stele_str_t success_criteria;
  // Another name for it.
  stele_str_t alias;
  // The component that it sits under, by id or alias.
  stele_str_t component;
  // Its tags.
  const stele_str_t *tags;
  // How many there are.
  size_t tags_len;
  // 1 if the priority is given; else it is 2.
  uint8_t has_priority;
  // 0 (highest) to 4.
  uint8_t priority;
  // 1 accepts text that looks like a credential.
  uint8_t allow_secrets;
  // 0. For later use.
  uint8_t reserved[5];
} stele_task_t;

// How a call for a task ended: granted, or held by somebody else.
typedef struct {
  // sizeof(stele_claim_t), set by the caller.
  uint32_t struct_size;
  // 1 if the caller has the task now.
  uint8_t granted;
  // 0. For later use.
  uint8_t reserved[3];
  // Since when it is held.
  int64_t since_unix_ms;
  // Until when, if the claim ends by itself; else 0.
  int64_t until_unix_ms;
  // Who presents it acts as the holder; 0 if it was not granted.
  uint64_t token;
  // The task.
  stele_id_t task;
  // Who has it, with a NUL behind it, cut at 255 bytes.
  char holder[256];
} stele_claim_t;

// What is looked up for a prompt; all zero but the prompt is the default.
typedef struct {
  // sizeof(stele_query_t).
  uint32_t struct_size;
  // Entries of the window, 1 to 20; 0: 20.
  uint32_t max_entries;
  // The prompt.
  stele_str_t prompt;
  // What this session was served is left out; empty: no session.
  stele_str_t session;
  // Time for the whole call; 0: 8,000.
  uint32_t deadline_ms;
  // Time for the walk inside it; 0: 6,000.
  uint32_t walk_budget_ms;
  // Limit of the text in tokens, estimated unless the host counts them; 0: none.
  uint32_t max_tokens;
  // How far the walk goes, 1 to 3; 0: 1; -1: no walk.
  int32_t hops;
  // The instant at which states and ages are told; 0: now.
  int64_t now_unix_ms;
  // 1 notes at once that the session was served the result.
  uint8_t deliver;
  // 0. For later use.
  uint8_t reserved[7];
} stele_query_t;

// What is searched for; all zero but the query is the default.
typedef struct {
  // sizeof(stele_search_t).
  uint32_t struct_size;
  // STELE_SEARCH_MODE_....
  int32_t mode;
  // The query: any text, there is no syntax.
  stele_str_t query;
  // Nodes under this component only, by id or alias.
  stele_str_t component;
  // Nodes with any of these tags only.
  const stele_str_t *tags;
  // How many there are.
  size_t tags_len;
  // Nodes of these kinds only, STELE_KIND_....
  const int32_t *kinds;
  // How many there are.
  size_t kinds_len;
  // Facts of these categories only, STELE_CATEGORY_....
  const int32_t *categories;
  // How many there are.
  size_t categories_len;
  // Nodes in these states only, STELE_STATE_....
  const int32_t *states;
  // How many there are.
  size_t states_len;
  // Nodes that came to be from then on only; 0: any.
  int64_t since_unix_ms;
  // Nodes that came to be before then only; 0: any.
  int64_t until_unix_ms;
  // Hits, 1 to 1,000; 0: 10.
  uint32_t limit;
  // Time for the call; 0: 8,000.
  uint32_t deadline_ms;
} stele_search_t;

// One node in a window. Texts are borrowed from what it was read from. Numbers that do not apply are -1.
typedef struct {
  // sizeof(stele_entry_t), set by the caller.
  uint32_t struct_size;
  // STELE_KIND_....
  int32_t kind;
  // STELE_CATEGORY_..., for facts.
  int32_t category;
  // STELE_STATE_....
  int32_t state;
  // STELE_TASK_STATUS_..., for tasks.
  int32_t task_status;
  // STELE_ROLE_...: why it stands here.
  int32_t role;
  // STELE_RELATION_... of the edge into it.
  int32_t via;
  // STELE_DETAIL_...: how much of it is shown.
  int32_t detail;
  // How many edges lie between it and what was found or named.
  uint32_t hops;
  // Its place among the seeds, from 1; 0 if it is none.
  uint32_t seed_rank;
  // Its score.
  float score;
  // Its share of the text, in tokens, estimated unless the host counts them.
  uint32_t tokens;
  // Its id.
  stele_id_t id;
  // The node that the edge into it comes from; may be empty.
  stele_id_t from;
  // What replaced it, the first of them; may be empty.
  stele_id_t replaced_by;
  // Its title.
  stele_str_t title;
  // What is shown of its body.
  stele_str_t body;
  // Which standing state ended, if it replaced a node or was replaced.
  stele_str_t reason;
  // The line that shows it.
  stele_str_t evidence;
  // Its score as a sum, in one line.
  stele_str_t explain;
} stele_entry_t;

// One hit of a search. Texts are borrowed from the hits.
typedef struct {
  // sizeof(stele_hit_t), set by the caller.
  uint32_t struct_size;
  // STELE_KIND_....
  int32_t kind;
  // STELE_CATEGORY_..., for facts; else -1.
  int32_t category;
  // STELE_STATE_....
  int32_t state;
  // Its place among the hits by words, from 1; 0 if it is none.
  uint32_t text_rank;
  // Its place among the hits by meaning, from 1; 0 if it is none.
  uint32_t semantic_rank;
  // Its score, higher is better.
  float score;
  // 0. For later use.
  uint32_t reserved;
  // The node.
  stele_id_t id;
  // Its title.
  stele_str_t title;
  // The part of its text that answers best.
  stele_str_t snippet;
} stele_hit_t;

// What a node says. Texts are borrowed from the node. `stele_call(record, "get", ...)` gives all of it.
typedef struct {
  // sizeof(stele_node_view_t), set by the caller.
  uint32_t struct_size;
  // STELE_KIND_....
  int32_t kind;
  // STELE_CATEGORY_..., for facts; else -1.
  int32_t category;
  // STELE_STATE_....
  int32_t state;
  // STELE_TASK_STATUS_..., for tasks; else -1.
  int32_t task_status;
  // 0. For later use.
  uint32_t reserved;
  // Counts its revisions, from 1.
  uint64_t revision;
  // When it came to be.
  int64_t created_at_unix_ms;
  // When it last changed.
  int64_t updated_at_unix_ms;
  // When somebody last confirmed it; 0: never.
  int64_t verified_at_unix_ms;
  // Its id.
  stele_id_t id;
  // Its title.
  stele_str_t title;
  // Its body, whole.
  stele_str_t body;
  // Who wrote it first.
  stele_str_t actor;
} stele_node_view_t;

// How a session is taken up; all zero but the name is the default.
typedef struct {
  // sizeof(stele_session_options_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // Its name.
  stele_str_t name;
  // Its mode; empty: the one that it has, "work" for a new one.
  stele_str_t mode;
  // Whose it is, so that its start tells what that actor holds in any session.
  stele_str_t actor;
  // The folder that anchors are relative to; empty: the folder around the record's.
  stele_str_t root;
  // Tokens that the record may take of the session; 0: no limit is set.
  uint64_t token_budget;
} stele_session_options_t;

// How context is assembled; all zero but the prompt is the default.
typedef struct {
  // sizeof(stele_assembly_t).
  uint32_t struct_size;
  // STELE_POINT_...: where the rules are injected.
  int32_t point;
  // The prompt.
  stele_str_t prompt;
  // What this session was served is left out; empty: no session. Only for assemblies of a record.
  stele_str_t session;
  // The mode of this call; empty: the session's.
  stele_str_t mode;
  // What is about to be done.
  stele_str_t action;
  // The project's folder, for skills and the rules of the repository; empty: neither is looked for.
  stele_str_t root;
  // What the request is capable of.
  const stele_str_t *capabilities;
  // How many there are.
  size_t capabilities_len;
  // The built-in providers that are on; with "-" before every name, those that are off; none: all are on.
  const stele_str_t *builtin;
  // How many there are.
  size_t builtin_len;
  // Skills that are selected.
  const stele_str_t *select_skills;
  // How many there are.
  size_t select_skills_len;
  // The turn, if has_turn is 1.
  uint64_t turn;
  // The instant that ages are told from; 0: now.
  int64_t now_unix_ms;
  // Limit of the whole text in tokens, estimated unless the host counts them; 0: 8,000.
  uint32_t token_budget;
  // Time for the whole call; 0: 8,000.
  uint32_t deadline_ms;
  // Entries of the window, 1 to 20; 0: 20.
  uint32_t max_entries;
  // Limit of the window in tokens, estimated unless the host counts them; 0: none.
  uint32_t max_tokens;
  // How far the walk goes, 1 to 3; 0: 1; -1: no walk.
  int32_t hops;
  // Whether it counts as delivered at once: 1 it does, -1 it does not; 0: a prompt of a session does.
  int32_t deliver;
  // 1 if the turn is given.
  uint8_t has_turn;
  // 1: a provider that fails is an error of the whole call.
  uint8_t strict;
  // 1: every built-in provider but the obligations is off.
  uint8_t no_builtin;
  // 0. For later use.
  uint8_t reserved[5];
} stele_assembly_t;

// How a provider declares itself.
typedef struct {
  // sizeof(stele_declaration_t).
  uint32_t struct_size;
  // STELE_PROVIDER_CATEGORY_...: what it gives.
  int32_t category;
  // Its name, which no other provider of the call has.
  stele_str_t name;
  // Capabilities without which it is not asked.
  const stele_str_t *capabilities;
  // How many there are.
  size_t capabilities_len;
  // STELE_TURN_POLICY_...: in which turns it is asked.
  int32_t turns;
  // How long it may take; 0: 2,000.
  uint32_t timeout_ms;
  // Tokens that its entries may take; 0: 2,000.
  uint32_t token_budget;
  // 0. For later use.
  uint32_t reserved;
  // Its place among those of its category, lowest first.
  int64_t position;
} stele_declaration_t;

// What a provider is asked. Texts are borrowed: in a callback until it returns, from a plan until that is freed.
typedef struct {
  // sizeof(stele_request_t); set by the caller of stele_plan_next, by the library for a callback.
  uint32_t struct_size;
  // By which a plan is answered.
  uint32_t index;
  // The provider.
  stele_str_t provider;
  // The prompt.
  stele_str_t prompt;
  // The session; may be empty.
  stele_str_t session;
  // The mode.
  stele_str_t mode;
  // What is about to be done; may be empty.
  stele_str_t action;
  // The turn, from 0.
  uint64_t turn;
  // The instant that ages are told from.
  int64_t now_unix_ms;
  // STELE_POINT_....
  int32_t point;
  // Tokens that the entries may take.
  uint32_t token_budget;
  // The time that is left for an answer.
  uint32_t remaining_ms;
  // 0. For later use.
  uint32_t reserved;
} stele_request_t;

// A provider that is called back: on the thread of the call, one after another, with no lock held. `ctx` stays the host's
// and is passed on. `fetch` gives 0, or another number if it failed; it may call anything of this header, closing the
// record among it, and must let no exception out.
typedef struct {
  // sizeof(stele_provider_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // How it declares itself.
  const stele_declaration_t *declaration;
  // Whatever the host likes.
  void *ctx;
  // Answers a request through the sink.
  int32_t (*fetch)(void *ctx, const stele_request_t *request, stele_sink_t *sink);
} stele_provider_t;

// A part of a context as a model reads it. Texts are borrowed from the context.
typedef struct {
  // sizeof(stele_section_t), set by the caller.
  uint32_t struct_size;
  // STELE_PROVIDER_CATEGORY_....
  int32_t category;
  // The provider that it comes from.
  stele_str_t provider;
  // Its text.
  stele_str_t text;
  // The text in tokens, estimated unless the host counts them.
  uint32_t tokens;
  // 0. For later use.
  uint32_t reserved;
} stele_section_t;

// How one provider ended. Texts are borrowed from the context.
typedef struct {
  // sizeof(stele_outcome_t), set by the caller.
  uint32_t struct_size;
  // STELE_PROVIDER_CATEGORY_....
  int32_t category;
  // STELE_OUTCOME_....
  int32_t result;
  // Entries that stand in the context.
  uint32_t entries;
  // What they take, in tokens, estimated unless the host counts them.
  uint32_t tokens;
  // How long it took.
  uint32_t ms;
  // Its name.
  stele_str_t provider;
  // Why, in words; may be empty.
  stele_str_t reason;
} stele_outcome_t;

// One thing that a provider gives; all zero but the text is an entry.
typedef struct {
  // sizeof(stele_provider_entry_t).
  uint32_t struct_size;
  // 0. For later use.
  uint32_t reserved;
  // What a model reads.
  stele_str_t text;
  // Where it comes from.
  stele_str_t source_uri;
  // The line there that says it, word for word.
  stele_str_t source_quote;
  // The revision of it that was read.
  stele_str_t source_revision;
  // The repository, customer or the like that it is limited to.
  stele_str_t applies_to;
  // When it was fetched; 0: not said.
  int64_t fetched_at_unix_ms;
  // From when on it has to be read again; 0: not said.
  int64_t review_at_unix_ms;
} stele_provider_entry_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The interface that the library has; compare it with STELE_ABI_VERSION, which the program was compiled with.
uint32_t stele_abi_version(void);

// The release, such as "0.1.0"; it is never freed.
const char *stele_version(void);

// Text of a string that ends with NUL, which it borrows; empty for NULL.
stele_str_t stele_str(const char *text);

// Text of an id, which it borrows; empty for NULL.
stele_str_t stele_id_str(const stele_id_t *id);

// Frees a buffer and makes it empty, so that freeing it again is fine; so is NULL.
void stele_buf_free(stele_buf_t *buf);

// What to do next: one of STELE_INVALID to STELE_INTERNAL; STELE_OK for NULL.
stele_status_t stele_error_kind(const stele_error_t *error);

// The stable word for the way in which it failed, such as "unknown_node"; borrowed from the error.
stele_str_t stele_error_code(const stele_error_t *error);

// What happened and what to do about it, in words that may change; borrowed from the error.
stele_str_t stele_error_message(const stele_error_t *error);

// True if the same call may succeed later without a change by the caller.
bool stele_error_retryable(const stele_error_t *error);

// One detail by name, such as "field"; empty if there is none, borrowed from the error.
stele_str_t stele_error_detail(const stele_error_t *error, stele_str_t name);

// The error as a JSON object: kind, code, message, remedy, details.
stele_status_t stele_error_json(const stele_error_t *error, stele_buf_t *out, stele_error_t **err);

// Frees an error; NULL is fine.
void stele_error_free(stele_error_t *error);

// Counts tokens with the host's own counter wherever this handle keeps a budget, from the next call on. One that was set
// before is given back when no call uses it any more.
stele_status_t stele_set_token_counter(const stele_t *record,
                                       const stele_token_counter_t *counter,
                                       stele_error_t **err);

// Opens the record in a folder, and makes it if there is none.
stele_status_t stele_open(const stele_open_options_t *options, stele_t **out, stele_error_t **err);

// Closes a record: later calls, on it and on what was made from it, answer STELE_CLOSED. Closing again is fine.
stele_status_t stele_close(const stele_t *record,
                           stele_error_t **err);

// Closes a record and frees its handle; NULL is fine.
void stele_free(stele_t *record);

// Gives the number of operations in the log.
stele_status_t stele_head(const stele_t *record, uint64_t *out, stele_error_t **err);

// Says what condition the record is in. `full` 1 reads every byte of the log and of the indexes and compares facts by
// meaning; 0 does not.
stele_status_t stele_health(const stele_t *record,
                            uint8_t full,
                            stele_health_t *out,
                            stele_error_t **err);

// Calls a verb with a JSON object of arguments, which may be empty, and gives its result as JSON. Every verb can be called
// so; docs/verbs.md lists them with their arguments.
stele_status_t stele_call(const stele_t *record,
                          stele_str_t verb,
                          stele_str_t arguments,
                          stele_buf_t *out,
                          stele_error_t **err);

// As stele_call, for a verb of recorders, by the actor and session of this one.
stele_status_t stele_recorder_call(const stele_recorder_t *recorder,
                                   stele_str_t verb,
                                   stele_str_t arguments,
                                   stele_buf_t *out,
                                   stele_error_t **err);

// Gives the tools for an agent that may go up to a tier, as a JSON list of name, description, input_schema and tier.
stele_status_t stele_tools(const stele_t *record,
                           int32_t tier,
                           stele_buf_t *out,
                           stele_error_t **err);

// Calls a tool with a JSON object of arguments, for an actor in a session (which may be empty), up to a tier; gives its
// result as a JSON object.
stele_status_t stele_call_tool(const stele_t *record,
                               stele_str_t name,
                               stele_str_t arguments,
                               stele_str_t actor,
                               stele_str_t session,
                               int32_t tier,
                               stele_buf_t *out,
                               stele_error_t **err);

// Estimates how many tokens a text has; 0 for what is no text.
size_t stele_tokens(stele_str_t text);

// Calls `import_jsonl`, `import_adr` or `import_beads` as stele_call does, with a watcher, or NULL for none. The report of one
// that was stopped says `"applied":false`: nothing was written. It is true if it was stopped too late.
stele_status_t stele_import(const stele_t *record,
                            stele_str_t verb,
                            stele_str_t arguments,
                            const stele_watcher_t *watcher,
                            stele_buf_t *out,
                            stele_error_t **err);

// Judges every retirement, with NULL by the built-in judge, and gives what was said as JSON, as the verb `sweep` does. With
// `apply` 1, in the name of `actor`, those that fail become mere connections and the buried facts are live again.
stele_status_t stele_sweep(const stele_t *record,
                           const stele_judge_t *judge,
                           uint8_t apply,
                           stele_str_t actor,
                           stele_buf_t *out,
                           stele_error_t **err);

// Gives the writing side, bound to an actor and, unless it is empty, a session.
stele_status_t stele_recorder_new(const stele_t *record,
                                  stele_str_t actor,
                                  stele_str_t session,
                                  stele_recorder_t **out,
                                  stele_error_t **err);

// Frees a recorder; NULL is fine.
void stele_recorder_free(stele_recorder_t *recorder);

// Records a fact and gives its id. `stele_recorder_call(recorder, "fact", ...)` gives advice beside it.
stele_status_t stele_fact(const stele_recorder_t *recorder,
                          const stele_fact_t *fact,
                          stele_id_t *out,
                          stele_error_t **err);

// Records a task and gives its id.
stele_status_t stele_task(const stele_recorder_t *recorder,
                          const stele_task_t *task,
                          stele_id_t *out,
                          stele_error_t **err);

// Joins two nodes, each given by id or alias: from relation to. The reason may be empty.
stele_status_t stele_link(const stele_recorder_t *recorder,
                          stele_str_t from,
                          int32_t relation,
                          stele_str_t to,
                          stele_str_t reason,
                          stele_error_t **err);

// Retires `older` in favour of `newer`: it was a standing state, and it ended. The evidence is quoted word for word from
// one of the two, from its source, or from `source_text`, which may be empty.
stele_status_t stele_supersede(const stele_recorder_t *recorder,
                               stele_str_t newer,
                               stele_str_t older,
                               stele_str_t reason,
                               stele_str_t evidence,
                               stele_str_t source_text,
                               stele_error_t **err);

// Claims a task, or renews a claim on it with its token (else 0). A lease of 0 has no end. Losing is no error: `granted` is
// 0 and the holder is named.
stele_status_t stele_claim(const stele_recorder_t *recorder,
                           stele_str_t task,
                           uint64_t token,
                           uint32_t lease_ms,
                           stele_claim_t *out,
                           stele_error_t **err);

// Gives a claimed task back: for its holder, or whoever has the token of the claim.
stele_status_t stele_release(const stele_recorder_t *recorder,
                             stele_str_t task,
                             uint64_t token,
                             stele_error_t **err);

// Ends a task as done: for its holder, or whoever has the token of the claim (else 0).
stele_status_t stele_complete(const stele_recorder_t *recorder,
                              stele_str_t task,
                              uint64_t token,
                              stele_str_t summary,
                              stele_error_t **err);

// Gives the reading side: at the head for 0, else as of that operation of the log.
stele_status_t stele_retriever_new(const stele_t *record,
                                   uint64_t as_of,
                                   stele_retriever_t **out,
                                   stele_error_t **err);

// Frees a retriever; NULL is fine.
void stele_retriever_free(stele_retriever_t *retriever);

// Looks up what the record holds that bears on a prompt. Running out of time and finding nothing are no errors.
stele_status_t stele_retrieve(const stele_retriever_t *retriever,
                              const stele_query_t *query,
                              stele_retrieval_t **out,
                              stele_error_t **err);

// Finds the nodes that answer a query best. Where time runs out, it gives what was found by then, and nothing in a list of
// hits says so: `stele_retrieve` does.
stele_status_t stele_search(const stele_retriever_t *retriever,
                            const stele_search_t *search,
                            stele_hits_t **out,
                            stele_error_t **err);

// Gives a node by id or alias, whatever its state.
stele_status_t stele_get(const stele_retriever_t *retriever,
                         stele_str_t id,
                         stele_node_t **out,
                         stele_error_t **err);

// Writes a task out for whoever continues it.
stele_status_t stele_handoff(const stele_retriever_t *retriever,
                             stele_str_t task,
                             stele_buf_t *out,
                             stele_error_t **err);

// How it ended: STELE_STATUS_...; -1 for NULL.
int32_t stele_retrieval_status(const stele_retrieval_t *retrieval);

// The text for a model; borrowed from the retrieval.
stele_str_t stele_retrieval_text(const stele_retrieval_t *retrieval);

// How many entries there are; 0 for NULL.
size_t stele_retrieval_len(const stele_retrieval_t *retrieval);

// Reads an entry, from 0; false if there is none or `out` is not fit.
bool stele_retrieval_entry(const stele_retrieval_t *retrieval, size_t at, stele_entry_t *out);

// How many risks stand apart; 0 for NULL.
size_t stele_retrieval_callouts_len(const stele_retrieval_t *retrieval);

// Reads a risk that stands apart, from 0; false if there is none or `out` is not fit.
bool stele_retrieval_callout(const stele_retrieval_t *retrieval, size_t at, stele_entry_t *out);

// What it did not get to: bit n stands for the member of STELE_GAP_KIND_... whose number is n; 0 for NULL.
uint32_t stele_retrieval_gaps(const stele_retrieval_t *retrieval);

// Writes a retrieval out, as STELE_FORMAT_TEXT or STELE_FORMAT_JSON.
stele_status_t stele_retrieval_render(const stele_retrieval_t *retrieval,
                                      int32_t format,
                                      stele_buf_t *out,
                                      stele_error_t **err);

// Frees a retrieval; NULL is fine.
void stele_retrieval_free(stele_retrieval_t *retrieval);

// How many hits there are; 0 for NULL.
size_t stele_hits_len(const stele_hits_t *hits);

// Reads a hit, from 0; false if there is none or `out` is not fit.
bool stele_hits_get(const stele_hits_t *hits, size_t at, stele_hit_t *out);

// Frees hits; NULL is fine.
void stele_hits_free(stele_hits_t *hits);

// Reads what a node says; false for NULL or if `out` is not fit.
bool stele_node_view(const stele_node_t *node, stele_node_view_t *out);

// Frees a node; NULL is fine.
void stele_node_free(stele_node_t *node);

// Takes a session up, or begins it.
stele_status_t stele_session_new(const stele_t *record,
                                 const stele_session_options_t *options,
                                 stele_session_t **out,
                                 stele_error_t **err);

// Frees a session; NULL is fine.
void stele_session_free(stele_session_t *session);

// Tells a session that starts or goes on what it holds, where it stopped, and what others did since.
stele_status_t stele_on_start(const stele_session_t *session, stele_moment_t **out, stele_error_t **err);

// Tells what is anchored to a path, and to a symbol in it, which may be empty; before the first edit also a nudge.
stele_status_t stele_on_edit(const stele_session_t *session,
                             stele_str_t path,
                             stele_str_t symbol,
                             stele_moment_t **out,
                             stele_error_t **err);

// Tells the lessons and risks a literal trigger of which stands in what a tool printed.
stele_status_t stele_on_output(const stele_session_t *session,
                               stele_str_t text,
                               stele_moment_t **out,
                               stele_error_t **err);

// Around completion of a task, or of those that the session holds if it is empty: the facts that the work may have ended.
stele_status_t stele_on_complete(const stele_session_t *session,
                                 stele_str_t task,
                                 stele_moment_t **out,
                                 stele_error_t **err);

// Answers a prompt: obligations, ways of working, the window of the record, and what providers give. Counts the turn.
stele_status_t stele_on_prompt(const stele_session_t *session,
                               const stele_assembly_t *assembly,
                               const stele_provider_t *providers,
                               size_t providers_len,
                               stele_context_t **out,
                               stele_error_t **err);

// Notes that a context reached the session's model: what it holds does not come again before it changes.
stele_status_t stele_delivered_context(const stele_session_t *session,
                                       const stele_context_t *context,
                                       stele_error_t **err);

// Notes that a moment reached the session's model.
stele_status_t stele_delivered_moment(const stele_session_t *session,
                                      const stele_moment_t *moment,
                                      stele_error_t **err);

// Notes that a retrieval reached the session's model.
stele_status_t stele_delivered_retrieval(const stele_session_t *session,
                                         const stele_retrieval_t *retrieval,
                                         stele_error_t **err);

// Notes that the model's memory of the session was compacted: what was served may come again.
stele_status_t stele_compacted(const stele_session_t *session, stele_error_t **err);

// Begins a phase of the work: what was served may come again.
stele_status_t stele_new_phase(const stele_session_t *session, stele_error_t **err);

// Changes the mode; if it is another one, what was served may come again.
stele_status_t stele_set_mode(const stele_session_t *session, stele_str_t mode, stele_error_t **err);

// Gives how many prompts it had, or the turn after the last that the host counted.
stele_status_t stele_turn(const stele_session_t *session, uint64_t *out, stele_error_t **err);

// Keeps still for so many prompts; obligations still arrive. 0 ends a pause.
stele_status_t stele_pause(const stele_session_t *session, uint64_t turns, stele_error_t **err);

// Sets how much of the record the session wants: STELE_AGGRESSIVENESS_....
stele_status_t stele_set_aggressiveness(const stele_session_t *session, int32_t amount, stele_error_t **err);

// The text for a model; borrowed from the context.
stele_str_t stele_context_text(const stele_context_t *context);

// SHA-256 of the text's bytes, in hexadecimal; borrowed from the context.
stele_str_t stele_context_digest(const stele_context_t *context);

// The id of the item that carries the text; empty in the first turn and for an empty text; borrowed from the context.
stele_str_t stele_context_item_id(const stele_context_t *context);

// The turn that it belongs to, from 0.
uint64_t stele_context_turn(const stele_context_t *context);

// The text in tokens, estimated unless the host counts them.
size_t stele_context_tokens(const stele_context_t *context);

// How many sections there are; 0 for NULL.
size_t stele_context_sections_len(const stele_context_t *context);

// Reads a section, from 0; false if there is none or `out` is not fit.
bool stele_context_section(const stele_context_t *context, size_t at, stele_section_t *out);

// How many providers there were; 0 for NULL.
size_t stele_context_outcomes_len(const stele_context_t *context);

// Reads how a provider ended, from 0; false if there is none or `out` is not fit.
bool stele_context_outcome(const stele_context_t *context, size_t at, stele_outcome_t *out);

// How many warnings there are; 0 for NULL.
size_t stele_context_warnings_len(const stele_context_t *context);

// A warning, from 0; empty if there is none; borrowed from the context.
stele_str_t stele_context_warning(const stele_context_t *context, size_t at);

// The window of the record in it, whatever its status; borrowed from the context, so it is not freed. NULL for NULL.
const stele_retrieval_t *stele_context_record(const stele_context_t *context);

// Writes a context out: its text, or all of it as JSON.
stele_status_t stele_render(const stele_context_t *context,
                            int32_t format,
                            stele_buf_t *out,
                            stele_error_t **err);

// Frees a context; NULL is fine.
void stele_context_free(stele_context_t *context);

// The text for a model, empty if there is nothing to say; borrowed from the moment.
stele_str_t stele_moment_text(const stele_moment_t *moment);

// What to do, said once a session; may be empty; borrowed from the moment.
stele_str_t stele_moment_nudge(const stele_moment_t *moment);

// How many entries there are; 0 for NULL.
size_t stele_moment_len(const stele_moment_t *moment);

// Reads an entry, from 0; false if there is none or `out` is not fit.
bool stele_moment_entry(const stele_moment_t *moment, size_t at, stele_entry_t *out);

// How many risks stand apart; 0 for NULL.
size_t stele_moment_callouts_len(const stele_moment_t *moment);

// Reads a risk that stands apart, from 0; false if there is none or `out` is not fit.
bool stele_moment_callout(const stele_moment_t *moment, size_t at, stele_entry_t *out);

// Frees a moment; NULL is fine.
void stele_moment_free(stele_moment_t *moment);

// Adds an entry that is only text, which is copied. Text that is none is a fault of the provider.
stele_status_t stele_sink_write(stele_sink_t *sink, stele_str_t text);

// Adds an entry, which is copied.
stele_status_t stele_sink_entry(stele_sink_t *sink, const stele_provider_entry_t *entry);

// Adds a line that a reader of the context must see beside the entries; it is copied.
stele_status_t stele_sink_warn(stele_sink_t *sink, stele_str_t warning);

// Says that the provider cannot answer, and why; it is copied.
stele_status_t stele_sink_fail(stele_sink_t *sink, stele_str_t reason);

// Assembles the context of a prompt: obligations, ways of working, the window of the record, and what providers give.
stele_status_t stele_assemble(const stele_t *record,
                              const stele_assembly_t *assembly,
                              const stele_provider_t *providers,
                              size_t providers_len,
                              stele_context_t **out,
                              stele_error_t **err);

// Begins an assembly with providers that the host asks itself. Built-in providers run meanwhile.
stele_status_t stele_plan_new(const stele_t *record,
                              const stele_assembly_t *assembly,
                              const stele_declaration_t *declarations,
                              size_t declarations_len,
                              stele_plan_t **out,
                              stele_error_t **err);

// Begins to answer a prompt of a session; stele_plan_finish counts the turn.
stele_status_t stele_session_plan(const stele_session_t *session,
                                  const stele_assembly_t *assembly,
                                  const stele_declaration_t *declarations,
                                  size_t declarations_len,
                                  stele_plan_t **out,
                                  stele_error_t **err);

// Gives out the next request. `*more` is false once all have been, and then `*out` is untouched.
stele_status_t stele_plan_next(stele_plan_t *plan, stele_request_t *out, bool *more, stele_error_t **err);

// True once nobody waits for the answer of a request any more.
bool stele_plan_cancelled(stele_plan_t *plan, uint32_t index);

// Answers a request with one entry that is only text, which is copied.
stele_status_t stele_plan_supply(stele_plan_t *plan, uint32_t index, stele_str_t text, stele_error_t **err);

// Answers a request with entries, which are copied; there may be none.
stele_status_t stele_plan_supply_entries(stele_plan_t *plan,
                                         uint32_t index,
                                         const stele_provider_entry_t *entries,
                                         size_t entries_len,
                                         stele_error_t **err);

// Says that the provider of a request cannot answer, and why.
stele_status_t stele_plan_fail(stele_plan_t *plan, uint32_t index, stele_str_t reason, stele_error_t **err);

// Puts the context together; what has not been answered counts as late. The plan is over then, and still has to be freed.
stele_status_t stele_plan_finish(stele_plan_t *plan,
                                 stele_context_t **out,
                                 stele_error_t **err);

// Frees a plan, finished or not; NULL is fine.
void stele_plan_free(stele_plan_t *plan);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STELE_H */
