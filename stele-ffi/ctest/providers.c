/* Providers: called back, and driven by a plan. They answer, fail, call back into the library, or close the record. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "check.h"

static const char *PROMPT = "what do we know about the barometer calibration?";

/* What a callback is given by its host. */
typedef struct {
  stele_t *record;
  int called;
  const char *answer;
} host_t;

static int32_t answers(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  host_t *host = (host_t *)ctx;
  host->called += 1;
  if (request->struct_size != sizeof *request || !is_text(request->prompt, PROMPT) || request->token_budget == 0) { return 7; }
  if (stele_sink_write(sink, stele_str(host->answer)) != STELE_OK) { return 8; }
  SIZED(stele_provider_entry_t, entry);
  entry.text = stele_str("An entry with its source.");
  entry.source_uri = stele_str("wiki/barometer");
  entry.source_quote = stele_str("An entry");
  entry.source_revision = stele_str("r7");
  entry.fetched_at_unix_ms = 1700000000000;
  if (stele_sink_entry(sink, &entry) != STELE_OK) { return 9; }
  return stele_sink_warn(sink, stele_str("Only half of it was read."));
}

static int32_t fails(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  (void)request;
  ((host_t *)ctx)->called += 1;
  (void)stele_sink_write(sink, stele_str("This is not shown."));
  (void)stele_sink_fail(sink, stele_str("the wiki is down"));
  return 0;
}

static int32_t gives_a_number(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  (void)ctx;
  (void)request;
  (void)sink;
  return 3;
}

static int32_t writes_no_text(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  (void)ctx;
  (void)request;
  const stele_str_t none = {"\xff\xfe", 2};
  return stele_sink_write(sink, none) == STELE_INVALID ? 0 : 1;
}

/* Calls the library from inside: reads, writes, and assembles once more. */
static int32_t reenters(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  host_t *host = (host_t *)ctx;
  (void)request;
  host->called += 1;
  stele_recorder_t *recorder = check_recorder(host->record);
  check_fact(recorder, "Written from inside a provider", "");
  stele_recorder_free(recorder);
  stele_context_t *context = NULL;
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
  FINE(stele_assemble(host->record, &assembly, NULL, 0, &context, &err));
  const stele_status_t said = stele_sink_write(sink, stele_str(has_text(stele_context_text(context), "runs daily") ? "It was found." : "Nothing."));
  stele_context_free(context);
  return said;
}

static int32_t closes(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  host_t *host = (host_t *)ctx;
  (void)request;
  host->called += 1;
  FINE(stele_close(host->record, &err));
  return stele_sink_write(sink, stele_str("Closed meanwhile."));
}

static int32_t frees(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  host_t *host = (host_t *)ctx;
  (void)request;
  stele_free(host->record);
  host->record = NULL;
  return stele_sink_write(sink, stele_str("Freed meanwhile."));
}

/* How a provider of that name ended; -1 if there was none. */
static int32_t ended(const stele_context_t *context, const char *name) {
  for (size_t at = 0; at < stele_context_outcomes_len(context); at += 1) {
    SIZED(stele_outcome_t, outcome);
    CHECK(stele_context_outcome(context, at, &outcome));
    if (is_text(outcome.provider, name)) { return outcome.result; }
  }
  return -1;
}

static void declare(stele_declaration_t *declaration, const char *name) {
  memset(declaration, 0, sizeof *declaration);
  declaration->struct_size = (uint32_t)sizeof *declaration;
  declaration->category = STELE_PROVIDER_CATEGORY_MEMORY;
  declaration->name = stele_str(name);
  declaration->timeout_ms = PATIENCE_MS;
}

static stele_t *record_with_a_fact(const char *name) {
  stele_t *record = check_open(name);
  stele_recorder_t *recorder = check_recorder(record);
  check_fact(recorder, "The barometer calibration runs daily", "");
  stele_recorder_free(recorder);
  return record;
}

static void callbacks_answer_fail_and_reenter(void) {
  host_t host = {record_with_a_fact("callbacks"), 0, "Ask Ada."};
  stele_declaration_t declarations[6];
  stele_provider_t providers[6];
  const char *names[6] = {"wiki", "down", "number", "no_text", "inside", "gated"};
  int32_t (*const functions[6])(void *, const stele_request_t *, stele_sink_t *) = {answers, fails, gives_a_number, writes_no_text, reenters, answers};
  memset(providers, 0, sizeof providers);
  for (size_t at = 0; at < 6; at += 1) {
    declare(&declarations[at], names[at]);
    providers[at].struct_size = (uint32_t)sizeof providers[at];
    providers[at].declaration = &declarations[at];
    providers[at].ctx = &host;
    providers[at].fetch = functions[at];
  }
  const stele_str_t needs[1] = {stele_str("network")};
  declarations[5].capabilities = needs;
  declarations[5].capabilities_len = 1;
  stele_context_t *context = NULL;
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
  FINE(stele_assemble(host.record, &assembly, providers, 6, &context, &err));
  CHECK(host.called == 3);
  CHECK(ended(context, "wiki") == STELE_OUTCOME_INCLUDED && ended(context, "down") == STELE_OUTCOME_FAILED);
  CHECK(ended(context, "number") == STELE_OUTCOME_FAILED && ended(context, "no_text") == STELE_OUTCOME_FAILED);
  CHECK(ended(context, "inside") == STELE_OUTCOME_INCLUDED && ended(context, "gated") == STELE_OUTCOME_CAPABILITY_GATED);
  CHECK(ended(context, "nobody") == -1);
  const stele_str_t text = stele_context_text(context);
  CHECK(has_text(text, "Ask Ada.") && has_text(text, "An entry with its source.") && has_text(text, "It was found.") && has_text(text, "runs daily"));
  CHECK(!has_text(text, "This is not shown.") && has_text(text, "Only half of it was read."));
  CHECK(has_text(text, "wiki/barometer @ r7"));
  CHECK(stele_context_warnings_len(context) > 0 && stele_context_warning(context, 0).len > 0 && stele_context_warning(context, 99).len == 0);
  bool seen = false;
  for (size_t at = 0; at < stele_context_sections_len(context); at += 1) {
    SIZED(stele_section_t, section);
    CHECK(stele_context_section(context, at, &section) && section.text.len > 0);
    seen |= is_text(section.provider, "wiki") && section.category == STELE_PROVIDER_CATEGORY_MEMORY && section.tokens > 0;
  }
  CHECK(seen);
  stele_buf_t json = {NULL, 0};
  FINE(stele_render(context, STELE_FORMAT_JSON, &json, &err));
  CHECK(strstr(json.ptr, "\"result\":\"capability_gated\"") != NULL);
  stele_buf_free(&json);
  FINE(stele_render(context, STELE_FORMAT_TEXT, &json, &err));
  CHECK(json.len == text.len);
  stele_buf_free(&json);
  REFUSED(stele_render(context, 5, &json, &err), STELE_INVALID, "unknown_value");
  stele_context_free(context);

  context = NULL;
  assembly.strict = 1;
  REFUSED(stele_assemble(host.record, &assembly, &providers[1], 1, &context, &err), STELE_PROVIDER, "provider_failed");
  CHECK(context == NULL);
  providers[0].fetch = NULL;
  REFUSED(stele_assemble(host.record, &assembly, providers, 1, &context, &err), STELE_INVALID, "bad_argument");
  providers[0].fetch = answers;
  providers[0].declaration = NULL;
  REFUSED(stele_assemble(host.record, &assembly, providers, 1, &context, &err), STELE_INVALID, "bad_argument");
  stele_free(host.record);
}

static void a_callback_may_close_or_free_the_record(void) {
  int32_t (*const functions[2])(void *, const stele_request_t *, stele_sink_t *) = {closes, frees};
  const char *names[2] = {"closing", "freeing"};
  for (size_t at = 0; at < 2; at += 1) {
    host_t host = {record_with_a_fact(names[at]), 0, ""};
    stele_t *record = host.record;
    stele_declaration_t declaration;
    declare(&declaration, names[at]);
    SIZED(stele_provider_t, provider);
    provider.declaration = &declaration;
    provider.ctx = &host;
    provider.fetch = functions[at];
    stele_context_t *context = NULL;
    SIZED(stele_assembly_t, assembly);
    assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
    stele_error_t *err = NULL;
    const stele_status_t said = stele_assemble(record, &assembly, &provider, 1, &context, &err);
    CHECK(said == STELE_OK || said == STELE_CLOSED);
    CHECK(said != STELE_OK || ended(context, names[at]) == STELE_OUTCOME_INCLUDED);
    stele_context_free(context);
    stele_error_free(err);
    if (host.record != NULL) {
      uint64_t head = 0;
      REFUSED(stele_head(record, &head, &err), STELE_CLOSED, "closed");
      stele_free(record);
    }
  }
}

/* Takes longer than it may. */
static int32_t dawdles(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  const struct timespec moment = {0, 600000000};
  (void)ctx, (void)request;
  nanosleep(&moment, NULL);
  return stele_sink_write(sink, stele_str("Too late."));
}

static int32_t says_at_once(void *ctx, const stele_request_t *request, stele_sink_t *sink) {
  (void)ctx;
  return request->remaining_ms == 0 ? 1 : stele_sink_write(sink, stele_str("At once."));
}

static void one_that_dawdles_takes_no_time_from_the_next(void) {
  stele_t *record = record_with_a_fact("dawdling");
  stele_declaration_t declarations[2];
  declare(&declarations[0], "slow");
  declare(&declarations[1], "quick");
  declarations[0].timeout_ms = declarations[1].timeout_ms = 500;
  stele_provider_t providers[2];
  memset(providers, 0, sizeof providers);
  for (size_t at = 0; at < 2; at += 1) {
    providers[at].struct_size = (uint32_t)sizeof providers[at];
    providers[at].declaration = &declarations[at];
  }
  providers[0].fetch = dawdles;
  providers[1].fetch = says_at_once;
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
  stele_context_t *context = NULL;
  FINE(stele_assemble(record, &assembly, providers, 2, &context, &err));
  CHECK(ended(context, "slow") == STELE_OUTCOME_TIMED_OUT && ended(context, "quick") == STELE_OUTCOME_INCLUDED);
  stele_context_free(context);
  stele_free(record);
}

static void a_plan_is_driven_by_its_host(void) {
  stele_t *record = record_with_a_fact("plans");
  stele_session_t *session = NULL;
  SIZED(stele_session_options_t, options);
  options.name = stele_str("s1");
  FINE(stele_session_new(record, &options, &session, &err));
  stele_declaration_t declarations[3];
  const char *names[3] = {"first", "second", "silent"};
  for (size_t at = 0; at < 3; at += 1) { declare(&declarations[at], names[at]); }
  declarations[2].timeout_ms = 1;
  stele_plan_t *plan = NULL;
  stele_context_t *context = NULL;
  SIZED(stele_assembly_t, assembly);
  assembly.prompt = stele_str(PROMPT);
  assembly.deadline_ms = PATIENCE_MS;
  FINE(stele_session_plan(session, &assembly, declarations, 3, &plan, &err));
  stele_request_t requests[3];
  bool more = false;
  for (size_t at = 0; at < 3; at += 1) {
    memset(&requests[at], 0, sizeof requests[at]);
    requests[at].struct_size = (uint32_t)sizeof requests[at];
    FINE(stele_plan_next(plan, &requests[at], &more, &err));
    CHECK(more && requests[at].index == at && is_text(requests[at].session, "s1") && is_text(requests[at].mode, "work"));
  }
  SIZED(stele_request_t, beyond);
  beyond.index = 99;
  FINE(stele_plan_next(plan, &beyond, &more, &err));
  CHECK(!more && beyond.index == 99);
  /* In any order; texts of requests are good as long as the plan is. */
  CHECK(is_text(requests[0].prompt, PROMPT) && requests[0].provider.len > 0);
  CHECK(!stele_plan_cancelled(plan, requests[0].index) && stele_plan_cancelled(plan, 42));
  SIZED(stele_provider_entry_t, entry);
  entry.text = stele_str("From the second.");
  for (size_t at = 3; at > 0; at -= 1) {
    const stele_request_t *request = &requests[at - 1];
    if (is_text(request->provider, "first")) { FINE(stele_plan_supply(plan, request->index, stele_str("From the first."), &err)); }
    if (is_text(request->provider, "second")) { FINE(stele_plan_supply_entries(plan, request->index, &entry, 1, &err)); }
  }
  REFUSED(stele_plan_supply(plan, 42, stele_str("x"), &err), STELE_INVALID, "bad_argument");
  REFUSED(stele_plan_fail(plan, 42, stele_str("x"), &err), STELE_INVALID, "bad_argument");
  FINE(stele_plan_finish(plan, &context, &err));
  CHECK(ended(context, "first") == STELE_OUTCOME_INCLUDED && ended(context, "second") == STELE_OUTCOME_INCLUDED);
  CHECK(ended(context, "silent") == STELE_OUTCOME_TIMED_OUT);
  CHECK(has_text(stele_context_text(context), "From the first.") && has_text(stele_context_text(context), "From the second."));
  FINE(stele_delivered_context(session, context, &err));
  stele_context_free(context);
  stele_plan_free(plan);
  uint64_t turn = 0;
  FINE(stele_turn(session, &turn, &err));
  CHECK(turn == 1);

  /* One that fails, and one that is given up before it is finished. */
  FINE(stele_plan_new(record, &assembly, declarations, 1, &plan, &err));
  FINE(stele_plan_next(plan, &beyond, &more, &err));
  FINE(stele_plan_fail(plan, beyond.index, stele_str("no network"), &err));
  FINE(stele_plan_finish(plan, &context, &err));
  CHECK(ended(context, "first") == STELE_OUTCOME_FAILED);
  stele_context_free(context);
  stele_plan_free(plan);
  FINE(stele_plan_new(record, &assembly, declarations, 3, &plan, &err));
  FINE(stele_plan_next(plan, &beyond, &more, &err));
  stele_plan_free(plan);
  stele_session_free(session);
  stele_free(record);
}

int main(int argc, char **argv) {
  if (check_begin(argc, argv) != 0) { return 1; }
  callbacks_answer_fail_and_reenter();
  a_callback_may_close_or_free_the_record();
  one_that_dawdles_takes_no_time_from_the_next();
  a_plan_is_driven_by_its_host();
  return check_end("providers");
}
