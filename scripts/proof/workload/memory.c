// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: memory, and faults in it. Included by workload.c. */
#include "steps.h"

/* The fault is repaired, and the instruction repeated. */
static void repair(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
	mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void memory(void)
{
	char *p = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned char resident[16];
	char *q;
	pid_t pid;
	int i, n = 0, fd;

	for (i = 0; i < 16; i++)
		p[i * 4096] = i;
	pid = fork();
	if (!pid) {
		for (i = 0; i < 16; i++)
			p[i * 4096] += 100;
		strcpy(shared, "from the child");
		_exit(p[5 * 4096]);
	}
	expect("child", wait_for(pid), 105);
	expect("copied on write", p[5 * 4096], 5);
	printf("  shared %s\n", shared);
	catch(SIGSEGV, repair, 0);
	told("mprotect", mprotect(p, 4096, PROT_READ));
	*(volatile char *)&p[7] = 42;
	printf("  fault %d %d at %ld, then %d\n", got, code, (long)((char *)where - p), p[7]);
	told("discard", madvise(p, 8 * 4096, MADV_DONTNEED));
	expect("zeroed", p[4096 * 3], 0);
	mincore(p, 16 * 4096, resident);
	for (i = 0; i < 16; i++)
		n += resident[i] & 1;
	result("resident", n);
	q = mremap(p, 16 * 4096, 64 * 4096, MREMAP_MAYMOVE);
	expect("moved", q[9 * 4096], 9);
	told("unmap", munmap(q + 4096, 62 * 4096));
	munmap(q, 4096);
	munmap(q + 63 * 4096, 4096);
	fd = open("/tmp/mapped", O_CREAT | O_RDWR | O_TRUNC, 0600);
	write_all(fd, data, BYTES);
	p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	expect("mapped", memcmp(p, data, BYTES), 0);
	p[100] = 'x';
	told("msync", msync(p, BYTES, MS_SYNC));
	pread(fd, back, 1, 100);
	expect("written back", back[0], 'x');
	munmap(p, BYTES);
	close(fd);
	unlink("/tmp/mapped");
	told("brk", sbrk(100000) == (void *)-1 ? -1 : 0);
	fd = memfd_create("m", 0);
	told("memfd", fd < 0 ? -1 : ftruncate(fd, 5000));
	close(fd);
	signal(SIGSEGV, SIG_DFL);
}

/* Steps over the instruction that has trapped. */
static void skip_two(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
#ifdef __x86_64__
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
#endif
}

static void faults(void)
{
	char *p = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/tmp/f", O_CREAT | O_RDWR | O_TRUNC, 0600);
	pid_t pid;

	munmap(p + 4096, 4096);
	memset(p, 'a', 4096);
	denied("from a bad address", write(fd, nowhere, 10), EFAULT);
	expect("from a page that ends", write(fd, p + 4090, 20), 6);
	denied("to a bad address", pread(fd, nowhere, 4, 0), EFAULT);
	expect("to a page that ends", pread(fd, p + 4094, 6, 0), 2);
	denied("name that ends", open(p + 4000, O_RDONLY), EFAULT);
	denied("from kernel addresses", write(fd, (void *)0xffffffff81000000ul, 1), EFAULT);
	denied("structure", syscall(SYS_nanosleep, p + 4092, NULL), EFAULT);
	denied("to a structure", syscall(SYS_clock_gettime, 1, p + 4090), EFAULT);
	denied("vector", writev(fd, (void *)(p + 4088), 3), EFAULT);
	denied("futex", syscall(SYS_futex, 16, 0, 0, NULL), EFAULT);
	close(fd);
	unlink("/tmp/f");
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			signal(SIGSEGV, SIG_DFL);
			if (i == 0)
				*nowhere = 0;
			else if (i == 1)
				((void (*)(void))p)();
			else
				abort();
			_exit(0);
		}
		expect("died", wait_for(pid), 128 + (i == 2 ? SIGABRT : SIGSEGV));
	}
#ifdef __x86_64__
	catch(SIGTRAP, note, 0);
	asm volatile("int3");
	expect("int3", got, SIGTRAP);
	catch(SIGILL, skip_two, 0);
	asm volatile("ud2");
	expect("ud2", got, SIGILL);
	catch(SIGFPE, skip_two, 0);
	asm volatile("div %%cl" : : "a"(5), "c"(0));
	expect("division", got, SIGFPE);
	catch(SIGSEGV, skip_two, 0);
	asm volatile("mov %%cr0, %%rax\n\t" : : : "rax");
	signal(SIGSEGV, SIG_DFL);
	asm volatile("pushf; orl $0x100, (%%rsp); popf; nop; pushf; andl $~0x100, (%%rsp); popf"
		     : : : "memory", "cc");
	expect("trap flag", got, SIGTRAP);
#endif
	munmap(p, 4096);
}
