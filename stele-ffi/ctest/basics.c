/* The common verbs through their typed functions: what is written is read back. */
#include "check.h"

static const char *PROMPT = "what do we know about the barometer calibration?";

static void writes_and_reads(void) {
  stele_t *record = check_open("basics");
  stele_recorder_t *recorder = check_recorder(record);
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));

  /* A fact with all that it takes. */
  stele_id_t older;
  const stele_str_t tags[2] = {stele_str("weather"), stele_str("sensors")};
  const stele_anchor_t anchors[1] = {{stele_str("src/barometer.c"), stele_str("calibrate")}};
  SIZED(stele_fact_t, fact);
  fact.category = STELE_CATEGORY_DECISION;
  fact.title = stele_str("The barometer calibration runs hourly");
  fact.body = stele_str("An hour is what the drift allows.");
  fact.alias = stele_str("ADR-7");
  fact.source_uri = stele_str("docs/adr/7.md");
  fact.source_quote = stele_str("hourly");
  fact.source_revision = stele_str("r7");
  fact.tags = tags;
  fact.tags_len = 2;
  fact.anchors = anchors;
  fact.anchors_len = 1;
  fact.created_at_unix_ms = 1700000000000;
  FINE(stele_fact(recorder, &fact, &older, &err));
  CHECK(is_text(stele_id_str(&older), "KNOW-1"));

  stele_node_t *node = NULL;
  SIZED(stele_node_view_t, view);
  FINE(stele_get(retriever, stele_str("ADR-7"), &node, &err));
  CHECK(stele_node_view(node, &view));
  CHECK(view.kind == STELE_KIND_KNOWLEDGE && view.category == STELE_CATEGORY_DECISION && view.state == STELE_STATE_LIVE);
  CHECK(is_text(view.title, "The barometer calibration runs hourly") && is_text(view.actor, "ctest"));
  CHECK(view.created_at_unix_ms == 1700000000000 && view.task_status == -1 && view.revision == 1);
  CHECK(view.struct_size == sizeof view);
  stele_node_free(node);
  stele_buf_t whole = {NULL, 0};
  FINE(stele_call(record, stele_str("get"), stele_str("{\"id\": \"ADR-7\"}"), &whole, &err));
  CHECK(strstr(whole.ptr, "\"source\":{\"uri\":\"docs/adr/7.md\",\"revision\":\"r7\",\"quote\":\"hourly\"") != NULL);
  stele_buf_free(&whole);

  /* What replaces it, with evidence. */
  const stele_id_t newer = check_fact(recorder, "The barometer calibration runs daily", "The hourly run was stopped.");
  REFUSED(stele_supersede(recorder, stele_id_str(&newer), stele_str("ADR-7"), stele_str("it ended"), stele_str("nobody said so"), stele_str(""), &err),
          STELE_INVALID, "evidence_not_found");
  FINE(stele_supersede(recorder, stele_id_str(&newer), stele_str("ADR-7"), stele_str("hourly runs ended"),
                       stele_str("The hourly run was stopped."), stele_str(""), &err));
  const stele_id_t other = check_fact(recorder, "Frost moves the needle", "");
  FINE(stele_link(recorder, stele_id_str(&other), STELE_RELATION_RELATES_TO, stele_id_str(&newer), stele_str("both move it"), &err));
  REFUSED(stele_link(recorder, stele_id_str(&other), STELE_RELATION_RELATES_TO, stele_id_str(&newer), stele_str(""), &err), STELE_CONFLICT,
          "edge_exists");

  /* A window: the live head with what it replaced. */
  stele_retrieval_t *found = NULL;
  SIZED(stele_query_t, query);
  query.prompt = stele_str(PROMPT);
  query.deadline_ms = query.walk_budget_ms = PATIENCE_MS;
  FINE(stele_retrieve(retriever, &query, &found, &err));
  CHECK(stele_retrieval_status(found) == STELE_STATUS_FOUND);
  CHECK(stele_retrieval_len(found) >= 2 && stele_retrieval_callouts_len(found) == 0 && stele_retrieval_gaps(found) == 0);
  bool head_before_retired = false;
  for (size_t at = 0; at < stele_retrieval_len(found); at += 1) {
    SIZED(stele_entry_t, entry);
    CHECK(stele_retrieval_entry(found, at, &entry));
    CHECK(entry.title.len > 0 && entry.explain.len > 0 && entry.tokens > 0);
    if (is_text(stele_id_str(&entry.id), "KNOW-2")) { head_before_retired = true; }
    if (is_text(stele_id_str(&entry.id), "KNOW-1")) {
      CHECK(head_before_retired && entry.state == STELE_STATE_RETIRED && is_text(stele_id_str(&entry.replaced_by), "KNOW-2"));
      CHECK(is_text(entry.reason, "hourly runs ended") && is_text(entry.evidence, "The hourly run was stopped."));
    }
  }
  CHECK(head_before_retired);
  SIZED(stele_entry_t, beyond);
  CHECK(!stele_retrieval_entry(found, stele_retrieval_len(found), &beyond) && !stele_retrieval_callout(found, 0, &beyond));
  stele_buf_t rendered = {NULL, 0};
  FINE(stele_retrieval_render(found, STELE_FORMAT_TEXT, &rendered, &err));
  const stele_str_t text = stele_retrieval_text(found);
  CHECK(rendered.len == text.len && memcmp(rendered.ptr, text.ptr, text.len) == 0 && rendered.ptr[rendered.len] == '\0');
  CHECK(has_text(text, "KNOW-2") && has_text(text, "The hourly run was stopped."));
  stele_buf_free(&rendered);

  /* A search with filters. */
  stele_hits_t *hits = NULL;
  const int32_t states[1] = {STELE_STATE_RETIRED};
  SIZED(stele_search_t, search);
  search.query = stele_str("barometer");
  search.deadline_ms = PATIENCE_MS;
  search.states = states;
  search.states_len = 1;
  search.tags = tags;
  search.tags_len = 1;
  FINE(stele_search(retriever, &search, &hits, &err));
  CHECK(stele_hits_len(hits) == 1);
  SIZED(stele_hit_t, hit);
  CHECK(stele_hits_get(hits, 0, &hit) && is_text(stele_id_str(&hit.id), "KNOW-1") && hit.state == STELE_STATE_RETIRED && hit.text_rank == 1);
  CHECK(!stele_hits_get(hits, 1, &hit));

  /* As of an earlier operation. */
  stele_retriever_t *earlier = NULL;
  FINE(stele_retriever_new(record, 1, &earlier, &err));
  FINE(stele_get(earlier, stele_str("KNOW-1"), &node, &err));
  CHECK(stele_node_view(node, &view) && view.state == STELE_STATE_LIVE);
  stele_node_free(node);
  REFUSED(stele_get(earlier, stele_str("KNOW-2"), &node, &err), STELE_NOT_FOUND, "unknown_node");

  /* The condition of the record. */
  uint64_t head = 0;
  FINE(stele_head(record, &head, &err));
  SIZED(stele_health_t, health);
  FINE(stele_health(record, 1, &health, &err));
  CHECK(health.ok == 1 && health.errors == 0 && health.head == head && head >= 5);

  /* Results outlive the record. */
  stele_free(record);
  CHECK(has_text(stele_retrieval_text(found), "KNOW-2"));
  CHECK(stele_hits_get(hits, 0, &hit) && has_text(hit.title, "hourly"));
  REFUSED(stele_retrieve(retriever, &query, &found, &err), STELE_CLOSED, "closed");
  stele_retrieval_free(found);
  stele_hits_free(hits);
  stele_retriever_free(earlier);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
}

static void a_task_has_one_holder(void) {
  stele_t *record = check_open("tasks");
  stele_recorder_t *a = check_recorder(record), *b = NULL;
  FINE(stele_recorder_new(record, stele_str("other"), stele_str("s1"), &b, &err));
  stele_id_t task;
  SIZED(stele_task_t, given);
  given.title = stele_str("Calibrate");
  given.success_criteria = stele_str("It reads 1013 hPa.");
  given.has_priority = 1;
  given.priority = 0;
  FINE(stele_task(a, &given, &task, &err));
  SIZED(stele_claim_t, won);
  FINE(stele_claim(a, stele_id_str(&task), 0, 60000, &won, &err));
  CHECK(won.granted == 1 && won.token > 0 && strcmp(won.holder, "ctest") == 0 && is_text(stele_id_str(&won.task), "TASK-1"));
  CHECK(won.until_unix_ms == won.since_unix_ms + 60000);
  SIZED(stele_claim_t, lost);
  FINE(stele_claim(b, stele_id_str(&task), 0, 0, &lost, &err));
  CHECK(lost.granted == 0 && lost.token == 0 && strcmp(lost.holder, "ctest") == 0);
  REFUSED(stele_complete(b, stele_id_str(&task), 0, stele_str("done"), &err), STELE_CONFLICT, "not_holder");
  REFUSED(stele_release(b, stele_id_str(&task), 0, &err), STELE_CONFLICT, "not_holder");
  stele_buf_t text = {NULL, 0};
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  FINE(stele_handoff(retriever, stele_id_str(&task), &text, &err));
  CHECK(strstr(text.ptr, "Calibrate") != NULL);
  stele_buf_free(&text);
  stele_retriever_free(retriever);
  /* Who presents the token acts as the holder. */
  FINE(stele_complete(b, stele_id_str(&task), won.token, stele_str("done"), &err));
  REFUSED(stele_claim(b, stele_id_str(&task), 0, 0, &lost, &err), STELE_CONFLICT, "wrong_state");
  stele_recorder_free(b);
  stele_recorder_free(a);
  stele_free(record);
}

static void verbs_are_called_with_json(void) {
  stele_t *record = check_open("calls");
  stele_recorder_t *recorder = check_recorder(record);
  stele_buf_t out = {NULL, 0};
  FINE(stele_recorder_call(recorder, stele_str("fact"), stele_str("{\"category\": \"fyi\", \"title\": \"One\"}"), &out, &err));
  CHECK(strstr(out.ptr, "\"id\":\"KNOW-1\"") != NULL && strstr(out.ptr, "\"kind\":\"no_end\"") != NULL);
  stele_buf_free(&out);
  FINE(stele_call(record, stele_str("history"), stele_str("{\"id\": \"KNOW-1\"}"), &out, &err));
  CHECK(strstr(out.ptr, "\"actor\":\"ctest\"") != NULL);
  stele_buf_free(&out);
  FINE(stele_call(record, stele_str("head"), stele_str(""), &out, &err));
  CHECK(strcmp(out.ptr, "1") == 0 && out.len == 1);
  stele_buf_free(&out);
  FINE(stele_tools(record, STELE_TIER_READ, &out, &err));
  CHECK(strstr(out.ptr, "\"search\"") != NULL && strstr(out.ptr, "\"record_fact\"") == NULL);
  stele_buf_free(&out);
  FINE(stele_call_tool(record, stele_str("search"), stele_str("{\"query\": \"one\"}"), stele_str("model"), stele_str(""), STELE_TIER_READ, &out, &err));
  CHECK(strstr(out.ptr, "KNOW-1") != NULL);
  stele_buf_free(&out);
  // Half of a surrogate pair in JSON is what it is everywhere: U+FFFD.
  FINE(stele_call_tool(record, stele_str("record_fact"), stele_str("{\"category\": \"fyi\", \"title\": \"two \\ud83d\"}"), stele_str("model"), stele_str(""),
                       STELE_TIER_WRITE, &out, &err));
  stele_buf_free(&out);
  FINE(stele_call(record, stele_str("get"), stele_str("{\"id\": \"KNOW-2\"}"), &out, &err));
  CHECK(strstr(out.ptr, "\"two \xef\xbf\xbd\"") != NULL);
  stele_buf_free(&out);
  REFUSED(stele_call_tool(record, stele_str("record_fact"), stele_str("{}"), stele_str("model"), stele_str(""), STELE_TIER_READ, &out, &err),
          STELE_INVALID, "not_permitted");
  REFUSED(stele_call(record, stele_str("headd"), stele_str(""), &out, &err), STELE_INVALID, "unknown_value");
  REFUSED(stele_call(record, stele_str("get"), stele_str("{\"ib\": 1}"), &out, &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_recorder_call(recorder, stele_str("head"), stele_str(""), &out, &err), STELE_INVALID, "unknown_value");
  REFUSED(stele_recorder_call(recorder, stele_str("fact"), stele_str("{"), &out, &err), STELE_INVALID, "bad_argument");
  CHECK(out.ptr == NULL);
  CHECK(stele_tokens(stele_str("a few words of text")) > 3 && stele_tokens(stele_str("")) == 0);
  stele_recorder_free(recorder);
  stele_free(record);
}

static void a_session_is_told_what_it_was_not_served(void) {
  stele_t *record = check_open("sessions");
  stele_recorder_t *recorder = check_recorder(record);
  const stele_anchor_t anchors[1] = {{stele_str("src/gauge.c"), stele_str("")}};
  SIZED(stele_fact_t, fact);
  fact.category = STELE_CATEGORY_LESSON;
  fact.title = stele_str("`E42: gauge stuck` means that the port is blocked");
  fact.body = stele_str("Clean it.");
  fact.anchors = anchors;
  fact.anchors_len = 1;
  FINE(stele_fact(recorder, &fact, NULL, &err));
  check_fact(recorder, "The barometer calibration runs daily", "");

  stele_session_t *session = NULL;
  SIZED(stele_session_options_t, options);
  options.name = stele_str("s1");
  options.actor = stele_str("ctest");
  FINE(stele_session_new(record, &options, &session, &err));
  stele_moment_t *moment = NULL;
  SIZED(stele_entry_t, entry);
  FINE(stele_on_start(session, &moment, &err));
  stele_moment_free(moment);
  FINE(stele_on_edit(session, stele_str("src/gauge.c"), stele_str(""), &moment, &err));
  CHECK(has_text(stele_moment_text(moment), "E42") && stele_moment_nudge(moment).len > 0 && stele_moment_len(moment) == 1);
  CHECK(stele_moment_entry(moment, 0, &entry) && entry.category == STELE_CATEGORY_LESSON && entry.role == STELE_ROLE_CUED);
  CHECK(stele_moment_callouts_len(moment) == 0 && !stele_moment_callout(moment, 0, &entry));
  stele_moment_free(moment);
  FINE(stele_on_output(session, stele_str("run: E42: gauge stuck at 3"), &moment, &err));
  CHECK(stele_moment_len(moment) == 1);
  FINE(stele_delivered_moment(session, moment, &err));
  stele_moment_free(moment);
  FINE(stele_on_output(session, stele_str("run: E42: gauge stuck at 3"), &moment, &err));
  CHECK(stele_moment_len(moment) == 0 && stele_moment_text(moment).len == 0);
  stele_moment_free(moment);
  FINE(stele_on_complete(session, stele_str(""), &moment, &err));
  stele_moment_free(moment);

  stele_context_t *context = NULL;
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
  FINE(stele_on_prompt(session, &assembly, NULL, 0, &context, &err));
  CHECK(stele_context_turn(context) == 0 && has_text(stele_context_text(context), "runs daily"));
  CHECK(stele_retrieval_status(stele_context_record(context)) == STELE_STATUS_FOUND);
  CHECK(stele_context_digest(context).len == 64 && stele_context_tokens(context) > 0 && stele_context_item_id(context).len == 0);
  stele_context_free(context);
  FINE(stele_on_prompt(session, &assembly, NULL, 0, &context, &err));
  CHECK(stele_context_turn(context) == 1 && stele_retrieval_status(stele_context_record(context)) == STELE_STATUS_SERVED);
  stele_context_free(context);
  uint64_t turn = 0;
  FINE(stele_turn(session, &turn, &err));
  CHECK(turn == 2);
  FINE(stele_compacted(session, &err));
  FINE(stele_on_prompt(session, &assembly, NULL, 0, &context, &err));
  CHECK(stele_retrieval_status(stele_context_record(context)) == STELE_STATUS_FOUND);
  CHECK(has_text(stele_context_item_id(context), "context"));
  stele_context_free(context);
  FINE(stele_pause(session, 1, &err));
  FINE(stele_on_edit(session, stele_str("src/gauge.c"), stele_str(""), &moment, &err));
  CHECK(stele_moment_text(moment).len == 0);
  stele_moment_free(moment);
  FINE(stele_pause(session, 0, &err));
  FINE(stele_new_phase(session, &err));
  FINE(stele_set_mode(session, stele_str("debug"), &err));
  FINE(stele_set_aggressiveness(session, STELE_AGGRESSIVENESS_QUIET, &err));
  REFUSED(stele_set_aggressiveness(session, 2, &err), STELE_INVALID, "unknown_value");
  stele_session_free(session);
  stele_recorder_free(recorder);
  stele_free(record);
}

/* How often a word stands in a text. */
static size_t count(const char *text, const char *word) {
  size_t found = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) { found += 1; }
  return found;
}

static void zero_is_every_default(void) {
  stele_t *record = check_open("zero");
  stele_recorder_t *recorder = check_recorder(record);
  for (int at = 0; at < 24; at += 1) {
    char title[80];
    snprintf(title, sizeof title, at == 0 ? "The barometer calibration runs daily" : "Shed %d wants paint", at);
    check_fact(recorder, title, "");
  }
  stele_retriever_t *retriever = NULL;
  FINE(stele_retriever_new(record, 0, &retriever, &err));
  char arguments[200];
  stele_buf_t said = {NULL, 0};

  SIZED(stele_search_t, search);
  search.query = stele_str("shed paint");
  stele_hits_t *hits = NULL;
  FINE(stele_search(retriever, &search, &hits, &err));
  FINE(stele_call(record, stele_str("search"), stele_str("{\"query\": \"shed paint\"}"), &said, &err));
  CHECK(stele_hits_len(hits) == 10 && count(said.ptr, "\"text_rank\"") == 10);
  stele_hits_free(hits);
  stele_buf_free(&said);

  snprintf(arguments, sizeof arguments, "{\"prompt\": \"%s\"}", PROMPT);
  SIZED(stele_query_t, query);
  query.prompt = stele_str(PROMPT);
  stele_retrieval_t *found = NULL;
  FINE(stele_retrieve(retriever, &query, &found, &err));
  FINE(stele_call(record, stele_str("retrieve"), stele_str(arguments), &said, &err));
  CHECK(stele_retrieval_len(found) >= 1 && stele_retrieval_len(found) == count(said.ptr, "\"seed_rank\""));
  stele_retrieval_free(found);
  stele_buf_free(&said);

  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  stele_context_t *context = NULL;
  FINE(stele_assemble(record, &assembly, NULL, 0, &context, &err));
  FINE(stele_call(record, stele_str("assemble"), stele_str(arguments), &said, &err));
  char digest[65] = "";
  memcpy(digest, stele_context_digest(context).ptr, 64);
  CHECK(strstr(said.ptr, digest) != NULL);
  stele_context_free(context);
  stele_buf_free(&said);

  stele_id_t id;
  SIZED(stele_task_t, task);
  task.title = stele_str("Dig");
  FINE(stele_task(recorder, &task, &id, &err));
  FINE(stele_call(record, stele_str("get"), stele_str("{\"id\": \"TASK-25\"}"), &said, &err));
  char *typed = said.ptr;
  FINE(stele_recorder_call(recorder, stele_str("task"), stele_str("{\"title\": \"Dig\"}"), &said, &err));
  stele_buf_free(&said);
  FINE(stele_call(record, stele_str("get"), stele_str("{\"id\": \"TASK-26\"}"), &said, &err));
  const char *fields[4] = {"\"priority\":2", "\"status\":\"open\"", "\"component\":null", "\"expires_at\":null"};
  for (size_t at = 0; at < 4; at += 1) { CHECK(strstr(typed, fields[at]) != NULL && strstr(said.ptr, fields[at]) != NULL); }
  stele_buf_t first = {typed, strlen(typed)};
  stele_buf_free(&first);
  stele_buf_free(&said);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  stele_free(record);
}

int main(int argc, char **argv) {
  if (check_begin(argc, argv) != 0) { return 1; }
  CHECK(stele_abi_version() == STELE_ABI_VERSION);
  CHECK(strlen(stele_version()) > 0);
  writes_and_reads();
  a_task_has_one_holder();
  verbs_are_called_with_json();
  zero_is_every_default();
  a_session_is_told_what_it_was_not_served();
  return check_end("basics");
}
