// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: files and mounts. Included by workload.c. */
#include "steps.h"

static void files(void)
{
	struct iovec v[2] = { { data, 100 }, { data + 50, 7 } };
	char path[64], target[64];
	struct stat st;
	int fd, other, i;

	told("mkdir", mkdir("/tmp/w", 0755));
	told("chdir", chdir("/tmp/w"));
	fd = told("open", open("file", O_CREAT | O_RDWR, 0640)) < 0 ? -1 : open("file", O_RDWR);
	write_all(fd, data, BYTES);
	told("writev", writev(fd, v, 2));
	told("pwrite", pwrite(fd, data, 33, 3));
	told("seek", lseek(fd, 0, SEEK_SET));
	expect("bytes", read_all(fd, back, BYTES), BYTES);
	told("pread", pread(fd, back, 100, BYTES + 200));
	told("truncate", ftruncate(fd, 12345));
	told("fallocate", fallocate(fd, 0, 0, 30000));
	told("punch", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192));
	told("lock", flock(fd, LOCK_EX));
	fstat(fd, &st);
	printf("  size %ld mode %o links %ld\n", (long)st.st_size, st.st_mode, (long)st.st_nlink);
	told("chmod", fchmod(fd, 0600));
	told("sync", fsync(fd));
	told("link", link("file", "hard"));
	told("symlink", symlink("file", "soft"));
	i = readlink("soft", target, sizeof(target));
	printf("  readlink %.*s\n", i, target);
	told("rename", rename("hard", "renamed"));
	denied("missing", open("missing", O_RDONLY), ENOENT);
	denied("is a directory", open(".", O_WRONLY), EISDIR);
	for (i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "n%02d", i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	list(".");
	other = open("copy", O_CREAT | O_RDWR, 0600);
	lseek(fd, 0, SEEK_SET);
	told("sendfile", sendfile(other, fd, NULL, 10000));
	lseek(other, 0, SEEK_SET);
	result("bytes", read_all(other, back, BYTES));
	result("checksum", checksum(back, BYTES));
	told("dup", fcntl(fd, F_DUPFD, 50));
	close(50);
	close(other);
	close(fd);
	told("chdir", chdir("/"));
	shell("rm", "rm -r /tmp/w");
}

static void watched_files(void)
{
	char events[1024];
	int fd = inotify_init1(IN_NONBLOCK), at = 0, n;

	mkdir("/tmp/i", 0755);
	told("watch", inotify_add_watch(fd, "/tmp/i", IN_CREATE | IN_DELETE | IN_CLOSE_WRITE));
	close(open("/tmp/i/x", O_CREAT | O_WRONLY, 0600));
	unlink("/tmp/i/x");
	n = read(fd, events, sizeof(events));
	while (at < n) {
		struct inotify_event *e = (void *)(events + at);

		printf("  event %x %s\n", e->mask, e->name);
		at += sizeof(*e) + e->len;
	}
	rmdir("/tmp/i");
	close(fd);
}

static void mounts(void)
{
	mkdir("/tmp/m", 0755);
	told("mount", mount("x", "/tmp/m", "tmpfs", 0, "size=100k"));
	shell("full", "! dd if=/dev/zero of=/tmp/m/f bs=1k count=200 2>/dev/null");
	list("/tmp/m");
	told("chdir", chdir("/tmp/m"));
	denied("busy", umount("/tmp/m"), EBUSY);
	chdir("/");
	told("read-only", mount("x", "/tmp/m", NULL, MS_REMOUNT | MS_RDONLY, NULL));
	denied("create", open("/tmp/m/g", O_CREAT | O_WRONLY, 0600), EROFS);
	told("umount", umount("/tmp/m"));
	told("bind", mount("/bin", "/tmp/m", NULL, MS_BIND, NULL));
	told("there", access("/tmp/m/busybox", X_OK));
	told("umount", umount2("/tmp/m", MNT_DETACH));
	told("proc", mount("p", "/tmp/m", "proc", 0, NULL));
	told("umount", umount("/tmp/m"));
	denied("unknown", mount("x", "/tmp/m", "nosuchfs", 0, NULL), ENODEV);
	rmdir("/tmp/m");
}
