// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a slot for code whose length may depend on the address that it is made for. The slot is
 * allocated for a guessed length, and allocated again if the code turns out to have another one.
 */
#include <linux/bug.h>
#include <linux/kprobe_arch.h>

#include "slot.h"
#include "slot_write.h"

/*
 * Gets a slot, has @emit make code for its address, which may happen for several addresses, and
 * writes the code there. Sets @slot to NULL on failure, and returns why or what @emit returns.
 */
enum kprobe_reason kprobe_slot_make(void **slot, unsigned long owner, kprobe_emit_t emit,
				    void *arg)
{
	static u8 buf[KPROBE_SLOT_MAX_SIZE];
	/* The guess: code is mostly as long as the last one of its kind. */
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
		/* The length may depend on the address: the second slot may be too large. */
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
