/* What the C tests share: checks that name their line, structs that are zero but for their size, and a record in a folder
 * that the program was given. */
#ifndef STELE_CTEST_CHECK_H
#define STELE_CTEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

/* A time that is never over, also under valgrind. */
#define PATIENCE_MS 60000

static const char *check_folder = "";
static int check_count = 0;

static inline void check_failed(const char *file, int line, const char *what, stele_error_t *err) {
  const stele_str_t said = stele_error_message(err);
  fprintf(stderr, "%s:%d: %s\n%.*s\n", file, line, what, (int)said.len, said.ptr == NULL ? "" : said.ptr);
  exit(1);
}

/* Fails unless something holds. */
#define CHECK(what)                                                  \
  do {                                                               \
    check_count += 1;                                                \
    if (!(what)) { check_failed(__FILE__, __LINE__, #what, NULL); }  \
  } while (0)

/* Fails unless a call, which takes `&err`, goes well. */
#define FINE(call)                                                                    \
  do {                                                                                \
    stele_error_t *err = NULL;                                                        \
    check_count += 1;                                                                 \
    if ((call) != STELE_OK || err != NULL) { check_failed(__FILE__, __LINE__, #call, err); } \
  } while (0)

/* Fails unless a call, which takes `&err`, is refused with a status and a code. */
#define REFUSED(call, status, code)                                                            \
  do {                                                                                         \
    stele_error_t *err = NULL;                                                                 \
    const stele_status_t said = (call);                                                        \
    check_count += 1;                                                                          \
    if (said != (status) || stele_error_kind(err) != (status) || !is_text(stele_error_code(err), code)) { \
      check_failed(__FILE__, __LINE__, #call, err);                                            \
    }                                                                                          \
    CHECK(stele_error_message(err).len > 0);                                                   \
    stele_error_free(err);                                                                     \
  } while (0)

/* Declares a struct that is zero but for its size. */
#define SIZED(type, name)      \
  type name;                   \
  memset(&name, 0, sizeof name); \
  name.struct_size = (uint32_t)sizeof name

static inline bool is_text(stele_str_t text, const char *wanted) {
  return text.len == strlen(wanted) && (text.len == 0 || memcmp(text.ptr, wanted, text.len) == 0);
}

static inline bool has_text(stele_str_t text, const char *part) {
  const size_t len = strlen(part);
  for (size_t at = 0; at + len <= text.len; at += 1) {
    if (memcmp(text.ptr + at, part, len) == 0) { return true; }
  }
  return false;
}

/* A record of that name in the test's folder, searched by words only. */
static inline stele_t *check_open(const char *name) {
  char path[4096];
  stele_t *record = NULL;
  SIZED(stele_open_options_t, options);
  snprintf(path, sizeof path, "%s/%s", check_folder, name);
  options.path = stele_str(path);
  options.no_embedder = 1;
  options.durability = STELE_DURABILITY_NORMAL;
  FINE(stele_open(&options, &record, &err));
  return record;
}

static inline stele_recorder_t *check_recorder(const stele_t *record) {
  stele_recorder_t *recorder = NULL;
  FINE(stele_recorder_new(record, stele_str("ctest"), stele_str(""), &recorder, &err));
  return recorder;
}

/* Records a decision and gives its id. */
static inline stele_id_t check_fact(const stele_recorder_t *recorder, const char *title, const char *body) {
  stele_id_t id;
  SIZED(stele_fact_t, fact);
  fact.category = STELE_CATEGORY_DECISION;
  fact.title = stele_str(title);
  fact.body = stele_str(body);
  FINE(stele_fact(recorder, &fact, &id, &err));
  return id;
}

/* The folder in which the program works. */
static inline int check_begin(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 1;
  }
  check_folder = argv[1];
  return 0;
}

static inline int check_end(const char *name) {
  printf("%s: %d checks\n", name, check_count);
  return 0;
}

#endif
