// Records what a process does to files below $RECORD_BELOW, for tests/torture/torn.py.
// LD_PRELOADed; each record is one line of text in $RECORD_TO, with data as raw bytes behind it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static const char *below;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    below = getenv("RECORD_BELOW");
    const char *to = getenv("RECORD_TO");
    if (below && to) out = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// The path of a descriptor of a file below the folder; 0 if it is not one.
static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return out >= 0 && fd != out && !strncmp(path, below, strlen(below));
}

static int whole(const char *given, char *path) {
    if (out < 0) return 0;
    if (given[0] == '/') {
        snprintf(path, PATH_MAX, "%s", given);
    } else {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        if (snprintf(path, PATH_MAX, "%s/%s", here, given) >= PATH_MAX) return 0;
    }
    return !strncmp(path, below, strlen(below));
}

static unsigned long inode_of(int fd) {
    struct stat s;
    return fstat(fd, &s) ? 0 : (unsigned long)s.st_ino;
}

static void note(const char *text, const void *data, size_t size) {
    static ssize_t (*put)(int, const void *, size_t);
    if (!put) put = real("write");
    pthread_mutex_lock(&lock);
    if (put(out, text, strlen(text)) < 0) abort();
    for (size_t at = 0; at < size;) {
        ssize_t n = put(out, (const char *)data + at, size - at);
        if (n < 0) abort();
        at += (size_t)n;
    }
    pthread_mutex_unlock(&lock);
}

static void wrote(int fd, const void *data, ssize_t size, long long at) {
    char path[PATH_MAX], text[PATH_MAX + 128];
    if (size <= 0 || !path_of(fd, path)) return;
    snprintf(text, sizeof text, "write %lu %lld %zd %s\n", inode_of(fd), at, size, path);
    note(text, data, (size_t)size);
}

ssize_t write(int fd, const void *data, size_t size) {
    ssize_t (*call)(int, const void *, size_t) = real("write");
    int appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
    ssize_t n = call(fd, data, size);
    if (n > 0 && fd != out) {
        int kept = errno;
        long long at = lseek(fd, 0, SEEK_CUR);
        (void)appends;
        if (at >= 0) wrote(fd, data, n, at - n);
        errno = kept;
    }
    return n;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    ssize_t (*call)(int, const void *, size_t, off64_t) = real("pwrite64");
    ssize_t n = call(fd, data, size, at);
    wrote(fd, data, n, at);
    return n;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return pwrite64(fd, data, size, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t n = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (n < 0) return total ? total : n;
        total += n;
        if ((size_t)n < parts[i].iov_len) break;
    }
    return total;
}

static int synced(int fd, const char *name) {
    int (*call)(int) = real(name);
    int result = call(fd);
    char path[PATH_MAX], text[PATH_MAX + 64];
    if (!result && path_of(fd, path)) {
        snprintf(text, sizeof text, "sync %lu %s\n", inode_of(fd), path);
        note(text, 0, 0);
    }
    return result;
}

int fsync(int fd) { return synced(fd, "fsync"); }
int fdatasync(int fd) { return synced(fd, "fdatasync"); }

static int cut(int fd, long long size, int result) {
    char path[PATH_MAX], text[PATH_MAX + 64];
    if (!result && path_of(fd, path)) {
        snprintf(text, sizeof text, "cut %lu %lld %s\n", inode_of(fd), size, path);
        note(text, 0, 0);
    }
    return result;
}

int ftruncate64(int fd, off64_t size) {
    int (*call)(int, off64_t) = real("ftruncate64");
    return cut(fd, size, call(fd, size));
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static void opened(int fd, const char *given, int flags, int was_there) {
    char path[PATH_MAX], text[PATH_MAX + 64];
    if (fd < 0 || !whole(given, path) || !(flags & (O_CREAT | O_TRUNC))) return;
    if (was_there && !(flags & O_TRUNC)) return;
    snprintf(text, sizeof text, "%s %lu %s\n", was_there ? "empty" : "create", inode_of(fd), path);
    note(text, 0, 0);
}

static int open_by(const char *name, int folder, const char *path, int flags, mode_t mode) {
    struct stat s;
    int was_there = !fstatat(folder, path, &s, 0);
    int (*call)(int, const char *, int, ...) = real(name);
    int fd = call(folder, path, flags, mode);
    int kept = errno;
    opened(fd, path, flags, was_there);
    errno = kept;
    return fd;
}

#define OPEN(NAME)                                  \
    int NAME(const char *path, int flags, ...) {    \
        va_list more;                               \
        va_start(more, flags);                      \
        mode_t mode = va_arg(more, mode_t);         \
        va_end(more);                               \
        return open_by("openat64", AT_FDCWD, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int openat64(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return open_by("openat64", folder, path, flags, mode);
}

static void named(const char *what, const char *first, const char *second) {
    char a[PATH_MAX], b[PATH_MAX] = "", text[2 * PATH_MAX + 32];
    if (!whole(first, a) || (second && !whole(second, b))) return;
    snprintf(text, sizeof text, "%s %s%s%s\n", what, a, second ? "\t" : "", b);
    note(text, 0, 0);
}

int rename(const char *from, const char *to) {
    int (*call)(const char *, const char *) = real("rename");
    int result = call(from, to);
    if (!result) named("rename", from, to);
    return result;
}

int renameat(int a, const char *from, int b, const char *to) {
    int (*call)(int, const char *, int, const char *) = real("renameat");
    int result = call(a, from, b, to);
    if (!result) named("rename", from, to);
    return result;
}

int link(const char *from, const char *to) {
    int (*call)(const char *, const char *) = real("link");
    int result = call(from, to);
    if (!result) named("link", from, to);
    return result;
}

int unlink(const char *path) {
    int (*call)(const char *) = real("unlink");
    int result = call(path);
    if (!result) named("unlink", path, 0);
    return result;
}

int unlinkat(int folder, const char *path, int flags) {
    int (*call)(int, const char *, int) = real("unlinkat");
    int result = call(folder, path, flags);
    if (!result && folder == AT_FDCWD) named(flags & AT_REMOVEDIR ? "rmdir" : "unlink", path, 0);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    int (*call)(const char *, mode_t) = real("mkdir");
    int result = call(path, mode);
    if (!result) named("mkdir", path, 0);
    return result;
}
