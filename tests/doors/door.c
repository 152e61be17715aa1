/* The scenarios' door in C: each verb by stele_call. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

static const char *const kinds[] = {"ok",   "invalid", "not_found",    "conflict", "busy",    "closed",
                                    "io",   "corrupt", "incompatible", "provider", "internal"};

int main(void) {
  stele_t *record = NULL;
  size_t size = 1 << 24;
  char *line = malloc(size);
  if (line == NULL) { return 1; }
  while (fgets(line, (int)size, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *rest = strchr(line, '\t');
    if (rest != NULL) { *rest++ = '\0'; }
    stele_error_t *err = NULL;
    stele_buf_t result = {NULL, 0};
    stele_status_t status;
    if (strcmp(line, "open") == 0 && rest != NULL) {
      stele_open_options_t options = {.struct_size = sizeof options, .path = stele_str(rest)};
      status = stele_open(&options, &record, &err);
    } else if (strcmp(line, "close") == 0) {
      status = stele_close(record, &err);
      stele_free(record);
      record = NULL;
    } else if (rest != NULL && strchr(rest, '\t') != NULL) {
      char *arguments = strchr(rest, '\t');
      *arguments++ = '\0';
      status = stele_call(record, stele_str(rest), stele_str(arguments), &result, &err);
    } else {
      return 1;
    }
    if (status == STELE_OK) {
      printf("ok\t%s\n", result.len == 0 ? "null" : result.ptr);
    } else {
      const stele_str_t code = stele_error_code(err);
      printf("error\t%s\t%.*s\n", kinds[status], (int)code.len, code.ptr);
    }
    fflush(stdout);
    stele_buf_free(&result);
    stele_error_free(err);
  }
  stele_free(record);
  free(line);
  return 0;
}
