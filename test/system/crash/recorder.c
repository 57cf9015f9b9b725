/*
 * Writes down, in order, what a process does to the files of one folder. It is loaded before the C library (LD_PRELOAD)
 * and has the kernel stop every call that changes a file or makes a change durable, whoever makes it: SQLite through
 * the C library, or the runtime by itself. The signal that comes instead makes the real call and appends a record.
 *
 *   RECORDER_ROOT         the folder, absolute and without links; files that end in -shm are left out, they are no storage
 *   RECORDER_LOG          the log; others may append records of their own
 *   RECORDER_SYNC_US      longest time by which a sync takes longer, in microseconds, so that more happens meanwhile
 *   RECORDER_NO_DATASYNC  set: fdatasync does nothing and says it is done
 *
 * SIGSTKFLT, which nobody else sends, kills the process as SIGKILL does, but never between a call and its record.
 *
 * A record is a head of 32 bytes, integers of the machine, and a body:
 *   u32 kind, u32 length of the body, u64 file, u64 number, u64 unused
 * See recording.ts for the kinds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE, SYNC_BEGUN, SYNC_ENDED, CREATED, FOLDER, RENAMED, REMOVED };

struct head {
  uint32_t kind, length;
  uint64_t file, number, unused;
};

/* The one place from which the kernel lets such calls through. It returns what the kernel does: below 0 is an error. */
long gate(long call, long a, long b, long c, long d, long e, long f) __attribute__((visibility("hidden")));
extern char behind_gate[] __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\n.hidden gate\n.globl gate\ngate:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\n.hidden behind_gate\n.globl behind_gate\nbehind_gate:\nret\n");
#define ARGUMENT(context, at) ((long)(context)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[at]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
__asm__(".text\n.hidden gate\n.globl gate\ngate:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\n"
        "svc #0\n.hidden behind_gate\n.globl behind_gate\nbehind_gate:\nret\n");
#define ARGUMENT(context, at) ((long)(context)->uc_mcontext.regs[at])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#else
#error "no gate for this processor"
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static size_t root_length;
static int log_descriptor = -1;
static unsigned longest_sync;
static int no_datasync;
static uint64_t syncs;

static void broken(const char *what) {
  dprintf(2, "recorder: %s\n", what);
  _exit(86);
}

static void append(uint32_t kind, uint64_t file, uint64_t number, const void *body, size_t length) {
  struct head head = {kind, (uint32_t)length, file, number, 0};
  struct iovec parts[2] = {{&head, sizeof head}, {(void *)body, length}};
  long written = gate(SYS_writev, log_descriptor, (long)parts, 2, 0, 0, 0);
  if (written != (long)(sizeof head + length)) broken("cannot write the log");
}

static int is_inside(const char *path) {
  size_t length = strlen(path);
  if (strncmp(path, root, root_length) != 0 || (path[root_length] != '/' && path[root_length] != 0)) return 0;
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

static int link_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length >= 0;
}

/* A file of ours is known by the number of its inode, whatever it is called. */
static int file_of(int descriptor, uint64_t *file) {
  struct stat state;
  char path[PATH_MAX];
  if (fstat(descriptor, &state) != 0 || (!S_ISREG(state.st_mode) && !S_ISDIR(state.st_mode))) return 0;
  if (!link_of(descriptor, path) || !is_inside(path)) return 0;
  *file = state.st_ino;
  return 1;
}

/* A name in a folder as a whole path, whether it is there or not. @returns whether it is one of ours */
static int whole_path(int folder, const char *path, char *whole) {
  char parent[PATH_MAX];
  const char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  size_t length = (size_t)(name - path);
  if (length + strlen(name) >= PATH_MAX) return 0;
  memcpy(parent, path, length);
  strcpy(parent + length, length == 0 ? "." : "");
  int descriptor = (int)gate(SYS_openat, folder, (long)parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
  if (descriptor < 0) return 0;
  int is_known = link_of(descriptor, whole);
  close(descriptor);
  length = strlen(whole);
  if (!is_known || length + 2 + strlen(name) > PATH_MAX) return 0;
  whole[length] = '/';
  strcpy(whole + length + 1, name);
  return is_inside(whole);
}

static void note_written(int descriptor, const void *bytes, long written, long at) {
  uint64_t file;
  if (written > 0 && file_of(descriptor, &file)) append(WRITE, file, (uint64_t)at, bytes, (size_t)written);
}

static void note_parts(int descriptor, const struct iovec *parts, int count, long written, long at) {
  for (int part = 0; part < count && written > 0; part++) {
    long share = (long)parts[part].iov_len < written ? (long)parts[part].iov_len : written;
    note_written(descriptor, parts[part].iov_base, share, at);
    at += share;
    written -= share;
  }
}

static long sync_noting(long call, int descriptor) {
  uint64_t file;
  if (!file_of(descriptor, &file)) return gate(call, descriptor, 0, 0, 0, 0, 0);
  if (call == SYS_fdatasync && no_datasync) return 0;
  pthread_mutex_lock(&lock);
  uint64_t number = ++syncs;
  append(SYNC_BEGUN, file, number, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (longest_sync > 0) usleep((unsigned)((uint32_t)number * 2654435761u % longest_sync));
  long result = gate(call, descriptor, 0, 0, 0, 0, 0);
  if (result == 0) append(SYNC_ENDED, file, number, NULL, 0);
  return result;
}

static long open_noting(int folder, const char *path, int flags, long mode) {
  struct stat state;
  char whole[PATH_MAX];
  int was_there = fstatat(folder, path, &state, 0) == 0;
  long descriptor = gate(SYS_openat, folder, (long)path, flags, mode, 0, 0);
  if (descriptor < 0 || (flags & O_TMPFILE) == O_TMPFILE) return descriptor;
  if (!link_of((int)descriptor, whole) || !is_inside(whole) || fstat((int)descriptor, &state) != 0) return descriptor;
  if (!was_there) append(CREATED, state.st_ino, 0, whole, strlen(whole));
  else if ((flags & O_TRUNC) != 0) append(TRUNCATE, state.st_ino, 0, NULL, 0);
  return descriptor;
}

static long make_folder(int folder, const char *path, long mode) {
  char whole[PATH_MAX];
  struct stat state;
  long result = gate(SYS_mkdirat, folder, (long)path, mode, 0, 0, 0);
  if (result == 0 && whole_path(folder, path, whole) && fstatat(folder, path, &state, 0) == 0) {
    append(FOLDER, state.st_ino, 0, whole, strlen(whole));
  }
  return result;
}

static long remove_noting(int folder, const char *path, long flags) {
  char whole[PATH_MAX];
  int is_ours = whole_path(folder, path, whole);
  long result = gate(SYS_unlinkat, folder, (long)path, flags, 0, 0, 0);
  if (result == 0 && is_ours) append(REMOVED, 0, 0, whole, strlen(whole));
  return result;
}

static long rename_noting(int from_folder, const char *from, int to_folder, const char *to, long flags) {
  char both[2 * PATH_MAX];
  int is_ours = whole_path(from_folder, from, both);
  size_t length = is_ours ? strlen(both) + 1 : 0;
  is_ours = is_ours && whole_path(to_folder, to, both + length);
  long result = gate(SYS_renameat2, from_folder, (long)from, to_folder, (long)to, flags, 0);
  if (result == 0 && is_ours) append(RENAMED, 0, 0, both, length + strlen(both + length));
  return result;
}

/* The call itself and its record are one: nobody else's comes between them. */
static long perform(long call, const long a[6]) {
  long result = gate(call, a[0], a[1], a[2], a[3], a[4], a[5]);
  switch (call) {
    case SYS_pwrite64:
      note_written((int)a[0], (const void *)a[1], result, a[3]);
      return result;
    case SYS_pwritev:
    case SYS_pwritev2:
      note_parts((int)a[0], (const struct iovec *)a[1], (int)a[2], result, a[3]);
      return result;
    case SYS_write:
      if (result > 0) note_written((int)a[0], (const void *)a[1], result, lseek((int)a[0], 0, SEEK_CUR) - result);
      return result;
    case SYS_writev:
      if (result > 0) {
        note_parts((int)a[0], (const struct iovec *)a[1], (int)a[2], result, lseek((int)a[0], 0, SEEK_CUR) - result);
      }
      return result;
    case SYS_ftruncate: {
      uint64_t file;
      if (result == 0 && file_of((int)a[0], &file)) append(TRUNCATE, file, (uint64_t)a[1], NULL, 0);
      return result;
    }
    default:
      return result;
  }
}

static long perform_named(long call, const long a[6]) {
  switch (call) {
    case SYS_openat: return open_noting((int)a[0], (const char *)a[1], (int)a[2], a[3]);
    case SYS_mkdirat: return make_folder((int)a[0], (const char *)a[1], a[2]);
    case SYS_unlinkat: return remove_noting((int)a[0], (const char *)a[1], a[2]);
    case SYS_renameat2: return rename_noting((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3], a[4]);
#ifdef SYS_renameat
    case SYS_renameat: return rename_noting((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3], 0);
#endif
#ifdef SYS_open
    case SYS_open: return open_noting(AT_FDCWD, (const char *)a[0], (int)a[1], a[2]);
    case SYS_creat: return open_noting(AT_FDCWD, (const char *)a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
    case SYS_mkdir: return make_folder(AT_FDCWD, (const char *)a[0], a[1]);
    case SYS_unlink: return remove_noting(AT_FDCWD, (const char *)a[0], 0);
    case SYS_rmdir: return remove_noting(AT_FDCWD, (const char *)a[0], AT_REMOVEDIR);
    case SYS_rename: return rename_noting(AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1], 0);
#endif
    default: return perform(call, a);
  }
}

static void on_call(int signal, siginfo_t *info, void *raw) {
  (void)signal;
  ucontext_t *context = raw;
  int kept = errno;
  long call = info->si_syscall;
  long a[6];
  for (int at = 0; at < 6; at++) a[at] = ARGUMENT(context, at);
  long result;
  struct stat state;
  int is_stream = (call == SYS_write || call == SYS_writev) && (fstat((int)a[0], &state) != 0 || !S_ISREG(state.st_mode));
  if (call == SYS_fsync || call == SYS_fdatasync) result = sync_noting(call, (int)a[0]);
  /* A pipe may keep its writer waiting. */
  else if (is_stream) result = gate(call, a[0], a[1], a[2], a[3], a[4], a[5]);
  else {
    pthread_mutex_lock(&lock);
    result = perform_named(call, a);
    pthread_mutex_unlock(&lock);
  }
  RESULT(context) = result;
  errno = kept;
}

/* Dies like from SIGKILL, but never between a call and its record. */
static void on_end(int signal) {
  (void)signal;
  pthread_mutex_lock(&lock);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* The runtime takes this signal too, for calls that a container forbids: ours must not be taken for those. */
int sigaction(int signal, const struct sigaction *action, struct sigaction *before) {
  static int (*real)(int, const struct sigaction *, struct sigaction *);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "sigaction");
  return real(signal, signal == SIGSYS && action != NULL && action->sa_sigaction != on_call ? NULL : action, before);
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), yes, no)
#define END(what) BPF_STMT(BPF_RET | BPF_K, what)
#define STOP(call) IF_EQUAL(call, 0, 1), END(SECCOMP_RET_TRAP)
/* Only an open that may make a file or cut one down. Flags are the low half of an argument. */
#define STOP_OPEN(call, argument) \
  IF_EQUAL(call, 0, 4), LOAD(args[argument]), \
  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1), END(SECCOMP_RET_TRAP), END(SECCOMP_RET_ALLOW)

static void stop_calls(void) {
  uint64_t behind = (uint64_t)(uintptr_t)behind_gate;
  struct sock_filter filter[] = {
      LOAD(instruction_pointer),
      IF_EQUAL(behind & 0xffffffff, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, instruction_pointer) + 4),
      IF_EQUAL(behind >> 32, 0, 1),
      END(SECCOMP_RET_ALLOW),
      LOAD(nr),
      STOP(SYS_write), STOP(SYS_writev), STOP(SYS_pwrite64), STOP(SYS_pwritev), STOP(SYS_pwritev2),
      STOP(SYS_ftruncate), STOP(SYS_fsync), STOP(SYS_fdatasync),
      STOP(SYS_mkdirat), STOP(SYS_unlinkat), STOP(SYS_renameat2),
#ifdef SYS_renameat
      STOP(SYS_renameat),
#endif
#ifdef SYS_open
      STOP(SYS_creat), STOP(SYS_mkdir), STOP(SYS_unlink), STOP(SYS_rmdir), STOP(SYS_rename),
      STOP_OPEN(SYS_open, 1),
#endif
      STOP_OPEN(SYS_openat, 2),
      END(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  struct sigaction action = {0};
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, NULL) != 0) broken("cannot take the signal");
  struct sigaction ending = {0};
  ending.sa_handler = on_end;
  sigfillset(&ending.sa_mask);
  if (sigaction(SIGSTKFLT, &ending, NULL) != 0) broken("cannot take the signal of the end");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) broken("cannot give up privileges");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) broken("the system does not let calls be stopped");
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORDER_LOG");
  root = getenv("RECORDER_ROOT");
  if (path == NULL || root == NULL) return;
  root_length = strlen(root);
  const char *microseconds = getenv("RECORDER_SYNC_US");
  longest_sync = microseconds == NULL ? 0 : (unsigned)atoi(microseconds);
  no_datasync = getenv("RECORDER_NO_DATASYNC") != NULL;
  syncs = (uint64_t)getpid() << 32;
  log_descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log_descriptor < 0) broken("cannot open the log");
  stop_calls();
}
