/* Instrumentation: superblocks that append records to the stream (see events.h).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_INSTRUMENT_H
#define APROF_INSTRUMENT_H

/* Registers the callbacks for instrumentation with Valgrind's core. */
void instrument_register(void);

IRSB *instrument_superblock(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                            const VexGuestExtents *extents, const VexArchInfo *host,
                            IRType guest_word, IRType host_word);

#endif
