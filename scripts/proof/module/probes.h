/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_PROBES_H
#define _PROOF_PROBES_H

#include "proof.h"

int proof_set_text(const struct proof_text *text);
int proof_load(const struct proof_record *records, unsigned int number);
void proof_unload(void);
void proof_examine(struct proof_examination *examination);
void proof_arm(struct proof_armed *armed);
void proof_disarm(void);
unsigned int proof_jumps(void);
void proof_note_mechanism(bool optimized);
int proof_copy_text(void);
int proof_compare_text(struct proof_difference *difference);
int proof_result(unsigned int i, struct proof_result *result);

int proof_interrupt(bool on);

#endif /* _PROOF_PROBES_H */
