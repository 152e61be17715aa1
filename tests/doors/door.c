/* The scenarios' door in C: each verb by stele_call. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

/* The records that are open, each under the name of its handle. */
enum { HANDLES = 8 };
static struct {
  char name[32];
  stele_t *record;
} handles[HANDLES];

/* The place of a handle, or a free one for a new name. */
static size_t place(const char *name) {
  size_t at = 0;
  while (at < HANDLES - 1 && handles[at].record != NULL && strcmp(handles[at].name, name) != 0) { at += 1; }
  return at;
}

/* The part of a line up to the next tab, which is taken off it. */
static char *part(char **line) {
  char *own = *line, *tab = strchr(own, '\t');
  if (tab != NULL) { *tab++ = '\0'; }
  *line = tab == NULL ? own + strlen(own) : tab;
  return own;
}

static stele_status_t open_record(const char *handle, const char *folder, const char *how, stele_error_t **err) {
  const size_t at = place(handle);
  stele_open_options_t options = {.struct_size = sizeof options, .path = stele_str(folder)};
  options.read_only = strstr(how, "read_only") != NULL;
  options.no_create = strstr(how, "no_create") != NULL;
  options.no_embedder = strstr(how, "no_embedder") != NULL;
  stele_t *fresh = NULL;
  const stele_status_t status = stele_open(&options, &fresh, err);
  if (status == STELE_OK) {
    stele_free(handles[at].record);
    handles[at].record = fresh;
    snprintf(handles[at].name, sizeof handles[at].name, "%s", handle);
  }
  return status;
}

/* Closed, but not freed: what is called on it says so. */
static stele_status_t close_record(const char *handle, stele_error_t **err) {
  stele_t *record = handles[place(handle)].record;
  return record == NULL ? STELE_OK : stele_close(record, err);
}

static void say_error(stele_error_t *err) {
  stele_buf_t json = {NULL, 0};
  if (stele_error_json(err, &json, NULL) != STELE_OK) { exit(1); }
  printf("error\t{\"retryable\":%s,%s\n", stele_error_retryable(err) ? "true" : "false", json.ptr + 1);
  stele_buf_free(&json);
}

int main(void) {
  const size_t size = (size_t)1 << 25;
  char *line = malloc(size);
  if (line == NULL) { return 1; }
  while (fgets(line, (int)size, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *rest = line;
    const char *word = part(&rest), *handle = part(&rest), *first = part(&rest);
    stele_error_t *err = NULL;
    stele_buf_t result = {NULL, 0};
    stele_status_t status;
    if (strcmp(word, "open") == 0) {
      status = open_record(handle, first, rest, &err);
    } else if (strcmp(word, "close") == 0) {
      status = close_record(handle, &err);
    } else {
      status = stele_call(handles[place(handle)].record, stele_str(first), stele_str(rest), &result, &err);
    }
    if (status == STELE_OK) {
      printf("ok\t%s\n", result.len == 0 ? "null" : result.ptr);
    } else {
      say_error(err);
    }
    fflush(stdout);
    stele_buf_free(&result);
    stele_error_free(err);
  }
  for (size_t at = 0; at < HANDLES; at += 1) { stele_free(handles[at].record); }
  free(line);
  return 0;
}
