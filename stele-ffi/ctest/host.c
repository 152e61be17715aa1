/* What a host brings along: an embedder, a clock, a counter of tokens, a judge, a watcher of imports. They answer, fail, call
 * back into the library, or close the record; what is kept is given back once. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <time.h>

#include "check.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_init;
using std::atomic_load;
using std::atomic_store;
typedef std::atomic<size_t> atomic_size_t;
typedef std::atomic<int> atomic_int_t;
#else
#include <stdatomic.h>
typedef atomic_int atomic_int_t;
#endif

static const char *PROMPT = "what is known of precipitation these days?";

/* What callbacks are given by their host; they may run on any thread. */
typedef struct {
  stele_t *record;
  atomic_size_t called;
  atomic_size_t dropped;
  atomic_int_t says; /* what the callback gives */
  atomic_int_t does; /* what it does before: one of the following */
} host_t;

enum { NOTHING, REENTER, CLOSE, FREE, NONSENSE };

static void host_begin(host_t *host) {
  host->record = NULL;
  atomic_init(&host->called, 0);
  atomic_init(&host->dropped, 0);
  atomic_init(&host->says, 0);
  atomic_init(&host->does, NOTHING);
}

/* Counts the call and does what the host wants done from inside. */
static void acts(host_t *host) {
  host->called += 1;
  const int does = atomic_load(&host->does);
  if (does == REENTER) {
    atomic_store(&host->does, NOTHING);
    stele_recorder_t *recorder = check_recorder(host->record);
    check_fact(recorder, "Written from inside a callback", "");
    stele_recorder_free(recorder);
    uint64_t head = 0;
    FINE(stele_head(host->record, &head, &err));
    CHECK(head > 0);
  }
  if (does == CLOSE) { FINE(stele_close(host->record, &err)); }
  if (does == FREE) {
    atomic_store(&host->does, NOTHING);
    stele_t *record = host->record;
    host->record = NULL;
    stele_free(record);
  }
}

static void drops(void *ctx) { ((host_t *)ctx)->dropped += 1; }

/* A thread that was at an embedder may still hold it for a moment after the call returned. */
static void is_given_back_once(host_t *host) {
  const struct timespec moment = {0, 1000000};
  for (int at = 0; at < PATIENCE_MS && atomic_load(&host->dropped) == 0; at += 1) { nanosleep(&moment, NULL); }
  CHECK(atomic_load(&host->dropped) == 1);
}

/* Rain in any word is one direction, all else the other. */
static int32_t embeds(void *ctx, const stele_str_t *texts, size_t texts_len, float *vectors) {
  host_t *host = (host_t *)ctx;
  acts(host);
  for (size_t at = 0; at < texts_len; at += 1) {
    const bool rain = has_text(texts[at], "rain") || has_text(texts[at], "precipitation");
    if (vectors[2 * at] != 0 || vectors[2 * at + 1] != 0) { return 99; }
    vectors[2 * at + (rain ? 0 : 1)] = 3;
    if (atomic_load(&host->does) == NONSENSE) { vectors[2 * at] = NAN; }
  }
  return atomic_load(&host->says);
}

static void declare_embedder(stele_embedder_t *embedder, host_t *host) {
  memset(embedder, 0, sizeof *embedder);
  embedder->struct_size = (uint32_t)sizeof *embedder;
  embedder->dimensions = 2;
  embedder->name = stele_str("rain-1");
  embedder->ctx = host;
  embedder->embed = embeds;
  embedder->drop = drops;
}

/* Opens a record of that name in the test's folder with what a host brings along. */
static stele_status_t opens(const char *name, const stele_embedder_t *embedder, const stele_clock_t *clock, stele_t **out, stele_error_t **err) {
  char path[4096];
  SIZED(stele_open_options_t, options);
  snprintf(path, sizeof path, "%s/%s", check_folder, name);
  options.path = stele_str(path);
  options.no_embedder = embedder == NULL;
  options.durability = STELE_DURABILITY_NORMAL;
  options.embedder = embedder;
  options.clock = clock;
  return stele_open(&options, out, err);
}

static size_t hits_by_meaning(const stele_retriever_t *retriever) {
  SIZED(stele_search_t, search);
  search.mode = STELE_SEARCH_MODE_SEMANTIC;
  search.query = stele_str(PROMPT);
  search.deadline_ms = PATIENCE_MS;
  stele_hits_t *hits = NULL;
  FINE(stele_search(retriever, &search, &hits, &err));
  const size_t found = stele_hits_len(hits);
  SIZED(stele_hit_t, hit);
  CHECK(found == 0 || (stele_hits_get(hits, 0, &hit) && has_text(hit.title, "rain") && hit.semantic_rank == 1 && hit.text_rank == 0));
  stele_hits_free(hits);
  return found;
}

/* What a retrieval did not get to. */
static uint32_t gaps(const stele_retriever_t *retriever) {
  SIZED(stele_query_t, query);
  query.prompt = stele_str(PROMPT);
  query.deadline_ms = query.walk_budget_ms = PATIENCE_MS;
  stele_retrieval_t *found = NULL;
  FINE(stele_retrieve(retriever, &query, &found, &err));
  const uint32_t gaps = stele_retrieval_gaps(found);
  stele_retrieval_free(found);
  return gaps;
}

static void an_embedder_finds_by_meaning_fails_and_reenters(void) {
  host_t host;
  host_begin(&host);
  stele_embedder_t embedder;
  declare_embedder(&embedder, &host);
  char name[16] = "rain-1";
  embedder.name = stele_str(name);
  FINE(opens("embedder", &embedder, NULL, &host.record, &err));
  memset(name, 'x', sizeof name); /* It was copied. */
  memset(&embedder, 0, sizeof embedder);
  stele_recorder_t *recorder = check_recorder(host.record);
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(host.record, 0, &retriever, &err));
  check_fact(recorder, "The gauge on the roof measures rain", "");
  check_fact(recorder, "The anemometer stands on a mast", "");
  CHECK(atomic_load(&host.called) >= 2);
  CHECK(hits_by_meaning(retriever) > 0);
  const uint32_t meaning = 1u << STELE_GAP_KIND_MEANING;
  CHECK((gaps(retriever) & meaning) == 0);

  /* It fails, or gives what is no vector: the search goes by words and says so. */
  atomic_store(&host.says, 3);
  CHECK((gaps(retriever) & meaning) != 0 && hits_by_meaning(retriever) == 0);
  check_fact(recorder, "Frost came early", "");
  atomic_store(&host.says, 0);
  atomic_store(&host.does, NONSENSE);
  CHECK((gaps(retriever) & meaning) != 0);
  atomic_store(&host.does, NOTHING);
  CHECK((gaps(retriever) & meaning) == 0);

  /* It calls the record from inside, while it searches and while it writes. */
  uint64_t head = 0;
  atomic_store(&host.does, REENTER);
  CHECK(hits_by_meaning(retriever) > 0);
  atomic_store(&host.does, REENTER);
  check_fact(recorder, "Hail broke the glass", "");
  FINE(stele_head(host.record, &head, &err));
  CHECK(head == 6);
  stele_buf_t buf = {NULL, 0};
  const size_t before = atomic_load(&host.called);
  FINE(stele_call(host.record, stele_str("rebuild_indexes"), stele_str("{\"reembed\": true}"), &buf, &err));
  stele_buf_free(&buf);
  CHECK(atomic_load(&host.called) > before && hits_by_meaning(retriever) > 0);

  stele_free(host.record);
  stele_recorder_free(recorder);
  CHECK(atomic_load(&host.dropped) == 0);
  stele_retriever_free(retriever);
  is_given_back_once(&host);
}

static void an_embedder_may_close_or_free_the_record(void) {
  const char *names[2] = {"closing", "freeing"};
  const int does[2] = {CLOSE, FREE};
  for (size_t at = 0; at < 2; at += 1) {
    host_t host;
    host_begin(&host);
    stele_embedder_t embedder;
    declare_embedder(&embedder, &host);
    FINE(opens(names[at], &embedder, NULL, &host.record, &err));
    stele_recorder_t *recorder = check_recorder(host.record);
    check_fact(recorder, "The gauge on the roof measures rain", "");
    stele_retriever_t *retriever = NULL;
    FINE(stele_retriever_new(host.record, 0, &retriever, &err));
    SIZED(stele_query_t, query);
    query.prompt = stele_str(PROMPT);
    query.deadline_ms = PATIENCE_MS;
    stele_retrieval_t *found = NULL;
    atomic_store(&host.does, does[at]);
    stele_error_t *err = NULL;
    const stele_status_t said = stele_retrieve(retriever, &query, &found, &err);
    CHECK(said == STELE_OK || said == STELE_CLOSED);
    stele_retrieval_free(found);
    stele_error_free(err);
    SIZED(stele_fact_t, fact);
    fact.title = stele_str("Too late");
    REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_CLOSED, "closed");
    stele_retriever_free(retriever);
    stele_recorder_free(recorder);
    if (does[at] == CLOSE) { stele_free(host.record); }
    is_given_back_once(&host);
  }
}

static void what_is_not_taken_stays_the_hosts(void) {
  host_t host;
  host_begin(&host);
  stele_embedder_t embedder;
  SIZED(stele_clock_t, clock);
  stele_t *record = NULL;
  clock.ctx = &host;
  clock.drop = drops;
  declare_embedder(&embedder, &host);
  REFUSED(opens("refused", &embedder, &clock, &record, &err), STELE_INVALID, "bad_argument"); /* a clock without a function */
  embedder.embed = NULL;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_argument");
  embedder.embed = embeds;
  embedder.dimensions = 0;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_config");
  embedder.dimensions = 2;
  embedder.has_weight = 1;
  embedder.weight = NAN;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_config");
  embedder.has_weight = 2;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_argument");
  embedder.has_weight = 0;
  embedder.name = stele_str("");
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_config");
  embedder.name.ptr = "\xff";
  embedder.name.len = 1;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_text");
  embedder.name = stele_str("rain-1");
  embedder.struct_size = 8;
  REFUSED(opens("refused", &embedder, NULL, &record, &err), STELE_INVALID, "bad_argument");
  declare_embedder(&embedder, &host);
  SIZED(stele_open_options_t, options);
  options.path = stele_str(check_folder);
  options.no_embedder = 1;
  options.embedder = &embedder;
  REFUSED(stele_open(&options, &record, &err), STELE_INVALID, "bad_argument");
  options.no_embedder = 0;
  options.no_create = 1;
  options.path = stele_str("/nowhere/at/all");
  REFUSED(stele_open(&options, &record, &err), STELE_NOT_FOUND, "no_record");
  CHECK(record == NULL && atomic_load(&host.dropped) == 0 && atomic_load(&host.called) == 0);

  /* A program of the first release knows of neither. */
  char path[4096];
  snprintf(path, sizeof path, "%s/older", check_folder);
  memset(&options, 0x5a, sizeof options);
  memset(&options, 0, offsetof(stele_open_options_t, embedder));
  options.struct_size = (uint32_t)offsetof(stele_open_options_t, embedder);
  options.path = stele_str(path);
  FINE(stele_open(&options, &record, &err));
  stele_free(record);
}

static int64_t tells_the_time(void *ctx) {
  acts((host_t *)ctx);
  return atomic_load(&((host_t *)ctx)->says);
}

static void a_clock_dates_what_is_written(void) {
  host_t host;
  host_begin(&host);
  SIZED(stele_clock_t, clock);
  clock.ctx = &host;
  clock.now_unix_ms = tells_the_time;
  clock.drop = drops;
  atomic_store(&host.says, 86400000);
  FINE(opens("clock", NULL, &clock, &host.record, &err));
  stele_recorder_t *recorder = check_recorder(host.record);
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(host.record, 0, &retriever, &err));
  atomic_store(&host.does, REENTER);
  const stele_id_t id = check_fact(recorder, "The gauge on the roof measures rain", "");
  atomic_store(&host.says, 172800000);
  check_fact(recorder, "The anemometer stands on a mast", "");
  stele_node_t *node = NULL;
  SIZED(stele_node_view_t, view);
  FINE(stele_get(retriever, stele_id_str(&id), &node, &err));
  CHECK(stele_node_view(node, &view) && view.created_at_unix_ms == 86400000);
  stele_node_free(node);
  FINE(stele_get(retriever, stele_str("KNOW-3"), &node, &err));
  CHECK(stele_node_view(node, &view) && view.created_at_unix_ms == 172800000);
  stele_node_free(node);
  stele_free(host.record);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  CHECK(atomic_load(&host.dropped) == 1);
}

/* Every byte is a token. */
static int32_t counts(void *ctx, stele_str_t text, size_t *tokens) {
  acts((host_t *)ctx);
  *tokens = text.len;
  return atomic_load(&((host_t *)ctx)->says);
}

/* The tokens of the first entry, and what was not got to. */
static uint32_t tokens_of(const stele_retriever_t *retriever, uint32_t *gaps) {
  SIZED(stele_query_t, query);
  SIZED(stele_entry_t, entry);
  query.prompt = stele_str(PROMPT);
  query.deadline_ms = query.walk_budget_ms = PATIENCE_MS;
  query.max_tokens = 2000;
  stele_retrieval_t *found = NULL;
  FINE(stele_retrieve(retriever, &query, &found, &err));
  CHECK(stele_retrieval_entry(found, 0, &entry));
  *gaps = stele_retrieval_gaps(found);
  stele_retrieval_free(found);
  return entry.tokens;
}

static void tokens_are_counted_as_the_host_counts_them(void) {
  host_t first, second;
  host_begin(&first);
  host_begin(&second);
  stele_t *record = check_open("tokens");
  first.record = second.record = record;
  stele_recorder_t *recorder = check_recorder(record);
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  check_fact(recorder, "What is known of precipitation: the gauge measures rain", "");
  uint32_t missed = 0;
  const uint32_t estimated = tokens_of(retriever, &missed);
  const uint32_t tokens = 1u << STELE_GAP_KIND_TOKENS;
  CHECK((missed & tokens) == 0);
  SIZED(stele_token_counter_t, counter);
  REFUSED(stele_set_token_counter(record, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_set_token_counter(record, &counter, &err), STELE_INVALID, "bad_argument");
  counter.ctx = &first;
  counter.count = counts;
  counter.drop = drops;
  FINE(stele_set_token_counter(record, &counter, &err));
  atomic_store(&first.does, REENTER);
  const uint32_t counted = tokens_of(retriever, &missed);
  CHECK(counted > estimated && (missed & tokens) == 0 && atomic_load(&first.called) > 0);
  atomic_store(&first.says, 5);
  CHECK(tokens_of(retriever, &missed) == estimated && (missed & tokens) != 0);
  counter.ctx = &second;
  FINE(stele_set_token_counter(record, &counter, &err));
  CHECK(atomic_load(&first.dropped) == 1 && atomic_load(&second.dropped) == 0);
  CHECK(tokens_of(retriever, &missed) == counted);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  stele_free(record);
  CHECK(atomic_load(&first.dropped) == 1 && atomic_load(&second.dropped) == 1);
}

/* What a watcher heard. */
typedef struct {
  host_t host;
  uint64_t phases;
  uint64_t lines;
  uint64_t faults;
  uint64_t read;
  uint64_t bytes;
  int32_t stop_at;
} watch_t;

static int32_t watches(void *ctx, const stele_progress_t *progress) {
  watch_t *watch = (watch_t *)ctx;
  acts(&watch->host);
  CHECK(progress->struct_size == sizeof *progress && progress->lines >= watch->lines);
  watch->phases |= 1u << progress->phase;
  watch->lines = progress->lines;
  watch->faults = progress->faults;
  watch->read = progress->bytes;
  watch->bytes = progress->has_total_bytes ? progress->total_bytes : 0;
  return progress->phase == watch->stop_at ? 4 : 0;
}

static void an_import_is_watched_and_stopped(void) {
  char path[4096], arguments[8192];
  snprintf(path, sizeof path, "%s/lines.jsonl", check_folder);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  for (int at = 0; at < 2500; at += 1) {
    fprintf(file, "{\"type\":\"node\",\"kind\":\"knowledge\",\"category\":\"fyi\",\"title\":\"Gauge %d\",\"alias\":\"G-%d\"}\n", at, at);
  }
  CHECK(fclose(file) == 0);
  snprintf(arguments, sizeof arguments, "{\"path_or_lines\": \"%s\", \"actor\": \"ctest\"}", path);
  stele_t *record = check_open("imports");
  watch_t watch;
  host_begin(&watch.host);
  watch.phases = watch.lines = watch.faults = watch.read = watch.bytes = 0;
  watch.stop_at = -1;
  SIZED(stele_watcher_t, watcher);
  stele_buf_t report = {NULL, 0};
  const stele_str_t verb = stele_str("import_jsonl"), given = stele_str(arguments);
  uint64_t head = 99;

  REFUSED(stele_import(record, verb, given, &watcher, &report, &err), STELE_INVALID, "bad_argument");
  watcher.ctx = &watch;
  watcher.watch = watches;
  REFUSED(stele_import(NULL, verb, given, &watcher, &report, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_import(record, verb, given, &watcher, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_import(record, stele_str("export_jsonl"), given, &watcher, &report, &err), STELE_INVALID, "unknown_value");
  REFUSED(stele_import(record, verb, stele_str("{\"actor\": 3}"), &watcher, &report, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_import(record, verb, stele_str("{"), &watcher, &report, &err), STELE_INVALID, "bad_argument");
  watcher.struct_size = 4;
  REFUSED(stele_import(record, verb, given, &watcher, &report, &err), STELE_INVALID, "bad_argument");
  watcher.struct_size = (uint32_t)sizeof watcher;
  CHECK(report.ptr == NULL && atomic_load(&watch.host.called) == 0);

  const int32_t stops[3] = {STELE_IMPORT_PHASE_READING, STELE_IMPORT_PHASE_CHECKING, STELE_IMPORT_PHASE_APPENDING};
  for (size_t at = 0; at < 3; at += 1) {
    watch.phases = watch.lines = 0;
    watch.stop_at = stops[at];
    FINE(stele_import(record, verb, given, &watcher, &report, &err));
    CHECK(strstr(report.ptr, "\"applied\":false") != NULL && (watch.phases >> stops[at]) == 1);
    stele_buf_free(&report);
    FINE(stele_head(record, &head, &err));
    CHECK(head == 0);
  }
  watch.phases = watch.lines = 0;
  watch.stop_at = -1;
  watch.host.record = record;
  atomic_store(&watch.host.does, REENTER);
  FINE(stele_import(record, verb, given, &watcher, &report, &err));
  CHECK(strstr(report.ptr, "\"applied\":true") != NULL && strstr(report.ptr, "\"nodes\":2500") != NULL);
  CHECK(watch.phases == 15 && watch.lines == 2500 && watch.faults == 0 && watch.read > 0 && watch.read == watch.bytes);
  stele_buf_free(&report);
  FINE(stele_head(record, &head, &err));
  CHECK(head == 2501);
  FINE(stele_import(record, verb, given, NULL, &report, &err));
  CHECK(strstr(report.ptr, "\"unchanged\":2500") != NULL);
  stele_buf_free(&report);
  watch.lines = 0;
  FINE(stele_import(record, verb, stele_str("{\"path_or_lines\": [\"{}\"], \"actor\": \"ctest\"}"), &watcher, &report, &err));
  CHECK(strstr(report.ptr, "\"applied\":false") != NULL && watch.faults == 1 && watch.bytes == 0);
  stele_buf_free(&report);
  atomic_store(&watch.host.does, CLOSE);
  watch.lines = 0;
  REFUSED(stele_import(record, verb, given, &watcher, &report, &err), STELE_CLOSED, "closed");
  CHECK(report.ptr == NULL);
  stele_free(record);

  watch.host.record = check_open("freed");
  watch.lines = 0;
  atomic_store(&watch.host.does, FREE);
  REFUSED(stele_import(watch.host.record, verb, given, &watcher, &report, &err), STELE_CLOSED, "closed");
}

/* What a judge says, and what it was asked. */
typedef struct {
  host_t host;
  int32_t verdict;
} judge_t;

static int32_t judges(void *ctx, const stele_retirement_t *asked, int32_t *verdict) {
  judge_t *judge = (judge_t *)ctx;
  acts(&judge->host);
  CHECK(asked->struct_size == sizeof *asked && *verdict == STELE_VERDICT_UNSURE && asked->verbatim == 1);
  CHECK(has_text(asked->newer_title, "The horn is new") && has_text(asked->older_title, "The horn is old") && asked->older_body.len == 4);
  CHECK(asked->newer.text[0] == 'K' && asked->older.text[0] == 'K' && is_text(asked->reason, "it ended") && has_text(asked->evidence, "horn is new"));
  *verdict = judge->verdict;
  return atomic_load(&judge->host.says);
}

static int32_t state_of(const stele_t *record, const char *id) {
  stele_retriever_t *retriever = NULL;
  stele_node_t *node = NULL;
  SIZED(stele_node_view_t, view);
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  FINE(stele_get(retriever, stele_str(id), &node, &err));
  CHECK(stele_node_view(node, &view));
  stele_node_free(node);
  stele_retriever_free(retriever);
  return view.state;
}

static void a_judge_says_whether_a_retirement_holds(void) {
  stele_t *record = check_open("judge");
  stele_recorder_t *recorder = check_recorder(record);
  for (size_t at = 0; at < 2; at += 1) {
    const stele_id_t older = check_fact(recorder, "The horn is old", "Old.");
    const stele_id_t newer = check_fact(recorder, "The horn is new", "");
    const stele_str_t ended = stele_str("it ended");
    FINE(stele_supersede(recorder, stele_id_str(&newer), stele_id_str(&older), ended, stele_str("The horn is new"), stele_str(""), &err));
  }
  judge_t host;
  host_begin(&host.host);
  host.host.record = record;
  host.verdict = STELE_VERDICT_FAILS;
  SIZED(stele_judge_t, judge);
  stele_buf_t text = {NULL, 0};
  const stele_str_t actor = stele_str("ctest"), none = {NULL, 0};
  REFUSED(stele_sweep(record, &judge, 0, none, &text, &err), STELE_INVALID, "bad_argument");
  judge.ctx = &host;
  judge.judge = judges;
  REFUSED(stele_sweep(NULL, &judge, 0, none, &text, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_sweep(record, &judge, 0, none, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_sweep(record, &judge, 2, actor, &text, &err), STELE_INVALID, "bad_argument");
  CHECK(atomic_load(&host.host.called) == 0);

  /* Nothing is applied unless it is asked for, nor when the judge fails, which then is asked no more. */
  FINE(stele_sweep(record, &judge, 0, none, &text, &err));
  CHECK(atomic_load(&host.host.called) == 2 && strstr(text.ptr, "\"verdict\":\"fails\"") != NULL && strstr(text.ptr, "\"demoted\":false") != NULL);
  stele_buf_free(&text);
  atomic_store(&host.host.says, 6);
  REFUSED(stele_sweep(record, &judge, 1, actor, &text, &err), STELE_PROVIDER, "provider_failed");
  atomic_store(&host.host.says, 0);
  host.verdict = 77;
  REFUSED(stele_sweep(record, &judge, 1, actor, &text, &err), STELE_PROVIDER, "provider_failed");
  CHECK(atomic_load(&host.host.called) == 4 && state_of(record, "KNOW-1") == STELE_STATE_RETIRED && text.ptr == NULL);
  host.verdict = STELE_VERDICT_HOLDS;
  atomic_store(&host.host.does, REENTER);
  FINE(stele_sweep(record, &judge, 1, actor, &text, &err));
  CHECK(strstr(text.ptr, "\"demoted\":true") == NULL);
  stele_buf_free(&text);
  host.verdict = STELE_VERDICT_FAILS;
  FINE(stele_sweep(record, &judge, 1, actor, &text, &err));
  CHECK(strstr(text.ptr, "\"demoted\":true") != NULL && state_of(record, "KNOW-1") == STELE_STATE_LIVE);
  stele_buf_free(&text);
  FINE(stele_sweep(record, NULL, 0, none, &text, &err));
  CHECK(is_text(stele_str(text.ptr), "{\"judgements\":[]}"));
  stele_buf_free(&text);

  FINE(stele_supersede(recorder, stele_str("KNOW-2"), stele_str("KNOW-1"), stele_str("it ended"), stele_str("The horn is new"), none, &err));
  atomic_store(&host.host.does, CLOSE);
  REFUSED(stele_sweep(record, &judge, 1, actor, &text, &err), STELE_CLOSED, "closed");
  stele_recorder_free(recorder);
  stele_free(record);
}

int main(int argc, char **argv) {
  if (check_begin(argc, argv) != 0) { return 1; }
  an_embedder_finds_by_meaning_fails_and_reenters();
  an_embedder_may_close_or_free_the_record();
  what_is_not_taken_stays_the_hosts();
  a_clock_dates_what_is_written();
  tokens_are_counted_as_the_host_counts_them();
  an_import_is_watched_and_stopped();
  a_judge_says_whether_a_retirement_holds();
  return check_end("host");
}
