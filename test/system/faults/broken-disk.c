/*
 * Stands before the C library of a server under test (LD_PRELOAD) and lets calls on its tree files fail.
 * What fails is said by files in the folder FAULTS, so that a test can change it while the server runs:
 *   full         no room: writes and lengthenings of the tree's files fail with ENOSPC
 *   sync         syncs of the write-ahead log fail with EIO
 *   checkpoint   writes to the database file itself fail with EIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_on(const char *fault) {
  const char *folder = getenv("FAULTS");
  char path[4096];
  if (folder == NULL) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, fault);
  return access(path, F_OK) == 0;
}

/* Whether a descriptor is of a file whose name ends so. */
static int ends(int descriptor, const char *suffix) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  size_t wanted = strlen(suffix);
  if (length < (ssize_t)wanted) return 0;
  path[length] = 0;
  return strcmp(path + length - wanted, suffix) == 0;
}

static int is_log(int descriptor) { return ends(descriptor, ".sqlite-wal"); }
static int is_database(int descriptor) { return ends(descriptor, ".sqlite"); }

/* 0, or what the call fails with. */
static int write_fault(int descriptor) {
  if (descriptor < 3) return 0;
  if (is_on("full") && (is_log(descriptor) || is_database(descriptor))) return ENOSPC;
  if (is_on("checkpoint") && is_database(descriptor)) return EIO;
  return 0;
}

static int sync_fault(int descriptor) { return is_on("sync") && is_log(descriptor) ? EIO : 0; }

#define FAIL_WITH(fault) \
  do { \
    int found = (fault); \
    if (found != 0) { \
      errno = found; \
      return -1; \
    } \
  } while (0)

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = dlsym(RTLD_NEXT, name)

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  FAIL_WITH(write_fault(descriptor));
  return real(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  FAIL_WITH(write_fault(descriptor));
  return real(descriptor, bytes, count);
}

int fdatasync(int descriptor) {
  REAL(int, "fdatasync", int);
  FAIL_WITH(sync_fault(descriptor));
  return real(descriptor);
}

int fsync(int descriptor) {
  REAL(int, "fsync", int);
  FAIL_WITH(sync_fault(descriptor));
  return real(descriptor);
}
