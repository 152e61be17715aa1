/* Two decisions, one of which ends the other, and a question that uses the words of the one that ended. */

#include <stdio.h>

#include "stele.h"

/* Ends the program with what an error says. */
static int failed(stele_error_t *err) {
  const stele_str_t message = stele_error_message(err);
  fprintf(stderr, "%.*s\n", (int)message.len, message.ptr);
  stele_error_free(err);
  return 1;
}

int main(int argc, char **argv) {
  stele_error_t *err = NULL;
  stele_t *record = NULL;
  stele_open_options_t options = {.struct_size = sizeof options, .path = stele_str(argc > 1 ? argv[1] : ".stele")};
  if (stele_open(&options, &record, &err) != STELE_OK) { return failed(err); }

  stele_recorder_t *recorder = NULL;
  if (stele_recorder_new(record, stele_str("ana"), stele_str(""), &recorder, &err) != STELE_OK) { return failed(err); }
  const char *facts[2][2] = {
      {"Keep sessions in DynamoDB", "The table is shared with billing."},
      {"Keep sessions in PostgreSQL", "The DynamoDB table was deleted on 3 March, sessions live in PostgreSQL now."},
  };
  stele_id_t ids[2];
  for (int at = 0; at < 2; at += 1) {
    stele_fact_t fact = {.struct_size = sizeof fact, .category = STELE_CATEGORY_DECISION};
    fact.title = stele_str(facts[at][0]);
    fact.body = stele_str(facts[at][1]);
    if (stele_fact(recorder, &fact, &ids[at], &err) != STELE_OK) { return failed(err); }
  }
  if (stele_supersede(recorder, stele_id_str(&ids[1]), stele_id_str(&ids[0]), stele_str("The table that held the sessions is gone"),
                      stele_str("The DynamoDB table was deleted on 3 March"), stele_str(""), &err) != STELE_OK) {
    return failed(err);
  }

  stele_retriever_t *retriever = NULL;
  stele_retrieval_t *found = NULL;
  stele_query_t query = {.struct_size = sizeof query, .prompt = stele_str("Which DynamoDB table holds our sessions?")};
  if (stele_retriever_new(record, 0, &retriever, &err) != STELE_OK || stele_retrieve(retriever, &query, &found, &err) != STELE_OK) {
    return failed(err);
  }
  for (size_t at = 0; at < stele_retrieval_len(found); at += 1) {
    stele_entry_t entry = {.struct_size = sizeof entry};
    if (!stele_retrieval_entry(found, at, &entry)) { break; }
    printf("%s %.*s%s\n", entry.id.text, (int)entry.title.len, entry.title.ptr, entry.state == STELE_STATE_LIVE ? "" : " (no longer)");
  }

  stele_retrieval_free(found);
  stele_retriever_free(retriever);
  stele_recorder_free(recorder);
  stele_free(record);
  return 0;
}
