// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes slots of code whose length is not known before it is made for an address.
 */
#include <linux/bug.h>
#include <linux/kprobe_arch.h>

#include "slot.h"
#include "slot_write.h"

/**
 * kprobe_slot_make() - get a slot for code and write that
 * @slot:  set to the slot, to NULL on failure
 * @owner: as for kprobe_slot_alloc()
 * @emit:  makes the code for an address; may be called again for another one
 * @arg:   passed on to @emit
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NO_MEMORY, %KPROBE_REASON_OUT_OF_REACH, or
 * what @emit returns.
 */
enum kprobe_reason kprobe_slot_make(void **slot, unsigned long owner, kprobe_emit_t emit,
				    void *arg)
{
	static u8 buf[KPROBE_SLOT_MAX_SIZE];
	/* Most are as long as the last one of their kind. */
	static unsigned int lens[2] = { KPROBE_SLOT_SIZE / 2, KPROBE_DETOUR_MAX_SIZE / 4 };
	unsigned int *len = &lens[owner & KPROBE_OWNER_IS_DETOUR];
	enum kprobe_reason reason;
	bool again = false;
	unsigned int size;

	for (;; again = true) {
		struct kprobe_code code = { .buf = buf, .size = sizeof(buf) };

		size = kprobe_slot_size(*len);
		*slot = kprobe_slot_alloc(owner, size);
		if (!*slot)
			return KPROBE_REASON_NO_MEMORY;
		code.base = (unsigned long)*slot;
		reason = emit(arg, &code);
		if (!reason && (code.far || WARN_ON_ONCE(code.len > code.size)))
			reason = KPROBE_REASON_OUT_OF_REACH;
		if (reason)
			break;
		*len = code.len;
		/* Where the length depends on the address: what is large enough will do. */
		if (kprobe_slot_size(*len) == size || (again && *len <= size)) {
			kprobe_slot_write(*slot, buf, *len);
			return KPROBE_REASON_NONE;
		}
		kprobe_slot_free(*slot);
	}
	kprobe_slot_free(*slot);
	*slot = NULL;
	return reason;
}
