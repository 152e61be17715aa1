/* What a host can do wrong: it gets a status and an error, and nothing else happens. */
#include <pthread.h>

#include "check.h"

static void null_is_refused_or_fine(void) {
  stele_t *record = check_open("null");
  stele_recorder_t *recorder = check_recorder(record);
  stele_retriever_t *retriever = NULL;
  stele_session_t *session = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  SIZED(stele_session_options_t, of_session);
  of_session.name = stele_str("s1");
  FINE(stele_session_new(record, &of_session, &session, &err));
  SIZED(stele_open_options_t, options);
  SIZED(stele_fact_t, fact);
  SIZED(stele_task_t, task);
  SIZED(stele_query_t, query);
  SIZED(stele_search_t, search);
  SIZED(stele_assembly_t, assembly);
  SIZED(stele_claim_t, claim);
  SIZED(stele_health_t, health);
  SIZED(stele_request_t, request);
  fact.title = task.title = query.prompt = search.query = assembly.prompt = stele_str("a text of some length, with words");
  const stele_str_t text = stele_str("x"), none = {NULL, 0};
  stele_t *other = NULL;
  stele_recorder_t *new_recorder = NULL;
  stele_retriever_t *new_retriever = NULL;
  stele_session_t *new_session = NULL;
  stele_retrieval_t *found = NULL;
  stele_hits_t *hits = NULL;
  stele_node_t *node = NULL;
  stele_moment_t *moment = NULL;
  stele_context_t *context = NULL;
  stele_plan_t *plan = NULL;
  stele_buf_t buf = {NULL, 0};
  bool more = true;

  /* NULL for the handle. */
  REFUSED(stele_close(NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_head(NULL, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_set_token_counter(NULL, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_health(NULL, 0, &health, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_call(NULL, text, none, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_tools(NULL, 0, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_call_tool(NULL, text, none, text, none, 0, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_recorder_new(NULL, text, none, &new_recorder, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_recorder_call(NULL, text, none, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_fact(NULL, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_task(NULL, &task, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_link(NULL, text, 0, text, none, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_supersede(NULL, text, text, text, text, none, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_claim(NULL, text, 0, 0, &claim, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_release(NULL, text, 0, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_complete(NULL, text, 0, text, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_retriever_new(NULL, 0, &new_retriever, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_retrieve(NULL, &query, &found, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_search(NULL, &search, &hits, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_get(NULL, text, &node, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_handoff(NULL, text, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_retrieval_render(NULL, 0, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_render(NULL, 0, &buf, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_session_new(NULL, &of_session, &new_session, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_start(NULL, &moment, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_edit(NULL, text, none, &moment, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_output(NULL, text, &moment, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_complete(NULL, none, &moment, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_prompt(NULL, &assembly, NULL, 0, &context, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_delivered_context(session, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_delivered_moment(session, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_delivered_retrieval(session, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_compacted(NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_new_phase(NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_set_mode(NULL, text, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_turn(NULL, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_pause(NULL, 0, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_set_aggressiveness(NULL, 0, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_assemble(NULL, &assembly, NULL, 0, &context, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_new(NULL, &assembly, NULL, 0, &plan, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_session_plan(NULL, &assembly, NULL, 0, &plan, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_next(NULL, &request, &more, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_supply(NULL, 0, text, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_supply_entries(NULL, 0, NULL, 0, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_fail(NULL, 0, text, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_finish(NULL, &context, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_error_json(NULL, &buf, &err), STELE_INVALID, "bad_argument");

  /* NULL for what is filled, and for where something is to be put that has to be freed. */
  REFUSED(stele_open(NULL, &other, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_open(&options, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_fact(recorder, NULL, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_task(recorder, NULL, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_claim(recorder, text, 0, 0, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_health(record, 0, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_retrieve(retriever, NULL, &found, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_retrieve(retriever, &query, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_search(retriever, NULL, &hits, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_get(retriever, text, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_call(record, stele_str("head"), none, NULL, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_assemble(record, NULL, NULL, 0, &context, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_assemble(record, &assembly, NULL, 1, &context, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_new(record, &assembly, NULL, 2, &plan, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_on_start(session, NULL, &err), STELE_INVALID, "bad_argument");
  CHECK(other == NULL && found == NULL && hits == NULL && node == NULL && context == NULL && plan == NULL && moment == NULL && buf.ptr == NULL);

  /* NULL for the error: the status alone. */
  CHECK(stele_close(NULL, NULL) == STELE_INVALID);
  CHECK(stele_get(retriever, stele_str("KNOW-9"), &node, NULL) == STELE_NOT_FOUND);

  /* Accessors and frees take NULL. */
  SIZED(stele_entry_t, entry);
  SIZED(stele_hit_t, hit);
  SIZED(stele_node_view_t, view);
  SIZED(stele_section_t, section);
  SIZED(stele_outcome_t, outcome);
  CHECK(stele_error_kind(NULL) == STELE_OK && stele_error_code(NULL).len == 0 && stele_error_message(NULL).len == 0 && !stele_error_retryable(NULL));
  CHECK(stele_error_detail(NULL, text).len == 0);
  CHECK(stele_retrieval_status(NULL) == -1 && stele_retrieval_len(NULL) == 0 && stele_retrieval_gaps(NULL) == 0 && stele_retrieval_text(NULL).len == 0);
  CHECK(!stele_retrieval_entry(NULL, 0, &entry) && !stele_retrieval_callout(NULL, 0, &entry) && stele_retrieval_callouts_len(NULL) == 0);
  CHECK(stele_hits_len(NULL) == 0 && !stele_hits_get(NULL, 0, &hit) && !stele_node_view(NULL, &view));
  CHECK(stele_context_text(NULL).len == 0 && stele_context_digest(NULL).len == 0 && stele_context_item_id(NULL).len == 0);
  CHECK(stele_context_turn(NULL) == 0 && stele_context_tokens(NULL) == 0 && stele_context_record(NULL) == NULL);
  CHECK(stele_context_sections_len(NULL) == 0 && !stele_context_section(NULL, 0, &section));
  CHECK(stele_context_outcomes_len(NULL) == 0 && !stele_context_outcome(NULL, 0, &outcome));
  CHECK(stele_context_warnings_len(NULL) == 0 && stele_context_warning(NULL, 0).len == 0);
  CHECK(stele_moment_text(NULL).len == 0 && stele_moment_nudge(NULL).len == 0 && stele_moment_len(NULL) == 0 && stele_moment_callouts_len(NULL) == 0);
  CHECK(!stele_moment_entry(NULL, 0, &entry) && !stele_moment_callout(NULL, 0, &entry));
  CHECK(stele_plan_cancelled(NULL, 0));
  CHECK(stele_str(NULL).len == 0 && stele_id_str(NULL).len == 0);
  CHECK(stele_sink_write(NULL, text) == STELE_INVALID && stele_sink_fail(NULL, text) == STELE_INVALID);
  CHECK(stele_sink_entry(NULL, NULL) == STELE_INVALID && stele_sink_warn(NULL, text) == STELE_INVALID);
  stele_free(NULL);
  stele_recorder_free(NULL);
  stele_retriever_free(NULL);
  stele_session_free(NULL);
  stele_retrieval_free(NULL);
  stele_hits_free(NULL);
  stele_node_free(NULL);
  stele_moment_free(NULL);
  stele_context_free(NULL);
  stele_plan_free(NULL);
  stele_error_free(NULL);
  stele_buf_free(NULL);

  stele_session_free(session);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  stele_free(record);
}

static void a_buffer_is_freed_once_however_often(void) {
  stele_t *record = check_open("buffers");
  stele_buf_t buf = {NULL, 0};
  stele_buf_free(&buf);
  FINE(stele_call(record, stele_str("head"), stele_str(""), &buf, &err));
  CHECK(buf.ptr != NULL);
  stele_buf_free(&buf);
  CHECK(buf.ptr == NULL && buf.len == 0);
  stele_buf_free(&buf);
  stele_free(record);
}

static void after_closing_everything_is_closed(void) {
  stele_t *record = check_open("closing");
  stele_recorder_t *recorder = check_recorder(record);
  stele_retriever_t *retriever = NULL;
  stele_session_t *session = NULL;
  stele_plan_t *plan = NULL;
  stele_context_t *context = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  SIZED(stele_session_options_t, of_session);
  of_session.name = stele_str("s1");
  FINE(stele_session_new(record, &of_session, &session, &err));
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str("a prompt of some length, with words");
  FINE(stele_plan_new(record, &assembly, NULL, 0, &plan, &err));
  FINE(stele_close(record, &err));
  FINE(stele_close(record, &err));
  uint64_t number = 77;
  stele_buf_t buf = {NULL, 0};
  stele_moment_t *moment = NULL;
  stele_node_t *node = NULL;
  stele_recorder_t *another = NULL;
  SIZED(stele_fact_t, fact);
  fact.title = stele_str("Too late");
  SIZED(stele_health_t, health);
  REFUSED(stele_head(record, &number, &err), STELE_CLOSED, "closed");
  REFUSED(stele_health(record, 0, &health, &err), STELE_CLOSED, "closed");
  REFUSED(stele_call(record, stele_str("head"), stele_str(""), &buf, &err), STELE_CLOSED, "closed");
  REFUSED(stele_recorder_new(record, stele_str("a"), stele_str(""), &another, &err), STELE_CLOSED, "closed");
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_CLOSED, "closed");
  REFUSED(stele_get(retriever, stele_str("KNOW-1"), &node, &err), STELE_CLOSED, "closed");
  REFUSED(stele_on_start(session, &moment, &err), STELE_CLOSED, "closed");
  REFUSED(stele_turn(session, &number, &err), STELE_CLOSED, "closed");
  REFUSED(stele_assemble(record, &assembly, NULL, 0, &context, &err), STELE_CLOSED, "closed");
  CHECK(number == 77);
  /* A plan that was under way ends somehow, and once. */
  if (stele_plan_finish(plan, &context, NULL) == STELE_OK) { stele_context_free(context); }
  REFUSED(stele_plan_finish(plan, &context, &err), STELE_CLOSED, "closed");
  REFUSED(stele_plan_supply(plan, 0, stele_str("late"), &err), STELE_CLOSED, "closed");
  stele_free(record);
  stele_plan_free(plan);
  stele_session_free(session);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
}

static int32_t embeds_nothing(void *ctx, const stele_str_t *texts, size_t texts_len, float *vectors) {
  (void)ctx, (void)texts, (void)texts_len, (void)vectors;
  return 0;
}

static int64_t no_time(void *ctx) {
  (void)ctx;
  return 0;
}

static int32_t counts_nothing(void *ctx, stele_str_t text, size_t *tokens) {
  (void)ctx, (void)text, (void)tokens;
  return 0;
}

static int32_t watches_nothing(void *ctx, const stele_progress_t *progress) {
  (void)ctx, (void)progress;
  return 0;
}

static int32_t judges_nothing(void *ctx, const stele_retirement_t *retirement, int32_t *verdict) {
  (void)ctx, (void)retirement, (void)verdict;
  return 0;
}

static void a_wrong_size_is_refused_and_a_larger_one_with_nothing_in_it_is_fine(void) {
  stele_t *record = check_open("sizes");
  stele_recorder_t *recorder = check_recorder(record);
  SIZED(stele_fact_t, fact);
  fact.title = stele_str("Sized");
  const uint32_t sizes[4] = {0, 4, (uint32_t)sizeof fact - 1, UINT32_MAX};
  for (size_t at = 0; at < 4; at += 1) {
    fact.struct_size = sizes[at];
    REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  }
  struct {
    stele_fact_t fact;
    uint64_t newer;
  } larger;
  memset(&larger, 0, sizeof larger);
  larger.fact = fact;
  larger.fact.struct_size = (uint32_t)sizeof larger;
  FINE(stele_fact(recorder, &larger.fact, NULL, &err));
  larger.newer = 1;
  REFUSED(stele_fact(recorder, &larger.fact, NULL, &err), STELE_INVALID, "bad_argument");
  SIZED(stele_claim_t, claim);
  claim.struct_size = 8;
  REFUSED(stele_claim(recorder, stele_str("TASK-1"), 0, 0, &claim, &err), STELE_INVALID, "bad_argument");
  SIZED(stele_open_options_t, options);
  stele_t *other = NULL;
  options.read_only = 2;
  REFUSED(stele_open(&options, &other, &err), STELE_INVALID, "bad_argument");
  options.read_only = 0;
  options.durability = 9;
  REFUSED(stele_open(&options, &other, &err), STELE_INVALID, "unknown_value");
  options.durability = STELE_DURABILITY_FULL;
  /* What is kept for later use. */
  options.reserved = 1;
  REFUSED(stele_open(&options, &other, &err), STELE_INVALID, "bad_argument");
  SIZED(stele_embedder_t, embedder);
  SIZED(stele_clock_t, clock);
  SIZED(stele_token_counter_t, counter);
  SIZED(stele_watcher_t, watcher);
  SIZED(stele_judge_t, judge);
  stele_buf_t buf = {NULL, 0};
  options.reserved = 0;
  embedder.name = stele_str("mine");
  embedder.dimensions = 2;
  embedder.embed = embeds_nothing;
  clock.now_unix_ms = no_time;
  counter.count = counts_nothing;
  watcher.watch = watches_nothing;
  judge.judge = judges_nothing;
  embedder.reserved[5] = clock.reserved = counter.reserved = watcher.reserved = judge.reserved = 1;
  options.embedder = &embedder;
  REFUSED(stele_open(&options, &other, &err), STELE_INVALID, "bad_argument");
  options.embedder = NULL;
  options.clock = &clock;
  REFUSED(stele_open(&options, &other, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_set_token_counter(record, &counter, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_sweep(record, &judge, 0, stele_str(""), &buf, &err), STELE_INVALID, "bad_argument");
  const stele_str_t lines = stele_str("{\"path_or_lines\":[],\"actor\":\"ana\"}");
  REFUSED(stele_import(record, stele_str("import_jsonl"), lines, &watcher, &buf, &err), STELE_INVALID, "bad_argument");
  CHECK(other == NULL && buf.ptr == NULL);
  fact.struct_size = (uint32_t)sizeof fact;
  fact.reserved[6] = 1;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  SIZED(stele_entry_t, entry);
  stele_retriever_t *retriever = NULL;
  stele_retrieval_t *found = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  SIZED(stele_query_t, query);
  query.prompt = stele_str("KNOW-1");
  FINE(stele_retrieve(retriever, &query, &found, &err));
  CHECK(stele_retrieval_entry(found, 0, &entry));
  entry.struct_size = 12;
  CHECK(!stele_retrieval_entry(found, 0, &entry) && !stele_retrieval_entry(found, 0, NULL));
  query.hops = -2;
  REFUSED(stele_retrieve(retriever, &query, &found, &err), STELE_INVALID, "bad_argument");
  query.hops = 9;
  REFUSED(stele_retrieve(retriever, &query, &found, &err), STELE_INVALID, "out_of_range");
  stele_retrieval_free(found);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  stele_free(record);
}

static void text_that_is_none_is_refused(void) {
  stele_t *record = check_open("texts");
  stele_recorder_t *recorder = check_recorder(record);
  SIZED(stele_fact_t, fact);
  fact.title.ptr = "bad \xff byte";
  fact.title.len = 10;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_text");
  fact.title.ptr = NULL;
  fact.title.len = 3;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  fact.title = stele_str("A title");
  fact.title.len = SIZE_MAX;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  fact.title.ptr = "a\0b";
  fact.title.len = 3;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_text");
  fact.title = stele_str("");
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "empty_title");
  fact.title = stele_str("A title");
  fact.tags_len = 2;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "bad_argument");
  fact.tags_len = 0;
  fact.category = -1;
  REFUSED(stele_fact(recorder, &fact, NULL, &err), STELE_INVALID, "unknown_value");
  stele_error_t *err = NULL;
  fact.category = 99;
  CHECK(stele_fact(recorder, &fact, NULL, &err) == STELE_INVALID);
  CHECK(is_text(stele_error_detail(err, stele_str("field")), "category") && stele_error_detail(err, stele_str("none")).len == 0);
  stele_buf_t json = {NULL, 0};
  CHECK(stele_error_json(err, &json, NULL) == STELE_OK && strstr(json.ptr, "\"kind\":\"invalid\"") != NULL);
  stele_buf_free(&json);
  stele_error_free(err);
  CHECK(stele_tokens(fact.title) > 0);
  stele_recorder_free(recorder);
  stele_free(record);
}

/* Two threads at one plan: each call does its work or is refused. */
static void *steps(void *given) {
  stele_plan_t *plan = (stele_plan_t *)given;
  for (int at = 0; at < 2000; at += 1) {
    SIZED(stele_request_t, request);
    bool more = false;
    stele_error_t *err = NULL;
    const stele_status_t said = stele_plan_next(plan, &request, &more, &err);
    if (said != STELE_OK && said != STELE_INVALID) { check_failed(__FILE__, __LINE__, "a plan that two threads use", err); }
    stele_error_free(err);
    if (said == STELE_OK && more) { (void)stele_plan_supply(plan, request.index, request.provider, NULL); }
  }
  return NULL;
}

static void two_threads_on_one_plan_harm_nothing(void) {
  stele_t *record = check_open("threads");
  stele_plan_t *plan = NULL;
  stele_context_t *context = NULL;
  char names[200][8];
  stele_declaration_t declarations[200];
  memset(declarations, 0, sizeof declarations);
  for (size_t at = 0; at < 200; at += 1) {
    snprintf(names[at], sizeof names[at], "p%03u", (unsigned)at);
    declarations[at].struct_size = (uint32_t)sizeof declarations[at];
    declarations[at].category = STELE_PROVIDER_CATEGORY_MEMORY;
    declarations[at].name = stele_str(names[at]);
    declarations[at].timeout_ms = PATIENCE_MS;
  }
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str("a prompt of some length, with words");
  assembly.deadline_ms = PATIENCE_MS;
  FINE(stele_plan_new(record, &assembly, declarations, 200, &plan, &err));
  pthread_t threads[2];
  for (int at = 0; at < 2; at += 1) { CHECK(pthread_create(&threads[at], NULL, steps, plan) == 0); }
  for (int at = 0; at < 2; at += 1) { CHECK(pthread_join(threads[at], NULL) == 0); }
  FINE(stele_plan_finish(plan, &context, &err));
  CHECK(stele_context_outcomes_len(context) >= 200);
  stele_context_free(context);
  stele_plan_free(plan);
  stele_free(record);
}

int main(int argc, char **argv) {
  if (check_begin(argc, argv) != 0) { return 1; }
  null_is_refused_or_fine();
  a_buffer_is_freed_once_however_often();
  after_closing_everything_is_closed();
  a_wrong_size_is_refused_and_a_larger_one_with_nothing_in_it_is_fine();
  text_that_is_none_is_refused();
  two_threads_on_one_plan_harm_nothing();
  return check_end("misuse");
}
